// Every rank sends to every other, or to the switch that adds up on the way.
#include "core/network/collective/families.h"

#include <array>

namespace ringside
{

namespace
{

Step to_root(const Collective& c)
{
    Step step{Phase::reduce_scatter, {}};
    for (std::int64_t r = 1; r < c.ranks; ++r)
    {
        for (std::int64_t k = 0; k < c.chunks; ++k)
        {
            step.transfers.push_back(send(r, 0, k, true));
        }
    }
    return step;
}

Step from_root(const Collective& c)
{
    Step step{Phase::all_gather, {}};
    for (std::int64_t r = 1; r < c.ranks; ++r)
    {
        for (std::int64_t k = 0; k < c.chunks; ++k)
        {
            step.transfers.push_back(send(0, r, k));
        }
    }
    return step;
}

// Step j: rank r sends what rank r + j is to have. Nobody receives twice at once.
void shifted(Collective& c)
{
    const std::int64_t n = c.ranks;
    for (std::int64_t j = 1; j < n; ++j)
    {
        Step step{c.kind == CollectiveKind::reduce_scatter ? Phase::reduce_scatter : Phase::all_gather, {}};
        for (std::int64_t r = 0; r < n; ++r)
        {
            const std::int64_t to = wrap(r + j, n);
            const std::int64_t chunk = c.kind == CollectiveKind::all_to_all       ? r * n + to
                                       : c.kind == CollectiveKind::reduce_scatter ? to
                                                                                  : r;
            step.transfers.push_back(send(r, to, chunk, c.kind == CollectiveKind::reduce_scatter));
        }
        c.steps.push_back(std::move(step));
    }
}

Collective make_naive(CollectiveKind kind, const CollectiveShape& shape)
{
    const bool cut = kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_gather;
    Collective c = empty_collective(kind, shape.ranks, cut ? shape.ranks : 1);
    if (shape.ranks == 1)
    {
        return c;
    }
    switch (kind)
    {
    case CollectiveKind::all_reduce:
        c.steps = {to_root(c), from_root(c)};
        break;
    case CollectiveKind::reduce:
        c.steps = {to_root(c)};
        break;
    case CollectiveKind::broadcast:
    case CollectiveKind::send_recv:
        c.steps = {from_root(c)};
        break;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
        shifted(c);
        break;
    }
    return c;
}

// The switch reads chunk k from all ranks and adds it up on the way to its owner, rank k.
void reduce_in_switch(Collective& c, bool to_one)
{
    const std::int64_t n = c.ranks;
    Step up{Phase::reduce_scatter, {}};
    Step down{Phase::reduce_scatter, {}};
    for (std::int64_t k = 0; k < c.chunks; ++k)
    {
        for (std::int64_t r = 0; r < n; ++r)
        {
            up.transfers.push_back(send(r, n, k, true));
        }
        down.transfers.push_back(send(n, to_one ? 0 : k, k));
    }
    c.steps.push_back(std::move(up));
    c.steps.push_back(std::move(down));
}

// The owner writes its chunk to the switch once, the switch to all.
void spread_in_switch(Collective& c, bool from_one)
{
    const std::int64_t n = c.ranks;
    Step up{Phase::all_gather, {}};
    Step down{Phase::all_gather, {}};
    for (std::int64_t k = 0; k < c.chunks; ++k)
    {
        up.transfers.push_back(send(from_one ? 0 : k, n, k));
        for (std::int64_t r = 0; r < n; ++r)
        {
            down.transfers.push_back(send(n, r, k));
        }
    }
    c.steps.push_back(std::move(up));
    c.steps.push_back(std::move(down));
}

Collective make_in_switch(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, shape.ranks);
    c.in_switch = true;
    if (shape.ranks == 1)
    {
        return c;
    }
    if (kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
        kind == CollectiveKind::reduce)
    {
        reduce_in_switch(c, kind == CollectiveKind::reduce);
    }
    if (kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather ||
        kind == CollectiveKind::broadcast)
    {
        spread_in_switch(c, kind == CollectiveKind::broadcast);
    }
    return c;
}

constexpr std::array kDirectAlgorithms{
    CollectiveAlgorithm{.id = "naive",
                        .name = "Direct",
                        .says = "every rank sends directly; one rank may have to receive everything",
                        .source = "Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19",
                        .can = [](CollectiveKind) { return true; },
                        .make = make_naive},
    CollectiveAlgorithm{
        .id = "in-switch",
        .name = "In-network (NVLS, SHARP)",
        .says = "the switch sums and multicasts, so every byte crosses a rank's link once each way",
        .source = "Graham et al. 2016, SHARP, COMHPC; NVLink SHARP in NCCL (NVLS)",
        .can = [](CollectiveKind k)
        { return k != CollectiveKind::all_to_all && k != CollectiveKind::send_recv; },
        .make = make_in_switch}};

} // namespace

std::span<const CollectiveAlgorithm> direct_algorithms()
{
    return kDirectAlgorithms;
}

} // namespace ringside
