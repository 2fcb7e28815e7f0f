// The predicted step as a trace, so that it is drawn, summed up and opened like a measured one.
#pragma once

#include "core/evaluate/report.h"
#include "core/runs/trace.h"

namespace ringside
{

// One rank's step, whose parts take what the step model says, by kernels and collectives that are named as
// real ones are. Without a pipeline and of at most 64 micro-batches it goes layer by layer, as step_life();
// else it is that of the pipeline rank that works longest, an operation a block. Faults: none, of a valid
// scenario.
GpuTrace predicted_trace(const Scenario& scenario, const Report& report);

// A trace as Kineto's JSON, which Perfetto, chrome://tracing and the reader here open: its GPU events, their
// launches, named stretches and steps.
std::string kineto_text(const GpuTrace& trace);

} // namespace ringside
