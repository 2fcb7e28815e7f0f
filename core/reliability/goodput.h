// Goodput of a long run in closed form: the share of the wall clock that is training which is kept, and what
// takes the rest. The same run event by event is in run_simulation.h.
//
// Daly's complete model (2006): failures are Poisson and also strike during recovery. Asynchronous saves add
// a factor e^(L/M), L the time until a save is safe; exact for one save at a time, which is why no interval
// is shorter than L. Nodes in repair are Poisson distributed and independent of the rest. Shares add up to
// exactly 1: all but lost work are rounded to 2^-40. Without elasticity a missing node stops the job; with
// it useful time counts by the replicas left, and a replica over several nodes is lost with any of them: R
// (1 - (1 - 1/R)^f).
//
// How a run fails is not in the scenario. run.* and checkpoint.* metrics take the default RunPlan: Llama 3's
// rate of interruptions per GPU, planned ones included; 10 minutes to detect (PyTorch's watchdog), 5 to
// restart, then loading; shared storage at Llama 3's 2 TB/s for 16,384 GPUs, each GPU's share; enough
// spares.
#pragma once

#include "core/reliability/checkpoint.h"
#include "core/reliability/reliability.h"

namespace ringside
{

// Where the frequent checkpoints go. Disks and host memory of a node die with it, so a second copy goes to a
// neighbour's through the network (Wang et al., GEMINI, SOSP 2023, section 4); both lost at once is left out.
enum class CheckpointTier : std::uint8_t
{
    storage, // shared file system
    disks,   // of the nodes
    host     // memory of the nodes
};
template <>
inline constexpr auto kNamesOf<CheckpointTier> = names<CheckpointTier>("shared storage",
                                                                       "the nodes\u2019 disks",
                                                                       "host memory");

// How a run fails and recovers: what no scenario says.
struct RunPlan
{
    double gpu_hours = 16384.0 * 54 * 24 / 466; // between interruptions, see FleetRecord; above 0
    double interval_s = 0;                      // work between two checkpoints; 0: the best there is
    // From a failure until the job is told: PyTorch's NCCL watchdog waits 10 minutes by default.
    double detect_s = 600;
    double restart_s = 300; // new processes, communicators, first step; loading the checkpoint comes on top
    // Shared storage by GPU [GB/s]: Llama 3's sustains 2 TB/s for 16,384 (arXiv 2407.21783, section 3.3.1).
    double storage_gb_per_s = 2000.0 / 16384;
    CheckpointTier tier = CheckpointTier::storage;
    bool asynchronous = false;    // training waits for the copy to host memory only
    double hardware_share = 0.78; // of failures that take a node away (Llama 3, section 3.3.4)
    double repair_hours = 24;     // until it is back
    std::int64_t spares = -1;     // nodes that wait; -1: enough that they are rarely short
    bool elastic = false;         // short of nodes the job goes on with the replicas that are whole

    bool operator==(const RunPlan&) const = default;
};

enum class RunPart : std::uint8_t
{
    useful,
    saving,  // training waits for a checkpoint
    lost,    // done, and done again
    detect,  // nobody knows yet
    restart, // loading included
    missing  // waiting for a node, or elastic: the share of the GPUs that is gone
};
inline constexpr std::size_t kRunParts = 6;
template <>
inline constexpr auto kNamesOf<RunPart> = names<RunPart>("goodput", "checkpointing", "lost work", "detection",
                                                         "restart", "waiting for spares");

// Everything the formulas need, in seconds.
struct RunRates
{
    double between_s = 0;  // mean time between failures of the job, M
    double save_s = 0;     // training checkpoint stall, d
    double lag_s = 0;      // from then until it is safe, L; 0 for synchronous saves
    double load_s = 0;     // read back
    double recover_s = 0;  // detect + restart + load, R
    double interval_s = 0; // in force, t
    double best_s = 0;     // Daly's, but no less than a step and than a save that is still on its way
    double young_s = 0;
    double least_s = 0;     // no interval is shorter
    bool stretched = false; // a shorter interval was asked for
    double nodes = 1;
    double replicas = 1;
    std::int64_t spares = 0;
    double away = 0; // nodes in repair at a time, mean
};

RunRates run_rates(const Scenario& scenario, const CheckpointSize& size, Seconds step, const RunPlan& plan);

struct Goodput
{
    std::array<double, kRunParts> share{}; // of the wall clock; they add up to 1 exactly

    double of(RunPart part) const { return share[static_cast<std::size_t>(part)]; }
    double useful() const { return of(RunPart::useful); }
};

// A segment of t seconds of work and a save of d is kept after M e^((R + L) / M) (e^((t + d) / M) - 1) of
// wall clock on average, failures during recovery included (Daly 2006, the complete model, for L = 0). A
// checkpoint that is still on its way when the job fails is lost, which is the factor e^(L / M). Nodes in
// repair are Poisson distributed around their mean, independent of that.
Goodput goodput(const RunRates& rates, const RunPlan& plan);
// Goodput with another interval, for the curve; no shorter than `least_s`.
Goodput goodput_at(RunRates rates, const RunPlan& plan, double interval_s);

// Share lost to first order, d / t + (t / 2 + R) / M: what people work out by hand.
double first_order_waste(const RunRates& rates);

// Share of the GPUs that works with `away` nodes in repair: all of them up to the spares; then none, or those
// of the replicas not hit. A replica that fills several nodes goes with any of them.
double working_share(const RunRates& rates, const RunPlan& plan, double away);

} // namespace ringside
