// How would an interview go: questions against the clock, no verdict before the end, a scorecard after it.
#include <fmt/format.h>

#include "ui/views/study/drill/session.h"
#include "ui/views/study/mock/parts.h"
#include "ui/views/study/study/session_view.h"

#include <algorithm>

namespace ringside
{

namespace
{

class MockView final : public SessionView<MockSession>
{
public:
    Caption caption(const Frame& frame) const override;
    std::string title(const Frame& frame) const override;
    std::vector<std::string> facts(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    void draw_start(Sheet& sheet, const StudyFrame& study, Out& out) override;
    void start_keys(const StudyFrame& study, Out& out) override;
    void draw_session(const Frame& frame, const MockSession& mock, const Painter& p, Rect area,
                      Out& out) override;
    void draw_over(const Frame& frame, const MockSession& mock, const Painter& p, Rect area,
                   Out& out) override;
    bool draw_session_panel(const Frame& frame, const MockSession& mock, const Painter& p, Rect area,
                            Out& out) override;
    void session_keys(const Frame& frame, const MockSession& mock, Out& out) override;
    void session_typing(const Frame& frame, const MockSession& mock, Out& out) override
    {
        question_.typing_keys(frame, mock, out);
    }
    void leave(const Frame& frame, const MockSession& mock, Out& out) override;
    // What a scorecard offers.
    static std::vector<KeyButton> ways_on(const StudyFrame& study, const MockSession& mock, Out& out);
    void read(std::size_t item, Out& out);

    MockQuestion question_;
    bool reading_ = false; // one question of a scorecard
};

void MockView::draw_start(Sheet& sheet, const StudyFrame&, Out& out)
{
    sheet.say("Five questions in a row are **two recall, two calculation, one design**; some are followed "
              "up with other numbers. Nothing is judged before the end.");
    sheet.gap(16);
    for (std::size_t i = 0; i < kMockMinutes.size(); ++i)
    {
        const std::string says = fmt::format("**{} minutes**  {}", kMockMinutes[i], mock_words(i));
        const DrawnCard card = sheet.card({.label = fmt::format("###mock {}", kMockMinutes[i]),
                                           .words = says,
                                           .left = 56,
                                           .least = 60,
                                           .gap = 10});
        sheet.p.keycap(card.r.x + sheet.p.px(16), card.r.middle(), std::to_string(i + 1));
        if (card.pressed.clicked)
        {
            out.push(StartMock{kMockMinutes[i], ""});
        }
    }
    const DrawnCard aloud =
        sheet.card({.label = "###aloud",
                    .words = "**Spoken answer**  one question out loud, then the points a good answer makes",
                    .left = 56,
                    .least = 60,
                    .gap = 10});
    sheet.p.keycap(aloud.r.x + sheet.p.px(16), aloud.r.middle(), std::to_string(kMockMinutes.size() + 1));
    if (aloud.pressed.clicked)
    {
        out.push(OpenView{"spoken"});
    }
}

void MockView::start_keys(const StudyFrame&, Out& out)
{
    const auto digit = digit_pressed(kMockMinutes.size() + 1);
    if (digit && *digit < kMockMinutes.size())
    {
        out.push(StartMock{kMockMinutes[*digit], ""});
    }
    else if (digit)
    {
        out.push(OpenView{"spoken"});
    }
}

void MockView::draw_session(const Frame& frame, const MockSession& mock, const Painter& p, Rect area,
                            Out& out)
{
    const bool closed = question_.draw(frame, mock, p, area, out);
    reading_ = reading_ && is_over(mock) && !closed;
    out.animating = out.animating || closed;
}

void MockView::read(std::size_t item, Out& out)
{
    out.push(StudyStep{MockInput{GoToInput{item}}});
    reading_ = true;
}

std::vector<KeyButton> MockView::ways_on(const StudyFrame& study, const MockSession& mock, Out& out)
{
    const auto wrong = wrong_in(mock);
    const auto home = [&out] { out.push(EndStudy{}); };
    return {{wrong.empty() ? "" : "Practice these###wrong", "W",
             [&study, &out, wrong] { out.push(drill_on(study, wrong)); },
             wrong.empty() ? ImGuiKey_None : ImGuiKey_W},
            {"Home###home", "Esc", home, ImGuiKey_Enter, ButtonStyle::primary},
            {"Export as Markdown###export", "X", [&out] { out.push(ExportStudy{StudyExport::scorecard}); },
             ImGuiKey_X}};
}

void MockView::draw_over(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out)
{
    if (reading_)
    {
        draw_session(frame, mock, p, area, out);
        return;
    }
    area.cut_bottom(p.px(8));
    draw_buttons(p, area.cut_bottom(p.px(40)), ways_on(*frame.study, mock, out));
    area.cut_bottom(p.px(8));
    ScrolledSheet sheet(p, area, "###scorecard");
    sheet.page_keys();
    if (const auto row = draw_scorecard(*sheet, *frame.study, mock))
    {
        read(*row, out);
    }
}

bool MockView::draw_session_panel(const Frame&, const MockSession& mock, const Painter& p, Rect area,
                                  Out& out)
{
    if (mock.items.empty())
    {
        return false;
    }
    if (const auto place = draw_mock_panel(p, area, mock))
    {
        read(*place, out);
    }
    return true;
}

std::string MockView::title(const Frame& frame) const
{
    const MockSession* mock = session_of(frame);
    return mock == nullptr                     ? ""
           : mock->stage == MockStage::running ? fmt::format("Mock interview, {} minutes", mock->minutes)
           : mock->stage == MockStage::judging ? "How did you do?"
                                               : "Scorecard";
}

Caption MockView::caption(const Frame& frame) const
{
    const MockSession* mock = session_of(frame);
    const StudyFrame& study = *frame.study;
    if (mock == nullptr)
    {
        return {fmt::format("**{} questions** to choose from.", study.families.size()),
                "skip and come back as you like; the clock stops only when paused", ""};
    }
    const auto answered =
        std::count_if(mock->items.begin(), mock->items.end(), [](const MockItem& i) { return i.answered(); });
    if (mock->stage == MockStage::running)
    {
        const std::string reading = study.unread.empty() ? "" : "not read: " + study.unread;
        return {fmt::format("**{} of {}** answered. Verdicts come at the end.", answered, mock->items.size()),
                reading, ""};
    }
    const auto open = std::count_if(mock->items.begin(), mock->items.end(),
                                    [](const MockItem& i) { return i.answered() && !i.grade; });
    if (mock->stage == MockStage::judging)
    {
        return {open > 0 ? fmt::format("Judge what you said: **{}** to go.", open)
                         : std::string("Everything is **judged**."),
                "", ""};
    }
    return {fmt::format("Passed **{} of {}**.", passed_in(*mock), mock->items.size()),
            "practice what went wrong, or press a row for its answer and solution", ""};
}

std::vector<std::string> MockView::facts(const Frame& frame) const
{
    const MockSession* mock = session_of(frame);
    if (mock == nullptr || mock->stage == MockStage::over)
    {
        return {fmt::format("{} questions", frame.study->families.size())};
    }
    const std::string left = clock_words(static_cast<double>(mock->left_ms()) / 1000);
    return {fmt::format("Question {} of {}", mock->at + 1, mock->items.size()),
            mock->stage == MockStage::running ? (mock->paused ? "paused, " : "") + left + " left"
            : mock->left_ms() <= 0            ? "time is up"
                                              : left + " were left",
            "Esc leaves, nothing is lost"};
}

// Home; an interview that is on waits, and one question of a scorecard leads back to that.
void MockView::leave(const Frame&, const MockSession& mock, Out& out)
{
    if (is_over(mock))
    {
        reading_ ? void() : out.push(EndStudy{});
        out.animating = true;
        reading_ = false;
        return;
    }
    if (mock.stage == MockStage::running && !mock.paused)
    {
        push_key(out, MockKey::pause);
    }
    out.push(OpenView{"study"});
}

void MockView::session_keys(const Frame& frame, const MockSession& mock, Out& out)
{
    if (!is_over(mock))
    {
        question_.keys(frame, mock, out);
    }
    else if (reading_ && enter_pressed(false))
    {
        leave(frame, mock, out);
    }
    else if (!reading_ || !question_.letters(mock, out))
    {
        press_keys(ways_on(*frame.study, mock, out));
    }
}

ViewKeys MockView::keys()
{
    return {{"Enter", "Answer, or take what was said as said; after the last one, finish"},
            {"Tab", "Skip it, and come back later"},
            {"N P", "Next and previous question; with Alt while typing"},
            {"F", "Finish early"},
            {"T", "Pause the clock"},
            {"Space", "At the end: tick a point you made"},
            {"W", "At the end: practice what went wrong"},
            {"X", "Export the scorecard"},
            {"1 to 5", "Before it starts: its length, or a spoken answer"},
            {"Esc", "Leave; the clock waits"}};
}

} // namespace

extern const ViewInfo mock_view{40,
                                "mock",
                                ViewGroup::study,
                                "Mock interview",
                                "Mock interview",
                                "A mock interview of 5 to 60 minutes, with follow-ups and a scorecard",
                                {},
                                make_view<MockView>,
                                {},
                                ViewRole::mock};

} // namespace ringside
