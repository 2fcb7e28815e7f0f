// `ringside bench train`: how fast the lab trains on this machine, and where the time goes.
#include "app/commands/console/input.h"
#include "app/commands/console/table.h"
#include "app/commands/train/train_lines.h"
#include "core/base/json/json_text.h"
#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/probe/probe.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kSeconds = 3;       // of training
constexpr double kKernelSeconds = 1; // of timing kernels
constexpr double kMostRepeats = 64;  // of each launch

// 4 layers of width 128, 8 sequences of 64 tokens: the size a class trains.
TrainerConfig benchmark_config()
{
    TrainerConfig c = default_trainer_config();
    c.model.layers = 4, c.model.hidden = 128, c.model.heads = 4;
    c.data.task = LabTask::copy, c.data.symbols = 64;
    return c;
}

// The layers of GPT-2 124M (Radford et al. 2019, table 2), 8 sequences of 1,024 tokens.
TrainerConfig large_config()
{
    TrainerConfig c = benchmark_config();
    c.model.layers = 12, c.model.hidden = 768, c.model.heads = 12;
    c.training.sequence_length = 1024;
    c.training.precision = Precision::bf16;
    return c;
}

struct TrainBench
{
    std::string device;
    std::string model;
    double tokens = 0;      // of a step
    double step_s = 0;      // the shortest
    double predicted_s = 0; // by the engine, from the rates
    double step_flops = 0;  // the model's
    trainer::DeviceRates rates;
    trainer::FormatRates format; // of the configuration's precision
    KernelTimes kernels;         // of a step

    double flops() const { return step_flops / step_s; }
    double mfu() const
    {
        return flops() / format.product_flops;
    } // of the measured product, not of a data sheet
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

TrainBench bench_train(trainer::Device device, const TrainerConfig& asked)
{
    TrainBench out;
    out.device = device.backend->name();
    const auto made = or_end(trainer::Trainer::create(asked, std::move(device.backend)));
    trainer::Trainer& t = *made;
    const TrainerConfig& config = t.config();
    out.model = fmt::format("{} layers of width {}, {} x {}", config.model.layers, config.model.hidden,
                            config.training.micro_batch, grouped(config.training.sequence_length));
    out.rates = trainer::measure(t.backend(), config);
    out.format = out.rates.of(config.training.precision);
    out.step_s = shortest_step(t);
    out.tokens = static_cast<double>(config.training.global_batch * config.training.sequence_length);
    out.predicted_s =
        trainer::predicted_step_s(config, trainer::gpu_of(out.rates, config.training.precision));
    out.step_flops = compute_report(scenario_of(config)).model_step.value;
    const double repeats = std::clamp(kKernelSeconds / out.step_s, 1.0, kMostRepeats);
    end_with(t.ask_kernel_times(static_cast<std::int64_t>(repeats),
                                [&](KernelTimes times) { out.kernels = std::move(times); }));
    return out;
}

void print_bench(const TrainBench& b)
{
    const auto line = [](std::string_view name, const std::string& value)
    { put("{:<50}{:>16}\n", name, value); };
    put("{}\n", b.device);
    line(fmt::format("tokens per second ({})", b.model),
         grouped(static_cast<std::int64_t>(b.tokens / b.step_s)));
    line("model FLOPs", three_digits(b.flops() / 1e9) + " GFLOP/s");
    line("large GEMM with the same kernels", three_digits(b.format.product_flops / 1e9) + " GFLOP/s");
    line("MFU, of that GEMM", format_percent(b.mfu()));
    line("step time, measured", format_seconds(Seconds(b.step_s)));
    line("step time, predicted by the engine from a probe", format_seconds(Seconds(b.predicted_s)));
    const double sum = sum_over(b.kernels.list, &KernelTime::seconds);
    TextTable table({{"kernel", -20}, {"launches", 9}, {"time", 12}, {"share", 8}});
    for (const KernelTime& kernel : b.kernels.list)
    {
        table.add(kernel.name, kernel.launches, format_seconds(Seconds(kernel.seconds)),
                  format_percent(kernel.seconds / sum));
    }
    table.add("all of a step", "", format_seconds(Seconds(sum)), "");
    put("{}\n", table.text(" "));
}

nlohmann::json bench_json(const TrainBench& b)
{
    auto kernels = json_list(b.kernels.list,
                             [](const KernelTime& k) -> nlohmann::json {
                                 return {{"name", k.name}, {"launches", k.launches}, {"seconds", k.seconds}};
                             });
    return {{"device", b.device},
            {"model", b.model},
            {"tokens_per_s", b.tokens / b.step_s},
            {"gflops", b.flops() / 1e9},
            {"sgemm_gflops", b.format.product_flops / 1e9},
            {"ratio", b.mfu()},
            {"step_s", b.step_s},
            {"predicted_step_s", b.predicted_s},
            {"layer_gflops", b.format.layer_flops / 1e9},
            {"attention_gflops", b.format.attention_flops / 1e9},
            {"copy_gb_per_s", b.rates.copy_bytes / 1e9},
            {"operation_us", b.rates.operation_s * 1e6},
            {"kernels", std::move(kernels)}};
}

} // namespace

int run_bench_train(const CommonOptions& options)
{
    trainer::Device device = or_end(trainer::open_device("auto"));
    const bool on_gpu = device.backend->is_gpu();
    std::vector<TrainBench> all{bench_train(std::move(device), benchmark_config())};
    if (on_gpu)
    {
        all.push_back(bench_train(or_end(trainer::open_device("auto")), large_config()));
    }
    if (!options.json)
    {
        std::ranges::for_each(all, print_bench);
        return kDone;
    }
    nlohmann::json out = bench_json(all.front());
    if (on_gpu)
    {
        out["large"] = bench_json(all.back());
    }
    print_document(out, -1);
    return kDone;
}

} // namespace ringside
