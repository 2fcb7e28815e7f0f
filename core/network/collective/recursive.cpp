// Partners at a distance that doubles or halves: log2 N steps.
#include "core/network/collective/families.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ringside
{

namespace
{

// Ranks [first, first + count), cut in the middle again and again; the left half is never the smaller.
struct Part
{
    std::int64_t first;
    std::int64_t count;

    std::int64_t left() const { return (count + 1) / 2; }
};

// All parts of one level, from the whole down to pairs.
std::vector<std::vector<Part>> levels(std::int64_t ranks)
{
    std::vector<std::vector<Part>> all;
    std::vector<Part> now{{0, ranks}};
    while (std::ranges::any_of(now, [](const Part& p) { return p.count > 1; }))
    {
        all.push_back(now);
        std::vector<Part> next;
        for (const Part& p : now)
        {
            next.push_back({p.first, p.left()});
            if (p.count > p.left())
            {
                next.push_back({p.first + p.left(), p.count - p.left()});
            }
        }
        now = std::move(next);
    }
    return all;
}

// Halving: across the cut of every part each rank sends what the other half is to have. Where the halves are
// unequal the last of the left has no partner of its own and shares one. Doubling sends the sums back the
// same ways.
Step across(const std::vector<Part>& parts, bool halving)
{
    Step step{halving ? Phase::reduce_scatter : Phase::all_gather, {}};
    const auto take = [&](std::int64_t from, std::int64_t to, std::int64_t chunk)
    { step.transfers.push_back(halving ? send(from, to, chunk, true) : send(to, from, chunk)); };
    for (const Part& p : parts)
    {
        const std::int64_t right = p.count - p.left();
        for (std::int64_t i = 0; i < p.left() && right > 0; ++i)
        {
            const std::int64_t a = p.first + i;
            const std::int64_t b = p.first + p.left() + std::min(i, right - 1);
            for (std::int64_t k = 0; k < right; ++k)
            {
                take(a, b, p.first + p.left() + k);
            }
            // The shared partner's own contribution must not arrive twice.
            for (std::int64_t k = 0; k < p.left() && i < right; ++k)
            {
                take(b, a, p.first + k);
            }
        }
    }
    return step;
}

Collective make_halving_doubling(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, shape.ranks);
    const auto all = levels(shape.ranks);
    for (auto level = all.begin(); kind != CollectiveKind::all_gather && level != all.end(); ++level)
    {
        c.steps.push_back(across(*level, true));
    }
    for (auto level = all.rbegin(); kind != CollectiveKind::reduce_scatter && level != all.rend(); ++level)
    {
        c.steps.push_back(across(*level, false));
    }
    return c;
}

// The whole message both ways in every step. Ranks beyond the largest power of two hand theirs in first and
// get the sum at the end.
Collective make_doubling(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, 1);
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(shape.ranks)));
    const std::int64_t extra = shape.ranks - power;
    const auto fold = [&](bool in)
    {
        Step step{in ? Phase::reduce_scatter : Phase::all_gather, {}};
        for (std::int64_t i = 0; i < extra; ++i)
        {
            step.transfers.push_back(in ? send(power + i, i, 0, true) : send(i, power + i, 0));
        }
        if (extra > 0)
        {
            c.steps.push_back(std::move(step));
        }
    };
    fold(true);
    for (std::int64_t distance = 1; distance < power; distance *= 2)
    {
        Step step{Phase::reduce_scatter, {}};
        for (std::int64_t r = 0; r < power; ++r)
        {
            step.transfers.push_back(send(r, r ^ distance, 0, true));
        }
        c.steps.push_back(std::move(step));
    }
    fold(false);
    return c;
}

// In step k a block moves by 2^k where the distance it has to go has that bit: log2 N messages, each of half
// the blocks, instead of N - 1 small ones.
Collective make_bruck(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, 1);
    const std::int64_t n = shape.ranks;
    for (std::int64_t hop = 1; hop < n; hop *= 2)
    {
        Step step{Phase::all_gather, {}};
        for (std::int64_t from = 0; from < n; ++from)
        {
            for (std::int64_t distance = 1; distance < n; ++distance)
            {
                if ((distance & hop) != 0)
                {
                    const std::int64_t at = wrap(from + distance % hop, n); // moved by the lower bits already
                    step.transfers.push_back(
                        send(at, wrap(at + hop, n), from * n + wrap(from + distance, n)));
                }
            }
        }
        c.steps.push_back(std::move(step));
    }
    return c;
}

constexpr std::array kRecursiveAlgorithms{
    CollectiveAlgorithm{.id = "recursive-doubling",
                        .name = "Recursive doubling",
                        .says =
                            "the whole message with a partner at distance 1, 2, 4: fewest steps, most bytes",
                        .source = "Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19",
                        .can = is_all_reduce,
                        .make = make_doubling},
    CollectiveAlgorithm{
        .id = "halving-doubling",
        .name = "Halving and doubling",
        .says = "half the message with a far partner, then a quarter: log2 N steps, bandwidth-optimal",
        .source = "Rabenseifner 2004, ICCS; Thakur et al. 2005",
        .can =
            [](CollectiveKind k)
        {
            return k == CollectiveKind::all_reduce || k == CollectiveKind::reduce_scatter ||
                   k == CollectiveKind::all_gather;
        },
        .make = make_halving_doubling},
    CollectiveAlgorithm{
        .id = "bruck",
        .name = "Bruck",
        .says = "blocks are forwarded in hops of 1, 2, 4: log2 N large messages instead of N small ones",
        .source = "Bruck et al. 1997, IEEE Trans. Parallel Distrib. Syst. 8",
        .can = [](CollectiveKind k) { return k == CollectiveKind::all_to_all; },
        .make = make_bruck}};

} // namespace

std::span<const CollectiveAlgorithm> recursive_algorithms()
{
    return kRecursiveAlgorithms;
}

} // namespace ringside
