// Context parallelism. One page: queries stay, keys and values go round the ring, the softmax is merged block
// by block. The other: how tokens are partitioned decides which rank waits, and what ring, all-gather and
// Ulysses send.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/paged_view.h"
#include "ui/views/parallelism/ring_attention/scene.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 3> kRingRanks{2, 4, 8};
constexpr double kRingRest = 1.5;
constexpr std::array<std::string_view, 2> kRingPages{"ring-attention/softmax", "ring-attention/balance"};

struct RingState
{
    RingAttentionOptions options;
    std::int64_t rank = 1;
    Derived<RingAttentionOptions, RingAttention> ring;
    Derived<Scenario, ContextPlan> plans;

    RingScene scene(const Frame& frame) const
    {
        const RingAttention& made = ring.of(options, [](const auto& o) { return RingAttention(o); });
        const double t = std::clamp(frame.playback.t, 0.0, static_cast<double>(options.ranks));
        return {made, t, std::min(rank, options.ranks - 1)};
    }
    const ContextPlan& plan(const Frame& frame) const { return plans.of(frame.now.scenario, context_plan); }
};
using RingRoom = PageRoom<RingState>;

Motion ring_motion(const Frame& frame, RingState& state)
{
    const RingScene s = state.scene(frame);
    return {.duration = static_cast<double>(state.options.ranks),
            .per_second = 0.4,
            .label = s.part() > 0 ? fmt::format("block {}/{}", s.merged() + 1, s.ranks())
                                  : fmt::format("{}/{} merged", s.merged(), s.ranks()),
            .rest = kRingRest};
}

// The scores at the left, or above where the picture is narrow. Returns what is left.
Rect beside_scores(const Painter& p, Rect area, const RingScene& s, float share)
{
    const bool narrow = area.w < p.px(420);
    const float wanted = area.h + p.width(Type::small, "queries") - p.height(Type::small);
    const Rect scores = narrow ? area.cut_top(area.h >= p.px(420) ? area.h * 0.45F : area.h)
                               : area.cut_left(std::min(wanted, area.w * share));
    p.part("scores", scores);
    draw_scores(p, scores, s);
    narrow ? area.cut_top(p.px(12)) : area.cut_left(p.px(24));
    return area;
}

void draw_softmax(const RingRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const RingScene s = r.state.scene(r.frame);
    const float numbers = numbers_height(p, s);
    Rect left = area;
    left.w = area.w * 0.5F;
    if (left.w >= p.px(320) && area.h >= numbers + p.px(260))
    {
        // The numbers below the scores that they come from.
        const Rect table = left.cut_bottom(numbers);
        p.part("numbers", table);
        draw_numbers(p, table, s);
        left.cut_bottom(p.px(12));
        p.part("scores", left);
        draw_scores(p, left, s);
        area.cut_left(left.w + p.px(24));
    }
    else
    {
        area = beside_scores(p, area, s, 0.48F);
    }
    p.part("ring", area);
    if (const auto pressed = draw_circle(p, area, s))
    {
        r.state.rank = *pressed;
        r.out.animating = true;
    }
}

void draw_work_of_ranks(const Painter& p, Rect area, const RingScene& s, Out& out)
{
    const Rect work = beside_scores(p, area, s, 0.56F);
    p.part("work", work);
    if (const auto t = draw_work(p, work, s))
    {
        out.push(Play{false});
        out.push(Seek{*t});
    }
}

void draw_ring_balance(const RingRoom& r)
{
    Rect area = r.area;
    const float ways = ways_height(r.p);
    if (area.h >= ways + r.p.px(160))
    {
        const Rect table = area.cut_bottom(ways);
        r.p.part("ways", table);
        draw_ways(r.p, table, r.state.plan(r.frame));
        area.cut_bottom(r.p.px(12));
    }
    draw_work_of_ranks(r.p, area, r.state.scene(r.frame), r.out);
}

std::string balance_sentence(const RingAttentionOptions& o)
{
    return (o.causal ? fmt::format("{} partitioning: load imbalance **{}\u00d7**",
                                   capitalized(std::string(name_of(o.spread))), three_digits(imbalance(o)))
                     : std::string("Without a mask the load is even")) +
           ". A hop ends for all ranks together.";
}

std::string softmax_sentence(const RingScene& s)
{
    if (s.merged() == s.ranks())
    {
        return fmt::format("All blocks are merged: equal to the unsharded softmax within **{:.0e}**.",
                           s.ring.difference());
    }
    if (s.t == 0)
    {
        return "Queries stay. Each rank starts with its own keys and values.";
    }
    return fmt::format(
        "Rank {} attends to rank {}\u2019s keys and merges **block {} of {}** into its softmax.", s.rank,
        visitor(s.ranks(), s.rank, s.merged()), s.merged() + 1, s.ranks());
}

Caption ring_caption(const ContextPlan& all, ByteUnit unit, std::string sentence)
{
    Caption caption;
    caption.sentence = std::move(sentence);
    const Term term = explain_hop(all);
    caption.formula =
        fmt::format("one hop = {} = {} = {};  overlapped above {} tokens/GPU", term.formula, term.working,
                    format_bytes(all.message, unit), format_count(all.least_causal()));
    caption.source = fmt::format("{}\nMerging: Milakov and Gimelshein 2018, arXiv 1805.02867. Striped: "
                                 "Brandon et al. 2023, arXiv 2311.09431; "
                                 "zigzag: two chunks per rank, as in Llama 3, arXiv 2407.21783, section "
                                 "3.3.2.\nTokens: {} = {}. {}",
                                 term.source, explain_least_block(all).formula,
                                 explain_least_block(all).working, explain_least_block(all).source);
    return caption;
}

void draw_facts(PanelColumn& column, const ContextPlan& all, ByteUnit unit)
{
    column.heading(all.supposed ? fmt::format("With CP = {}", all.ranks) : "In this scenario");
    const Term least = explain_least_block(all);
    column.fact("Tokens per GPU", grouped(std::llround(all.tokens)), "s / cp");
    column.fact(
        "Tokens/GPU to overlap", format_count(all.least_causal()),
        fmt::format("Above so many tokens per GPU compute hides communication: 2 \u00d7 {} = 2 \u00d7 {}\n{}",
                    least.formula, least.working, least.source));
    column.fact("One hop sends", format_bytes(all.message, unit), explain_hop(all).source);
    column.fact("One hop takes", format_seconds(Seconds(all.hop_s())),
                fmt::format("{} GB/s, {}", three_digits(all.bytes_per_s / 1e9),
                            all.leaves ? "inter-node, as rings reach it" : "intra-node, as rings reach it"));
    column.fact("Causal block takes", format_seconds(Seconds(all.tile_s() / 2)),
                "Half of c \u00d7 c scores, 2 (d_k + d_v) FLOPs per head, at the rate that FlashAttention "
                "reaches.");
    column.gap();
    column.note(all.ranks < 2 ? "One GPU has the whole sequence: nothing is sent."
                : all.tokens >= all.least_causal()
                    ? "A block takes longer than a hop: **the ring is overlapped with attention**."
                    : fmt::format("A hop takes **{}\u00d7 as long** as its block: attention waits for keys.",
                                  three_digits(all.hop_s() / (all.tile_s() / 2))));
}

void draw_options(PanelColumn& column, RingAttentionOptions& o)
{
    column.label("Token partitioning");
    column.choice({"Contiguous", "Striped", "Zigzag"}, o.spread);
    column.choice({"2 ranks", "4", "8"}, kRingRanks, o.ranks);
    column.toggle("Causal mask", o.causal);
}

void panel_softmax(PanelColumn& column, const RingRoom& r)
{
    draw_options(column, r.state.options);
    draw_facts(column, r.state.plan(r.frame), r.p.look.unit);
}

void panel_balance(PanelColumn& column, const RingRoom& r)
{
    draw_options(column, r.state.options);
    column.heading("Load imbalance", "max / mean");
    for (std::size_t i = 0; i < kSpreads; ++i)
    {
        RingAttentionOptions o = r.state.options;
        o.spread = static_cast<Spread>(i);
        column.fact(name_of(o.spread), three_digits(imbalance(o)) + "\u00d7", {},
                    o.spread == r.state.options.spread ? FactInk::strong : FactInk::plain);
    }
}

constexpr Page<RingState> kSoftmaxPage{
    "Softmax", draw_softmax, panel_softmax,
    [](const Frame& frame, RingState& state)
    { return ring_caption(state.plan(frame), frame.preferences.unit, softmax_sentence(state.scene(frame))); },
    ring_motion};
constexpr Page<RingState> kRingBalancePage{
    "Load balance",
    draw_ring_balance,
    panel_balance,
    [](const Frame& frame, RingState& state)
    { return ring_caption(state.plan(frame), frame.preferences.unit, balance_sentence(state.options)); },
    ring_motion,
    "Causal load balance"};

class RingAttentionView final : public PagedView<RingState>
{
public:
    RingAttentionView() : PagedView(kRingPages, {&kSoftmaxPage, &kRingBalancePage}) {}

    ViewKeys keys() override
    {
        RingAttentionOptions& o = state_.options;
        return {{"1 2 3", "Token partitioning: contiguous, striped, zigzag",
                 [&o](const KeyPress& k) { o.spread = static_cast<Spread>(k.which); }},
                turn_key("Online softmax, or load balance"),
                {"C", "Causal mask on and off", flips(o.causal)},
                {"R", "Next rank; or click one",
                 [&o, &rank = state_.rank] { rank = (std::min(rank, o.ranks - 1) + 1) % o.ranks; }},
                {"N", "2, 4 or 8 ranks", [&o] { o.ranks = o.ranks == 8 ? 2 : 2 * o.ranks; }},
                {"drag", "In the work of the ranks: move the clock"},
                {"hover", "When a score is computed, how a method communicates"}};
    }
};

} // namespace

extern const ViewInfo ring_attention_view{20,
                                          "ring-attention",
                                          ViewGroup::parallelism,
                                          "Context",
                                          "Context parallelism (CP)",
                                          "Ring attention: KV blocks around a ring, online softmax, causal "
                                          "load balance; ring, all-gather and Ulysses",
                                          {"model", "context", "training.sequence_length"},
                                          make_view<RingAttentionView>,
                                          kRingPages};

} // namespace ringside
