// Formats by hand and by their standards' tables, rounding at every edge, and properties over every code.
#include "core/base/random.h"
#include "core/network/compression/arithmetic.h"
#include "core/training/number_format.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace ringside;

namespace
{

constexpr double kInf = std::numeric_limits<double>::infinity();

const NumberFormat& of(FormatId id)
{
    return number_format(id);
}

std::uint64_t codes(const NumberFormat& f)
{
    return std::uint64_t{1} << static_cast<unsigned>(f.bits());
}

} // namespace

TEST_CASE("hand-worked: 0.1 in BF16 is sign 0, exponent 123, mantissa 77")
{
    // 0.1 = 1.6 x 2^-4; -4 + 127 = 123; 0.6 x 128 = 76.8, nearest 77: 1.6015625 x 2^-4.
    const NumberFormat& f = of(FormatId::bf16);
    CHECK(encode(f, 0.1) == ((123U << 7U) | 77U));
    CHECK(round_to(f, 0.1) == 0.10009765625);
    CHECK(step_at(f, 0.1) == std::ldexp(1, -11));
    CHECK(encode(f, -0.1) == (0x8000U | (123U << 7U) | 77U));
}

TEST_CASE("hand-worked: every number of E2M1")
{
    const std::vector<double> all{0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (std::uint32_t code = 0; code < 8; ++code)
    {
        CHECK(decode(of(FormatId::e2m1), code) == all[code]);
        CHECK(decode(of(FormatId::e2m1), code | 8U) == -all[code]);
    }
    CHECK(round_to(of(FormatId::e2m1), 2.5) == 2); // a tie: 2 has the even mantissa
    CHECK(round_to(of(FormatId::e2m1), 5) == 4);
    CHECK(round_to(of(FormatId::e2m1), 0.25) == 0);
    CHECK(round_to(of(FormatId::e2m1), 100) == 6);
    CHECK(round_to(of(FormatId::e2m1), -kInf) == -6);
}

TEST_CASE("the ends of every format are those its standard prints")
{
    struct Row
    {
        FormatId id;
        double most, normal, subnormal;
    };
    // IEEE 754; Kalamkar et al. 2019, table 1; OCP OFP8 1.0, table 1; OCP MX 1.0, table 5.
    const Row rows[] = {
        {FormatId::fp32, 3.4028234663852886e38, 0x1p-126, 0x1p-149},
        {FormatId::tf32, 3.4011621342146535e38, 0x1p-126, 0x1p-136},
        {FormatId::bf16, 3.3895313892515355e38, 0x1p-126, 0x1p-133},
        {FormatId::fp16, 65504, 0x1p-14, 0x1p-24},
        {FormatId::e4m3, 448, 0x1p-6, 0x1p-9},
        {FormatId::e5m2, 57344, 0x1p-14, 0x1p-16},
        {FormatId::e2m1, 6, 1, 0.5},
    };
    for (const Row& row : rows)
    {
        const NumberFormat& f = of(row.id);
        INFO(std::string(f.name));
        CHECK(largest(f) == row.most);
        CHECK(smallest_normal(f) == row.normal);
        CHECK(smallest_subnormal(f) == row.subnormal);
        CHECK(f.source != "");
    }
    CHECK(epsilon(of(FormatId::bf16)) == 0.0078125);
    CHECK(largest(of(FormatId::fp32)) == static_cast<double>(std::numeric_limits<float>::max()));
}

TEST_CASE("beyond the end: infinity by IEEE, NaN for E4M3, the end itself where it saturates")
{
    CHECK(round_to(of(FormatId::fp16), 65519.99) == 65504);
    CHECK(round_to(of(FormatId::fp16), 65520) == kInf);
    CHECK(round_to(of(FormatId::fp16), 65520, Overflow::saturate) == 65504);
    CHECK(round_to(of(FormatId::e4m3), 464) == 448);
    CHECK(std::isnan(round_to(of(FormatId::e4m3), 464.001)));
    CHECK(round_to(of(FormatId::e4m3), 1e9, Overflow::saturate) == 448);
    CHECK(encode(of(FormatId::e4m3), kInf) == 0x7FU);
    CHECK(encode(of(FormatId::e5m2), -kInf) == 0xFCU);
    CHECK(encode(of(FormatId::fp16), std::nan("")) == 0x7E00U);
    CHECK(std::isnan(decode(of(FormatId::e4m3), 0x7FU)));
    CHECK(decode(of(FormatId::e4m3), 0x7EU) == 448);
}

TEST_CASE(
    "small numbers lose a bit an octave, then everything; half of the last one is a tie that falls to 0")
{
    const NumberFormat& f = of(FormatId::fp16);
    CHECK(round_to(f, 0x1p-24) == 0x1p-24);
    CHECK(round_to(f, 0x1p-25) == 0);
    CHECK(round_to(f, 0x1.01p-25) == 0x1p-24);
    CHECK(underflow_threshold(f) == 0x1p-25);
    CHECK(std::signbit(round_to(f, -0x1p-30)));
    CHECK(significant_bits(f, 0) == 11);
    CHECK(significant_bits(f, -14) == 11);
    CHECK(significant_bits(f, -15) == 10);
    CHECK(significant_bits(f, -24) == 1);
    CHECK(significant_bits(f, -25) == 0);
    CHECK(significant_bits(f, 15) == 11);
    CHECK(significant_bits(f, 16) == 0);
}

TEST_CASE("every code of every narrow format goes there and back, and codes of positive numbers ascend")
{
    for (const NumberFormat& f : number_formats())
    {
        INFO(std::string(f.name));
        const std::uint32_t stride = f.bits() > 16 ? 9973U : 1U;
        double last = -1;
        for (std::uint64_t wide = 0; wide < codes(f); wide += stride)
        {
            const auto code = static_cast<std::uint32_t>(wide);
            const double value = decode(f, code);
            if (std::isnan(value))
            {
                continue;
            }
            REQUIRE(encode(f, value) == code);
            REQUIRE(round_to(f, value) == value);
            if (!std::signbit(value))
            {
                REQUIRE(value > last);
                last = value;
            }
        }
    }
}

TEST_CASE("rounding goes to a neighbour no further than half a step, and never turns order round")
{
    SplitMix random(7);
    for (const NumberFormat& f : number_formats())
    {
        INFO(std::string(f.name));
        for (int i = 0; i < 4000; ++i)
        {
            const double span = std::log2(largest(f)) - std::log2(smallest_subnormal(f)) + 8;
            const double x = std::exp2(std::log2(smallest_subnormal(f)) - 4 + span * random.uniform());
            const double y = x * (1 + random.uniform());
            const double r = round_to(f, x, Overflow::saturate);
            REQUIRE(std::isfinite(r));
            REQUIRE(round_to(f, y, Overflow::saturate) >= r);
            REQUIRE(round_to(f, -x, Overflow::saturate) == -r);
            if (x <= largest(f))
            {
                REQUIRE(std::fabs(r - x) <= step_at(f, x) / 2);
                const double at_random = round_at_random(f, x, random.uniform());
                REQUIRE(std::fabs(at_random - x) < step_at(f, x));
                REQUIRE(round_to(f, at_random) == at_random);
            }
        }
    }
}

TEST_CASE("rounding at random goes up with exactly the share of the way that is gone")
{
    const NumberFormat& f = of(FormatId::bf16);
    const double x = 1 + 0.25 * epsilon(f);
    CHECK(round_at_random(f, x, 0.2499) == 1 + epsilon(f));
    CHECK(round_at_random(f, x, 0.25) == 1);
    CHECK(round_at_random(f, -x, 0.2499) == -1 - epsilon(f));
    CHECK(round_at_random(f, 1, 0) == 1);
    CHECK(round_at_random(f, kInf, 0.5) == largest(f));
    CHECK(std::isnan(round_at_random(f, std::nan(""), 0.5)));
}

TEST_CASE("the compression engine's quick rounding is the same rounding")
{
    SplitMix random(3);
    for (int i = 0; i < 20000; ++i)
    {
        const auto x = static_cast<float>(std::exp2(-30 + 60 * random.uniform()) * (random.uniform() - 0.5));
        const auto wide = static_cast<double>(x);
        REQUIRE(static_cast<double>(round_to_bf16(x)) == round_to(of(FormatId::bf16), wide));
        REQUIRE(static_cast<double>(round_to_fp16(x)) == round_to(of(FormatId::fp16), wide));
        REQUIRE(static_cast<double>(round_to_e4m3(x)) ==
                round_to(of(FormatId::e4m3), wide, Overflow::saturate));
    }
}

TEST_CASE("what is not finite has no step, and zero has the smallest")
{
    for (const NumberFormat& f : number_formats())
    {
        CHECK(step_at(f, kInf) == 0);
        CHECK(step_at(f, std::nan("")) == 0);
        CHECK(step_at(f, 0) == smallest_subnormal(f));
        CHECK(step_at(f, 1) == epsilon(f));
        CHECK(std::isnan(round_to(f, std::nan(""))));
        CHECK(encode(f, 0) == 0);
        CHECK(encode(f, std::nan("")) < codes(f));
    }
}
