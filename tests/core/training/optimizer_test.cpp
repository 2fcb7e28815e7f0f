// Learning rates by hand and against the trainer's, clipping, paths down a valley, and the batch that pays.
#include "core/lab/trainer/schedule.h"
#include "core/training/critical_batch.h"
#include "core/training/descent.h"
#include "core/training/learning_rate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace ringside;
using Catch::Approx;

namespace
{

RateSchedule schedule_of(Decay decay)
{
    RateSchedule s;
    s.peak = 1;
    s.final_share = 0.1;
    s.warmup = 10;
    s.end = 110;
    s.decay = decay;
    return s;
}

constexpr std::array kAll{Decay::constant, Decay::cosine, Decay::linear, Decay::inverse_sqrt, Decay::wsd};

} // namespace

TEST_CASE("hand-worked: warmup, the middle and the end of every decay")
{
    for (const Decay decay : kAll)
    {
        CHECK(learning_rate(schedule_of(decay), 0) == Approx(0.1));
        CHECK(learning_rate(schedule_of(decay), 9) == 1);
        CHECK((decay == Decay::inverse_sqrt || learning_rate(schedule_of(decay), 10) == 1));
    }
    // Half-way down: half a cosine and a line are both half-way between the peak and a tenth of it.
    CHECK(learning_rate(schedule_of(Decay::cosine), 60) == Approx(0.55));
    CHECK(learning_rate(schedule_of(Decay::linear), 60) == Approx(0.55));
    CHECK(learning_rate(schedule_of(Decay::linear), 35) == Approx(0.775));
    CHECK(learning_rate(schedule_of(Decay::inverse_sqrt), 39) == Approx(0.5));
    // WSD: stable until 0.8 x 110 = 88, then a line to 0.1 at 110; 99 is half of that way.
    CHECK(learning_rate(schedule_of(Decay::wsd), 88) == 1);
    CHECK(learning_rate(schedule_of(Decay::wsd), 99) == Approx(0.55));
    for (const Decay decay : {Decay::cosine, Decay::linear, Decay::wsd})
    {
        CHECK(learning_rate(schedule_of(decay), 110) == Approx(0.1));
        CHECK(learning_rate(schedule_of(decay), 1'000'000) == Approx(0.1));
    }
    CHECK(learning_rate(schedule_of(Decay::constant), 1'000'000) == 1);
}

TEST_CASE("published: the inverse square root is the Transformer's own formula, steps counted from 1")
{
    // Vaswani et al. 2017: d^-0.5 min(t^-0.5, t warmup^-1.5) with d = 512 and 4000 steps of warmup.
    RateSchedule s;
    s.peak = std::pow(512.0, -0.5) * std::pow(4000.0, -0.5);
    s.warmup = 4000;
    s.decay = Decay::inverse_sqrt;
    CHECK(s.peak == Approx(6.99e-4).epsilon(1e-3));
    for (const double t : {1.0, 100.0, 3999.0, 4000.0, 4001.0, 16000.0, 1e5})
    {
        const double theirs = std::pow(512.0, -0.5) * std::min(std::pow(t, -0.5), t * std::pow(4000.0, -1.5));
        CHECK(learning_rate(s, static_cast<std::int64_t>(t) - 1) == Approx(theirs));
    }
}

TEST_CASE("a rate is never above its peak, never below 0, and falls after the warmup")
{
    for (const Decay decay : kAll)
    {
        for (const std::int64_t warmup : {0, 1, 30, 200})
        {
            RateSchedule s = schedule_of(decay);
            s.warmup = warmup;
            double last = 2;
            for (std::int64_t step = 0; step < 400; ++step)
            {
                const double rate = learning_rate(s, step);
                REQUIRE(std::isfinite(rate));
                REQUIRE(rate >= 0);
                REQUIRE(rate <= 1);
                REQUIRE((step < warmup || rate <= last + 1e-15));
                last = rate;
            }
        }
    }
    RateSchedule s = schedule_of(Decay::wsd);
    s.stable = 1;
    CHECK(learning_rate(s, 109) == 1);
    s.stable = 0;
    CHECK(learning_rate(s, 60) == Approx(0.55));
}

TEST_CASE("the trainer's rate is this rate")
{
    Recipe recipe;
    RateSchedule s;
    s.peak = recipe.learning_rate;
    s.final_share = recipe.final_share;
    s.warmup = recipe.warmup_steps;
    s.end = recipe.decay_steps;
    for (const std::int64_t step : {0, 5, 19, 20, 21, 700, 1999, 2000, 5000})
    {
        CHECK(trainer::learning_rate(recipe, step) == learning_rate(s, step));
    }
}

TEST_CASE("hand-worked: clipping brings the norm to its limit, and rates follow the batch or its root")
{
    CHECK(clip_factor(4, 1) == 0.25);
    CHECK(clip_factor(0.5, 1) == 1);
    CHECK(clip_factor(7, 0) == 1);
    CHECK(clip_factor(0, 1) == 1);
    CHECK(clip_factor(std::nan(""), 1) == 1);
    CHECK(clip_factor(5, -1) == 1);
    CHECK(linear_scaled(3e-4, 256, 1024) == Approx(12e-4));
    CHECK(sqrt_scaled(3e-4, 256, 1024) == Approx(6e-4));
}

TEST_CASE("hand-worked: one step of each optimizer on a round bowl")
{
    Valley bowl{1, 1, 0, 0, 0, 0};
    DescentOptions o;
    o.x = 2;
    o.y = -4;
    o.steps = 1;
    o.rate = 0.1;
    o.stepper = Stepper::sgd;
    CHECK(descend(bowl, o).back().x == Approx(1.8));
    CHECK(descend(bowl, o).back().y == Approx(-3.6));
    CHECK(descend(bowl, o).front().loss == Approx(10));
    o.clip = std::sqrt(20.0) / 2;
    CHECK(descend(bowl, o).back().x == Approx(1.9));
    o.clip = 0;
    // Adam's first step is the rate in every direction, whatever the gradient.
    o.stepper = Stepper::adamw;
    CHECK(descend(bowl, o).back().x == Approx(1.9));
    CHECK(descend(bowl, o).back().y == Approx(-3.9));
    o.bias_correction = false; // 0.1 g / sqrt(0.05 g^2)
    CHECK(descend(bowl, o).back().x == Approx(2 - 0.1 * 0.1 / std::sqrt(0.05)));
    o.bias_correction = true;
    o.weight_decay = 0.5; // 0.1 x 0.5 x 2 more, beside the gradient
    CHECK(descend(bowl, o).back().x == Approx(1.8));
    o.stepper = Stepper::adam_l2; // inside the gradient the first step cannot feel it
    CHECK(descend(bowl, o).back().x == Approx(1.9));
}

TEST_CASE("hand-worked: two steps of momentum and of Adam along one axis, with the norms that led there")
{
    const Valley bowl{1, 1, 0, 0, 0, 0};
    DescentOptions o;
    o.x = 1;
    o.y = 0;
    o.steps = 2;
    o.rate = 0.1;
    o.stepper = Stepper::momentum;
    // u = 1, w = 0.9; u = 0.9 x 1 + 0.9 = 1.8, w = 0.72.
    const auto path = descend(bowl, o);
    REQUIRE(path.size() == 3);
    CHECK(path[0].gradient == 0);
    CHECK(path[0].update == 0);
    CHECK(path[1].x == Approx(0.9));
    CHECK(path[1].gradient == Approx(1));
    CHECK(path[1].update == Approx(0.1));
    CHECK(path[2].x == Approx(0.72));
    CHECK(path[2].gradient == Approx(0.9));
    CHECK(path[2].update == Approx(0.18));
    CHECK(path[2].loss == Approx(0.72 * 0.72 / 2));
    // m = 0.09 + 0.1 x 0.9 = 0.18 over 0.19; v = 0.0475 + 0.05 x 0.81 = 0.088 over 0.0975.
    o.stepper = Stepper::adamw;
    CHECK(descend(bowl, o).back().x == Approx(0.9 - 0.1 * (0.18 / 0.19) / std::sqrt(0.088 / 0.0975)));
}

TEST_CASE("a valley that is turned is the same valley: losses and steps do not change")
{
    Valley straight;
    straight.angle = 0;
    Valley turned = straight;
    turned.angle = 0.7;
    DescentOptions o;
    o.stepper = Stepper::momentum;
    o.rate = 0.01;
    DescentOptions there = o;
    there.x = std::cos(0.7) * o.x - std::sin(0.7) * o.y;
    there.y = std::sin(0.7) * o.x + std::cos(0.7) * o.y;
    const auto a = descend(straight, o);
    const auto b = descend(turned, there);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        REQUIRE(a[i].loss == Approx(b[i].loss).margin(1e-9));
        REQUIRE(a[i].update == Approx(b[i].update).margin(1e-9));
    }
}

TEST_CASE("SGD diverges beyond 2 over the largest curvature and only there; a path is the same from a seed")
{
    const Valley valley;
    DescentOptions o;
    o.stepper = Stepper::sgd;
    o.steps = 400;
    o.rate = largest_stable_rate(valley) * 0.99;
    CHECK(descend(valley, o).back().loss < 1e-3);
    CHECK(!diverged(descend(valley, o)));
    o.rate = largest_stable_rate(valley) * 1.05;
    CHECK(diverged(descend(valley, o)));
    CHECK(descend(valley, o).size() < 401);
    CHECK(!diverged({}));
    Valley noisy = valley;
    noisy.noise = 1;
    o.rate = 0.02;
    CHECK(descend(noisy, o).back().x == descend(noisy, o).back().x);
    DescentOptions other = o;
    other.seed = 2;
    CHECK(descend(noisy, other).back().x != descend(noisy, o).back().x);
    for (const Stepper stepper : {Stepper::sgd, Stepper::momentum, Stepper::adam_l2, Stepper::adamw})
    {
        for (const double rate : {1e-6, 0.1, 10.0, 1e9})
        {
            o.stepper = stepper;
            o.rate = rate;
            for (const DescentPoint& p : descend(noisy, o))
            {
                REQUIRE(std::isfinite(p.loss));
                REQUIRE(std::isfinite(p.update));
            }
        }
    }
}

TEST_CASE("published: at the critical batch steps and examples are twice the least, excesses multiply to 1")
{
    // McCandlish et al. 2018.
    CHECK(steps_over_least(500, 500) == 2);
    CHECK(examples_over_least(500, 500) == 2);
    for (const double batch : {1.0, 37.0, 1e4, 1e9})
    {
        CHECK((steps_over_least(batch, 500) - 1) * (examples_over_least(batch, 500) - 1) == Approx(1));
        CHECK(step_progress(batch, 500) == Approx(1 / steps_over_least(batch, 500)));
    }
    CHECK(noise_scale(40, 0.5) == 80);
    // Kaplan et al. 2020: 2e8 over 3^4.76 = 187, about a million tokens at a loss of 3.
    CHECK(critical_batch_tokens(3) == Approx(1.07e6).epsilon(0.01));
    CHECK(critical_batch_tokens(1) == 2e8);
    CHECK(critical_batch_tokens(2) > critical_batch_tokens(3));
}

TEST_CASE("hand-worked: gradient and noise from norms at two batches")
{
    // |G|^2 = 25 and tr(Sigma) = 60: 25 + 60/2 = 55 at two examples, 25 + 60/8 = 32.5 at eight.
    const GradientNoise n = gradient_noise({2, 55, 8, 32.5});
    CHECK(n.squared_gradient == Approx(25));
    CHECK(n.trace == Approx(60));
    CHECK(noise_scale(n.trace, n.squared_gradient) == Approx(2.4));
    // No noise: both norms are the gradient's.
    CHECK(gradient_noise({1, 9, 4, 9}).trace == 0);
    CHECK(gradient_noise({1, 9, 4, 9}).squared_gradient == 9);
}

// Gradients of one weight are 1 or 3, as likely: mean 2, variance 1. All four batches of two, the first of
// each alone beside it.
constexpr std::array<GradientNorms, 4> kPairs{GradientNorms{1, 1, 2, 1}, GradientNorms{1, 1, 2, 4},
                                              GradientNorms{1, 9, 2, 4}, GradientNorms{1, 9, 2, 9}};

TEST_CASE("over all batches there are the estimates are exact, though single ones are negative")
{
    GradientNoise mean;
    double least = 0;
    for (const GradientNorms& pair : kPairs)
    {
        mean.squared_gradient += gradient_noise(pair).squared_gradient / 4;
        mean.trace += gradient_noise(pair).trace / 4;
        least = std::min({least, gradient_noise(pair).squared_gradient, gradient_noise(pair).trace});
    }
    CHECK(mean.squared_gradient == Approx(4));
    CHECK(mean.trace == Approx(1));
    CHECK(least == Approx(-6));
}

TEST_CASE("a run's noise scale is the ratio of means, once there are enough, and forgets")
{
    NoiseMeter meter;
    CHECK(!meter.value());
    for (int i = 0; i < 100; ++i)
    {
        CHECK(meter.value().has_value() == (i >= NoiseMeter::kFewest));
        meter.add(kPairs[static_cast<std::size_t>(i % 4)]);
    }
    CHECK(meter.steps() == 100);
    CHECK(meter.value().value() == Approx(0.25));
    // Left out: nothing was accumulated, and a step that overflowed.
    meter.add({2, 4, 2, 4});
    meter.add({0, 4, 2, 4});
    meter.add({1, 4, 2, std::numeric_limits<double>::infinity()});
    meter.add({1, std::nan(""), 2, 4});
    CHECK(meter.steps() == 100);
    CHECK(meter.value().value() == Approx(0.25));
    // Training went on: the gradient is a tenth, the noise the same. |G|^2 = 0.04, tr = 1.
    for (int i = 0; i < 2000; ++i)
    {
        meter.add({1, 1.04, 2, 0.54});
    }
    CHECK(meter.value().value() == Approx(25).epsilon(1e-3));
}

TEST_CASE("without a gradient, or without noise, there is no noise scale")
{
    NoiseMeter lost;
    NoiseMeter still;
    for (int i = 0; i < 50; ++i)
    {
        lost.add({1, 2, 2, 0.9});
        still.add({1, 1, 2, 1});
    }
    CHECK(!lost.value());
    CHECK(!still.value());
}
