// Data-parallel ranks as columns, model state as blocks: who holds which slice, and slices on their way to
// their owners.
#pragma once

#include "core/memory/memory.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

// One band of the columns: weights, gradients or optimizer state.
struct ShardBand
{
    std::string_view name;
    std::vector<Component> parts; // stacked inside a slice
    std::vector<double> widths;   // bytes per parameter of each part
    double whole = 0;             // [B] of one rank when replicated
    double share = 0;             // [B] of one rank when sharded
    double bytes_per_parameter = 0;
    float sharded = 0; // 0 replicated, 1 sharded, between: slices on their way
};

struct Shards
{
    std::int64_t ranks = 1; // N
    std::vector<ShardBand> bands;

    // At most this many columns are drawn; beyond, a column is a group of ranks.
    static constexpr std::int64_t kMostColumns = 12;
    static constexpr std::int64_t kGroups = 8;
    std::size_t columns() const { return static_cast<std::size_t>(ranks <= kMostColumns ? ranks : kGroups); }
    // Bytes on rank 0 as drawn.
    Bytes held() const;
};

// The states of the fullest stage of a report, all replicated; set `sharded` per band.
Shards shards_of(const Scenario& scenario, const MemoryReport& replicated, const MemoryReport& sharded);

struct ShardStyle
{
    float label_width = 128; // [design px]
    bool numbers = true;
};

// Returns the column that is pointed at.
std::optional<std::size_t> draw_shards(const Painter& painter, Rect area, const Shards& shards,
                                       const ShardStyle& style);
// What the rank of a column holds.
void shards_tip(const Painter& painter, Rect bounds, const Shards& shards, std::size_t column);

// "rank 3", "ranks 128-255".
std::string column_name(const Shards& shards, std::size_t column);

} // namespace ringside
