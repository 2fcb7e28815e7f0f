// `ringside schedule`: one pipeline schedule as text, JSON, a picture or a trace.
#pragma once

#include "app/commands.h"
#include "core/schedule/simulate.h"

namespace ringside
{

struct ScheduleOptions
{
    std::string kind = "1f1b";
    ScheduleShape shape;
    StageTimes times;
    std::string svg;          // file to write
    std::string chrome_trace; // file to write; opens in Perfetto
};

int run_schedule(const CommonOptions& common, const ScheduleOptions& options);

} // namespace ringside
