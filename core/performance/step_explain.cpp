#include <fmt/format.h>

#include "core/performance/step_life.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostAccumulation = 64;

} // namespace

StepOptions in_range(StepOptions o)
{
    o.bucket_mb = std::max(0.0, o.bucket_mb);
    o.prefetch = std::clamp<std::int64_t>(o.prefetch, 0, 4);
    o.accumulation = std::clamp<std::int64_t>(o.accumulation, 1, kMostAccumulation);
    o.hsdp_ranks = std::max<std::int64_t>(0, o.hsdp_ranks);
    o.prefetch = o.overlap ? o.prefetch : 0;
    return o;
}

bool shards_weights(StepStrategy s)
{
    return s == StepStrategy::zero3 || s == StepStrategy::hsdp;
}

Bytes StepLife::all_sent() const
{
    Bytes all;
    for (const Bytes b : sent)
    {
        all += b;
    }
    return all;
}

StepPasses step_passes(const StepOptions& options)
{
    // A closed form, so of any number of micro-batches, also of more than in_range() lets a step list.
    const auto k = static_cast<double>(std::max<std::int64_t>(1, options.accumulation));
    const double gathers = options.reshard_after_forward ? 2 * k : k;
    const double scatters = options.reduce_every ? k : 1;
    switch (options.strategy)
    {
    case StepStrategy::ddp:
        return {0, 0, 1};
    case StepStrategy::zero1:
        return {1, 1, 0};
    case StepStrategy::zero2:
        return {1, k, 0};
    case StepStrategy::zero3:
        return {gathers, scatters, 0};
    case StepStrategy::hsdp:
        break;
    }
    return {gathers, scatters, scatters};
}

namespace
{

// "(8 − 1) / 8", the part of a message that a ring's rank sends.
std::string share_of(std::int64_t n)
{
    return fmt::format("({0} − 1) / {0}", n);
}

// What one group adds to the working.
std::string group_working(const StepLife& life, const StepOptions& o, const StepGroup& g)
{
    const StepPasses passes = step_passes(o);
    std::string text;
    if (o.strategy == StepStrategy::ddp)
    {
        return fmt::format("2 × {} × {} × {}", share_of(g.ranks), figure(g.elements),
                           figure(life.gradient_bytes));
    }
    if (g.shards > 1)
    {
        const auto times = [](double count, double elements)
        { return (count == 1 ? "" : figure(count) + " × ") + figure(elements); };
        const bool some_stay = g.persistent > 0 && shards_weights(o.strategy);
        const std::string gathered =
            some_stay ? fmt::format("({} + {})", times(passes.gathers, g.elements - g.persistent),
                                    figure(g.persistent))
                      : times(passes.gathers, g.elements);
        text =
            fmt::format("{} × ({} × {} + {} × {})", share_of(g.shards), gathered, figure(life.weight_bytes),
                        times(passes.scatters, g.elements), figure(life.gradient_bytes));
    }
    if (g.shards < g.ranks)
    {
        text += fmt::format("{}{} × {} × {} / {} × {}", text.empty() ? "" : " + ", figure(2 * passes.reduces),
                            share_of(g.ranks / g.shards), figure(g.elements), g.shards,
                            figure(life.gradient_bytes));
    }
    return text;
}

} // namespace

Term explain_step_sent(const StepLife& life, const StepOptions& options)
{
    const StepOptions o = in_range(options);
    Term term{fmt::format("{} sends in a step", name_of(o.strategy)), life.all_sent().value, "B", "", "", ""};
    for (const StepGroup& g : life.groups)
    {
        const std::string part = g.ranks > 1 && g.elements > 0 ? group_working(life, o, g) : "";
        term.working += (term.working.empty() || part.empty() ? "" : " + ") + part;
    }
    if (term.working.empty())
    {
        term.formula = "one rank, so nothing is sent";
        term.working = "0";
        return term;
    }
    switch (o.strategy)
    {
    case StepStrategy::ddp:
        term.formula = "2 (N−1)/N × P g";
        term.source = "Li et al. 2020, arXiv 2006.15704, section 3.2; a ring sends each all-reduce as a "
                      "reduce-scatter and an all-gather. g: bytes of a gradient";
        break;
    case StepStrategy::hsdp:
        term.formula = "(n−1)/n × (gathers × P w + scatters × P g) + 2 (R−1)/R × reduces × P/n × g";
        term.source = "Zhao et al. 2023, arXiv 2304.11277, section 3.2.2; n ranks share a copy, R copies";
        break;
    default:
        term.formula = "(N−1)/N × (gathers × P w + scatters × P g)";
        term.source = "Rajbhandari et al. 2020, arXiv 1910.02054, section 7, for one micro-batch; w, g: "
                      "bytes sent per weight and per gradient";
    }
    return term;
}

} // namespace ringside
