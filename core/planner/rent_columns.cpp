#include "core/planner/rent_columns.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <array>

namespace ringside
{

namespace
{

template <auto member>
CellValue offer_value(const RentRow& row)
{
    return row.offer.*member;
}

template <auto member, auto end>
CellValue offer_end(const RentRow& row)
{
    return row.offer.*member * (row.offer.*end);
}

template <auto member>
std::string offer_count(const RentRow& row, ByteUnit)
{
    return grouped(row.offer.*member);
}

template <auto member>
std::string offer_percent(const RentRow& row, ByteUnit)
{
    return format_percent(row.offer.*member);
}

std::string layout_of_row(const RentRow& row, ByteUnit)
{
    return words_of(layout_of(row.offer.scenario));
}

// By RentColumn.
constexpr std::array<DataColumn<RentRow>, kNamesOf<RentColumn>.size()> kRentColumns{{
    {.json = "cluster",
     .heading = "cluster",
     .value = [](const RentRow& row) -> CellValue { return std::string_view(row.type.id); },
     .text = [](const RentRow& row, ByteUnit) { return row.type.name; },
     .keep = 92,
     .left = true},
    {.json = "gpus",
     .heading = "GPUs",
     .value = offer_value<&RentOffer::gpus>,
     .text = offer_count<&RentOffer::gpus>,
     .keep = 95},
    {.json = "spare_gpus",
     .heading = "spare",
     .help = "Nodes that wait to take a failed node's place; they are paid for",
     .value = offer_value<&RentOffer::spares>,
     .text = offer_count<&RentOffer::spares>,
     .keep = 1},
    {.heading = "layout",
     .value = [](const RentRow&) -> CellValue { return std::string_view(); },
     .text = layout_of_row,
     .keep = 3,
     .left = true},
    {.heading = "global batch",
     .value = [](const RentRow& row) -> CellValue { return row.offer.scenario.training.global_batch; },
     .text = [](const RentRow& row, ByteUnit) { return grouped(row.offer.scenario.training.global_batch); },
     .keep = 4},
    {.json = "step.time_s",
     .heading = "step",
     .value = offer_value<&RentOffer::step_s>,
     .text = [](const RentRow& row, ByteUnit) { return format_seconds(Seconds(row.offer.step_s)); },
     .keep = 5},
    {.json = "step.mfu",
     .heading = "MFU",
     .value = offer_value<&RentOffer::mfu>,
     .text = offer_percent<&RentOffer::mfu>,
     .keep = 2},
    {.json = "run.goodput",
     .heading = "goodput",
     .value = offer_value<&RentOffer::goodput>,
     .text = offer_percent<&RentOffer::goodput>,
     .keep = 6},
    {.json = "run.wall_days",
     .heading = "time",
     .help = "Wall clock: failures, restarts and checkpoints included",
     .value = offer_value<&RentOffer::days>,
     .text = [](const RentRow& row, ByteUnit) { return format_seconds(Seconds(row.offer.days * 86400)); },
     .keep = 90},
    {.json = "run.wall_days_low",
     .heading = "80% range",
     .help = "Between which 80% of the steps of sources lie that no constant was fitted to, as wall clock",
     .value = offer_end<&RentOffer::days, &RentOffer::low>,
     .text =
         [](const RentRow& row, ByteUnit)
     {
         return fmt::format("{} to {}", format_seconds(Seconds(row.offer.days * row.offer.low * 86400)),
                            format_seconds(Seconds(row.offer.days * row.offer.high * 86400)));
     },
     .keep = 50},
    {.json = "run.wall_days_high", .value = offer_end<&RentOffer::days, &RentOffer::high>},
    {.json = "usd",
     .heading = "cost",
     .value = offer_value<&RentOffer::usd>,
     .text = [](const RentRow& row, ByteUnit) { return format_dollars(row.offer.usd); },
     .keep = 99},
    {.json = "usd_low", .value = offer_end<&RentOffer::usd, &RentOffer::low>},
    {.json = "usd_high", .value = offer_end<&RentOffer::usd, &RentOffer::high>},
    {.heading = "USD/GPU-h",
     .value = [](const RentRow& row) -> CellValue { return row.offer.scenario.cluster.usd_per_gpu_hour; },
     .text = [](const RentRow& row, ByteUnit)
     { return three_digits(row.offer.scenario.cluster.usd_per_gpu_hour); },
     .keep = 0},
    {.json = "frontier", .value = offer_value<&RentOffer::frontier>},
}};

} // namespace

std::span<const DataColumn<RentRow>> rent_columns()
{
    return kRentColumns;
}

const DataColumn<RentRow>& info_of(RentColumn column)
{
    return kRentColumns.at(static_cast<std::size_t>(column));
}

} // namespace ringside
