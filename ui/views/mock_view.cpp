// How would an interview go: questions against the clock, no verdict before the end, a scorecard after it.
#include <fmt/format.h>

#include "ui/views/drill/head.h"
#include "ui/views/drill/start.h"
#include "ui/views/drill/words.h"
#include "ui/views/mock/places.h"
#include "ui/views/mock/question.h"
#include "ui/views/mock/scorecard.h"
#include "ui/views/study/panel.h"
#include "ui/views/study/popups.h"

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

void push_key(Out& out, MockKey key)
{
    out.push(StudyStep{MockInput{key}});
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
    void keys(const Frame& frame, Out& out) override;
    void typing_keys(const Frame& frame, Out& out) override;

private:
    void draw_idle(Sheet& sheet, const StudyFrame& study, Out& out) const;
    void draw_running(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out);
    void draw_over(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out);
    static void keys_idle(const StudyFrame& study, Out& out);
    void keys_over(const MockSession& mock, Out& out);
    static void leave(const MockSession& mock, Out& out);

    MockQuestion question_;
    StudyPopups home_popups_;
    ScrolledSheet scrolled_;
    bool reading_ = false; // one question of a scorecard
};

constexpr std::array<std::string_view, 4> kSays{"a warm-up: a handful of questions",
                                                "what one deep question may take in all", "an interview",
                                                "an interview and its follow-ups"};

void MockView::draw_idle(Sheet& sheet, const StudyFrame& study, Out& out) const
{
    if (draw_no_questions(sheet, study))
    {
        return;
    }
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    sheet.words(Type::body, Type::body_strong, t.text,
                "Five questions in a row are **two by heart, two computed, one designed**; some are followed "
                "up with other "
                "numbers. Nothing is judged before the end.");
    sheet.gap(16);
    for (std::size_t i = 0; i < kMockMinutes.size(); ++i)
    {
        const Rect r = sheet.row(64);
        const std::string name = fmt::format("{} minutes", kMockMinutes[i]);
        const Press pressed = press(p, r, fmt::format("{}###mock {}", name, kMockMinutes[i]).c_str(), 8);
        p.card(r, false, pressed.hovered);
        const Rect cap = p.keycap(r.x + p.px(16), r.middle(), std::to_string(i + 1));
        const float x = cap.right() + p.px(16);
        const float used = std::max(p.px(140), p.width(Type::body_strong, name) + p.px(20));
        p.text(x, r.middle(), Type::body_strong, t.text, name);
        p.text_within(x + used, r.middle(), r.right() - x - used - p.px(12), Type::small, t.muted, kSays[i]);
        if (pressed.clicked)
        {
            out.push(StartMock{kMockMinutes[i], ""});
        }
        sheet.gap(10);
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
    const Rect row = area.cut_bottom(p.px(40));
    area.cut_bottom(p.px(8));
    const std::array buttons{KeyButton{"Home###home", "Esc", true},
                             KeyButton{"Export as Markdown###export", "X"}};
    const auto pressed = draw_buttons(p, row, buttons);
    if (pressed == 0U)
    {
        out.push(EndStudy{});
    }
    else if (pressed)
    {
        out.push(ExportStudy{StudyExport::scorecard});
    }
    scrolled_.draw(p, area, "scorecard",
                   [&](Sheet& sheet)
                   {
                       if (const auto row_pressed = draw_scorecard(sheet, *frame.study, mock))
                       {
                           out.push(StudyStep{MockInput{GoToInput{*row_pressed}}});
                           reading_ = true;
                       }
                   });
}

void MockView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const MockSession* mock = mock_of(frame);
    reading_ = reading_ && mock != nullptr && mock->stage == MockStage::over;
    if (mock == nullptr)
    {
        scrolled_.draw(p, area, "start", [&](Sheet& sheet) { draw_idle(sheet, *frame.study, out); });
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
    const StudyPanelEvent event = draw_study_panel(p, area, *frame.study);
    if (event.interview || event.skills)
    {
        home_popups_.open(event.interview ? StudyPopups::Which::interview : StudyPopups::Which::skills);
        out.animating = true;
    }
    return true;
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
            fmt::format("seed {}", mock->seed), ""};
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
                                              : "time is up",
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

void MockView::keys_idle(const StudyFrame& study, Out& out)
{
    for (std::size_t i = 0; i < kMockMinutes.size() && !study.families.empty(); ++i)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), false))
        {
            out.push(StartMock{kMockMinutes[i], ""});
        }
    }
}

void MockView::keys_over(const MockSession& mock, Out& out)
{
    if (reading_ && question_.letters(mock, out))
    {
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_X, false))
    {
        out.push(ExportStudy{StudyExport::scorecard});
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) || ImGui::IsKeyPressed(ImGuiKey_Enter, false))
    {
        reading_ ? void(reading_ = false) : out.push(EndStudy{});
        out.animating = true;
    }
}

void MockView::keys(const Frame& frame, Out& out)
{
    const MockSession* mock = mock_of(frame);
    if (mock == nullptr)
    {
        keys_idle(*frame.study, out);
    }
    else if (mock->stage == MockStage::over)
    {
        keys_over(*mock, out);
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

constexpr std::array kKeys{KeyHelp{"Enter", "Answer, or take what was said as said"},
                           KeyHelp{"Tab", "Skip it, and come back later"},
                           KeyHelp{"N P", "Next and previous question; with Alt while typing"},
                           KeyHelp{"F", "Finish early"},
                           KeyHelp{"T", "Pause the clock"},
                           KeyHelp{"Space", "At the end: tick a point you made"},
                           KeyHelp{"X", "Export the scorecard"},
                           KeyHelp{"Esc", "Leave; the clock waits"}};

} // namespace

extern const ViewInfo mock_view;
const ViewInfo mock_view{92,
                         "mock",
                         "Study",
                         "Mock",
                         "How would an interview go?",
                         "A mock interview of 5 to 60 minutes, with follow-ups and a scorecard",
                         {},
                         kKeys,
                         [] { return std::unique_ptr<View>(std::make_unique<MockView>()); }};

} // namespace ringside
