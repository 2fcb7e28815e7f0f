#include "core/lab/trainer/probe/probe.h"

#include "core/evaluate/report.h"
#include "core/lab/prediction.h"
#include "core/lab/trainer/probe/probe_work.h"
#include "core/lab/trainer/trainer.h"
#include "core/performance/step_model/tiling.h"

#include <algorithm>
#include <chrono>

namespace ringside::trainer
{

namespace
{

using Clock = std::chrono::steady_clock;

struct Timed
{
    double best = 1e9; // [s]
    double mean = 0;
};

// Times of one call, over about `seconds`; at least two calls, the first of which does not count.
template <class Work>
Timed time_of(Backend& backend, double seconds, const std::atomic<bool>* stop, const Work& work)
{
    work();
    backend.wait();
    Timed timed;
    int count = 0;
    const auto begin = Clock::now();
    do
    {
        const auto start = Clock::now();
        work();
        backend.wait();
        const double took = std::chrono::duration<double>(Clock::now() - start).count();
        timed.best = std::min(timed.best, took);
        timed.mean += (took - timed.mean) / ++count;
    } while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds &&
             !(stop && stop->load()));
    return timed;
}

class Probe
{
public:
    // `seconds` for each of eight measurements.
    Probe(Backend& backend, const TrainerConfig& config, double seconds, const std::atomic<bool>* stop)
        : backend_(backend), work_(backend, config), seconds_(seconds), stop_(stop)
    {
    }

    DeviceRates rates()
    {
        DeviceRates rates;
        rates.device = backend_.name();
        rates.capacity = static_cast<double>(backend_.capacity());
        rates.operation_s = operation_s();
        rates.half = rates_of(DType::bf16, rates.operation_s);
        rates.full = rates_of(DType::f32, rates.operation_s);
        rates.sustained = sustained_;
        rates.copy_bytes = copy_bytes();
        return rates;
    }

private:
    FormatRates rates_of(DType type, double start_s)
    {
        const Index large = backend_.is_gpu() ? 8192 : 768;
        FormatRates rates;
        rates.product_flops = rate_of(work_.product(type, large, large, large), 0);
        rates.attention_flops = rate_of(work_.attention(type), start_s);
        rates.layer_flops = rate_of(work_.layer(type), start_s);
        return rates;
    }
    double rate_of(const ProbeWork::Piece& piece, double start_s)
    {
        return piece.amount / working_s(start_s * static_cast<double>(piece.launches), piece.work);
    }
    double operation_s()
    {
        const ProbeWork::Piece nothing = work_.nothing();
        return seconds_of(nothing.work);
    }
    double copy_bytes()
    {
        return rate_of(work_.copy(backend_.is_gpu() ? Index{1} << 30U : Index{64} << 20U), 0);
    }

    // Without the start, which the engine adds for every kernel.
    template <class Work>
    double working_s(double start_s, const Work& work)
    {
        const double whole = seconds_of(work);
        return std::max(whole - start_s, whole / 10);
    }
    // Seconds of one call. A GPU replays its steps from a graph, so many calls are replayed at once here too:
    // their launches and the wait at the end are not part of a step.
    template <class Work>
    double seconds_of(const Work& work)
    {
        constexpr double kLongEnough = 2e-3; // [s] between two waits
        constexpr double kMost = 256;
        if (!backend_.is_gpu())
        {
            return best_of(work);
        }
        const double once = time_of(backend_, 0, stop_, work).best;
        const int calls = static_cast<int>(std::clamp(kLongEnough / once, 1.0, kMost));
        const auto all = [&]
        {
            for (int i = 0; i < calls; ++i)
            {
                work();
            }
        };
        if (backend_.start_recording())
        {
            all();
            if (backend_.finish_recording())
            {
                return best_of([&] { backend_.replay(); }) / calls;
            }
        }
        return best_of(all) / calls;
    }
    template <class Work>
    double best_of(const Work& work)
    {
        const Timed timed = time_of(backend_, seconds_, stop_, work);
        sustained_ = timed.best / timed.mean;
        return timed.best;
    }

    Backend& backend_;
    ProbeWork work_;
    double seconds_;
    double sustained_ = 1;
    const std::atomic<bool>* stop_;
};

// What a short step takes over its prediction; 1 where no such step can be made.
double measured_in_step(Backend& backend, const TrainerConfig& config, const DeviceRates& rates,
                        double seconds, const std::atomic<bool>* stop)
{
    const Gpu gpu = gpu_of(rates, config.training.precision);
    const TrainerConfig small = short_step(config, gpu, seconds);
    const auto made = Trainer::create(small, std::shared_ptr<Backend>(std::shared_ptr<void>{}, &backend));
    if (!made)
    {
        return 1;
    }
    bool stepped = true;
    const double took =
        time_of(backend, seconds, stop, [&] { stepped = (*made)->step(stop) && stepped; }).best;
    return stepped ? in_step(small, gpu, took) : 1;
}

} // namespace

double layer_tiles(const TrainerConfig& config)
{
    ringside::Device whole(Gpu{}, Precision::bf16);
    whole.efficiency = whole.processors = 1;
    whole.hbm = 1e30;
    whole.kernel = 0;
    const auto tokens = static_cast<double>(config.training.micro_batch * config.training.sequence_length);
    const auto hidden = static_cast<double>(config.model.hidden);
    const auto ffn = static_cast<double>(config.model.ffn);
    const std::array products{ringside::Product{tokens, ffn, hidden}, ringside::Product{tokens, hidden, ffn},
                              ringside::Product{hidden, ffn, tokens}};
    // At a peak of 1 FLOP/s.
    return sum_over(products, [&](const ringside::Product& p) { return tiling(whole, p, 1).seconds(); }) /
           sum_over(products, &ringside::Product::flops);
}

TrainerConfig short_step(TrainerConfig config, const Gpu& gpu, double seconds)
{
    config.training.global_batch = config.training.micro_batch;
    config.recipe.fused = true; // the engine's own step is
    config.model.layers = std::min<std::int64_t>(2, config.model.layers);
    const auto long_one = [&] { return predicted_step_s(config, gpu) > seconds; };
    if (long_one())
    {
        config.model.layers = 1;
    }
    if (long_one())
    {
        config.training.global_batch = config.training.micro_batch = 1;
    }
    return config;
}

double in_step(const TrainerConfig& config, const Gpu& gpu, double seconds)
{
    constexpr double kFarthest = 4;
    const double predicted = predicted_step_s(config, gpu);
    return predicted > 0 ? std::clamp(seconds / predicted, 1 / kFarthest, kFarthest) : 1;
}

DeviceRates measure(Backend& backend, const TrainerConfig& config, double seconds,
                    const std::atomic<bool>* stop)
{
    constexpr double kMeasurements = 9;
    DeviceRates rates = Probe(backend, config, seconds / kMeasurements, stop).rates();
    rates.layer_tiles = layer_tiles(config);
    rates.in_step = measured_in_step(backend, config, rates, seconds / kMeasurements, stop);
    return rates;
}

Machine machine_of(const DeviceRates& rates, std::string date)
{
    Machine machine{.name = rates.device,
                    .date = std::move(date),
                    .own = true,
                    .memory_gb = rates.capacity / 1e9,
                    .launch_s = rates.operation_s,
                    .attention_flops = rates.half.attention_flops,
                    .points = rates.points};
    std::ranges::sort(machine.points, {}, [](const MachinePoint& p) { return std::pair(p.flops, p.bytes); });
    return machine;
}

Gpu gpu_of(const DeviceRates& rates, Precision precision)
{
    const FormatRates& format = rates.of(precision);
    const double layer = format.layer_flops * rates.layer_tiles;
    const double peak = std::max({format.product_flops, layer, format.attention_flops});
    Gpu gpu;
    gpu.name = rates.device;
    gpu.memory_gb = rates.capacity / 1e9;
    // The engine takes half of it for fp32.
    gpu.bf16_tflops = peak / 1e12 * (precision == Precision::fp32 ? 2 : 1);
    gpu.hbm_gb_per_s = rates.copy_bytes / 1e9;
    gpu.fp8_tflops = gpu.fp4_tflops = 0;
    gpu.link_gb_per_s = 0;
    gpu.power_w = 0;
    const auto reached = [&](double share) { return std::min(1.0, share / rates.in_step); };
    gpu.calibration.gemm_efficiency = reached(layer / peak);
    gpu.calibration.attention_efficiency = reached(format.attention_flops / peak);
    gpu.calibration.hbm_efficiency = reached(1);
    gpu.calibration.kernel_us = rates.operation_s * rates.in_step * kTrainerKernels * 1e6;
    gpu.calibration.host_kernel_us = 0;
    gpu.calibration.multiprocessors = 1;
    return gpu;
}

double predicted_step_s(const TrainerConfig& config, const Gpu& gpu)
{
    Scenario scenario = scenario_of(config);
    scenario.cluster.gpu = gpu;
    const auto report = evaluate(scenario);
    return report ? report->step.total() : 0;
}

} // namespace ringside::trainer
