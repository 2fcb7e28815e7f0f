// Where does the pipeline idle: two schedules on one time axis, their bubbles, and what each stage has to
// keep.
#include <fmt/format.h>

#include "core/engine/explain.h"
#include "core/schedule/bubble.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/lanes.h"
#include "ui/widgets/tween.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct Row
{
    ScheduleKind kind = ScheduleKind::gpipe;
    ScheduleShape shape;
    Timeline timeline;

    const ScheduleInfo& info() const { return schedule_info(kind); }
};

// In whole stages' worth: a chunk is 1/v of one.
std::vector<StashStep> stash_of(const Row& row, std::size_t rank)
{
    std::vector<StashStep> steps = stash_over_time(row.timeline, rank);
    for (StashStep& step : steps)
    {
        step.held /= static_cast<double>(row.shape.chunks);
    }
    return steps;
}

double peak_held(const Row& row, std::size_t rank)
{
    return static_cast<double>(row.timeline.peak_in_flight[rank]) / static_cast<double>(row.shape.chunks);
}

class PipelinesView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    // The schedules on show, simulated again when the scenario changed.
    const std::vector<Row>& rows(const Frame& frame) const;
    double longest(const Frame& frame) const;
    TimeWindow window(const Frame& frame) const;
    void zoom(double about, double factor, double longest);
    void mouse(const Frame& frame, Rect field);
    void draw_legend(const Painter& painter, Rect row) const;
    void draw_heading(const Painter& painter, Rect row, const Row& r) const;
    void draw_end(const Frame& frame, const Painter& painter, Rect field, float bottom) const;
    void draw_stash(const Frame& frame, const Painter& painter, Rect area) const;

    mutable Scenario rows_of_;
    mutable std::vector<Row> rows_;
    std::optional<TimeWindow> zoomed_;
    std::optional<std::pair<std::size_t, std::size_t>> hovered_; // row, event
    std::size_t stage_ = 0;                                      // of the stash
};

const std::vector<Row>& PipelinesView::rows(const Frame& frame) const
{
    const Scenario& s = frame.now.scenario;
    if (!rows_.empty() && rows_of_ == s)
    {
        return rows_;
    }
    rows_of_ = s;
    rows_.clear();
    const ScheduleKind own = s.training.schedule;
    const bool classic = own == ScheduleKind::gpipe || own == ScheduleKind::one_f_one_b;
    for (const ScheduleKind kind : {classic ? ScheduleKind::gpipe : ScheduleKind::one_f_one_b,
                                    classic ? ScheduleKind::one_f_one_b : own})
    {
        Row row{kind,
                {s.parallel.pipeline, micro_batches(s),
                 kind == ScheduleKind::interleaved ? s.parallel.chunks : 1},
                {}};
        if (kind == own)
        {
            row.timeline = frame.now.report.pipeline.timeline;
            rows_.push_back(std::move(row));
            continue;
        }
        auto order = make_order(kind, row.shape);
        auto timeline =
            order ? simulate(*order, equal_costs(row.shape, s.stage_times)) : Result<Timeline>(Issues{});
        if (timeline)
        {
            row.timeline = std::move(*timeline);
            rows_.push_back(std::move(row));
        }
    }
    return rows_;
}

double PipelinesView::longest(const Frame& frame) const
{
    double most = 0;
    for (const Row& row : rows(frame))
    {
        most = std::max(most, row.timeline.makespan);
    }
    return most;
}

Motion PipelinesView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = longest(frame);
    motion.per_second = motion.duration / 12;
    motion.rest = motion.duration * 0.45;
    const StageTimes& times = frame.now.scenario.stage_times;
    const double step =
        std::max(1e-3, std::min({times.forward, times.backward_input, times.backward_weight}));
    for (double t = 0; t <= motion.duration && motion.stops.size() < 20000; t += step)
    {
        motion.stops.push_back(t);
    }
    motion.label = fmt::format("t = {}", three_digits(frame.playback.t));
    return motion;
}

TimeWindow PipelinesView::window(const Frame& frame) const
{
    const double all = std::max(1e-9, longest(frame));
    if (!zoomed_ || zoomed_->from >= all)
    {
        return {0, all};
    }
    return *zoomed_;
}

void PipelinesView::zoom(double about, double factor, double all)
{
    const TimeWindow now = zoomed_.value_or(TimeWindow{0, all});
    TimeWindow next{about - (about - now.from) * factor, about + (now.to - about) * factor};
    const double span = std::clamp(next.to - next.from, all / 1e5, all);
    next.from = std::clamp(next.from, 0.0, all - span);
    next.to = next.from + span;
    zoomed_ = span >= all * 0.999 ? std::nullopt : std::optional(next);
}

void PipelinesView::mouse(const Frame& frame, Rect field)
{
    const ImGuiIO& io = ImGui::GetIO();
    const double all = longest(frame);
    if (!field.contains(io.MousePos) || !ImGui::IsWindowHovered() || all <= 0)
    {
        return;
    }
    const TimeWindow now = window(frame);
    if (io.MouseWheel != 0)
    {
        zoom(now.t(field, io.MousePos.x), std::pow(0.85, static_cast<double>(io.MouseWheel)), all);
    }
    if (ImGui::IsMouseDragging(0, 2) && field.contains(io.MouseClickedPos[0]) && zoomed_)
    {
        const double shift = -static_cast<double>(io.MouseDelta.x / field.w) * (now.to - now.from);
        const double from = std::clamp(now.from + shift, 0.0, all - (now.to - now.from));
        zoomed_ = TimeWindow{from, from + now.to - now.from};
    }
    if (ImGui::IsMouseDoubleClicked(0))
    {
        zoomed_.reset();
    }
}

void PipelinesView::draw_legend(const Painter& painter, Rect row) const
{
    const Theme& t = painter.theme;
    const std::array<std::pair<std::string_view, Colour>, 3> colours{
        {{"forward", t.forward.fill},
         {"backward, input", t.backward_input.fill},
         {"backward, weight", t.backward_weight.fill}}};
    float x = row.x;
    const auto item = [&](std::string_view name, auto&& box)
    {
        if (x + painter.px(24) + painter.width(Type::small, name) > row.right())
        {
            return;
        }
        box(Rect{x, row.middle() - painter.px(8), painter.px(16), painter.px(16)});
        x += painter.px(24) + painter.text(x + painter.px(24), row.middle(), Type::small, t.text, name) +
             painter.px(24);
    };
    for (const auto& [name, colour] : colours)
    {
        item(name, [&, c = colour](Rect r) { painter.fill(r, c); });
    }
    item("idle",
         [&](Rect r)
         {
             painter.hatch(r, t.idle_hatch, kIdleHatch);
             painter.outline(r, t.grid);
         });
    if (hovered_)
    {
        const auto& e = rows_[hovered_->first].timeline.events[hovered_->second];
        item(fmt::format("path of micro-batch {}", e.operation.micro_batch),
             [&](Rect r)
             {
                 const std::array points{ImVec2{r.x, r.bottom() - 3}, ImVec2{r.centre(), r.bottom() - 3},
                                         ImVec2{r.centre(), r.y + 3}, ImVec2{r.right(), r.y + 3}};
                 painter.list.AddPolyline(points.data(), 4, t.text, 0, painter.px(2));
             });
    }
}

void PipelinesView::draw_heading(const Painter& painter, Rect row, const Row& r) const
{
    const float label = painter.px(72);
    painter.text_within(row.x, row.middle(), row.w, Type::body_strong, painter.theme.text, r.info().name);
    painter.text_within(row.x +
                            std::max(label, painter.width(Type::body_strong, r.info().name) + painter.px(12)),
                        row.middle(), row.w - label, Type::small, painter.theme.muted,
                        fmt::format("{} units, {} of total is idle", three_digits(r.timeline.makespan),
                                    format_percent(r.timeline.bubble_of_total())));
}

void PipelinesView::draw_end(const Frame& frame, const Painter& painter, Rect field, float bottom) const
{
    const auto& all = rows(frame);
    if (all.size() < 2)
    {
        return;
    }
    const double saved = all[0].timeline.makespan - all[1].timeline.makespan;
    const TimeWindow w = window(frame);
    const float x = w.x(field, all[1].timeline.makespan);
    if (saved < all[0].timeline.makespan * 1e-6 || x > field.right())
    {
        return;
    }
    painter.line(x, field.y, x, bottom, painter.theme.text, painter.px(2));
    const float room = field.right() - x;
    const float middle = (field.y + bottom) / 2;
    painter.arrow({field.right(), middle}, {x + painter.px(6), middle}, painter.theme.text);
    if (room > painter.px(90))
    {
        painter.text(x + room / 2, middle - painter.px(20), Type::body_strong, painter.theme.text,
                     fmt::format("{} saved", three_digits(saved)), Align::centre);
        painter.text(x + room / 2, middle + painter.px(20), Type::small, painter.theme.muted,
                     fmt::format("{} shorter", format_percent(saved / all[0].timeline.makespan)),
                     Align::centre);
    }
}

// How much a stage keeps over time, as steps; `most` is the top of the chart.
struct StashCurve
{
    const std::vector<StashStep>& steps;
    double most;
    bool filled; // dashed otherwise

    float y(Rect chart, double held) const
    {
        return std::round(chart.bottom() - chart.h * static_cast<float>(held / most));
    }
};

void draw_stash_steps(const Painter& painter, Rect chart, TimeWindow window, const StashCurve& curve)
{
    const Theme& t = painter.theme;
    const Colour colour = t.of(Component::activations).fill;
    for (std::size_t k = 0; k + 1 < curve.steps.size(); ++k)
    {
        const float x1 = window.x(chart, curve.steps[k].t);
        const float x2 = window.x(chart, curve.steps[k + 1].t);
        const float here = curve.y(chart, curve.steps[k].held);
        const float next = curve.y(chart, curve.steps[k + 1].held);
        if (x2 < chart.x || x1 > chart.right())
        {
            continue;
        }
        if (curve.filled)
        {
            painter.fill({x1, here, x2 - x1, chart.bottom() - here}, with_alpha(colour, 0.4F));
            painter.line(x1, here, x2, here, colour, painter.px(2));
            painter.line(x2, here, x2, next, colour, painter.px(2));
        }
        else
        {
            painter.dashed(x1, here, x2, here, t.text, painter.px(1.5F));
            painter.dashed(x2, here, x2, next, t.text, painter.px(1.5F));
        }
    }
}

void PipelinesView::draw_stash(const Frame& frame, const Painter& painter, Rect area) const
{
    const auto& all = rows(frame);
    const Theme& t = painter.theme;
    const float label = painter.px(72);
    Rect head = area.cut_top(painter.px(28));
    painter.text(head.x, head.middle(), Type::body_strong, t.text, "Stash");
    painter.text_within(head.x + label, head.middle(), head.w - label, Type::small, t.muted,
                        fmt::format("micro-batches kept on stage {} until their backward is done", stage_));
    Rect chart = area;
    chart.cut_left(label);
    chart.cut_top(painter.px(14));
    chart.cut_bottom(painter.px(10));
    double most = 1;
    std::vector<std::vector<StashStep>> steps;
    for (const Row& row : all)
    {
        steps.push_back(stash_of(row, std::min(stage_, row.timeline.ranks() - 1)));
        for (const StashStep& step : steps.back())
        {
            most = std::max(most, step.held);
        }
    }
    const auto y = [&](double held)
    { return std::round(chart.bottom() - chart.h * static_cast<float>(held / most)); };
    for (const double line : {0.0, most / 2, most})
    {
        painter.line(chart.x, y(line), chart.right(), y(line), t.grid);
        painter.text(chart.x - painter.px(12), y(line), Type::mono_small, t.muted, plain_number(line),
                     Align::right);
    }
    const TimeWindow w = window(frame);
    painter.list.PushClipRect({chart.x, chart.y - painter.px(20)}, {chart.right() + 1, chart.bottom() + 2},
                              true);
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        draw_stash_steps(painter, chart, w, {steps[i], most, i + 1 == steps.size()});
    }
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const double peak = peak_held(all[i], std::min(stage_, all[i].timeline.ranks() - 1));
        const float at = chart.x + chart.w * (i == 0 ? 0.3F : 0.62F);
        const std::string words = fmt::format(
            "{} {} holds up to {}", i == 0 ? "dashed:" : "filled:", all[i].info().name, plain_number(peak));
        painter.fill({at - painter.px(4), y(peak) - painter.px(20),
                      painter.width(Type::small_strong, words) + painter.px(8), painter.px(18)},
                     t.window);
        painter.text_within(at, y(peak) - painter.px(11), chart.right() - at, Type::small_strong, t.text,
                            words);
    }
    painter.list.PopClipRect();
}

void PipelinesView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const auto& all = rows(frame);
    stage_ = std::min(stage_, static_cast<std::size_t>(frame.now.scenario.parallel.pipeline) - 1);
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        painter.text(area.centre(), area.middle() - painter.px(16), Type::title, painter.theme.text,
                     "One stage: no pipeline, no bubble.", Align::centre);
        painter.text(area.centre(), area.middle() + painter.px(20), Type::body, painter.theme.muted,
                     "Raise \u201cPipeline stages\u201d to cut the model into stages.", Align::centre);
        return;
    }
    const auto had = hovered_;
    hovered_.reset();
    draw_legend(painter, area.cut_top(painter.px(28)));
    const float axis_height = painter.px(34);
    const float heading = painter.px(30);
    const auto count = static_cast<float>(all.size());
    const auto stages = static_cast<std::size_t>(frame.now.scenario.parallel.pipeline);
    // The stash has at least 150 pixels, and what the lanes leave.
    const float least = area.h > painter.px(430) ? painter.px(150) : 0;
    const float pitch =
        lane_pitch(painter, (area.h - least - axis_height - heading * count) / count, stages, 48);
    const float lanes = axis_height + count * (heading + pitch * static_cast<float>(stages)) + painter.px(12);
    const Rect stash_area =
        area.cut_bottom(least > 0 ? std::min(std::max(least, area.h - lanes), painter.px(400)) : 0);
    const float stash = stash_area.h;
    const float label = painter.px(72);
    const Rect field{area.x + label, area.y, area.w - label, area.h};
    mouse(frame, field);
    const TimeWindow w = window(frame);
    float end_top = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        draw_heading(painter, area.cut_top(heading), all[i]);
        end_top = area.y;
        const Rect rows_area = area.cut_top(pitch * static_cast<float>(all[i].timeline.ranks()));
        LanesStyle style{pitch};
        if (had && had->first < all.size() && had->second < all[had->first].timeline.events.size())
        {
            style.lit_micro_batch = all[had->first].timeline.events[had->second].operation.micro_batch;
        }
        if (const auto hit =
                draw_lanes(painter, rows_area, all[i].timeline, frame.now.scenario.stage_times, w, style))
        {
            hovered_ = {i, *hit};
            if (ImGui::IsMouseClicked(0))
            {
                stage_ = static_cast<std::size_t>(all[i].timeline.events[*hit].rank);
            }
        }
    }
    out.animating = out.animating || had != hovered_;
    draw_end(frame, painter, {field.x, end_top, field.w, 0}, area.y);
    area.cut_top(painter.px(6));
    draw_time_axis(painter, {field.x, area.y, field.w, axis_height}, w);
    if (stash > 0)
    {
        draw_stash(frame, painter, stash_area);
    }
    const float now = w.x(field, frame.playback.t);
    if (now >= field.x && now <= field.right())
    {
        painter.dashed(now, field.y, now, stash > 0 ? stash_area.bottom() : area.y, painter.theme.text, 1);
    }
    if (hovered_)
    {
        lane_tip(painter, {field.x, field.y, field.w, field.h + stash}, ImGui::GetIO().MousePos,
                 all[hovered_->first].timeline, hovered_->second, all[hovered_->first].timeline.ranks());
    }
}

Caption PipelinesView::caption(const Frame& frame) const
{
    const auto& all = rows(frame);
    Caption caption;
    const Term of_total = explain_bubble_of_total(frame.now.scenario, frame.now.report);
    const Term over_ideal = explain_bubble_over_ideal(frame.now.scenario, frame.now.report);
    caption.formula =
        fmt::format("{} = {} = {} of total;  {} = {} over ideal", of_total.formula, of_total.working,
                    format_percent(of_total.value), over_ideal.formula, format_percent(over_ideal.value));
    caption.source = of_total.source + ". " + over_ideal.source;
    if (frame.now.scenario.parallel.pipeline == 1 || all.size() < 2)
    {
        caption.sentence = "With one stage every micro-batch runs through without waiting.";
        return caption;
    }
    const auto& a = all[0].timeline;
    const auto& b = all[1].timeline;
    const double held_a = peak_held(all[0], 0);
    const double held_b = peak_held(all[1], 0);
    if (std::abs(a.makespan - b.makespan) < 1e-9 * a.makespan)
    {
        caption.sentence = fmt::format(
            "{} and {} idle equally, **{} of total**; stage 0 keeps **{} micro-batches instead of {}**.",
            all[0].info().name, all[1].info().name, format_percent(b.bubble_of_total()), plain_number(held_b),
            plain_number(held_a));
    }
    else
    {
        caption.sentence = fmt::format("The bubble goes from {} under {} to **{} of total** under {}.",
                                       format_percent(a.bubble_of_total()), all[0].info().name,
                                       format_percent(b.bubble_of_total()), all[1].info().name);
    }
    return caption;
}

bool PipelinesView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    const auto& all = rows(frame);
    const Theme& t = painter.theme;
    Rect row = area.cut_top(painter.px(36));
    painter.text(row.x, row.middle(), Type::body_strong, t.text, "Compare");
    const float column = painter.px(64);
    const auto line = [&](std::string_view label, auto&& value, bool heading = false)
    {
        row = area.cut_top(painter.px(28));
        painter.line(row.x, row.bottom(), row.right(), row.bottom(), t.grid);
        painter.text_within(row.x, row.middle(), row.w - column * static_cast<float>(all.size()), Type::small,
                            t.muted, label);
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            const float right = row.right() - column * static_cast<float>(all.size() - 1 - i);
            const Type type = heading ? Type::small_strong : Type::mono_small;
            painter.text(right, row.middle(), type, t.text,
                         painter.shortened(type, value(all[i]), column - painter.px(4)), Align::right);
        }
    };
    line(
        "", [](const Row& r) { return std::string(r.info().name); }, true);
    line("step", [](const Row& r) { return three_digits(r.timeline.makespan); });
    line("of total", [](const Row& r) { return format_percent(r.timeline.bubble_of_total()); });
    line("closed form", [](const Row& r) { return format_percent(closed_bubble_of_total(r.kind, r.shape)); });
    line("over ideal", [](const Row& r) { return format_percent(r.timeline.bubble_over_ideal()); });
    line("closed form",
         [](const Row& r) { return format_percent(closed_bubble_over_ideal(r.kind, r.shape)); });
    const auto stages = static_cast<std::size_t>(frame.now.scenario.parallel.pipeline);
    const auto fitting = static_cast<std::size_t>(std::max(1.0F, area.h / painter.px(28) - 1));
    for (std::size_t stage = 0; stage < stages; ++stage)
    {
        // Where not all fit: the first ones and the last.
        if (stages > fitting && stage >= fitting - 1 && stage + 1 != stages)
        {
            continue;
        }
        line(fmt::format("{} {}", stages > 10 ? "peak, st." : "peak, stage", stage),
             [&](const Row& r) { return plain_number(peak_held(r, stage)); });
    }
    return true;
}

void PipelinesView::keys(const Frame& frame, Out&)
{
    const double all = longest(frame);
    const TimeWindow now = window(frame);
    const double span = now.to - now.from;
    if (ImGui::IsKeyPressed(ImGuiKey_W))
    {
        zoom(std::clamp(frame.playback.t, now.from, now.to), 0.8, all);
    }
    if (ImGui::IsKeyPressed(ImGuiKey_S))
    {
        zoom((now.from + now.to) / 2, 1.25, all);
    }
    const double move =
        (ImGui::IsKeyPressed(ImGuiKey_D) ? 0.1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_A) ? 0.1 : 0);
    if (move != 0 && zoomed_)
    {
        const double from = std::clamp(now.from + move * span, 0.0, all - span);
        zoomed_ = TimeWindow{from, from + span};
    }
    if (ImGui::IsKeyPressed(ImGuiKey_F))
    {
        zoomed_.reset();
    }
}

constexpr std::array<std::string_view, 7> kControls{"training.schedule",
                                                    "pipeline",
                                                    "micro_batches",
                                                    "stage_times.forward",
                                                    "stage_times.backward_input",
                                                    "stage_times.backward_weight",
                                                    "stage_times.transfer"};
constexpr std::array kKeys{KeyHelp{"W S", "Zoom in, zoom out; or the wheel"},
                           KeyHelp{"A D", "Left, right; or drag"}, KeyHelp{"F", "Fit the whole step"},
                           KeyHelp{"click", "Stash of this stage"}};

} // namespace

extern const ViewInfo pipelines_view;
const ViewInfo pipelines_view{
    20,
    "pipelines",
    "Pipelines",
    "Schedules",
    "Where does the pipeline wait?",
    "Pipeline schedules from an event simulator: bubbles, paths of micro-batches, stash",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<PipelinesView>()); }};

} // namespace ringside
