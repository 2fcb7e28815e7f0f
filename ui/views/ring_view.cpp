// What does each rank hold, and what moves next: ring all-reduce, step by step, forwards and backwards.
#include <fmt/format.h>

#include "core/engine/explain.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/ring.h"

#include <algorithm>
#include <bit>

namespace ringside
{

namespace
{

class RingView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    void draw_clock(const Frame& frame, const Painter& painter, Rect ring) const;
    void draw_phases(const Frame& frame, const Painter& painter, Rect row, Out& out) const;
    void draw_rank(const Frame& frame, const Painter& painter, Rect area) const;

    std::size_t rank_ = 3;
};

std::size_t step_of(const Frame& frame)
{
    const std::size_t steps = frame.now.report.collective.steps.steps.size();
    return std::min(static_cast<std::size_t>(std::max(0.0, frame.playback.t)), steps);
}

Phase phase_of(const Frame& frame)
{
    const auto& steps = frame.now.report.collective.steps.steps;
    return steps.empty() ? Phase::reduce_scatter : steps[std::min(step_of(frame), steps.size() - 1)].phase;
}

Motion RingView::motion(const Frame& frame) const
{
    const auto steps = static_cast<double>(frame.now.report.collective.steps.steps.size());
    Motion motion;
    motion.duration = steps;
    motion.per_second = 0.8;
    motion.rest = steps > 0 ? std::min(steps, std::floor(steps * 0.3) + 0.5) : 0;
    motion.label =
        fmt::format("step {}/{:.0f}",
                    std::min(step_of(frame) + 1, static_cast<std::size_t>(std::max(1.0, steps))), steps);
    return motion;
}

// Real time at a drawn step: the clock is that of the whole group, however many ranks are drawn.
Seconds time_at(const Frame& frame)
{
    const CollectiveReport& c = frame.now.report.collective;
    const auto steps = static_cast<double>(c.steps.steps.size());
    return steps > 0 ? c.cost.total() * (std::min(frame.playback.t, steps) / steps) : Seconds();
}

void RingView::draw_clock(const Frame& frame, const Painter& painter, Rect ring) const
{
    const CollectiveReport& c = frame.now.report.collective;
    const std::size_t steps = c.steps.steps.size();
    const bool done = step_of(frame) >= steps;
    const float y = ring.middle();
    const auto& theme = painter.theme;
    painter.text(ring.centre(), y - painter.px(52), Type::body, theme.muted,
                 phase_of(frame) == Phase::reduce_scatter ? "reduce-scatter" : "all-gather", Align::centre);
    painter.text(ring.centre(), y - painter.px(14), Type::display, theme.text,
                 done ? "done" : fmt::format("step {} of {}", step_of(frame) + 1, steps), Align::centre);
    painter.text(ring.centre(), y + painter.px(28), Type::mono_title, theme.text,
                 format_seconds(time_at(frame)), Align::centre);
    painter.text(ring.centre(), y + painter.px(56), Type::mono_small, theme.muted,
                 "of " + format_seconds(c.cost.total()), Align::centre);
}

void RingView::draw_phases(const Frame& frame, const Painter& painter, Rect row, Out& out) const
{
    const auto& steps = frame.now.report.collective.steps.steps;
    if (steps.empty())
    {
        return;
    }
    const float pitch = row.w / static_cast<float>(steps.size());
    const std::size_t now = step_of(frame);
    painter.text(row.x, row.y + painter.px(8),
                 phase_of(frame) == Phase::reduce_scatter ? Type::small_strong : Type::small,
                 painter.theme.text, "reduce-scatter");
    painter.text(row.x + row.w / 2, row.y + painter.px(8),
                 phase_of(frame) == Phase::all_gather ? Type::small_strong : Type::small, painter.theme.text,
                 "all-gather");
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const Rect cell{row.x + pitch * static_cast<float>(i), row.y + painter.px(24), pitch - painter.px(4),
                        painter.px(8)};
        painter.fill(cell, painter.theme.raised);
        const auto share =
            static_cast<float>(std::clamp(frame.playback.t - static_cast<double>(i), 0.0, 1.0));
        painter.fill({cell.x, cell.y, cell.w * share, cell.h}, painter.theme.data.fill);
        if (i == now)
        {
            painter.outline(cell.inset(-painter.px(2)), painter.theme.text, painter.px(2), painter.px(2));
        }
        if (press(painter, cell.inset(-painter.px(4)), fmt::format("step {}", i + 1).c_str()).clicked)
        {
            out.push(Play{false});
            out.push(Seek{static_cast<double>(i)});
        }
    }
}

void RingView::draw_rank(const Frame& frame, const Painter& painter, Rect area) const
{
    const Collective& c = frame.now.report.collective.steps;
    painter.fill(area, painter.theme.panel, painter.px(8));
    painter.outline(area, painter.theme.grid, 1, painter.px(8));
    Rect in = area.inset(painter.px(16));
    Rect row = in.cut_top(painter.px(32));
    painter.text(row.x, row.y + painter.px(8), Type::body_strong, painter.theme.text,
                 fmt::format("Rank {} holds", rank_));
    const std::size_t step = step_of(frame);
    // The sets come first; what they mean is left out where both have no room.
    const float sets = painter.px(24) + painter.px(16) * static_cast<float>(c.chunks);
    const bool explained = in.h - painter.px(120) >= sets;
    const Rect notes = in.cut_bottom(explained ? painter.px(120) : 0);
    draw_holdings(painter, in, c, frame.playback.t, rank_);
    if (!explained)
    {
        return;
    }
    const Holdings held = holdings_after(c, step);
    float y = notes.y + painter.px(16);
    if (step < c.steps.size())
    {
        for (const Transfer& move : c.steps[step].transfers)
        {
            const auto chunk = static_cast<std::size_t>(move.chunk);
            const bool leaves = static_cast<std::size_t>(move.from) == rank_;
            const bool arrives = static_cast<std::size_t>(move.to) == rank_;
            if (!leaves && !arrives)
            {
                continue;
            }
            const int sent = std::popcount(held[static_cast<std::size_t>(move.from)][chunk]);
            const int result = c.steps[step].phase == Phase::reduce_scatter
                                   ? sent + std::popcount(held[rank_][chunk])
                                   : sent;
            painter.text(notes.x, y, Type::mono, painter.theme.text, chunk_name(chunk));
            painter.text_within(notes.x + painter.px(24), y, notes.w - painter.px(24), Type::small,
                                painter.theme.text,
                                leaves ? fmt::format("leaves, sum of {}", sent)
                                       : fmt::format("arrives, becomes sum of {}", result));
            y += painter.px(26);
        }
    }
    else
    {
        painter.text_within(notes.x, y, notes.w, Type::small, painter.theme.text,
                            "every chunk is the sum of all ranks");
    }
    const Colour gold = painter.theme.of(Component::gradients).fill;
    const Rect solid{notes.x, notes.y + painter.px(72), painter.px(14), painter.px(14)};
    painter.fill(solid, gold, painter.px(2));
    painter.text(notes.x + painter.px(24), solid.middle(), Type::small, painter.theme.muted,
                 "already in the sum");
    painter.outline({solid.x, solid.y + painter.px(26), solid.w, solid.h}, gold, painter.px(2),
                    painter.px(2));
    painter.text(notes.x + painter.px(24), solid.middle() + painter.px(26), Type::small, painter.theme.muted,
                 "on its way");
}

void RingView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const CollectiveReport& c = frame.now.report.collective;
    rank_ = std::min(rank_, static_cast<std::size_t>(std::max<std::int64_t>(1, c.steps.ranks)) - 1);
    if (area.w > painter.px(640))
    {
        Rect side = area.cut_right(painter.px(240));
        area.cut_right(painter.px(20));
        const Rect note = side.cut_bottom(painter.px(64));
        draw_rank(frame, painter, side);
        painter.paragraph({note.x, note.y + painter.px(14), note.w, note.h}, Type::small, painter.theme.muted,
                          "Dots round a packet sit where the ranks sit on the ring.");
    }
    const Rect phases = area.cut_bottom(painter.px(48));
    const std::string where = c.crosses_nodes ? "over the network" : "inside a node";
    const std::string all = c.ranks > c.drawn_ranks
                                ? fmt::format("{} of {} ranks drawn, {}; clock and bytes for all",
                                              c.drawn_ranks, grouped(c.ranks), where)
                                : fmt::format("{} rank{}, {}", c.ranks, c.ranks == 1 ? "" : "s", where);
    painter.text_within(area.x, area.y + painter.px(16), area.w, Type::small, painter.theme.muted, all);
    Rect ring = area;
    ring.cut_top(painter.px(24));
    ring.cut_bottom(painter.px(8));
    if (c.steps.steps.empty())
    {
        painter.text(ring.centre(), ring.middle() + painter.px(64), Type::body, painter.theme.muted,
                     "One rank has its sum already: nothing moves.", Align::centre);
    }
    const auto hovered = draw_ring(painter, ring, c.steps, frame.playback.t, {rank_, true, true});
    if (hovered && ImGui::IsMouseClicked(0))
    {
        rank_ = *hovered;
    }
    if (!c.steps.steps.empty() && std::min(ring.w, ring.h) > painter.px(330))
    {
        draw_clock(frame, painter, ring);
    }
    draw_phases(frame, painter, phases, out);
}

Caption RingView::caption(const Frame& frame) const
{
    const CollectiveReport& c = frame.now.report.collective;
    const std::size_t steps = c.steps.steps.size();
    const std::size_t step = step_of(frame);
    Caption caption;
    const std::string chunk = format_bytes(c.message / static_cast<double>(c.ranks), frame.preferences.unit);
    if (steps == 0)
    {
        caption.sentence = "With one rank there is nothing to reduce.";
    }
    else if (step >= steps)
    {
        caption.sentence =
            fmt::format("Done: every rank holds every sum, and sent **{}** for {} of gradients.",
                        format_bytes(c.cost.sent_per_rank, frame.preferences.unit),
                        format_bytes(c.message, frame.preferences.unit));
    }
    else if (c.steps.steps[step].phase == Phase::reduce_scatter)
    {
        caption.sentence = fmt::format(
            "Step {}: every rank passes one partial sum of {} to the next; **{} each**, all links busy.",
            step + 1, step + 1, chunk);
    }
    else
    {
        caption.sentence = fmt::format(
            "Step {}: every rank passes one finished sum on; **{} each**, all links busy.", step + 1, chunk);
    }
    const Term term = explain_all_reduce(frame.now.scenario, frame.now.report);
    caption.formula =
        fmt::format("T = {} = {} = {}", term.formula, term.working, format_seconds(Seconds(term.value)));
    caption.source = term.source;
    return caption;
}

bool RingView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const CollectiveReport& c = frame.now.report.collective;
    const auto steps = static_cast<double>(std::max<std::size_t>(1, c.steps.steps.size()));
    const double share = c.steps.steps.empty() ? 1 : std::min(frame.playback.t, steps) / steps;
    Rect row = area.cut_top(painter.px(32));
    painter.text(row.x, row.middle(), Type::body_strong, painter.theme.text, "Bytes sent per rank");
    row = area.cut_top(painter.px(48));
    painter.text(row.x, row.middle(), Type::display, painter.theme.text,
                 format_bytes(c.cost.sent_per_rank * share, painter.look.unit));
    row = area.cut_top(painter.px(24));
    painter.text_within(
        row.x, row.middle(), row.w, Type::small, painter.theme.muted,
        fmt::format("of {} = 2(N\u22121)/N \u00d7 S", format_bytes(c.cost.sent_per_rank, painter.look.unit)));
    row = area.cut_top(painter.px(24));
    const Rect bar{row.x, row.middle() - painter.px(4), row.w, painter.px(8)};
    painter.fill(bar, painter.theme.raised, painter.px(2));
    painter.fill({bar.x, bar.y, bar.w * static_cast<float>(share), bar.h}, painter.theme.data.fill,
                 painter.px(2));
    const auto line = [&](std::string_view label, const std::string& value)
    {
        const Rect r = area.cut_top(painter.px(28));
        painter.text(r.x, r.middle(), Type::small, painter.theme.muted, label);
        painter.text(r.right(), r.middle(), Type::mono_small, painter.theme.text, value, Align::right);
    };
    line("Message S", format_bytes(c.message, painter.look.unit));
    line("Ranks N", grouped(c.ranks));
    line("Link, one way", three_digits(c.link.bandwidth.value / 1e9) + " GB/s");
    line("Latency part", format_seconds(c.cost.latency));
    line("Bandwidth part", format_seconds(c.cost.transfer));
    area.cut_top(painter.px(8));
    row = area.cut_top(painter.px(40));
    const float half = (row.w - painter.px(8)) / 2;
    const Motion m = motion(frame);
    if (button(painter, {row.x, row.y, half, row.h}, "Back", ","))
    {
        out.push(Play{false});
        out.push(Seek{next_stop(m, frame.playback.t, -1)});
    }
    if (button(painter, {row.x + half + painter.px(8), row.y, half, row.h}, "Step", "."))
    {
        out.push(Play{false});
        out.push(Seek{next_stop(m, frame.playback.t, 1)});
    }
    return true;
}

void RingView::keys(const Frame& frame, Out&)
{
    const auto ranks =
        static_cast<std::size_t>(std::max<std::int64_t>(1, frame.now.report.collective.steps.ranks));
    if (ImGui::IsKeyPressed(ImGuiKey_R))
    {
        rank_ = (rank_ + (ImGui::GetIO().KeyShift ? ranks - 1 : 1)) % ranks;
    }
}

constexpr std::array<std::string_view, 5> kControls{"collective.ranks", "collective.message_gb",
                                                    "cluster.node_link_gb_per_s", "cluster.network_gb_per_s",
                                                    "collective.latency_us"};
constexpr std::array kKeys{KeyHelp{"R", "Next rank; Shift+R the one before"},
                           KeyHelp{"click", "Choose a rank, or a step"}};

} // namespace

extern const ViewInfo ring_view;
const ViewInfo ring_view{30,
                         "ring",
                         "Network",
                         "Ring",
                         "What does each rank hold, and what moves next?",
                         "Ring all-reduce step by step: chunks, partial sums as sets, bytes and time",
                         kControls,
                         kKeys,
                         [] { return std::unique_ptr<View>(std::make_unique<RingView>()); }};

} // namespace ringside
