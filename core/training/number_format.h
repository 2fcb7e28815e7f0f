// Floating-point formats of training as data: how many bits stand for what, which numbers they hold, and what
// rounding to one of them does. Worked out in double precision, one number at a time; the kernels of the
// trainer and of the compression engine have quick ways of their own, which the tests hold against this.
//
// 8-bit casts saturate unless the switch says otherwise, as casts in training do. format.* metrics are those
// of the format that the large products read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Precision;

enum class FormatId : std::uint8_t
{
    fp32,
    tf32,
    bf16,
    fp16,
    e4m3,
    e5m2,
    e2m1
};
inline constexpr std::size_t kFormats = 7;

// What the codes with every exponent bit set stand for.
enum class Specials : std::uint8_t
{
    ieee,     // infinity and NaN (IEEE 754-2019, section 3.4)
    nan_only, // numbers as elsewhere, but every mantissa bit set too is NaN (OFP8's E4M3)
    none      // numbers as elsewhere (OCP MX's E2M1)
};

struct NumberFormat
{
    FormatId id;
    std::string_view name; // "BF16"
    int exponent_bits;
    int mantissa_bits; // stored; one more is significant in a normal number
    Specials specials;
    std::string_view source;

    int bits() const { return 1 + exponent_bits + mantissa_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    int least_exponent() const { return 1 - bias(); } // of normal numbers
    int most_exponent() const;
};

std::span<const NumberFormat> number_formats(); // in the order of FormatId
const NumberFormat& number_format(FormatId id);
// The format that a training's large products read: E4M3 for fp8 (hybrid recipes have E5M2 for gradients).
FormatId product_format(Precision precision);

double largest(const NumberFormat& format);            // finite
double smallest_normal(const NumberFormat& format);    // above 0
double smallest_subnormal(const NumberFormat& format); // above 0
double epsilon(const NumberFormat& format);            // from 1 to the next number, 2^-mantissa_bits
// Numbers up to this round to a finite one; above it they overflow. Half a step beyond the largest.
double overflow_threshold(const NumberFormat& format);
// Numbers up to this round to 0: half of the smallest subnormal, ties to even.
double underflow_threshold(const NumberFormat& format);

// What becomes of numbers beyond the threshold. E2M1 has nothing but its end, so it always saturates.
enum class Overflow : std::uint8_t
{
    special, // infinity, or NaN where there is none
    saturate // the largest number of the same sign
};

// The number of a code, whose highest used bit is the sign; may be infinite or NaN.
double decode(const NumberFormat& format, std::uint32_t code);
// The code of the nearest number, ties to even. NaN becomes the quiet NaN, or E2M1's largest.
std::uint32_t encode(const NumberFormat& format, double value, Overflow overflow = Overflow::special);
// decode(encode(value)), but NaN stays NaN in every format.
double round_to(const NumberFormat& format, double value, Overflow overflow = Overflow::special);
// Up or down to a neighbour, up with the share of the way to it that the value has gone, so that the mean is
// the value (Gupta et al. 2015, arXiv 1502.02551, section 3). `u` is from 0 to below 1. Saturates.
double round_at_random(const NumberFormat& format, double value, double u);
// Distance between neighbours at |value|, the one above it; the least one below the normal numbers. 0 for
// what is not finite.
double step_at(const NumberFormat& format, double value);

// Significant bits at a magnitude 2^exponent: mantissa_bits + 1 in normal numbers, one fewer for each octave
// below them, 0 outside.
int significant_bits(const NumberFormat& format, int exponent);

// A small number added to a large one again and again, rounded to a format after every addition: what a
// weight without a master copy goes through. Same seed, same walk.
struct Walk
{
    FormatId format = FormatId::bf16;
    double start = 1;
    double addend = 1e-3; // exact, not rounded to the format
    std::size_t steps = 256;
};

// The sum before the first addition and after each: steps + 1 values. To nearest it stands still where the
// addend is at most half a step (a tie goes to the even neighbour).
std::vector<double> walk_nearest(const Walk& walk);
std::vector<double> walk_at_random(const Walk& walk, std::uint64_t seed);
// Mean over walks with seeds of their own, `draws` at least 1. Its expectation is start + n x addend while
// nothing saturates (Gupta et al. 2015, arXiv 1502.02551, section 3).
std::vector<double> walk_mean(const Walk& walk, std::uint64_t seed, std::size_t draws);

// Anything smaller leaves a value of the format unchanged, anything larger does not: half of the step above
// it. Exactly half is a tie, which goes to the even one of the two.
double lost_addend(const NumberFormat& format, double value);

} // namespace ringside
