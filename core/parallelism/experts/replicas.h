// Where experts lie so that every GPU has as much to do: in order, or with the busiest ones replicated (EPLB,
// the expert parallelism load balancer of DeepSeek-V3: arXiv 2412.19437, section 3.4; deepseek-ai/EPLB). A
// replica takes an equal part of its expert's tokens; moving experts costs nothing here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ringside
{

struct ReplicaOptions
{
    std::int64_t gpus = 8;      // divides experts + redundant
    std::int64_t nodes = 1;     // divides GPUs, and experts + redundant
    std::int64_t groups = 1;    // of experts that are routed together, and lie on one node; divides experts
    std::int64_t redundant = 0; // replicas beyond one of each expert

    bool operator==(const ReplicaOptions&) const = default;
};

struct ExpertPlacement
{
    std::vector<std::vector<std::int64_t>> held; // [GPU] experts, one for each slot
    std::vector<std::int64_t> replicas;          // [expert]
    std::vector<double> load;                    // [GPU] tokens

    // Largest over mean: by so much longer all wait for the busiest GPU. 1 for no load.
    double imbalance() const;
};

// Equal, neighbouring shares; `gpus` divides the experts.
ExpertPlacement placed_in_order(std::span<const double> load, std::int64_t gpus);

// Groups are packed to nodes, then the expert whose replicas have most to do gets another, node by node,
// then replicas are packed to GPUs; a packing gives the heaviest first, to the lightest that has room. Where
// nodes do not divide the groups, all is one node.
ExpertPlacement balanced_placement(std::span<const double> load, const ReplicaOptions& options);

} // namespace ringside
