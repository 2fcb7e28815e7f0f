// Can I say it in a minute: one question, a clock, then the points a good answer makes.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/study/drill/answer.h"
#include "ui/views/study/study/session_view.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

void push_key(Out& out, SpokenKey key)
{
    out.push(StudyStep{SpokenInput{key}});
}

double spoken_seconds(const SpokenSession& s, std::int64_t now_ms)
{
    const std::int64_t ms = s.stage == SpokenStage::speaking ? now_ms - s.started_ms : s.spoken_ms;
    return static_cast<double>(std::clamp<std::int64_t>(ms, 0, s.limit_ms)) / 1000;
}

class SpokenView final : public SessionView<SpokenSession>
{
public:
    Caption caption(const Frame& frame) const override;
    std::string title(const Frame&) const override { return "Spoken answer"; }
    std::vector<std::string> facts(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    void draw_start(Sheet& sheet, const StudyFrame& study, Out& out) override;
    void start_keys(const StudyFrame&, Out& out) override { press_keys(actions(nullptr, nullptr, out)); }
    void draw_session(const Frame& frame, const SpokenSession& s, const Painter& p, Rect area,
                      Out& out) override;
    void draw_over(const Frame& frame, const SpokenSession& s, const Painter& p, Rect area, Out& out) override
    {
        draw_session(frame, s, p, area, out);
    }
    void session_keys(const Frame& frame, const SpokenSession& s, Out& out) override;
    void leave(const Frame&, const SpokenSession&, Out& out) override { out.push(EndStudy{}); }

    // What can be done at this stage.
    static std::vector<KeyButton> actions(const SpokenSession* session, const Question* asked, Out& out);
    void draw_question(const Painter& p, Rect area, const StudyFrame& study, const SpokenSession& s,
                       Out& out);
    static void draw_clock(Sheet& sheet, const StudyFrame& study, const SpokenSession& s);
    void draw_points(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out);

    Points points_;
};

std::vector<KeyButton> SpokenView::actions(const SpokenSession* s, const Question* asked, Out& out)
{
    const auto start = [&out](double seconds) {
        return [&out, seconds] { out.push(StartSpoken{"", 0, seconds}); };
    };
    const auto key = [&out](SpokenKey which) { return [&out, which] { push_key(out, which); }; };
    constexpr auto kPrimary = ButtonStyle::primary;
    // The picture of what was spoken of, once nothing of it can be read off.
    const bool has_picture = asked != nullptr && find_view(asked->view) != nullptr;
    const KeyButton picture{has_picture ? "Show me###show" : "", "S", [&out] { out.push(ShowQuestion{}); },
                            has_picture ? ImGuiKey_S : ImGuiKey_None};
    if (s == nullptr)
    {
        return {{"60 seconds###60", "Enter", start(60), ImGuiKey_Enter, kPrimary},
                {"2 minutes###120", "2", start(120), ImGuiKey_2},
                {"5 minutes###300", "5", start(300), ImGuiKey_5},
                {"Mock interview###mock", "M", [&out] { out.push(OpenView{"mock"}); }, ImGuiKey_M}};
    }
    if (s->stage == SpokenStage::over)
    {
        const auto again = start(static_cast<double>(s->limit_ms) / 1000);
        return {{"Another one###again", "Enter", again, ImGuiKey_Enter, kPrimary},
                {"", "Space", again, ImGuiKey_Space},
                picture,
                {"Home###home", "Esc", [&out] { out.push(EndStudy{}); }}};
    }
    if (s->stage == SpokenStage::ticking)
    {
        return {{fmt::format("{}: {}###accept", name_of(s->grade()), rubric_name(s->grade())), "Enter",
                 key(SpokenKey::accept), ImGuiKey_Enter, kPrimary},
                picture,
                {"", "T", key(SpokenKey::teach), ImGuiKey_T}};
    }
    const bool runs = s->stage == SpokenStage::speaking;
    const auto clock = key(runs ? SpokenKey::stop : SpokenKey::start);
    return {
        {runs ? "I am done###clock" : "Start the clock###clock", "Space", clock, ImGuiKey_Space, kPrimary},
        {"", "Enter", clock, ImGuiKey_Enter}};
}

// The seconds left inside a ring that empties.
void SpokenView::draw_clock(Sheet& sheet, const StudyFrame& study, const SpokenSession& s)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
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
}

void SpokenView::draw_points(Sheet& sheet, const StudyFrame& study, const SpokenSession& s, Out& out)
{
    points_.set(s.points);
    if (points_.draw(sheet, points_of(*study.question)))
    {
        out.push(StudyStep{SpokenInput{TickPoint{points_.last()}}});
    }
    const bool all = points_.ticked() == static_cast<int>(s.points.size());
    if (all && toggle(sheet.p, sheet.row(36), "I could teach it (T)###teach", s.could_teach))
    {
        push_key(out, SpokenKey::teach);
    }
}

void SpokenView::draw_question(const Painter& p, Rect area, const StudyFrame& study, const SpokenSession& s,
                               Out& out)
{
    ScrolledSheet sheet(p, area, "###sheet", fmt::format("{} {}", s.card.seed, static_cast<int>(s.stage)));
    sheet.page_keys();
    const bool ticks = s.stage == SpokenStage::ticking;
    const bool over = s.stage == SpokenStage::over;
    if (over)
    {
        const auto made = std::count(s.points.begin(), s.points.end(), true);
        sheet->title(rubric_name(s.grade()));
        sheet->gap(6);
        sheet->say(fmt::format("**{} of {}** points in {}.", made, s.points.size(),
                               clock_words(static_cast<double>(s.spoken_ms) / 1000)));
        sheet->gap(16);
        draw_buttons(p, sheet->row(40), actions(&s, study.question, out));
        sheet->gap(20);
    }
    draw_stem(*sheet, *study.question, s.card.lead, ticks);
    if (ticks)
    {
        draw_points(*sheet, study, s, out);
    }
    else if (!over)
    {
        draw_clock(*sheet, study, s);
    }
    if (!over)
    {
        draw_buttons(sheet->p, sheet->row(44), actions(&s, study.question, out));
        sheet->gap(16);
    }
    if (ticks || over)
    {
        draw_solution(*sheet, *study.question);
    }
}

// What can be said, the least well known first: what went wrong, then what is new, then what is known.
void SpokenView::draw_start(Sheet& sheet, const StudyFrame& study, Out& out)
{
    sheet.say("Answer **out loud** against the clock, then tick the points you made. Nothing is recorded.");
    sheet.gap(12);
    draw_buttons(sheet.p, sheet.row(44), actions(nullptr, nullptr, out));
    sheet.gap(16);
    DeckFilter filter;
    filter.kind = KindGroup::recall;
    auto families = families_of(study.state(), filter);
    const auto place = [&](const FamilyInfo* family)
    {
        const Card& card = latest_card(*study.cards, *family);
        return card.reviews == 0 ? 1 : card.last == Grade::again ? 0 : 2;
    };
    std::ranges::stable_sort(families, {}, place);
    constexpr std::size_t kMost = 12;
    families.resize(std::min(families.size(), kMost));
    sheet.heading("Or choose one, 60 seconds");
    for (const FamilyInfo* family : families)
    {
        const Card& card = latest_card(*study.cards, *family);
        const StudyTopic* topic = find_topic(family->topic);
        const std::string words =
            fmt::format("**{}**  {}{}", family->title, topic == nullptr ? family->topic : topic->name,
                        card.reviews == 0 ? "" : fmt::format(", last time {}", name_of(card.last)));
        if (sheet.card({.label = "###say " + family->id, .words = words, .left = 16, .least = 40})
                .pressed.clicked)
        {
            out.push(StartSpoken{family->id, 0, 60});
        }
    }
}

void SpokenView::draw_session(const Frame& frame, const SpokenSession& s, const Painter& p, Rect area,
                              Out& out)
{
    if (frame.study->question == nullptr)
    {
        draw_no_question(p, area, *frame.study);
        return;
    }
    keep_keys();
    if (s.points.size() != points_.made().size() || s.stage != SpokenStage::ticking)
    {
        points_.reset(s.points.size());
    }
    draw_question(p, area, *frame.study, s, out);
}

Caption SpokenView::caption(const Frame& frame) const
{
    const SpokenSession* s = session_of(frame);
    const Question* q = frame.study->question;
    return {s == nullptr || q == nullptr
                ? "A spoken answer has **a claim, a number and a reason**."
                : fmt::format("**{}**: {} to make.", q->title, counted(std::ssize(s->points), "point")),
            "below half of the points: Again; below 80%: Hard; else Good", ""};
}

std::vector<std::string> SpokenView::facts(const Frame& frame) const
{
    const SpokenSession* s = session_of(frame);
    if (s == nullptr)
    {
        return {fmt::format("{} questions", frame.study->families.size())};
    }
    return {clock_words(spoken_seconds(*s, frame.study->now.ms)), "Esc leaves, nothing is lost"};
}

void SpokenView::session_keys(const Frame& frame, const SpokenSession& s, Out& out)
{
    if (s.stage == SpokenStage::ticking && points_.keys())
    {
        out.push(StudyStep{SpokenInput{TickPoint{points_.last()}}});
        return;
    }
    press_keys(actions(&s, frame.study->question, out));
}

ViewKeys SpokenView::keys()
{
    return {{"Enter", "A question for 60 seconds; take the grade; another one"},
            {"2 5", "A question for 2 or 5 minutes"},
            {"M", "Mock interview"},
            {"Space", "Start the clock, stop it; then tick a point"},
            {"\u2191 \u2193", "Move from point to point"},
            {"T", "I could teach it, where every point was made"},
            {"S", "Show me: the picture of the question, after the clock"},
            {"Esc", "Leave"}};
}

} // namespace

extern const ViewInfo spoken_view{
    50,
    "spoken",
    ViewGroup::study,
    "Mock interview", // a mode of it, under its tab
    "Spoken answer",
    "A question answered out loud against the clock, then judged by the points made",
    {},
    make_view<SpokenView>,
    {},
    ViewRole::spoken};

} // namespace ringside
