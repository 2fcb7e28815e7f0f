// Small updates that vanish, gradients against a format's range, and the rule that finds a loss scale.
#include "core/training/loss_scale.h"
#include "core/training/number_format.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace ringside;

TEST_CASE("hand-worked: 1 + 0.003 stays 1 in BF16, and 1 + 0.005 goes up by whole steps of 2^-7")
{
    CHECK(walk_nearest({FormatId::bf16, 1, 0.003, 100}).back() == 1);
    const auto up = walk_nearest({FormatId::bf16, 1, 0.005, 100});
    CHECK(up[1] == 1 + 0x1p-7);
    CHECK(up.back() == 1 + 100 * 0x1p-7);
    CHECK(up.size() == 101);
    CHECK(walk_nearest({FormatId::fp32, 1, 0.003, 100}).back() == Catch::Approx(1.3).epsilon(1e-5));
}

TEST_CASE("hand-worked: counting in ones stops at 2^(mantissa bits + 1)")
{
    CHECK(walk_nearest({FormatId::bf16, 0, 1, 1000}).back() == 256);
    CHECK(walk_nearest({FormatId::fp16, 0, 1, 3000}).back() == 2048);
    CHECK(walk_nearest({FormatId::e4m3, 0, 1, 100}).back() == 16);
}

TEST_CASE(
    "what is lost is half a step: a little less is, a little more is not, and a tie goes to the even one")
{
    const NumberFormat& f = number_format(FormatId::bf16);
    CHECK(lost_addend(f, 1) == 0x1p-8);
    const double odd = 1 + 0x1p-7;
    CHECK(round_to(f, 1 + lost_addend(f, 1)) == 1);
    CHECK(round_to(f, odd + lost_addend(f, odd)) == 1 + 0x1p-6);
    for (const double w : {0.37, 1.0, 3.0, 1e-3, 100.0})
    {
        const double held = round_to(f, w);
        CHECK(round_to(f, held + lost_addend(f, held) * 0.999) == held);
        CHECK(round_to(f, held + lost_addend(f, held) * 1.001) > held);
    }
}

TEST_CASE("rounding at random loses nothing on average, and every sum is a number of the format")
{
    const Walk walk{FormatId::bf16, 1, 0.001, 400};
    CHECK(walk_nearest(walk).back() == 1);
    CHECK(walk_mean(walk, 1, 400).back() == Catch::Approx(1.4).margin(0.01));
    CHECK(walk_at_random(walk, 1) == walk_at_random(walk, 1));
    CHECK(walk_at_random(walk, 1) != walk_at_random(walk, 2));
    for (const double v : walk_at_random(walk, 1))
    {
        REQUIRE(round_to(number_format(FormatId::bf16), v) == v);
    }
}

TEST_CASE("shares of a bell of gradients: all in range, half gone, and one in all")
{
    const NumberFormat& f = number_format(FormatId::fp16);
    const GradientSpread middle{0, 1};
    CHECK(range_shares(f, middle, 1).normal == Catch::Approx(1));
    CHECK(range_shares(f, {-25, 2}, 1).zero == Catch::Approx(0.5));
    CHECK(range_shares(f, {-25, 2}, 1024).zero < 1e-6);
    CHECK(range_shares(f, {16, 3}, 1).overflow == Catch::Approx(0.5).margin(0.01));
    for (const NumberFormat& each : number_formats())
    {
        for (const double centre : {-200.0, -30.0, -8.0, 0.0, 12.0, 200.0})
        {
            for (const double scale : {1.0, 65536.0, 0x1p60})
            {
                const RangeShares s = range_shares(each, {centre, 5}, scale);
                CHECK(s.zero + s.subnormal + s.normal + s.overflow == Catch::Approx(1));
                CHECK(std::min({s.zero, s.subnormal, s.normal, s.overflow}) >= 0);
            }
        }
    }
}

TEST_CASE("a larger scale moves gradients out of zero and towards overflow")
{
    const GradientSpread spread{-22, 4};
    const NumberFormat& f = number_format(FormatId::fp16);
    RangeShares last = range_shares(f, spread, 1);
    for (double scale = 2; scale < 1e12; scale *= 2)
    {
        const RangeShares now = range_shares(f, spread, scale);
        CHECK(now.zero <= last.zero);
        CHECK(now.overflow >= last.overflow);
        last = now;
    }
    CHECK(range_shares(number_format(FormatId::bf16), spread, 1).zero < 1e-12);
}

TEST_CASE("hand-worked: from 2^24, eight overflows and two rounds of good steps end at 2^18")
{
    LossScale scale{0x1p24, 0};
    const LossScaleRule rule{.growth_interval = 10};
    for (int i = 0; i < 8; ++i)
    {
        CHECK_FALSE(scale.after(false, rule));
    }
    CHECK(scale.value == 0x1p16);
    for (int i = 0; i < 20; ++i)
    {
        CHECK(scale.after(true, rule));
    }
    CHECK(scale == LossScale{0x1p18, 0});
}

TEST_CASE("a run falls to a scale that holds, probes it every so often, and is the same from the same seed")
{
    LossScaleRun run;
    run.start = 0x1p24;
    run.rule.growth_interval = 25;
    run.spread = {-16, 3};
    const auto steps = run_loss_scale(run, 500, 4);
    REQUIRE(steps.size() == 500);
    CHECK(steps.front().overflow);
    const auto lost =
        std::count_if(steps.begin() + 50, steps.end(), [](const auto& s) { return s.overflow; });
    CHECK(lost >= 450 / 25 / 4);
    CHECK(lost <= 450 / 25 + 10);
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
    {
        const double ratio = steps[i + 1].scale / steps[i].scale;
        CHECK((ratio == 1 || ratio == 0.5 || ratio == 2));
        CHECK((ratio == 0.5) == steps[i].overflow);
    }
    CHECK(run_loss_scale(run, 50, 4)[30].largest == steps[30].largest);
    run.format = FormatId::bf16;
    run.start = 65536;
    const auto wide = run_loss_scale(run, 100, 4);
    CHECK(std::none_of(wide.begin(), wide.end(), [](const auto& s) { return s.overflow; }));
}
