// The host beside its GPUs: how fast its processors update the optimizer state that is kept there.
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

// [B/s] of the host's memory that the optimizer of one GPU reads and writes: a share of
// cluster.host_gb_per_s, split over the GPUs of a node that are in use.
double host_optimizer_rate(const Cluster& cluster);

} // namespace ringside
