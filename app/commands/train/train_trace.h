// A step of one rank as a trace of PyTorch's profiler, which My run, Perfetto and chrome://tracing open.
#pragma once

#include "core/lab/team/team.h"

#include <string>

namespace ringside
{

// Its operations are what the GPU computes, its messages are NCCL's; how many bytes each has is not in it.
std::string trace_text(const TeamStepTrace& step, int rank);

} // namespace ringside
