#include "ui/views/compression/growth.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside
{

namespace
{

constexpr int kDoublings = 14;
constexpr std::int64_t kMostRanks = std::int64_t{1} << kDoublings;

struct Plot
{
    Rect area;
    double low = 1e300;
    double high = 0;

    float x(double ranks) const
    {
        return area.x + area.w * static_cast<float>((std::log2(ranks) - 1) / (kDoublings - 1));
    }
    float y(double bytes) const
    {
        return area.bottom() - area.h * static_cast<float>(std::log(bytes / low) / std::log(high / low));
    }
};

struct Sender
{
    Travel travel;
    Bytes part;

    double sent(std::int64_t ranks) const { return sent_per_rank(travel, part, ranks).value; }
};

void draw_line(const Painter& p, const Plot& plot, const Sender& sender, Colour colour, float thickness)
{
    std::vector<ImVec2> points;
    for (std::int64_t n = 2; n <= kMostRanks; n *= 2)
    {
        points.emplace_back(plot.x(static_cast<double>(n)), plot.y(sender.sent(n)));
    }
    p.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, p.px(thickness));
}

void draw_axis(const Painter& p, const Plot& plot, Rect axis, std::int64_t ranks)
{
    const Theme& t = p.theme;
    p.line(axis.x, axis.y, axis.right(), axis.y, t.line);
    const float x = plot.x(static_cast<double>(std::clamp<std::int64_t>(ranks, 2, kMostRanks)));
    p.dashed(x, plot.area.y, x, plot.area.bottom(), t.muted);
    const std::string here = fmt::format("N = {}", grouped(ranks));
    const float half = p.width(Type::mono_small, here) / 2;
    const float at = std::clamp(x, axis.x + half, std::max(axis.x + half, axis.right() - half));
    const float middle = axis.y + p.px(12);
    p.text(at, middle, Type::mono_small, t.text, here, Align::centre);
    const std::string last = grouped(kMostRanks);
    if (at + half + p.px(8) < axis.right() - p.width(Type::mono_small, last))
    {
        p.text(axis.right(), middle, Type::mono_small, t.muted, last, Align::right);
    }
}

} // namespace

void draw_growth(const Painter& p, Rect area, const GradientProjection& g, const CompressionOptions& o)
{
    const Theme& t = p.theme;
    const Sender own{info_of(o.compressor).travel, g.part(o)};
    const Sender dense{Travel::all_reduce, g.dense(Compressor::bf16)};
    Plot plot{area};
    plot.area.cut_top(p.px(28));
    plot.area.cut_bottom(p.px(30));
    for (const Sender& s : {own, dense})
    {
        plot.low = std::min({plot.low, s.sent(2), s.sent(kMostRanks)});
        plot.high = std::max({plot.high, s.sent(2), s.sent(kMostRanks)});
    }
    if (!(plot.low > 0) || !(plot.high > plot.low))
    {
        return;
    }
    p.text_within(area.x, area.y + p.px(8), area.w, Type::small_strong, t.text, "Sent by a GPU, by N");
    draw_axis(p, plot, {plot.area.x, plot.area.bottom() + p.px(6), plot.area.w, p.px(24)}, g.ranks);
    draw_line(p, plot, dense, t.text, 1.5F);
    draw_line(p, plot, own, t.of(Component::gradients).fill, 2.5F);
    const float under = plot.y(dense.sent(kMostRanks)) + p.px(11);
    if (under + p.px(8) < plot.area.bottom())
    {
        p.text(plot.area.right(), under, Type::small, t.muted, "dense BF16", Align::right);
    }
    const double crossing = gather_crossover(own.part, dense.part);
    if (own.travel == Travel::all_gather && crossing > 2 && crossing < static_cast<double>(kMostRanks))
    {
        const ImVec2 cross{plot.x(crossing), plot.y(2 * dense.part.value * (1 - 1 / crossing))};
        p.list.AddCircleFilled(cross, p.px(5), t.text);
        p.list.AddCircle(cross, p.px(5), t.window);
        p.text(cross.x - p.px(3), cross.y - p.px(13), Type::mono_small, t.text, plain_number(crossing),
               Align::right);
    }
}

} // namespace ringside
