// What failures leave of a job's time as it grows to 100,000 GPUs, for four ways to recover; and how many
// warm spares are enough. The times of one job in detail are goodput.h's, whose formula this uses.
//
// A stall is all the time in which no GPU trains after a failure, as FT-HSDP counts it: 10 minutes where all
// restart, 3 where one replica leaves and comes back (arXiv 2602.00277, abstract). Without spares the job
// also waits for a node; 10 minutes for that are our assumption. A replica that left is missing until it is
// back; the others hold the weights, so no work is lost.
#pragma once

#include "core/reliability/goodput.h"

namespace ringside
{

enum class Recovery : std::uint8_t
{
    storage, // wait for a node, load the checkpoint from shared storage
    spares,  // a warm spare takes the node's place
    memory,  // and checkpoints are in the memory of neighbours
    replica  // one replica is dropped and rejoins, the others train on
};
template <>
inline constexpr auto kNamesOf<Recovery> = names<Recovery>("restart from storage", "warm spares",
                                                           "in-memory checkpoints", "elastic (drop replica)");

struct FleetPlan
{
    double gpu_hours = 16384.0 * 54 * 24 / 466; // between interruptions: Llama 3's
    double wait_s = 600;                        // for another node, without spares
    double stall_s = 600;                       // of all, from a failure until the job trains again
    double replica_stall_s = 180;               // the same where one replica is dropped
    double rejoin_s = 1200;                     // until that one is back
    double replica_gpus = 1024;
    double checkpoint = 14 * 405e9;           // [B]
    double storage_gb_per_s = 2000.0 / 16384; // [GB/s] by GPU, as in RunPlan
    double memory_gb_per_s = 50;              // [GB/s] the slower of PCIe and NIC of a GPU
    double step_s = 10;                       // no checkpoints are closer
    double hardware_share = 0.78;             // of failures that take a node away, as in RunPlan
    double repair_hours = 24;                 // until it is back
    double gpus_per_node = 8;

    bool operator==(const FleetPlan&) const = default;
};

// Checkpoint, links and replicas of the scenario.
FleetPlan fleet_plan(const Scenario& scenario, const MemoryReport& memory, Seconds step);

// [s] Mean time between failures of a job on so many GPUs.
double fleet_between(const FleetPlan& plan, double gpus);
// Share of the wall clock that is training which is kept, by GPUs that train: with whole restarts Daly's
// e^(-R/M) and lost work (goodput.h); else e^(-R/M) less the replicas that are out at a time.
double effective_time(const FleetPlan& plan, Recovery recovery, double gpus);

// Nodes in repair at a time: failures that take one away, times how long.
double nodes_away(const FleetPlan& plan, double gpus);
// That so many or fewer of a Poisson distribution around `mean` happen.
double poisson_at_most(double mean, std::int64_t most);
// The least number of spares that are enough with this probability, below 1.
std::int64_t spares_for(double mean, double probability);

} // namespace ringside
