// What is wrong with an answer that could be read.
#include <fmt/format.h>

#include "core/study/grading/answer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

bool near(double value, double wanted, double tolerance)
{
    return std::abs(value - wanted) <= tolerance * std::abs(wanted) * (1 + 1e-9);
}

bool is_right(double value, const AnswerKey& key)
{
    return key.value == 0 ? std::abs(value) < 1e-12
                          : near(value, key.value, key.tolerance == 0 ? 1e-9 : key.tolerance);
}

// The known mistake next to the answer, as near as a printed one would be.
const KnownMistake* recognised(double value, const AnswerKey& key)
{
    const double tolerance = std::clamp(key.tolerance, 0.006, 0.03);
    const KnownMistake* best = nullptr;
    double nearest = 0;
    for (const KnownMistake& m : key.mistakes)
    {
        const double distance =
            m.value == 0 ? std::abs(value) : std::abs(value - m.value) / std::abs(m.value);
        if (distance <= tolerance && (!best || distance < nearest))
        {
            best = &m;
            nearest = distance;
        }
    }
    return best;
}

struct Slip
{
    std::string_view id;
    double factor; // of the key
    std::string_view says;
};

constexpr std::string_view kBits = "Off by a factor of 8: bits on one side, bytes on the other.";
constexpr std::string_view kGib = "That is the right amount with GiB and GB mixed up: 1 GiB is 1.074 GB.";
constexpr std::string_view kTib = "That is the right amount with TiB and TB mixed up: 1 TiB is 1.100 TB.";
constexpr std::string_view kMib = "That is the right amount with MiB and MB mixed up: 1 MiB is 1.049 MB.";
constexpr std::string_view kPower = "The digits are right, the power of ten is not.";
constexpr std::string_view kTime = "The digits are right for another unit of time.";

constexpr std::array kDataSlips{
    Slip{"bits-as-bytes", 8, kBits},         Slip{"bits-as-bytes", 0.125, kBits},
    Slip{"binary-gb", 1.073741824, kGib},    Slip{"binary-gb", 1 / 1.073741824, kGib},
    Slip{"binary-gb", 1.099511627776, kTib}, Slip{"binary-gb", 1 / 1.099511627776, kTib},
    Slip{"binary-gb", 1.048576, kMib},       Slip{"binary-gb", 1 / 1.048576, kMib}};
constexpr std::array kTimeSlips{Slip{"time-unit", 60, kTime},    Slip{"time-unit", 1.0 / 60, kTime},
                                Slip{"time-unit", 3600, kTime},  Slip{"time-unit", 1.0 / 3600, kTime},
                                Slip{"time-unit", 86400, kTime}, Slip{"time-unit", 1.0 / 86400, kTime},
                                Slip{"time-unit", 24, kTime},    Slip{"time-unit", 1.0 / 24, kTime}};
constexpr std::array kShareSlips{
    Slip{"percent-as-fraction", 100, "The digits are right: percent and fraction are mixed up."},
    Slip{"percent-as-fraction", 0.01, "The digits are right: percent and fraction are mixed up."}};
constexpr std::array kPowerSlips{Slip{"power-of-ten", 1e3, kPower},  Slip{"power-of-ten", 1e-3, kPower},
                                 Slip{"power-of-ten", 1e6, kPower},  Slip{"power-of-ten", 1e-6, kPower},
                                 Slip{"power-of-ten", 1e9, kPower},  Slip{"power-of-ten", 1e-9, kPower},
                                 Slip{"power-of-ten", 1e12, kPower}, Slip{"power-of-ten", 1e-12, kPower},
                                 Slip{"power-of-ten", 10, kPower},   Slip{"power-of-ten", 0.1, kPower}};
bool has_prefixes(Dimension dimension)
{
    return dimension == Dimension::data || dimension == Dimension::data_rate ||
           dimension == Dimension::time || dimension == Dimension::work || dimension == Dimension::work_rate;
}

// The slips of a unit, those of its kind first.
const Slip* unit_slip(double value, const AnswerKey& key)
{
    const Dimension d = key.unit.dimension;
    const double tolerance = std::clamp(key.tolerance, 0.006, 0.02);
    const auto find = [&](std::span<const Slip> slips, double allowed)
    {
        const auto found =
            std::find_if(slips.begin(), slips.end(),
                         [&](const Slip& s) { return near(value, key.value * s.factor, allowed); });
        return found == slips.end() ? nullptr : &*found;
    };
    const Slip* found = nullptr;
    if (d == Dimension::data || d == Dimension::data_rate)
    {
        found = find(kDataSlips, 0.006);
    }
    if (!found && d == Dimension::time)
    {
        found = find(kTimeSlips, 0.006);
    }
    if (!found && (d == Dimension::share || d == Dimension::ratio))
    {
        found = find(kShareSlips, tolerance);
    }
    return found ? found : find(kPowerSlips, tolerance);
}

// How far off, in words that leave the work to be done.
std::string distance_text(double value, double wanted)
{
    if (wanted == 0 || value == 0 || (value < 0) != (wanted < 0))
    {
        return wanted == 0 ? "Not yet: too far from what it is."
                           : "Not yet: think about the sign, or whether it can be 0.";
    }
    const double ratio = value / wanted;
    const double factor = ratio > 1 ? ratio : 1 / ratio;
    const char* side = ratio > 1 ? "high" : "low";
    return factor < 1.15
               ? fmt::format("Close, but too {}: work with more digits, or look for a small term.", side)
           : factor < 3  ? fmt::format("Too {}, by less than a factor of 3.", side)
           : factor < 30 ? fmt::format("Too {}, by several times.", side)
                         : fmt::format("Too {}, by far: check powers of ten and units.", side);
}

} // namespace

AnswerCheck check_answer(double value, const AnswerKey& key)
{
    if (is_right(value, key))
    {
        return {true, "", "", nullptr};
    }
    if (const KnownMistake* known = recognised(value, key))
    {
        return {false, known->id, known->says, known};
    }
    if (const Slip* slip = unit_slip(value, key))
    {
        return {false, std::string(slip->id), std::string(slip->says), nullptr};
    }
    if (near(value, -key.value, std::max(key.tolerance, 0.006)) && key.value != 0)
    {
        return {false, "sign", "The sign is the other way round.", nullptr};
    }
    const bool unitless = !has_prefixes(key.unit.dimension);
    if (unitless && key.value != 0 && near(value, 1 / key.value, std::clamp(key.tolerance, 0.006, 0.02)))
    {
        return {false, "inverted", "That is the other way up: one over what is asked.", nullptr};
    }
    return {false, "", distance_text(value, key.value), nullptr};
}

} // namespace ringside
