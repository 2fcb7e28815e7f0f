// `ringside collective`: every step of a collective and what it costs.
#pragma once

#include "app/commands.h"
#include "core/collective/collective.h"

#include <set>

namespace ringside
{

struct CollectiveOptions
{
    std::string kind = "all-reduce";
    std::string algorithm = "ring"; // an id, or "all"
    std::int64_t ranks = 8;
    double bytes = 1e9;
    double latency_us = 5;
    double gb_per_s = 450;
    std::int64_t per_node = 8;
    double network_latency_us = 14;
    double network_gb_per_s = 50;
    std::string fabric;                            // id of a fabric; empty: the link above
    std::set<std::string, std::less<>> typed = {}; // the options somebody gave: "--ranks"
};

int run_collective(const CommonOptions& common, const CollectiveOptions& typed);

// `ringside bench collective`: how long costing one takes.
int run_bench_collective(const CommonOptions& common);

} // namespace ringside
