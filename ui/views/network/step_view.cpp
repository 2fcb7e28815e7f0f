// What hides the wire: one data-parallel step of DDP, ZeRO 1 to 3 or HSDP on a timeline, and what of its
// communication compute has to wait for.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/network/step/compare.h"
#include "ui/views/network/step/lives.h"
#include "ui/views/network/step/panel.h"
#include "ui/views/network/step/picture.h"
#include "ui/views/network/step/words.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kRest = 0.45;  // of the step: where the clock stands until somebody moves it
constexpr float kLabel = 116;   // [design px] left of the time axis
constexpr double kSeconds = 15; // playing takes
constexpr std::array<std::string_view, kStepStrategies> kWords{"DDP  0", "ZeRO-1  1", "ZeRO-2  2",
                                                               "ZeRO-3  3", "HSDP  H"};

class StepView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    const StepLives& lives(const Frame& frame) const;
    void choose(StepStrategy strategy, Out& out);
    bool stepping(const Frame& frame) const;
    void draw_head(const Painter& painter, Rect row, const StepLife& life, Out& out);
    void draw_picture(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_memory(const Frame& frame, const Painter& painter, Rect area, const StepLife& life) const;

    StepOptions options_;
    std::optional<StepStrategy> chosen_; // nothing: as the scenario's ZeRO stage
    StepLives lives_;
    TimeZoom zoom_;
    std::optional<std::size_t> hovered_;
};

const StepLives& StepView::lives(const Frame& frame) const
{
    StepOptions options = options_;
    const std::int64_t zero = std::clamp<std::int64_t>(frame.now.scenario.parallel.zero, 0, 3);
    options.strategy = chosen_.value_or(static_cast<StepStrategy>(zero));
    lives_.update(frame.now.scenario, options);
    return lives_;
}

void StepView::choose(StepStrategy strategy, Out& out)
{
    chosen_ = strategy;
    hovered_.reset();
    out.animating = true;
}

Motion StepView::motion(const Frame& frame) const
{
    const StepLives& all = lives(frame);
    const StepLife& life = all.shown();
    if (life.alone())
    {
        return {};
    }
    Motion motion;
    motion.duration = life.total;
    motion.per_second = motion.duration / kSeconds;
    motion.rest = motion.duration * kRest;
    motion.label = format_seconds(Seconds(std::min(frame.playback.t, life.total)));
    motion.stops = all.moments();
    return motion;
}

// Somebody moved the clock: what runs at its moment is said and marked.
bool StepView::stepping(const Frame& frame) const
{
    const double t = frame.playback.t;
    const double all = lives_.shown().total;
    return t > 0 && t < all && std::abs(t - all * kRest) > 1e-9 * all;
}

void StepView::draw_head(const Painter& painter, Rect row, const StepLife& life, Out& out)
{
    const std::string words = fmt::format("{} exposed", format_seconds(Seconds(life.exposed)));
    const float said = painter.width(Type::title, words) + painter.px(32);
    const float choices = std::min(painter.px(480), row.w);
    if (choices + said + painter.px(16) <= row.w)
    {
        painter.text(row.right(), row.middle(), Type::title, painter.theme.text, words, Align::right);
        draw_fill(painter, {row.right() - said, row.middle() - painter.px(9), painter.px(18), painter.px(18)},
                  waiting_fill(painter.theme));
    }
    // Without the keys where they have no room.
    std::array<std::string_view, kStepStrategies> shown = kWords;
    const float each = choices / static_cast<float>(kStepStrategies) - painter.px(10);
    for (std::size_t i = 0; i < kStepStrategies; ++i)
    {
        if (painter.width(Type::small_strong, kWords[3]) > each)
        {
            shown[i] = name_of(static_cast<StepStrategy>(i));
        }
        if (painter.width(Type::small_strong, name_of(StepStrategy::zero3)) > each)
        {
            constexpr std::array<std::string_view, kStepStrategies> kShort{"0", "1", "2", "3", "H"};
            shown[i] = kShort.at(i);
        }
    }
    const auto now = static_cast<std::size_t>(lives_.options().strategy);
    if (const auto clicked = segments(painter, {row.x, row.y, choices, row.h}, shown, now))
    {
        choose(static_cast<StepStrategy>(*clicked), out);
    }
}

void StepView::draw_memory(const Frame& frame, const Painter& painter, Rect area, const StepLife& life) const
{
    const Theme& t = painter.theme;
    Rect head = area.cut_top(painter.px(26));
    const float label = painter.px(kLabel);
    painter.text_within(head.x, head.middle(), label - painter.px(8), Type::body_strong, t.text, "Unsharded");
    head.cut_left(label);
    const auto most = [&](Bytes bytes) { return ", at most " + format_bytes(bytes, painter.look.unit); };
    draw_legend(
        painter, head,
        std::array{LegendItem{"weights" + most(life.peak_weights), {t.of(Component::weights)}},
                   LegendItem{"gradients" + most(life.peak_gradients), {t.of(Component::gradients)}}});
    area.cut_left(label);
    area.cut_top(painter.px(8));
    area.cut_bottom(painter.px(8));
    draw_held(painter, area, life, zoom_.window(life.total));
    draw_now(painter, area, zoom_.window(life.total), frame.playback.t);
}

// "tensor, expert": what the layers communicate for.
std::string axes_of(const StepLife& life)
{
    std::string all;
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
    {
        if (life.sent_of(axis).value > 0)
        {
            all += (all.empty() ? "" : ", ") + std::string(name_of(axis));
        }
    }
    return all;
}

void StepView::draw_picture(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const StepLife& life = lives_.shown();
    const float label = painter.px(kLabel);
    const float axis = painter.px(30);
    const float table = step_compare_height(painter) + painter.px(10);
    const float lanes_least = step_lanes_height(painter, life, painter.px(34)) + axis;
    const bool compare = area.h >= lanes_least + table;
    const float held_least = painter.px(96);
    const bool held = area.h >= lanes_least + held_least + (compare ? table : 0);
    float room = area.h - axis - (compare ? table : 0) - (held ? held_least : 0) - painter.px(22);
    const float pitch =
        std::clamp(room / static_cast<float>(step_rows(life)), painter.px(14), painter.px(84));
    room = area.h - axis - step_lanes_height(painter, life, pitch) - (compare ? table : 0);
    const StepGroup& group = life.groups[life.groups[0].ranks > 1 ? 0 : 1];
    const auto rate = [](const Link& link)
    { return fmt::format("{} GB/s", three_digits(link.bandwidth.value / 1e9)); };
    const std::array rates{fmt::format("{} TFLOP/s", three_digits(life.reached / 1e12)), axes_of(life),
                           rate(group.links.inside), rate(group.links.between)};
    const StepStyle style{label,           pitch,    frame.playback.t,
                          stepping(frame), hovered_, {rates[0], rates[1], rates[2], rates[3]}};
    const Rect lanes = area.cut_top(step_lanes_height(painter, life, pitch));
    const Rect field{lanes.x + label, lanes.y, lanes.w - label, lanes.h};
    zoom_.mouse(field, life.total);
    painter.part("lanes", lanes);
    const TimeWindow w = zoom_.window(life.total);
    const auto had = hovered_;
    hovered_ = draw_step_lanes(painter, lanes, life, w, style);
    out.animating = out.animating || had != hovered_;
    draw_time_axis(painter, {field.x, area.y, field.w, axis}, w, life.total);
    area.cut_top(axis);
    if (held)
    {
        draw_memory(frame, painter, area.cut_top(std::min(room, painter.px(300))), life);
    }
    if (compare)
    {
        area.cut_top(painter.px(10));
        painter.part("compare", area);
        if (const auto strategy = draw_step_compare(painter, area, lives_))
        {
            choose(*strategy, out);
        }
    }
    if (hovered_ && *hovered_ < life.tasks.size())
    {
        step_tip(painter, {field.x, field.y, field.w, lanes.h + area.h}, life, *hovered_);
    }
}

void StepView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const StepLife& life = lives(frame).shown();
    if (life.alone())
    {
        empty_state(
            painter, area, "One replica: the whole step is compute.",
            "With one replica there is no gradient all-reduce. Raise \u201cGPUs\u201d, or lower tensor "
            "or pipeline parallelism, for a second replica.");
        return;
    }
    draw_head(painter, area.cut_top(painter.px(32)), life, out);
    area.cut_top(painter.px(4));
    area.cut_top(draw_step_legend(painter, area, life));
    draw_picture(frame, painter, area, out);
}

// Both in the same unit, so that they can be divided.
std::string milliseconds(double seconds)
{
    return figure(seconds * 1e3, 4) + " ms";
}

Caption StepView::caption(const Frame& frame) const
{
    const StepLives& all = lives(frame);
    const StepLife& life = all.shown();
    Caption caption;
    const Term term = explain_step_sent(life, all.options());
    if (life.alone())
    {
        caption.sentence = "With one replica nothing is sent, and **nothing is waited for**.";
        return caption;
    }
    caption.sentence = stepping(frame) ? say_moment(life, frame.playback.t, frame.preferences.unit)
                                       : say_step(all, frame.preferences.unit);
    caption.formula =
        fmt::format("sent = {} = {}", term.working, format_bytes(Bytes(term.value), frame.preferences.unit));
    caption.source = fmt::format(
        "{}\n{}.\nEfficiency = compute / step = {} / {} = {}.\nEach layer takes the seconds of the step-time "
        "model, {} TFLOP/s here; rings at the nominal link rate. ZeRO-1 and 2 gather the new weights after "
        "the optimizer; some runtimes hide that behind the "
        "next forward.",
        term.formula, term.source, milliseconds(life.compute), milliseconds(life.total),
        format_percent(life.efficiency()), three_digits(life.reached / 1e12));
    return caption;
}

bool StepView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    StepOptions shown = lives(frame).options();
    const StepStrategy strategy = shown.strategy;
    PanelColumn column(painter, area, out.animating);
    if (draw_step_panel(column, shown, lives_.shown()))
    {
        options_ = shown;
        options_.strategy = strategy;
    }
    return true;
}

ViewKeys StepView::keys()
{
    ViewKeys all{
        {"0 \u2026 3", "DDP, ZeRO-1, ZeRO-2, ZeRO-3",
         [this](const KeyPress& k) { choose(static_cast<StepStrategy>(k.which), k.out); }},
        {"H", "HSDP: sharded in the node, copied between nodes",
         [this](const KeyPress& k) { choose(StepStrategy::hsdp, k.out); }},
        {"O", "Overlap on and off", flips(options_.overlap)},
        {"I", "With or without what layers send themselves", flips(options_.inside_layers)},
        {"R", "Reshard after the forward, or keep the weights", flips(options_.reshard_after_forward)},
        {"hover", "What a task moves and what it waited for"}};
    add_zoom(all, zoom_, [this](const Frame& f) { return lives(f).shown().total; });
    return all;
}

constexpr std::array<std::string_view, 4> kControls{"model", "gpus", "tensor", "cluster.network_gb_per_s"};

} // namespace

extern const ViewInfo step_view;
const ViewInfo step_view{13,
                         "step",
                         "Network",
                         "Overlap",
                         "Communication overlap",
                         "One step of DDP, ZeRO, FSDP or HSDP on a timeline, and its exposed communication",
                         kControls,
                         [] { return std::unique_ptr<View>(std::make_unique<StepView>()); }};

} // namespace ringside
