// Goodput of a GPU over how many engines only prefill, beside engines that do both.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text/text.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

// All engines there are, of both kinds; two at least, to share out.
std::int64_t all_engines(const LoadSetup& setup)
{
    const std::int64_t prefill = setup.system == ServingSystem::disaggregated ? setup.prefill : 0;
    return std::max<std::int64_t>(2, setup.engines + prefill);
}

// The engines shared out: entry 0 and 1 do both, prefill first and chunked; then one more of them prefills.
LoadSetup shared_out(LoadSetup setup, std::size_t entry)
{
    const std::int64_t all = all_engines(setup);
    setup.engines = all;
    setup.system = entry == 0 ? ServingSystem::prefill_first : ServingSystem::chunked;
    if (entry >= 2)
    {
        setup.system = ServingSystem::disaggregated;
        setup.prefill = static_cast<std::int64_t>(entry) - 1;
        setup.engines = all - setup.prefill;
    }
    return setup;
}

struct Compared
{
    std::vector<double> goodput; // by entry, of those that are known
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

Compared compared(SloState& state, const Scenario& scenario, bool& animating)
{
    LoadSetup asked = state.asked(scenario);
    const std::int64_t all = all_engines(asked);
    asked = shared_out(asked, 0); // the same list whatever is on show
    const auto count = static_cast<std::size_t>(all) + 1;
    return {state.splits.of(
                {scenario, asked}, count,
                [&](std::size_t entry) { return goodput(scenario, shared_out(asked, entry)); }, animating),
            static_cast<double>(asked.engine.gpus * all), all};
}

void draw_split(const SloRoom& r)
{
    if (says_nothing_fits(r))
    {
        return;
    }
    const Compared now = compared(r.state, r.frame.now.scenario, r.out.animating);
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
    Plot plot(r.p, r.area,
              {0, static_cast<double>(now.engines), PlotScale::linear,
               fmt::format("engines of {} that only prefill", now.engines), say_whole, ticks},
              {0, 1.25 * std::max(top, 1e-9), PlotScale::linear, "requests/s within both objectives, per GPU",
               three_digits},
              {.part = "split"});
    if (!plot)
    {
        return;
    }
    plot.rule_y(now.each(0), {line_colour(t.backward_weight), 2, true}, "all do both, prefill first");
    plot.rule_y(now.each(1), {line_colour(t.data), 2, true},
                fmt::format("all do both, chunks of {}", grouped(r.state.setup.budget)));
    plot.line(apart, {line_colour(t.forward), 2.5F}, "disaggregated");
    for (const PlotPoint& point : apart)
    {
        const auto prefill = static_cast<std::int64_t>(point.x);
        const std::string id = fmt::format("###split {}", prefill);
        const std::string tip =
            fmt::format("{} prefill, {} decode: {} requests/s per GPU", counted(prefill, "engine"),
                        now.engines - prefill, load_words(point.y));
        if (plot.dot(point, {line_colour(t.forward), 5}, id, tip).clicked)
        {
            r.state.setup = shared_out(r.state.setup, static_cast<std::size_t>(prefill) + 1);
            r.out.animating = true;
        }
    }
    if (const auto best = now.best(); best && *best >= 2)
    {
        const PlotPoint at{static_cast<double>(*best - 1), now.each(*best)};
        plot.label(at, fmt::format("{} : {}", *best - 1, now.engines - static_cast<std::int64_t>(*best) + 1),
                   true);
    }
}

Caption split_caption(const Frame& frame, SloState& state)
{
    bool more = false;
    if (!state.load_of(frame.now.scenario).fits())
    {
        return nothing_fits();
    }
    const Compared now = compared(state, frame.now.scenario, more);
    const auto best = now.best();
    if (!best)
    {
        return {more ? "Searching \u2026" : "No ratio of the engines meets both objectives.", "", ""};
    }
    const std::string how = *best >= 2   ? fmt::format("**{} that prefill to {} that decode**", *best - 1,
                                                       now.engines - static_cast<std::int64_t>(*best) + 1)
                            : *best == 1 ? "**chunked prefill on all engines**"
                                         : "**prefill first on all engines**";
    return {
        fmt::format("Best for these objectives: {}, {} requests/s per GPU.", how,
                    load_words(now.each(*best))),
        "x : y = rate \u00d7 prefill seconds : rate \u00d7 output tokens \u00d7 TPOT / batch size",
        "Each phase has as many engines as its share of the work; the KV cache moves through the network. "
        "Zhong et al., DistServe, arXiv 2401.09670, section 4."};
}

} // namespace

const Page<SloState> kSloSplit{"P : D", draw_split, panel_slo, split_caption};

} // namespace ringside
