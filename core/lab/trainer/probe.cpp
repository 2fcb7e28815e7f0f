#include "core/lab/trainer/probe.h"

#include "core/evaluate/report.h"
#include "core/lab/trainer/arena.h"

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
    Probe(Backend& backend, double seconds, const std::atomic<bool>* stop)
        : backend_(backend), arena_(backend), seconds_(seconds), stop_(stop)
    {
    }

    double sustained() const { return sustained_; } // of the last one
    // Each takes a share of the seconds.
    double product_flops(double share, Index m, Index n, Index k)
    {
        const Block a = zeros(m * k);
        const Block b = zeros(k * n);
        const Block c = zeros(m * n);
        const Product product{.a = tensor(a.data(), type_, m, k),
                              .b = tensor(b.data(), type_, k, n),
                              .c = tensor(c.data(), type_, m, n)};
        const double flops = 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        return flops / seconds_of(share, [&] { backend_.run(product); });
    }
    double operation_s(double share)
    {
        const Block one = zeros(1);
        const Tensor corner = tensor(one.data(), type_, 1, 1);
        return seconds_of(share, [&] { backend_.run(SumRows{.gradient = corner, .bias_gradient = corner}); });
    }
    double copy_bytes(double share)
    {
        const Index bytes = backend_.is_gpu() ? Index{1} << 30U : Index{64} << 20U;
        const Block from = zeros(bytes / bytes_of(type_));
        const Block to = zeros(bytes / bytes_of(type_));
        return 2 * static_cast<double>(bytes) /
               seconds_of(share, [&] { backend_.copy(to.data(), from.data(), bytes); });
    }
    double attention_flops(double share)
    {
        const Index length = backend_.is_gpu() ? 2048 : 256;
        const Index heads = backend_.is_gpu() ? 64 : 8;
        const Index width = 64;
        const Block qkv = zeros(length * 3 * heads * width);
        const Block out = zeros(length * heads * width);
        const Block sums = zeros(length * heads * 4);
        const Attention attention{.qkv = tensor(qkv.data(), type_, length, 3 * heads * width),
                                  .out = tensor(out.data(), type_, length, heads * width),
                                  .log_sums = sums.as<float>(),
                                  .length = length,
                                  .heads = heads,
                                  .kv_heads = heads,
                                  .head_dim = width};
        return 2 * static_cast<double>(length * length * heads * width) /
               seconds_of(share, [&] { backend_.run(attention); });
    }

private:
    Block zeros(Index elements)
    {
        Block block = arena_.take(elements * bytes_of(type_), Component::buffers);
        backend_.clear(block.data(), block.bytes());
        return block;
    }
    template <class Work>
    double seconds_of(double share, const Work& work)
    {
        const Timed timed = time_of(backend_, seconds_ * share, stop_, work);
        sustained_ = timed.best / timed.mean;
        return timed.best;
    }

    Backend& backend_;
    Arena arena_;
    double seconds_;
    double sustained_ = 1;
    const std::atomic<bool>* stop_;
    DType type_ = backend_.is_gpu() ? DType::bf16 : DType::f32;
};

} // namespace

DeviceRates measure(Backend& backend, const TrainerConfig& config, double seconds,
                    const std::atomic<bool>* stop)
{
    Probe probe(backend, seconds, stop);
    const Index large = backend.is_gpu() ? 8192 : 768;
    const Index tokens = config.training.micro_batch * config.training.sequence_length;
    DeviceRates rates;
    rates.product_flops = probe.product_flops(0.35, large, large, large);
    rates.layer_flops = probe.product_flops(0.2, tokens, config.model.ffn, config.model.hidden);
    rates.sustained = probe.sustained();
    rates.operation_s = probe.operation_s(0.05);
    rates.copy_bytes = probe.copy_bytes(0.2);
    rates.attention_flops = probe.attention_flops(0.2);
    return rates;
}

Gpu gpu_of(const DeviceRates& rates, const Backend& backend)
{
    Gpu gpu;
    gpu.name = backend.name();
    gpu.memory_gb = static_cast<double>(backend.capacity()) / 1e9;
    gpu.bf16_tflops = rates.product_flops / 1e12;
    gpu.hbm_gb_per_s = rates.copy_bytes / 1e9;
    gpu.fp8_tflops = 0;
    gpu.link_gb_per_s = 0;
    gpu.power_w = 0;
    gpu.calibration.gemm_efficiency = std::min(1.0, rates.layer_flops / rates.product_flops);
    gpu.calibration.attention_efficiency = rates.attention_flops / rates.product_flops;
    gpu.calibration.hbm_efficiency = 1;
    gpu.calibration.kernel_us = rates.operation_s * 1e6;
    gpu.calibration.host_kernel_us = 0;
    gpu.calibration.multiprocessors = backend.is_gpu() ? gpu.calibration.multiprocessors : 1;
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
