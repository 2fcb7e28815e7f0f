// Tables of nccl-tests (NVIDIA/nccl-tests, src/common.cu): a row for each message size, with time, algorithm
// bandwidth and bus bandwidth, out of place and in place.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct NcclTestRow
{
    std::int64_t bytes = 0;
    double seconds = 0; // out of place
    double algorithm_bytes_per_second = 0;
    double bus_bytes_per_second = 0;
    double bus_in_place = 0;
};

struct NcclTest
{
    std::string type;      // "float"
    std::string operation; // "sum"; empty where there is none
    std::vector<NcclTestRow> rows;

    double peak_bus() const;          // out of place [B/s]
    double peak_bus_in_place() const; // [B/s]
    // Bus over algorithm bandwidth is 2 (n - 1) / n of an all-reduce of n ranks; 0 where that is no number of
    // ranks (doc/PERFORMANCE.md).
    std::int64_t ranks_of_all_reduce() const;
};

bool is_nccl_test(std::string_view text);
Result<NcclTest> read_nccl_test(std::string_view text);

} // namespace ringside
