// What should I study: the 24 topics by predicted recall, today's plan, how far to ready, the days ahead.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using Which = StudyPopups::Which;

class StudyView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return study_caption(*frame.study); }
    bool about_scenario() const override { return false; }
    std::string title(const Frame& frame) const override { return study_title(*frame.study); }
    std::vector<std::string> facts(const Frame& frame) const override { return study_facts(*frame.study); }
    bool draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out) override
    {
        return popups_.draw_panel(frame, p, area, out);
    }
    ViewKeys keys() override;
    void on_keys(const Frame& frame, Out& out) override;

private:
    std::vector<KeyButton> buttons(const StudyFrame& study, Out& out);
    void draw_head(const Painter& painter, Rect row, const StudyFrame& study);
    void draw_mission(const Painter& painter, Rect area, const StudyFrame& study);
    void draw_topics(const Painter& painter, Rect area, const StudyFrame& study, Out& out);
    // Nothing was asked yet, so that the tiles have nothing to say.
    bool shows_first(const StudyFrame& study) const
    {
        return study.progress->reviews.empty() && !is_running(*study.session) && !all_topics_;
    }

    StudyPopups popups_;
    TileFigure figure_ = TileFigure::right;
    bool all_topics_ = false; // asked for before anything was studied
};

// Begins the first task of the plan, or any new questions where there is none.
KeyButton first_button(const StudyFrame& study, Out& out)
{
    const auto start = [&study, &out]
    {
        const PlanTask* task = next_task(study);
        task == nullptr ? out.push(StartDrill{}) : start_task(*task, out);
    };
    return {"Begin###first", "Enter", start, ImGuiKey_Enter, ButtonStyle::primary};
}

// The one next thing.
void draw_first(const Painter& p, Rect area, const StudyFrame& study, Out& out)
{
    const PlanTask* task = next_task(study);
    area.w = std::min(area.w, p.px(640));
    ScrolledSheet sheet(p, area, "###first sheet");
    sheet->gap(24);
    sheet->title(task == nullptr ? std::string("Your first questions")
                                 : fmt::format("Your first {} minutes", task->minutes));
    sheet->gap(8);
    sheet->say(task == nullptr ? std::string("The easy ones first.") : task->text);
    sheet->gap(8);
    sheet->note("Every question has hints and a worked solution, and comes back before you forget it.");
    sheet->gap(20);
    const std::array begin{first_button(study, out)};
    draw_buttons(p, sheet->row(48).cut_left(p.px(240)), begin);
    sheet->gap(20);
    sheet->note(fmt::format("Then {}, in {} topics: W shows them.", counted(study.fresh, "new question"),
                            study.heat.size()));
}

// In place of the ways to begin, where a session is on, how to go on with it.
std::vector<KeyButton> StudyView::buttons(const StudyFrame& study, Out& out)
{
    const auto start = [&out](StartDrill drill) { return [&out, drill] { out.push(drill); }; };
    const auto ask = [this](Which which) { return [this, which] { popups_.open(which); }; };
    if (is_running(*study.session))
    {
        const std::string view(session_view(study));
        KeyButton on{"Go on###Go on", "G", [&out, view] { out.push(OpenView{view}); }, ImGuiKey_G,
                     ButtonStyle::primary};
        KeyButton end{"End it###End it", "E", [&out] { out.push(EndStudy{}); }, ImGuiKey_E};
        return view.empty() ? std::vector{std::move(end)} : std::vector{std::move(on), std::move(end)};
    }
    const int wrong = wrong_now(study);
    const std::string review = study.due > 0     ? fmt::format("Review {}", study.due)
                               : study.fresh > 0 ? "New questions"
                                                 : "Review";
    return {{review + "###Review", "R", start({}), ImGuiKey_R,
             shows_first(study) ? ButtonStyle::plain : ButtonStyle::primary},
            {"Weakest###Weakest", "D", start(weakest_drill(study)), ImGuiKey_D},
            {wrong > 0 ? fmt::format("{} wrong###Wrong", wrong) : "", "F", start(wrong_drill()),
             wrong > 0 ? ImGuiKey_F : ImGuiKey_None},
            {"Mock interview###Mock", "M", ask(Which::mock), ImGuiKey_M},
            {"Quick eight###Quick eight", "8", start({quick_eight(*study.plan), ""}), ImGuiKey_8},
            {"Export###Export", "X", ask(Which::files), ImGuiKey_X}};
}

void StudyView::draw_head(const Painter& p, Rect row, const StudyFrame& study)
{
    const Rect choice = row.cut_left(std::min(p.px(340), row.w * 0.6F));
    row.cut_left(p.px(20));
    draw_tiles_legend(p, row, figure_);
    const std::string recall = study.has_interview()
                                   ? fmt::format("recall on {}", date_short(*study.progress->interview))
                                   : "recall today";
    const std::array<std::string_view, 2> words{"right, of those seen", recall};
    if (const auto clicked = segments(p, choice, words, static_cast<std::size_t>(figure_)))
    {
        figure_ = static_cast<TileFigure>(*clicked);
    }
}

void StudyView::draw_mission(const Painter& p, Rect area, const StudyFrame& study)
{
    const Theme& t = p.theme;
    const std::string running = session_words(study);
    Rect row = area.cut_top(p.px(28));
    const bool planned = study.mission.mission != nullptr && running.empty();
    p.text(row.x, row.middle(), Type::body_strong, t.text, running.empty() ? "Today\u2019s plan" : "On now");
    const Rect button_area = row.cut_right(planned ? p.px(112) : 0);
    if (planned && row.w > p.width(Type::body_strong, "Today\u2019s plan") &&
        button(p, button_area, "Tasks###tasks", "P", ButtonStyle::quiet))
    {
        popups_.open(Which::plan);
    }
    row = area.cut_top(p.px(28));
    p.text_within(row.x, row.middle(), row.w, Type::small, t.muted,
                  running.empty() ? mission_words(study) : running);
}

void StudyView::draw_topics(const Painter& p, Rect area, const StudyFrame& study, Out& out)
{
    const TilesEvent event = draw_tiles(p, area, study, figure_);
    if (event.hovered)
    {
        draw_topic_tip(p, area, study.heat[*event.hovered]);
    }
    if (event.clicked && study.heat[*event.clicked].all.cards > 0)
    {
        out.push(topic_drill(study.heat[*event.clicked].topic->id));
    }
}

void StudyView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const StudyFrame& study = *frame.study;
    if (!draw_no_questions(p, area, study))
    {
        const bool low = area.h < p.px(300);
        area.cut_bottom(p.px(8));
        draw_buttons(p, area.cut_bottom(std::min(area.h, p.px(40))), buttons(study, out));
        if (!low)
        {
            area.cut_bottom(p.px(4));
            draw_mission(p, area.cut_bottom(p.px(60)), study);
        }
        if (shows_first(study))
        {
            draw_first(p, area, study, out);
            popups_.draw(frame, p, out);
            return;
        }
        if (area.h > p.px(180))
        {
            draw_head(p, area.cut_top(p.px(32)), study);
            area.cut_top(p.px(8));
        }
        area.cut_bottom(p.px(8));
        if (area.h > p.px(24))
        {
            draw_topics(p, area, study, out);
        }
    }
    popups_.draw(frame, p, out);
}

void StudyView::on_keys(const Frame& frame, Out& out)
{
    const StudyFrame& study = *frame.study;
    auto all = study.families.empty() ? std::vector<KeyButton>() : buttons(study, out);
    const auto opens = [&](bool something, ImGuiKey key, Which which) {
        all.push_back({"", "", [this, which] { popups_.open(which); }, something ? key : ImGuiKey_None});
    };
    opens(true, ImGuiKey_I, Which::interview);
    opens(!study.plan->skills.empty(), ImGuiKey_A, Which::skills);
    opens(study.mission.mission != nullptr, ImGuiKey_P, Which::plan);
    opens(!study.leeches.empty(), ImGuiKey_L, Which::leeches);
    opens(true, ImGuiKey_X, Which::files);
    const bool first = !study.families.empty() && shows_first(study);
    all.push_back(
        {"", "W", [this, first] { first ? void(all_topics_ = true) : turn(figure_, 2); }, ImGuiKey_W});
    if (first)
    {
        all.push_back(first_button(study, out));
    }
    out.animating = press_keys(all) || out.animating;
}

ViewKeys StudyView::keys()
{
    return {{"R", "Review what is due, then some new questions"},
            {"D", "Drill the three weakest topics, due or not"},
            {"M", "A mock interview of 5, 12, 45 or 60 minutes"},
            {"8", "The eight questions asked most"},
            {"X", "Export to CSV, Anki or Markdown, or import"},
            {"P", "The tasks of today\u2019s plan"},
            {"I", "The day of the interview"},
            {"F", "What went wrong when it was last asked"},
            {"W", "Right of those seen, or predicted recall; all topics before the first question"},
            {"Enter", "Begin, before the first question"},
            {"A", "Self-assessment of your skills"},
            {"L", "Questions that keep being forgotten"},
            {"G E", "Resume the current session, or end it"},
            {"click", "On a topic: drill it"}};
}

} // namespace

extern const ViewInfo study_view{
    20,
    "study",
    ViewGroup::study,
    "Topics",
    "Study plan",
    "24 topics: how much was seen and right, predicted recall, today's plan, readiness",
    {},
    make_view<StudyView>,
    {},
    ViewRole::study};

} // namespace ringside
