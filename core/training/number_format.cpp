#include "core/training/number_format.h"

#include "core/base/random.h"
#include "core/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr std::string_view kIeee = "IEEE 754-2019, section 3.6, table 3.5";
constexpr std::string_view kOfp8 = "Micikevicius et al. 2022, arXiv 2209.05433, table 1; OCP OFP8 1.0";

constexpr std::array<NumberFormat, kFormats> kFormatTable{{
    {FormatId::fp32, "FP32", 8, 23, Specials::ieee, kIeee},
    {FormatId::tf32, "TF32", 8, 10, Specials::ieee,
     "NVIDIA A100 architecture white paper, 2020: the range of FP32 with FP16's mantissa, for products only"},
    {FormatId::bf16, "BF16", 8, 7, Specials::ieee,
     "Kalamkar et al. 2019, arXiv 1905.12322, table 1: the upper half of an FP32"},
    {FormatId::fp16, "FP16", 5, 10, Specials::ieee, kIeee},
    {FormatId::e4m3, "E4M3", 4, 3, Specials::nan_only, kOfp8},
    {FormatId::e5m2, "E5M2", 5, 2, Specials::ieee, kOfp8},
    {FormatId::e2m1, "E2M1", 2, 1, Specials::none, "OCP Microscaling Formats (MX) 1.0, section 5.3.3"},
}};

std::uint32_t ones(int bits)
{
    return (1U << static_cast<unsigned>(bits)) - 1U;
}

// Exponent of the octave a finite value above 0 lies in, held at that of the least normal numbers.
int octave(const NumberFormat& f, double magnitude)
{
    return std::max(std::ilogb(magnitude), f.least_exponent());
}

std::uint32_t special_code(const NumberFormat& f, bool nan)
{
    const std::uint32_t top = ones(f.exponent_bits) << static_cast<unsigned>(f.mantissa_bits);
    switch (f.specials)
    {
    case Specials::ieee:
        return nan ? top | (1U << static_cast<unsigned>(f.mantissa_bits - 1)) : top;
    case Specials::nan_only:
        return top | ones(f.mantissa_bits);
    case Specials::none:
        break;
    }
    return top | ones(f.mantissa_bits);
}

// The code of a magnitude that the format has.
std::uint32_t code_of(const NumberFormat& f, double magnitude)
{
    if (magnitude == 0)
    {
        return 0;
    }
    const int e = octave(f, magnitude);
    const auto significand = static_cast<std::uint32_t>(std::ldexp(magnitude, f.mantissa_bits - e));
    const std::uint32_t implied = 1U << static_cast<unsigned>(f.mantissa_bits);
    const auto field = static_cast<std::uint32_t>(e + f.bias());
    return significand < implied
               ? significand
               : (field << static_cast<unsigned>(f.mantissa_bits)) | (significand - implied);
}

double past_the_end(const NumberFormat& f, Overflow overflow)
{
    if (overflow == Overflow::saturate || f.specials == Specials::none)
    {
        return largest(f);
    }
    return f.specials == Specials::ieee ? std::numeric_limits<double>::infinity()
                                        : std::numeric_limits<double>::quiet_NaN();
}

template <class Round>
std::vector<double> walked(const Walk& walk, Round round)
{
    std::vector<double> sums{round(walk.start)};
    for (std::size_t i = 0; i < walk.steps; ++i)
    {
        sums.push_back(round(sums.back() + walk.addend));
    }
    return sums;
}

} // namespace

int NumberFormat::most_exponent() const
{
    return (1 << exponent_bits) - 1 - bias() - (specials == Specials::ieee ? 1 : 0);
}

std::span<const NumberFormat> number_formats()
{
    return kFormatTable;
}

const NumberFormat& number_format(FormatId id)
{
    return kFormatTable.at(static_cast<std::size_t>(id));
}

FormatId product_format(Precision precision)
{
    switch (precision)
    {
    case Precision::fp32:
        return FormatId::fp32;
    case Precision::fp16:
        return FormatId::fp16;
    case Precision::fp8:
    case Precision::mxfp8:
        return FormatId::e4m3;
    case Precision::nvfp4:
        return FormatId::e2m1;
    case Precision::bf16:
        break;
    }
    return FormatId::bf16;
}

double largest(const NumberFormat& f)
{
    const double mantissa = 2 - std::ldexp(f.specials == Specials::nan_only ? 2 : 1, -f.mantissa_bits);
    return std::ldexp(mantissa, f.most_exponent());
}

double smallest_normal(const NumberFormat& f)
{
    return std::ldexp(1, f.least_exponent());
}

double smallest_subnormal(const NumberFormat& f)
{
    return std::ldexp(1, f.least_exponent() - f.mantissa_bits);
}

double epsilon(const NumberFormat& f)
{
    return std::ldexp(1, -f.mantissa_bits);
}

double overflow_threshold(const NumberFormat& f)
{
    const double half = std::ldexp(0.5, f.most_exponent() - f.mantissa_bits);
    // A tie goes to the even neighbour: IEEE's is infinity, so the threshold itself overflows; E4M3's and
    // E2M1's ends differ in that.
    const double tie = largest(f) + half;
    const bool even = code_of(f, largest(f)) % 2 == 0;
    return even ? tie : std::nextafter(tie, 0);
}

double underflow_threshold(const NumberFormat& f)
{
    return smallest_subnormal(f) / 2;
}

double decode(const NumberFormat& f, std::uint32_t code)
{
    const auto m = static_cast<unsigned>(f.mantissa_bits);
    const std::uint32_t field = (code >> m) & ones(f.exponent_bits);
    const std::uint32_t mantissa = code & ones(f.mantissa_bits);
    const double sign = ((code >> static_cast<unsigned>(f.bits() - 1)) & 1U) != 0 ? -1 : 1;
    const bool top = field == ones(f.exponent_bits);
    if (top && f.specials == Specials::ieee)
    {
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    if (top && f.specials == Specials::nan_only && mantissa == ones(f.mantissa_bits))
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const double implied = field == 0 ? 0 : std::ldexp(1, f.mantissa_bits);
    const int exponent = std::max(1, static_cast<int>(field)) - f.bias() - f.mantissa_bits;
    return sign * std::ldexp(implied + mantissa, exponent);
}

double round_to(const NumberFormat& f, double value, Overflow overflow)
{
    if (std::isnan(value) || value == 0)
    {
        return value;
    }
    double rounded = std::fabs(value);
    if (rounded > overflow_threshold(f))
    {
        rounded = past_the_end(f, overflow);
    }
    else
    {
        const int quantum = octave(f, rounded) - f.mantissa_bits;
        // nearbyint() keeps to the default mode, to nearest with ties to even.
        rounded = std::ldexp(std::nearbyint(std::ldexp(rounded, -quantum)), quantum);
    }
    return std::copysign(rounded, value);
}

std::uint32_t encode(const NumberFormat& f, double value, Overflow overflow)
{
    const double rounded = round_to(f, value, overflow);
    const std::uint32_t sign =
        std::signbit(value) && !std::isnan(value) ? 1U << static_cast<unsigned>(f.bits() - 1) : 0U;
    if (!std::isfinite(rounded))
    {
        return sign | special_code(f, std::isnan(rounded));
    }
    return sign | code_of(f, std::fabs(rounded));
}

double round_at_random(const NumberFormat& f, double value, double u)
{
    assert(u >= 0 && u < 1);
    const double magnitude = std::fabs(value);
    if (std::isnan(value) || value == 0)
    {
        return value;
    }
    if (magnitude >= largest(f))
    {
        return std::copysign(largest(f), value);
    }
    const int quantum = octave(f, magnitude) - f.mantissa_bits;
    const double scaled = std::ldexp(magnitude, -quantum);
    const double below = std::floor(scaled);
    return std::copysign(std::ldexp(u < scaled - below ? below + 1 : below, quantum), value);
}

double step_at(const NumberFormat& f, double value)
{
    if (!std::isfinite(value))
    {
        return 0;
    }
    const double magnitude = std::min(std::fabs(value), largest(f));
    return magnitude == 0 ? smallest_subnormal(f) : std::ldexp(1, octave(f, magnitude) - f.mantissa_bits);
}

int significant_bits(const NumberFormat& f, int exponent)
{
    if (exponent > f.most_exponent())
    {
        return 0;
    }
    return std::max(0, f.mantissa_bits + 1 + std::min(0, exponent - f.least_exponent()));
}

std::vector<double> walk_nearest(const Walk& walk)
{
    const NumberFormat& format = number_format(walk.format);
    return walked(walk, [&](double v) { return round_to(format, v, Overflow::saturate); });
}

std::vector<double> walk_at_random(const Walk& walk, std::uint64_t seed)
{
    const NumberFormat& format = number_format(walk.format);
    SplitMix random(seed);
    return walked(walk, [&](double v) { return round_at_random(format, v, random.uniform()); });
}

std::vector<double> walk_mean(const Walk& walk, std::uint64_t seed, std::size_t draws)
{
    std::vector<double> mean(walk.steps + 1, 0);
    for (std::size_t draw = 0; draw < draws; ++draw)
    {
        const std::vector<double> one = walk_at_random(walk, seed + draw);
        for (std::size_t i = 0; i < mean.size(); ++i)
        {
            mean[i] += one[i] / static_cast<double>(draws);
        }
    }
    return mean;
}

double lost_addend(const NumberFormat& format, double value)
{
    return step_at(format, value) / 2;
}

} // namespace ringside
