// Pipeline schedules: the order in which every stage works through its micro-batches.
// Only orders live here; simulate.h gives them times.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Pass : std::uint8_t
{
    forward, // F
    backward // B: input and weight gradients in one go
};

struct Operation
{
    Pass pass = Pass::forward;
    std::int32_t stage = 0; // virtual stage, 0 .. stages x chunks - 1; it runs on rank stage % stages
    std::int32_t micro_batch = 0;

    bool operator==(const Operation&) const = default;
};

// [rank] -> its operations in order.
using Order = std::vector<std::vector<Operation>>;

struct ScheduleShape
{
    std::int64_t stages = 4;        // ranks of the pipeline, p
    std::int64_t micro_batches = 8; // m
    std::int64_t chunks = 1;        // v
};

struct ScheduleInfo
{
    ScheduleKind kind;
    std::string_view id;   // "1f1b"
    std::string_view name; // "1F1B"
    std::string_view says; // one line
    std::string_view source;
    Issues (*check)(const ScheduleShape&);
    Order (*make)(const ScheduleShape&); // shape must pass check
};

// Every schedule there is. To add one, add a row to the table at the bottom of schedule.cpp.
std::span<const ScheduleInfo> schedules();
const ScheduleInfo& schedule_info(ScheduleKind kind);

// The order, or why the shape is not legal for it and the nearest that is.
Result<Order> make_order(ScheduleKind kind, const ScheduleShape& shape);

// "3F5": virtual stage, pass, micro-batch.
std::string to_text(const Operation& operation);

} // namespace ringside
