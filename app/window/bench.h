// `ringside bench frame`: what a frame costs, in the program's own drawing code.
#pragma once

#include "app/commands.h"

namespace ringside
{

int run_bench_frame(const CommonOptions& common);

} // namespace ringside
