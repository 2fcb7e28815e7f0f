// Is the shelf fast enough: what of one GPU lies in host memory or on disk, what flows through the pipes in a
// step, and from how many tokens on compute takes longer than they do.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/performance/step_life.h"
#include "ui/shell/view.h"
#include "ui/views/memory/offload/lanes.h"
#include "ui/views/memory/offload/shelves.h"
#include "ui/views/memory/offload/table.h"
#include "ui/views/memory/offload/tanks.h"
#include "ui/views/memory/offload/tokens.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kLabel = 104;   // [design px] left of the lanes
constexpr double kSeconds = 15; // playing takes
constexpr double kShare = 0.9;  // of the step, for which the panel names a rate

class OffloadView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    const Shelves& shelves(const Frame& frame) const;
    void place(const Frame& frame, Offload placement, Out& out);
    void draw_lanes(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_below(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_chart(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_numbers(PanelColumn& column, ByteUnit unit) const;

    bool delayed_ = false;
    Shelves shelves_;
    TankLevels levels_;
    TimeZoom zoom_;
    std::optional<std::size_t> hovered_;
};

const Shelves& OffloadView::shelves(const Frame& frame) const
{
    shelves_.update(frame.now.scenario, delayed_);
    return shelves_;
}

void OffloadView::place(const Frame& frame, Offload placement, Out& out)
{
    Scenario next = frame.scenario;
    next.training.offload = placement;
    hovered_.reset();
    zoom_.reset();
    out.push(ChangeScenario{std::move(next), false});
}

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
    const Shelves& all = shelves(frame);
    const OffloadReport& r = all.timed();
    if (!r.possible || r.shown_total <= 0)
    {
        return {};
    }
    Motion motion;
    motion.duration = r.shown_total;
    motion.per_second = motion.duration / kSeconds;
    motion.rest = resting(r);
    motion.rounds = 2; // the clock rests near the end
    motion.stops = all.moments();
    motion.label = format_seconds(Seconds(std::min(frame.playback.t, r.shown_total)));
    return motion;
}

void OffloadView::draw_lanes(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Theme& t = painter.theme;
    const OffloadReport& r = shelves_.timed();
    const Rect whole = area;
    const Rect head = area.cut_top(painter.px(26));
    const std::string words = fmt::format("{} exposed", format_seconds(Seconds(r.exposed)));
    const float said = painter.width(Type::small_strong, words);
    std::string title = shelves_.supposed() ? "One step, if the optimizer were on the host" : "One step";
    if (r.shown < r.micro_batches)
    {
        title += fmt::format(": {} of {} micro-batches", r.shown, grouped(r.micro_batches));
    }
    painter.text_within(head.x, head.middle(), head.w - said - painter.px(40), Type::small_strong, t.text,
                        title);
    painter.text(head.right(), head.middle(), Type::small_strong, t.text, words, Align::right);
    draw_fill(
        painter,
        {head.right() - said - painter.px(22), head.middle() - painter.px(7), painter.px(14), painter.px(14)},
        waiting_fill(t));
    const Rect axis = area.cut_bottom(painter.px(26));
    const auto lanes = static_cast<float>(lanes_of(r).size());
    const ShelfLanesStyle style{painter.px(kLabel), std::min(area.h / lanes, painter.px(34)),
                                frame.playback.t, hovered_};
    const Rect field{area.x + style.label, area.y, area.w - style.label, style.pitch * lanes};
    zoom_.mouse(field, r.shown_total);
    const TimeWindow w = zoom_.window(r.shown_total);
    const auto had = hovered_;
    hovered_ = draw_shelf_lanes(painter, area, r, w, style);
    out.animating = out.animating || had != hovered_;
    draw_time_axis(painter, {field.x, field.bottom() + painter.px(2), field.w, axis.h}, w, r.shown_total);
    if (hovered_ && *hovered_ < r.tasks.size())
    {
        shelf_tip(painter, {field.x, whole.y, field.w, whole.h + painter.px(120)}, r, *hovered_);
    }
}

void OffloadView::draw_chart(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (!shelves_.timed().possible)
    {
        empty_state(painter, area,
                    "A link to host memory or NVMe has no stated rate, so nothing can be timed.",
                    "Set PCIe and NVMe in the panel, or choose a GPU that states them.");
        return;
    }
    const auto wish = draw_tokens(painter, area, shelves_);
    if (wish && frame.valid())
    {
        Scenario next = wish->steps != 0 ? with_tokens_stepped(frame.scenario, wish->steps)
                                         : with_tokens(frame.scenario, wish->tokens);
        if (!(next == frame.scenario))
        {
            out.push(ChangeScenario{std::move(next), wish->steps == 0});
        }
    }
}

void OffloadView::draw_below(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const bool both = area.w >= painter.px(640);
    Rect table = both ? area.cut_right(std::clamp(area.w * 0.46F, painter.px(316), painter.px(470))) : area;
    if (both)
    {
        area.cut_right(painter.px(32));
        draw_chart(frame, painter, area, out);
    }
    if (const auto placement = draw_placements(painter, table, shelves_))
    {
        place(frame, *placement, out);
    }
}

void OffloadView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    shelves(frame);
    const OffloadReport& r = shelves_.timed();
    const float table = placements_height(painter) + painter.px(8);
    const float tanks = painter.px(128);
    const float lanes =
        r.possible ? painter.px(26 + 26 + 4) + static_cast<float>(lanes_of(r).size()) * painter.px(18) : 0;
    const bool tabled = area.h >= table + tanks;
    const bool laned = lanes > 0 && area.w >= painter.px(380) && area.h >= table + tanks + lanes;
    const float gap = painter.px(12);
    const float rest = area.h - (tabled ? table + gap : 0) - (laned ? lanes + gap : 0);
    // What is left over goes to the tanks, then to the chart.
    const float spare = std::max(0.0F, rest - painter.px(196));
    const float top = tabled ? rest - spare * 0.55F : area.h;
    draw_tanks(frame, painter, area.cut_top(top), shelves_.placed(),
               {frame.playback.t, r.possible && area.w > painter.px(300), levels_}, out);
    if (laned)
    {
        area.cut_top(gap);
        draw_lanes(frame, painter, area.cut_top(lanes + spare * 0.1F), out);
    }
    if (tabled)
    {
        area.cut_top(gap);
        draw_below(frame, painter, area, out);
    }
}

std::string say_room(const OffloadReport& r, ByteUnit unit)
{
    const Bytes host = static_cast<double>(r.sharing) * r.host_fullest;
    const Bytes room = static_cast<double>(r.sharing) * r.capacity[1];
    return fmt::format("!!The host has no room!!: {} GPU{} put {} into {}, **so this cannot run**.",
                       r.sharing, r.sharing == 1 ? "" : "s", format_bytes(host, unit),
                       format_bytes(room, unit));
}

Caption OffloadView::caption(const Frame& frame) const
{
    const Shelves& all = shelves(frame);
    const OffloadReport& r = all.timed();
    const ByteUnit unit = frame.preferences.unit;
    Caption caption;
    if (!r.possible)
    {
        caption.sentence = "Without a rate between GPU and shelf **nothing can be timed**.";
        return caption;
    }
    const Term term = explain_break_even(r);
    const std::string tokens = format_count(r.tokens);
    const std::string even = format_count(r.break_even());
    const Bytes freed = all.of(Offload::none).fullest - r.fullest;
    if (all.supposed())
    {
        caption.sentence = fmt::format("Nothing is offloaded; the optimizer on the host would free {} and "
                                       "make a step **{:.2f} times as long**.",
                                       format_bytes(freed, unit), r.slowdown());
    }
    else if (!r.host_fits)
    {
        caption.sentence = say_room(r, unit);
    }
    else if (r.tokens < r.break_even())
    {
        caption.sentence =
            fmt::format("{} tokens are too few for this shelf, which needs {}: a step is **{:.2f} "
                        "times as long**.",
                        tokens, even, r.slowdown());
    }
    else
    {
        caption.sentence =
            fmt::format("With {} tokens offload is fully overlapped (break-even {}): a step is "
                        "**{:.2f} times as long**.",
                        tokens, even, r.slowdown());
    }
    caption.formula = fmt::format("break-even = {} = {} = {}", term.formula, term.working, even);
    caption.source = fmt::format("{}.\nThe shelf's time is that of a step in which compute takes none. Below "
                                 "the break-even no overlap hides "
                                 "it; above, what cannot overlap stays exposed. The host's optimizer reaches "
                                 "43% of its memory's rate (Ren et "
                                 "al., Table 4) and starts when all gradients are there; gradients are "
                                 "summed on the GPU and sent once. "
                                 "Traffic between GPUs is left out.",
                                 term.source);
    return caption;
}

void OffloadView::draw_numbers(PanelColumn& column, ByteUnit unit) const
{
    const OffloadReport& r = shelves_.timed();
    column.fact("Compute", format_seconds(Seconds(r.compute)));
    column.fact("Offload time without overlap", format_seconds(Seconds(r.shelf)));
    column.fact("Exposed", format_seconds(Seconds(r.exposed)));
    if (r.break_even_each() > 0)
    {
        column.fact("Break-even, micro-batch", format_count(r.break_even_each()));
    }
    const Bytes moved = r.step.down + r.step.up;
    if (moved > Bytes{} && r.compute > 0)
    {
        const BytesPerSecond needed =
            rate_for_efficiency(kShare, r.flops / moved.value, r.flops_per_second());
        column.fact("PCIe for 90%", format_bytes(Bytes(needed.value)) + "/s");
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
    const OffloadReport& r = shelves(frame).timed();
    PanelColumn column(painter, area, out.animating);
    column.heading("Break-even");
    column.figure(r.possible ? format_count(r.break_even()) : "\u2013",
                  fmt::format("tokens per step; now {}", format_count(r.tokens)));
    if (r.possible)
    {
        draw_numbers(column, painter.look.unit);
    }
    if (!offloads_weights(r.options.placement))
    {
        column.toggle("Delayed update", delayed_,
                      "The host updates while the GPU computes the next step with the old weights (L). Ren "
                      "et al., ZeRO-Offload, section 5.2");
    }
    return true;
}

ViewKeys OffloadView::keys()
{
    ViewKeys all{{"0 \u2026 4", "Nothing, optimizer on host or NVMe, with the weights too",
                  [this](const KeyPress& k) { place(k.frame, static_cast<Offload>(k.which), k.out); }},
                 {"L", "Delayed update: beside the next step, or not", flips(delayed_)},
                 {"drag", "The point on the chart: tokens of a step"},
                 {"hover", "What a tank holds, a pipe carries, a task waited for"}};
    add_zoom(all, zoom_, [this](const Frame& f) { return shelves(f).timed().shown_total; });
    return all;
}

constexpr std::array<std::string_view, 5> kControls{"model", "micro_batch", "micro_batches",
                                                    "cluster.gpu.pcie_gb_per_s", "cluster.nvme_gb_per_s"};

} // namespace

extern const ViewInfo offload_view;
const ViewInfo offload_view{
    6,
    "offload",
    "Memory",
    "Offload",
    "CPU and NVMe offload",
    "Optimizer state and weights in host memory or on NVMe: transfers, exposed time, break-even tokens",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<OffloadView>()); }};

} // namespace ringside
