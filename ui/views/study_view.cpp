// What should I study: the 24 topics by predicted recall, today's mission, how far to ready, the days ahead.
#include <fmt/format.h>

#include "ui/views/study/panel.h"
#include "ui/views/study/popups.h"
#include "ui/views/study/tiles.h"
#include "ui/views/study/words.h"
#include "ui/widgets/controls.h"

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
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    struct Button
    {
        const char* label;
        const char* key;
        ImGuiKey code;
        void (StudyView::*run)(const StudyFrame&, Out&);
    };
    static std::span<const Button> buttons(const StudyFrame& study);

    void review(const StudyFrame& study, Out& out);
    void drill_weakest(const StudyFrame& study, Out& out);
    void ask_mock(const StudyFrame&, Out&) { popups_.open(Which::mock); }
    void eight(const StudyFrame& study, Out& out) { out.push(StartDrill{quick_eight(*study.plan), ""}); }
    void ask_files(const StudyFrame&, Out&) { popups_.open(Which::files); }
    void go_on(const StudyFrame& study, Out& out);
    void end(const StudyFrame&, Out& out) { out.push(EndStudy{}); }

    void draw_head(const Painter& painter, Rect row, const StudyFrame& study);
    void draw_mission(const Painter& painter, Rect area, const StudyFrame& study);
    void draw_buttons(const Painter& painter, Rect area, const StudyFrame& study, Out& out);
    static void draw_empty(const Painter& painter, Rect area, const StudyFrame& study);

    StudyPopups popups_;
    bool on_the_day_ = false;
};

std::span<const StudyView::Button> StudyView::buttons(const StudyFrame& study)
{
    static constexpr std::array kIdle{
        Button{"Review", "R", ImGuiKey_R, &StudyView::review},
        Button{"Weakest", "D", ImGuiKey_D, &StudyView::drill_weakest},
        Button{"Mock", "M", ImGuiKey_M, &StudyView::ask_mock},
        Button{"Quick eight", "8", ImGuiKey_8, &StudyView::eight},
        Button{"Export", "X", ImGuiKey_X, &StudyView::ask_files},
    };
    static constexpr std::array kRunning{Button{"Go on", "G", ImGuiKey_G, &StudyView::go_on},
                                         Button{"End it", "E", ImGuiKey_E, &StudyView::end}};
    if (!is_running(*study.session))
    {
        return kIdle;
    }
    return session_view(study).empty() ? std::span<const Button>(kRunning).subspan(1) : kRunning;
}

void StudyView::review(const StudyFrame&, Out& out)
{
    out.push(StartDrill{});
}

// The topics that are outlined; where nothing was seen yet, new questions.
void StudyView::drill_weakest(const StudyFrame& study, Out& out)
{
    StartDrill drill;
    if (!study.weakest.empty())
    {
        drill.wish.kind = DeckKind::weak;
        drill.wish.most_new = 0;
    }
    for (const std::size_t i : study.weakest)
    {
        drill.wish.filter.topics.emplace_back(study.heat[i].topic->id);
    }
    out.push(std::move(drill));
}

void StudyView::go_on(const StudyFrame& study, Out& out)
{
    out.push(OpenView{std::string(session_view(study))});
}

void StudyView::draw_head(const Painter& p, Rect row, const StudyFrame& study)
{
    const float most = std::min(p.px(256), row.w * 0.55F);
    const Rect choice = row.cut_right(most);
    row.cut_right(p.px(16));
    draw_recall_legend(p, row);
    const std::string then =
        study.has_interview() ? date_words(*study.progress->interview) : "on the day \u2026";
    const std::array<std::string_view, 2> words{"today", then};
    if (const auto clicked = segments(p, choice, words, on_the_day_ ? 1 : 0))
    {
        on_the_day_ = *clicked == 1 && study.has_interview();
        if (*clicked == 1 && !study.has_interview())
        {
            popups_.open(Which::interview);
        }
    }
}

void StudyView::draw_mission(const Painter& p, Rect area, const StudyFrame& study)
{
    const Theme& t = p.theme;
    const std::string running = session_words(study);
    Rect row = area.cut_top(p.px(28));
    const bool planned = study.mission.mission != nullptr && running.empty();
    p.text(row.x, row.middle(), Type::body_strong, t.text,
           running.empty() ? "Today\u2019s mission" : "On now");
    const Rect button_area = row.cut_right(planned ? p.px(112) : 0);
    if (planned && row.w > p.width(Type::body_strong, "Today\u2019s mission") &&
        button(p, button_area, "Tasks###tasks", "P", ButtonStyle::quiet))
    {
        popups_.open(Which::plan);
    }
    row = area.cut_top(p.px(28));
    p.text_within(row.x, row.middle(), row.w, Type::small, t.muted,
                  running.empty() ? mission_words(study) : running);
}

void StudyView::draw_buttons(const Painter& p, Rect area, const StudyFrame& study, Out& out)
{
    const auto all = buttons(study);
    const auto count = static_cast<float>(all.size());
    std::vector<std::string> words;
    float sum = 0;
    float widest = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const bool review = i == 0 && !is_running(*study.session);
        words.push_back(review && study.due > 0     ? fmt::format("Review {}", study.due)
                        : review && study.fresh > 0 ? "New questions"
                                                    : all[i].label);
        const float w = p.width(Type::small_strong, words.back());
        sum += w;
        widest = std::max(widest, w);
    }
    // Each as wide as its words want where equal ones would cut some.
    float gap = p.px(12);
    const float each = std::min(p.px(208), (area.w - gap * (count - 1)) / count);
    const bool equal = widest + p.px(12) <= each;
    gap = equal ? gap : p.px(8);
    const float spare = (area.w - gap * (count - 1) - sum) / count;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const float w = equal ? each : p.width(Type::small_strong, words[i]) + spare;
        const Rect r = area.cut_left(w);
        area.cut_left(gap);
        const std::string label = fmt::format("{}###{}", words[i], all[i].label);
        if (button(p, r, label.c_str(), all[i].key, i == 0 ? ButtonStyle::primary : ButtonStyle::plain))
        {
            (this->*all[i].run)(study, out);
        }
    }
}

void StudyView::draw_empty(const Painter& p, Rect area, const StudyFrame& study)
{
    area.cut_top(area.h * 0.2F);
    const Theme& t = p.theme;
    const float used = p.paragraph(
        {area.x, area.y, area.w, 0}, Type::title, t.text,
        fmt::format("No questions found in {}", study.questions.empty() ? "the assets" : study.questions));
    p.paragraph(
        {area.x, area.y + used + p.px(8), area.w, 0}, Type::small, t.muted,
        "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has them. What was studied before "
        "is kept; X exports it, or takes in an Anki text file from the clipboard.");
}

void StudyView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const StudyFrame& study = *frame.study;
    on_the_day_ = on_the_day_ && study.has_interview();
    Rect topics = area;
    const bool low = area.h < p.px(300);
    if (study.families.empty())
    {
        draw_empty(p, topics, study);
    }
    else
    {
        topics.cut_bottom(p.px(8));
        draw_buttons(p, topics.cut_bottom(std::min(topics.h, p.px(40))), study, out);
        topics.cut_bottom(p.px(low ? 0 : 4));
        if (!low)
        {
            draw_mission(p, topics.cut_bottom(p.px(60)), study);
        }
        if (topics.h > p.px(180))
        {
            draw_head(p, topics.cut_top(p.px(32)), study);
            topics.cut_top(p.px(8));
        }
        topics.cut_bottom(p.px(8));
        if (topics.h > p.px(24))
        {
            const TilesEvent event = draw_tiles(p, topics, study, on_the_day_);
            if (event.hovered)
            {
                draw_topic_tip(p, area, study.heat[*event.hovered]);
            }
            if (event.clicked && study.heat[*event.clicked].all.families > 0)
            {
                StartDrill drill;
                drill.wish.kind = DeckKind::weak;
                drill.wish.filter.topics = {std::string(study.heat[*event.clicked].topic->id)};
                out.push(std::move(drill));
            }
        }
    }
    popups_.draw(frame, p, out);
}

bool StudyView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const StudyPanelEvent event = draw_study_panel(p, area, *frame.study);
    if (event.interview || event.skills)
    {
        popups_.open(event.interview ? Which::interview : Which::skills);
        out.animating = true; // the picture was drawn before
    }
    return true;
}

void StudyView::keys(const Frame& frame, Out& out)
{
    const StudyFrame& study = *frame.study;
    for (const Button& b : buttons(study))
    {
        if (!study.families.empty() && ImGui::IsKeyPressed(b.code, false))
        {
            (this->*b.run)(study, out);
            out.animating = true;
        }
    }
    const std::array<std::pair<ImGuiKey, Which>, 5> opens{{{ImGuiKey_I, Which::interview},
                                                           {ImGuiKey_A, Which::skills},
                                                           {ImGuiKey_P, Which::plan},
                                                           {ImGuiKey_L, Which::leeches},
                                                           {ImGuiKey_X, Which::files}}};
    for (const auto& [key, which] : opens)
    {
        const bool nothing = (which == Which::leeches && study.leeches.empty()) ||
                             (which == Which::plan && study.mission.mission == nullptr) ||
                             (which == Which::skills && study.plan->skills.empty());
        if (!nothing && ImGui::IsKeyPressed(key, false))
        {
            popups_.open(which);
            out.animating = true;
        }
    }
    if (study.has_interview() && ImGui::IsKeyPressed(ImGuiKey_W, false))
    {
        on_the_day_ = !on_the_day_;
        out.animating = true;
    }
}

constexpr std::array kKeys{KeyHelp{"R", "Review what is due, then some new questions"},
                           KeyHelp{"D", "Drill the three weakest topics, due or not"},
                           KeyHelp{"M", "A mock interview of 5, 12, 45 or 60 minutes"},
                           KeyHelp{"8", "The eight questions asked most"},
                           KeyHelp{"X", "Export to CSV, Anki or Markdown, or import"},
                           KeyHelp{"P", "The tasks of today\u2019s mission"},
                           KeyHelp{"I", "The day of the interview"},
                           KeyHelp{"W", "Recall today, or on the day"},
                           KeyHelp{"A", "Judge your own skills"},
                           KeyHelp{"L", "Questions that keep being forgotten"},
                           KeyHelp{"G E", "Go on with the session that is on, or end it"},
                           KeyHelp{"click", "On a topic: drill it"}};

} // namespace

extern const ViewInfo study_view;
const ViewInfo study_view{90,
                          "study",
                          "Study",
                          "Topics",
                          "What should I study today?",
                          "Predicted recall of 24 topics, today's mission, readiness and the days ahead",
                          {},
                          kKeys,
                          [] { return std::unique_ptr<View>(std::make_unique<StudyView>()); }};

} // namespace ringside
