// How often a prefix is found by the size of the cache, and what that saves of prefill.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/serving/prefix_cache.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 7> kPrefixes{100, 300, 1000, 3000, 10000, 30000, 100000};
constexpr std::array<double, 9> kSkewsOfPrefixes{0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 2};
constexpr std::array<double, 3> kOtherSkews{0.6, 1, 1.4};

// Bytes of one prefix, which is as long as the prompts.
double prefix_bytes(const SloRoom& r)
{
    const ServingReport report =
        serving_report(r.frame.now.scenario, r.state.asked(r.frame.now.scenario).engine);
    return report.model_token.value * static_cast<double>(r.state.setup.engine.prompt);
}

double held_by(const SloState& state, double bytes)
{
    return state.cache_gb * 1e9 / std::max(1.0, bytes);
}

// Draws the hit rates of the skew on show and of others, each named where a hundredth of all prefixes fits.
void draw_hit_rates(const SloRoom& r, Plot& plot, double bytes)
{
    const PrefixTraffic& traffic = r.state.prefixes;
    const double named = static_cast<double>(traffic.prefixes) * bytes / 1e11; // [GB]
    const auto draw = [&](double skew, const PlotStroke& stroke, bool strong)
    {
        const PrefixTraffic like{traffic.prefixes, skew};
        auto curve = list_of<PlotPoint>(prefix_curve(like),
                                        [&](const PrefixPoint& at) {
                                            return PlotPoint{at.room * bytes / 1e9, at.hits};
                                        });
        curve.push_back({plot.x.high, 1});
        plot.line(curve, stroke);
        plot.label({named, prefix_hits(like, named * 1e9 / bytes)}, fmt::format("\u03b1 = {:g}", skew),
                   strong);
    };
    for (const double skew : kOtherSkews)
    {
        if (skew != traffic.skew)
        {
            draw(skew, {r.p.theme.muted, 1.5F}, false);
        }
    }
    draw(traffic.skew, {r.p.theme.forward, 3}, true);
}

void draw_cache(const SloRoom& r)
{
    const double bytes = prefix_bytes(r);
    const PrefixTraffic& traffic = r.state.prefixes;
    const double all = static_cast<double>(traffic.prefixes) * bytes / 1e9;
    const Theme& t = r.p.theme;
    const double low = std::min(all / 1e4, r.state.cache_gb / 2);
    const double high = std::max(all * 2, r.state.cache_gb * 2);
    Plot plot(r.p, r.area,
              {low, high, PlotScale::log, "size of the prefix cache",
               [](double gb) { return format_bytes(Bytes(gb * 1e9)); }},
              {0, 1, PlotScale::linear, "requests whose prefix is cached",
               [](double share) { return format_percent(share); }},
              {.title = "Hit rate of an LRU prefix cache", .part = "cache"});
    if (!plot)
    {
        return;
    }
    draw_hit_rates(r, plot, bytes);
    plot.rule_x(all, {t.muted, 1, true}, "all prefixes fit");
    const PlotPoint here{r.state.cache_gb, prefix_hits(traffic, held_by(r.state, bytes))};
    if (const auto to = plot.grip(here, "###cache size", format_percent(here.y)).x(1.5))
    {
        r.state.cache_gb = plot.x.clamped(*to);
        r.out.animating = true;
    }
}

void panel_cache(PanelColumn& column, const SloRoom& r)
{
    SloState& state = r.state;
    const double bytes = prefix_bytes(r);
    constexpr Track kTokenTrack = Track::log(16, 131072, say_whole);
    column.slide("Tokens of a prefix", kTokenTrack, state.setup.engine.prompt);
    column.slide("Different prefixes", Track::at(kPrefixes, say_whole), state.prefixes.prefixes);
    column.slide("Skew (Zipf exponent)", Track::at(kSkewsOfPrefixes, plain_number), state.prefixes.skew,
                 "How much more often the popular ones are asked for");
    column.gap();
    const double room = held_by(state, bytes);
    column.fact("One prefix", format_bytes(Bytes(bytes), r.p.look.unit),
                "KV cache of its tokens, all layers");
    column.fact("Cache", format_bytes(Bytes(state.cache_gb * 1e9), r.p.look.unit));
    column.fact("Holds", fmt::format("{} prefixes", three_digits(room)));
    const double hits = prefix_hits(state.prefixes, room);
    column.fact("Hit rate", format_percent(hits), "Also the share of prefill that is saved");
    column.gap();
    if (column.button("Use this hit rate"))
    {
        state.setup.cached = hits;
    }
}

Caption cache_caption(const Frame& frame, SloState& state)
{
    const ServingReport report = serving_report(frame.now.scenario, state.asked(frame.now.scenario).engine);
    const double bytes = report.model_token.value * static_cast<double>(state.setup.engine.prompt);
    const double room = held_by(state, bytes);
    const double hits = prefix_hits(state.prefixes, room);
    return {
        fmt::format(
            "{} hold {} of {} prefixes: **{}** of the requests find theirs, **{}** with twice as much.",
            format_bytes(Bytes(state.cache_gb * 1e9)), three_digits(room), grouped(state.prefixes.prefixes),
            format_percent(hits), format_percent(prefix_hits(state.prefixes, 2 * room))),
        "hits = \u03a3 q (1 \u2212 e^(\u2212q T)),  \u03a3 (1 \u2212 e^(\u2212q T)) = prefixes that fit,  q "
        "\u221d rank^(\u2212\u03b1)",
        "Che, Tung and Wang, IEEE JSAC 20 (2002) 1305; Fricker, Robert and Roberts, arXiv 1202.3974. "
        "Independent "
        "requests; sessions, which come back soon, find more. DeepSeek reported 56% of its input tokens from "
        "a cache "
        "on disk (open-infra-index, day 6)."};
}

} // namespace

const Page<SloState> kSloCache{"Cache", draw_cache, panel_cache, cache_caption, nullptr, "Prefix cache"};

} // namespace ringside
