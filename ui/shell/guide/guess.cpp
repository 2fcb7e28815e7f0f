#include "ui/shell/guide/guess.h"

#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/study/grading/metric_answer.h"
#include "ui/draw/transcript.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr double kRevealSeconds = 0.3;
constexpr float kKnob = 18;           // radius [design px]
constexpr float kCompactNumber = 148; // height of a slider with its number, scale and field [design px]
constexpr float kRoomyNumber = 172;   // the same with large figures [design px]

double middle_of(const Prediction& p)
{
    return p.from + std::round((p.to - p.from) / 2 / p.step) * p.step;
}

std::string tick_text(const Prediction& p, double value)
{
    return value_with_unit(value, p.unit == "%" ? "%" : "");
}

} // namespace

float Guess::Track::at(double value) const
{
    const double share = (value - prediction.from) / (prediction.to - prediction.from);
    return rect.x + rect.w * static_cast<float>(std::clamp(share, 0.0, 1.0));
}

double Guess::Track::value(float x) const
{
    const double share = std::clamp(static_cast<double>((x - rect.x) / std::max(1.0F, rect.w)), 0.0, 1.0);
    return prediction.from + share * (prediction.to - prediction.from);
}

void Guess::reset()
{
    field_.set("");
    open_ = false;
    fault_.clear();
    truth_ = Tween();
}

float Guess::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Prediction& p = *frame.lesson->step().predict;
    const bool roomy = area.w > painter.px(480) && area.h > painter.px(150);
    const float question =
        painter.paragraph({area.x, area.y, area.w, 0}, roomy ? Type::title : Type::body_strong,
                          painter.theme.text, frame.lesson->words.question) +
        painter.px(roomy ? 12 : 6);
    area.cut_top(question);
    const float compact =
        painter.px(p.is_choice() ? 42 * static_cast<float>(p.choices.size()) : kCompactNumber);
    area.h = roomy ? area.h : compact;
    if (p.is_choice())
    {
        draw_choices(frame, painter, area, out);
    }
    else
    {
        const bool low = !roomy || area.h < painter.px(kRoomyNumber); // a long question leaves less
        draw_number(frame, painter, area, low, out);
    }
    return question + area.h;
}

void Guess::draw_choices(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    const Prediction& p = *lesson.step().predict;
    const StepRecord& record = lesson.state.record();
    const Theme& t = painter.theme;
    const auto count = static_cast<float>(p.choices.size());
    const float pitch = std::min(painter.px(52), area.h / count);
    const float gap = std::min(painter.px(8), pitch * 0.15F);
    for (std::size_t i = 0; i < p.choices.size(); ++i)
    {
        const Rect row{area.x, area.y + pitch * static_cast<float>(i), area.w, pitch - gap};
        const bool chosen = record.guess && std::lround(*record.guess) == static_cast<long>(i);
        const bool right = record.locked_in && lesson.planned().right == i;
        const Press pressed =
            press(painter, row, fmt::format("{}###choice {}", p.choices[i].text, i + 1).c_str(), 8);
        painter.card(row, chosen, pressed.hovered && !record.locked_in);
        const Rect cap = painter.keycap(row.x + painter.px(12), row.middle(), std::to_string(i + 1));
        const bool fades = record.locked_in && !right;
        painter.text_within(cap.right() + painter.px(12), row.middle(),
                            row.right() - cap.right() - painter.px(52), Type::body, fades ? t.muted : t.text,
                            p.choices[i].text);
        if (right)
        {
            painter.tick(row.right() - painter.px(32), row.middle(), t.ok);
        }
        else if (chosen && record.locked_in)
        {
            painter.text(row.right() - painter.px(24), row.middle(), Type::body_strong, t.warning, "\u2717",
                         Align::centre);
        }
        if (pressed.clicked)
        {
            out.push(LessonInput{LessonMove::guess, static_cast<double>(i)});
        }
    }
}

void Guess::draw_scale(const Painter& painter, const Track& track)
{
    const Prediction& p = track.prediction;
    const double span = p.to - p.from;
    const float widest = std::max(painter.width(Type::mono_small, tick_text(p, p.to)),
                                  painter.width(Type::mono_small, tick_text(p, p.from))) +
                         painter.px(20);
    const double least =
        std::max(span / 8, span * static_cast<double>(widest / std::max(1.0F, track.rect.w)));
    const double step = round_step(std::max(least, p.step));
    const float y = track.rect.bottom();
    for (double v = std::ceil(p.from / step - 1e-9) * step; v <= p.to + span * 1e-9; v += step)
    {
        const float x = track.at(v);
        painter.line(x, y + painter.px(8), x, y + painter.px(16), painter.theme.line);
        painter.text(x, y + painter.px(30), Type::mono_small, painter.theme.muted, tick_text(p, v),
                     Align::centre);
    }
}

// The number itself, on a plate above the knob.
void Guess::draw_bubble(const Frame& frame, const Painter& painter, const Track& track, float x,
                        const Rect& field, bool low) const
{
    const LessonFrame& lesson = *frame.lesson;
    const StepRecord& record = lesson.state.record();
    const Prediction& p = track.prediction;
    const Theme& t = painter.theme;
    const std::string words = record.locked_in ? said(p, lesson.planned().truth)
                              : record.guess   ? said(p, *record.guess)
                                               : "?";
    const Type type = low ? Type::title : Type::display;
    const float w = std::max(painter.px(72), painter.width(type, words) + painter.px(32));
    const float h = low ? painter.px(32) : painter.px(48);
    const float left = std::clamp(x - w / 2, field.x, std::max(field.x, field.right() - w));
    const Rect plate{left, track.rect.y - painter.px(low ? 24 : 28) - h, w, h};
    painter.fill(plate, t.text, painter.px(8));
    const float u = painter.px(9);
    painter.list.AddTriangleFilled({x - u, plate.bottom()}, {x, plate.bottom() + u}, {x + u, plate.bottom()},
                                   t.text);
    painter.text(plate.centre(), plate.middle(), type, t.window, words, Align::centre);
    draw_now(frame, painter, track, plate);
}

// Where the same number stood before the change that is asked about.
void Guess::draw_now(const Frame& frame, const Painter& painter, const Track& track, Rect bubble)
{
    const auto& now = frame.lesson->planned().now;
    if (!now)
    {
        return;
    }
    const Theme& t = painter.theme;
    const float x = track.at(*now);
    const float y = track.rect.middle();
    painter.line(x, y - painter.px(28), x, y + painter.px(10), t.text, painter.px(2));
    const std::string words = "now " + said(track.prediction, *now);
    const float w = painter.width(Type::small, words);
    const float left = std::clamp(x - w / 2, track.rect.x, track.rect.right() - w);
    const bool free = left > bubble.right() + painter.px(4) || left + w < bubble.x - painter.px(4);
    if (free)
    {
        painter.text(left, y - painter.px(42), Type::small, t.text, words);
    }
}

// How far off the guess was, in words.
void Guess::draw_verdict(const Frame& frame, const Painter& painter, Rect row)
{
    const LessonFrame& lesson = *frame.lesson;
    const StepRecord& record = lesson.state.record();
    const Prediction& p = *lesson.step().predict;
    if (!record.guess || record.skipped)
    {
        painter.text_within(row.x, row.middle(), row.w, Type::small, painter.theme.muted,
                            "Shown without a guess.");
        return;
    }
    const double off = *record.guess - lesson.planned().truth;
    const bool near = std::abs(off) <= std::max(p.step, std::abs(lesson.planned().truth) * 0.03);
    float x = row.x;
    if (near)
    {
        painter.tick(x, row.middle(), painter.theme.ok);
        x += painter.px(28);
    }
    const std::string words =
        near ? fmt::format("You said {}: as close as the slider goes, or within 3%.", said(p, *record.guess))
             : fmt::format("You said {}: {} too {}.", said(p, *record.guess),
                           value_with_unit(std::abs(off), p.unit), off > 0 ? "high" : "low");
    painter.text_within(x, row.middle(), row.right() - x, Type::small, painter.theme.text, words);
    read_aloud(painter.look, words);
}

void Guess::drag(const Painter& painter, const Track& track, double guess, Out& out)
{
    const float knob = painter.px(kKnob);
    const Rect grip{track.rect.x - knob, track.rect.middle() - knob, track.rect.w + 2 * knob, 2 * knob};
    const std::string words = said(track.prediction, guess);
    const float position = (track.at(guess) - track.rect.x) / track.rect.w;
    const Press pressed = press(painter, grip, "Your guess###guess", kKnob,
                                {.role = ReadRole::slider, .value = words, .position = position});
    if (pressed.held)
    {
        field_.set("");
        fault_.clear();
        const double value = on_slider(track.prediction, track.value(ImGui::GetIO().MousePos.x));
        out.push(LessonInput{LessonMove::guess, value});
    }
}

void Guess::draw_number(const Frame& frame, const Painter& painter, Rect area, bool low, Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    const StepRecord& record = lesson.state.record();
    const Prediction& p = *lesson.step().predict;
    const Theme& t = painter.theme;
    const Rect foot = area.cut_bottom(painter.px(low ? 36 : 40));
    const float knob = painter.px(kKnob);
    const float above = painter.px(low ? 58 : 84);
    const Track track{
        {area.x + knob + painter.px(8), area.y + above, area.w - 2 * knob - painter.px(16), painter.px(8)},
        p};
    const double guess = record.guess.value_or(middle_of(p));
    const float from = track.at(guess);
    float x = from;
    if (record.locked_in)
    {
        x = truth_.towards(track.at(lesson.planned().truth), frame, painter.look, out, kRevealSeconds);
    }
    else
    {
        truth_ = Tween();
        truth_.towards(from, frame, painter.look, out);
        drag(painter, track, guess, out);
    }
    painter.fill(track.rect, t.raised, painter.px(4));
    painter.fill({track.rect.x, track.rect.y, x - track.rect.x, track.rect.h}, mix(t.muted, t.window, 0.1F),
                 painter.px(4));
    draw_scale(painter, track);
    const ImVec2 at{x, track.rect.middle()};
    if (record.locked_in && record.guess && !record.skipped)
    {
        painter.line(from, at.y, x, at.y, t.text, painter.px(3));
        painter.list.AddCircleFilled({from, at.y}, painter.px(9), t.window);
        painter.list.AddCircle({from, at.y}, painter.px(9), t.text, 0, painter.px(2));
    }
    draw_bubble(frame, painter, track, x, area, low);
    painter.list.AddCircleFilled(at, record.locked_in ? painter.px(9) : knob, t.text);
    if (record.locked_in)
    {
        open_ = false;
        draw_verdict(frame, painter, foot);
        return;
    }
    const float u = painter.px(5);
    painter.list.AddTriangleFilled({at.x - 2 * u, at.y}, {at.x - u * 0.6F, at.y - u},
                                   {at.x - u * 0.6F, at.y + u}, t.window);
    painter.list.AddTriangleFilled({at.x + 2 * u, at.y}, {at.x + u * 0.6F, at.y - u},
                                   {at.x + u * 0.6F, at.y + u}, t.window);
    draw_field(frame, painter, foot, out);
}

// What is typed; beside it why it is no answer, or which keys move the slider.
void Guess::draw_field(const Frame& frame, const Painter& painter, Rect row, Out& out)
{
    const Prediction& p = *frame.lesson->step().predict;
    const bool class_types = frame.stage != nullptr && frame.stage->has(StageTool::guesses);
    if (!std::exchange(open_, true) && !class_types)
    {
        field_.focus();
        field_.select();
    }
    const std::vector<std::string> units = units_to_offer(MetricAsked{p.unit, p.step});
    const Rect box = row.cut_left(std::min(row.w, painter.px(units.empty() ? 260 : 560)));
    const std::string before = field_.text();
    const bool enter =
        field_.draw(painter, box, {.id = "###guess typed", .hint = "Drag, or type a number", .units = units},
                    out.animating);
    if (field_.text() != before)
    {
        read(p, out);
    }
    entered_ = enter && fault_.empty();
    if (enter && !fault_.empty())
    {
        field_.select();
    }
    row.cut_left(painter.px(16));
    if (!fault_.empty())
    {
        painter.text_within(row.x, row.middle(), row.w, Type::small, painter.theme.warning, fault_);
    }
    else if (field_.empty() && row.w > painter.px(210))
    {
        const Rect left = painter.keycap(row.x, row.middle(), "Left");
        const Rect right = painter.keycap(left.right() + painter.px(8), row.middle(), "Right");
        painter.text(right.right() + painter.px(10), row.middle(), Type::small, painter.theme.muted,
                     "by " + value_with_unit(p.step, p.unit));
    }
}

// A number is the guess; what is none takes it back.
void Guess::read(const Prediction& p, Out& out)
{
    const auto value = read_metric_answer(field_.text(), {p.unit, p.step});
    fault_ = value || field_.empty()
                 ? std::string()
                 : fmt::format("{}: {}", value.issues().front().message, value.issues().front().hint);
    out.push(LessonInput{LessonMove::guess, value ? *value : std::numeric_limits<double>::quiet_NaN()});
}

void Guess::keys(const Frame& frame, Out& out)
{
    const Prediction& p = *frame.lesson->step().predict;
    const auto guess = [&](double value) { out.push(LessonInput{LessonMove::guess, value}); };
    if (p.is_choice())
    {
        if (const auto digit = digit_pressed(p.choices.size()))
        {
            guess(static_cast<double>(*digit));
        }
        return;
    }
    const bool moves = field_.empty() || !field_.has_keyboard();
    if (const int steps = moves ? arrow_steps(ImGui::GetID("###guess keys")) : 0; steps != 0)
    {
        field_.set("");
        fault_.clear();
        guess(on_slider(p, frame.lesson->state.record().guess.value_or(middle_of(p)) + p.step * steps));
    }
}

} // namespace ringside
