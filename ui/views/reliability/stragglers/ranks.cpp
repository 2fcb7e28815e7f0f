#include "ui/views/reliability/stragglers/ranks.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

constexpr double kMostSlower = 1; // twice as long
constexpr std::size_t kBins = 60; // over the axis, not over the draw

std::string time_words(double seconds)
{
    return format_seconds(Seconds(seconds));
}

struct Bin
{
    std::int64_t healthy = 0;
    std::int64_t slow = 0;
};
using Bins = std::array<Bin, kBins>;

Bins bins_of(const PlotAxis& axis, const RankTimes& ranks, const std::vector<double>& times)
{
    Bins bins{};
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        const double share = std::clamp(axis.share(times[i]), 0.0, 0.999999);
        Bin& bin = bins.at(static_cast<std::size_t>(share * kBins));
        ++(static_cast<std::int64_t>(i) < ranks.slow ? bin.slow : bin.healthy);
    }
    return bins;
}

void draw_bins(const Painter& p, const Plot& plot, const Bins& bins)
{
    const Theme& t = p.theme;
    // A lone rank among thousands must be seen.
    const double least = static_cast<double>(p.px(4) / plot.area.h) * plot.y.high;
    const auto height = [&](std::int64_t n)
    { return n == 0 ? 0.0 : std::max(least, static_cast<double>(n)); };
    for (std::size_t i = 0; i < kBins; ++i)
    {
        const auto edge = [&](std::size_t k) { return plot.x.at(static_cast<double>(k) / kBins); };
        const double low = height(bins.at(i).healthy);
        Rect healthy = plot.rect(edge(i), edge(i + 1), 0, low);
        Rect slow = plot.rect(edge(i), edge(i + 1), low, low + height(bins.at(i).slow));
        healthy.cut_right(1);
        slow.cut_right(1);
        p.fill(healthy, t.forward.fill);
        p.fill(slow, t.backward_input.fill);
        p.hatch(slow, t.window, kOverflowHatch);
    }
}

// How slow the slow ranks are, where it is moved.
std::optional<double> draw_times(const Painter& p, Rect area, const RankTimes& ranks,
                                 const std::vector<double>& times)
{
    const double slowest = std::ranges::max(times);
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    // The same axis for every step, so that they can be compared.
    const double low = ranks.mean * std::max(0.0, 1 - 5 * ranks.spread - 0.02);
    const double high =
        std::max(slowest, ranks.mean * (1 + (ranks.slow > 0 ? ranks.slower : 0) + 5 * ranks.spread + 0.04));
    const std::string title = fmt::format("Compute time of {} ranks in one step", grouped(ranks.ranks));
    const PlotAxis axis{low, high, PlotScale::linear, "", time_words, {low, high}};
    const Bins bins = bins_of(axis, ranks, times);
    double most = 1;
    for (const Bin& bin : bins)
    {
        most = std::max(most, static_cast<double>(bin.healthy + bin.slow));
    }
    Plot plot(p, area, axis,
              {0, most * 1.3, PlotScale::linear, "ranks",
               [](double n) { return n == std::floor(n) ? grouped(std::llround(n)) : ""; }},
              {.title = title, .part = "ranks"});
    if (!plot)
    {
        return std::nullopt;
    }
    draw_bins(p, plot, bins);
    plot.rule_x(mean, {p.theme.text, 1}, "mean " + time_words(mean));
    plot.rule_x(slowest, {p.theme.text, 2}, "slowest = step: " + time_words(slowest));
    if (ranks.slow == 0)
    {
        return std::nullopt;
    }
    const PlotMove grip = plot.grip({ranks.mean * (1 + ranks.slower), 0}, "###how slow the slow ranks are");
    tooltip(p, "Drag: how much longer the slow ranks take");
    const auto to = grip.x(0.05 * ranks.mean);
    return to ? std::optional(std::clamp(std::round((*to / ranks.mean - 1) * 100) / 100, 0.01, kMostSlower))
              : std::nullopt;
}

// The number of ranks, where it is moved.
std::optional<std::int64_t> draw_loss(const Painter& p, Rect area, const RankCosts& costs)
{
    Plot plot(p, area,
              {1, static_cast<double>(kMostGrown), PlotScale::log2, "",
               [](double n) { return grouped(std::llround(n)); }},
              {0, std::max({0.02, costs.lost_by.back(), costs.lost}) * 1.25, PlotScale::linear, "",
               [](double share) { return fmt::format("{:.2g}%", share * 100); }},
              {.title = "Throughput lost vs number of ranks", .part = "growth"});
    if (!plot)
    {
        return std::nullopt;
    }
    std::vector<PlotPoint> line;
    for (const double lost : costs.lost_by)
    {
        line.push_back({std::exp2(static_cast<double>(line.size())), lost});
    }
    plot.line(line, {p.theme.text, 2.5F});
    const std::int64_t ranks = costs.of.ranks;
    const PlotMove grip = plot.grip({static_cast<double>(ranks), costs.lost}, "###ranks that wait",
                                    fmt::format("{} ranks: {}", grouped(ranks), format_percent(costs.lost)));
    tooltip(p, "Drag: GPUs of the scenario");
    const auto to = grip.x(2);
    return to ? std::optional(std::max<std::int64_t>(1, std::llround(*to))) : std::nullopt;
}

} // namespace

RankCosts rank_costs(const RankTimes& ranks)
{
    RankCosts costs{ranks,
                    expected_step(ranks),
                    straggler_loss(ranks),
                    expected_largest_normal(static_cast<double>(ranks.ranks)),
                    {}};
    RankTimes grown = ranks;
    for (std::int64_t n = 1; n <= kMostGrown; n *= 2)
    {
        grown.ranks = n;
        grown.slow = std::min(ranks.slow, n);
        costs.lost_by.push_back(straggler_loss(grown));
    }
    return costs;
}

RankWish draw_ranks(const Painter& painter, Rect area, const RankCosts& costs,
                    const std::vector<double>& times)
{
    RankWish wish;
    const bool both = area.h > painter.px(240);
    Rect top = both ? area.cut_top(area.h * 0.56F) : area;
    if (top.h > painter.px(80) && top.w > painter.px(80))
    {
        wish.slower = draw_times(painter, top, costs.of, times);
    }
    if (both)
    {
        area.cut_top(painter.px(8));
        wish.gpus = draw_loss(painter, area, costs);
    }
    return wish;
}

} // namespace ringside
