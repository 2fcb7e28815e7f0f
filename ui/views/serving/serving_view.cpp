// How many requests at once, and how fast: weights and cache in a GPU's memory, batch against latency and
// throughput, and below it slots, pages or drafts.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/serving/speculation.h"
#include "ui/shell/view.h"
#include "ui/views/serving/serving/curves.h"
#include "ui/views/serving/serving/panel.h"
#include "ui/views/serving/serving/strip.h"
#include "ui/views/serving/serving/tank.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kSeconds = 14; // playing takes

constexpr std::array<std::string_view, 3> kPages{"serving/slots", "serving/pages", "serving/drafts"};

class ServingView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override
    {
        turn_to(desk_.wish.strip, kPages, page);
        asked_ = page_index(kPages, page).has_value();
    }

private:
    ServingDesk desk_;
    ServingLevels levels_;
    bool asked_ = false; // for what is below: it comes first where there is room for one
};

Motion ServingView::motion(const Frame& frame) const
{
    desk_.update(frame.now.scenario);
    if (desk_.wish.strip != ServingStrip::slots)
    {
        return {};
    }
    Motion motion;
    motion.duration = static_cast<double>(desk_.held().steps);
    motion.per_second = motion.duration / kSeconds;
    motion.rest = motion.duration * 0.45;
    motion.label =
        fmt::format("step {:.0f}/{}", std::min(frame.playback.t, motion.duration), desk_.held().steps);
    return motion;
}

void ServingView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    const float strip = painter.px(236);
    const bool both = area.h >= strip + painter.px(190);
    if (both || asked_)
    {
        Rect below = both ? area.cut_bottom(std::max(strip, area.h * 0.36F)) : area;
        below.cut_top(both ? painter.px(14) : 0);
        if (const auto wish = draw_serving_strip(painter, below, desk_, frame.playback.t))
        {
            desk_.wish = *wish;
            out.animating = true;
        }
    }
    if (!both && asked_)
    {
        return;
    }
    const bool charted = area.w >= painter.px(420);
    const Rect tank =
        charted ? area.cut_left(std::clamp(area.w * 0.26F, painter.px(170), painter.px(280))) : area;
    draw_serving_tank(frame, painter, tank, desk_.report(), levels_, out);
    if (charted)
    {
        area.cut_left(painter.px(28));
        if (const auto batch = draw_serving_curves(painter, area, desk_))
        {
            desk_.wish.batch = *batch;
            out.animating = true;
        }
    }
}

std::string sentence(const ServingReport& r, ByteUnit unit)
{
    if (r.weights > r.capacity)
    {
        return fmt::format(
            "!!The weights alone want {}!! of {} on each of {} GPU{}: **cut them further, or keep "
            "fewer bits**.",
            format_bytes(r.weights, unit), format_bytes(r.capacity, unit), r.setup.gpus,
            r.setup.gpus == 1 ? "" : "s");
    }
    if (!r.fits())
    {
        return fmt::format("!!{} requests do not fit!!: the caches want {}, and {} are left for **{}**.",
                           grouped(r.setup.batch), format_bytes(r.cache(), unit),
                           format_bytes(r.capacity - r.weights, unit), grouped(r.most));
    }
    return fmt::format("{} concurrent requests: TPOT **{}**, **{} tokens/s** in total, {}.",
                       grouped(r.setup.batch), format_seconds(Seconds(r.token_seconds())),
                       r.tokens_per_second() < 1e6 ? three_digits(r.tokens_per_second())
                                                   : format_count(r.tokens_per_second()),
                       r.decode.memory_bound() ? "memory-bandwidth-bound" : "compute-bound");
}

Caption ServingView::caption(const Frame& frame) const
{
    desk_.update(frame.now.scenario);
    const ServingReport& r = desk_.report();
    const Term term = explain_decode(desk_.scenario(), r);
    Caption caption;
    caption.sentence = sentence(r, frame.preferences.unit);
    caption.formula =
        fmt::format("{} = {} = {}", term.formula, term.working, format_seconds(Seconds(term.value)));
    caption.source = fmt::format(
        "{}.\nA roofline: data-sheet bandwidth and dense 16-bit peak, memory beside compute, two all-reduces "
        "a layer "
        "after them. Weights in fewer bits are widened before they are multiplied; their scales are left "
        "out. A "
        "token's time has a share of every request's prefill in it. A tenth of the GPU is kept for the "
        "forward pass. "
        "Iteration-level batching: Yu et al. 2022; pages: Kwon et al. 2023; drafts: Leviathan et al. 2023.",
        term.source);
    return caption;
}

bool ServingView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    desk_.update(frame.now.scenario);
    PanelColumn column(painter, area, out.animating);
    draw_serving_panel(column, desk_.report(), desk_.wish, painter.look.unit);
    return true;
}

ViewKeys ServingView::keys()
{
    const auto narrower = [this](std::int64_t& bits)
    {
        return [this, &bits]
        {
            bits = bits > 4 ? bits / 2 : 16;
            asked_ = false;
        };
    };
    return {{"Y", "Slots, pages, drafts",
             [this]
             {
                 turn(desk_.wish.strip, kPages.size());
                 asked_ = true;
             }},
            {"W", "Weights in 16, 8 or 4 bits", narrower(desk_.wish.weight_bits)},
            {"C", "KV cache in 16, 8 or 4 bits", narrower(desk_.wish.cache_bits)},
            {"P", "Paged cache, or room for the longest request",
             [this]
             {
                 desk_.wish.paged = !desk_.wish.paged;
                 asked_ = false;
             }},
            {"F", "As many requests as fit",
             [this]
             {
                 const std::int64_t most = desk_.report().most;
                 desk_.wish.batch = most > 0 ? most : desk_.wish.batch;
                 asked_ = false;
             }},
            {"drag", "The point: concurrent requests"},
            {"hover", "What a block holds, what a draft brings"}};
}

constexpr std::array<std::string_view, 3> kControls{"model", "gpu", "tensor"};

} // namespace

extern const ViewInfo serving_view;
const ViewInfo serving_view{37,
                            "serving",
                            "Serving",
                            "Serving",
                            "Serving",
                            "KV cache and weights in memory, latency and throughput against batch size; "
                            "PagedAttention, continuous batching, speculative decoding",
                            kControls,
                            [] { return std::unique_ptr<View>(std::make_unique<ServingView>()); },
                            kPages};

} // namespace ringside
