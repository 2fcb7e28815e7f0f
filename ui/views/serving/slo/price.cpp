// What a million output tokens cost over how fast each answer comes: engines of every size, each way to
// prefill, each at several rates; the ones that no other beats are joined.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/ranges.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/fill.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 3> kTriedBudgets{512, 2048, 8192};
constexpr std::array<double, 6> kShares{0.1, 0.25, 0.5, 0.75, 0.9, 1}; // of the largest rate in time
constexpr std::int64_t kMostGpus = 16;

// Ways to serve with up to 16 GPUs an engine.
std::vector<LoadSetup> ways(const Scenario& scenario, const LoadSetup& asked)
{
    std::vector<LoadSetup> all;
    for (const std::int64_t gpus : serving_gpus(scenario.model))
    {
        LoadSetup way = asked;
        way.engine.gpus = gpus;
        way.engines = way.prefill = 1;
        if (gpus > kMostGpus || (gpus & (gpus - 1)) != 0 || serving_report(scenario, way.engine).most < 1)
        {
            continue;
        }
        way.system = ServingSystem::prefill_first;
        all.push_back(way);
        way.system = ServingSystem::chunked;
        for (const std::int64_t budget : kTriedBudgets)
        {
            way.budget = budget;
            all.push_back(way);
        }
        way.budget = asked.budget;
        way.system = ServingSystem::disaggregated;
        for (const auto& [prefill, decode] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 1)})
        {
            way.prefill = prefill;
            way.engines = decode;
            all.push_back(way);
        }
    }
    return all;
}

// At shares of the rate up to which first tokens are in time.
std::vector<PricedPoint> priced(const Scenario& scenario, const LoadSetup& way)
{
    LoadSetup first_only = way;
    first_only.each_token = 1e9;
    const double most = goodput(scenario, first_only);
    if (most <= 0)
    {
        return {};
    }
    const auto rates = list_of<double>(kShares, [most](double share) { return share * most; });
    return list_of<PricedPoint>(
        serve_at(scenario, way, rates),
        [&](const LoadReport& load)
        {
            LoadSetup at = way;
            at.rate = load.setup.rate;
            const double dollars = scenario.cluster.usd_per_gpu_hour / 3600 * static_cast<double>(load.gpus);
            return PricedPoint{at, load.tpot_90,
                               dollars / (load.setup.rate * static_cast<double>(way.engine.output)) * 1e6};
        });
}

std::vector<PricedPoint> all_points(SloState& state, const Scenario& scenario, bool& animating)
{
    const LoadSetup asked = state.asked(scenario);
    const auto all = ways(scenario, asked);
    std::vector<PricedPoint> points;
    if (all.empty())
    {
        return points;
    }
    for (const auto& list : state.prices.of(
             {scenario, asked}, all.size(), [&](std::size_t i) { return priced(scenario, all[i]); },
             animating))
    {
        points.insert(points.end(), list.begin(), list.end());
    }
    return points;
}

// Those that no other is both quicker and cheaper than, the quickest first.
std::vector<PricedPoint> front_of(std::vector<PricedPoint> points)
{
    std::ranges::sort(points, [](const PricedPoint& a, const PricedPoint& b)
                      { return std::pair(a.tpot, a.usd) < std::pair(b.tpot, b.usd); });
    std::vector<PricedPoint> front;
    for (const PricedPoint& point : points)
    {
        if (front.empty() || point.usd < front.back().usd)
        {
            front.push_back(point);
        }
    }
    return front;
}

std::string dollars(double usd)
{
    return usd < 0.1   ? fmt::format("${:.3f}", usd)
           : usd < 100 ? fmt::format("${:.2f}", usd)
                       : fmt::format("${:.0f}", usd);
}

std::string way_words(const LoadSetup& way)
{
    const std::string gpus = counted(way.engine.gpus, "GPU");
    switch (way.system)
    {
    case ServingSystem::disaggregated:
        return fmt::format("{} : {} engines of {}", way.prefill, way.engines, gpus);
    case ServingSystem::chunked:
        return fmt::format("{}, chunks of {}", gpus, way.budget);
    default:
        return fmt::format("{}, prefill first", gpus);
    }
}

Colour colour_of(const Theme& t, ServingSystem system)
{
    return line_colour(system == ServingSystem::disaggregated ? t.forward
                       : system == ServingSystem::chunked     ? t.data
                                                              : t.backward_weight);
}

void draw_price(const SloRoom& r)
{
    if (says_nothing_fits(r))
    {
        return;
    }
    const auto points = all_points(r.state, r.frame.now.scenario, r.out.animating);
    const auto front = front_of(points);
    double low = 1e300;
    double high = 0;
    double quick = 1e300;
    double slow = 0;
    for (const PricedPoint& point : points)
    {
        low = std::min(low, point.usd);
        high = std::max(high, point.usd);
        quick = std::min(quick, point.tpot);
        slow = std::max(slow, point.tpot);
    }
    if (points.empty())
    {
        low = quick = 1e-3;
        high = slow = 1;
    }
    const Theme& t = r.p.theme;
    Rect area = r.area;
    draw_legend(r.p, area.cut_top(r.p.px(24)),
                std::array{LegendItem{"prefill first", {t.backward_weight}},
                           LegendItem{"chunked prefill", {t.data}},
                           LegendItem{"disaggregated", {t.forward}}});
    area.cut_top(r.p.px(8));
    Plot plot(r.p, area,
              {quick / 1.3, slow * 1.3 + 1e-9, PlotScale::log, "TPOT of 90% of the requests", latency_words},
              {low / 1.5, high * 1.5 + 1e-9, PlotScale::log, "per million output tokens", dollars},
              {.part = "price"});
    if (!plot)
    {
        return;
    }
    std::vector<PlotPoint> places;
    for (const PricedPoint& point : points)
    {
        places.push_back({point.tpot, point.usd});
        plot.speck(places.back(), {colour_of(t, point.setup.system), 3});
    }
    plot.line(list_of<PlotPoint>(front,
                                 [](const PricedPoint& f) {
                                     return PlotPoint{f.tpot, f.usd};
                                 }),
              {t.text, 2.5F}, "cheapest at each speed");
    plot.limit_x(r.state.setup.each_token,
                 fmt::format("objective {}", latency_words(r.state.setup.each_token)));
    const PlotPick pick = plot.pick(places, "###priced");
    if (pick.at)
    {
        const PricedPoint& point = points[*pick.at];
        plot.tip(way_words(point.setup),
                 std::array{TipLine{"requests/s", load_words(point.setup.rate)},
                            TipLine{"TPOT", latency_words(point.tpot)},
                            TipLine{"per 1M tokens", dollars(point.usd)}},
                 "Click to look at its requests");
        if (pick.clicked)
        {
            r.state.gpus = point.setup.engine.gpus;
            r.state.rate = point.setup.rate;
            r.state.setup.system = point.setup.system;
            r.state.setup.budget = point.setup.budget;
            r.state.setup.engines = point.setup.engines;
            r.state.setup.prefill = point.setup.prefill;
            r.out.animating = true;
        }
    }
}

Caption price_caption(const Frame& frame, SloState& state)
{
    if (!state.load_of(frame.now.scenario).fits())
    {
        return nothing_fits();
    }
    bool more = false;
    const auto front = front_of(all_points(state, frame.now.scenario, more));
    const auto within =
        std::find_if(front.rbegin(), front.rend(),
                     [&](const PricedPoint& point) { return point.tpot <= state.setup.each_token; });
    return {
        within == front.rend()
            ? (more ? std::string("Searching \u2026") : "No configuration meets both objectives.")
            : fmt::format(
                  "Cheapest within both objectives: **{}**, at {} requests/s **{}** per million output "
                  "tokens.",
                  way_words(within->setup), load_words(within->setup.rate), dollars(within->usd)),
        "dollars per million tokens = GPUs \u00d7 $/h / 3,600 / (requests/s \u00d7 output tokens) \u00d7 "
        "10\u2076",
        "Every point is simulated; those whose first tokens come too late are left out. The price of a GPU "
        "is the scenario\u2019s; input tokens are not charged."};
}

} // namespace

const Page<SloState> kSloPrice{"Price", draw_price, panel_slo, price_caption};

} // namespace ringside
