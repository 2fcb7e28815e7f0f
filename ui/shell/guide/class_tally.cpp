#include "ui/shell/guide/class_tally.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "core/study/lessons/class_guesses.h"
#include "core/study/lessons/demo_script.h"
#include "ui/draw/scopes.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/overlay.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kCells = 24;
constexpr double kNear = 0.1; // of the truth: what counts as close

constexpr std::array kQuestions{
    ClassQuestion{"memory.total_bytes", "How much memory does the peak-memory GPU need?", "GB", 1e-9},
    ClassQuestion{"memory.activations_bytes", "How much of that are activations?", "GB", 1e-9},
    ClassQuestion{"step.time_s", "How long is one step?", "s", 1},
    ClassQuestion{"step.mfu", "What fraction of the peak does it reach (MFU)?", "%", 100},
    ClassQuestion{"step.bubble_of_total", "What fraction of the time is bubble?", "%", 100},
    ClassQuestion{"step.tokens_per_s", "How many thousand tokens per second?", "k", 1e-3},
    ClassQuestion{"run.days", "How many days does the run take?", "days", 1},
    ClassQuestion{"run.cost_usd", "How many million dollars does it cost?", "M$", 1e-6},
    ClassQuestion{"model.parameters", "How many billion parameters does it have?", "B", 1e-9},
    ClassQuestion{"checkpoint.bytes", "How large is a checkpoint?", "GB", 1e-9}};

} // namespace

std::span<const ClassQuestion> class_questions()
{
    return kQuestions;
}

ClassTally::Asked ClassTally::asked(const Frame& frame) const
{
    if (frame.lesson != nullptr && !frame.lesson->state.finished && frame.lesson->step().predict &&
        !frame.lesson->step().predict->is_choice())
    {
        const Prediction& p = *frame.lesson->step().predict;
        return {p.question, p.unit, frame.lesson->planned().truth, true};
    }
    const ClassQuestion& q = kQuestions.at(question_);
    const Metric* metric = find_metric(q.metric);
    const double value = metric == nullptr ? 0 : metric->value(frame.now.scenario, frame.now.report);
    return {std::string(q.asks), std::string(q.unit), std::isfinite(value) ? value * q.scale : 0, false};
}

// Guesses are for one question: another scene or step begins anew.
void ClassTally::follow(const Frame& frame)
{
    const DemoScene* scene = frame.stage->at();
    const std::string now = frame.lesson != nullptr
                                ? fmt::format("{} {}", frame.lesson->lesson().id, frame.lesson->state.step)
                            : scene != nullptr ? fmt::format("scene {}", frame.stage->scene)
                                               : std::string();
    if (now == of_)
    {
        return;
    }
    of_ = now;
    guesses_.clear();
    fault_.clear();
    shown_ = false;
    const auto wanted = std::ranges::find_if(kQuestions, [&](const ClassQuestion& q)
                                             { return scene != nullptr && q.metric == scene->ask; });
    question_ =
        wanted == kQuestions.end() ? question_ : static_cast<std::size_t>(wanted - kQuestions.begin());
}

bool ClassTally::shown(const Frame& frame) const
{
    return asked(frame).of_lesson
               ? frame.lesson->state.record().locked_in || frame.lesson->state.record().skipped
               : shown_;
}

bool ClassTally::hides(const Frame& frame) const
{
    return frame.stage != nullptr && frame.stage->has(StageTool::guesses) && frame.lesson == nullptr &&
           !shown_;
}

void ClassTally::reveal(const Frame& frame, const Asked& asked, Out& out)
{
    if (!asked.of_lesson)
    {
        shown_ = !shown_;
        return;
    }
    if (!guesses_.empty() && frame.lesson->pending())
    {
        out.push(LessonInput{LessonMove::guess, median(guesses_)});
        out.push(LessonInput{LessonMove::lock_in});
    }
}

void ClassTally::draw_head(const Frame& frame, const Painter& p, Rect row, const Asked& asked)
{
    if (!asked.of_lesson)
    {
        const Rect next = row.cut_right(p.px(32));
        const Rect before = row.cut_right(p.px(32));
        const int step = (button(p, next, "\u203a###next question", {}, ButtonStyle::quiet) ? 1 : 0) -
                         (button(p, before, "\u2039###question before", {}, ButtonStyle::quiet) ? 1 : 0);
        if (step != 0)
        {
            const auto all = static_cast<int>(kQuestions.size());
            question_ = static_cast<std::size_t>((static_cast<int>(question_) + step + all) % all);
            guesses_.clear();
            shown_ = false;
        }
        row.cut_right(p.px(8));
    }
    const std::string asks = this->asked(frame).asks;
    const bool roomy = p.width(Type::body_strong, asks) <= row.w;
    p.text_within(row.x, row.middle(), row.w, roomy ? Type::body_strong : Type::small_strong, p.theme.text,
                  asks);
}

void ClassTally::draw_histogram(const Painter& p, Rect area, const Asked& asked, bool shown) const
{
    const Rect scale = area.cut_bottom(p.px(24));
    const GuessHistogram h = histogram(guesses_, shown ? std::optional(asked.truth) : std::nullopt, kCells);
    p.line(area.x, area.bottom(), area.right(), area.bottom(), p.theme.line);
    if (guesses_.empty())
    {
        p.text(area.centre(), area.middle(), Type::small, p.theme.muted, "No guesses yet", Align::centre);
    }
    const float wide = area.w / static_cast<float>(h.counts.size());
    const std::size_t most = std::max<std::size_t>(4, *std::ranges::max_element(h.counts));
    const float tall = (area.h - p.px(4)) / static_cast<float>(most);
    for (std::size_t i = 0; i < h.counts.size(); ++i)
    {
        const float high = tall * static_cast<float>(h.counts[i]);
        p.fill({area.x + wide * static_cast<float>(i) + 1, area.bottom() - high, wide - 2, high},
               p.theme.forward.fill, p.px(2));
    }
    if (guesses_.empty() && !shown)
    {
        return;
    }
    p.text(scale.x, scale.middle(), Type::mono_small, p.theme.muted, plain_number(h.from));
    p.text(scale.right(), scale.middle(), Type::mono_small, p.theme.muted,
           fmt::format("{}{}{}", plain_number(h.to()), asked.unit.empty() ? "" : " ", asked.unit),
           Align::right);
    if (shown)
    {
        const float x =
            area.x +
            area.w * static_cast<float>(std::clamp((asked.truth - h.from) / (h.to() - h.from), 0.0, 1.0));
        p.line(x, area.y, x, area.bottom(), p.theme.text, p.px(3));
        const std::string says = three_digits(asked.truth);
        const float w = p.width(Type::mono_small, says) + p.px(12);
        const Rect chip{std::clamp(x - w / 2, area.x, area.right() - w), area.y - p.px(2), w, p.px(24)};
        p.fill(chip, p.theme.text, p.px(4));
        p.text(chip.centre(), chip.middle(), Type::mono_small, p.theme.window, says, Align::centre);
    }
}

void ClassTally::draw_entry(const Painter& p, Rect row)
{
    ImGui::SetCursorScreenPos(row.min());
    ImGui::SetNextItemWidth(row.w);
    if (!open_ || (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0)))
    {
        ImGui::SetKeyboardFocusHere();
    }
    const FontScope font(p.look.fonts.of(Type::body));
    const bool empty = entry_.empty();
    const bool entered =
        ImGui::InputTextWithHint("###guess of the class", "Type what is called out, then Enter", &entry_,
                                 ImGuiInputTextFlags_EnterReturnsTrue);
    if (empty && ImGui::IsItemActive() && ImGui::IsKeyPressed(ImGuiKey_Backspace, false) && !guesses_.empty())
    {
        guesses_.pop_back();
    }
    if (!entered)
    {
        return;
    }
    const auto read = read_guesses(entry_);
    fault_ = read ? "" : read.issues().front().message + ": " + read.issues().front().hint;
    if (read)
    {
        guesses_.insert(guesses_.end(), read->begin(), read->end());
        guesses_.resize(std::min(guesses_.size(), kMostGuesses));
        entry_.clear();
    }
}

std::string ClassTally::foot_words(const Asked& asked, bool shown) const
{
    const std::string unit = asked.unit.empty() ? "" : " " + asked.unit;
    return !fault_.empty()    ? fault_
           : guesses_.empty() ? "Backspace takes the last one back, Ctrl G closes"
           : shown ? fmt::format("{} of {} within 10%; median {}{}", within(guesses_, asked.truth, kNear),
                                 guesses_.size(), three_digits(median(guesses_)), unit)
                   : fmt::format("{} guess{}, median {}{}", guesses_.size(), guesses_.size() == 1 ? "" : "es",
                                 three_digits(median(guesses_)), unit);
}

void ClassTally::draw(const Frame& frame, const Painter& painter, Out& out)
{
    const bool on = frame.stage != nullptr && frame.stage->has(StageTool::guesses);
    if (!on)
    {
        open_ = false;
        shown_ = false;
        return;
    }
    follow(frame);
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float margin = painter.px(16);
    const ImVec2 size{std::min(painter.px(480), display.x - 2 * margin),
                      std::min(painter.px(300), display.y - 2 * margin)};
    ImGui::SetNextWindowPos({display.x - size.x - margin, display.y - size.y - painter.px(48) - margin});
    ImGui::SetNextWindowSize(size);
    push_overlay_style(painter);
    ImGui::Begin("###guesses", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const Asked question = asked(frame);
    const bool truth = shown(frame);
    Rect area =
        Rect{display.x - size.x - margin, display.y - size.y - painter.px(48) - margin, size.x, size.y}.inset(
            p.px(16));
    draw_head(frame, p, area.cut_top(p.px(32)), question);
    const Rect foot = area.cut_bottom(p.px(28));
    Rect entry = area.cut_bottom(p.px(40));
    area.cut_bottom(p.px(8));
    const Rect show = entry.cut_right(p.px(132));
    entry.cut_right(p.px(12));
    const bool can = !question.of_lesson || (!guesses_.empty() && frame.lesson->pending());
    if (can && button(p, {show.x, show.y, show.w, p.px(32)},
                      question.of_lesson ? "Lock in median###reveal"
                      : truth            ? "Hide###reveal"
                                         : "Reveal###reveal",
                      {}, ButtonStyle::primary))
    {
        reveal(frame, question, out);
    }
    draw_histogram(p, area, question, truth);
    draw_entry(p, entry);
    p.text_within(foot.x, foot.middle(), foot.w, Type::small,
                  fault_.empty() ? p.theme.muted : p.theme.warning, foot_words(question, truth));
    ImGui::End();
    pop_overlay_style();
    // While a guess is typed, the window's keys wait.
    if (open_ && ImGui::GetIO().WantTextInput && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_G))
    {
        out.push(TurnTool{StageTool::guesses});
    }
    open_ = true;
}

} // namespace ringside
