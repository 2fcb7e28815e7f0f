// The slowest rank of a synchronous step: times of all ranks, and what more of them cost.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/scale.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/reliability/straggler.h"
#include "core/scenario/choices.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace ringside
{

namespace
{

constexpr int kSteps = 100;

// What such ranks cost, alone and with more and more of them. Every number is an integral, so this is made
// once for each setting and not each frame.
struct RankCosts
{
    RankTimes of;
    double step = 0;             // [s] expected
    double lost = 0;             // share of the throughput
    double largest = 0;          // expected of as many standard normal draws
    std::vector<double> lost_by; // the share with 1, 2, 4 ... kMostGrown ranks
};
inline constexpr std::int64_t kMostGrown = 1 << 17;

constexpr double kMostSlower = 1; // twice as long
constexpr std::size_t kBins = 60; // over the axis, not over the draw

std::string time_words(double seconds)
{
    return format_seconds(Seconds(seconds));
}

void draw_bins(const Painter& p, const Plot& plot, std::span<const Bin> bins)
{
    const Theme& t = p.theme;
    // A lone rank among thousands must be seen.
    const double least = static_cast<double>(p.px(4) / plot.area.h) * plot.y.high;
    const auto height = [&](std::int64_t n)
    { return n == 0 ? 0.0 : std::max(least, static_cast<double>(n)); };
    for (std::size_t i = 0; i < kBins; ++i)
    {
        const auto edge = [&](std::size_t k) { return plot.x.at(static_cast<double>(k) / kBins); };
        const double low = height(bins[i].healthy);
        Rect healthy = plot.rect(edge(i), edge(i + 1), 0, low);
        Rect slow = plot.rect(edge(i), edge(i + 1), low, low + height(bins[i].slow));
        healthy.cut_right(1);
        slow.cut_right(1);
        p.fill(healthy, t.forward.fill);
        p.fill(slow, t.backward_input.fill);
        p.hatch(slow, t.window, kOverflowHatch);
    }
}

// A cell for each rank, or for neighbours where there are thousands, as slow as the slowest of them; a row is
// a node. The slowest of all glows.
void draw_nodes_of_ranks(const Painter& p, Rect area, const std::vector<double>& times, std::int64_t per_node)
{
    constexpr std::int64_t kMostCells = 4096;
    const Theme& t = p.theme;
    const auto n = std::ssize(times);
    const std::int64_t each = (n + kMostCells - 1) / kMostCells;
    const std::int64_t cells = (n + each - 1) / each;
    const std::int64_t node = std::clamp<std::int64_t>(per_node, 1, cells);
    const std::int64_t nodes = (cells + node - 1) / node;
    const Rect head = area.cut_top(p.px(26));
    draw_chart_title(p, head, each > 1 ? fmt::format("{} ranks a cell", each) : "Ranks by node",
                     "the slowest glows");
    // As many nodes beside each other as make cells about square.
    const float want = area.w / std::max(1.0F, area.h);
    const auto across = std::clamp<std::int64_t>(
        std::llround(std::sqrt(want * static_cast<float>(nodes) / static_cast<float>(node))), 1, nodes);
    const std::int64_t rows = (nodes + across - 1) / across;
    const auto [low, high] = std::ranges::minmax(times);
    const float gap = std::min(p.px(10), area.w / static_cast<float>(across) * 0.15F);
    Rect slowest{};
    for (std::int64_t i = 0; i < cells; ++i)
    {
        const auto from = times.begin() + i * each;
        const double time = *std::max_element(from, from + std::min(each, n - i * each));
        const CellGrid blocks{area, rows, across, gap};
        const Rect block = blocks.cell(i / node / across, i / node % across);
        const CellGrid grid{block, 1, node, block.w / static_cast<float>(node) > p.px(4) ? 1.0F : 0.0F};
        const Rect cell = grid.cell(0, i % node);
        const auto heat = static_cast<float>(high > low ? (time - low) / (high - low) : 0);
        p.fill(cell, mix(mix(t.control, t.forward.fill, 0.25F), t.forward.fill, heat));
        slowest = time == high ? cell : slowest;
    }
    for (const float out : {6.0F, 4.0F, 2.0F})
    {
        const float by = p.px(out);
        p.fill({slowest.x - by, slowest.y - by, slowest.w + 2 * by, slowest.h + 2 * by},
               with_alpha(t.backward_weight.fill, 0.22F), by);
    }
    p.fill(slowest, t.backward_weight.fill);
    p.part("nodes", area);
}

// How slow the slow ranks are, where it is moved.
std::optional<double> draw_times(const Painter& p, Rect area, const RankTimes& ranks,
                                 const std::vector<double>& times)
{
    const double slowest = std::ranges::max(times);
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    // One axis for every step, so that they can be compared.
    const double low = ranks.mean * std::max(0.0, 1 - 5 * ranks.spread - 0.02);
    const double high =
        std::max(slowest, ranks.mean * (1 + (ranks.slow > 0 ? ranks.slower : 0) + 5 * ranks.spread + 0.04));
    const std::string title = fmt::format("Compute time of {} in one step", counted(ranks.ranks, "rank"));
    const std::vector<Bin> bins = histogram(times, ranks.slow, kBins, low, high);
    double most = 1;
    for (const Bin& bin : bins)
    {
        most = std::max(most, static_cast<double>(bin.healthy + bin.slow));
    }
    Plot plot(p, area, {low, high, PlotScale::linear, "", time_words},
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
    const PlotMove grip =
        plot.grip({static_cast<double>(ranks), costs.lost}, "###ranks that wait",
                  fmt::format("{}: {}", counted(ranks, "rank"), format_percent(costs.lost)));
    tooltip(p, "Drag: GPUs of the scenario");
    const auto to = grip.x(2);
    return to ? std::optional(std::max<std::int64_t>(1, std::llround(*to))) : std::nullopt;
}

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

class StragglersView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    // The user's settings for the scenario's GPUs and step.
    RankTimes ranks(const Frame& frame) const;
    const RankCosts& costs(const Frame& frame) const { return costs_.of(ranks(frame), rank_costs); }

    RankTimes asked_;
    std::uint64_t seed_ = 1;
    Derived<std::tuple<RankTimes, std::uint64_t, std::uint64_t>, std::vector<double>> times_; // seed, step
    Derived<RankTimes, RankCosts> costs_;
};

RankTimes StragglersView::ranks(const Frame& frame) const
{
    RankTimes ranks = asked_;
    ranks.ranks = frame.now.scenario.cluster.gpus;
    ranks.mean = frame.now.report->step.total();
    ranks.slow = std::min(ranks.slow, ranks.ranks);
    return ranks;
}

Motion StragglersView::motion(const Frame& frame) const
{
    return {.duration = kSteps - 1,
            .per_second = 3,
            .label = fmt::format("step {}/{}", static_cast<int>(frame.playback.t) + 1, kSteps)};
}

std::int64_t nearest_legal(const Scenario& s, std::int64_t gpus)
{
    const auto legal = legal_values(s, Knob::gpus);
    return *nearest_by_ratio(legal, static_cast<double>(std::max<std::int64_t>(1, gpus)));
}

void StragglersView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const std::tuple asked{ranks(frame), seed_, static_cast<std::uint64_t>(std::max(0.0, frame.playback.t))};
    const auto& times = times_.of(asked, [](const auto& of) { return std::apply(draw_rank_times, of); });
    const bool both = area.h > painter.px(240);
    Rect top = both ? area.cut_top(area.h * 0.56F) : area;
    area.cut_top(painter.px(8));
    if (top.h > painter.px(140) && top.w > painter.px(640))
    {
        draw_nodes_of_ranks(painter, top.cut_left(top.w * 0.42F), times,
                            frame.now.scenario.cluster.gpus_per_node);
        top.cut_left(painter.px(28));
    }
    if (top.h > painter.px(80) && top.w > painter.px(80))
    {
        const auto slower = draw_times(painter, top, ranks(frame), times);
        asked_.slower = slower.value_or(asked_.slower);
        out.animating = out.animating || slower;
    }
    const auto requested = both ? draw_loss(painter, area, costs(frame)) : std::nullopt;
    if (!requested || !frame.valid())
    {
        return;
    }
    const std::int64_t gpus = nearest_legal(frame.scenario, *requested);
    if (gpus != frame.scenario.cluster.gpus)
    {
        out.push(ChangeScenario{with(frame.scenario, Knob::gpus, gpus), true});
    }
}

Caption StragglersView::caption(const Frame& frame) const
{
    const RankCosts& all = costs(frame);
    const RankTimes& now = all.of;
    const std::string who = now.slow > 0 ? fmt::format("{} of {} take {} longer", grouped(now.slow),
                                                       counted(now.ranks, "rank"), format_percent(now.slower))
                                         : fmt::format("{} with {} jitter", counted(now.ranks, "rank"),
                                                       format_percent(now.spread));
    const std::string lost = format_percent(all.lost);
    return {
        fmt::format("{}, and every rank waits for the slowest: **{} of the throughput** is lost.", who, lost),
        fmt::format("1 \u2212 mean / E[max t] = 1 \u2212 {} / {} = {}", figure(now.mean, 4),
                    figure(all.step, 4), lost),
        "A synchronous step takes as long as its slowest rank. Healthy ranks: normal, independent. "
        "Maximum of n draws: Tippett, Biometrika 17 (1925) 364."};
}

void draw_rank_facts(PanelColumn& column, const RankCosts& costs)
{
    column.fact("Mean rank time", format_seconds(Seconds(costs.of.mean)),
                "The scenario\u2019s step time, if all ranks were equally fast");
    column.fact("Expected step time", format_seconds(Seconds(costs.step)),
                "Mean of the maximum of n draws: the integral of 1 \u2212 F(x)^n");
    column.fact("Throughput lost", format_percent(costs.lost), "1 \u2212 mean / step");
    column.fact("With one slow rank", format_percent(one_slow_loss(costs.of.slower)),
                "x / (1 + x), however many ranks wait");
    column.fact("Expected maximum", fmt::format("{} \u03c3", three_digits(costs.largest)),
                "Of n standard normal draws, about \u221a(2 ln n) for many (Tippett 1925)");
}

bool StragglersView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    RankTimes now = ranks(frame);
    PanelColumn column(p, area, out.animating);
    column.heading("Ranks");
    if (column.slide("Slow ranks",
                     Track::even(0, static_cast<double>(std::min<std::int64_t>(now.ranks, 64)), say_whole),
                     now.slow))
    {
        asked_.slow = now.slow;
    }
    column.slide("Slower by", Track::even(0, 1, format_percent, 0.01), asked_.slower);
    column.slide("Jitter of healthy ranks", Track::even(0, 0.2, format_percent, 0.01), asked_.spread);
    column.gap();
    draw_rank_facts(column, costs(frame));
    return true;
}

ViewKeys StragglersView::keys()
{
    return {{"S", "One more slow rank",
             [this](const KeyPress& k) { asked_.slow = std::min(asked_.slow + 1, ranks(k.frame).ranks); }},
            {"R", "All ranks healthy", [this] { asked_.slow = 0; }},
            {"drag", "The points: how slow, and how many ranks"},
            {"N", "Another seed", [this] { ++seed_; }}};
}

} // namespace

extern const ViewInfo stragglers_view{
    50,
    "stragglers",
    ViewGroup::reliability,
    "Stragglers",
    "Stragglers",
    "Step times of all ranks, the slowest of them, and what more ranks cost",
    {"model", "gpus"},
    make_view<StragglersView>};

} // namespace ringside
