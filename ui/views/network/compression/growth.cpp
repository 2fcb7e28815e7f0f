#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <vector>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostRanks = std::int64_t{1} << 14;

struct Sender
{
    Travel travel;
    Bytes part;

    double sent(std::int64_t ranks) const { return sent_per_rank(travel, part, ranks).value; }
};

std::vector<PlotPoint> points_of(const Sender& sender)
{
    std::vector<PlotPoint> points;
    for (std::int64_t n = 2; n <= kMostRanks; n *= 2)
    {
        points.push_back({static_cast<double>(n), sender.sent(n)});
    }
    return points;
}

} // namespace

void draw_growth(const Painter& p, Rect area, const GradientProjection& g, const CompressionOptions& o)
{
    const Theme& t = p.theme;
    const Sender own{info_of(o.compressor).travel, g.part(o)};
    const Sender dense{Travel::all_reduce, g.dense(Compressor::bf16)};
    PlotAxis bytes{1e300, 0, PlotScale::log};
    for (const Sender& s : {own, dense})
    {
        bytes.low = std::min({bytes.low, s.sent(2), s.sent(kMostRanks)});
        bytes.high = std::max({bytes.high, s.sent(2), s.sent(kMostRanks)});
    }
    if (!(bytes.low > 0) || !(bytes.high > bytes.low))
    {
        return;
    }
    const auto last = static_cast<double>(kMostRanks);
    const double ranks = std::clamp(static_cast<double>(g.ranks), 2.0, last);
    const AxisWords number = [](double n) { return plain_number(n); };
    Plot plot(p, area, {2, last, PlotScale::log2, "", number, {2, last}}, bytes,
              {.title = "Sent per GPU over replicas N"});
    if (!plot)
    {
        return;
    }
    plot.rule_x(ranks, {t.muted, 1, true}, fmt::format("N = {}", grouped(g.ranks)));
    plot.line(points_of(dense), {t.text, 1.5F}, "dense BF16");
    plot.line(points_of(own), {t.of(Component::gradients).fill, 2.5F});
    const double crossing = gather_crossover(own.part, dense.part);
    if (own.travel == Travel::all_gather && crossing > 2 && crossing < last)
    {
        const PlotPoint cross{crossing, 2 * dense.part.value * (1 - 1 / crossing)};
        plot.dot(cross, {t.text});
        plot.label(cross, plain_number(crossing), true);
    }
}

} // namespace ringside
