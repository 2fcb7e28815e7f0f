#include <fmt/format.h>

#include "app/input.h"
#include "app/openblas.h"
#include "app/train_command.h"
#include "core/base/text.h"
#include "core/engine/compute.h"
#include "core/trainer/cpu/pool.h"
#include "core/trainer/devices.h"
#include "core/trainer/probe.h"
#include "core/trainer/trainer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace ringside
{

namespace
{

constexpr double kSeconds = 3; // of training

// 4 layers of width 128, 8 sequences of 64 tokens: the size a class trains.
TrainerConfig benchmark_config()
{
    TrainerConfig c = default_trainer_config();
    c.model.layers = 4, c.model.hidden = 128, c.model.heads = 4;
    c.data.task = LabTask::copy, c.data.symbols = 64;
    return c;
}

struct TrainBench
{
    std::string device;
    double tokens = 0;      // of a step
    double step_s = 0;      // the shortest
    double predicted_s = 0; // by the engine, from the rates
    double step_flops = 0;  // the model's
    double product_flops = 0;
    std::optional<double> openblas_flops; // on a CPU, where it is installed

    double sgemm_flops() const { return openblas_flops.value_or(product_flops); }
    double flops() const { return step_flops / step_s; }
};

// [s] of the shortest step.
Result<double> shortest_step(trainer::Trainer& t)
{
    using Clock = std::chrono::steady_clock;
    const auto seconds_since = [](Clock::time_point start)
    { return std::chrono::duration<double>(Clock::now() - start).count(); };
    double best = kSeconds;
    for (const auto begin = Clock::now(); seconds_since(begin) < kSeconds;)
    {
        const auto start = Clock::now();
        const auto result = t.step();
        if (!result)
        {
            return result.issues();
        }
        best = std::min(best, seconds_since(start));
    }
    return best;
}

Result<TrainBench> bench_train()
{
    auto device = trainer::open_device("auto");
    if (!device)
    {
        return device.issues();
    }
    TrainBench out;
    out.device = device->backend->name();
    auto made = trainer::Trainer::create(benchmark_config(), std::move(device->backend));
    if (!made)
    {
        return made.issues();
    }
    trainer::Trainer& t = **made;
    const TrainerConfig& config = t.config();
    const trainer::DeviceRates rates = trainer::measure(t.backend(), config);
    const auto step = shortest_step(t);
    if (!step)
    {
        return step.issues();
    }
    out.step_s = *step;
    out.tokens = static_cast<double>(config.training.global_batch * config.training.sequence_length);
    out.predicted_s = trainer::predicted_step_s(config, trainer::gpu_of(rates, t.backend()));
    out.step_flops = compute_report(scenario_of(config)).model_step.value;
    out.product_flops = rates.product_flops;
    if (!t.backend().is_gpu())
    {
        out.openblas_flops = openblas_sgemm_flops(trainer::cpu::default_threads());
    }
    return out;
}

void print_bench(const TrainBench& b)
{
    const auto line = [](std::string_view name, const std::string& value)
    { fmt::print("{:<50}{:>16}\n", name, value); };
    fmt::print("{}\n", b.device);
    line("tokens a second (4 layers of width 128, 8 x 64)",
         grouped(static_cast<std::int64_t>(b.tokens / b.step_s)));
    line("model FLOPs", three_digits(b.flops() / 1e9) + " GFLOP/s");
    line("large matrix product of the same kernels", three_digits(b.product_flops / 1e9) + " GFLOP/s");
    line("its share of that", format_percent(b.flops() / b.product_flops));
    line("OpenBLAS sgemm, 1024 x 1024 x 1024",
         b.openblas_flops ? three_digits(*b.openblas_flops / 1e9) + " GFLOP/s" : "not installed");
    if (b.openblas_flops)
    {
        line("its share of that", format_percent(b.flops() / *b.openblas_flops));
    }
    line("a step, measured", format_seconds(Seconds(b.step_s)));
    line("a step, predicted by the engine from a probe", format_seconds(Seconds(b.predicted_s)));
}

} // namespace

int run_bench_train(const CommonOptions& common)
{
    const auto bench = bench_train();
    if (!bench)
    {
        return print_faults(bench.issues());
    }
    if (!common.json)
    {
        print_bench(*bench);
        return kDone;
    }
    const nlohmann::json out{{"device", bench->device},
                             {"tokens_per_s", bench->tokens / bench->step_s},
                             {"gflops", bench->flops() / 1e9},
                             {"sgemm_gflops", bench->sgemm_flops() / 1e9},
                             {"sgemm", bench->openblas_flops ? "OpenBLAS" : "own kernels"},
                             {"own_sgemm_gflops", bench->product_flops / 1e9},
                             {"ratio", bench->flops() / bench->sgemm_flops()},
                             {"step_s", bench->step_s},
                             {"predicted_step_s", bench->predicted_s}};
    fmt::print("{}\n", out.dump());
    return kDone;
}

} // namespace ringside
