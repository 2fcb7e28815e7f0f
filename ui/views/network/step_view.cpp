// How much communication is exposed? One data-parallel step of DDP, ZeRO 1 to 3 or HSDP on a timeline, and
// all of them compared.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/shell/paged_view.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kStepRest = 0.45;  // of the step: where the clock stands until the user moves it
constexpr float kStepLabel = 116;   // [design px] left of the time axis
constexpr double kStepSeconds = 15; // playing takes
constexpr std::array<std::string_view, 2> kStepPages{"step/timeline", "step/compare"};

struct StepState
{
    const StepCases& cases(const Frame& frame) const
    {
        return known.of({frame.now.scenario, options},
                        [](const auto& of) { return step_cases(of.first, of.second); });
    }
    StepStrategy strategy(const Frame& frame) const
    {
        const std::int64_t zero = std::clamp<std::int64_t>(frame.now.scenario.parallel.zero, 0, 3);
        return chosen.value_or(static_cast<StepStrategy>(zero));
    }
    const StepCase& shown(const Frame& frame) const
    {
        return cases(frame)[static_cast<std::size_t>(strategy(frame))];
    }
    void choose(StepStrategy strategy, Out& out)
    {
        chosen = strategy;
        hovered.reset();
        out.animating = true;
    }
    // The user moved the clock: what runs at its moment is said and marked.
    bool stepping(const Frame& frame) const
    {
        const double t = frame.playback.t;
        const double all = shown(frame).life.total;
        return t > 0 && t < all && std::abs(t - all * kStepRest) > 1e-9 * all;
    }
    void draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void draw_timeline(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_memory(const Frame& frame, const Painter& painter, Rect area) const;
    Caption caption(const Frame& frame, bool compares) const;

    StepOptions options;
    std::optional<StepStrategy> chosen; // nothing: as the scenario's ZeRO stage
    Derived<std::pair<Scenario, StepOptions>, StepCases> known;
    TimeZoom zoom;
    std::optional<std::size_t> hovered;
};
using StepRoom = PageRoom<StepState>;

Motion timeline_motion(const Frame& frame, StepState& state)
{
    const StepCase& step = state.shown(frame);
    if (step.life.alone())
    {
        return {};
    }
    return {.duration = step.life.total,
            .per_second = step.life.total / kStepSeconds,
            .stops = step.moments,
            .label = format_seconds(Seconds(std::min(frame.playback.t, step.life.total))),
            .rest = step.life.total * kStepRest};
}

// The strategies, and what of the one on show is exposed.
void StepState::draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out)
{
    const std::string words = fmt::format("{} exposed", format_seconds(Seconds(shown(frame).life.exposed)));
    const float said = painter.width(Type::title, words) + painter.px(32);
    const float choices = std::min(painter.px(400), row.w);
    if (choices + said + painter.px(16) <= row.w)
    {
        painter.text(row.right(), row.middle(), Type::title, painter.theme.text, words, Align::right);
        draw_fill(painter, {row.right() - said, row.middle() - painter.px(9), painter.px(18), painter.px(18)},
                  waiting_fill(painter.theme));
    }
    const float each = choices / static_cast<float>(kStepStrategies);
    const bool roomy = painter.width(Type::small_strong, "ZeRO-3") + painter.px(10) <= each;
    std::array<std::string_view, kStepStrategies> names{"0", "1", "2", "3", "H"};
    for (std::size_t i = 0; i < kStepStrategies && roomy; ++i)
    {
        names.at(i) = name_of(static_cast<StepStrategy>(i));
    }
    if (const auto clicked = segments(painter, {row.x, row.y, choices, row.h}, names,
                                      static_cast<std::size_t>(strategy(frame))))
    {
        choose(static_cast<StepStrategy>(*clicked), out);
    }
}

void StepState::draw_memory(const Frame& frame, const Painter& painter, Rect area) const
{
    const Theme& t = painter.theme;
    const StepLife& life = shown(frame).life;
    Rect head = area.cut_top(painter.px(26));
    const std::string_view title = "Unsharded memory";
    painter.text(head.x, head.middle(), Type::small_strong, t.text, title);
    head.cut_left(
        std::max(painter.px(kStepLabel), painter.width(Type::small_strong, title) + painter.px(16)));
    const auto most = [&](const char* what, Bytes bytes)
    { return fmt::format("{}, at most {}", what, format_bytes(bytes, painter.look.unit)); };
    draw_legend(painter, head,
                std::array{LegendItem{most("weights", life.peak_weights), {t.of(Component::weights)}},
                           LegendItem{most("gradients", life.peak_gradients), {t.of(Component::gradients)}}});
    area.cut_left(painter.px(kStepLabel));
    area.cut_bottom(painter.px(10));
    draw_held(painter, area, life, zoom.window(life.total));
    draw_now(painter, area, zoom.window(life.total), frame.playback.t);
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

void StepState::draw_timeline(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const StepLife& life = shown(frame).life;
    const Scenario& s = frame.now.scenario;
    draw_chart_title(
        painter, area.cut_top(painter.px(24)),
        fmt::format("{} of {}", counted(options.accumulation, "micro-batch"), grouped(micro_batches(s))),
        fmt::format("one rank of stage {}, without the pipeline bubble", life.stage));
    area.cut_top(draw_step_legend(painter, area, life));
    const float label = painter.px(kStepLabel);
    const float axis = painter.px(30);
    const float least = painter.px(110);
    const auto rows = static_cast<float>(step_rows(life));
    const bool held = area.h >= step_lanes_height(painter, life, painter.px(34)) + axis + least;
    const float pitch = std::clamp((area.h - axis - (held ? least : 0) - painter.px(22)) / rows,
                                   painter.px(14), painter.px(84));
    const StepGroup& group = life.groups[life.groups[0].ranks > 1 ? 0 : 1];
    const auto rate = [](const Link& link)
    { return fmt::format("{} GB/s", three_digits(link.bandwidth.value / 1e9)); };
    const std::array rates{fmt::format("{} TFLOP/s", three_digits(life.reached / 1e12)), axes_of(life),
                           rate(group.links.inside), rate(group.links.between)};
    const Rect lanes = area.cut_top(step_lanes_height(painter, life, pitch));
    const Rect field{lanes.x + label, lanes.y, lanes.w - label, lanes.h};
    zoom.mouse(field, life.total);
    painter.part("lanes", lanes);
    const TimeWindow w = zoom.window(life.total);
    const auto had = hovered;
    hovered = draw_step_lanes(
        painter, lanes, life, w,
        {label, pitch, frame.playback.t, stepping(frame), hovered, {rates[0], rates[1], rates[2], rates[3]}});
    out.animating = out.animating || had != hovered;
    draw_time_axis(painter, {field.x, area.y, field.w, axis}, w, life.total);
    area.cut_top(axis);
    if (held)
    {
        draw_memory(frame, painter, area);
    }
    if (hovered && *hovered < life.tasks.size())
    {
        step_tip(painter, {field.x, field.y, field.w, lanes.h + area.h}, life, *hovered);
    }
}

// The strategies, and below them `page`; where there is but one replica, why there is nothing to show.
template <class Draw>
void draw_step_page(const StepRoom& r, Draw page)
{
    Rect area = r.area;
    if (r.state.shown(r.frame).life.alone())
    {
        empty_state(
            r.p, area, "One replica: the whole step is compute.",
            "With one replica there is no gradient all-reduce. Raise \u201cGPUs\u201d, or lower tensor "
            "or pipeline parallelism, for a second replica.");
        return;
    }
    r.state.draw_head(r.frame, r.p, area.cut_top(r.p.px(32)), r.out);
    area.cut_top(r.p.px(8));
    page(area);
}

void draw_timeline_page(const StepRoom& r)
{
    draw_step_page(r, [&](Rect area) { r.state.draw_timeline(r.frame, r.p, area, r.out); });
}

void draw_compare_page(const StepRoom& r)
{
    draw_step_page(r,
                   [&](Rect area)
                   {
                       r.p.part("compare", area);
                       const StepCases& cases = r.state.cases(r.frame);
                       if (const auto pressed =
                               draw_step_compare(r.p, area, cases, r.state.strategy(r.frame)))
                       {
                           r.state.choose(*pressed, r.out);
                       }
                   });
}

// Both in the same unit, so that they can be divided.
std::string milliseconds(double seconds)
{
    return figure(seconds * 1e3, 4) + " ms";
}

Caption StepState::caption(const Frame& frame, bool compares) const
{
    const StepLife& life = shown(frame).life;
    StepOptions asked = options;
    asked.strategy = strategy(frame);
    Caption caption;
    const Term term = explain_step_sent(life, asked);
    if (life.alone())
    {
        caption.sentence = "With one replica nothing is sent, and **nothing is exposed**.";
        return caption;
    }
    caption.sentence = !compares && stepping(frame)
                           ? say_moment(life, frame.playback.t, frame.preferences.unit)
                           : say_step(life, asked, frame.preferences.unit);
    if (compares || asked.strategy == StepStrategy::hsdp)
    {
        const StepCase& hsdp = cases(frame)[static_cast<std::size_t>(StepStrategy::hsdp)];
        caption.sentence += say_unsharded_hsdp(hsdp.life, frame.now.scenario);
    }
    caption.formula =
        fmt::format("sent = {} = {}", term.working, format_bytes(Bytes(term.value), frame.preferences.unit));
    caption.source = fmt::format(
        "{}\n{}.\nEfficiency = compute / step = {} / {} = {}.\nEach layer takes the seconds of the step-time "
        "model, {} TFLOP/s here; rings run at the nominal link rate. ZeRO-1 and 2 gather the new weights "
        "after "
        "the optimizer; some runtimes overlap that with the next forward.",
        term.formula, term.source, milliseconds(life.compute), milliseconds(life.total),
        format_percent(life.efficiency()), three_digits(life.reached / 1e12));
    return caption;
}

void panel_step(PanelColumn& column, const StepRoom& r)
{
    StepOptions all = r.state.options;
    all.strategy = r.state.strategy(r.frame);
    if (draw_step_panel(column, all, r.state.shown(r.frame).life))
    {
        r.state.options = all;
        r.state.options.strategy = {};
    }
}

constexpr Page<StepState> kTimelinePage{
    "Timeline", draw_timeline_page, panel_step,
    [](const Frame& frame, StepState& state) { return state.caption(frame, false); }, timeline_motion};
constexpr Page<StepState> kComparePage{
    "Compare",  draw_compare_page,
    panel_step, [](const Frame& frame, StepState& state) { return state.caption(frame, true); },
    nullptr,    "Strategies compared"};

class StepView final : public PagedView<StepState>
{
public:
    StepView() : PagedView(kStepPages, {&kTimelinePage, &kComparePage}) {}

    ViewKeys keys() override;
};

ViewKeys StepView::keys()
{
    StepState& s = state_;
    ViewKeys all{{"0 \u2026 3", "DDP, ZeRO-1, ZeRO-2, ZeRO-3",
                  [&s](const KeyPress& k) { s.choose(static_cast<StepStrategy>(k.which), k.out); }},
                 {"H", "HSDP: sharded within a node, replicated between nodes",
                  [&s](const KeyPress& k) { s.choose(StepStrategy::hsdp, k.out); }},
                 turn_key("Timeline, or all strategies compared"),
                 {"O", "Overlap on and off", flips(s.options.overlap)},
                 {"I", "TP, CP and EP traffic on and off", flips(s.options.inside_layers)},
                 {"R", "Reshard after forward on and off", flips(s.options.reshard_after_forward)},
                 {"hover", "What a task moves and what it waited for"}};
    add_zoom(all, s.zoom, [&s](const Frame& f) { return s.shown(f).life.total; });
    return all;
}

} // namespace

extern const ViewInfo step_view{
    40,
    "step",
    ViewGroup::network,
    "Overlap",
    "Communication overlap",
    "One step of DDP, ZeRO, FSDP or HSDP on a timeline, and its exposed communication",
    {"model", "gpus", "tensor", "cluster.network_gb_per_s"},
    make_view<StepView>,
    kStepPages};

} // namespace ringside
