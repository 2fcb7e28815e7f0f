// The formats the trainer stores numbers in, against the engine's own rounding, for every instruction set
// this processor has; the elementary functions; and what training in few bits does.
#include "tests/core/lab/trainer_support.h"

#include "core/network/compression/arithmetic.h"
#include "core/training/number_format.h"

#include <catch2/catch_approx.hpp>

#include <cmath>
#include <limits>

using namespace ringside;
using namespace ringside::test;
using trainer::DType;

namespace
{

std::vector<const trainer::cpu::Kernels*> all_kernels()
{
    const auto list = trainer::cpu::usable_kernels();
    return {list.kernels, list.kernels + list.count};
}

// There and back again.
std::vector<float> through(const trainer::cpu::Kernels& kernels, const std::vector<float>& values, DType type)
{
    const auto n = static_cast<trainer::Index>(values.size());
    std::vector<char> stored(values.size() * 4);
    std::vector<float> out = values;
    float scale = 1;
    const auto narrow = trainer::tensor(stored.data(), type, 1, n, &scale);
    const auto wide = trainer::tensor(out.data(), DType::f32, 1, n);
    kernels.convert({.from = wide, .to = narrow}, {0, 1});
    kernels.convert({.from = narrow, .to = wide}, {0, 1});
    return out;
}

// Floats of every exponent, on and beside the places where rounding turns.
std::vector<float> all_kinds_of_floats()
{
    std::vector<float> values{0.0F, -0.0F, 65504.0F, 65519.0F, 65520.0F, 1e30F, -1e30F, 448.0F};
    for (std::uint32_t high = 0; high < 0x7F80U; high += 3)
    {
        for (const std::uint32_t low :
             {0x0000U, 0x0FFFU, 0x1000U, 0x1001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU})
        {
            const std::uint32_t bits = high << 16U | low;
            float value = 0;
            std::memcpy(&value, &bits, 4);
            values.push_back(value);
            values.push_back(-value);
        }
    }
    values.resize(16384);
    return values;
}

} // namespace

TEST_CASE("bf16 and fp16 round as the engine's, subnormal and infinite numbers included")
{
    const auto values = all_kinds_of_floats();
    for (const auto* kernels : all_kernels())
    {
        INFO(kernels->name);
        const auto bf16 = through(*kernels, values, DType::bf16);
        const auto fp16 = through(*kernels, values, DType::f16);
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            CAPTURE(values[i]);
            REQUIRE(bf16[i] == round_to_bf16(values[i]));
            REQUIRE(fp16[i] == round_to_fp16(values[i]));
        }
        const float nan = std::numeric_limits<float>::quiet_NaN();
        CHECK(std::isnan(through(*kernels, {nan}, DType::bf16)[0]));
        CHECK(std::isnan(through(*kernels, {nan}, DType::f16)[0]));
    }
}

TEST_CASE("a row of 8-bit numbers is scaled to its largest and rounds as the engine's")
{
    for (const auto* kernels : all_kernels())
    {
        INFO(kernels->name);
        std::vector<float> values;
        for (int i = -2000; i <= 2000; ++i)
        {
            values.push_back(static_cast<float>(i) * 0.224F); // the largest is 448
        }
        const float scale = values.back() / kLargestE4m3;
        const auto e4m3 = through(*kernels, values, DType::e4m3);
        const auto e5m2 = through(*kernels, values, DType::e5m2);
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            CAPTURE(values[i]);
            REQUIRE(e4m3[i] == Catch::Approx(round_to_e4m3(values[i] * (1 / scale)) * scale));
            // 2 bits of fraction: an eighth of the value at most.
            REQUIRE(std::abs(e5m2[i] - values[i]) <= std::abs(values[i]) / 8 + 1e-6F);
        }
        CHECK(through(*kernels, {0.0F, 0.0F}, DType::e4m3) == std::vector<float>{0.0F, 0.0F});
    }
}

TEST_CASE("products are right for every format and shape, edges of tiles included")
{
    for (const auto* kernels : all_kernels())
    {
        trainer::CpuBackend backend(2, *kernels);
        for (const auto& [m, n, k] :
             {std::array<trainer::Index, 3>{1, 1, 1}, {7, 33, 300}, {65, 17, 40}, {200, 70, 513}})
        {
            for (int flips = 0; flips < 8; ++flips)
            {
                CAPTURE(kernels->name, m, n, k, flips);
                const bool a_t = (flips & 1) != 0;
                const bool b_t = (flips & 2) != 0;
                const DType type = (flips & 4) != 0 ? DType::bf16 : DType::f32;
                std::vector<float> a(static_cast<std::size_t>(m * k));
                std::vector<float> b(static_cast<std::size_t>(n * k));
                std::vector<float> bias(static_cast<std::size_t>(n));
                const auto small = [](std::size_t i) { return static_cast<float>((i * 7919) % 13) - 6.0F; };
                for (std::size_t i = 0; i < a.size(); ++i)
                {
                    a[i] = small(i);
                }
                for (std::size_t i = 0; i < b.size(); ++i)
                {
                    b[i] = small(i + 5);
                }
                for (std::size_t i = 0; i < bias.size(); ++i)
                {
                    bias[i] = small(i + 3);
                }
                std::vector<char> c(static_cast<std::size_t>(m * n * 4));
                backend.run(
                    trainer::Product{.a = trainer::tensor(a.data(), DType::f32, a_t ? k : m, a_t ? m : k),
                                     .b = trainer::tensor(b.data(), DType::f32, b_t ? n : k, b_t ? k : n),
                                     .c = trainer::tensor(c.data(), type, m, n),
                                     .a_transposed = a_t,
                                     .b_transposed = b_t,
                                     .bias = trainer::tensor(bias.data(), DType::f32, 1, n)});
                for (trainer::Index i = 0; i < m * n; i += 17)
                {
                    auto sum = static_cast<double>(bias[static_cast<std::size_t>(i % n)]);
                    for (trainer::Index j = 0; j < k; ++j)
                    {
                        const auto row = i / n;
                        const auto col = i % n;
                        sum +=
                            static_cast<double>(
                                a[static_cast<std::size_t>(a_t ? j * m + row : row * k + j)]) *
                            static_cast<double>(b[static_cast<std::size_t>(b_t ? col * k + j : j * n + col)]);
                    }
                    float got = 0;
                    if (type == DType::f32)
                    {
                        std::memcpy(&got, c.data() + i * 4, 4);
                        REQUIRE(static_cast<double>(got) == sum); // small whole numbers are exact
                        continue;
                    }
                    std::uint32_t bits = 0;
                    std::memcpy(reinterpret_cast<char*>(&bits) + 2, c.data() + i * 2, 2);
                    std::memcpy(&got, &bits, 4);
                    REQUIRE(got == round_to_bf16(static_cast<float>(sum)));
                }
            }
        }
    }
}

TEST_CASE("bf16 weights stand still without a master copy, and move again when rounding is by chance")
{
    // Two bf16 numbers near 0.02 are 1.2e-4 apart, and a step of AdamW is about as long as the rate.
    const auto end = [](bool master, bool stochastic, Precision precision)
    {
        TrainerConfig c = tiny_config();
        c.training.precision = precision;
        c.recipe.learning_rate = 4e-5;
        c.recipe.warmup_steps = 0;
        c.recipe.decay_steps = 0;
        c.recipe.master_weights = master;
        c.recipe.stochastic_rounding = stochastic;
        auto t = make_trainer(c);
        const auto losses = train(*t, 800);
        double mean = 0;
        for (std::size_t i = losses.size() - 20; i < losses.size(); ++i)
        {
            mean += losses[i] / 20;
        }
        return mean;
    };
    const double exact = end(false, false, Precision::fp32);
    const double master = end(true, false, Precision::bf16);
    const double none = end(false, false, Precision::bf16);
    const double chance = end(false, true, Precision::bf16);
    CAPTURE(exact, master, none, chance);
    CHECK(master == Catch::Approx(exact).margin(0.03));
    CHECK(none > exact + 0.1);
    CHECK(chance == Catch::Approx(exact).margin(0.06));
}

TEST_CASE("rounding by chance is right in the mean, and never leaves the two neighbours")
{
    trainer::CpuBackend backend(1);
    const trainer::Index n = 20000;
    for (const DType type : {DType::bf16, DType::f16})
    {
        // Without a gradient, SGD with rate 1 and decay 1 - x makes x of a weight of 1.
        const float x = type == DType::bf16 ? 1.0F + 0.3F / 128 : 1.0F + 0.3F / 1024;
        std::vector<std::uint16_t> weights(static_cast<std::size_t>(n));
        std::vector<float> master(static_cast<std::size_t>(n), x);
        std::vector<float> zeros(static_cast<std::size_t>(n), 0.0F);
        trainer::Update u;
        u.rule = trainer::UpdateRule::sgd;
        u.weights = weights.data();
        u.weight_type = type;
        u.master = master.data();
        u.gradients = zeros.data();
        std::vector<float> momentum(static_cast<std::size_t>(n), 0.0F);
        u.momentum = momentum.data();
        u.elements = n;
        u.stochastic = true;
        u.key = 5;
        backend.run(u);
        std::vector<float> back(static_cast<std::size_t>(n));
        backend.run(trainer::Convert{.from = trainer::tensor(weights.data(), type, 1, n),
                                     .to = trainer::tensor(back.data(), DType::f32, 1, n)});
        const float above = type == DType::bf16 ? 1.0F + 1.0F / 128 : 1.0F + 1.0F / 1024;
        int ups = 0;
        for (const float value : back)
        {
            REQUIRE((value == 1.0F || value == above));
            ups += value == above ? 1 : 0;
        }
        CHECK(ups == Catch::Approx(0.3 * n).epsilon(0.05));
    }
}

TEST_CASE("every precision learns the same task")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16, Precision::fp8})
    {
        INFO(name_of(precision));
        TrainerConfig c = tiny_config();
        c.data = {LabTask::copy, 4, "copy", nullptr};
        c.model.hidden = 32;
        c.training.sequence_length = 9;
        c.training.micro_batch = c.training.global_batch = 16;
        c.training.precision = precision;
        c.recipe.learning_rate = 1e-2;
        auto t = make_trainer(c);
        const auto losses = train(*t, 150);
        CHECK(losses.front() > 1.3);
        CHECK(losses.back() < 0.05);
    }
}

TEST_CASE("a loss scale that is too large skips steps until it has come down; a fixed one skips them all")
{
    TrainerConfig c = tiny_config();
    c.training.precision = Precision::fp16;
    c.recipe.loss_scale = 0x1p30;
    auto dynamic = make_trainer(c);
    int skipped = 0;
    trainer::StepResult last;
    for (int i = 0; i < 25; ++i)
    {
        last = step(*dynamic);
        skipped += last.skipped ? 1 : 0;
    }
    CHECK(skipped > 2);
    CHECK_FALSE(last.skipped);
    CHECK(last.loss_scale == 0x1p30 / std::pow(2, skipped));

    c.recipe.dynamic_scale = false;
    auto fixed = make_trainer(c);
    const auto before = fixed->state().parts;
    for (int i = 0; i < 5; ++i)
    {
        CHECK(step(*fixed).skipped);
    }
    CHECK(fixed->state().parts == before);
}

TEST_CASE("every 8- and 16-bit number the trainer stores is the engine's for the same code")
{
    const auto all = [](FormatId id, DType type)
    {
        const NumberFormat& format = number_format(id);
        std::vector<float> values;
        for (std::uint32_t code = 0; code < 1U << static_cast<unsigned>(format.bits()); code += 1)
        {
            const double value = decode(format, code);
            if (std::isfinite(value))
            {
                values.push_back(static_cast<float>(value));
            }
        }
        for (const auto* kernels : all_kernels())
        {
            INFO(kernels->name << " " << std::string(format.name));
            for (std::size_t first = 0; first < values.size(); first += 8192)
            {
                const auto end =
                    values.begin() + static_cast<std::ptrdiff_t>(std::min(first + 8192, values.size()));
                const std::vector<float> part(values.begin() + static_cast<std::ptrdiff_t>(first), end);
                REQUIRE(through(*kernels, part, type) == part);
            }
        }
    };
    all(FormatId::bf16, DType::bf16);
    all(FormatId::fp16, DType::f16);
    all(FormatId::e4m3, DType::e4m3);
    all(FormatId::e5m2, DType::e5m2);
}

TEST_CASE("the engine's own rounding, one number at a time, is the trainer's")
{
    const auto values = all_kinds_of_floats();
    for (const auto* kernels : all_kernels())
    {
        INFO(kernels->name);
        const auto bf16 = through(*kernels, values, DType::bf16);
        const auto fp16 = through(*kernels, values, DType::f16);
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            CAPTURE(values[i]);
            const auto exact = static_cast<double>(values[i]);
            REQUIRE(static_cast<double>(bf16[i]) == round_to(number_format(FormatId::bf16), exact));
            REQUIRE(static_cast<double>(fp16[i]) == round_to(number_format(FormatId::fp16), exact));
        }
    }
}

TEST_CASE("the loss scale halves on overflow and doubles after so many good steps")
{
    Recipe recipe;
    recipe.growth_interval = 3;
    trainer::LossScale scale{8, 0};
    CHECK_FALSE(scale.after(false, trainer::loss_scale_rule(recipe)));
    CHECK(scale.value == 4);
    CHECK(scale.after(true, trainer::loss_scale_rule(recipe)));
    CHECK(scale.after(true, trainer::loss_scale_rule(recipe)));
    CHECK(scale.value == 4);
    CHECK(scale.after(true, trainer::loss_scale_rule(recipe)));
    CHECK(scale.value == 8);
    scale = {1, 2};
    CHECK_FALSE(scale.after(false, trainer::loss_scale_rule(recipe)));
    CHECK(scale == trainer::LossScale{1, 0});
    recipe.dynamic_scale = false;
    scale = {64, 0};
    CHECK_FALSE(scale.after(false, trainer::loss_scale_rule(recipe)));
    CHECK(scale.value == 64);
}
