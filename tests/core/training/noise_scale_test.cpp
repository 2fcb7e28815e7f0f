// The noise scale as the trainer measures it: norms of the first micro-batch and of the whole step.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/run.h"

#include <catch2/catch_approx.hpp>

#include <cmath>

using namespace ringside;
using namespace ringside::test;
using Catch::Approx;
using trainer::StepResult;

namespace
{

constexpr double kPatience = 60; // [s]

TrainerConfig accumulating(std::int64_t micro_batches)
{
    TrainerConfig c = tiny_config();
    c.training.micro_batch = 2;
    c.training.global_batch = 2 * micro_batches;
    return c;
}

double norm_of(const std::vector<float>& values)
{
    double sum = 0;
    for (const float v : values)
    {
        sum += static_cast<double>(v) * static_cast<double>(v);
    }
    return std::sqrt(sum);
}

// The newest snapshot of a run that has made so many steps.
TrainingSnapshot after(const TrainerConfig& config, std::int64_t steps)
{
    trainer::RunSettings settings;
    settings.last_step = steps;
    const trainer::TrainingRun run(
        config, [] { return std::make_unique<trainer::CpuBackend>(1); }, settings);
    REQUIRE(run.wait_until_idle(kPatience));
    return *run.snapshot();
}

} // namespace

TEST_CASE("the first micro-batch's norm is that of a step of it alone, in every precision")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16})
    {
        CAPTURE(name_of(precision));
        TrainerConfig whole = accumulating(4);
        TrainerConfig alone = accumulating(1);
        whole.training.precision = alone.training.precision = precision;
        const StepResult four = step(*make_trainer(whole));
        const StepResult one = step(*make_trainer(alone));
        CHECK(four.micro_gradient_norm ==
              Approx(one.gradient_norm).epsilon(precision == Precision::fp32 ? 1e-5 : 0.02));
        CHECK(one.micro_gradient_norm == 0);
    }
}

TEST_CASE("what a step tells of the noise is what its gradients tell, in tokens")
{
    auto whole = make_trainer(accumulating(2));
    auto alone = make_trainer(accumulating(1));
    const GradientNorms norms = norms_of(whole->config(), step(*whole));
    step(*alone);
    const double small = norm_of(alone->gradients());
    const double large = norm_of(whole->gradients());
    CHECK(norms.part == 16); // 2 sequences of 8 tokens
    CHECK(norms.batch == 32);
    CHECK(norms.part_squared == Approx(small * small).epsilon(1e-4));
    CHECK(norms.batch_squared == Approx(large * large).epsilon(1e-4));
    // A mean of two is not longer than the longer of them, so noise is what the first has more of.
    CHECK(gradient_noise(norms).trace == Approx((small * small - large * large) * 32).epsilon(1e-3));
}

TEST_CASE("accumulating changes nothing about what is learned")
{
    auto at_once = make_trainer(
        []
        {
            TrainerConfig c = accumulating(4);
            c.training.micro_batch = 8;
            return c;
        }());
    auto in_parts = make_trainer(accumulating(4));
    const auto a = train(*at_once, 5);
    const auto b = train(*in_parts, 5);
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        CHECK(a[i] == Approx(b[i]).epsilon(1e-4));
    }
}

TEST_CASE("a run shows its noise scale after some steps of two micro-batches or more, and not before")
{
    CHECK(!after(accumulating(1), NoiseMeter::kFewest + 5).noise_scale);
    CHECK(!after(accumulating(4), NoiseMeter::kFewest - 1).noise_scale);
    const auto shown = after(accumulating(4), 60).noise_scale;
    REQUIRE(shown.has_value());
    // The run's own steps, one by one.
    auto t = make_trainer(accumulating(4));
    NoiseMeter meter;
    for (int i = 0; i < 60; ++i)
    {
        meter.add(norms_of(t->config(), step(*t)));
    }
    CHECK(meter.value().value() == Approx(*shown));
}

TEST_CASE("rewinding a run measures its noise scale anew")
{
    trainer::RunSettings settings;
    settings.last_step = 40;
    trainer::TrainingRun run(
        accumulating(4), [] { return std::make_unique<trainer::CpuBackend>(1); }, settings);
    REQUIRE(run.wait_until_idle(kPatience));
    REQUIRE(run.snapshot()->noise_scale.has_value());
    run.rewind(0);
    run.step_once();
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(!run.snapshot()->noise_scale);
}
