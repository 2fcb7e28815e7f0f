// What is wrong with an answer that could be read.
#include "core/study/grading/answer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

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

// Off by a factor, either way round; of one kind of quantity, or of any.
struct Slip
{
    std::optional<Dimension> of;
    std::string_view id;
    double factor;
    std::string_view text;
};

constexpr std::string_view kTimeText = "The digits are right for another unit of time.";
constexpr std::string_view kPowerText = "The digits are right, the power of ten is not.";
constexpr std::array kSlips{
    Slip{Dimension::data, "bits-as-bytes", 8, "Off by a factor of 8: bits on one side, bytes on the other."},
    Slip{Dimension::data, "binary-gb", 1.073741824,
         "That is the right amount with GiB and GB mixed up: 1 GiB is 1.074 GB."},
    Slip{Dimension::data, "binary-gb", 1.099511627776,
         "That is the right amount with TiB and TB mixed up: 1 TiB is 1.100 TB."},
    Slip{Dimension::data, "binary-gb", 1.048576,
         "That is the right amount with MiB and MB mixed up: 1 MiB is 1.049 MB."},
    Slip{Dimension::time, "time-unit", 60, kTimeText},
    Slip{Dimension::time, "time-unit", 3600, kTimeText},
    Slip{Dimension::time, "time-unit", 86400, kTimeText},
    Slip{Dimension::time, "time-unit", 24, kTimeText},
    Slip{Dimension::share, "percent-as-fraction", 100,
         "The digits are right: percent and fraction are mixed up."},
    Slip{{}, "power-of-ten", 1e3, kPowerText},
    Slip{{}, "power-of-ten", 1e6, kPowerText},
    Slip{{}, "power-of-ten", 1e9, kPowerText},
    Slip{{}, "power-of-ten", 1e12, kPowerText},
    Slip{{}, "power-of-ten", 10, kPowerText}};

// The kind whose slips those of a kind are.
Dimension slips_of(Dimension d)
{
    return d == Dimension::data_rate ? Dimension::data : d == Dimension::ratio ? Dimension::share : d;
}

const Slip* unit_slip(double value, const AnswerKey& key)
{
    const auto fits = [&](const Slip& s)
    {
        const bool exact = s.of == Dimension::data || s.of == Dimension::time;
        const double tolerance = exact ? 0.006 : std::clamp(key.tolerance, 0.006, 0.02);
        return s.of.value_or(slips_of(key.unit.dimension)) == slips_of(key.unit.dimension) &&
               (near(value, key.value * s.factor, tolerance) || near(value, key.value / s.factor, tolerance));
    };
    const auto* found = std::ranges::find_if(kSlips, fits);
    return found == kSlips.end() ? nullptr : found;
}

// Kinds whose units have prefixes; of others a value upside down is a known slip.
bool has_prefixes(Dimension d)
{
    return slips_of(d) == Dimension::data || d == Dimension::time || d == Dimension::work ||
           d == Dimension::work_rate;
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
        return {false, std::string(slip->id), std::string(slip->text), nullptr};
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
