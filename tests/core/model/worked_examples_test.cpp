// The examples people are asked in interviews, shipped as scenarios: the right values, where common answers
// are wrong. Round model sizes stand for real shapes, hence the tolerances.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/network/collective/cost.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario example(std::string_view id)
{
    const ScenarioPreset* preset = test::presets().scenario(id);
    REQUIRE(preset != nullptr);
    return preset->scenario;
}

Report report(const Scenario& s)
{
    auto made = evaluate(s);
    REQUIRE(made);
    return std::move(*made);
}

// [GB] mean over the stages of some components.
double mean(const Report& r, std::initializer_list<Component> components)
{
    double sum = 0;
    for (const StageMemory& stage : r.memory.stages)
    {
        for (const Component c : components)
        {
            sum += stage.of(c).value;
        }
    }
    return sum / static_cast<double>(r.memory.stages.size()) / 1e9;
}

double state(const Report& r)
{
    return mean(r, {Component::weights, Component::gradients, Component::master_weights, Component::momentum,
                    Component::variance});
}

double optimizer(const Report& r)
{
    return mean(r, {Component::master_weights, Component::momentum, Component::variance});
}

} // namespace

TEST_CASE("175B on 1,024: 1.367 billion parameters a GPU, 21.9 GB of state, 7.5 GB with ZeRO-1")
{
    Scenario s = example("gpt-3-175b-1024");
    s.training.gradient_dtype = GradientDtype::bf16; // 16 bytes per parameter in all
    CHECK(data_parallel(s) == 8);
    s.parallel.zero = 0;
    const StageMemory middle = report(s).memory.stages[5];
    CHECK(middle.layers == 6);
    CHECK(static_cast<double>(middle.parameters) == Approx(175e9 / 128).epsilon(0.01));
    CHECK(middle.of(Component::weights).value == Approx(2.73e9).epsilon(0.01));
    CHECK(state(report(s)) == Approx(21.9).epsilon(0.01));
    s.parallel.zero = 1;
    CHECK(state(report(s)) == Approx(7.5).epsilon(0.01));
}

TEST_CASE("70B on 128: 8.75 GB of weights, not 35; 6.56 GB of optimizer, not 4.9; 24 GB of state, not 49")
{
    const Scenario s = example("llama-70b-128");
    const Report r = report(s);
    CHECK(data_parallel(s) == 8);
    CHECK(mean(r, {Component::weights}) == Approx(8.75).epsilon(0.015));
    CHECK(mean(r, {Component::gradients}) == Approx(8.75).epsilon(0.015));
    CHECK(optimizer(r) == Approx(6.56).epsilon(0.015));
    CHECK(state(r) == Approx(24.06).epsilon(0.015));
    CHECK(r.memory.fits());
}

TEST_CASE("70B on 256: tensor 4 and pipeline 8 leave 8 replicas and 140 / 32 GB of weights")
{
    const Scenario s = example("llama-70b-256");
    CHECK(data_parallel(s) == 8);
    CHECK(mean(report(s), {Component::weights}) == Approx(140.0 / 32).epsilon(0.015));
}

TEST_CASE("13B on 8: state is 208, 71.5, 48.75 and 26 GB, but the first stage that fits hangs on attention")
{
    Scenario s = example("gpt-13b-8");
    constexpr std::array kState{208.0, 71.5, 48.75, 26.0};
    for (std::size_t zero = 0; zero < kState.size(); ++zero)
    {
        s.parallel.zero = static_cast<std::int64_t>(zero);
        CHECK(state(report(s)) == Approx(kState[zero]).epsilon(0.025));
    }
    // s b h L (34 + 5 a s / h) = 47.8 GB, and 0.26 GB of logits.
    CHECK(mean(report(s), {Component::activations}) == Approx(47.8 + 0.26).epsilon(0.005));
    // What is allocated has room from stage 3 on; what allocator and driver hold beyond it has not.
    const auto allocated_fits = [](const MemoryReport& memory)
    { return memory.most_allocated().allocated() <= memory.capacity; };
    s.parallel.zero = 2;
    CHECK_FALSE(allocated_fits(report(s).memory));
    s.parallel.zero = 3;
    CHECK(allocated_fits(report(s).memory));
    CHECK_FALSE(report(s).memory.fits());
    s.training.flash_attention = true;
    s.parallel.zero = 2;
    CHECK(mean(report(s), {Component::activations}) == Approx(14.3 + 0.26).epsilon(0.01));
    CHECK(report(s).memory.fits());
}

TEST_CASE("30B on 512 for 90 days: 1.575e24 FLOPs are 8.75 trillion tokens; 7.5, 7.5 and 0.7 GB a GPU")
{
    const Scenario s = example("mpt-30b-512");
    const Report r = report(s);
    const double budget = 512 * 989e12 * 0.4 * 90 * 86400;
    CHECK(budget == Approx(1.575e24).epsilon(0.001));
    CHECK(6 * static_cast<double>(r.parameters.total) * s.training.tokens == Approx(budget).epsilon(0.005));
    CHECK(std::sqrt(budget / 120) == Approx(114.6e9).epsilon(0.001)); // 20 tokens per parameter
    CHECK(data_parallel(s) == 64);
    CHECK(mean(r, {Component::weights}) == Approx(7.5).epsilon(0.02));
    CHECK(mean(r, {Component::gradients}) == Approx(7.5).epsilon(0.02));
    CHECK(optimizer(r) == Approx(0.70).epsilon(0.02));
}

TEST_CASE("7B over 64: 2 (N-1)/N x 14 GB over 12.5 GB/s are 2.2 s; without ZeRO it does not even fit")
{
    Scenario s = example("llama-7b-64");
    const Report r = report(s);
    CHECK(r.collective->ranks == 64);
    CHECK(r.collective->crosses_nodes);
    const double message = 2 * static_cast<double>(r.parameters.total);
    CHECK(r.collective->message.value == Approx(message));
    CHECK(r.collective->cost.transfer.value == Approx(2 * 63.0 / 64 * message / 12.5e9));
    CHECK(r.collective->cost.transfer.value == Approx(2.205).epsilon(0.04)); // 6.74 billion for 7
    CHECK(r.memory.fits());
    s.parallel.zero = 0;
    CHECK(16 * static_cast<double>(r.parameters.total) > 80e9);
    CHECK_FALSE(report(s).memory.fits());
}
