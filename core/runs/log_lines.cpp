// Lines of logs as they are compared with the table, and numbers in them.
#include "core/base/text/text.h"
#include "core/runs/log.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Without the sequences that colour a terminal: ESC [ ... letter, and what is left of them where a log lost
// ESC.
std::string without_colours(std::string_view raw)
{
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i)
    {
        if (raw[i] != '\x1b')
        {
            text += raw[i];
            continue;
        }
        const std::size_t end = raw.find_first_not_of("[0123456789;?", i + 1);
        i = std::min(end, raw.size());
    }
    return text;
}

// "1: ", "[rank0]:", "[1,0]<stdout>:" and "(pretraining, pid=4112) ", which launchers write before each line.
std::string_view without_rank(std::string_view text)
{
    const auto cut = [&](std::size_t count)
    {
        text.remove_prefix(std::min(count, text.size()));
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    };
    cut(0);
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits > 0 && digits != std::string_view::npos && digits < 7 && text.substr(digits).starts_with(": "))
    {
        cut(digits + 1);
    }
    if (const auto end = text.find("]:"); text.starts_with("[rank") && end != std::string_view::npos)
    {
        cut(end + 2);
    }
    for (const std::string_view stream : {"]<stdout>:", "]<stderr>:"})
    {
        if (const auto end = text.find(stream); text.starts_with("[") && end < 16)
        {
            cut(end + stream.size());
        }
    }
    if (const auto end = text.find(')');
        text.starts_with("(") && text.substr(0, end).find("pid=") != std::string_view::npos)
    {
        cut(end + 1);
    }
    return text;
}

std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day)
{
    // Days of the civil calendar (Howard Hinnant, days_from_civil).
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = year / 400;
    const std::int64_t of_era = year - era * 400;
    const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
}

// "2025-06-04 08:51:58,557", "2025-11-10T09:43:36.161992", "20251202 09:12:08": seconds.
std::optional<double> stamp_at(std::string_view text)
{
    std::array<std::int64_t, 6> parts{};
    constexpr std::array<std::size_t, 6> kWidths{4, 2, 2, 2, 2, 2};
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        if (i > 0 && at < text.size() && std::string_view("-/ T:").find(text[at]) != std::string_view::npos)
        {
            ++at;
        }
        else if (i > 2)
        {
            return std::nullopt;
        }
        for (std::size_t k = 0; k < kWidths[i]; ++k, ++at)
        {
            if (at >= text.size() || !is_digit(text[at]))
            {
                return std::nullopt;
            }
            parts[i] = parts[i] * 10 + (text[at] - '0');
        }
    }
    double fraction = 0;
    double unit = 0.1;
    for (std::size_t k = at + 1;
         at < text.size() && (text[at] == ',' || text[at] == '.') && k < text.size() && is_digit(text[k]);
         ++k)
    {
        fraction += unit * (text[k] - '0');
        unit /= 10;
    }
    const bool real = parts[1] >= 1 && parts[1] <= 12 && parts[2] >= 1 && parts[2] <= 31 && parts[3] < 24;
    const std::int64_t seconds =
        days_of(parts[0], parts[1], parts[2]) * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5];
    return real ? std::optional(static_cast<double>(seconds) + fraction) : std::nullopt;
}

std::optional<double> stamp_of(std::string_view text)
{
    for (std::size_t i = 0; i < std::min<std::size_t>(text.size(), 100); ++i)
    {
        if ((text[i] == '1' || text[i] == '2') && (i == 0 || !is_digit(text[i - 1])))
        {
            if (const auto stamp = stamp_at(text.substr(i)))
            {
                return stamp;
            }
        }
    }
    return std::nullopt;
}

// "6,785", "1.825991e+00", "1.02k", "nan"; commas only before three digits.
std::optional<double> number_of(std::string_view text)
{
    if (text.starts_with("nan") || text.starts_with("inf") || text.starts_with("-inf"))
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    std::string digits;
    std::size_t at = 0;
    for (; at < text.size() && digits.size() < 40; ++at)
    {
        const char c = text[at];
        const bool exponent = c == 'e' && !digits.empty() && at + 1 < text.size() &&
                              (is_digit(text[at + 1]) || ((text[at + 1] == '-' || text[at + 1] == '+') &&
                                                          at + 2 < text.size() && is_digit(text[at + 2])));
        const bool sign = (c == '-' || c == '+') && (at == 0 || text[at - 1] == 'e');
        const bool group = c == ',' && at > 0 && is_digit(text[at - 1]) && at + 3 < text.size() &&
                           is_digit(text[at + 1]) && is_digit(text[at + 2]) && is_digit(text[at + 3]) &&
                           (at + 4 >= text.size() || !is_digit(text[at + 4]));
        if (!is_digit(c) && c != '.' && !exponent && !sign && !group)
        {
            break;
        }
        digits += group || c == '+' ? "" : std::string(1, c);
    }
    double value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || !std::isfinite(value))
    {
        return std::nullopt;
    }
    constexpr std::string_view kUnits = "kmgtb";
    constexpr std::array kFactors{1e3, 1e6, 1e9, 1e12, 1e9};
    const std::size_t unit = at < text.size() ? kUnits.find(text[at]) : std::string_view::npos;
    const bool alone = at + 1 >= text.size() || !is_word(text[at + 1]);
    return unit != std::string_view::npos && alone && text[at] != 'b' ? value * kFactors[unit] : value;
}

std::optional<double> number_before(std::string_view small, std::size_t end)
{
    std::size_t from = end;
    while (from > 0 && small[from - 1] == ' ')
    {
        --from;
    }
    const std::size_t last = from;
    while (from > 0 && (is_digit(small[from - 1]) || small[from - 1] == '.' || small[from - 1] == ','))
    {
        --from;
    }
    return from < last ? number_of(small.substr(from, last - from)) : std::nullopt;
}

std::optional<double> number_after(std::string_view small, std::size_t at)
{
    const std::size_t from = small.find_first_not_of(" :=\"'", at);
    const bool near = from != std::string_view::npos && from - at < 40 && from > at;
    return near ? number_of(small.substr(from)) : std::nullopt;
}

} // namespace

LogLine log_line(std::string_view raw, std::int64_t number)
{
    LogLine line;
    const std::string plain = without_colours(raw.substr(0, 65536));
    line.text = without_rank(plain);
    line.small = small_letters(line.text);
    for (char& c : line.small)
    {
        c = c == '_' || c == '\t' ? ' ' : c;
    }
    line.stamp = stamp_of(line.text);
    line.number = number;
    return line;
}

std::optional<double> log_number(std::string_view small, const LogField& field)
{
    for (std::size_t at = small.find(field.key); at != std::string_view::npos;
         at = small.find(field.key, at + 1))
    {
        const bool alone = field.before || at == 0 || !is_word(small[at - 1]);
        const auto found = !alone         ? std::nullopt
                           : field.before ? number_before(small, at)
                                          : number_after(small, at + field.key.size());
        if (found)
        {
            return *found * field.scale;
        }
    }
    return std::nullopt;
}

} // namespace ringside
