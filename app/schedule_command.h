// `ringside schedule`: pipeline schedules as text, JSON, a picture or a trace; one, all, or one's own.
#pragma once

#include "app/commands.h"
#include "core/schedule/simulate.h"

#include <set>

namespace ringside
{

struct ScheduleOptions
{
    std::string kind = "1f1b";    // an id, or "all"
    ScheduleShape shape{4, 8, 0}; // 0 chunks: as few as the schedule takes
    StageTimes times;
    std::vector<double> stage_weights;             // relative time of each virtual stage; empty: equal
    std::string order;                             // file with an order of one's own, "-" for standard input
    std::string svg;                               // file to write
    std::string chrome_trace;                      // file to write; opens in Perfetto
    std::set<std::string, std::less<>> typed = {}; // the options somebody gave: "--stages"
};

int run_schedule(const CommonOptions& common, const ScheduleOptions& options);

// `ringside bench schedule`: how long orders and their simulation take.
int run_bench_schedule(const CommonOptions& common);

} // namespace ringside
