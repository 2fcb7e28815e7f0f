// Where the time of a step goes on a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside
{

struct KernelTime
{
    std::string name; // "attention backward key"
    std::int64_t launches = 0;
    double seconds = 0; // of all of them
    bool operator==(const KernelTime&) const = default;
};
struct KernelTimes
{
    std::vector<KernelTime> list = {}; // the slowest first
    std::int64_t step = 0;             // that was timed
    std::int64_t repeats = 0;          // of each launch, whose mean counts
    double rounded_to = 0;             // [s] the device's clock; 0: exactly
    bool by_host = false;              // the device has no clock: between asking and the answer
    bool operator==(const KernelTimes&) const = default;
};

} // namespace ringside
