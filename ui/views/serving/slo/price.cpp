// What a million output tokens cost over how fast each answer comes: engines of every size, each way to
// prefill, each at several rates; the ones that no other beats are joined.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/fill.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::vector<PricedLoad> all_points(SloState& state, const Scenario& scenario, bool& animating)
{
    const LoadSetup traffic = traffic_of(state.asked(scenario)); // the list is one for all systems
    const auto options = serving_options(scenario, traffic);
    std::vector<PricedLoad> points;
    if (options.empty())
    {
        return points;
    }
    for (const auto& list : state.prices.of(
             {scenario, traffic}, options.size(),
             [&](std::size_t i) { return priced_loads(scenario, options[i]); }, animating))
    {
        points.insert(points.end(), list.begin(), list.end());
    }
    return points;
}

std::string dollars(double usd)
{
    return usd < 0.1   ? fmt::format("${:.3f}", usd)
           : usd < 100 ? fmt::format("${:.2f}", usd)
                       : fmt::format("${:.0f}", usd);
}

std::string way_words(const LoadSetup& way)
{
    const bool wide = way.engine.ranks > 1;
    const std::string gpus =
        wide ? fmt::format("EP {}", way.engine.engine_gpus()) : counted(way.engine.gpus, "GPU");
    switch (way.system)
    {
    case ServingSystem::disaggregated:
        if (wide)
        {
            return fmt::format("prefill EP {}, decode EP {}", way.engine.gpus * way.prefill_ranks,
                               way.engine.engine_gpus());
        }
        return fmt::format("{} : {} engines of {}", way.prefill, way.engines, gpus);
    case ServingSystem::chunked:
        return fmt::format("{}, chunks of {}", gpus, grouped(way.budget));
    default:
        return fmt::format("{}, prefill-prioritized", gpus);
    }
}

void draw_price(const SloRoom& r)
{
    if (says_nothing_fits(r))
    {
        return;
    }
    const auto points = all_points(r.state, r.frame.now.scenario, r.out.animating);
    const auto front = pareto_front(points);
    double low = 1e300;
    double high = 0;
    double quick = 1e300;
    double slow = 0;
    for (const PricedLoad& point : points)
    {
        low = std::min(low, point.usd);
        high = std::max(high, point.usd);
        quick = std::min(quick, point.tpot_90);
        slow = std::max(slow, point.tpot_90);
    }
    if (points.empty())
    {
        low = quick = 1e-3;
        high = slow = 1;
    }
    const Theme& t = r.p.theme;
    Rect area = r.area;
    draw_legend(r.p, area.cut_top(r.p.px(24)),
                list_of<LegendItem>(every<ServingSystem>(),
                                    [&](ServingSystem system) {
                                        return LegendItem{std::string(name_of(system)), {ink_of(t, system)}};
                                    }));
    area.cut_top(r.p.px(8));
    Plot plot(r.p, area, {quick / 1.3, slow * 1.3 + 1e-9, PlotScale::log, "p90 TPOT", latency_words},
              {low / 1.5, high * 1.5 + 1e-9, PlotScale::log, "per million output tokens", dollars},
              {.part = "price"});
    if (!plot)
    {
        return;
    }
    std::vector<PlotPoint> places;
    for (const PricedLoad& point : points)
    {
        places.push_back({point.tpot_90, point.usd});
        plot.speck(places.back(), {ink_of(t, point.setup.system), 3});
    }
    plot.line(list_of<PlotPoint>(front,
                                 [](const PricedLoad& f) {
                                     return PlotPoint{f.tpot_90, f.usd};
                                 }),
              {t.text, 2.5F}, "Pareto frontier");
    std::string last;
    for (const PricedLoad& f : front)
    {
        const std::string way = way_words(f.setup);
        if (way != std::exchange(last, way))
        {
            plot.label({f.tpot_90, f.usd}, way);
        }
    }
    plot.limit_x(r.state.setup.each_token, fmt::format("SLO {}", latency_words(r.state.setup.each_token)));
    const PlotPick pick = plot.pick(places, "###priced");
    if (pick.at)
    {
        const PricedLoad& point = points[*pick.at];
        plot.tip(way_words(point.setup),
                 std::array{TipLine{"requests/s", load_words(point.setup.rate)},
                            TipLine{"TPOT", latency_words(point.tpot_90)},
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
            r.state.setup.prefill_ranks = point.setup.prefill_ranks;
            r.state.setup.engine.ranks = point.setup.engine.ranks;
            r.state.setup.engine.two_batch = point.setup.engine.two_batch;
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
    const auto front = pareto_front(all_points(state, frame.now.scenario, more));
    const auto within =
        std::find_if(front.rbegin(), front.rend(),
                     [&](const PricedLoad& point) { return point.tpot_90 <= state.setup.each_token; });
    return {within == front.rend()
                ? (more ? std::string("Searching \u2026") : "No configuration meets both SLOs.")
                : fmt::format("Cheapest within both SLOs: **{}**, at {} requests/s **{}** per million "
                              "output tokens.",
                              way_words(within->setup), load_words(within->setup.rate), dollars(within->usd)),
            "dollars per million tokens = GPUs \u00d7 $/h / 3,600 / (requests/s \u00d7 output tokens) \u00d7 "
            "10\u2076",
            "Every point is simulated; those whose first tokens come too late are left out. The price of a "
            "GPU is the scenario\u2019s; input tokens are not charged."};
}

} // namespace

const Page<SloState> kSloPrice{"Price", draw_price, panel_slo, price_caption, nullptr, "Price of tokens"};

} // namespace ringside
