// Collectives as steps anyone can follow: who sends which chunk to whom, and what every rank holds after each
// step. Times are in cost.h; no threads and no real network here.
#pragma once

#include "core/base/names.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

enum class CollectiveKind : std::uint8_t
{
    all_reduce,     // every rank ends with the sum of all
    reduce_scatter, // rank r ends with chunk r of the sum
    all_gather,     // every rank ends with every rank's chunk
    broadcast,      // every rank ends with the root's
    reduce,         // the root ends with the sum of all
    all_to_all,     // rank r ends with the block every rank has for r
    send_recv       // rank 1 ends with rank 0's
};
inline constexpr std::size_t kCollectiveKinds = 7;
template <>
inline constexpr auto kNamesOf<CollectiveKind> = names<CollectiveKind>("all-reduce", "reduce-scatter",
                                                                       "all-gather", "broadcast", "reduce",
                                                                       "all-to-all", "send-recv");

// Which ranks' contributions a partial sum contains, one bit per rank; so at most 64 ranks.
using Contributors = std::uint64_t;
inline constexpr std::int64_t kMaxRanks = 64;

// What a step of an all-reduce is for.
enum class Phase : std::uint8_t
{
    reduce_scatter, // received chunks are added
    all_gather      // received chunks replace
};

struct Transfer
{
    std::int32_t from = 0; // a rank, or `ranks` for the switch
    std::int32_t to = 0;
    std::int32_t chunk = 0;
    bool adds = false; // to what is there; otherwise it replaces

    bool operator==(const Transfer&) const = default;
};

// Transfers that happen at the same time: all of them send what was there before the step.
struct Step
{
    Phase phase = Phase::reduce_scatter;
    std::vector<Transfer> transfers;
};

struct Collective
{
    std::int64_t ranks = 0;
    std::int64_t chunks = 0; // all of the same size; all-to-all: block (from, to) is chunk from x ranks + to
    std::vector<Step> steps;
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::int64_t per_node = 0; // ranks of one node; 0: all in one
    bool in_switch = false;    // there is one more holder, the switch
    // Parents in the trees it runs on, -1 the root's; chunk c goes through tree c % trees. Empty: no trees.
    std::vector<std::vector<std::int64_t>> trees; // [tree][rank]
};

struct CollectiveShape
{
    std::int64_t ranks = 8;
    std::int64_t per_node = 8; // of the two-level algorithms
};

struct CollectiveAlgorithm
{
    std::string_view id;   // "ring"
    std::string_view name; // "Ring"
    std::string_view says; // one line
    std::string_view source;
    // Nothing where the kind has no such algorithm. The shape must pass check_collective.
    bool (*can)(CollectiveKind) = nullptr;
    Issues (*check)(const CollectiveShape&) = nullptr; // what else a shape must have; null: nothing
    Collective (*make)(CollectiveKind, const CollectiveShape&) = nullptr;
};

// Every algorithm there is. To add one, add a row to the table at the bottom of its family's file.
std::span<const CollectiveAlgorithm* const> collective_algorithms();
// Null where there is none of this id.
const CollectiveAlgorithm* find_algorithm(std::string_view id);
// "ring, tree": those for which it is true.
std::string ids_where(const std::function<bool(const CollectiveAlgorithm&)>& which);

// Why this kind, algorithm and shape do not go together, and what would. Paths: algorithm, ranks, per_node.
Issues check_collective(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                        const CollectiveShape& shape);
Result<Collective> make_collective(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                                   const CollectiveShape& shape);

// Ring all-reduce (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69 (2009); Gibiansky 2017):
// N-1 steps of reduce-scatter, N-1 of all-gather, every rank passing one of N chunks to its right neighbour
// in each. ranks: 1 to 64.
Collective ring_all_reduce(std::int64_t ranks);

// What every rank holds: [rank][chunk]. At the start each holds its own contribution to every chunk it has.
using Holdings = std::vector<std::vector<Contributors>>;
Holdings holdings_before(const Collective& collective);
// After `steps` whole steps, 0 to collective.steps.size(). With in_switch the last row is the switch.
Holdings holdings_after(const Collective& collective, std::size_t steps);
// Whether rank r must hold chunk c at the end, and with whose contributions; 0: need not.
Contributors wanted(const Collective& collective, std::int64_t rank, std::int64_t chunk);

// Runs the steps on numbers: values[rank][chunk] in, the same shape out.
std::vector<std::vector<double>> execute(const Collective& collective,
                                         std::vector<std::vector<double>> values);

// Share of the message that one chunk is: S is the buffer of a rank (all-reduce, broadcast, reduce, send),
// all that a rank puts in (reduce-scatter, all-to-all) or gets out (all-gather), as nccl-tests counts.
double chunk_share(const Collective& collective);

} // namespace ringside
