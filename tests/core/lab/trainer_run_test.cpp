// Saving and going on, and the run on its own thread: knobs, pauses, marks, stopping.
#include "tests/core/lab/trainer_support.h"
#include "tests/threads.h"

#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/probe/late_probe.h"
#include "core/lab/trainer/run.h"

#include <catch2/catch_approx.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <future>

using namespace ringside;
using namespace ringside::test;
using trainer::Checkpoint;
using trainer::RunSettings;
using trainer::TrainingRun;

namespace
{

TrainingRun::OpenBackend on_cpu(std::size_t threads = 1)
{
    return [threads] { return std::make_unique<trainer::CpuBackend>(threads); };
}

constexpr double kPatience = 60; // [s]

} // namespace

TEST_CASE("a saved run goes on bit for bit, in every precision and with every optimizer")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16, Precision::fp8})
    {
        for (const Optimizer optimizer : {Optimizer::adamw, Optimizer::sgd_momentum})
        {
            CAPTURE(name_of(precision), name_of(optimizer));
            TrainerConfig c = tiny_config();
            c.training.precision = precision;
            c.training.optimizer = optimizer;
            c.recipe.stochastic_rounding = true;
            auto whole = make_trainer(c);
            train(*whole, 4);
            const auto text = trainer::checkpoint_text({whole->config(), whole->state()});
            const auto losses = train(*whole, 4);

            const auto saved = trainer::checkpoint_from_text(text);
            REQUIRE(saved);
            CHECK(saved->config == whole->config());
            auto again = make_trainer(saved->config);
            REQUIRE(again->restore(saved->state).empty());
            CHECK(train(*again, 4) == losses);
            CHECK(again->state() == whole->state());
        }
    }
}

TEST_CASE("a run without a thread makes the same steps, a slice of time after the other")
{
    RunSettings settings;
    settings.last_step = 6;
    TrainingRun threaded(tiny_config(), on_cpu(), settings);
    REQUIRE(threaded.wait_until_idle(kPatience));
    settings.threaded = false;
    TrainingRun stepped(tiny_config(), on_cpu(), settings);
    CHECK(stepped.snapshot()->step == 0);
    int slices = 1;
    for (; stepped.advance(0) && slices < 100; ++slices)
    {
    }
    CHECK(slices == 6); // without time, a step each
    CHECK(stepped.snapshot()->state == RunState::paused);
    CHECK(stepped.snapshot()->losses == threaded.snapshot()->losses);
    stepped.step_once();
    CHECK_FALSE(stepped.advance(kPatience));
    CHECK(stepped.snapshot()->step == 7);
}

TEST_CASE("leaving a moment out of a state shows in the very next step")
{
    auto whole = make_trainer(tiny_config());
    train(*whole, 5);
    auto state = whole->state();
    for (auto& part : state.parts)
    {
        if (part.name == "variance")
        {
            std::fill(part.bytes.begin(), part.bytes.end(), '\0');
        }
    }
    auto other = make_trainer(tiny_config());
    REQUIRE(other->restore(state).empty());
    CHECK(step(*other).loss == step(*whole).loss);
    CHECK(step(*other).loss != step(*whole).loss);
}

TEST_CASE("what is no checkpoint, or no longer whole, is a fault")
{
    auto t = make_trainer(tiny_config());
    const std::string text = trainer::checkpoint_text({t->config(), t->state()});
    REQUIRE(trainer::checkpoint_from_text(text));
    CHECK_FALSE(trainer::checkpoint_from_text(""));
    CHECK_FALSE(trainer::checkpoint_from_text("{}"));
    CHECK(trainer::checkpoint_from_text("ringside.checkpoint/9\n").issues().front().message ==
          "is of another version");
    for (const std::size_t length :
         {std::size_t{22}, std::size_t{30}, std::size_t{200}, text.size() / 2, text.size() - 1})
    {
        INFO(length);
        CHECK_FALSE(trainer::checkpoint_from_text(std::string_view(text).substr(0, length)));
    }
    for (const std::size_t at : {std::size_t{25}, std::size_t{100}, text.size() - 20})
    {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        CHECK_FALSE(trainer::checkpoint_from_text(changed));
    }
    // Whole, but nothing that a training could have come to.
    const auto forged = [&](const auto& change)
    {
        trainer::Checkpoint checkpoint{t->config(), t->state()};
        change(checkpoint.state);
        return trainer::checkpoint_from_text(trainer::checkpoint_text(checkpoint));
    };
    CHECK(forged([](trainer::TrainerState&) {}));
    CHECK_FALSE(forged([](trainer::TrainerState& s) { s.step = -5; }));
    CHECK_FALSE(forged([](trainer::TrainerState& s) { s.step = 1'000'000'000'000'000; }));
    CHECK_FALSE(forged([](trainer::TrainerState& s) { s.updates = s.step + 1; }));
    CHECK_FALSE(forged(
        [](trainer::TrainerState& s)
        {
            const auto variance = std::ranges::find(s.parts, "variance", &trainer::TrainerState::Part::name);
            REQUIRE(variance != s.parts.end());
            const float negative = -1e-6F; // of a mean of squares
            std::memcpy(variance->bytes.data(), &negative, sizeof negative);
        }));
    CHECK_FALSE(forged([](trainer::TrainerState& s) { s.scale.good_steps = -1; }));
    for (const double scale : {0.0, -1.0, 1e308, std::numeric_limits<double>::infinity()})
    {
        CHECK_FALSE(forged([scale](trainer::TrainerState& s) { s.scale.value = scale; }));
    }
    for (std::size_t part = 0; part < t->state().parts.size(); ++part)
    {
        INFO(t->state().parts[part].name);
        CHECK_FALSE(forged(
            [part](trainer::TrainerState& s)
            {
                std::ranges::fill_n(s.parts[part].bytes.begin(), 4, '\xff'); // NaN in every format
            }));
    }
    TrainerConfig wider = tiny_config();
    wider.model.hidden = 32;
    CHECK(make_trainer(wider)->restore(t->state()).size() == 1);
}

TEST_CASE("a run makes the steps that the trainer makes, and pauses at the last")
{
    auto alone = make_trainer(tiny_config());
    const auto losses = train(*alone, 12);
    RunSettings settings;
    settings.last_step = 12;
    settings.sample_every = 6;
    TrainingRun run(tiny_config(), on_cpu(2), settings);
    REQUIRE(run.wait_until_idle(kPatience));
    const auto seen = run.snapshot();
    CHECK(seen->state == RunState::paused);
    CHECK(seen->step == 12);
    REQUIRE(seen->losses.size() == 12);
    for (std::size_t i = 0; i < losses.size(); ++i)
    {
        CHECK(static_cast<double>(seen->losses[i]) == Catch::Approx(losses[i]));
    }
    CHECK(seen->loss == losses.back());
    CHECK(seen->tokens_per_second > 0);
    CHECK(seen->flops_per_second > 0);
    CHECK(seen->peak.total() > 0);
    CHECK(seen->timeline.size() == 8); // start, embedding, 2 forward, head, 2 backward, update
    CHECK(seen->sample_step == 12);
    CHECK(seen->sample.size() > 100);
    std::int64_t gradients = 0;
    for (const std::int64_t count : seen->activation_gradients.counts)
    {
        gradients += count;
    }
    CHECK(gradients > 1000);
    CHECK(seen->activation_gradients.counts[255] == 0);
}

TEST_CASE("a paused run does nothing until it is asked, step by step")
{
    RunSettings settings;
    settings.paused = true;
    TrainingRun run(tiny_config(), on_cpu(), settings);
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->step == 0);
    for (std::int64_t step = 1; step <= 3; ++step)
    {
        run.step_once();
        REQUIRE(run.wait_until_idle(kPatience));
        CHECK(run.snapshot()->step == step);
        CHECK(run.snapshot()->state == RunState::paused);
    }
}

TEST_CASE("knobs turned while it runs count from the next step on")
{
    RunSettings settings;
    settings.paused = true;
    TrainingRun run(tiny_config(), on_cpu(), settings);
    TrainerConfig c = tiny_config();
    c.recipe.learning_rate = 0.125;
    c.recipe.warmup_steps = c.recipe.decay_steps = 0;
    c.training.micro_batch = 2;
    c.training.global_batch = 6;
    c.training.recompute = Recompute::full;
    run.change(c);
    run.step_once();
    REQUIRE(run.wait_until_idle(kPatience));
    auto seen = run.snapshot();
    CHECK(seen->learning_rate == 0.125);
    CHECK(seen->config.accumulation() == 3);
    CHECK(seen->events.empty());

    c.model.hidden = 32;
    run.change(c);
    REQUIRE(run.wait_until_idle(kPatience));
    seen = run.snapshot();
    REQUIRE(seen->events.size() == 1);
    CHECK(seen->config.model.hidden == 16);
    run.step_once();
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->step == 2);
}

TEST_CASE("rewinding to a mark makes the same steps again")
{
    RunSettings settings;
    settings.last_step = 5;
    TrainingRun run(tiny_config(), on_cpu(), settings);
    REQUIRE(run.wait_until_idle(kPatience));
    run.mark();
    settings.last_step = 9;
    run.change(settings);
    run.resume();
    REQUIRE(run.wait_until_idle(kPatience));
    const auto first = run.snapshot();
    CHECK(first->marks == std::vector<std::int64_t>{0, 5});
    run.rewind(7);
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->step == 5);
    CHECK(run.snapshot()->losses.size() == 5);
    run.resume();
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->losses == first->losses);
    run.rewind(4);
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->step == 0);
}

TEST_CASE("a checkpoint of a run at work is one between two steps")
{
    TrainingRun run(tiny_config(), on_cpu());
    std::promise<Checkpoint> promise;
    run.checkpoint([&](const Checkpoint& c) { promise.set_value(c); });
    const Checkpoint taken = promise.get_future().get();
    auto again = make_trainer(taken.config);
    REQUIRE(again->restore(taken.state).empty());
    auto from_start = make_trainer(tiny_config());
    train(*from_start, static_cast<int>(taken.state.step));
    CHECK(from_start->state() == taken.state);
}

TEST_CASE("a run that cannot start says why, and takes commands without harm")
{
    TrainerConfig c = tiny_config();
    c.model.experts = 8;
    TrainingRun run(c, on_cpu());
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->state == RunState::failed);
    CHECK(run.snapshot()->message.find("model.experts") != std::string::npos);
    run.resume();
    run.sample();
    run.mark();
    run.rewind(3);
    REQUIRE(run.wait_until_idle(kPatience));
    CHECK(run.snapshot()->state == RunState::failed);
}

TEST_CASE("starting and stopping 200 times leaves no thread behind")
{
    const std::size_t before = test::threads_of_this_process();
    for (int i = 0; i < 200; ++i)
    {
        TrainingRun run(tiny_config(), on_cpu(3));
        if (i % 3 == 0)
        {
            run.pause();
        }
        if (i % 5 == 0)
        {
            run.sample();
        }
    }
    CHECK(test::threads_are_back_to(before));
}

TEST_CASE("a step of seconds is stopped inside, and changes nothing")
{
    TrainerConfig c = tiny_config();
    auto t = make_trainer(c);
    const auto before = t->state();
    std::atomic<bool> stop = true;
    const auto result = t->step(&stop);
    REQUIRE(result);
    CHECK_FALSE(result->done);
    CHECK(t->state() == before);
}

TEST_CASE("the device is chosen with a reason")
{
    const auto cpu = trainer::open_device("cpu", 2);
    REQUIRE(cpu);
    CHECK(cpu->says.starts_with("training on CPU, 2 threads"));
    const auto chosen = trainer::open_device("auto", 1);
    REQUIRE(chosen);
    CHECK_FALSE(chosen->says.empty());
    CHECK_FALSE(trainer::open_device("tpu"));
}

TEST_CASE("what is measured of a device is an accelerator that the engine can predict steps for")
{
    trainer::CpuBackend backend(1);
    const auto config = prepared(tiny_config());
    REQUIRE(config);
    const auto rates = trainer::measure(backend, *config, 0.05);
    const Gpu gpu = trainer::gpu_of(rates, config->training.precision);
    CHECK(rates.full.product_flops > 1e8);
    CHECK(gpu.bf16_tflops * 1e12 / 2 >= 0.999 * rates.full.product_flops); // fp32 is half of it
    CHECK(trainer::gpu_of(rates, Precision::bf16).bf16_tflops * 1e12 >= 0.999 * rates.half.product_flops);
    CHECK(gpu.hbm_gb_per_s > 0);
    CHECK(gpu.memory_gb > 0.1);
    CHECK(gpu.calibration.attention_efficiency > 0);
    CHECK(gpu.calibration.gemm_efficiency > 0);
    CHECK(gpu.calibration.gemm_efficiency <= 1);
    CHECK(trainer::predicted_step_s(*config, gpu) > 0);
}

TEST_CASE("a machine is measured with copies and products of rising size, each with a time")
{
    const auto config = prepared(tiny_config());
    REQUIRE(config);
    const Machine machine = trainer::machine_of(
        trainer::machine_rates(std::make_unique<trainer::CpuBackend>(1), *config), "2026-11-28");
    CHECK(machine.own);
    CHECK(machine.launch_s > 0);
    CHECK(machine.attention_flops > 1e6);
    CHECK(machine.peak() > 1e8);
    CHECK(machine.bandwidth() > 1e8);
    std::vector<double> products;
    std::vector<double> copies;
    for (const MachinePoint& point : machine.points)
    {
        CHECK(point.seconds > 0);
        (point.flops > 0 ? products : copies).push_back(point.bytes);
    }
    CHECK(products.size() >= 4);
    CHECK(copies.size() >= 3);
    CHECK(std::ranges::is_sorted(products));
    CHECK(std::ranges::is_sorted(copies));
    const auto read = machines_from_json(to_json(std::vector{machine}));
    REQUIRE(read);
    CHECK(read->front() == machine);
}
