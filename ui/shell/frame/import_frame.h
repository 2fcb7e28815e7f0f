// A launch file that became the scenario, as its card shows it: who says what, and what is left to confirm.
#pragma once

#include "core/launch_files/reading.h"

namespace ringside
{

struct ImportFrame
{
    std::int64_t number = 0; // of those that were read, so that what was confirmed belongs to one of them
    std::string name;        // "train.sh", "3 files"; empty: pasted
    LaunchReading reading;
};

} // namespace ringside
