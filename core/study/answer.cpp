#include "core/study/answer.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/study/answer_unit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace ringside
{

namespace
{

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void replace_all(std::string& text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    {
        text.replace(at, from.size(), to);
    }
}

// Signs that mean the same are made one; what says nothing about the number is dropped.
std::string tidied(std::string_view typed)
{
    std::string text(typed);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kSame{{{"\u2009", " "},
                                                                                   {"\u202f", " "},
                                                                                   {"\u00a0", " "},
                                                                                   {"\t", " "},
                                                                                   {"\u00d7", "x"},
                                                                                   {"\u2212", "-"},
                                                                                   {"\u00b5", "u"},
                                                                                   {"\u03bc", "u"},
                                                                                   {"\u00b7", "x"},
                                                                                   {"\u2248", ""},
                                                                                   {"~", ""},
                                                                                   {"about ", ""},
                                                                                   {"approx. ", ""},
                                                                                   {"ca. ", ""},
                                                                                   {"=", ""},
                                                                                   {"$", " usd "},
                                                                                   {"\u20ac", " eur "},
                                                                                   {"**", "^"}}};
    for (const auto& [from, to] : kSame)
    {
        replace_all(text, from, to);
    }
    const auto first = text.find_first_not_of(' ');
    const auto last = text.find_last_not_of(' ');
    text = first == std::string::npos ? "" : text.substr(first, last - first + 1);
    // "$1.2M" says its unit first.
    if (text.starts_with("usd "))
    {
        text = text.substr(text.find_first_not_of(' ', 3)) + " usd";
    }
    return text;
}

// Reads from the left; each part moves on.
class Scanner
{
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    bool at_end()
    {
        skip_spaces();
        return text_.empty();
    }

    // A product or quotient of numbers: "1.12 x 10^12", "2/9".
    std::optional<double> value()
    {
        auto result = power();
        while (result)
        {
            const auto sign = operation();
            if (!sign)
            {
                return result;
            }
            const auto next = power();
            if (!next)
            {
                return std::nullopt;
            }
            result = *sign == '/' ? *result / *next : *result * *next;
        }
        return std::nullopt;
    }

    // Up to the next digit: the unit.
    std::string_view words()
    {
        skip_spaces();
        const auto digit = std::find_if(text_.begin(), text_.end(), is_digit);
        auto length = static_cast<std::size_t>(digit - text_.begin());
        const std::string_view found = text_.substr(0, length);
        text_.remove_prefix(length);
        return found;
    }

private:
    void skip_spaces()
    {
        while (!text_.empty() && text_.front() == ' ')
        {
            text_.remove_prefix(1);
        }
    }

    // A sign between two numbers; "GB/s" has none, and "2x" ends.
    std::optional<char> operation()
    {
        std::string_view rest = text_;
        while (!rest.empty() && rest.front() == ' ')
        {
            rest.remove_prefix(1);
        }
        if (rest.empty() || (rest.front() != 'x' && rest.front() != '*' && rest.front() != '/'))
        {
            return std::nullopt;
        }
        const char sign = rest.front();
        rest.remove_prefix(1);
        while (!rest.empty() && rest.front() == ' ')
        {
            rest.remove_prefix(1);
        }
        if (rest.empty() || !is_digit(rest.front()))
        {
            return std::nullopt;
        }
        text_ = rest;
        return sign;
    }

    std::optional<double> power()
    {
        const auto base = number();
        if (!base || text_.empty() || text_.front() != '^')
        {
            return base;
        }
        text_.remove_prefix(1);
        const auto exponent = number();
        return exponent ? std::optional<double>(std::pow(*base, *exponent)) : std::nullopt;
    }

    // Whether a separator of thousands is next: exactly three digits behind it.
    bool groups_here(std::size_t at) const
    {
        const auto digit = [&](std::size_t i) { return i < text_.size() && is_digit(text_[i]); };
        return digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4);
    }

    std::optional<double> number()
    {
        skip_spaces();
        std::string digits;
        std::size_t at = 0;
        if (at < text_.size() && (text_[at] == '-' || text_[at] == '+'))
        {
            digits += text_[at] == '-' ? "-" : "";
            ++at;
        }
        bool fraction = false;
        for (; at < text_.size(); ++at)
        {
            const char c = text_[at];
            const bool separates = (c == ',' || c == ' ' || c == '_' || c == '\'') && !fraction &&
                                   groups_here(at) && !digits.empty() && digits != "-" && digits != "0";
            if (is_digit(c))
            {
                digits += c;
            }
            else if ((c == '.' || (c == ',' && !separates)) && !fraction && at + 1 < text_.size() &&
                     is_digit(text_[at + 1]))
            {
                digits += '.';
                fraction = true;
            }
            else if (!separates)
            {
                break;
            }
        }
        at = take_exponent(at, digits);
        double value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || digits.size() > 60)
        {
            return std::nullopt;
        }
        text_.remove_prefix(at);
        return value;
    }

    // "e12" of 1.12e12; "16 exaflop" has none.
    std::size_t take_exponent(std::size_t at, std::string& digits) const
    {
        if (at + 1 >= text_.size() || (text_[at] != 'e' && text_[at] != 'E'))
        {
            return at;
        }
        std::size_t next = at + 1;
        next += text_[next] == '-' || text_[next] == '+' ? 1U : 0U;
        if (next >= text_.size() || !is_digit(text_[next]))
        {
            return at;
        }
        digits += text_[at + 1] == '-' ? "e-" : "e";
        while (next < text_.size() && is_digit(text_[next]))
        {
            digits += text_[next++];
        }
        return next;
    }

    std::string_view text_;
};

// "1.10e12"; figures that need no exponent have none.
std::string scientific(double value)
{
    const double size = std::abs(value);
    if (size == 0 || (size >= 1e-3 && size < 1e6))
    {
        return fmt::format("{:.6g}", value);
    }
    const double tens = std::floor(std::log10(size) + 1e-12);
    return fmt::format("{:.2f}e{}", value / std::pow(10, tens), static_cast<int>(tens));
}

std::string base_name(const StudyUnit& asked)
{
    return asked.dimension == Dimension::money   ? "USD"
           : asked.dimension == Dimension::share ? ""
                                                 : std::string(asked.name);
}

std::string echo(double number, const TypedUnit& unit, double value, const StudyUnit& asked)
{
    const std::string typed = unit.name.empty() ? scientific(number)
                              : unit.percent    ? scientific(number) + "%"
                                                : fmt::format("{} {}", scientific(number), unit.name);
    const std::string name = base_name(asked);
    const std::string base = name.empty() ? scientific(value) : fmt::format("{} {}", scientific(value), name);
    return typed == base || (unit.name.empty() && number == value) ? base
                                                                   : fmt::format("{} = {}", typed, base);
}

Issue unreadable(std::string_view text, const char* hint)
{
    return {"", fmt::format("\u201c{}\u201d is not a number that can be read", text.substr(0, 40)), hint};
}

} // namespace

Result<AnswerReading> read_answer(std::string_view typed, const StudyUnit& asked)
{
    if (typed.size() > kLongestAnswer)
    {
        return Issue{"", fmt::format("{} characters are no number", typed.size()),
                     "type a number with its unit"};
    }
    const std::string text = tidied(typed);
    if (text.empty())
    {
        return Issue{"", "nothing was typed", "type a number with its unit"};
    }
    Scanner scanner(text);
    AnswerReading reading;
    int parts = 0;
    while (!scanner.at_end())
    {
        const auto number = scanner.value();
        if (!number || !std::isfinite(*number))
        {
            return unreadable(typed, "start with a number: 1.12 TB, 1,120 GB, 1.12e12, 2/9, 22%, 3h 20min");
        }
        const auto unit = read_unit(scanner.words(), asked);
        if (!unit)
        {
            return unit.issues();
        }
        double value = *number * unit->scale;
        // A share of more than all is meant in percent.
        const bool in_percent = asked.dimension == Dimension::share && unit->plain && value > 1;
        value /= in_percent ? 100 : 1;
        reading.value += value;
        reading.has_unit = !unit->plain || in_percent || !unit->name.empty();
        reading.read_as = in_percent ? fmt::format("{}% = {}", scientific(*number), scientific(value))
                                     : echo(*number, *unit, value, asked);
        ++parts;
    }
    // Several parts belong together only as hours and minutes do.
    if (parts > 1 && asked.dimension != Dimension::time)
    {
        return unreadable(typed, "type one number with its unit");
    }
    if (parts > 1)
    {
        reading.read_as = fmt::format("{} = {} s", text, scientific(reading.value));
    }
    return std::isfinite(reading.value) ? Result<AnswerReading>(reading)
                                        : Result<AnswerReading>(unreadable(typed, "type a finite number"));
}

} // namespace ringside
