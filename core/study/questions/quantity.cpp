#include "core/study/questions/quantity.h"

#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array kStudyUnits{
    StudyUnit{"", Dimension::count, ""},
    StudyUnit{"B", Dimension::data, ""},
    StudyUnit{"bit", Dimension::data, "", 0.125},
    StudyUnit{"s", Dimension::time, ""},
    StudyUnit{"B/s", Dimension::data_rate, ""},
    StudyUnit{"bit/s", Dimension::data_rate, "", 0.125},
    StudyUnit{"FLOP", Dimension::work, ""},
    StudyUnit{"FLOP/s", Dimension::work_rate, ""},
    StudyUnit{"parameters", Dimension::count, "parameters"},
    StudyUnit{"tokens", Dimension::count, "tokens"},
    StudyUnit{"tokens/s", Dimension::other, "tokens/s"},
    StudyUnit{"GPUs", Dimension::count, "GPUs"},
    StudyUnit{"usd", Dimension::money, ""},
    StudyUnit{"%", Dimension::share, ""},
    StudyUnit{"x", Dimension::ratio, ""},
    StudyUnit{"B/parameter", Dimension::other, "B/parameter"},
    StudyUnit{"FLOP/token", Dimension::other, "FLOP/token"},
    StudyUnit{"FLOP/B", Dimension::other, "FLOP/B"},
    StudyUnit{"tokens/parameter", Dimension::other, "tokens/parameter"},
};

struct Prefix
{
    double size;
    std::string_view name;
};

constexpr std::array kDecimal{Prefix{1e18, "E"}, Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                              Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1, ""}};
constexpr std::array kCount{Prefix{1e12, "T"}, Prefix{1e9, "B"}, Prefix{1e6, "M"}, Prefix{1, ""}};
constexpr std::array kBinary{Prefix{1099511627776.0, "Ti"}, Prefix{1073741824.0, "Gi"},
                             Prefix{1048576.0, "Mi"}, Prefix{1024.0, "Ki"}};
constexpr std::array kTime{Prefix{86400, "d"}, Prefix{1, "s"}, Prefix{1e-3, "ms"}, Prefix{1e-6, "\u00b5s"},
                           Prefix{1e-9, "ns"}};

// "70", "1.3", "989.4": up to six digits, no zeros behind, no exponent.
std::string exact(double value)
{
    std::string text = fmt::format("{:.6g}", value);
    return text.find('e') == std::string::npos ? text : fmt::format("{:.0f}", value);
}

// Three significant digits, below 1 too: three_digits() stops at the third decimal, which is right on screen
// and too coarse for what is typed back.
std::string significant(double value)
{
    const double size = std::abs(value);
    if (size == 0 || size >= 0.1 || !std::isfinite(value))
    {
        return three_digits(value);
    }
    const double tens = std::floor(std::log10(size) + 1e-12);
    return size >= 1e-4 ? fmt::format("{:.{}f}", value, 2 - static_cast<int>(tens))
                        : fmt::format("{:.3g}e{}", value / std::pow(10, tens), static_cast<int>(tens));
}

// Whole numbers with thin spaces from five digits on; 8192 stays together.
std::string exact_count(double value)
{
    if (value == std::round(value) && std::abs(value) < 9e15)
    {
        const auto whole = static_cast<std::int64_t>(value);
        return std::abs(value) < 10000 ? std::to_string(whole) : grouped(whole);
    }
    return std::abs(value) < 1e-4 ? fmt::format("{:.4g}", value) : exact(value);
}

// The largest prefix that leaves at least 1; 1979e12 stays 1979 T, since 1.979 P reads worse.
template <std::size_t N>
Prefix prefix_of(double value, const std::array<Prefix, N>& prefixes, bool exactly)
{
    const double size = std::abs(value);
    for (std::size_t i = 0; i < N; ++i)
    {
        const double scaled = size / prefixes[i].size;
        const bool next_is_whole =
            exactly && i + 1 < N && scaled < 10 && scaled != std::round(scaled) && exact(scaled).size() > 4;
        if (scaled >= (exactly ? 1.0 : 0.9995) && !next_is_whole)
        {
            return prefixes[i];
        }
    }
    return prefixes.back();
}

std::string joined(const std::string& number, std::string_view unit)
{
    return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

// "1 GPU", not "1 GPUs".
std::string counted_words(const std::string& number, std::string_view plural)
{
    const bool one = number == "1" && plural.ends_with('s') && plural.find('/') == std::string_view::npos;
    return joined(number, plural.substr(0, plural.size() - (one ? 1 : 0)));
}

using Digits = std::string (*)(double);

// Bytes that are whole in KiB and their kin, and not in kB, are meant so.
const Prefix* binary_prefix(double value)
{
    for (const Prefix& p : kBinary)
    {
        const double scaled = value / p.size;
        if (scaled >= 1 && scaled == std::round(scaled * 4) / 4 &&
            exact(value / prefix_of(value, kDecimal, true).size).size() > 5)
        {
            return &p;
        }
    }
    return nullptr;
}

std::string time_text(double value, Digits digits, bool exactly)
{
    if (value == 0)
    {
        return "0 s";
    }
    if (exactly && value >= 60 && value < 86400)
    {
        const double hours = value / 3600;
        const double minutes = value / 60;
        if (hours >= 1 && hours == std::round(hours * 4) / 4)
        {
            return fmt::format("{} h", exact(hours));
        }
        return minutes == std::round(minutes * 4) / 4 ? fmt::format("{} min", exact(minutes))
                                                      : fmt::format("{} s", exact(value));
    }
    constexpr double kMost = 3e16; // "1.2 B years" would read as bytes
    if (!exactly && value >= 60 && value < kMost)
    {
        return format_seconds(Seconds(value));
    }
    const Prefix p = prefix_of(value, kTime, false);
    return joined(digits(value / p.size), p.name);
}

std::string scaled_text(double value, const StudyUnit& unit, std::string_view name, Digits digits,
                        bool exactly)
{
    if (exactly && unit.dimension == Dimension::data && unit.base == 1)
    {
        if (const Prefix* binary = binary_prefix(value))
        {
            return fmt::format("{} {}{}", exact(value / binary->size), binary->name, name);
        }
    }
    const Prefix p = prefix_of(value, kDecimal, exactly);
    // "16 B", not "16.0 B": nobody has a part of a byte.
    const bool whole = p.size == 1 && value == std::round(value);
    return fmt::format("{} {}{}", whole ? exact(value) : digits(value / p.size), p.name, name);
}

// "3.68e24"
std::string power_text(double value, bool exactly)
{
    const double tens = std::floor(std::log10(std::abs(value)) + 1e-12);
    return exactly ? working_figure(value)
                   : fmt::format("{:.2f}e{}", value / std::pow(10, tens), static_cast<int>(tens));
}

std::string count_text(double value, std::string_view word, bool exactly)
{
    const bool whole = value == std::round(value);
    if (std::abs(value) < 1e6 && (whole || exactly))
    {
        return counted_words(exact_count(value), word);
    }
    if (std::abs(value) < 1e6)
    {
        return joined(significant(value), word);
    }
    if (std::abs(value) >= 1e15)
    {
        return joined(power_text(value, exactly), word);
    }
    const Prefix p = prefix_of(value, kCount, exactly);
    const std::string number = exactly ? exact(value / p.size) : three_digits(value / p.size);
    return joined(fmt::format("{} {}", number, p.name), word);
}

std::string text_of(double value, const StudyUnit& unit, Digits digits, bool exactly)
{
    switch (unit.dimension)
    {
    case Dimension::data:
    case Dimension::data_rate:
    {
        const std::string_view rate = unit.dimension == Dimension::data_rate ? "/s" : "";
        return scaled_text(value, unit, fmt::format("{}{}", unit.base == 1 ? "B" : "bit", rate), digits,
                           exactly);
    }
    case Dimension::time:
        return time_text(value, digits, exactly);
    case Dimension::work:
        return std::abs(value) >= 1e19 ? joined(power_text(value, exactly), "FLOP")
                                       : scaled_text(value, unit, "FLOP", digits, exactly);
    case Dimension::work_rate:
        return scaled_text(value, unit, "FLOP/s", digits, exactly);
    case Dimension::money:
        return std::abs(value) >= 1e15 ? fmt::format("${}", count_text(value, "", exactly))
               : std::abs(value) >= (exactly ? 1e6 : 1000)
                   ? format_dollars(value)
                   : fmt::format("${}", value == std::round(value) ? exact_count(value)
                                        : std::abs(value) < 1      ? significant(value)
                                                                   : fmt::format("{:.2f}", value));
    case Dimension::share:
        return digits(value * 100) + "%";
    case Dimension::ratio:
        return digits(value) + "x";
    case Dimension::other:
        if (unit.name.starts_with("FLOP") || (unit.name.starts_with("B/") && std::abs(value) >= 1e6))
        {
            return scaled_text(value, unit, unit.name, digits, exactly);
        }
        break;
    case Dimension::count:
        break;
    }
    return count_text(value, unit.word, exactly);
}

} // namespace

std::span<const StudyUnit> study_units()
{
    return kStudyUnits;
}

const StudyUnit* find_study_unit(std::string_view name)
{
    return find_by(kStudyUnits, name, &StudyUnit::name);
}

std::string given_text(double value, const StudyUnit& unit)
{
    return text_of(value, unit, exact, true);
}

std::string result_text(double value, const StudyUnit& unit)
{
    return text_of(value, unit, significant, false);
}

std::string working_figure(double value)
{
    if (value == 0 || !std::isfinite(value))
    {
        return value == 0 ? "0" : "not a number";
    }
    const double size = std::abs(value);
    if (size < 1e6 && size >= 1e-3)
    {
        return fmt::format("{:.6g}", value);
    }
    // Powers of a thousand, so that 70e9 is recognised as 70 billion; one more digit than a result has.
    const double tens = std::floor(std::log10(size) + 1e-12);
    const auto power = static_cast<int>(size >= 1e6 && size < 1e15 ? 3 * std::floor(tens / 3) : tens);
    return fmt::format("{:.4g}e{}", value / std::pow(10, power), power);
}

} // namespace ringside
