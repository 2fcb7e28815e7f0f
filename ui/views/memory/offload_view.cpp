// CPU and NVMe offload: what of one GPU lies in host memory or on NVMe, and whether the transfers of a step
// are overlapped with compute.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/paged_view.h"
#include "ui/views/memory/offload/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kLaneLabel = 112;      // [design px] left of the lanes
constexpr double kOffloadSeconds = 15; // playing takes
constexpr double kShare = 0.9;         // of the step, for which the panel names a rate
constexpr std::array<std::string_view, 2> kPages{"offload/placement", "offload/step"};
// Where nothing is offloaded, the optimizer on the host.
std::optional<Scenario> offloaded_optimizer(const Scenario& own, const Presets&)
{
    if (own.training.offload != Offload::none)
    {
        return std::nullopt;
    }
    Scenario next = own;
    next.training.offload = Offload::optimizer_cpu;
    return next;
}

constexpr std::array kOpenings{
    Opening{"offload/placement", "optimizer on the host", offloaded_optimizer, true},
    Opening{"offload/step", "optimizer on the host", offloaded_optimizer}};

struct OffloadState
{
    bool delayed = false;
    Derived<std::pair<Scenario, bool>, OffloadCases> known;
    TierLevels levels;
    TimeZoom zoom;
    std::optional<std::size_t> hovered;

    const OffloadCases& cases(const Frame& frame) const
    {
        return known.of({frame.now.scenario, delayed},
                        [](const auto& of) { return offload_cases(of.first, of.second); });
    }
    void place(const Frame& frame, Offload placement, Out& out)
    {
        Scenario next = frame.scenario;
        next.training.offload = placement;
        hovered.reset();
        zoom.reset();
        out.push(ChangeScenario{std::move(next), false});
    }
};
using OffloadRoom = PageRoom<OffloadState>;

// Rests where something is on its way to the GPU or the disks, late in the step.
double resting(const OffloadReport& r)
{
    double computed = 0;
    for (const OffloadTask& task : r.tasks)
    {
        computed = task.lane == OffloadLane::compute ? std::max(computed, task.end) : computed;
    }
    const double wanted =
        offloads_weights(r.options.placement) ? 0.35 * r.shown_total : (computed + r.shown_total) / 2;
    double best = r.shown_total / 2;
    double distance = r.shown_total;
    for (const OffloadTask& task : r.tasks)
    {
        const double middle = (task.start + task.end) / 2;
        const bool moves = task.lane == OffloadLane::up || task.lane == OffloadLane::nvme;
        if (moves && task.end > task.start && std::abs(middle - wanted) < distance)
        {
            best = middle;
            distance = std::abs(middle - wanted);
        }
    }
    return best;
}

Motion offload_motion(const Frame& frame, OffloadState& state)
{
    const OffloadCases& all = state.cases(frame);
    const OffloadReport& r = all.timed();
    if (!r.possible || r.shown_total <= 0)
    {
        return {};
    }
    Motion motion;
    motion.duration = r.shown_total;
    motion.per_second = motion.duration / kOffloadSeconds;
    motion.rest = resting(r);
    motion.rounds = 2; // the clock rests near the end
    motion.stops = all.moments;
    motion.label = format_seconds(Seconds(std::min(frame.playback.t, r.shown_total)));
    return motion;
}

void draw_lanes(const OffloadRoom& room, Rect area)
{
    const Painter& painter = room.p;
    OffloadState& state = room.state;
    const OffloadCases& all = state.cases(room.frame);
    const OffloadReport& r = all.timed();
    const Rect whole = area;
    const Rect head = area.cut_top(painter.px(26));
    const LegendItem exposed{fmt::format("{} exposed", format_seconds(Seconds(r.exposed))),
                             waiting_fill(painter.theme)};
    const float said = painter.width(Type::small, exposed.name) + painter.px(40);
    draw_legend(painter, {head.right() - said, head.y, said, head.h}, std::span(&exposed, 1));
    std::string title = all.supposed() ? "One step with the optimizer on the host" : "One step";
    if (r.shown < r.micro_batches)
    {
        title += fmt::format(": {} of {} micro-batches", r.shown, grouped(r.micro_batches));
    }
    draw_chart_title(
        painter, {head.x, head.y, head.w - said, head.h}, title,
        fmt::format("{}: one GPU, without pipeline bubble and network", format_seconds(Seconds(r.total))));
    const Rect axis = area.cut_bottom(painter.px(26));
    const auto lanes = static_cast<float>(lanes_of(r).size());
    const OffloadLanesStyle style{painter.px(kLaneLabel), std::min(area.h / lanes, painter.px(44)),
                                  room.frame.playback.t, state.hovered};
    const Rect field{area.x + style.label, area.y, area.w - style.label, style.pitch * lanes};
    state.zoom.mouse(field, r.shown_total);
    const TimeWindow w = state.zoom.window(r.shown_total);
    const auto had = state.hovered;
    state.hovered = draw_offload_lanes(painter, area, r, w, style);
    room.out.animating = room.out.animating || had != state.hovered;
    draw_time_axis(painter, {field.x, field.bottom() + painter.px(2), field.w, axis.h}, w, r.shown_total);
    if (state.hovered && *state.hovered < r.tasks.size())
    {
        offload_tip(painter, {field.x, whole.y, field.w, whole.h + painter.px(120)}, r, *state.hovered);
    }
}

void draw_offload_step(const OffloadRoom& room)
{
    const Painter& painter = room.p;
    Rect area = room.area;
    const OffloadCases& all = room.state.cases(room.frame);
    if (!all.timed().possible)
    {
        empty_state(painter, area,
                    "A link to host memory or NVMe has no stated rate, so nothing can be timed.",
                    "Set PCIe and NVMe in the panel, or choose a GPU that states them.");
        return;
    }
    const float lanes =
        painter.px(26 + 26 + 4) + static_cast<float>(lanes_of(all.timed()).size()) * painter.px(18);
    if (area.h >= lanes + painter.px(120))
    {
        draw_lanes(room, area.cut_top(std::clamp(area.h * 0.45F, lanes, painter.px(280))));
        area.cut_top(painter.px(12));
    }
    if (const auto change = draw_tokens(painter, area, all); change && room.frame.valid())
    {
        room.out.push(*change);
    }
}

void draw_placement(const OffloadRoom& room)
{
    const Painter& painter = room.p;
    Rect area = room.area;
    const OffloadCases& all = room.state.cases(room.frame);
    const float table = placements_height(painter);
    if (area.h >= table + painter.px(180))
    {
        if (const auto placement = draw_placements(painter, area.cut_bottom(table), all))
        {
            room.state.place(room.frame, *placement, room.out);
        }
        area.cut_bottom(painter.px(12));
    }
    draw_tiers(room.frame, painter, area, all.placed(), room.state.levels, room.out);
}

std::string say_room(const OffloadReport& r, ByteUnit unit)
{
    const auto whole = [&](Bytes each) { return format_bytes(static_cast<double>(r.sharing) * each, unit); };
    return fmt::format("!!Host out of memory!!: {} need {} of {}.", counted(r.sharing, "GPU"),
                       whole(r.host_fullest), whole(r.capacity[1]));
}

Caption offload_caption(const Frame& frame, OffloadState& state)
{
    const OffloadCases& all = state.cases(frame);
    const OffloadReport& r = all.timed();
    const ByteUnit unit = frame.preferences.unit;
    Caption caption;
    if (!r.possible)
    {
        caption.sentence = "Without a rate of PCIe or NVMe **nothing can be timed**.";
        return caption;
    }
    const Term term = explain_break_even(r);
    const std::string tokens = format_count(r.tokens);
    const std::string even = format_count(r.break_even());
    if (all.supposed())
    {
        caption.sentence =
            fmt::format("Nothing is offloaded. The optimizer on the host would free {} and take "
                        "**{:.2f}\u00d7** the time.",
                        format_bytes(all.of(Offload::none).fullest - r.fullest, unit), r.slowdown());
    }
    else if (!r.host_fits)
    {
        caption.sentence = say_room(r, unit);
    }
    else
    {
        caption.sentence = fmt::format(
            "{} tokens per step, break-even {}: offload is {}; a step takes **{:.2f}\u00d7** the time.",
            tokens, even, r.tokens < r.break_even() ? "transfer-bound" : "overlapped as far as it can be",
            r.slowdown());
    }
    caption.formula = fmt::format("break-even = {} = {} = {}", term.formula, term.working, even);
    caption.source = fmt::format("{}.\nTransfer time is that of a step whose compute takes no time. Below "
                                 "break-even no overlap hides it; "
                                 "above, what cannot overlap stays exposed. The CPU optimizer reaches 43% of "
                                 "the host's memory bandwidth "
                                 "(Ren et al., Table 4) and starts when all gradients are there; gradients "
                                 "are accumulated on the GPU and "
                                 "sent once. Pipeline bubble and traffic between GPUs are left out.",
                                 term.source);
    return caption;
}

void draw_numbers(PanelColumn& column, const OffloadReport& r, ByteUnit unit)
{
    column.fact("Compute", format_seconds(Seconds(r.compute)));
    column.fact("Transfers", format_seconds(Seconds(r.transfer)), "Offload time without overlap");
    column.fact("Exposed", format_seconds(Seconds(r.exposed)));
    if (r.break_even_each() > 0)
    {
        column.fact("Per micro-batch", format_count(r.break_even_each()),
                    "Break-even tokens of one micro-batch");
    }
    const Bytes moved = r.step.down + r.step.up;
    if (moved > Bytes{} && r.compute > 0)
    {
        const BytesPerSecond needed =
            rate_for_efficiency(kShare, r.flops / moved.value, r.flops_per_second());
        column.fact("PCIe for 90%", format_bytes(Bytes(needed.value)) + "/s",
                    "For compute to be 90% of the step without overlap");
    }
    if (r.sharing > 1)
    {
        const auto whole = [&](Bytes share)
        { return format_bytes(static_cast<double>(r.sharing) * share, unit); };
        column.fact("Host", fmt::format("{} of {}", whole(r.host_fullest), whole(r.capacity[1])), {},
                    r.host_fits ? FactInk::plain : FactInk::warned);
    }
}

void panel_offload(PanelColumn& column, const OffloadRoom& room)
{
    const OffloadReport& r = room.state.cases(room.frame).timed();
    column.heading("Break-even");
    column.figure(r.possible ? format_count(r.break_even()) : "\u2013",
                  fmt::format("tokens per step; now {}", format_count(r.tokens)));
    if (r.possible)
    {
        draw_numbers(column, r, room.p.look.unit);
    }
    if (!offloads_weights(r.options.placement))
    {
        column.toggle(
            "Delayed update", room.state.delayed,
            "The CPU optimizer overlaps with the next step, which uses the old weights (L). Ren et al., "
            "ZeRO-Offload, section 5.2");
    }
}

constexpr Page<OffloadState> kPlacementPage{"Placement", draw_placement, panel_offload, offload_caption,
                                            offload_motion};
constexpr Page<OffloadState> kOffloadStepPage{"Step time",     draw_offload_step, panel_offload,
                                              offload_caption, offload_motion,    "Step with offload"};

class OffloadView final : public PagedView<OffloadState>
{
public:
    OffloadView() : PagedView(kPages, {&kPlacementPage, &kOffloadStepPage}) {}

    ViewKeys keys() override
    {
        OffloadState& s = state_;
        ViewKeys all{{"0 \u2026 4", "Nothing, optimizer on host or NVMe, weights too",
                      [&s](const KeyPress& k) { s.place(k.frame, static_cast<Offload>(k.which), k.out); }},
                     turn_key("Placement, or step time"),
                     {"L", "Delayed update on and off", flips(s.delayed)},
                     {"drag", "The point on the chart: tokens per step"},
                     {"hover", "What a tier holds, a link carries, a task waited for"}};
        add_zoom(all, s.zoom, [&s](const Frame& f) { return s.cases(f).timed().shown_total; });
        return all;
    }
};

} // namespace

extern const ViewInfo offload_view{
    50,
    "offload",
    ViewGroup::memory,
    "Offload",
    "CPU and NVMe offload",
    "Optimizer state and weights in host memory or on NVMe: transfers, exposed time, break-even tokens",
    {"model", "micro_batch", "micro_batches", "cluster.gpu.pcie_gb_per_s", "cluster.nvme_gb_per_s"},
    make_view<OffloadView>,
    kPages,
    ViewRole::other,
    kOpenings};

} // namespace ringside
