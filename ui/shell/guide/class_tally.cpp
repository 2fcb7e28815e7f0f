#include "ui/shell/guide/class_tally.h"

#include <fmt/format.h>

#include "core/study/lessons/class_guesses.h"
#include "core/study/lessons/demo_script.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/frame/stage_frame.h"
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

constexpr float kStrip = 116;  // height [design px]
constexpr float kNarrow = 620; // [design px] below it the histogram stands under the question
constexpr float kBars = 92;    // height of the histogram there [design px]
constexpr float kTurns = 64;   // width of what turns to another question [design px]
constexpr float kWords = 96;   // height of the question, its field and how it stands [design px]

std::optional<double> class_number(const Frame& frame, const ClassQuestion& question)
{
    const Metric* metric = find_metric(question.metric);
    const double value = metric == nullptr ? 0 : metric->value(frame.now.scenario, *frame.now.report);
    return std::isfinite(value) ? std::optional(value * question.scale) : std::nullopt;
}

std::optional<std::size_t> question_about(std::string_view metric)
{
    const auto all = class_questions();
    const auto found = std::ranges::find(all, metric, &ClassQuestion::metric);
    return found == all.end() ? std::nullopt : std::optional<std::size_t>(found - all.begin());
}

// The question of the view on show, unless its number is nothing there: a dense model sends no tokens to
// experts.
std::optional<std::size_t> first_question(const Frame& frame)
{
    const auto question = question_about(class_metric(frame.view));
    return question && class_number(frame, class_questions()[*question]).value_or(0) > 0 ? question
                                                                                         : std::nullopt;
}

std::string guess_text(double value, std::string_view unit)
{
    return fmt::format("{}{}{}", three_digits(value), unit.empty() || unit == "%" ? "" : " ", unit);
}

} // namespace

bool ClassTally::asks(const Frame& frame)
{
    return frame.stage != nullptr && frame.stage->has(StageTool::guesses);
}

float ClassTally::height(const Frame& frame, float wide)
{
    return !asks(frame) ? 0 : wide < kNarrow ? kStrip + kBars : kStrip;
}

ClassTally::Asked ClassTally::asked(const Frame& frame) const
{
    if (frame.lesson != nullptr && !frame.lesson->state.finished && frame.lesson->step().predict &&
        !frame.lesson->step().predict->is_choice())
    {
        const Prediction& p = *frame.lesson->step().predict;
        return {p.question, {p.unit, p.step}, frame.lesson->planned().truth, true};
    }
    if (!question_)
    {
        return {"Ask your own question, out loud", {}, std::nullopt, false};
    }
    const ClassQuestion& q = class_questions()[*question_];
    return {std::string(q.asks), {q.unit, 1}, class_number(frame, q), false};
}

// Guesses are for one question: another scene or step begins anew, and another view unless there are some
// that wait for their truth.
void ClassTally::follow(const Frame& frame)
{
    const DemoScene* scene = frame.stage->at();
    const bool of_view = frame.lesson == nullptr && scene == nullptr;
    const std::string now = frame.lesson != nullptr
                                ? fmt::format("{} {}", frame.lesson->lesson().id, frame.lesson->state.step)
                            : scene != nullptr ? fmt::format("scene {}", frame.stage->scene)
                                               : "view " + frame.view;
    if (now == of_ || (of_view && open_ && of_.starts_with("view ") && !guesses_.empty() && !shown_))
    {
        return;
    }
    of_ = now;
    guesses_.clear();
    fault_.clear();
    field_.set("");
    shown_ = false;
    const auto wanted = scene == nullptr ? std::nullopt : question_about(scene->ask);
    question_ = wanted ? wanted : first_question(frame);
}

bool ClassTally::shown(const Frame& frame) const
{
    return asked(frame).of_lesson
               ? frame.lesson->state.record().locked_in || frame.lesson->state.record().skipped
               : shown_;
}

bool ClassTally::hides(const Frame& frame) const
{
    return asks(frame) && frame.lesson == nullptr && !shown_ && asked(frame).truth;
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

// Through all questions, and the one that is said aloud.
void ClassTally::turn(int by)
{
    const auto aloud = static_cast<int>(class_questions().size());
    const int now = question_ ? static_cast<int>(*question_) : aloud;
    const int next = (now + by + aloud + 1) % (aloud + 1);
    question_ = next == aloud ? std::nullopt : std::optional(static_cast<std::size_t>(next));
    guesses_.clear();
    fault_.clear();
    shown_ = false;
    field_.set("");
}

void ClassTally::draw_head(const Painter& p, Rect row, const Asked& asked)
{
    if (!asked.of_lesson)
    {
        const Rect next = row.cut_right(p.px(28));
        const Rect before = row.cut_right(p.px(28));
        const int step = (button(p, next, "\u203a###next question", {}, ButtonStyle::quiet) ? 1 : 0) -
                         (button(p, before, "\u2039###question before", {}, ButtonStyle::quiet) ? 1 : 0);
        if (step != 0)
        {
            turn(step);
        }
        row.cut_right(p.px(8));
    }
    const bool roomy = p.width(Type::body_strong, asked.asks) <= row.w;
    p.text_within(row.x, row.middle(), row.w, roomy ? Type::body_strong : Type::small_strong, p.theme.text,
                  asked.asks);
}

void ClassTally::draw_histogram(const Painter& p, Rect area, const Asked& asked, bool shown) const
{
    const Rect scale = area.cut_bottom(p.px(24));
    shown = shown && asked.truth;
    const GuessHistogram h = histogram(guesses_, shown ? asked.truth : std::nullopt, kCells);
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
    p.text(
        scale.right(), scale.middle(), Type::mono_small, p.theme.muted,
        fmt::format("{}{}{}", plain_number(h.to()), asked.answer.unit.empty() ? "" : " ", asked.answer.unit),
        Align::right);
    if (shown)
    {
        const float x =
            area.x +
            area.w * static_cast<float>(std::clamp((*asked.truth - h.from) / (h.to() - h.from), 0.0, 1.0));
        p.line(x, area.y, x, area.bottom(), p.theme.text, p.px(3));
        const std::string says = three_digits(*asked.truth);
        const float w = p.width(Type::mono_small, says) + p.px(12);
        const Rect chip{std::clamp(x - w / 2, area.x, area.right() - w), area.y - p.px(2), w, p.px(24)};
        p.fill(chip, p.theme.text, p.px(4));
        p.text(chip.centre(), chip.middle(), Type::mono_small, p.theme.window, says, Align::centre);
    }
}

void ClassTally::draw_entry(const Painter& p, Rect row, const Asked& asked, Out& out)
{
    if (!open_)
    {
        field_.focus();
    }
    const std::string before = field_.text();
    const bool nothing = before.empty() && field_.has_keyboard();
    const std::vector<std::string> units = units_to_offer(asked.answer);
    const bool entered = field_.draw(
        p, row,
        {.id = "###guess of the class", .hint = "Type what is called out, then Enter", .units = units},
        out.animating);
    if (nothing && ImGui::IsKeyPressed(ImGuiKey_Backspace, false) && !guesses_.empty())
    {
        guesses_.pop_back();
    }
    fault_ = field_.text() == before ? fault_ : "";
    if (!entered)
    {
        return;
    }
    const auto read = read_metric_answers(field_.text(), asked.answer);
    fault_ = read ? "" : read.issues().front().message + ": " + read.issues().front().hint;
    if (!read)
    {
        field_.select();
        return;
    }
    guesses_.insert(guesses_.end(), read->begin(), read->end());
    guesses_.resize(std::min(guesses_.size(), kMostGuesses));
    field_.set("");
}

std::string ClassTally::foot_words(const Asked& asked, bool shown) const
{
    if (!fault_.empty() || guesses_.empty())
    {
        return fault_.empty() ? "Backspace takes the last one back, Ctrl G closes" : fault_;
    }
    const std::string middle = guess_text(median(guesses_), asked.answer.unit);
    return shown && asked.truth ? fmt::format("{} of {} within 10%; median {}",
                                              within(guesses_, *asked.truth, kNear), guesses_.size(), middle)
                                : fmt::format("{} guess{}, last {}, median {}", guesses_.size(),
                                              guesses_.size() == 1 ? "" : "es",
                                              guess_text(guesses_.back(), asked.answer.unit), middle);
}

// The field, what shows the truth, and below them how the guesses stand.
void ClassTally::draw_answer(const Frame& frame, const Painter& p, Rect area, const Asked& asked, Out& out)
{
    const bool truth = shown(frame);
    const Rect foot = area.cut_bottom(p.px(24));
    area.cut_top(p.px(4));
    area.cut_bottom(p.px(4));
    const bool can = asked.of_lesson ? !guesses_.empty() && frame.lesson->pending() : asked.truth.has_value();
    if (can)
    {
        const Rect show = area.cut_right(std::min(area.w / 2, p.px(132)));
        area.cut_right(p.px(12));
        const char* label = asked.of_lesson ? "Lock in median###reveal"
                            : truth         ? "Hide###reveal"
                                            : "Reveal###reveal";
        if (button(p, show, label, {}, ButtonStyle::primary))
        {
            reveal(frame, asked, out);
        }
    }
    draw_entry(p, area, asked, out);
    p.text_within(foot.x, foot.middle(), foot.w, Type::small,
                  fault_.empty() ? p.theme.muted : p.theme.warning, foot_words(asked, truth));
}

void ClassTally::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (!asks(frame))
    {
        open_ = shown_ = false;
        return;
    }
    follow(frame);
    ImGui::SetNextWindowPos(area.min());
    ImGui::SetNextWindowSize({area.w, area.h});
    push_overlay_style(painter);
    ImGui::Begin("###guesses", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const Asked question = asked(frame);
    const bool narrow = area.w < p.px(kNarrow);
    Rect words = area.inset(p.px(10));
    const float under = std::clamp(words.h - p.px(kWords), 0.0F, p.px(kBars));
    Rect bars = narrow ? words.cut_bottom(under) : words.cut_right(words.w * 0.42F);
    narrow ? words.cut_bottom(p.px(4)) : words.cut_right(p.px(24));
    bars.cut_top(p.px(8));
    Rect head = words.cut_top(p.px(28));
    if (!narrow && p.width(Type::small_strong, question.asks) > head.w - p.px(kTurns))
    {
        head.w = bars.right() - head.x; // a long question is above both
        bars.cut_top(head.h);
    }
    draw_head(p, head, question);
    draw_answer(frame, p, words, question, out);
    if (bars.h > p.px(40))
    {
        draw_histogram(p, bars, question, shown(frame));
    }
    ImGui::End();
    pop_overlay_style();
    open_ = true;
}

} // namespace ringside
