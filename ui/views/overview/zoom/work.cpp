// From a GPU's lane to one of its layers: the step of all stages over time, the layers that one forward pass
// goes through, the kernels of one of them by the time they take.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/overview/zoom/sight.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/pictures/lanes.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kLeastLanes = 24;  // [design px] smaller lanes are left out
constexpr float kNextFramed = 200; // [design px] from which what is next has a ring
constexpr float kLayerOpened = 60; // [design px] from which a layer shows its kernels

const Ink& ink_of_kernel(const Theme& t, const LayerKernel& kernel)
{
    return kernel.kind == KernelKind::product     ? t.series[0]
           : kernel.kind == KernelKind::attention ? t.series[1]
                                                  : t.series[2];
}

// Which kernels have which colour, while the layer fills the window.
void draw_kernel_kinds(const ZoomSight& sight, Rect below)
{
    const Painter& p = sight.p;
    const bool whole = below.x >= sight.window.x && below.right() <= sight.window.right() &&
                       below.bottom() <= sight.window.bottom() + 1;
    if (whole && below.w > sight.window.w * 0.6F && below.h > p.px(24))
    {
        below.cut_top(p.px(4));
        draw_legend(p, {below.x, below.y, below.w, p.px(24)},
                    std::array{LegendItem{"GEMM", {p.theme.series[0]}},
                               LegendItem{"attention", {p.theme.series[1]}},
                               LegendItem{"element-wise", {p.theme.series[2]}}});
    }
}

} // namespace

void ZoomSight::draw_lane(const ZoomFrame& f)
{
    if (size(f) < p.px(kLeastLanes))
    {
        return;
    }
    const Timeline& timeline = scenario.timeline();
    const ZoomArea all = layout.lanes();
    const double wide = static_cast<double>(window.w);
    const double left = static_cast<double>(window.x) + (f.x + all.x * f.w) * wide;
    const double length = all.w * f.w * wide;
    const double from = std::max(left, static_cast<double>(window.x - p.px(8)));
    const double to = std::min(left + length, static_cast<double>(window.right() + p.px(8)));
    if (to <= from || timeline.makespan <= 0)
    {
        return;
    }
    const double top = static_cast<double>(window.y) + (f.y + all.y * f.w) * wide;
    const double high = all.h * f.w * wide;
    const Rect area{static_cast<float>(from), static_cast<float>(top), static_cast<float>(to - from),
                    static_cast<float>(high)};
    const TimeWindow shown{(from - left) / length * timeline.makespan,
                           (to - left) / length * timeline.makespan};
    const float pitch = static_cast<float>(high / static_cast<double>(timeline.ranks()));
    LanesStyle style;
    style.pitch = pitch;
    style.label_width = 0;
    style.numbers = false;
    const Lanes lanes{&timeline, &scenario.density, scenario.input_share};
    p.list.PushClipRect(window.min(), window.max(), true);
    const auto pointed = draw_lanes(p, area, lanes, shown, style);
    // What has not run yet lies behind a veil, and so do other stages as the camera comes nearer.
    const double now = timeline.makespan * done(Height::lane);
    const Rect after{shown.x(area, std::clamp(now, shown.from, shown.to)), area.y, 0, area.h};
    const float fade = 1 - grown(size(f), window.w * 1.2F, window.w * 3);
    const float veil = grown(static_cast<float>(done(Height::lane)), 0, 0.25F);
    fill({after.x, after.y, area.right() - after.x, after.h},
         with_alpha(p.theme.window, 0.55F * fade * veil));
    if (now > shown.from && now < shown.to)
    {
        fill({after.x - p.px(1), after.y, p.px(2), after.h}, with_alpha(p.theme.text, fade));
    }
    const Rect own{area.x, area.y + pitch * static_cast<float>(h.stage), area.w, pitch};
    outline(own, with_alpha(p.theme.text, fade), p.px(2));
    p.list.PopClipRect();
    const Rect frame_rect = on(f);
    note(Height::lane, {frame_rect.x, frame_rect.y, frame_rect.w, area.y - frame_rect.y},
         fmt::format("lane of stage {}: blue is forward, green and yellow backward, hatched idle", h.stage),
         true, 0.5F);
    const Rect forward = on(f, layout.forward());
    if (size(f) > p.px(kNextFramed))
    {
        frame_next(forward);
    }
    note(Height::lane, forward, "one forward pass", true);
    if (pointed)
    {
        lane_tip(p, window, timeline, *pointed);
    }
}

void ZoomSight::draw_forward(const ZoomFrame& f)
{
    if (size(f) < p.px(kLeastLanes))
    {
        return;
    }
    const ZoomGrid grid = layout.layers();
    for (std::int64_t i = 0; i < h.layers; ++i)
    {
        const ZoomArea box = grid.box(i);
        const Rect r = on(f, box);
        if (!sees(r))
        {
            continue;
        }
        const bool followed = i == h.layers / 2;
        p.fill(r, p.theme.panel, std::min(p.px(4), r.h * 0.1F));
        if (r.w > p.px(kLayerOpened))
        {
            draw_layer(inside(f, box), followed);
        }
        note(Height::forward, {r.x, r.y, r.w, r.h * 0.21F}, fmt::format("layer {} of {}", i + 1, h.layers),
             followed);
    }
    if (size(f) > p.px(kNextFramed))
    {
        frame_next(on(f, grid.box(h.layers / 2)));
    }
}

void ZoomSight::draw_layer(const ZoomFrame& f, bool followed)
{
    ground(f);
    for (std::size_t i = 0; i < h.kernels.size(); ++i)
    {
        const LayerKernel& kernel = h.kernels[i];
        const Rect r = on(f, layout.kernel(i));
        const Ink& ink = ink_of_kernel(p.theme, kernel);
        fill({r.x, r.y, std::max(1.0F, r.w - (r.w > p.px(6) ? p.px(1) : 0)), r.h}, ink.fill);
        if (followed)
        {
            const std::string seconds = format_seconds(Seconds(kernel.seconds));
            note(Height::layer, {r.x, r.y, r.w, r.h * 0.12F}, fmt::format("{}, {}", kernel.name, seconds),
                 i == h.gemm);
        }
    }
    if (!followed)
    {
        return;
    }
    if (size(f) > p.px(kNextFramed))
    {
        frame_next(on(f, layout.kernel(h.gemm)));
    }
    const Rect all = on(f, layout.kernels());
    const float now = all.x + all.w * static_cast<float>(done(Height::layer));
    const float fade = 1 - grown(size(f), window.w * 1.2F, window.w * 3);
    fill({now - p.px(1), all.y, p.px(2), all.h}, with_alpha(p.theme.text, fade));
    draw_kernel_kinds(*this, {all.x, all.bottom(), all.w, on(f).bottom() - all.bottom()});
}

} // namespace ringside
