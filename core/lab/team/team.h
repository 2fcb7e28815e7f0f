// What the lab trains on several ranks at once, and what it shows of them. Plain values that views, commands
// and the ranks share.
#pragma once

#include "core/lab/snapshot.h"
#include "core/network/compression/compressor.h"
#include "core/network/rank_grid.h"

#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr std::int64_t kMostTeamRanks = 64; // threads of one process, and members of one collective

struct TeamConfig
{
    TrainerConfig trainer; // global_batch over all ranks; training.schedule orders the pipeline
    Parallel parallel;
    std::int64_t ranks = 1;
    // Compresses gradients that are summed whole (ZeRO 0), by unit: embedding, each layer, head. What was not
    // sent yet is no part of the state: another team begins without it.
    CompressionOptions compression = {.compressor = Compressor::none};

    bool operator==(const TeamConfig&) const = default;
};

// The team as the engine has it: one node of as many devices.
Scenario scenario_of(const TeamConfig& config);

// "ddp", "zero1", "zero2", "zero3", "tp", "sp" (tensor with the sequence split), "cp", "ep", "pp" over all
// ranks, or a product of degrees: "dp2-tp2-pp2", "cp4", with "zero1" and "sp" as further words. Beside "ep",
// "dp" says how many copies of the experts there are: "dp2-ep2" has four data-parallel ranks. The batch grows
// where it must, so that every pipeline has a micro-batch for each stage. A fault names the word.
Result<TeamConfig> with_strategy(TrainerConfig config, std::string_view strategy, std::int64_t ranks);
// "none", or a compressor and how much of it: "bf16", "top-k", "top-k=0.01" (share of the elements),
// "random-k", "sign", "powersgd=4" (rank). A fault names --compress.
Result<CompressionOptions> read_compression(std::string_view words, bool feedback = true);
// With what --compress says, see read_compression(). A fault names it, also where no two ranks have the same
// weights, so that nothing would be sent.
Result<TeamConfig> with_compression(TeamConfig config, std::string_view words, bool feedback);
// The engine's own faults of how the model is cut and the batch shared out: paths "parallel." and
// "training.".
Issues faults_of_cut(const TeamConfig& config);
// "dp2-tp2-pp2", of any configuration; "none" for one rank. With a compressor, "dp4, Top-k, 1%".
std::string strategy_name(const TeamConfig& config);

// What is made to go wrong on one rank, on purpose.
enum class RankFault : std::uint8_t
{
    none,
    slow,        // it takes longer over everything it computes
    dead,        // it ends in the middle of the step
    left_out,    // it leaves out one collective
    not_a_number // one of its gradients becomes NaN
};
template <>
inline constexpr auto kNamesOf<RankFault> = names<RankFault>("nothing", "slow rank", "dead rank",
                                                             "collective left out", "NaN on one rank");

struct PlannedFault
{
    RankFault kind = RankFault::none;
    int rank = 0;
    double seconds = 0.02; // that a slow rank waits before each operation

    bool operator==(const PlannedFault&) const = default;
};

// One step of one rank as it really was; times in seconds since the step began.
struct RankTrace
{
    struct Work
    {
        Operation operation;
        double start = 0;
        double end = 0;
    };
    struct Message
    {
        std::string axis; // "tensor", "data", "expert", "pipeline", "embedding", "control"
        std::string kind; // "all-reduce"
        std::int64_t sent = 0;
        double start = 0;
        double end = 0;
        int waits_for = -1; // the rank whose message came last, where it is known
    };
    struct Sent
    {
        std::string axis;
        std::int64_t bytes = 0; // in this step
        std::int64_t calls = 0;

        bool operator==(const Sent&) const = default;
    };

    Coordinates place;
    MemoryUse memory; // after the step
    MemoryUse peak;
    std::vector<Work> work;
    std::vector<Message> messages;
    std::vector<Sent> sent;
};

// Adds to the entry of its axis, which is made where there is none yet.
void add_sent(std::vector<RankTrace::Sent>& sum, const RankTrace::Sent& sent);
// [B] that a rank sent in a step, control messages left out.
std::int64_t all_sent(const RankTrace& rank);

struct TeamStepTrace
{
    std::int64_t step = 0;
    double loss = 0;
    double gradient_norm = 0;
    bool skipped = false; // a gradient was not finite on some rank, so none made an update
    double seconds = 0;
    std::vector<LayerRouting> experts; // of all ranks' tokens, by layer; empty without experts
    std::vector<RankTrace> ranks;
};

} // namespace ringside
