// Metrics of what surrounds a training step and takes milliseconds to work out: steps of reinforcement
// learning, fleets of 100,000 GPUs, where experts' tokens go, a number's bits with its scales. Lessons ask
// for them by name; evaluate() does not work them out, and `evaluate --json` leaves them out.
//
// What a scenario does not say is as the views open: rl.* one colocated step of RolloutSetup with a reference
// and engines as wide as the tensor parallelism (rl.async_* the same, fully asynchronous), fleet.* the
// scenario's checkpoint and replicas on kFleetGpus, expert.* over the network as DispatchSetup has
// it, slo.* what the page of serving under load begins with, mup.* from a tuned model of kProxyWidth.
#pragma once

#include "core/evaluate/report.h"

namespace ringside
{

inline constexpr double kFleetGpus = 100000;

// To add a metric, add a row to the table at the bottom of system_metrics.cpp.
std::span<const Metric> system_metrics();
const Metric* find_system_metric(std::string_view name);

} // namespace ringside
