#include "core/network/collective/collective.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/network/collective/families.h"

#include <algorithm>
#include <cassert>

namespace ringside
{

namespace
{

// Applies one step to any table of holdings: all sends read the state before the step.
template <class Table, class Combine>
void apply(const Step& step, Table& table, Combine combine)
{
    const auto sent = list_of<std::decay_t<decltype(table[0][0])>>(
        step.transfers, [&](const Transfer& t)
        { return table[static_cast<std::size_t>(t.from)][static_cast<std::size_t>(t.chunk)]; });
    for (std::size_t i = 0; i < step.transfers.size(); ++i)
    {
        const Transfer& t = step.transfers[i];
        auto& target = table[static_cast<std::size_t>(t.to)][static_cast<std::size_t>(t.chunk)];
        target = t.adds ? combine(target, sent[i]) : sent[i];
    }
}

std::size_t holders(const Collective& c)
{
    return static_cast<std::size_t>(c.ranks) + (c.in_switch ? 1 : 0);
}

Contributors all_ranks(std::int64_t ranks)
{
    return ranks >= kMaxRanks ? ~Contributors{0} : (Contributors{1} << static_cast<unsigned>(ranks)) - 1;
}

Contributors only(std::int64_t rank)
{
    return Contributors{1} << static_cast<unsigned>(rank);
}

// Whether rank r has something of its own for chunk c at the start.
bool starts_with(const Collective& c, std::int64_t rank, std::int64_t chunk)
{
    switch (c.kind)
    {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce:
        return true;
    case CollectiveKind::all_gather:
        return chunk * c.ranks / c.chunks == rank;
    case CollectiveKind::broadcast:
    case CollectiveKind::send_recv:
        return rank == 0;
    case CollectiveKind::all_to_all:
        break;
    }
    return chunk / c.ranks == rank;
}

} // namespace

std::span<const CollectiveAlgorithm* const> collective_algorithms()
{
    static const std::vector<const CollectiveAlgorithm*> all = []
    {
        std::vector<const CollectiveAlgorithm*> found;
        for (const auto family : {direct_algorithms(), ring_algorithms(), tree_algorithms(),
                                  recursive_algorithms(), hierarchical_algorithms()})
        {
            for (const CollectiveAlgorithm& a : family)
            {
                found.push_back(&a);
            }
        }
        return found;
    }();
    return all;
}

const CollectiveAlgorithm* find_algorithm(std::string_view id)
{
    const auto all = collective_algorithms();
    const auto found = std::ranges::find_if(all, [id](const CollectiveAlgorithm* a) { return a->id == id; });
    return found == all.end() ? nullptr : *found;
}

std::string ids_where(const std::function<bool(const CollectiveAlgorithm&)>& which)
{
    std::string ids;
    for (const CollectiveAlgorithm* a : collective_algorithms())
    {
        ids += which(*a) ? fmt::format("{}{}", ids.empty() ? "" : ", ", a->id) : "";
    }
    return ids;
}

Issues check_collective(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                        const CollectiveShape& shape)
{
    Issues issues;
    if (!algorithm.can(kind))
    {
        issues.push_back({"algorithm", fmt::format("{} has no {} algorithm", name_of(kind), algorithm.id),
                          "use one of " + ids_where([kind](const auto& a) { return a.can(kind); })});
    }
    const std::int64_t least = kind == CollectiveKind::send_recv ? 2 : 1;
    const std::int64_t most = kind == CollectiveKind::send_recv ? 2 : kMaxRanks;
    if (shape.ranks < least || shape.ranks > most)
    {
        issues.push_back(
            {"ranks", fmt::format("{} is out of range", shape.ranks),
             least == most ? fmt::format("use {}", least) : fmt::format("use {} to {}", least, most)});
    }
    if (shape.per_node < 1)
    {
        issues.push_back({"per_node", fmt::format("{} is out of range", shape.per_node), "use 1 or more"});
    }
    return issues.empty() && algorithm.check != nullptr ? algorithm.check(shape) : issues;
}

Result<Collective> make_collective(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                                   const CollectiveShape& shape)
{
    const Issues issues = check_collective(kind, algorithm, shape);
    return issues.empty() ? Result<Collective>(algorithm.make(kind, shape)) : Result<Collective>(issues);
}

Collective ring_all_reduce(std::int64_t ranks)
{
    const CollectiveShape shape{std::clamp<std::int64_t>(ranks, 1, kMaxRanks), kMaxRanks};
    return find_algorithm("ring")->make(CollectiveKind::all_reduce, shape);
}

Holdings holdings_before(const Collective& c)
{
    Holdings holdings(holders(c), std::vector<Contributors>(static_cast<std::size_t>(c.chunks), 0));
    for (std::int64_t r = 0; r < c.ranks; ++r)
    {
        for (std::int64_t k = 0; k < c.chunks; ++k)
        {
            if (starts_with(c, r, k))
            {
                holdings[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)] = only(r);
            }
        }
    }
    return holdings;
}

Holdings holdings_after(const Collective& collective, std::size_t steps)
{
    Holdings holdings = holdings_before(collective);
    for (std::size_t j = 0; j < std::min(steps, collective.steps.size()); ++j)
    {
        apply(collective.steps[j], holdings, [](Contributors a, Contributors b) { return a | b; });
    }
    return holdings;
}

Contributors wanted(const Collective& c, std::int64_t rank, std::int64_t chunk)
{
    assert(rank >= 0 && rank < c.ranks && chunk >= 0 && chunk < c.chunks);
    switch (c.kind)
    {
    case CollectiveKind::all_reduce:
        return all_ranks(c.ranks);
    case CollectiveKind::reduce_scatter:
        return chunk * c.ranks / c.chunks == rank ? all_ranks(c.ranks) : 0;
    case CollectiveKind::all_gather:
        return only(chunk * c.ranks / c.chunks);
    case CollectiveKind::broadcast:
        return only(0);
    case CollectiveKind::reduce:
        return rank == 0 ? all_ranks(c.ranks) : 0;
    case CollectiveKind::send_recv:
        return rank == 1 ? only(0) : 0;
    case CollectiveKind::all_to_all:
        break;
    }
    return chunk % c.ranks == rank ? only(chunk / c.ranks) : 0;
}

std::vector<std::vector<double>> execute(const Collective& collective,
                                         std::vector<std::vector<double>> values)
{
    assert(values.size() <= holders(collective));
    values.resize(holders(collective), std::vector<double>(static_cast<std::size_t>(collective.chunks), 0));
    for (const Step& step : collective.steps)
    {
        apply(step, values, [](double a, double b) { return a + b; });
    }
    values.resize(static_cast<std::size_t>(collective.ranks));
    return values;
}

double chunk_share(const Collective& c)
{
    assert(c.ranks > 0 && c.chunks > 0);
    // In an all-to-all a rank's message is its own row of blocks.
    return 1 / static_cast<double>(c.kind == CollectiveKind::all_to_all ? c.ranks : c.chunks);
}

} // namespace ringside
