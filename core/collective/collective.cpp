#include "core/collective/collective.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Applies one step to any table of holdings: all sends read the state before the step.
template <class Table, class Combine>
void apply(const Step& step, Table& table, Combine combine)
{
    const Table before = table;
    for (const Transfer& t : step.transfers)
    {
        auto& target = table[static_cast<std::size_t>(t.to)][static_cast<std::size_t>(t.chunk)];
        const auto& sent = before[static_cast<std::size_t>(t.from)][static_cast<std::size_t>(t.chunk)];
        target = step.phase == Phase::reduce_scatter ? combine(target, sent) : sent;
    }
}

} // namespace

Collective ring_all_reduce(std::int64_t ranks)
{
    const std::int64_t n = std::clamp<std::int64_t>(ranks, 1, kMaxRanks);
    Collective ring{n, n, {}};
    for (const Phase phase : {Phase::reduce_scatter, Phase::all_gather})
    {
        // In the first phase rank r starts with its own chunk r; in the second with chunk r + 1, which it has
        // just finished.
        const std::int64_t offset = phase == Phase::reduce_scatter ? 0 : 1;
        for (std::int64_t j = 0; j < n - 1; ++j)
        {
            Step step{phase, {}};
            for (std::int64_t r = 0; r < n; ++r)
            {
                const std::int64_t chunk = ((r + offset - j) % n + n) % n;
                step.transfers.push_back({static_cast<std::int32_t>(r),
                                          static_cast<std::int32_t>((r + 1) % n),
                                          static_cast<std::int32_t>(chunk)});
            }
            ring.steps.push_back(std::move(step));
        }
    }
    return ring;
}

Holdings holdings_after(const Collective& collective, std::size_t steps)
{
    const auto n = static_cast<std::size_t>(collective.ranks);
    Holdings holdings(n, std::vector<Contributors>(static_cast<std::size_t>(collective.chunks)));
    for (std::size_t r = 0; r < n; ++r)
    {
        std::fill(holdings[r].begin(), holdings[r].end(), Contributors{1} << r);
    }
    for (std::size_t j = 0; j < std::min(steps, collective.steps.size()); ++j)
    {
        apply(collective.steps[j], holdings, [](Contributors a, Contributors b) { return a | b; });
    }
    return holdings;
}

std::vector<std::vector<double>> execute(const Collective& collective,
                                         std::vector<std::vector<double>> values)
{
    for (const Step& step : collective.steps)
    {
        apply(step, values, [](double a, double b) { return a + b; });
    }
    return values;
}

RingCost ring_all_reduce_cost(std::int64_t ranks, Bytes message, Link link)
{
    const auto n = static_cast<double>(std::max<std::int64_t>(1, ranks));
    const double steps = 2 * (n - 1);
    RingCost cost;
    cost.sent_per_rank = message * (steps / n);
    cost.latency = link.latency * steps;
    cost.transfer = steps > 0 ? cost.sent_per_rank / link.bandwidth : Seconds{};
    cost.per_step = steps > 0 ? cost.total() / steps : Seconds{};
    return cost;
}

} // namespace ringside
