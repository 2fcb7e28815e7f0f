// `ringside bench train`: how fast the lab trains on this machine.
#include "app/commands/console/input.h"
#include "app/commands/train/train_lines.h"
#include "core/base/text/text.h"
#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/probe/probe.h"

#include <algorithm>

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
    trainer::DeviceRates rates;
    trainer::FormatRates format; // of the configuration's precision

    double flops() const { return step_flops / step_s; }
};

// [s] of the shortest step.
double shortest_step(trainer::Trainer& t)
{
    double best = kSeconds;
    for (const double begin = trainer::seconds_now(); trainer::seconds_now() - begin < kSeconds;)
    {
        const double start = trainer::seconds_now();
        or_end(t.step());
        best = std::min(best, trainer::seconds_now() - start);
    }
    return best;
}

TrainBench bench_train()
{
    trainer::Device device = or_end(trainer::open_device("auto"));
    TrainBench out;
    out.device = device.backend->name();
    const auto made = or_end(trainer::Trainer::create(benchmark_config(), std::move(device.backend)));
    trainer::Trainer& t = *made;
    const TrainerConfig& config = t.config();
    out.rates = trainer::measure(t.backend(), config);
    out.format = out.rates.of(config.training.precision);
    out.step_s = shortest_step(t);
    out.tokens = static_cast<double>(config.training.global_batch * config.training.sequence_length);
    out.predicted_s =
        trainer::predicted_step_s(config, trainer::gpu_of(out.rates, config.training.precision));
    out.step_flops = compute_report(scenario_of(config)).model_step.value;
    return out;
}

void print_bench(const TrainBench& b)
{
    const auto line = [](std::string_view name, const std::string& value)
    { fmt::print("{:<50}{:>16}\n", name, value); };
    fmt::print("{}\n", b.device);
    line("tokens per second (4 layers of width 128, 8 x 64)",
         grouped(static_cast<std::int64_t>(b.tokens / b.step_s)));
    line("model FLOPs", three_digits(b.flops() / 1e9) + " GFLOP/s");
    line("large GEMM with the same kernels", three_digits(b.format.product_flops / 1e9) + " GFLOP/s");
    line("fraction of that", format_percent(b.flops() / b.format.product_flops));
    line("step time, measured", format_seconds(Seconds(b.step_s)));
    line("step time, predicted by the engine from a probe", format_seconds(Seconds(b.predicted_s)));
}

} // namespace

int run_bench_train(const CommonOptions& options)
{
    const TrainBench bench = bench_train();
    if (!options.json)
    {
        print_bench(bench);
        return kDone;
    }
    print_document({{"device", bench.device},
                    {"tokens_per_s", bench.tokens / bench.step_s},
                    {"gflops", bench.flops() / 1e9},
                    {"sgemm_gflops", bench.format.product_flops / 1e9},
                    {"ratio", bench.flops() / bench.format.product_flops},
                    {"step_s", bench.step_s},
                    {"predicted_step_s", bench.predicted_s},
                    {"layer_gflops", bench.format.layer_flops / 1e9},
                    {"attention_gflops", bench.format.attention_flops / 1e9},
                    {"copy_gb_per_s", bench.rates.copy_bytes / 1e9},
                    {"operation_us", bench.rates.operation_s * 1e6}},
                   -1);
    return kDone;
}

} // namespace ringside
