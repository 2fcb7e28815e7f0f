// Orders as text: what people write, paste and read.
#pragma once

#include "core/pipeline/schedule.h"

namespace ringside
{

// An order with the counts that follow from it.
struct WrittenOrder
{
    Order order;
    std::int64_t virtual_stages = 0;
    std::int64_t micro_batches = 0;
};

// One line a rank, its operations from left to right: "0F0 0F1 0B0 0B1". An operation is virtual stage, one
// of F B I W, micro-batch; two joined by & run together. Spaces, commas and a leading "rank 0:" are read
// over, # begins a remark. Without a stage ("F0 B0") an operation is of its line's stage. The JSON of
// `ringside schedule --json` is read as well. Refused with line and word: what is no operation, too many of
// them, no operation at all.
Result<WrittenOrder> read_order(std::string_view text);

// Writes an order in this notation, one line per rank.
std::string write_order(const Order& order);

} // namespace ringside
