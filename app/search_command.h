// `ringside search`: every legal layout of a scenario, ranked, and why the rest fell out.
#pragma once

#include "app/commands.h"

namespace ringside
{

struct SearchOptions
{
    std::string file; // scenario
    std::int64_t top = 10;
    std::string objective = "step_time";
    std::vector<std::string> forbid;
    std::vector<std::string> allow;
    bool csv = false;
};

int run_search(const CommonOptions& common, const SearchOptions& options);

// `ringside bench search`: estimates a second, and how long all of GPT-3 175B on 4,096 GPUs takes.
int run_bench_search(const CommonOptions& common);

} // namespace ringside
