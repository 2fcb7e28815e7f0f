// The lab's switches: what is predicted of each against what the processor's backend then needs, to the byte;
// forecasts and batches worked by hand; a number format that changes while the run goes on.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/switches.h"
#include "core/lab/trainer/run.h"

#include <catch2/catch_approx.hpp>

#include <set>

using namespace ringside;
using namespace ringside::test;
using Catch::Approx;

namespace
{

constexpr double kPatience = 60; // [s]

TrainerConfig base_for(const LabSwitch& s)
{
    TrainerConfig c = tiny_config();
    c.training.micro_batch = c.training.global_batch = 4;
    if (!s.refuses(c).empty())
    {
        c.training.precision = Precision::fp16;
    }
    return c;
}

const LabSwitch& switch_of(std::string_view id)
{
    const auto found = std::ranges::find(lab_switches(), id, &LabSwitch::id);
    REQUIRE(found != lab_switches().end());
    return *found;
}

// A run on one thread that can be asked for a number of steps.
class Run
{
public:
    explicit Run(const TrainerConfig& config)
        : run_(config, [] { return std::make_unique<trainer::CpuBackend>(1); }, {.paused = true})
    {
    }
    const TrainingSnapshot& to(std::int64_t step)
    {
        trainer::RunSettings settings;
        settings.last_step = step;
        run_.change(settings);
        run_.resume();
        REQUIRE(run_.wait_until_idle(kPatience));
        return seen();
    }
    const TrainingSnapshot& change(const TrainerConfig& config)
    {
        run_.change(config);
        REQUIRE(run_.wait_until_idle(kPatience));
        return seen();
    }
    void mark() { run_.mark(); }
    const TrainingSnapshot& rewind(std::int64_t step)
    {
        run_.rewind(step);
        REQUIRE(run_.wait_until_idle(kPatience));
        return seen();
    }

private:
    const TrainingSnapshot& seen()
    {
        seen_ = run_.snapshot();
        return *seen_;
    }
    trainer::TrainingRun run_;
    std::shared_ptr<const TrainingSnapshot> seen_;
};

ExponentHistogram counted(std::initializer_list<std::pair<int, std::int64_t>> powers)
{
    ExponentHistogram h;
    for (const auto& [power, count] : powers)
    {
        h.counts.at(static_cast<std::size_t>(power + 127)) = count;
    }
    return h;
}

} // namespace

TEST_CASE("every switch changes a configuration that can be trained into another, and puts it back")
{
    std::set<std::string_view> keys;
    std::set<std::string_view> ids;
    for (const LabSwitch& s : lab_switches())
    {
        INFO(s.id);
        CHECK(keys.insert(s.key).second);
        CHECK(ids.insert(s.id).second);
        CHECK(s.predict.ends_with('?'));
        CHECK(s.because.ends_with('.'));
        const TrainerConfig before = base_for(s);
        CHECK(s.refuses(before).empty());
        TrainerConfig next = before;
        s.turn(next);
        CHECK(prepared(next));
        CHECK_FALSE(next == before);
        CHECK(s.says(next) != s.says(before));
        s.put_back(before, next);
        CHECK(next == before);
    }
    CHECK(keys.size() == 9);
}

TEST_CASE("the memory predicted for every switch is what the run then takes, to the byte, and taken back")
{
    for (const LabSwitch& s : lab_switches())
    {
        INFO(s.id);
        const TrainerConfig before = base_for(s);
        TrainerConfig next = before;
        s.turn(next);
        const SwitchForecast f = forecast_of(prediction_of(before, {}), prediction_of(next, {}));
        Run run(before);
        CHECK(figures_of(run.to(4), 0).memory == f.memory_now);
        REQUIRE(run.change(next).state != RunState::failed);
        const TrainingSnapshot& after = run.to(8);
        CHECK(after.step == 8); // it went on
        CHECK(figures_of(after, 4).memory == f.memory);
        run.change(before);
        CHECK(figures_of(run.to(12), 8).memory == f.memory_now);
    }
}

TEST_CASE("switches refuse what they do not apply to, in a sentence")
{
    const TrainerConfig c = tiny_config(); // fp32, three sequences
    CHECK(switch_of("overflow").refuses(c) == "Only in fp16: press N first");
    CHECK(switch_of("accumulation").refuses(c) == "Needs a multiple of 4 sequences");
    TrainerConfig half = c;
    half.training.precision = Precision::fp16;
    CHECK(switch_of("half").refuses(half) == "The run is in fp16 already");
    TrainerConfig alone = c;
    alone.training.precision = Precision::bf16;
    alone.recipe.master_weights = false;
    CHECK(switch_of("half").refuses(alone) == "Needs fp32 weights to go on from");
}

TEST_CASE("the micro-batch doubles up to 64 and begins at 1 again, whatever is accumulated")
{
    const LabSwitch& s = switch_of(kBatchSwitch);
    TrainerConfig c = tiny_config();
    c.training.micro_batch = 16;
    c.training.global_batch = 32;
    s.turn(c);
    CHECK(c.training.micro_batch == 32);
    s.turn(c);
    CHECK(c.training.micro_batch == 64);
    s.turn(c);
    CHECK(c.training.micro_batch == 1);
    CHECK(c.accumulation() == 2);
}

TEST_CASE("hand-worked: the loss scale moves gradients out of zero and beyond the largest number of fp16")
{
    TrainingSnapshot run;
    run.config = tiny_config(); // fp32: no scale
    run.activation_gradients = counted({{-30, 10}, {-20, 70}, {-10, 17}, {3, 3}});
    LabPrediction now;
    now.of = run.config;
    LabPrediction next = now;
    CHECK_FALSE(forecast_of(now, next, &run).zeros); // fp32 holds them all
    next.of->training.precision = Precision::fp16;
    next.of->recipe.loss_scale = 1;
    CHECK(*forecast_of(now, next, &run).zeros == Approx(0.1)); // 2^-30 rounds to zero, 2^-20 does not
    CHECK_FALSE(forecast_of(now, next, &run).overflows);
    next.of->recipe.loss_scale = 0x1p10; // 2^-20 is the smallest, 2^13 the largest
    CHECK(*forecast_of(now, next, &run).zeros == 0);
    CHECK_FALSE(forecast_of(now, next, &run).overflows);
    next.of->recipe.loss_scale = 0x1p16; // 2^19, and fp16 ends below 2^16: four halvings
    CHECK(forecast_of(now, next, &run).overflows);
    CHECK(forecast_of(now, next, &run).halvings == 4);
    run.counted_scale = 0x1p16; // counted with that scale already: 2^3 and 2^-30 as they are
    CHECK_FALSE(forecast_of(now, next, &run).overflows);
    run.activation_gradients.counts.back() = 1;
    CHECK_FALSE(forecast_of(now, next, &run).zeros);
}

TEST_CASE("hand-worked: steps are told apart by micro-batch, and only those that nothing else has changed")
{
    TrainingSnapshot run;
    run.config = tiny_config();
    run.config.training.micro_batch = 4;
    run.step = 30;
    run.seconds.assign(30, 0.004F);
    std::fill_n(run.seconds.begin(), 10, 0.001F);
    std::fill_n(run.seconds.begin() + 10, 10, 0.002F);
    run.changes = {
        {10, "micro-batch", "1", "2"}, {15, "learning rate", "0.1", "1"}, {20, "micro-batch", "2", "4"}};
    const auto points = batch_points(run);
    REQUIRE(points.size() == 3);
    CHECK(points[0].batch == 1);
    CHECK(points[0].seconds == Approx(0.001));
    CHECK(points[1].seconds == Approx(0.002));
    CHECK(points[2].seconds == Approx(0.004));
    run.changes[1].knob = "flash attention"; // the first ten steps were others
    REQUIRE(batch_points(run).size() == 2);
    CHECK(batch_points(run)[0].batch == 2);
    CHECK(figures_of(run, last_change(run)).seconds == Approx(0.004));
    CHECK(figures_after({.step = 19}, run).steps == 10); // pressed after 19 steps, taken after 20
    CHECK(figures_after({.step = 21}, run).steps == 0);  // not taken yet
}

TEST_CASE("a run goes on in another number format from the fp32 weights it has")
{
    const TrainerConfig full = tiny_config();
    TrainerConfig half = full;
    half.training.precision = Precision::fp16;
    CHECK(same_weights(full, half));
    CHECK_FALSE(same_state(full, half));
    Run plain(full);
    const auto expected = plain.to(20).losses;
    Run turned(full);
    turned.to(10);
    turned.change(half);
    CHECK(turned.change(full).step == 10); // there and back without a step: nothing is lost
    CHECK(turned.to(20).losses == expected);
    Run stays(full);
    stays.to(10);
    stays.mark();
    CHECK(stays.change(half).changes.back() == KnobChange{10, "precision", "fp32", "fp16"});
    const TrainingSnapshot& after = stays.to(20);
    CHECK(after.step == 20);
    CHECK(after.losses[9] == expected[9]);
    CHECK(after.losses[19] == Approx(expected[19]).margin(0.02)); // rounded, not another run
    CHECK(stays.rewind(15).step == 10);                           // a mark in another format
    CHECK(stays.to(12).losses[9] == expected[9]);
}

TEST_CASE("kernels that are not fused make the same steps, and their launches and bytes are counted")
{
    TrainerConfig apart = tiny_config();
    apart.recipe.fused = false;
    const auto fused = make_trainer(tiny_config());
    const auto unfused = make_trainer(apart);
    const auto expected = train(*fused, 10);
    const auto losses = train(*unfused, 10);
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        CHECK(losses[i] == Approx(expected[i]).epsilon(1e-6)); // sums in another order
    }
    for (const auto& [untied, rope, norm, experts] :
         {std::tuple{false, false, Norm::layernorm, 0}, std::tuple{true, true, Norm::rmsnorm, 0},
          std::tuple{false, false, Norm::layernorm, 4}})
    {
        TrainerConfig c = tiny_config();
        c.model.tied_embeddings = !untied;
        c.model.positions = rope ? Positions::rope : Positions::learned;
        c.model.norm = norm;
        c.model.experts = experts;
        c.model.experts_per_token = experts > 0 ? 2 : 0;
        c.model.expert_ffn = experts > 0 ? 16 : 0;
        const auto t = make_trainer(c);
        CHECK(tensors_of(t->config().model) == std::ssize(t->parameters().list));
    }
    // 2 layers with 2 residuals of 3 x 8 x 16 floats, each three times: 18 432 bytes at 1 GB/s; 4 launches
    // and those of the further tensors at 10 us, where the engine counts more launches than there are.
    Gpu gpu;
    gpu.bf16_tflops = 1;
    gpu.hbm_gb_per_s = 1;
    gpu.calibration.hbm_efficiency = 1;
    gpu.calibration.kernel_us = 10 * kTrainerKernels;
    const double more =
        prediction_of(apart, gpu).step_seconds - prediction_of(tiny_config(), gpu).step_seconds;
    const auto tensors = static_cast<double>(tensors_of(prepared(apart)->model));
    CHECK(more == Approx(18'432e-9 + (4 + tensors - 1) * 10e-6));
}
