// Ring attention: who attends to whom, and when. Queries stay, keys and values go round, the softmax is put
// together piece by piece; how tokens are dealt decides who waits.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/parallelism/ring_attention/scene.h"
#include "ui/widgets/panel_column.h"

#include <array>
#include <optional>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 3> kRanks{2, 4, 8};
constexpr double kRest = 1.5;

class RingAttentionView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    RingScene scene(const Frame& frame) const;
    const ContextPlan& plan(const Frame& frame) const;
    void draw_upper(const Painter& painter, Rect area, const RingScene& scene, Out& out);
    void draw_side(const Painter& painter, Rect area, const RingScene& scene, Out& out);

    RingAttentionOptions options_;
    std::int64_t rank_ = 1;
    mutable std::optional<RingAttention> ring_;
    mutable std::optional<Scenario> planned_;
    mutable ContextPlan plan_;
};

RingScene RingAttentionView::scene(const Frame& frame) const
{
    if (!ring_ || !(ring_->options() == options_))
    {
        ring_.emplace(options_);
    }
    const double t = std::clamp(frame.playback.t, 0.0, static_cast<double>(options_.ranks));
    return {*ring_, t, std::min(rank_, options_.ranks - 1)};
}

const ContextPlan& RingAttentionView::plan(const Frame& frame) const
{
    if (!planned_ || !(*planned_ == frame.now.scenario))
    {
        planned_ = frame.now.scenario;
        plan_ = context_plan(frame.now.scenario);
    }
    return plan_;
}

Motion RingAttentionView::motion(const Frame& frame) const
{
    const RingScene s = scene(frame);
    Motion motion;
    motion.duration = static_cast<double>(options_.ranks);
    motion.per_second = 0.4;
    motion.rest = kRest;
    motion.label = s.part() > 0 ? fmt::format("block {}/{}", s.merged() + 1, s.ranks())
                                : fmt::format("{}/{} merged", s.merged(), s.ranks());
    return motion;
}

void RingAttentionView::draw_side(const Painter& p, Rect area, const RingScene& s, Out& out)
{
    const float numbers = numbers_height(p, s);
    const bool tabled = area.h >= numbers + p.px(130) && area.w >= p.px(350);
    if (tabled)
    {
        const Rect table = area.cut_bottom(numbers);
        p.part("numbers", table);
        draw_numbers(p, table, s);
        area.cut_bottom(p.px(8));
    }
    const bool both = area.w >= p.px(430);
    Rect circle = both ? area.cut_left(std::min(area.h, area.w * 0.5F)) : area;
    if (!both && area.h >= p.px(300))
    {
        circle = area.cut_top(area.h * 0.6F);
    }
    p.part("ring", circle);
    if (const auto pressed = draw_circle(p, circle, s))
    {
        rank_ = *pressed;
        out.animating = true;
    }
    if (both)
    {
        area.cut_left(p.px(20));
    }
    if (both || area.h < circle.h)
    {
        p.part("work", area);
        if (const auto t = draw_work(p, area, s))
        {
            out.push(Play{false});
            out.push(Seek{*t});
        }
    }
}

void RingAttentionView::draw_upper(const Painter& p, Rect area, const RingScene& s, Out& out)
{
    if (area.w < p.px(420))
    {
        // One above the other.
        const Rect scores = area.cut_top(std::min(area.h, area.h >= p.px(420) ? area.h * 0.45F : area.h));
        p.part("scores", scores);
        draw_scores(p, scores, s);
        draw_side(p, area, s, out);
        return;
    }
    const float wanted = area.h + p.width(Type::small, "queries") - p.height(Type::small);
    const Rect scores = area.cut_left(std::min(wanted, area.w * 0.44F));
    p.part("scores", scores);
    draw_scores(p, scores, s);
    area.cut_left(p.px(24));
    draw_side(p, area, s, out);
}

void RingAttentionView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const RingScene s = scene(frame);
    const ContextPlan& all = plan(frame);
    const float ways = ways_height(painter);
    if (area.h >= ways + painter.px(220))
    {
        const Rect table = area.cut_bottom(ways);
        painter.part("ways", table);
        draw_ways(painter, table, all);
        area.cut_bottom(painter.px(12));
    }
    draw_upper(painter, area, s, out);
}

Caption RingAttentionView::caption(const Frame& frame) const
{
    const RingScene s = scene(frame);
    const ContextPlan& all = plan(frame);
    Caption caption;
    const std::string dealt = options_.causal
                                  ? fmt::format("{} partitioning: load imbalance **{}\u00d7**",
                                                name_of(options_.spread), three_digits(imbalance(options_)))
                                  : std::string("without a mask all work alike");
    if (s.merged() == s.ranks())
    {
        caption.sentence =
            fmt::format("All merged: the uncut softmax to **{:.0e}**; {}.", s.ring.difference(), dealt);
    }
    else if (s.t == 0)
    {
        caption.sentence = fmt::format("Queries stay; each rank begins with its own keys; {}.", dealt);
    }
    else
    {
        caption.sentence = fmt::format("Rank {} attends to rank {}\u2019s keys while they travel on; {}.",
                                       s.rank, visitor(s.ranks(), s.rank, s.merged()), dealt);
    }
    const Term term = explain_hop(all);
    caption.formula =
        fmt::format("one hop = {} = {} = {};  hidden from {} tokens", term.formula, term.working,
                    format_bytes(all.message, frame.preferences.unit), format_count(all.least_causal()));
    caption.source = fmt::format("{}\nMerging: Milakov and Gimelshein 2018, arXiv 1805.02867. Striped: "
                                 "Brandon et al. 2023, arXiv 2311.09431; "
                                 "zigzag: two parts a rank, as Llama 3 deals them, arXiv 2407.21783, section "
                                 "3.3.2.\nTokens: {} = {}. {}",
                                 term.source, explain_least_block(all).formula,
                                 explain_least_block(all).working, explain_least_block(all).source);
    return caption;
}

bool RingAttentionView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.heading("Token partitioning");
    column.choice({"Parts", "Striped", "Zigzag"}, options_.spread);
    column.choice({"2 ranks", "4", "8"}, kRanks, options_.ranks);
    column.toggle("Causal mask", options_.causal);
    const ContextPlan& all = plan(frame);
    column.heading(all.supposed ? fmt::format("If {} GPUs shared it", all.ranks) : "In this scenario");
    const Term least = explain_least_block(all);
    column.fact("Tokens a GPU", grouped(std::llround(all.tokens)), "s / cp");
    column.fact("One hop sends", format_bytes(all.message, p.look.unit), explain_hop(all).source);
    column.fact("One hop takes", format_seconds(Seconds(all.hop_s())),
                fmt::format("{} GB/s, {}", three_digits(all.bytes_per_s / 1e9),
                            all.leaves ? "over the network, as rings reach it"
                                       : "inside the node, as rings reach it"));
    column.fact("Causal block takes", format_seconds(Seconds(all.tile_s() / 2)),
                "Half of c \u00d7 c scores, 2 (d_k + d_v) FLOPs for each head, at the rate that flash "
                "attention reaches.");
    column.fact("Hides a hop from", fmt::format("{} tokens", format_count(all.least_causal())),
                fmt::format("2 \u00d7 {} = 2 \u00d7 {}\n{}", least.formula, least.working, least.source));
    column.gap();
    column.note(all.ranks < 2 ? "One GPU has the whole sequence: nothing travels."
                : all.tokens >= all.least_causal()
                    ? "A block takes longer than a hop: **the ring hides behind attention**."
                    : fmt::format("A hop takes **{}\u00d7 as long** as its block: attention waits for keys.",
                                  three_digits(all.hop_s() / (all.tile_s() / 2))));
    return true;
}

ViewKeys RingAttentionView::keys()
{
    return {
        {"1 2 3", "Deal tokens in parts, in stripes, in zigzag",
         [this](const KeyPress& k) { options_.spread = static_cast<Spread>(k.which); }},
        {"C", "Causal mask on and off", flips(options_.causal)},
        {"R", "Next rank; or click one",
         [this] { rank_ = (std::min(rank_, options_.ranks - 1) + 1) % options_.ranks; }},
        {"N", "2, 4 or 8 ranks", [this] { options_.ranks = options_.ranks == 8 ? 2 : 2 * options_.ranks; }},
        {"drag", "In the work of the ranks: move the clock"},
        {"hover", "What a score needs, what a way to share costs"}};
}

constexpr std::array<std::string_view, 3> kControls{"model", "context", "training.sequence_length"};

} // namespace

extern const ViewInfo ring_attention_view;
const ViewInfo ring_attention_view{
    16,
    "ring-attention",
    "Parallelism",
    "Context",
    "Context parallelism (CP)",
    "Ring attention: keys and values round a ring, online softmax, causal load balance",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<RingAttentionView>()); }};

} // namespace ringside
