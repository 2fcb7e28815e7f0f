#include "core/base/text.h"
#include "ui/views/network/step/picture.h"
#include "ui/widgets/cluster_map.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

Colour scatter_colour(const Theme& t, Axis axis)
{
    return mix(axis_ink(t, axis).fill, t.light ? t.text : t.window, t.light ? 0.22F : 0.36F);
}

namespace
{

std::vector<LegendItem> legend_items(const Painter& painter, const StepLife& life)
{
    const Theme& t = painter.theme;
    std::vector<LegendItem> items{{"exposed", waiting_fill(t)},
                                  {"forward", {t.forward}},
                                  {"backward", {t.backward_input, t.backward_weight.fill}}};
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
    {
        if (life.sent_of(axis).value > 0)
        {
            items.push_back({std::string(name_of(axis)), {axis_ink(t, axis)}});
        }
    }
    const Colour scatter = scatter_colour(t, Axis::data);
    const std::array kinds{std::pair{StepKind::all_gather, Fill{t.data}},
                           std::pair{StepKind::reduce_scatter, plain_fill(scatter)},
                           std::pair{StepKind::all_reduce, Fill{{scatter}, t.data.fill, true}}};
    for (const auto& [kind, fill] : kinds)
    {
        if (life.sent_of(kind).value > 0)
        {
            items.push_back({std::string(name_of(kind)), fill});
        }
    }
    items.push_back({"optimizer", {t.of(Component::momentum)}});
    return items;
}

} // namespace

float draw_step_legend(const Painter& painter, Rect area, const StepLife& life)
{
    return draw_legend(painter, area, legend_items(painter, life), 2);
}

void draw_held(const Painter& p, Rect area, const StepLife& life, TimeWindow window)
{
    double most = 1;
    for (const StepHeld& h : life.held)
    {
        most = std::max(most, (h.weights + h.gradients).value);
    }
    const auto y = [&](double bytes)
    { return std::round(area.bottom() - area.h * static_cast<float>(bytes / most)); };
    for (const double share : {0.0, 0.5, 1.0})
    {
        p.line(area.x, y(share * most), area.right(), y(share * most), p.theme.grid);
        p.text(area.x - p.px(8), y(share * most), Type::mono_small, p.theme.muted,
               share == 0 ? "0" : format_bytes(Bytes(share * most), p.look.unit), Align::right);
    }
    const Colour weights = p.theme.of(Component::weights).fill;
    const Colour gradients = p.theme.of(Component::gradients).fill;
    p.list.PushClipRect({area.x, area.y - p.px(2)}, {area.right() + 1, area.bottom() + 2}, true);
    float done = area.x;
    double high_w = 0;
    double high_all = 0;
    for (std::size_t i = 0; i + 1 < life.held.size(); ++i)
    {
        // Steps within one pixel are one, as high as the highest.
        const float end = std::min(area.right(), window.x(area, life.held[i + 1].t));
        if (window.x(area, life.held[i].t) > area.right() || end < area.x)
        {
            continue;
        }
        high_w = std::max(high_w, life.held[i].weights.value);
        high_all = std::max(high_all, (life.held[i].weights + life.held[i].gradients).value);
        if (end - done < 1)
        {
            continue;
        }
        const Rect lower{done, y(high_w), end - done, area.bottom() - y(high_w)};
        const Rect upper{done, y(high_all), end - done, lower.y - y(high_all)};
        p.fill(lower, with_alpha(weights, 0.55F));
        p.fill(upper, with_alpha(gradients, 0.55F));
        p.line(lower.x, lower.y, lower.right(), lower.y, weights, p.px(2));
        if (upper.h > 0)
        {
            p.line(upper.x, upper.y, upper.right(), upper.y, gradients, p.px(2));
        }
        done = end;
        high_w = high_all = 0;
    }
    p.list.PopClipRect();
}

} // namespace ringside
