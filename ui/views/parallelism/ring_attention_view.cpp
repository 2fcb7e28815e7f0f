// Context parallelism. One page: queries stay, keys and values go round the ring, the softmax is merged block
// by block. The other: how tokens are partitioned decides which rank waits, and what ring, all-gather and
// Ulysses send.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/view.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/panel_column.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 3> kRingRanks{2, 4, 8};
constexpr double kRingRest = 1.5;
constexpr std::array<std::string_view, 2> kRingPages{"ring-attention/softmax", "ring-attention/balance"};

enum class RingPage : std::uint8_t
{
    softmax,
    balance
};

class RingAttentionView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

    void show(std::string_view page) override { turn_to(page_, kRingPages, page); }
    std::string_view page_on_show() const override { return name_at(page_, kRingPages); }

private:
    RingScene scene(const Frame& frame) const
    {
        const RingAttention& ring = ring_.of(options_, [](const auto& o) { return RingAttention(o); });
        const double t = std::clamp(frame.playback.t, 0.0, static_cast<double>(options_.ranks));
        return {ring, t, std::min(rank_, options_.ranks - 1)};
    }
    const ContextPlan& plan(const Frame& frame) const { return plan_.of(frame.now.scenario, context_plan); }
    void draw_softmax(const Painter& painter, Rect area, const RingScene& scene, Out& out);
    static void draw_balance(const Painter& painter, Rect area, const RingScene& scene, Out& out);
    void draw_facts(PanelColumn& column, const ContextPlan& plan, ByteUnit unit) const;

    RingPage page_ = RingPage::softmax;
    RingAttentionOptions options_;
    std::int64_t rank_ = 1;
    Derived<RingAttentionOptions, RingAttention> ring_;
    Derived<Scenario, ContextPlan> plan_;
};

Motion RingAttentionView::motion(const Frame& frame) const
{
    const RingScene s = scene(frame);
    return {.duration = static_cast<double>(options_.ranks),
            .per_second = 0.4,
            .label = s.part() > 0 ? fmt::format("block {}/{}", s.merged() + 1, s.ranks())
                                  : fmt::format("{}/{} merged", s.merged(), s.ranks()),
            .rest = kRingRest};
}

// The scores at the left, or above where the picture is narrow. Returns what is left.
Rect beside_scores(const Painter& p, Rect area, const RingScene& s)
{
    const bool narrow = area.w < p.px(420);
    const float wanted = area.h + p.width(Type::small, "queries") - p.height(Type::small);
    const Rect scores = narrow ? area.cut_top(area.h >= p.px(420) ? area.h * 0.45F : area.h)
                               : area.cut_left(std::min(wanted, area.w * 0.48F));
    p.part("scores", scores);
    draw_scores(p, scores, s);
    narrow ? area.cut_top(p.px(12)) : area.cut_left(p.px(24));
    return area;
}

void RingAttentionView::draw_softmax(const Painter& p, Rect area, const RingScene& s, Out& out)
{
    Rect side = beside_scores(p, area, s);
    const float numbers = numbers_height(p, s);
    if (side.h >= numbers + p.px(130) && side.w >= p.px(320))
    {
        const Rect table = side.cut_bottom(numbers);
        p.part("numbers", table);
        draw_numbers(p, table, s);
        side.cut_bottom(p.px(8));
    }
    p.part("ring", side);
    if (const auto pressed = draw_circle(p, side, s))
    {
        rank_ = *pressed;
        out.animating = true;
    }
}

void RingAttentionView::draw_balance(const Painter& p, Rect area, const RingScene& s, Out& out)
{
    const Rect work = beside_scores(p, area, s);
    p.part("work", work);
    if (const auto t = draw_work(p, work, s))
    {
        out.push(Play{false});
        out.push(Seek{*t});
    }
}

void RingAttentionView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const RingScene s = scene(frame);
    if (page_ == RingPage::softmax)
    {
        draw_softmax(painter, area, s, out);
        return;
    }
    const float ways = ways_height(painter);
    if (area.h >= ways + painter.px(160))
    {
        const Rect table = area.cut_bottom(ways);
        painter.part("ways", table);
        draw_ways(painter, table, plan(frame));
        area.cut_bottom(painter.px(12));
    }
    draw_balance(painter, area, s, out);
}

Caption RingAttentionView::caption(const Frame& frame) const
{
    const RingScene s = scene(frame);
    const ContextPlan& all = plan(frame);
    Caption caption;
    const std::string dealt = options_.causal
                                  ? fmt::format("{} partitioning: load imbalance **{}\u00d7**",
                                                name_of(options_.spread), three_digits(imbalance(options_)))
                                  : std::string("without a mask the load is even");
    if (page_ == RingPage::balance)
    {
        caption.sentence = capitalized(dealt + ". A hop ends for all ranks together.");
    }
    else if (s.merged() == s.ranks())
    {
        caption.sentence = fmt::format(
            "All blocks are merged: equal to the unsharded softmax within **{:.0e}**.", s.ring.difference());
    }
    else if (s.t == 0)
    {
        caption.sentence = "Queries stay. Each rank starts with its own keys and values.";
    }
    else
    {
        caption.sentence = fmt::format(
            "Rank {} attends to rank {}\u2019s keys and merges **block {} of {}** into its softmax.", s.rank,
            visitor(s.ranks(), s.rank, s.merged()), s.merged() + 1, s.ranks());
    }
    const Term term = explain_hop(all);
    caption.formula =
        fmt::format("one hop = {} = {} = {};  overlapped above {} tokens", term.formula, term.working,
                    format_bytes(all.message, frame.preferences.unit), format_count(all.least_causal()));
    caption.source = fmt::format("{}\nMerging: Milakov and Gimelshein 2018, arXiv 1805.02867. Striped: "
                                 "Brandon et al. 2023, arXiv 2311.09431; "
                                 "zigzag: two chunks per rank, as in Llama 3, arXiv 2407.21783, section "
                                 "3.3.2.\nTokens: {} = {}. {}",
                                 term.source, explain_least_block(all).formula,
                                 explain_least_block(all).working, explain_least_block(all).source);
    return caption;
}

void RingAttentionView::draw_facts(PanelColumn& column, const ContextPlan& all, ByteUnit unit) const
{
    column.heading(all.supposed ? fmt::format("With CP = {}", all.ranks) : "In this scenario");
    const Term least = explain_least_block(all);
    column.fact("Tokens per GPU", grouped(std::llround(all.tokens)), "s / cp");
    column.fact("One hop sends", format_bytes(all.message, unit), explain_hop(all).source);
    column.fact("One hop takes", format_seconds(Seconds(all.hop_s())),
                fmt::format("{} GB/s, {}", three_digits(all.bytes_per_s / 1e9),
                            all.leaves ? "inter-node, as rings reach it" : "intra-node, as rings reach it"));
    column.fact("Causal block takes", format_seconds(Seconds(all.tile_s() / 2)),
                "Half of c \u00d7 c scores, 2 (d_k + d_v) FLOPs per head, at the rate that FlashAttention "
                "reaches.");
    column.fact("Compute hides comm above", fmt::format("{} tokens", format_count(all.least_causal())),
                fmt::format("Tokens per GPU: 2 \u00d7 {} = 2 \u00d7 {}\n{}", least.formula, least.working,
                            least.source));
    column.gap();
    column.note(all.ranks < 2 ? "One GPU has the whole sequence: nothing is sent."
                : all.tokens >= all.least_causal()
                    ? "A block takes longer than a hop: **the ring is overlapped with attention**."
                    : fmt::format("A hop takes **{}\u00d7 as long** as its block: attention waits for keys.",
                                  three_digits(all.hop_s() / (all.tile_s() / 2))));
}

bool RingAttentionView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice({"Softmax", "Load balance"}, page_);
    column.label("Token partitioning");
    column.choice({"Contiguous", "Striped", "Zigzag"}, options_.spread);
    column.choice({"2 ranks", "4", "8"}, kRingRanks, options_.ranks);
    column.toggle("Causal mask", options_.causal);
    if (page_ == RingPage::softmax)
    {
        draw_facts(column, plan(frame), p.look.unit);
        return true;
    }
    column.heading("Load imbalance", "max / mean");
    for (std::size_t i = 0; i < kSpreads; ++i)
    {
        RingAttentionOptions o = options_;
        o.spread = static_cast<Spread>(i);
        column.fact(name_of(o.spread), three_digits(imbalance(o)) + "\u00d7", {},
                    o.spread == options_.spread ? FactInk::strong : FactInk::plain);
    }
    return true;
}

ViewKeys RingAttentionView::keys()
{
    return {
        {"1 2 3", "Token partitioning: contiguous, striped, zigzag",
         [this](const KeyPress& k) { options_.spread = static_cast<Spread>(k.which); }},
        {"Y", "Online softmax, or load balance", turns(page_, kRingPages.size())},
        {"C", "Causal mask on and off", flips(options_.causal)},
        {"R", "Next rank; or click one",
         [this] { rank_ = (std::min(rank_, options_.ranks - 1) + 1) % options_.ranks; }},
        {"N", "2, 4 or 8 ranks", [this] { options_.ranks = options_.ranks == 8 ? 2 : 2 * options_.ranks; }},
        {"drag", "In the work of the ranks: move the clock"},
        {"hover", "When a score is computed, how a method communicates"}};
}

} // namespace

extern const ViewInfo ring_attention_view{16,
                                          "ring-attention",
                                          "Parallelism",
                                          "Context",
                                          "Context parallelism (CP)",
                                          "Ring attention: KV blocks around a ring, online softmax, causal "
                                          "load balance; ring, all-gather and Ulysses",
                                          {"model", "context", "training.sequence_length"},
                                          make_view<RingAttentionView>,
                                          kRingPages};

} // namespace ringside
