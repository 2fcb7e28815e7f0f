// What does each rank hold, and what moves next? Ring all-reduce and the other algorithms, step by step.
// One file, since picture, strip and caption tell of one moment of one collective.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/network/collective/cost.h"
#include "core/network/collective/sound.h"
#include "ui/shell/view.h"
#include "ui/views/network/kinds.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/ring.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

// The collective on show: its steps among the ranks drawn, its cost among all.
struct Shown
{
    Collective steps;
    CollectiveCost cost;
    Bytes message;
    std::int64_t ranks = 1; // of the real group
    Links links;
    Issues refused; // why this algorithm cannot be drawn with these ranks
};

class RingView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    std::shared_ptr<const Score> sound(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    const Shown& shown(const Frame& frame) const;
    std::size_t step_of(const Frame& frame) const
    {
        const std::size_t steps = shown(frame).steps.steps.size();
        return std::min(static_cast<std::size_t>(std::max(0.0, frame.playback.t)), steps);
    }
    Phase phase_of(const Frame& frame) const
    {
        const auto& steps = shown(frame).steps.steps;
        return steps.empty() ? Phase::reduce_scatter
                             : steps[std::min(step_of(frame), steps.size() - 1)].phase;
    }
    // Real time at a drawn step: the clock is that of the whole group, however many ranks are drawn.
    Seconds time_at(const Frame& frame) const
    {
        const Shown& c = shown(frame);
        const auto steps = static_cast<double>(c.steps.steps.size());
        return steps > 0 ? c.cost.total() * (std::min(frame.playback.t, steps) / steps) : Seconds();
    }
    bool is_ring_all_reduce() const
    {
        return kind_ == CollectiveKind::all_reduce && algorithm_->id == "ring";
    }
    void choose(CollectiveKind kind, const CollectiveAlgorithm* algorithm, Out& out);
    void draw_popups(const Painter& painter, Out& out);
    void draw_clock(const Frame& frame, const Painter& painter, Rect ring) const;
    void draw_phases(const Frame& frame, const Painter& painter, Rect row, Out& out) const;
    void draw_rank(const Frame& frame, const Painter& painter, Rect area) const;

    CollectiveKind kind_ = CollectiveKind::all_reduce;
    const CollectiveAlgorithm* algorithm_ = find_algorithm("ring");
    std::size_t rank_ = 3;
    bool hidden_ = false; // until the class has said what the rank will hold
    const char* open_ = nullptr;
    Derived<std::tuple<Scenario, CollectiveKind, const CollectiveAlgorithm*>, Shown> shown_;
    Derived<int, std::shared_ptr<const Score>> sound_; // of shown_, as often as it was made
};

constexpr const char* kKindPopup = "choose a collective";
constexpr const char* kAlgorithmPopup = "choose an algorithm";

Shown shown_of(const Scenario& s, const CollectiveReport& c, CollectiveKind kind,
               const CollectiveAlgorithm& algorithm)
{
    Shown shown;
    shown.message = c.message;
    shown.ranks = kind == CollectiveKind::send_recv ? std::min<std::int64_t>(2, c.ranks) : c.ranks;
    shown.links = links_of(s, c);
    const std::int64_t drawn = kind == CollectiveKind::send_recv ? shown.ranks : c.drawn_ranks;
    auto made = make_collective(
        kind, algorithm, {drawn, std::min(shown.links.per_node, std::max<std::int64_t>(1, drawn / 2))});
    if (made)
    {
        shown.steps = std::move(*made);
    }
    else
    {
        shown.steps.ranks = drawn;
        shown.steps.chunks = 1;
        shown.refused = made.issues();
    }
    shown.cost = estimate(kind, algorithm, shown.ranks, shown.message, shown.links);
    return shown;
}

const Shown& RingView::shown(const Frame& frame) const
{
    const auto make = [&](const auto&)
    { return shown_of(frame.now.scenario, *frame.now.report->collective, kind_, *algorithm_); };
    return shown_.of({frame.now.scenario, kind_, algorithm_}, make);
}

void RingView::choose(CollectiveKind kind, const CollectiveAlgorithm* algorithm, Out& out)
{
    kind_ = kind;
    algorithm_ = algorithm;
    for (const CollectiveAlgorithm* other : collective_algorithms())
    {
        algorithm_ = algorithm_->can(kind_) ? algorithm_ : other;
    }
    hidden_ = false;
    out.push(Play{false});
    out.push(Seek{0});
}

Motion RingView::motion(const Frame& frame) const
{
    const auto steps = static_cast<double>(shown(frame).steps.steps.size());
    return {.duration = steps,
            .per_second = std::max(0.8, steps / 16),
            .label = fmt::format("step {}/{:.0f}",
                                 std::min(step_of(frame) + 1, static_cast<std::size_t>(std::max(1.0, steps))),
                                 steps),
            .rest = steps > 0 ? std::min(steps, std::floor(steps * 0.3) + 0.5) : 0};
}

std::shared_ptr<const Score> RingView::sound(const Frame& frame) const
{
    const Collective& steps = shown(frame).steps;
    return sound_.of(
        shown_.made(),
        [&](int) { return steps.steps.empty() ? nullptr : std::make_shared<const Score>(score_of(steps)); });
}

// In the middle of the ring; in the corner where that is full of paths or too small.
void RingView::draw_clock(const Frame& frame, const Painter& painter, Rect ring) const
{
    const Shown& c = shown(frame);
    const std::size_t steps = c.steps.steps.size();
    const Theme& t = painter.theme;
    const std::string step =
        step_of(frame) >= steps ? "done" : fmt::format("step {} of {}", step_of(frame) + 1, steps);
    const float needed =
        std::max(std::hypot(painter.width(Type::display, step) / 2, painter.px(30)), painter.px(70));
    const bool ringed = !c.steps.in_switch && is_ring_all_reduce() &&
                        needed <= room_in_ring(painter, ring, static_cast<std::size_t>(c.steps.ranks));
    const float x = ringed ? ring.centre() : ring.x;
    const float y = ringed ? ring.middle() : ring.y + painter.px(28);
    const Align align = ringed ? Align::centre : Align::left;
    if (ringed)
    {
        painter.text(x, y - painter.px(52), Type::body, t.muted,
                     phase_of(frame) == Phase::reduce_scatter ? "reduce-scatter" : "all-gather", align);
    }
    painter.text(x, y - painter.px(14), ringed ? Type::display : Type::title, t.text, step, align);
    painter.text(x, y + painter.px(ringed ? 28 : 14), ringed ? Type::mono_title : Type::mono, t.text,
                 format_seconds(time_at(frame)), align);
    painter.text(x, y + painter.px(ringed ? 56 : 34), Type::mono_small, t.muted,
                 "of " + format_seconds(c.cost.total()), align);
}

void RingView::draw_phases(const Frame& frame, const Painter& painter, Rect row, Out& out) const
{
    const auto& steps = shown(frame).steps.steps;
    if (steps.empty())
    {
        return;
    }
    const float pitch = row.w / static_cast<float>(steps.size());
    const auto gather =
        std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.phase == Phase::all_gather; });
    for (const Phase phase : {Phase::reduce_scatter, Phase::all_gather})
    {
        const auto first = phase == Phase::all_gather ? gather : steps.begin();
        if (first != steps.end() && first->phase == phase)
        {
            painter.text(row.x + pitch * static_cast<float>(first - steps.begin()), row.y + painter.px(8),
                         phase_of(frame) == phase ? Type::small_strong : Type::small, painter.theme.text,
                         phase == Phase::all_gather ? "all-gather phase" : "reduce-scatter phase");
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const Rect cell{row.x + pitch * static_cast<float>(i), row.y + painter.px(24), pitch - painter.px(4),
                        painter.px(8)};
        const BarPart done{std::clamp(frame.playback.t - static_cast<double>(i), 0.0, 1.0),
                           {painter.theme.data}};
        painter.fill(cell, painter.theme.raised);
        draw_stacked_bar(painter, cell, std::span(&done, 1), {1, false});
        if (i == step_of(frame))
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

// "sends 1 chunk to rank 4", "receives 1 from rank 2": what a rank does in a step.
std::vector<std::string> rank_steps(const Collective& c, std::size_t step, std::size_t rank)
{
    if (step >= c.steps.size())
    {
        return {"every rank has its result"};
    }
    std::int64_t leaves = 0;
    std::int64_t arrives = 0;
    std::int64_t to = 0;
    std::int64_t from = 0;
    for (const Transfer& move : c.steps[step].transfers)
    {
        const bool away = static_cast<std::size_t>(move.from) == rank;
        const bool here = static_cast<std::size_t>(move.to) == rank;
        leaves += away ? 1 : 0;
        arrives += here ? 1 : 0;
        to = away ? static_cast<std::int64_t>(move.to) : to;
        from = here ? static_cast<std::int64_t>(move.from) : from;
    }
    const auto whom = [&](std::int64_t other)
    { return other < c.ranks ? fmt::format("rank {}", other) : std::string("the switch"); };
    std::vector<std::string> says;
    if (leaves > 0)
    {
        says.push_back(fmt::format("sends {} to {}", counted(leaves, "chunk"), whom(to)));
    }
    if (arrives > 0)
    {
        says.push_back(fmt::format("receives {} from {}", arrives, whom(from)));
    }
    return says.empty() ? std::vector<std::string>{"idle in this step"} : says;
}

void RingView::draw_rank(const Frame& frame, const Painter& painter, Rect area) const
{
    const Collective& c = shown(frame).steps;
    painter.part("rank", area);
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
    if (hidden_)
    {
        painter.paragraph(
            {in.x, in.y + painter.px(12), in.w, in.h}, Type::body, painter.theme.muted,
            fmt::format("What will rank {} hold after this step? Say it, then press Enter.", rank_));
        return;
    }
    draw_holdings(painter, in, c, frame.playback.t, rank_);
    if (!explained)
    {
        return;
    }
    Sheet sheet(painter, {notes.x, notes.y + painter.px(8), notes.w, 0});
    for (const std::string& line : rank_steps(c, step, rank_))
    {
        sheet.text(line);
        sheet.gap(4);
    }
    const Colour gold = painter.theme.of(Component::gradients).fill;
    const std::array legend{LegendItem{"already in the sum", plain_fill(gold)},
                            LegendItem{"in transit", {.ink = {0, 0, gold}}}};
    draw_legend(painter, {notes.x, notes.bottom() - painter.px(56), notes.w, painter.px(56)}, legend, 2);
}

void RingView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Shown& c = shown(frame);
    draw_popups(painter, out);
    rank_ = std::min(rank_, static_cast<std::size_t>(std::max<std::int64_t>(1, c.steps.ranks)) - 1);
    if (!c.refused.empty())
    {
        empty_state(painter, area, fmt::format("{} does not support these ranks.", algorithm_->name),
                    to_line(c.refused.front()));
        return;
    }
    if (area.w > painter.px(640))
    {
        Rect side = area.cut_right(painter.px(240));
        area.cut_right(painter.px(20));
        const Rect note = side.cut_bottom(painter.px(64));
        draw_rank(frame, painter, side);
        painter.paragraph({note.x, note.y + painter.px(14), note.w, note.h}, Type::small, painter.theme.muted,
                          "Dots around a packet: the ranks in its sum, rank 0 at the top.");
    }
    const Rect phases = area.cut_bottom(painter.px(48));
    const std::string where = c.ranks > c.links.per_node ? "inter-node" : "intra-node";
    const std::string all = c.ranks > c.steps.ranks
                                ? fmt::format("{} of {} ranks drawn, {}; time and bytes are for all",
                                              c.steps.ranks, grouped(c.ranks), where)
                                : fmt::format("{}, {}", counted(c.ranks, "rank"), where);
    painter.text_within(area.x, area.y + painter.px(16), area.w, Type::small, painter.theme.muted, all);
    Rect ring = area;
    ring.cut_top(painter.px(24));
    ring.cut_bottom(painter.px(8));
    painter.part("ring", {ring.x, ring.y + painter.px(8), ring.w, ring.h - painter.px(8)});
    painter.part("steps", phases);
    const auto hovered = draw_ring(painter, ring, c.steps, frame.playback.t, {rank_, true, true});
    if (hovered && ImGui::IsMouseClicked(0))
    {
        rank_ = *hovered;
    }
    if (c.steps.steps.empty())
    {
        // Below the disc of the one rank.
        const float below = ring.middle() + std::min(ring.w, ring.h) * 0.2F + painter.px(28);
        painter.text(ring.centre(), std::min(below, ring.bottom() - painter.px(12)), Type::body,
                     painter.theme.muted, painter.shortened(Type::body, "One rank: nothing to send.", ring.w),
                     Align::centre);
    }
    if (!c.steps.steps.empty() && std::min(ring.w, ring.h) > painter.px(330))
    {
        draw_clock(frame, painter, ring);
    }
    draw_phases(frame, painter, phases, out);
}

Caption RingView::caption(const Frame& frame) const
{
    const Shown& c = shown(frame);
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
            fmt::format("Done: every rank has its result; the busiest sent **{}** for a message of {}.",
                        format_bytes(c.cost.sent_per_rank, frame.preferences.unit),
                        format_bytes(c.message, frame.preferences.unit));
    }
    else if (!is_ring_all_reduce())
    {
        caption.sentence =
            fmt::format("{} by {}: **{} steps**, the busiest rank sends **{}**; {}.",
                        capitalized(std::string(name_of(kind_))), algorithm_->name, c.cost.steps,
                        format_bytes(c.cost.sent_per_rank, frame.preferences.unit), algorithm_->says);
    }
    else if (c.steps.steps[step].phase == Phase::reduce_scatter)
    {
        caption.sentence = fmt::format(
            "Step {}: every rank sends one partial sum of {} to the next; **{} each**, all links busy.",
            step + 1, step + 1, chunk);
    }
    else
    {
        caption.sentence = fmt::format(
            "Step {}: every rank forwards one complete sum; **{} each**, all links busy.", step + 1, chunk);
    }
    if (c.ranks < 2)
    {
        caption.formula = "T = 0: one rank, nothing to send";
    }
    else if (is_ring_all_reduce())
    {
        const Term term = explain_all_reduce(frame.now.scenario, *frame.now.report);
        caption.formula =
            fmt::format("T = {} = {} = {}", term.formula, term.working, format_seconds(Seconds(term.value)));
        caption.source = term.source;
    }
    else
    {
        caption.formula = fmt::format(
            "T = latency + transfer = {} + {} = {};  bus bandwidth {} GB/s", format_seconds(c.cost.latency),
            format_seconds(c.cost.transfer), format_seconds(c.cost.total()),
            three_digits(bus_bandwidth(kind_, c.ranks, c.message, c.cost.total()).value / 1e9));
        caption.source = algorithm_->source;
    }
    return caption;
}

void RingView::draw_popups(const Painter& painter, Out& out)
{
    if (open_ != nullptr)
    {
        ImGui::OpenPopup(open_);
        open_ = nullptr;
    }
    if (const auto kind = kind_popup(painter, kKindPopup))
    {
        choose(*kind, algorithm_, out);
    }
    std::vector<const CollectiveAlgorithm*> can;
    std::vector<Choosable> algorithms;
    for (const CollectiveAlgorithm* a : collective_algorithms())
    {
        if (a->can(kind_))
        {
            can.push_back(a);
            algorithms.push_back({a->id, a->name, a->says});
        }
    }
    if (const auto chosen = choice_popup(painter, kAlgorithmPopup, algorithms))
    {
        choose(kind_, can[*chosen], out);
    }
}

bool RingView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Shown& c = shown(frame);
    const auto bytes = [&](Bytes b) { return format_bytes(b, painter.look.unit); };
    const auto steps = static_cast<double>(std::max<std::size_t>(1, c.steps.steps.size()));
    const double share = c.ranks < 2             ? 0
                         : c.steps.steps.empty() ? 1
                                                 : std::min(frame.playback.t, steps) / steps;
    PanelColumn column(painter, area, out.animating);
    if (column.dropdown("###kind of collective", name_of(kind_)))
    {
        open_ = kKindPopup;
    }
    if (column.dropdown("###algorithm", algorithm_->name))
    {
        open_ = kAlgorithmPopup;
    }
    column.heading("Bytes sent per rank");
    column.figure(bytes(c.cost.sent_per_rank * share),
                  fmt::format("of {}{}", bytes(c.cost.sent_per_rank),
                              is_ring_all_reduce() ? " = 2(N\u22121)/N \u00d7 S" : ", by the busiest rank"));
    column.gap(4);
    const Rect bar = column.row(8);
    painter.fill(bar, painter.theme.raised);
    const BarPart sent{share, {painter.theme.data}};
    draw_stacked_bar(painter, bar, std::span(&sent, 1), {1, false});
    column.gap(8);
    column.fact("Message S", bytes(c.message));
    column.fact("Ranks N", grouped(c.ranks));
    const Link& link = c.ranks > c.links.per_node ? c.links.between : c.links.inside;
    column.fact("Link, one way", three_digits(link.bandwidth.value / 1e9) + " GB/s");
    column.fact("Latency term", format_seconds(c.cost.latency));
    column.fact("Bandwidth term", format_seconds(c.cost.transfer));
    column.gap();
    if (const auto pressed = column.buttons({{"Back", ","}, {"Step", "."}}))
    {
        out.push(Play{false});
        out.push(Seek{next_stop(motion(frame), frame.playback.t, *pressed == 0 ? -1 : 1)});
    }
    return true;
}

ViewKeys RingView::keys()
{
    return {{"C", "Choose the collective", [this] { open_ = kKindPopup; }},
            {"G", "Choose the algorithm", [this] { open_ = kAlgorithmPopup; }},
            {"P", "Predict: hide what the rank holds",
             [this](const KeyPress& k)
             {
                 hidden_ = !hidden_;
                 k.out.push(Play{false});
             }},
            {"Enter", "Predicted: take the step and show it",
             [this](const KeyPress& k)
             {
                 if (std::exchange(hidden_, false))
                 {
                     k.out.push(Seek{next_stop(motion(k.frame), k.frame.playback.t, 1)});
                 }
             }},
            {"R", "Next rank; Shift+R the one before",
             [this](const KeyPress& k)
             {
                 const auto ranks =
                     static_cast<std::size_t>(std::max<std::int64_t>(1, shown(k.frame).steps.ranks));
                 rank_ = (rank_ + (ImGui::GetIO().KeyShift ? ranks - 1 : 1)) % ranks;
             },
             true},
            {"click", "Choose a rank, or a step"}};
}

} // namespace

extern const ViewInfo ring_view{
    20,
    "ring",
    ViewGroup::network,
    "Algorithms",
    "Collective algorithms",
    "Ring all-reduce and its siblings, step by step: chunks, partial sums, bytes and time",
    {"collective.ranks", "collective.message_gb", "cluster.node_link_gb_per_s", "cluster.network_gb_per_s",
     "collective.latency_us"},
    make_view<RingView>};

} // namespace ringside
