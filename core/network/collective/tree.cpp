// Trees: a binomial tree that sends the message whole, and two binary trees at once that send it in pieces.
#include "core/network/collective/families.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace ringside
{

namespace
{

// The parent of every rank in a tree; -1 for the root.
using Parents = std::vector<std::int64_t>;

// The rank that tells r, in a binomial tree from rank 0: r without its highest bit.
std::int64_t teller(std::int64_t r)
{
    return r & ~static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(r)));
}

// Ranks told in round k: those whose highest bit is k.
Step round_of(const Collective& c, unsigned k, bool up)
{
    Step step{up ? Phase::reduce_scatter : Phase::all_gather, {}};
    const std::int64_t first = std::int64_t{1} << k;
    for (std::int64_t r = first; r < std::min(2 * first, c.ranks); ++r)
    {
        step.transfers.push_back(up ? send(r, teller(r), 0, true) : send(teller(r), r, 0));
    }
    return step;
}

Collective make_tree(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, 1);
    Parents parents(1, -1);
    for (std::int64_t r = 1; r < shape.ranks; ++r)
    {
        parents.push_back(teller(r));
    }
    c.trees = {parents};
    const auto rounds = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(shape.ranks - 1)));
    for (unsigned k = rounds; kind != CollectiveKind::broadcast && k-- > 0;)
    {
        c.steps.push_back(round_of(c, k, true));
    }
    for (unsigned k = 0; kind != CollectiveKind::reduce && k < rounds; ++k)
    {
        c.steps.push_back(round_of(c, k, false));
    }
    return c;
}

// In-order: the ranks with an even number are leaves, so in the second tree, shifted by one rank, those are
// inside (Sanders, Speck and Träff 2009, Parallel Computing 35).
Parents in_order_tree(std::int64_t n, std::int64_t shift)
{
    Parents parents(static_cast<std::size_t>(n), -1);
    struct Range
    {
        std::int64_t first, last, parent;
    };
    std::vector<Range> open{{0, n - 1, -1}};
    while (!open.empty())
    {
        const Range at = open.back();
        open.pop_back();
        if (at.first > at.last)
        {
            continue;
        }
        // The largest complete left part that leaves leaves on even places.
        const auto size = static_cast<std::uint64_t>(at.last - at.first + 1);
        const auto left = static_cast<std::int64_t>(std::bit_floor(size)) - 1;
        const std::int64_t root = std::min(at.first + std::max<std::int64_t>(left, 0), at.last);
        parents[static_cast<std::size_t>(wrap(root + shift, n))] =
            at.parent < 0 ? -1 : wrap(at.parent + shift, n);
        open.push_back({at.first, root - 1, root});
        open.push_back({root + 1, at.last, root});
    }
    return parents;
}

// Both trees move their halves in pieces; in a step a rank sends one piece and receives one at most.
class TwoTrees
{
public:
    TwoTrees(std::int64_t ranks, std::int64_t pieces) : n_(ranks), pieces_(pieces)
    {
        trees_ = {in_order_tree(n_, 0), in_order_tree(n_, 1)};
        got_.assign(2 * static_cast<std::size_t>(pieces_),
                    std::vector<std::int64_t>(static_cast<std::size_t>(n_), 0));
        sent_up_.assign(got_.size(), std::vector<bool>(static_cast<std::size_t>(n_), false));
        told_.assign(got_.size(), std::vector<bool>(static_cast<std::size_t>(n_), false));
    }

    const std::array<Parents, 2>& parents() const { return trees_; }

    std::vector<Step> run()
    {
        std::vector<Step> steps;
        while (auto step = next())
        {
            steps.push_back(std::move(*step));
        }
        return steps;
    }

private:
    std::int64_t parent(std::size_t chunk, std::int64_t r) const
    {
        return trees_.at(chunk % 2)[static_cast<std::size_t>(r)];
    }
    std::int64_t children(std::size_t chunk, std::int64_t r) const
    {
        return std::count(trees_.at(chunk % 2).begin(), trees_.at(chunk % 2).end(), r);
    }
    bool complete_below(std::size_t chunk, std::int64_t r) const
    {
        return got_[chunk][static_cast<std::size_t>(r)] == children(chunk, r);
    }

    // What may move now; what arrives in a step is only seen by the next.
    std::optional<Step> next()
    {
        std::vector<bool> sends(static_cast<std::size_t>(n_), false);
        std::vector<bool> receives(sends);
        Step step{Phase::reduce_scatter, {}};
        const auto take = [&](std::int64_t from, std::int64_t to, std::size_t chunk, bool adds)
        {
            if (sends[static_cast<std::size_t>(from)] || receives[static_cast<std::size_t>(to)])
            {
                return;
            }
            sends[static_cast<std::size_t>(from)] = receives[static_cast<std::size_t>(to)] = true;
            step.transfers.push_back(send(from, to, static_cast<std::int64_t>(chunk), adds));
        };
        for (std::size_t chunk = 0; chunk < got_.size(); ++chunk)
        {
            for (std::int64_t r = 0; r < n_; ++r)
            {
                const std::int64_t up = parent(chunk, r);
                if (up < 0)
                {
                    continue;
                }
                if (!sent_up_[chunk][static_cast<std::size_t>(r)] && complete_below(chunk, r))
                {
                    take(r, up, chunk, true);
                }
                else if (has_sum(chunk, up) && !told_[chunk][static_cast<std::size_t>(r)])
                {
                    take(up, r, chunk, false);
                }
            }
        }
        if (step.transfers.empty())
        {
            return {};
        }
        for (const Transfer& t : step.transfers)
        {
            const auto chunk = static_cast<std::size_t>(t.chunk);
            if (t.adds)
            {
                sent_up_[chunk][static_cast<std::size_t>(t.from)] = true;
                ++got_[chunk][static_cast<std::size_t>(t.to)];
            }
            else
            {
                told_[chunk][static_cast<std::size_t>(t.to)] = true;
            }
        }
        const bool adds = std::ranges::any_of(step.transfers, [](const Transfer& t) { return t.adds; });
        step.phase = adds ? Phase::reduce_scatter : Phase::all_gather;
        return step;
    }

    bool has_sum(std::size_t chunk, std::int64_t r) const
    {
        return parent(chunk, r) < 0 ? complete_below(chunk, r) : told_[chunk][static_cast<std::size_t>(r)];
    }

    std::int64_t n_;
    std::int64_t pieces_;
    std::array<Parents, 2> trees_;
    std::vector<std::vector<std::int64_t>> got_; // [chunk][rank] children heard from
    std::vector<std::vector<bool>> sent_up_;
    std::vector<std::vector<bool>> told_;
};

constexpr std::int64_t kPieces = 8; // of each tree's half, so that both trees are full most of the time

Collective make_double_tree(CollectiveKind kind, const CollectiveShape& shape)
{
    Collective c = empty_collective(kind, shape.ranks, 2 * kPieces);
    if (shape.ranks > 1)
    {
        TwoTrees trees(shape.ranks, kPieces);
        c.steps = trees.run();
        c.trees.assign(trees.parents().begin(), trees.parents().end());
    }
    return c;
}

constexpr std::array kTreeAlgorithms{
    CollectiveAlgorithm{.id = "tree",
                        .name = "Tree",
                        .says =
                            "the number of ranks that know doubles with every step; the message goes whole",
                        .source = "Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19",
                        .can =
                            [](CollectiveKind k) {
                                return k == CollectiveKind::all_reduce || k == CollectiveKind::broadcast ||
                                       k == CollectiveKind::reduce;
                            },
                        .make = make_tree},
    CollectiveAlgorithm{
        .id = "double-tree",
        .name = "Double tree",
        .says = "two binary trees, each for half the message: a leaf of one is an inner node of the other",
        .source = "Sanders, Speck and Träff 2009, Parallel Computing 35; NCCL's tree",
        .can = is_all_reduce,
        .make = make_double_tree}};

} // namespace

std::span<const CollectiveAlgorithm> tree_algorithms()
{
    return kTreeAlgorithms;
}

} // namespace ringside
