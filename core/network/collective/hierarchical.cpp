// Two levels: inside the node over its fast links first, so that each byte crosses the network as rarely as
// it can.
#include <fmt/format.h>

#include "core/network/collective/families.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

// Chunk r belongs to rank r = node x g + place. Inside a node, place l collects what all nodes' ranks at
// place l are to have; between nodes, ranks of the same place exchange.
class TwoLevels
{
public:
    TwoLevels(CollectiveKind kind, const CollectiveShape& shape)
        : c_(empty_collective(kind, shape.ranks, shape.ranks)), g_(std::min(shape.per_node, shape.ranks)),
          nodes_(shape.ranks / g_)
    {
        c_.per_node = g_;
    }

    Collective run()
    {
        switch (c_.kind)
        {
        case CollectiveKind::all_reduce:
            reduce_scatter();
            all_gather();
            break;
        case CollectiveKind::reduce_scatter:
            reduce_scatter();
            break;
        case CollectiveKind::all_gather:
            all_gather();
            break;
        case CollectiveKind::all_to_all:
            exchange();
            break;
        case CollectiveKind::broadcast:
        case CollectiveKind::reduce:
        case CollectiveKind::send_recv:
            break;
        }
        return std::move(c_);
    }

private:
    std::int64_t rank(std::int64_t node, std::int64_t place) const { return node * g_ + place; }

    void reduce_scatter()
    {
        for (std::int64_t j = 0; j < g_ - 1; ++j)
        {
            hop_inside(Phase::reduce_scatter, j + 1);
        }
        for (std::int64_t j = 0; j < nodes_ - 1; ++j)
        {
            hop_between(Phase::reduce_scatter, j + 1);
        }
    }

    void all_gather()
    {
        for (std::int64_t j = 0; j < nodes_ - 1; ++j)
        {
            hop_between(Phase::all_gather, j);
        }
        for (std::int64_t j = 0; j < g_ - 1; ++j)
        {
            hop_inside(Phase::all_gather, j);
        }
    }

    // A ring in every node over the places; each message is a chunk of every node, of the rank `back` places
    // before this one.
    void hop_inside(Phase phase, std::int64_t back)
    {
        add_step(phase,
                 [&](Step& step, std::int64_t node, std::int64_t place)
                 {
                     for (std::int64_t k = 0; k < nodes_; ++k)
                     {
                         step.transfers.push_back(send(rank(node, place), rank(node, wrap(place + 1, g_)),
                                                       rank(k, wrap(place - back, g_)),
                                                       phase == Phase::reduce_scatter));
                     }
                 });
    }

    // A ring over the nodes at every place.
    void hop_between(Phase phase, std::int64_t back)
    {
        add_step(phase,
                 [&](Step& step, std::int64_t node, std::int64_t place)
                 {
                     step.transfers.push_back(send(rank(node, place), rank(wrap(node + 1, nodes_), place),
                                                   rank(wrap(node - back, nodes_), place),
                                                   phase == Phase::reduce_scatter));
                 });
    }

    // Inside the node every rank hands its neighbours what goes to ranks of their place; then one message a
    // node.
    void exchange()
    {
        const std::int64_t n = c_.ranks;
        for (std::int64_t j = 1; j < g_; ++j)
        {
            add_step(Phase::all_gather,
                     [&](Step& step, std::int64_t node, std::int64_t place)
                     {
                         const std::int64_t other = wrap(place + j, g_);
                         for (std::int64_t k = 0; k < nodes_; ++k)
                         {
                             step.transfers.push_back(send(rank(node, place), rank(node, other),
                                                           rank(node, place) * n + rank(k, other)));
                         }
                     });
        }
        for (std::int64_t j = 1; j < nodes_; ++j)
        {
            add_step(Phase::all_gather,
                     [&](Step& step, std::int64_t node, std::int64_t place)
                     {
                         const std::int64_t to = rank(wrap(node + j, nodes_), place);
                         for (std::int64_t l = 0; l < g_; ++l)
                         {
                             step.transfers.push_back(send(rank(node, place), to, rank(node, l) * n + to));
                         }
                     });
        }
    }

    // A step that each(step, node, place) adds every rank's transfers to.
    template <class Each>
    void add_step(Phase phase, const Each& each)
    {
        Step& step = c_.steps.emplace_back(Step{phase, {}});
        for (std::int64_t node = 0; node < nodes_; ++node)
        {
            for (std::int64_t place = 0; place < g_; ++place)
            {
                each(step, node, place);
            }
        }
    }

    Collective c_;
    std::int64_t g_;
    std::int64_t nodes_;
};

Issues check_nodes(const CollectiveShape& s)
{
    if (s.ranks <= s.per_node || s.ranks % s.per_node == 0)
    {
        return {};
    }
    const std::int64_t fewer = s.ranks / s.per_node * s.per_node;
    const std::int64_t more = fewer + s.per_node;
    return {{"ranks", fmt::format("{} ranks do not fill nodes of {}", s.ranks, s.per_node),
             more <= kMaxRanks ? fmt::format("use {} or {}", fewer, more) : fmt::format("use {}", fewer)}};
}

constexpr std::array kHierarchicalAlgorithms{CollectiveAlgorithm{
    .id = "hierarchical",
    .name = "Two levels",
    .says = "inside the node first, then between nodes, so that the network carries only a fraction of it",
    .source = "Jia et al. 2018, arXiv 1807.11205",
    .can =
        [](CollectiveKind k)
    {
        return k == CollectiveKind::all_reduce || k == CollectiveKind::reduce_scatter ||
               k == CollectiveKind::all_gather || k == CollectiveKind::all_to_all;
    },
    .check = check_nodes,
    .make = [](CollectiveKind kind, const CollectiveShape& shape) { return TwoLevels(kind, shape).run(); }}};

} // namespace

std::span<const CollectiveAlgorithm> hierarchical_algorithms()
{
    return kHierarchicalAlgorithms;
}

} // namespace ringside
