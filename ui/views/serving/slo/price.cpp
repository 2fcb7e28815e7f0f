// What a million output tokens cost over how fast each answer comes: engines of every size, each way to
// prefill, each at several rates; the ones that no other beats are joined.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fill.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using Prices = ListWork<OptionPrices>;

WorkAnswer<WorkResult<Prices>> prices_of(const SloState& state, const Frame& frame)
{
    const Scenario& s = frame.now.scenario;
    return work_on<Prices>(frame.works, {s, traffic_of(state.asked(s))}); // one list for all systems
}

std::vector<PricedLoad> all_points(const WorkResult<Prices>& lists)
{
    std::vector<PricedLoad> points;
    for (const auto& list : lists)
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

// What the axes have to hold: p90 TPOT and dollars; anything where there is nothing.
struct PriceBounds
{
    double low = 1e300;
    double high = 0;
    double quick = 1e300;
    double slow = 0;

    explicit PriceBounds(const std::vector<PricedLoad>& points)
    {
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
    }
};

// The frontier, each way of serving named where it begins.
void draw_front(Plot& plot, const std::vector<PricedLoad>& front, const Theme& t)
{
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
}

// The view looks at these requests from now on.
void take_setup(const LoadSetup& setup, const SloRoom& r)
{
    r.state.gpus = setup.engine.gpus;
    r.state.rate = setup.rate;
    r.state.setup.system = setup.system;
    r.state.setup.budget = setup.budget;
    r.state.setup.engines = setup.engines;
    r.state.setup.prefill = setup.prefill;
    r.state.setup.prefill_ranks = setup.prefill_ranks;
    r.state.setup.engine.ranks = setup.engine.ranks;
    r.state.setup.engine.two_batch = setup.engine.two_batch;
    r.out.animating = true;
}

void draw_price(const SloRoom& r)
{
    if (says_nothing_fits(r))
    {
        return;
    }
    Rect area = r.area;
    const auto prices = prices_of(r.state, r.frame);
    if (!draw_status(r.p, area, prices))
    {
        return;
    }
    const auto points = all_points(*prices);
    const auto front = pareto_front(points);
    const PriceBounds bounds(points);
    const Theme& t = r.p.theme;
    draw_legend(r.p, area.cut_top(r.p.px(24)),
                list_of<LegendItem>(every<ServingSystem>(),
                                    [&](ServingSystem system) {
                                        return LegendItem{std::string(name_of(system)), {ink_of(t, system)}};
                                    }));
    area.cut_top(r.p.px(8));
    Plot plot(
        r.p, area, {bounds.quick / 1.3, bounds.slow * 1.3 + 1e-9, PlotScale::log, "p90 TPOT", latency_words},
        {bounds.low / 1.5, bounds.high * 1.5 + 1e-9, PlotScale::log, "per million output tokens", dollars},
        {.part = "price"});
    if (!plot)
    {
        return;
    }
    std::vector<PlotPoint> places;
    for (const PricedLoad& point : points)
    {
        places.push_back({point.tpot_90, point.usd});
        plot.dot(places.back(), {ink_of(t, point.setup.system), 3});
    }
    draw_front(plot, front, t);
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
            take_setup(point.setup, r);
        }
    }
}

Caption price_caption(const Frame& frame, SloState& state)
{
    if (!state.load_of(frame.now.scenario).fits())
    {
        return nothing_fits();
    }
    const auto prices = prices_of(state, frame);
    if (!prices)
    {
        return {fault_sentence(prices), "", ""};
    }
    const auto front = pareto_front(all_points(*prices));
    const auto within =
        std::find_if(front.rbegin(), front.rend(),
                     [&](const PricedLoad& point) { return point.tpot_90 <= state.setup.each_token; });
    return {within == front.rend()
                ? (prices.done() ? std::string("No configuration meets both SLOs.") : "Searching \u2026")
                : fmt::format("Cheapest within both SLOs: **{}**, at {} requests/s **{}** per million "
                              "output tokens (TPOT {}).",
                              way_words(within->setup), load_words(within->setup.rate), dollars(within->usd),
                              range_words(frame, within->setup.software, within->tpot_90,
                                          ServingMeasure::tpot, latency_words)),
            "dollars per million tokens = GPUs \u00d7 $/h / 3,600 / (requests/s \u00d7 output tokens) \u00d7 "
            "10\u2076",
            "Every point is simulated; those whose first tokens come too late are left out. The price of a "
            "GPU is the scenario\u2019s; input tokens are not charged."};
}

} // namespace

const Page<SloState> kSloPrice{"Price", draw_price, panel_slo, price_caption, nullptr, "Price of tokens"};

} // namespace ringside
