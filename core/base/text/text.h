// Numbers as people read them: three significant digits, a unit always, commas in thousands.
#pragma once

#include "core/base/units.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class ByteUnit
{
    decimal, // GB = 1e9
    binary   // GiB = 2^30
};

// Bytes of a GB or a GiB, and an amount in it.
constexpr double in_bytes(ByteUnit unit)
{
    return unit == ByteUnit::decimal ? 1e9 : 1073741824.0;
}
constexpr double in_gigabytes(Bytes bytes, ByteUnit unit)
{
    return bytes.value / in_bytes(unit);
}
// "84.3", "0.562", "1,240", "1.2e-07": three significant digits, no unit. Non-finite values print as "not a
// number".
std::string three_digits(double value);
// 1234567 -> "1,234,567"
std::string grouped(std::int64_t value);
// A number of things as people say it: "1 GPU", "16,384 GPUs", "2 batches".
std::string counted(std::int64_t n, std::string_view thing);
// "84.3 GB", "512 B", "1.12 TB"; or KiB, MiB, GiB, TiB. The scale follows the size.
std::string format_bytes(Bytes bytes, ByteUnit unit = ByteUnit::decimal);
// Gigabytes whatever the size, for columns that are compared: "84.3", "0.012", "0.000230".
std::string format_gigabytes(Bytes bytes, ByteUnit unit = ByteUnit::decimal);
// The unit of a table or an axis whose largest entry is this: gigabytes, until that takes too many digits.
struct ByteScale
{
    double bytes = 1e9;
    std::string_view name = "GB";

    std::string words(Bytes value) const { return three_digits(value.value / bytes); } // without the unit
};
ByteScale byte_scale(Bytes largest, ByteUnit unit = ByteUnit::decimal);
// With a capital letter at the front, where that is ASCII.
std::string capitalized(std::string text);
// "80", "80.5", "1.5": at most three digits below a thousand and no trailing zeros, for limits and axes.
std::string plain_number(double value);
// "use 1 to 65,536": a hint, exact, with commas from five digits on.
std::string range_hint(std::int64_t least, std::int64_t most);
// "70.6 B", "8.03 B", "124 M", "1.00 T", "1.00 E", "<0.001": parameters and tokens.
std::string format_count(double count);
// As a user says it: "62.5 ms", "8.27 s", "1 h 16 min", "3 d 4 h", "76.1 d", "5.60 years".
std::string format_seconds(Seconds seconds);
// The number of an axis: one unit that suits the tick, without trailing zeros: "10 ms", "100 s", "2 h", "90
// min".
std::string tick_seconds(double seconds);
// "$2.50", "$457 k", "$1.23 M"
std::string format_dollars(double usd);
// One unit for all times of a picture, by the longest of them.
struct TimeUnit
{
    double seconds = 1;
    std::string_view name; // "s"
    std::string_view word; // "seconds"
};
TimeUnit time_unit_of(Seconds longest);
// 0.0857 -> "8.57%"
std::string format_percent(double fraction);
// A number as people type it: "70B", "1.5 k", "16,384", "1e12". Nothing when it is not one, or not finite.
std::optional<double> parse_number(std::string_view text);
// Whether every byte belongs to a character, so that JSON can hold the text.
bool is_utf8(std::string_view text);
void replace_all(std::string& text, std::string_view from, std::string_view to);
// Those of ASCII; other letters stay.
std::string small_letters(std::string_view text);
// The candidate closest to `word` by edit distance, for "did you mean"; empty when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);
// The hint "did you mean \"...\"?", or another where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string otherwise = "");

} // namespace ringside
