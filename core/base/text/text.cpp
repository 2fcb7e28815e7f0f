#include "core/base/text/text.h"

#include <fmt/format.h>

#include "core/base/text/find.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

struct Scale
{
    double size;
    const char* name;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales)
{
    const double size = std::abs(value);
    // 999.6 GB rounds to 1000 at three digits, so it moves up to 1.00 TB.
    for (const Scale& scale : scales)
    {
        if (size >= scale.size * 0.9995 || &scale == &scales.back())
        {
            return fmt::format("{} {}", three_digits(value / scale.size), scale.name);
        }
    }
    return {};
}

const std::array<Scale, 7>& byte_scales(ByteUnit unit)
{
    static constexpr std::array<Scale, 7> kDecimal{
        {{1e18, "EB"}, {1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
    static constexpr std::array<Scale, 7> kBinary{{{1152921504606846976.0, "EiB"},
                                                   {1125899906842624.0, "PiB"},
                                                   {1099511627776.0, "TiB"},
                                                   {1073741824.0, "GiB"},
                                                   {1048576.0, "MiB"},
                                                   {1024.0, "KiB"},
                                                   {1, "B"}}};
    return unit == ByteUnit::decimal ? kDecimal : kBinary;
}

constexpr double kHour = 3600;
constexpr double kDay = 86400;
constexpr double kYear = 365.25 * kDay;
constexpr std::array<Scale, 4> kShortTimes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}}};

// "1 h 16 min", "2 h"
std::string two_units(double seconds, double unit, const char* name, double small, const char* small_name)
{
    const std::int64_t all = std::llround(seconds / small);
    const std::int64_t per_unit = std::llround(unit / small);
    const std::string whole = fmt::format("{} {}", all / per_unit, name);
    return all % per_unit == 0 ? whole : fmt::format("{} {} {}", whole, all % per_unit, small_name);
}

} // namespace

std::string grouped(std::int64_t value)
{
    std::string digits = std::to_string(value < 0 ? -value : value);
    for (std::size_t at = digits.size(); at > 3; at -= 3)
    {
        digits.insert(at - 3, 1, ',');
    }
    return value < 0 ? "-" + digits : digits;
}

std::string three_digits(double value)
{
    if (!std::isfinite(value))
    {
        return "not a number";
    }
    const double size = std::abs(value);
    if (size == 0)
    {
        return "0";
    }
    if (size >= 1e6 || size < 1e-3)
    {
        return fmt::format("{:.2e}", value);
    }
    if (size >= 999.5)
    {
        return grouped(static_cast<std::int64_t>(std::llround(value)));
    }
    const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    return fmt::format("{:.{}f}", value, decimals);
}

std::string capitalized(std::string text)
{
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    return text;
}

std::string plain_number(double value)
{
    if (std::abs(value) >= 1e6 && std::abs(value) < 1e15)
    {
        return grouped(std::llround(value)); // limits are exact
    }
    std::string text = three_digits(value);
    if (text.find('.') != std::string::npos && text.find('e') == std::string::npos)
    {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
        {
            text.pop_back();
        }
    }
    return text;
}

std::string range_hint(std::int64_t least, std::int64_t most)
{
    const auto words = [](std::int64_t value)
    { return value > -10000 && value < 10000 ? std::to_string(value) : grouped(value); };
    return fmt::format("use {} to {}", words(least), words(most));
}

std::string counted(std::int64_t n, std::string_view thing)
{
    return fmt::format("{} {}{}", grouped(n), thing,
                       n == 1                                           ? ""
                       : thing.ends_with("ch") || thing.ends_with("ss") ? "es"
                                                                        : "s");
}

std::string format_bytes(Bytes bytes, ByteUnit unit)
{
    return scaled(bytes.value, byte_scales(unit));
}

ByteScale byte_scale(Bytes largest, ByteUnit unit)
{
    // From the largest unit down, the first in which the largest entry has at least this many gigabytes.
    static constexpr std::array<double, 6> kLeast{1e10, 1e7, 1e4, 0.1, 1e-4, 1e-7};
    const double gigabytes = largest.value > 0 ? in_gigabytes(largest, unit) : 1;
    const auto found = std::ranges::find_if(kLeast, [&](double least) { return gigabytes >= least; });
    const Scale& scale = byte_scales(unit).at(static_cast<std::size_t>(found - kLeast.begin()));
    return {scale.size, scale.name};
}

std::string format_gigabytes(Bytes bytes, ByteUnit unit)
{
    // Written out, so that a column can be compared at a glance: no powers of ten.
    const double gigabytes = in_gigabytes(bytes, unit);
    const double size = std::abs(gigabytes);
    if (size >= 1e6 && size < 1e15)
    {
        return grouped(std::llround(gigabytes));
    }
    if (size > 0 && size < 1e-3)
    {
        return size < 1e-6 ? "<0.000001" : fmt::format("{:.6f}", gigabytes);
    }
    return three_digits(gigabytes);
}

std::string format_count(double count)
{
    static constexpr std::array<Scale, 6> kScales{
        {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}};
    if (count > 0 && count < 1e-3)
    {
        return "<0.001";
    }
    return std::abs(count) < 999.5 ? three_digits(count) : scaled(count, kScales);
}

std::string format_seconds(Seconds seconds)
{
    const double s = seconds.value;
    if (s < 0)
    {
        return "-" + format_seconds(Seconds(-s));
    }
    if (s < 59.95 || !std::isfinite(s))
    {
        return s == 0 ? "0 s" : scaled(s, kShortTimes);
    }
    // Two neighbouring units, until the smaller one is below three digits of the whole.
    return s < kHour - 0.5        ? two_units(s, 60, "min", 1, "s")
           : s < 2 * kDay - 30    ? two_units(s, kHour, "h", 60, "min")
           : s < 10 * kDay - 1800 ? two_units(s, kDay, "d", kHour, "h")
           : s < 999.5 * kDay     ? three_digits(s / kDay) + " d"
                                  : format_count(s / kYear) + " years";
}

std::string tick_seconds(double seconds)
{
    static constexpr std::array<Scale, 3> kWhole{{{kDay, "d"}, {kHour, "h"}, {60, "min"}}};
    if (seconds < 60)
    {
        const auto scale = std::ranges::find_if(kShortTimes, [&](const Scale& each)
                                                { return seconds >= each.size * 0.9995; });
        const Scale& of = scale == kShortTimes.end() ? kShortTimes.back() : *scale;
        return seconds == 0 ? "0 s" : fmt::format("{} {}", plain_number(seconds / of.size), of.name);
    }
    if (seconds >= 1000 * kDay)
    {
        const double years = seconds / kYear;
        return (years < 1e6 ? plain_number(years) : format_count(years)) + " years";
    }
    for (const Scale& scale : kWhole)
    {
        const double of = seconds / scale.size;
        if (of >= 1 && std::abs(of - std::round(of)) < 1e-9 * of)
        {
            return fmt::format("{} {}", plain_number(of), scale.name);
        }
    }
    return seconds < 1e6 ? plain_number(seconds) + " s" : plain_number(seconds / kDay) + " d";
}

std::string format_dollars(double usd)
{
    std::string amount = format_count(usd);
    std::erase(amount, ' ');
    return usd < 0 ? "-" + format_dollars(-usd) : "$" + amount;
}

TimeUnit time_unit_of(Seconds longest)
{
    const double s = longest.value;
    return s >= 2 * kDay    ? TimeUnit{kDay, "d", "days"}
           : s >= 2 * kHour ? TimeUnit{kHour, "h", "hours"}
           : s >= 1         ? TimeUnit{1, "s", "seconds"}
           : s >= 1e-3      ? TimeUnit{1e-3, "ms", "milliseconds"}
                            : TimeUnit{1e-6, "\u00b5s", "microseconds"};
}

std::string format_percent(double fraction)
{
    const double percent = fraction * 100;
    if (percent > 0 && percent < 0.001)
    {
        return "<0.001%";
    }
    return three_digits(percent) + "%";
}

bool is_utf8(std::string_view text)
{
    const auto byte = [&](std::size_t i)
    { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    for (std::size_t at = 0; at < text.size();)
    {
        const std::uint32_t lead = byte(at);
        const std::size_t length = lead < 0x80   ? 1
                                   : lead < 0xC2 ? 0
                                   : lead < 0xE0 ? 2
                                   : lead < 0xF0 ? 3
                                   : lead < 0xF5 ? 4
                                                 : 0;
        if (length == 0 || length > text.size() - at)
        {
            return false;
        }
        std::uint32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
        for (std::size_t i = 1; i < length; ++i)
        {
            if ((byte(at + i) & 0xC0U) != 0x80U)
            {
                return false;
            }
            code = code << 6U | (byte(at + i) & 0x3FU);
        }
        const bool surrogate = code >= 0xD800 && code < 0xE000;
        if (surrogate || code > 0x10FFFF || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000))
        {
            return false;
        }
        at += length;
    }
    return true;
}

// In one pass: texts of strangers may be long.
void replace_all(std::string& text, std::string_view from, std::string_view to)
{
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, done))
    {
        out.append(text, done, at - done).append(to);
        done = at + from.size();
    }
    text = out.append(text, done);
}

std::string small_letters(std::string_view text)
{
    std::string small(text);
    std::ranges::transform(small, small.begin(),
                           [](char c)
                           { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return small;
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongest =
        64; // nobody means a name by a longer word, and the distance costs its length
    if (word.size() > kLongest)
    {
        return {};
    }
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
    for (const std::string& candidate : candidates)
    {
        // Who types the start of a name means it, however much is left out.
        const bool begun = word.size() > 1 && candidate.starts_with(word);
        const std::size_t distance = begun ? 0 : edit_distance(word, candidate);
        if (distance < best_distance)
        {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string otherwise)
{
    const std::string near = nearest_word(word, candidates);
    return near.empty() ? otherwise : fmt::format("did you mean \"{}\"?", near);
}

} // namespace ringside
