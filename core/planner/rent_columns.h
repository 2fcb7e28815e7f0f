// The columns of what there is to rent, for the window, the command's text and JSON.
#pragma once

#include "core/base/names.h"
#include "core/base/text/data_column.h"
#include "core/planner/rent.h"

#include <cstdint>
#include <span>

namespace ringside
{

// An offer with its kind of cluster.
struct RentRow
{
    const RentType& type;
    const RentOffer& offer;
};

enum class RentColumn : std::uint8_t
{
    cluster,
    gpus,
    spares,
    layout,
    batch,
    step,
    mfu,
    goodput,
    time,
    time_low,
    time_high,
    cost,
    cost_low,
    cost_high,
    price,
    frontier
};
template <>
inline constexpr auto kNamesOf<RentColumn> = names<RentColumn>("cluster", "gpus", "spares", "layout", "batch",
                                                               "step", "mfu", "goodput", "time", "time_low",
                                                               "time_high", "cost", "cost_low", "cost_high",
                                                               "price", "frontier");

// All of them, by RentColumn: from left to right.
std::span<const DataColumn<RentRow>> rent_columns();
const DataColumn<RentRow>& info_of(RentColumn column);

} // namespace ringside
