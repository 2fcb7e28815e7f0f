// CPU and NVMe offload: what of one GPU lies in host memory or on NVMe, and whether the transfers of a step
// are overlapped with compute.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/view.h"
#include "ui/views/memory/offload/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"

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

enum class OffloadPage : std::uint8_t
{
    placement,
    step
};

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

class OffloadView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(page_, kPages, page); }
    std::string_view page_on_show() const override { return name_at(page_, kPages); }

private:
    const OffloadCases& cases(const Frame& frame) const
    {
        return cases_.of({frame.now.scenario, delayed_},
                         [](const auto& of) { return offload_cases(of.first, of.second); });
    }
    void place(const Frame& frame, Offload placement, Out& out)
    {
        Scenario next = frame.scenario;
        next.training.offload = placement;
        hovered_.reset();
        zoom_.reset();
        out.push(ChangeScenario{std::move(next), false});
    }
    void draw_lanes(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_step(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static void draw_numbers(PanelColumn& column, const OffloadReport& r, ByteUnit unit);

    OffloadPage page_ = OffloadPage::placement;
    bool delayed_ = false;
    Derived<std::pair<Scenario, bool>, OffloadCases> cases_;
    TierLevels levels_;
    TimeZoom zoom_;
    std::optional<std::size_t> hovered_;
};

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

Motion OffloadView::motion(const Frame& frame) const
{
    const OffloadCases& all = cases(frame);
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

void OffloadView::draw_lanes(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const OffloadCases& all = cases(frame);
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
                                  frame.playback.t, hovered_};
    const Rect field{area.x + style.label, area.y, area.w - style.label, style.pitch * lanes};
    zoom_.mouse(field, r.shown_total);
    const TimeWindow w = zoom_.window(r.shown_total);
    const auto had = hovered_;
    hovered_ = draw_offload_lanes(painter, area, r, w, style);
    out.animating = out.animating || had != hovered_;
    draw_time_axis(painter, {field.x, field.bottom() + painter.px(2), field.w, axis.h}, w, r.shown_total);
    if (hovered_ && *hovered_ < r.tasks.size())
    {
        offload_tip(painter, {field.x, whole.y, field.w, whole.h + painter.px(120)}, r, *hovered_);
    }
}

void OffloadView::draw_step(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const OffloadCases& all = cases(frame);
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
        draw_lanes(frame, painter, area.cut_top(std::clamp(area.h * 0.45F, lanes, painter.px(280))), out);
        area.cut_top(painter.px(12));
    }
    if (const auto change = draw_tokens(painter, area, all); change && frame.valid())
    {
        out.push(*change);
    }
}

void OffloadView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (page_ == OffloadPage::step)
    {
        draw_step(frame, painter, area, out);
        return;
    }
    const float table = placements_height(painter);
    if (area.h >= table + painter.px(180))
    {
        if (const auto placement = draw_placements(painter, area.cut_bottom(table), cases(frame)))
        {
            place(frame, *placement, out);
        }
        area.cut_bottom(painter.px(12));
    }
    draw_tiers(frame, painter, area, cases(frame).placed(), levels_, out);
}

std::string say_room(const OffloadReport& r, ByteUnit unit)
{
    const auto whole = [&](Bytes each) { return format_bytes(static_cast<double>(r.sharing) * each, unit); };
    return fmt::format("!!Host out of memory!!: {} need {} of {}.", counted(r.sharing, "GPU"),
                       whole(r.host_fullest), whole(r.capacity[1]));
}

Caption OffloadView::caption(const Frame& frame) const
{
    const OffloadCases& all = cases(frame);
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

void OffloadView::draw_numbers(PanelColumn& column, const OffloadReport& r, ByteUnit unit)
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

bool OffloadView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const OffloadReport& r = cases(frame).timed();
    PanelColumn column(painter, area, out.animating);
    column.choice({"Placement", "Step time"}, page_);
    column.heading("Break-even");
    column.figure(r.possible ? format_count(r.break_even()) : "\u2013",
                  fmt::format("tokens per step; now {}", format_count(r.tokens)));
    if (r.possible)
    {
        draw_numbers(column, r, painter.look.unit);
    }
    if (!offloads_weights(r.options.placement))
    {
        column.toggle(
            "Delayed update", delayed_,
            "The CPU optimizer overlaps with the next step, which uses the old weights (L). Ren et al., "
            "ZeRO-Offload, section 5.2");
    }
    return true;
}

ViewKeys OffloadView::keys()
{
    ViewKeys all{{"0 \u2026 4", "Nothing, optimizer on host or NVMe, weights too",
                  [this](const KeyPress& k) { place(k.frame, static_cast<Offload>(k.which), k.out); }},
                 {"Y", "Placement, or step time", turns(page_, kPages.size())},
                 {"L", "Delayed update on and off", flips(delayed_)},
                 {"drag", "The point on the chart: tokens per step"},
                 {"hover", "What a tier holds, a link carries, a task waited for"}};
    add_zoom(all, zoom_, [this](const Frame& f) { return cases(f).timed().shown_total; });
    return all;
}

} // namespace

extern const ViewInfo offload_view{
    6,
    "offload",
    "Memory",
    "Offload",
    "CPU and NVMe offload",
    "Optimizer state and weights in host memory or on NVMe: transfers, exposed time, break-even tokens",
    {"model", "micro_batch", "micro_batches", "cluster.gpu.pcie_gb_per_s", "cluster.nvme_gb_per_s"},
    make_view<OffloadView>,
    kPages,
    ViewRole::other,
    kOpenings};

} // namespace ringside
