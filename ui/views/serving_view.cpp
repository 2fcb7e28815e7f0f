// How many requests at once, and how fast: weights and cache in a GPU's memory, batch against latency and
// throughput, and below it slots, pages or drafts.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/serving/speculation.h"
#include "ui/shell/view.h"
#include "ui/views/serving/curves.h"
#include "ui/views/serving/panel.h"
#include "ui/views/serving/strip.h"
#include "ui/views/serving/tank.h"

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
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override
    {
        turn_to(desk_.wish.strip, kPages, page);
        asked_ = page_index(kPages, page).has_value();
    }

private:
    ServingDesk desk_;
    ServingLevels levels_;
    bool asked_ = false; // for what is below: it comes first where there is room for one
    TypedEntry entry_;
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
    return fmt::format("{} at once: a token every **{}** for each, **{} tokens/s** in all, bound by {}.",
                       grouped(r.setup.batch), format_seconds(Seconds(r.token_seconds())),
                       r.tokens_per_second() < 1e6 ? three_digits(r.tokens_per_second())
                                                   : format_count(r.tokens_per_second()),
                       r.decode.memory_bound() ? "reading" : "multiplying");
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
    ServingWish wish = desk_.wish;
    if (draw_serving_panel(painter, area, desk_.report(), wish, entry_))
    {
        desk_.wish = wish;
        out.animating = true;
    }
    return true;
}

void ServingView::keys(const Frame&, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    const ServingWish before = desk_.wish;
    ServingWish& w = desk_.wish;
    const auto fewer = [](std::int64_t bits) { return bits > 4 ? bits / 2 : std::int64_t{16}; };
    if (pressed(ImGuiKey_Y))
    {
        w.strip = static_cast<ServingStrip>((static_cast<int>(w.strip) + 1) % 3);
    }
    w.weight_bits = pressed(ImGuiKey_W) ? fewer(w.weight_bits) : w.weight_bits;
    w.cache_bits = pressed(ImGuiKey_C) ? fewer(w.cache_bits) : w.cache_bits;
    w.paged = pressed(ImGuiKey_P) ? !w.paged : w.paged;
    if (pressed(ImGuiKey_F) && desk_.report().most > 0)
    {
        w.batch = desk_.report().most;
    }
    asked_ = w == before ? asked_ : w.strip != before.strip;
    out.animating = out.animating || !(w == before);
}

constexpr std::array<std::string_view, 3> kControls{"model", "gpu", "tensor"};
constexpr std::array kKeys{KeyHelp{"Y", "Slots, pages, drafts"},
                           KeyHelp{"W", "Weights in 16, 8, 4 bit"},
                           KeyHelp{"C", "Cache in 16, 8, 4 bit"},
                           KeyHelp{"P", "Paged cache, or room for the longest request"},
                           KeyHelp{"F", "As many requests as fit"},
                           KeyHelp{"drag", "The point: requests at once"},
                           KeyHelp{"hover", "What a block holds, what a draft brings"}};

} // namespace

extern const ViewInfo serving_view;
const ViewInfo serving_view{57,
                            "serving",
                            "Serving",
                            "KV cache",
                            "How many at once, how fast?",
                            "KV cache and weights in memory, batch against latency and throughput; pages, "
                            "continuous batching, drafts",
                            kControls,
                            kKeys,
                            [] { return std::unique_ptr<View>(std::make_unique<ServingView>()); },
                            kPages};

} // namespace ringside
