// The requests of a trace file, served as a scenario says.
#pragma once

#include "core/evaluate/report.h"
#include "core/serving/engine/request_file.h"

#include <string>

namespace ringside
{

struct ReplaySettings
{
    double speed = 1;              // arrival rate as a multiple of the trace's
    std::int64_t first = 0;        // requests; 0: all
    std::int64_t cache_blocks = 0; // of the prefix cache, of 512 tokens; 0: unlimited
};

struct Replayed
{
    std::string format;
    std::size_t requests = 0;
    double prefix_hit = 0; // share of the prompts' tokens
    std::shared_ptr<const ServingFigures> figures;
};

// Ends the program where the file cannot be read or is no trace.
Replayed replayed(const Scenario& scenario, const std::string& file, const ReplaySettings& settings);

} // namespace ringside
