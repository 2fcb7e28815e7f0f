// Goodput per GPU over the number of prefill engines, next to colocated engines.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>

namespace ringside
{

namespace
{

// All engines there are, of both kinds; two at least.
std::int64_t all_engines(const LoadSetup& setup)
{
    const std::int64_t prefill = setup.system == ServingSystem::disaggregated ? setup.prefill : 0;
    return std::max<std::int64_t>(2, setup.engines + prefill);
}

struct Compared
{
    std::vector<LoadSetup> splits;
    WorkAnswer<std::vector<double>> known; // of each, as far as they are
    std::vector<double> goodput;
    double gpus = 1;
    std::int64_t engines = 1;

    double each(std::size_t entry) const { return entry < goodput.size() ? goodput[entry] / gpus : 0; }
    std::optional<std::size_t> best() const
    {
        const auto found = std::ranges::max_element(goodput);
        return found == goodput.end() || *found <= 0
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(found - goodput.begin()));
    }
};

Compared compared(const SloState& state, const Frame& frame)
{
    const Scenario& scenario = frame.now.scenario;
    const LoadSetup asked = state.asked(scenario);
    const LoadSetup shown = state.load_of(scenario).setup; // with as many GPUs an engine as hold the model
    LoadSetup traffic = traffic_of(asked);                 // the list is one for all systems
    traffic.engine.gpus = shown.engine.gpus;
    traffic.engine.ranks = shown.engine.ranks;
    traffic.engine.two_batch = shown.engine.two_batch;
    traffic.each_token = asked.each_token;
    traffic.budget = asked.budget;
    Compared now;
    now.engines = all_engines(asked);
    now.gpus = static_cast<double>(shown.engine.engine_gpus() * now.engines);
    now.splits = engine_splits(traffic, now.engines);
    now.known = work_on<ListWork<SetupGoodputs>>(frame.works, {scenario, now.splits});
    now.goodput = now.known ? *now.known : std::vector<double>();
    return now;
}

// The points of the engines split in two, each of which a press takes.
void draw_splits(const SloRoom& r, Plot& plot, const std::vector<PlotPoint>& apart, std::int64_t engines)
{
    const Theme& t = r.p.theme;
    plot.line(apart, {ink_of(t, ServingSystem::disaggregated), 2.5F}, "disaggregated");
    for (const PlotPoint& point : apart)
    {
        const auto prefill = static_cast<std::int64_t>(point.x);
        const std::string id = fmt::format("###split {}", prefill);
        const std::string tip =
            fmt::format("{} prefill, {} decode: {} requests/s per GPU", counted(prefill, "engine"),
                        engines - prefill, load_words(point.y));
        if (plot.dot(point, {ink_of(t, ServingSystem::disaggregated), 5}, id, tip).clicked)
        {
            r.state.setup.system = ServingSystem::disaggregated;
            r.state.setup.prefill = prefill;
            r.state.setup.engines = engines - prefill;
            r.state.setup.prefill_ranks = r.state.setup.engine.ranks;
            r.out.animating = true;
        }
    }
}

void draw_split(const SloRoom& r)
{
    if (says_nothing_fits(r))
    {
        return;
    }
    const Compared now = compared(r.state, r.frame);
    Rect area = r.area;
    if (!draw_status(r.p, area, now.known))
    {
        return;
    }
    std::vector<PlotPoint> apart;
    double top = std::max(now.each(0), now.each(1));
    for (std::size_t entry = 2; entry < now.goodput.size(); ++entry)
    {
        apart.push_back({static_cast<double>(entry - 1), now.each(entry)});
        top = std::max(top, apart.back().y);
    }
    const Theme& t = r.p.theme;
    std::vector<double> ticks;
    for (std::int64_t x = 0; x <= now.engines; x += std::max<std::int64_t>(1, now.engines / 16))
    {
        ticks.push_back(static_cast<double>(x));
    }
    Plot plot(r.p, area,
              {0, static_cast<double>(now.engines), PlotScale::linear,
               fmt::format("prefill engines, of {}", now.engines), say_whole, ticks},
              {0, 1.25 * std::max(top, 1e-9), PlotScale::linear, "requests/s within both SLOs, per GPU",
               plain_number},
              {.part = "split"});
    if (!plot)
    {
        return;
    }
    plot.rule_y(now.each(0), {ink_of(t, ServingSystem::prefill_first), 2, true},
                "colocated, prefill-prioritized");
    plot.rule_y(now.each(1), {ink_of(t, ServingSystem::chunked), 2, true},
                fmt::format("colocated, chunks of {}", grouped(r.state.setup.budget)));
    draw_splits(r, plot, apart, now.engines);
    if (const auto best = now.best(); best && *best >= 2)
    {
        const PlotPoint at{static_cast<double>(*best - 1), now.each(*best)};
        plot.label(at, fmt::format("{} : {}", *best - 1, now.engines - static_cast<std::int64_t>(*best) + 1),
                   true);
    }
}

Caption split_caption(const Frame& frame, SloState& state)
{
    if (!state.load_of(frame.now.scenario).fits())
    {
        return nothing_fits();
    }
    const Compared now = compared(state, frame);
    if (!now.known)
    {
        return {fault_sentence(now.known), "", ""};
    }
    const auto best = now.best();
    if (!best)
    {
        return {now.known.done() ? "No ratio of the engines meets both SLOs." : "Searching \u2026", "", ""};
    }
    const std::string how = *best >= 2   ? fmt::format("**{} prefill to {} decode engines**", *best - 1,
                                                       now.engines - static_cast<std::int64_t>(*best) + 1)
                            : *best == 1 ? "**chunked prefill on all engines**"
                                         : "**prefill-prioritized on all engines**";
    const ServingEngine& engine = now.splits[*best].software;
    return {fmt::format("Best for these SLOs: {}, {} requests/s per GPU (80% range {}).", how,
                        load_words(now.each(*best)),
                        range_words(frame, engine, now.each(*best), ServingMeasure::rate, load_words)),
            "x : y = rate \u00d7 prefill seconds : rate \u00d7 output tokens \u00d7 TPOT / batch size",
            "Each phase has as many engines as its share of the work; the KV cache moves through the "
            "network. Zhong et al., DistServe, arXiv 2401.09670, section 4."};
}

} // namespace

const Page<SloState> kSloSplit{"P : D", draw_split, panel_slo, split_caption, nullptr, "Prefill : decode"};

} // namespace ringside
