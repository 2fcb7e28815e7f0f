// How would an interview go: questions against the clock, no verdict before the end, a scorecard after it.
#include <fmt/format.h>

#include "ui/shell/study_frame.h"
#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/mock/parts.h"
#include "ui/views/study/study/parts.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

const MockSession* mock_of(const Frame& frame)
{
    return std::get_if<MockSession>(frame.study->session);
}

class MockView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    std::string title(const Frame& frame) const override;
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void on_keys(const Frame& frame, Out& out) override;
    void typing_keys(const Frame& frame, Out& out) override;

private:
    static void draw_idle(const Painter& p, Rect area, Out& out);
    void draw_running(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out);
    void draw_over(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out);
    void keys_over(const StudyFrame& study, const MockSession& mock, Out& out);
    static void leave(const MockSession& mock, Out& out);

    MockQuestion question_;
    StudyPopups home_popups_;
    bool reading_ = false; // one question of a scorecard
};

void MockView::draw_idle(const Painter& p, Rect area, Out& out)
{
    ScrolledSheet sheet(p, area, "###start");
    sheet->say("Five questions in a row are **two recall, two calculation, one design**; some are followed "
               "up with other numbers. Nothing is judged before the end.");
    sheet->gap(16);
    for (std::size_t i = 0; i < kMockMinutes.size(); ++i)
    {
        const std::string says = fmt::format("**{} minutes**  {}", kMockMinutes[i], mock_words(i));
        const DrawnCard card = sheet->card({.label = fmt::format("###mock {}", kMockMinutes[i]),
                                            .words = says,
                                            .left = 56,
                                            .least = 60,
                                            .gap = 10});
        sheet->p.keycap(card.r.x + p.px(16), card.r.middle(), std::to_string(i + 1));
        if (card.pressed.clicked)
        {
            out.push(StartMock{kMockMinutes[i], ""});
        }
    }
}

void MockView::draw_running(const Frame& frame, const MockSession& mock, const Painter& p, Rect area,
                            Out& out)
{
    const Rect row = area.cut_top(p.px(36));
    if (const auto place = draw_places(p, row, mock))
    {
        out.push(StudyStep{MockInput{GoToInput{*place}}});
    }
    area.cut_top(p.px(8));
    if (question_.draw(frame, mock, p, area, out))
    {
        reading_ = false;
        out.animating = true;
    }
}

void MockView::draw_over(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out)
{
    area.cut_bottom(p.px(8));
    const auto wrong = wrong_in(mock);
    const std::array buttons{
        KeyButton{wrong.empty() ? "" : "Practise these###wrong", "W",
                  [&] { out.push(drill_on(*frame.study, wrong)); }},
        KeyButton{"Home###home", "Esc", [&] { out.push(EndStudy{}); }, ImGuiKey_None, ButtonStyle::primary},
        KeyButton{"Export as Markdown###export", "X",
                  [&] { out.push(ExportStudy{StudyExport::scorecard}); }}};
    draw_buttons(p, area.cut_bottom(p.px(40)), buttons);
    area.cut_bottom(p.px(8));
    ScrolledSheet sheet(p, area, "###scorecard");
    sheet.page_keys();
    if (const auto row = draw_scorecard(*sheet, *frame.study, mock))
    {
        out.push(StudyStep{MockInput{GoToInput{*row}}});
        reading_ = true;
    }
}

void MockView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const MockSession* mock = mock_of(frame);
    reading_ = reading_ && mock != nullptr && mock->stage == MockStage::over;
    if (mock == nullptr)
    {
        draw_no_questions(p, area, *frame.study) ? void() : draw_idle(p, area, out);
    }
    else if (mock->stage == MockStage::over && !reading_)
    {
        draw_over(frame, *mock, p, area, out);
    }
    else
    {
        draw_running(frame, *mock, p, area, out);
    }
    home_popups_.draw(frame, p, out);
}

bool MockView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const MockSession* mock = mock_of(frame);
    if (mock != nullptr && !mock->items.empty())
    {
        if (const auto place = draw_mock_panel(p, area, *mock))
        {
            out.push(StudyStep{MockInput{GoToInput{*place}}});
            reading_ = mock->stage == MockStage::over;
        }
        return true;
    }
    return home_popups_.draw_panel(frame, p, area, out);
}

std::string MockView::title(const Frame& frame) const
{
    const MockSession* mock = mock_of(frame);
    return mock == nullptr                     ? "How would an interview go?"
           : mock->stage == MockStage::running ? fmt::format("Mock interview, {} minutes", mock->minutes)
           : mock->stage == MockStage::judging ? "How did you do?"
                                               : "Scorecard";
}

Caption MockView::caption(const Frame& frame) const
{
    const MockSession* mock = mock_of(frame);
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
            "practise what went wrong, or press a row for its answer and solution", ""};
}

std::vector<std::string> MockView::facts(const Frame& frame) const
{
    const MockSession* mock = mock_of(frame);
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

void MockView::leave(const MockSession& mock, Out& out)
{
    if (mock.stage == MockStage::running && !mock.paused)
    {
        push_key(out, MockKey::pause);
    }
    out.push(OpenView{"study"});
}

void MockView::keys_over(const StudyFrame& study, const MockSession& mock, Out& out)
{
    if (reading_ && question_.letters(mock, out))
    {
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_X, false))
    {
        out.push(ExportStudy{StudyExport::scorecard});
    }
    if (const auto wrong = wrong_in(mock); ImGui::IsKeyPressed(ImGuiKey_W, false) && !wrong.empty())
    {
        out.push(drill_on(study, wrong));
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) || ImGui::IsKeyPressed(ImGuiKey_Enter, false))
    {
        reading_ ? void(reading_ = false) : out.push(EndStudy{});
        out.animating = true;
    }
}

void MockView::on_keys(const Frame& frame, Out& out)
{
    const MockSession* mock = mock_of(frame);
    const auto digit = mock == nullptr ? digit_pressed(kMockMinutes.size()) : std::nullopt;
    if (digit && !frame.study->families.empty())
    {
        out.push(StartMock{kMockMinutes[*digit], ""});
    }
    else if (mock == nullptr)
    {
        return;
    }
    else if (mock->stage == MockStage::over)
    {
        keys_over(*frame.study, *mock, out);
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        leave(*mock, out);
    }
    else
    {
        question_.keys(frame, *mock, out);
    }
}

void MockView::typing_keys(const Frame& frame, Out& out)
{
    const MockSession* mock = mock_of(frame);
    if (mock == nullptr || mock->stage == MockStage::over)
    {
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        leave(*mock, out);
    }
    else
    {
        question_.typing_keys(frame, *mock, out);
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
            {"W", "At the end: practise what went wrong"},
            {"X", "Export the scorecard"},
            {"Esc", "Leave; the clock waits"}};
}

} // namespace

extern const ViewInfo mock_view;
const ViewInfo mock_view{45,
                         "mock",
                         "Study",
                         "Mock interview",
                         "Mock interview",
                         "A mock interview of 5 to 60 minutes, with follow-ups and a scorecard",
                         {},
                         [] { return std::unique_ptr<View>(std::make_unique<MockView>()); },
                         {},
                         ViewRole::mock};

} // namespace ringside
