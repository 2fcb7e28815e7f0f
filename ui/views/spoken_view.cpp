// Can I say it in a minute: one question, a clock, then the points a good answer makes.
#include <fmt/format.h>

#include "ui/views/drill/head.h"
#include "ui/views/drill/points.h"
#include "ui/views/drill/solution.h"
#include "ui/views/drill/start.h"
#include "ui/views/drill/stem.h"
#include "ui/views/study/panel.h"
#include "ui/views/study/popups.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

const SpokenSession* spoken_of(const Frame& frame)
{
    return std::get_if<SpokenSession>(frame.study->session);
}

void push_key(Out& out, SpokenKey key)
{
    out.push(StudyStep{SpokenInput{key}});
}

double spoken_seconds(const SpokenSession& s, std::int64_t now_ms)
{
    const std::int64_t ms = s.stage == SpokenStage::speaking ? now_ms - s.started_ms : s.spoken_ms;
    return static_cast<double>(std::clamp<std::int64_t>(ms, 0, s.limit_ms)) / 1000;
}

class SpokenView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    std::string title(const Frame&) const override { return "Can I say it in a minute?"; }
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    static void draw_idle(Sheet& sheet, const StudyFrame& study, Out& out);
    void draw_question(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out);
    static void draw_clock(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out);
    void draw_points(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out);
    static void draw_over(Sheet& sheet, const SpokenSession& s, Out& out);
    static void keys_idle(const StudyFrame& study, Out& out);
    void keys_ticking(Out& out);

    Points points_;
    StudyPopups home_popups_;
    ScrolledSheet scrolled_;
};

constexpr std::array<double, 3> kSeconds{60, 120, 300};

void SpokenView::draw_idle(Sheet& sheet, const StudyFrame& study, Out& out)
{
    if (draw_no_questions(sheet, study))
    {
        return;
    }
    const Painter& p = sheet.p;
    sheet.words(Type::body, Type::body_strong, p.theme.text,
                "One question, **answered aloud** against the clock. Then you tick the points you made. "
                "Nothing is recorded.");
    sheet.gap(16);
    const std::array buttons{KeyButton{"60 seconds###60", "Enter", true}, KeyButton{"2 minutes###120", "2"},
                             KeyButton{"5 minutes###300", "5"}};
    if (const auto pressed = draw_buttons(p, sheet.row(48), buttons))
    {
        out.push(StartSpoken{"", 0, kSeconds[*pressed]});
    }
}

// The seconds left inside a ring that empties.
void SpokenView::draw_clock(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const bool runs = s.stage == SpokenStage::speaking;
    const double limit = static_cast<double>(s.limit_ms) / 1000;
    const double left = limit - spoken_seconds(s, study.now.ms);
    sheet.gap(12);
    const Rect r = sheet.row(190);
    const ImVec2 centre{r.centre(), r.middle()};
    const float radius = p.px(82);
    constexpr float kTurn = 6.2831853F;
    const auto share = static_cast<float>(left / limit);
    p.list.AddCircle(centre, radius, t.raised, 96, p.px(10));
    if (share > 0)
    {
        p.list.PathArcTo(centre, radius, -kTurn / 4, -kTurn / 4 + kTurn * share, 96);
        p.list.PathStroke(t.text, 0, p.px(10));
    }
    p.text(centre.x, centre.y - p.px(6), Type::display, t.text,
           fmt::format("{}", std::lround(std::ceil(left))), Align::centre);
    p.text(centre.x, centre.y + p.px(26), Type::small, t.muted, "seconds", Align::centre);
    sheet.gap(12);
    const Rect row = sheet.row(44);
    const float w = std::min(p.px(240), row.w);
    const std::array buttons{
        KeyButton{runs ? "I am done###clock" : "Start the clock###clock", "Space", true}};
    if (draw_buttons(p, {row.centre() - w / 2, row.y, w, row.h}, buttons))
    {
        push_key(out, runs ? SpokenKey::stop : SpokenKey::start);
    }
}

void SpokenView::draw_points(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out)
{
    const Question& q = *study.question;
    sheet.heading("Which points did you make?", "Space: made, \u2193: not");
    points_.set(s.points);
    if (points_.draw(sheet, points_of(q)))
    {
        out.push(StudyStep{SpokenInput{TickPoint{points_.last()}}});
    }
    const bool all = points_.ticked() == static_cast<int>(s.points.size());
    if (all && toggle(sheet.p, sheet.row(36), "I could teach it (T)###teach", s.could_teach))
    {
        push_key(out, SpokenKey::teach);
    }
    sheet.gap(8);
    const std::string label = fmt::format("{}: {}###accept", name_of(s.grade()), rubric_name(s.grade()));
    const std::array buttons{KeyButton{label, "Enter", true}};
    if (draw_buttons(sheet.p, sheet.row(44), buttons))
    {
        push_key(out, SpokenKey::accept);
    }
    sheet.gap(16);
    draw_solution(sheet, q);
}

void SpokenView::draw_over(Sheet& sheet, const SpokenSession& s, Out& out)
{
    sheet.words(Type::title, Type::title, sheet.p.theme.text, std::string(rubric_name(s.grade())));
    sheet.gap(6);
    const auto made = std::count(s.points.begin(), s.points.end(), true);
    sheet.words(Type::body, Type::body_strong, sheet.p.theme.text,
                fmt::format("**{} of {}** points in {}.", made, s.points.size(),
                            clock_words(static_cast<double>(s.spoken_ms) / 1000)));
    sheet.gap(16);
    const std::array buttons{KeyButton{"Another one###again", "Enter", true},
                             KeyButton{"Home###home", "Esc"}};
    const auto pressed = draw_buttons(sheet.p, sheet.row(40), buttons);
    if (pressed == 0U)
    {
        out.push(StartSpoken{"", 0, static_cast<double>(s.limit_ms) / 1000});
    }
    else if (pressed)
    {
        out.push(EndStudy{});
    }
    sheet.gap(20);
}

void SpokenView::draw_question(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out)
{
    if (study.question == nullptr)
    {
        sheet.gap(60);
        sheet.words(Type::title, Type::title, sheet.p.theme.text, "This question could not be made");
        sheet.gap(8);
        sheet.words(Type::small, Type::small_strong, sheet.p.theme.muted, study.fault);
        return;
    }
    if (s.stage == SpokenStage::over)
    {
        draw_over(sheet, s, out);
    }
    draw_stem(sheet, *study.question, s.card.lead, s.stage == SpokenStage::ticking);
    if (s.stage == SpokenStage::ticking)
    {
        draw_points(sheet, study, s, out);
    }
    else if (s.stage == SpokenStage::over)
    {
        draw_solution(sheet, *study.question);
    }
    else
    {
        draw_clock(sheet, study, s, out);
    }
}

void SpokenView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const SpokenSession* s = spoken_of(frame);
    if (s != nullptr)
    {
        keep_keys();
        if (s->points.size() != points_.made().size() || s->stage != SpokenStage::ticking)
        {
            points_.reset(s->points.size());
        }
    }
    const std::string about =
        s == nullptr ? "start" : fmt::format("{} {}", s->card.seed, static_cast<int>(s->stage));
    scrolled_.draw(p, area, about,
                   [&](Sheet& sheet) {
                       s == nullptr ? draw_idle(sheet, *frame.study, out)
                                    : draw_question(sheet, *frame.study, *s, out);
                   });
    home_popups_.draw(frame, p, out);
}

bool SpokenView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const StudyPanelEvent event = draw_study_panel(p, area, *frame.study);
    if (event.interview || event.skills)
    {
        home_popups_.open(event.interview ? StudyPopups::Which::interview : StudyPopups::Which::skills);
        out.animating = true;
    }
    return true;
}

Caption SpokenView::caption(const Frame& frame) const
{
    const SpokenSession* s = spoken_of(frame);
    if (s == nullptr || frame.study->question == nullptr)
    {
        return {"A spoken answer has **a claim, a number and a reason**.",
                "below half of the points: Again; below 80%: Hard; else Good", ""};
    }
    const auto points = s->points.size();
    return {fmt::format("**{}**: {} point{} to make.", frame.study->question->title, points,
                        points == 1 ? "" : "s"),
            "below half of the points: Again; below 80%: Hard; else Good", ""};
}

std::vector<std::string> SpokenView::facts(const Frame& frame) const
{
    const SpokenSession* s = spoken_of(frame);
    if (s == nullptr)
    {
        return {fmt::format("{} questions", frame.study->families.size())};
    }
    return {clock_words(spoken_seconds(*s, frame.study->now.ms)), "Esc leaves, nothing is lost"};
}

void SpokenView::keys_idle(const StudyFrame& study, Out& out)
{
    constexpr std::array kCodes{ImGuiKey_Enter, ImGuiKey_2, ImGuiKey_5};
    for (std::size_t i = 0; i < kCodes.size() && !study.families.empty(); ++i)
    {
        if (ImGui::IsKeyPressed(kCodes[i], false))
        {
            out.push(StartSpoken{"", 0, kSeconds[i]});
        }
    }
}

void SpokenView::keys_ticking(Out& out)
{
    if (points_.keys())
    {
        out.push(StudyStep{SpokenInput{TickPoint{points_.last()}}});
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Enter, false))
    {
        push_key(out, SpokenKey::accept);
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_T, false))
    {
        push_key(out, SpokenKey::teach);
    }
}

void SpokenView::keys(const Frame& frame, Out& out)
{
    const SpokenSession* s = spoken_of(frame);
    if (s == nullptr)
    {
        keys_idle(*frame.study, out);
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        out.push(EndStudy{});
        return;
    }
    const bool go = ImGui::IsKeyPressed(ImGuiKey_Space, false) || ImGui::IsKeyPressed(ImGuiKey_Enter, false);
    if (s->stage == SpokenStage::ticking)
    {
        keys_ticking(out);
    }
    else if (go && s->stage == SpokenStage::over)
    {
        out.push(StartSpoken{"", 0, static_cast<double>(s->limit_ms) / 1000});
    }
    else if (go)
    {
        push_key(out, s->stage == SpokenStage::speaking ? SpokenKey::stop : SpokenKey::start);
    }
}

constexpr std::array kKeys{KeyHelp{"Enter", "A question for 60 seconds; take the grade; another one"},
                           KeyHelp{"2 5", "A question for 2 or 5 minutes"},
                           KeyHelp{"Space", "Start the clock, stop it; then tick a point"},
                           KeyHelp{"\u2191 \u2193", "Go from point to point"},
                           KeyHelp{"T", "I could teach it, where every point was made"},
                           KeyHelp{"Esc", "Leave"}};

} // namespace

extern const ViewInfo spoken_view;
const ViewInfo spoken_view{93,
                           "spoken",
                           "Study",
                           "Aloud",
                           "Can I say it in a minute?",
                           "A question answered aloud against the clock, then judged by the points made",
                           {},
                           kKeys,
                           [] { return std::unique_ptr<View>(std::make_unique<SpokenView>()); }};

} // namespace ringside
