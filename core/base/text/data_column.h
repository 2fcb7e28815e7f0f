// A column of a table of rows, described once: its key in CSV and JSON, its heading, its value in full and as
// a short text. The window, the command's text, CSV and JSON choose which columns they show; what stands in
// them is said here alone.
#pragma once

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace ringside
{

using CellValue = std::variant<bool, std::int64_t, double, std::string_view>;

// As CSV has it, in full: "true", "8", "0.5381285737664566", "full".
inline std::string full_text(const CellValue& value)
{
    return std::visit([](auto each) { return fmt::format("{}", each); }, value);
}

template <class Row>
struct DataColumn
{
    std::string_view key;  // in CSV: "memory_bytes"; empty: not there
    std::string_view json; // in JSON, a metric's name where it is one: "memory.total_bytes"; empty: not there
    std::string_view heading;       // "MBS"; empty: never shown, as another column's text has it
    std::string_view unit;          // of the text's numbers: "GB", "s"; empty: none, or the text has it
    std::string_view help;          // what a tooltip says
    CellValue (*value)(const Row&); // in full, in the units of the keys
    std::string (*text)(const Row&, ByteUnit) = nullptr; // short; null: the value in full
    double (*order)(const Row&) = nullptr;               // what rows are sorted by; null: the value
    int keep = 100;                                      // where there is no room the lowest goes first
    bool left = false;                                   // words, at the left
    bool most_first = false;                             // sorting begins with the largest
    bool appended = false; // last in CSV, which may be read by place: it came later than the others

    std::string text_of(const Row& row, ByteUnit bytes = ByteUnit::decimal) const
    {
        return text != nullptr ? text(row, bytes) : full_text(value(row));
    }
    double order_of(const Row& row) const
    {
        const auto number = [](auto each)
        {
            using Value = decltype(each);
            if constexpr (std::is_same_v<Value, std::string_view>)
            {
                return 0.0;
            }
            else
            {
                return static_cast<double>(each);
            }
        };
        return order != nullptr ? order(row) : std::visit(number, value(row));
    }
    // "memory, GB"
    std::string heading_with_unit(ByteUnit bytes = ByteUnit::decimal) const
    {
        const std::string_view shown = unit == "GB" && bytes == ByteUnit::binary ? "GiB" : unit;
        return shown.empty() ? std::string(heading) : fmt::format("{}, {}", heading, shown);
    }
};

// Those that CSV has, in its order.
template <class Row>
std::vector<const DataColumn<Row>*> csv_columns(std::span<const DataColumn<Row>> all)
{
    std::vector<const DataColumn<Row>*> columns;
    for (const bool appended : {false, true})
    {
        for (const DataColumn<Row>& column : all)
        {
            if (!column.key.empty() && column.appended == appended)
            {
                columns.push_back(&column);
            }
        }
    }
    return columns;
}

} // namespace ringside
