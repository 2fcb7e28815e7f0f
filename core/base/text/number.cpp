#include "core/base/text/number.h"

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ringside
{

namespace
{

bool has_digit(std::string_view text, std::size_t at)
{
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

std::string_view digits_at(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (has_digit(text, end))
    {
        ++end;
    }
    return text.substr(std::min(at, text.size()), end - at);
}

// The sign that groups digits, if one is next.
std::string_view separator_at(std::string_view text, std::size_t at)
{
    constexpr std::array<std::string_view, 9> kAll{",",      "_",      "'",      ".",     " ",
                                                   "\u2009", "\u202f", "\u00a0", "\u2019"};
    const std::string_view rest = text.substr(std::min(at, text.size()));
    const auto found = std::ranges::find_if(kAll, [&](std::string_view s) { return rest.starts_with(s); });
    return found == kAll.end() ? std::string_view{} : *found;
}

// By threes, or by twos before the last three as in India: 1,00,000.
bool are_groups(const std::vector<std::string_view>& groups, std::string_view separator)
{
    const std::size_t n = groups.size();
    if (n < 2 || groups[0].empty() || groups[0].size() > 3 || groups[0][0] == '0' ||
        groups[n - 1].size() != 3 || (separator == "." && n < 3))
    {
        return false;
    }
    const auto middle = [&](std::size_t size)
    {
        return std::all_of(groups.begin() + 1, groups.end() - 1,
                           [size](std::string_view g) { return g.size() == size; });
    };
    return middle(3) || (separator == "," && groups[0].size() < 3 && middle(2));
}

// The whole part with its groups: its digits, and where it ends.
std::pair<std::string, std::size_t> whole_part(std::string_view text, std::string_view& separator)
{
    std::vector<std::string_view> groups{digits_at(text, 0)};
    std::size_t at = groups[0].size();
    separator = separator_at(text, at);
    const std::string_view first = separator;
    for (std::size_t next = at; !first.empty() && text.substr(next).starts_with(first);)
    {
        const std::string_view digits = digits_at(text, next + first.size());
        if (digits.size() != 3 && (first != "," || digits.size() != 2))
        {
            break;
        }
        groups.push_back(digits);
        next += first.size() + digits.size();
        // "21.728,0" has a decimal comma behind its groups.
        const bool closed = first == "." && groups.size() == 2 && groups[0].size() < 4 && groups[0] != "0" &&
                            next < text.size() && text[next] == ',' && has_digit(text, next + 1);
        if (are_groups(groups, first) || closed)
        {
            at = next;
        }
    }
    std::string all;
    for (std::size_t i = 0; i < at; ++i)
    {
        all += has_digit(text, i) ? std::string(1, text[i]) : "";
    }
    separator = at > groups[0].size() ? separator : std::string_view{};
    return {all, at};
}

// "e12", also behind a space; "16 exaflop" and "2 e4m3" have none.
std::size_t exponent_at(std::string_view text, std::size_t at, std::string& digits)
{
    std::size_t next = at;
    while (next < text.size() && text[next] == ' ')
    {
        ++next;
    }
    const bool apart = next > at;
    if (next >= text.size() || (text[next] != 'e' && text[next] != 'E'))
    {
        return at;
    }
    ++next;
    const bool minus = next < text.size() && text[next] == '-';
    next += minus || (next < text.size() && text[next] == '+') ? 1U : 0U;
    const std::string_view power = digits_at(text, next);
    next += power.size();
    const bool word =
        apart && next < text.size() && std::isalpha(static_cast<unsigned char>(text[next])) != 0;
    if (power.empty() || word)
    {
        return at;
    }
    digits += minus ? "e-" : "e";
    digits += power;
    return next;
}

} // namespace

std::optional<WrittenNumber> number_at_start(std::string_view text)
{
    std::string_view separator;
    auto [digits, at] = whole_part(text, separator);
    const bool point = at < text.size() && text[at] == '.' && separator != ".";
    const bool comma = at < text.size() && text[at] == ',' && separator != "," && !digits.empty();
    const std::string_view fraction = point || comma ? digits_at(text, at + 1) : std::string_view{};
    // "3, 5" are two numbers.
    if (!fraction.empty())
    {
        digits += (digits.empty() ? "0." : ".") + std::string(fraction);
        at += 1 + fraction.size();
    }
    if (digits.empty())
    {
        return std::nullopt;
    }
    const std::size_t end = exponent_at(text, at, digits);
    WrittenNumber number{0, end, end > at};
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
    if (error == std::errc::result_out_of_range)
    {
        number.value = digits.find("e-") == std::string::npos ? std::numeric_limits<double>::infinity() : 0;
    }
    return last == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

std::optional<double> parse_number(std::string_view text)
{
    const auto skip = [&text]
    {
        while (!text.empty() && text.front() == ' ')
        {
            text.remove_prefix(1);
        }
    };
    skip();
    const double sign = text.starts_with('-') ? -1 : 1;
    text.remove_prefix(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    const auto number = number_at_start(text);
    if (!number)
    {
        return std::nullopt;
    }
    text.remove_prefix(number->length);
    skip();
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    static constexpr std::array<std::pair<std::string_view, double>, 11> kSuffixes{{{"", 1},
                                                                                    {"k", 1e3},
                                                                                    {"K", 1e3},
                                                                                    {"M", 1e6},
                                                                                    {"m", 1e6},
                                                                                    {"B", 1e9},
                                                                                    {"b", 1e9},
                                                                                    {"G", 1e9},
                                                                                    {"T", 1e12},
                                                                                    {"P", 1e15},
                                                                                    {"E", 1e18}}};
    const auto scale = std::ranges::find_if(kSuffixes, [&](const auto& s) { return s.first == text; });
    if (scale == kSuffixes.end() || !std::isfinite(number->value * scale->second))
    {
        return std::nullopt;
    }
    return sign * number->value * scale->second;
}

} // namespace ringside
