// What does each rank hold, and what moves next: ring all-reduce, step by step, forwards and backwards.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/evaluate/explain.h"
#include "core/network/collective/cost.h"
#include "ui/shell/view.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/ring.h"

#include <algorithm>
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
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    const Shown& shown(const Frame& frame) const;
    std::size_t step_of(const Frame& frame) const;
    Phase phase_of(const Frame& frame) const;
    Seconds time_at(const Frame& frame) const;
    bool is_ring_all_reduce() const;
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
    mutable Scenario shown_of_;
    mutable std::pair<CollectiveKind, const CollectiveAlgorithm*> shown_as_{CollectiveKind::all_reduce,
                                                                            nullptr};
    mutable Shown shown_;
};

constexpr const char* kKindPopup = "choose a collective";
constexpr const char* kAlgorithmPopup = "choose an algorithm";

const Shown& RingView::shown(const Frame& frame) const
{
    const Scenario& s = frame.now.scenario;
    const std::pair as{kind_, algorithm_};
    if (shown_as_ == as && shown_of_ == s)
    {
        return shown_;
    }
    shown_as_ = as;
    shown_of_ = s;
    const CollectiveReport& c = frame.now.report.collective;
    shown_ = {};
    shown_.message = c.message;
    shown_.ranks = kind_ == CollectiveKind::send_recv ? std::min<std::int64_t>(2, c.ranks) : c.ranks;
    // Ranks of one replica sit together, so a node holds so many of the group.
    const std::int64_t per_node = std::max<std::int64_t>(1, s.cluster.gpus_per_node / s.parallel.tensor);
    shown_.links = {{c.link.latency, BytesPerSecond(node_link(s.cluster) * 1e9)},
                    {c.link.latency, BytesPerSecond(s.cluster.network_gb_per_s * 1e9)},
                    per_node};
    const std::int64_t drawn = kind_ == CollectiveKind::send_recv ? shown_.ranks : c.drawn_ranks;
    auto made = make_collective(kind_, *algorithm_,
                                {drawn, std::min(per_node, std::max<std::int64_t>(1, drawn / 2))});
    if (made)
    {
        shown_.steps = std::move(*made);
    }
    else
    {
        shown_.steps.ranks = drawn;
        shown_.steps.chunks = 1;
        shown_.refused = made.issues();
    }
    shown_.cost = estimate(kind_, *algorithm_, shown_.ranks, shown_.message, shown_.links);
    return shown_;
}

bool RingView::is_ring_all_reduce() const
{
    return kind_ == CollectiveKind::all_reduce && algorithm_->id == "ring";
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

std::size_t RingView::step_of(const Frame& frame) const
{
    const std::size_t steps = shown(frame).steps.steps.size();
    return std::min(static_cast<std::size_t>(std::max(0.0, frame.playback.t)), steps);
}

Phase RingView::phase_of(const Frame& frame) const
{
    const auto& steps = shown(frame).steps.steps;
    return steps.empty() ? Phase::reduce_scatter : steps[std::min(step_of(frame), steps.size() - 1)].phase;
}

Motion RingView::motion(const Frame& frame) const
{
    const auto steps = static_cast<double>(shown(frame).steps.steps.size());
    Motion motion;
    motion.duration = steps;
    motion.per_second = std::max(0.8, steps / 16);
    motion.rest = steps > 0 ? std::min(steps, std::floor(steps * 0.3) + 0.5) : 0;
    motion.label =
        fmt::format("step {}/{:.0f}",
                    std::min(step_of(frame) + 1, static_cast<std::size_t>(std::max(1.0, steps))), steps);
    return motion;
}

// Real time at a drawn step: the clock is that of the whole group, however many ranks are drawn.
Seconds RingView::time_at(const Frame& frame) const
{
    const Shown& c = shown(frame);
    const auto steps = static_cast<double>(c.steps.steps.size());
    return steps > 0 ? c.cost.total() * (std::min(frame.playback.t, steps) / steps) : Seconds();
}

void RingView::draw_clock(const Frame& frame, const Painter& painter, Rect ring) const
{
    const Shown& c = shown(frame);
    const std::size_t steps = c.steps.steps.size();
    const bool done = step_of(frame) >= steps;
    const auto& theme = painter.theme;
    const std::string step = done ? "done" : fmt::format("step {} of {}", step_of(frame) + 1, steps);
    if (c.steps.in_switch || !is_ring_all_reduce())
    {
        // The middle is full of ways; the clock stands in the corner.
        painter.text(ring.x, ring.y + painter.px(14), Type::title, theme.text, step);
        painter.text(ring.x, ring.y + painter.px(42), Type::mono, theme.text, format_seconds(time_at(frame)));
        painter.text(ring.x, ring.y + painter.px(62), Type::mono_small, theme.muted,
                     "of " + format_seconds(c.cost.total()));
        return;
    }
    const float y = ring.middle();
    painter.text(ring.centre(), y - painter.px(52), Type::body, theme.muted,
                 phase_of(frame) == Phase::reduce_scatter ? "reduce-scatter" : "all-gather", Align::centre);
    painter.text(ring.centre(), y - painter.px(14), Type::display, theme.text, step, Align::centre);
    painter.text(ring.centre(), y + painter.px(28), Type::mono_title, theme.text,
                 format_seconds(time_at(frame)), Align::centre);
    painter.text(ring.centre(), y + painter.px(56), Type::mono_small, theme.muted,
                 "of " + format_seconds(c.cost.total()), Align::centre);
}

void RingView::draw_phases(const Frame& frame, const Painter& painter, Rect row, Out& out) const
{
    const auto& steps = shown(frame).steps.steps;
    if (steps.empty())
    {
        return;
    }
    const float pitch = row.w / static_cast<float>(steps.size());
    const std::size_t now = step_of(frame);
    // Where adding up ends and passing on begins.
    const auto gather =
        std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.phase == Phase::all_gather; });
    const bool ring = kind_ == CollectiveKind::all_reduce &&
                      (algorithm_->id == "ring" || algorithm_->id == "hierarchical" ||
                       algorithm_->id == "halving-doubling");
    const auto word = [&](Phase phase, float x, const char* words)
    {
        painter.text(x, row.y + painter.px(8), phase_of(frame) == phase ? Type::small_strong : Type::small,
                     painter.theme.text, words);
    };
    if (gather != steps.begin())
    {
        word(Phase::reduce_scatter, row.x, ring ? "reduce-scatter" : "reduce-scatter phase");
    }
    if (gather != steps.end())
    {
        word(Phase::all_gather, row.x + pitch * static_cast<float>(gather - steps.begin()),
             ring ? "all-gather" : "all-gather phase");
    }
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
    const Holdings held = holdings_after(c, step);
    float y = notes.y + painter.px(16);
    const auto say = [&](const std::string& words)
    {
        painter.text_within(notes.x, y, notes.w, Type::small, painter.theme.text, words);
        y += painter.px(26);
    };
    std::size_t leaves = 0;
    std::size_t arrives = 0;
    std::size_t to = 0;
    std::size_t from = 0;
    for (const Transfer& move : step < c.steps.size() ? c.steps[step].transfers : std::vector<Transfer>{})
    {
        const bool away = static_cast<std::size_t>(move.from) == rank_;
        const bool here = static_cast<std::size_t>(move.to) == rank_;
        leaves += away ? 1 : 0;
        arrives += here ? 1 : 0;
        to = away ? static_cast<std::size_t>(move.to) : to;
        from = here ? static_cast<std::size_t>(move.from) : from;
    }
    const auto whom = [&](std::size_t rank)
    {
        return rank < static_cast<std::size_t>(c.ranks) ? fmt::format("rank {}", rank)
                                                        : std::string("the switch");
    };
    if (step >= c.steps.size())
    {
        say("every rank has what it is to have");
    }
    else if (leaves + arrives == 0)
    {
        say("nothing to do in this step");
    }
    if (leaves > 0)
    {
        say(fmt::format("sends {} chunk{} to {}", leaves, leaves == 1 ? "" : "s", whom(to)));
    }
    if (arrives > 0)
    {
        say(fmt::format("receives {} from {}", arrives, whom(from)));
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
    const Shown& c = shown(frame);
    draw_popups(painter, out);
    rank_ = std::min(rank_, static_cast<std::size_t>(std::max<std::int64_t>(1, c.steps.ranks)) - 1);
    if (!c.refused.empty())
    {
        painter.text(area.centre(), area.middle() - painter.px(16), Type::title, painter.theme.text,
                     fmt::format("{} does not suit these ranks.", algorithm_->name), Align::centre);
        painter.text(area.centre(), area.middle() + painter.px(20), Type::body, painter.theme.muted,
                     to_line(c.refused.front()), Align::centre);
        return;
    }
    if (area.w > painter.px(640))
    {
        Rect side = area.cut_right(painter.px(240));
        area.cut_right(painter.px(20));
        const Rect note = side.cut_bottom(painter.px(64));
        draw_rank(frame, painter, side);
        painter.paragraph({note.x, note.y + painter.px(14), note.w, note.h}, Type::small, painter.theme.muted,
                          "Dots round a packet: its summands, rank 0 at the top.");
    }
    const Rect phases = area.cut_bottom(painter.px(48));
    const std::string where = c.ranks > c.links.per_node ? "over the network" : "inside a node";
    const std::string all = c.ranks > c.steps.ranks
                                ? fmt::format("{} of {} ranks drawn, {}; clock and bytes for all",
                                              c.steps.ranks, grouped(c.ranks), where)
                                : fmt::format("{} rank{}, {}", c.ranks, c.ranks == 1 ? "" : "s", where);
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
                     painter.theme.muted,
                     painter.shortened(Type::body, "One rank has everything already: nothing moves.", ring.w),
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
        caption.sentence = fmt::format(
            "Done: every rank has what it is to have; the busiest sent **{}** for a message of {}.",
            format_bytes(c.cost.sent_per_rank, frame.preferences.unit),
            format_bytes(c.message, frame.preferences.unit));
    }
    else if (!is_ring_all_reduce())
    {
        caption.sentence = fmt::format(
            "{} by {}: **{} steps**, the busiest rank sends **{}**; {}.", name_of(kind_), algorithm_->name,
            c.cost.steps, format_bytes(c.cost.sent_per_rank, frame.preferences.unit), algorithm_->says);
        caption.sentence.front() =
            static_cast<char>(std::toupper(static_cast<unsigned char>(caption.sentence.front())));
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
    if (is_ring_all_reduce())
    {
        const Term term = explain_all_reduce(frame.now.scenario, frame.now.report);
        caption.formula =
            fmt::format("T = {} = {} = {}", term.formula, term.working, format_seconds(Seconds(term.value)));
        caption.source = term.source;
        return caption;
    }
    caption.formula = fmt::format(
        "T = latency + transfer = {} + {} = {};  bus bandwidth {} GB/s", format_seconds(c.cost.latency),
        format_seconds(c.cost.transfer), format_seconds(c.cost.total()),
        three_digits(bus_bandwidth(kind_, c.ranks, c.message, c.cost.total()).value / 1e9));
    caption.source = algorithm_->source;
    return caption;
}

void RingView::draw_popups(const Painter& painter, Out& out)
{
    if (open_ != nullptr)
    {
        ImGui::OpenPopup(open_);
        open_ = nullptr;
    }
    constexpr std::array<std::string_view, kCollectiveKinds> kSays{
        "every rank ends with the full sum", "rank r ends with chunk r of the sum",
        "every rank ends with every chunk",  "every rank ends with the root's data",
        "the root ends with the sum of all", "rank r ends with what each rank has for r",
        "one rank's message to another"};
    std::vector<Choosable> kinds;
    for (std::size_t k = 0; k < kCollectiveKinds; ++k)
    {
        const std::string_view name = name_of(static_cast<CollectiveKind>(k));
        kinds.push_back({name, name, kSays.at(k)});
    }
    if (const auto chosen = choice_popup(painter, kKindPopup, kinds))
    {
        choose(static_cast<CollectiveKind>(*chosen), algorithm_, out);
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
    const double share = c.steps.steps.empty() ? 1 : std::min(frame.playback.t, steps) / steps;
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
    const Rect row = column.row(24);
    const Rect bar{row.x, row.middle() - painter.px(4), row.w, painter.px(8)};
    painter.fill(bar, painter.theme.raised, painter.px(2));
    painter.fill({bar.x, bar.y, bar.w * static_cast<float>(share), bar.h}, painter.theme.data.fill,
                 painter.px(2));
    column.fact("Message S", bytes(c.message));
    column.fact("Ranks N", grouped(c.ranks));
    const Link& link = c.ranks > c.links.per_node ? c.links.between : c.links.inside;
    column.fact("Link, one way", three_digits(link.bandwidth.value / 1e9) + " GB/s");
    column.fact("Latency part", format_seconds(c.cost.latency));
    column.fact("Bandwidth part", format_seconds(c.cost.transfer));
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

constexpr std::array<std::string_view, 5> kControls{"collective.ranks", "collective.message_gb",
                                                    "cluster.node_link_gb_per_s", "cluster.network_gb_per_s",
                                                    "collective.latency_us"};

} // namespace

extern const ViewInfo ring_view;
const ViewInfo ring_view{
    11,
    "ring",
    "Network",
    "Algorithms",
    "Collective algorithms",
    "Ring all-reduce and its siblings, step by step: chunks, partial sums, bytes and time",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<RingView>()); }};

} // namespace ringside
