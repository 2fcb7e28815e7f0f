#include "core/serving/finetune_time.h"

#include "core/base/ranges.h"
#include "core/memory/context_length.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kAdamBytes = 28;     // 2 + 12 read, 12 + 2 written
constexpr double kEightBitBytes = 10; // 2 + 2 + 2 read, 2 + 2 written
constexpr double kNormBytes = 6;      // weights read, B A written and read

// What a micro-batch does before any of it is seconds.
struct FinetuneWork
{
    double products = 0; // [FLOP] forward, of layers
    double head = 0;
    double scores = 0;
    double adapters = 0; // forward
    double elements = 0; // of the layers' matrices
    double norms = 0;    // [FLOP] B A of all adapters
};

FinetuneWork work_of(const Scenario& s, const FinetuneSetup& setup)
{
    const ContextFlops flops = context_flops(s);
    const double each = real(setup.sequence);
    const double tokens = each * real(setup.micro_batch);
    FinetuneWork work;
    work.products = flops.of_products(each) * real(setup.micro_batch);
    work.head = flops.of_head(each) * real(setup.micro_batch);
    work.scores = flops.of_scores(each, Mask::causal) * real(setup.micro_batch);
    for (const LoraMatrix& m : lora_matrices(s.model))
    {
        work.elements += real(m.in) * real(m.out) * real(m.count);
        if (setup.modules[static_cast<std::size_t>(m.module)])
        {
            work.adapters += 2 * real(m.adapter(setup.rank)) * matrices_passed(s.model, m) * tokens;
            work.norms += 2 * real(setup.rank) * real(m.in) * real(m.out) * real(m.count);
        }
    }
    return work;
}

// [s] that gathers of a base sharded over N take beyond the compute they run behind.
double exposed(const Scenario& s, const FinetuneReport& report, double passes, double compute)
{
    const double n = real(report.setup.gpus);
    const double whole = (report.of(FinetunePart::base) + report.of(FinetunePart::scales)).value * n;
    const Cluster& c = s.cluster;
    const bool inside = report.setup.gpus <= c.gpus_per_node;
    const double link =
        inside ? (c.node_link_gb_per_s > 0 ? c.node_link_gb_per_s : c.gpu.link_gb_per_s) : c.network_gb_per_s;
    const double rate = std::max(1e-3, link > 0 ? link : c.gpu.pcie_gb_per_s) * 1e9;
    return std::max(0.0, passes * whole * (n - 1) / n / rate - compute);
}

constexpr double kPeakReached = 0.6;
constexpr double kBandwidthReached = 0.95;

} // namespace

double FinetuneTime::total() const
{
    return sum_over(parts);
}

FinetuneTime finetune_time(const Scenario& s, FinetuneRecipe recipe, const FinetuneSetup& asked,
                           std::int64_t accumulation)
{
    const FinetuneReport report = finetune_report(s, recipe, asked);
    const FinetuneSetup& setup = report.setup;
    const FinetuneWork work = work_of(s, setup);
    const double flops = std::max(1.0, s.cluster.gpu.bf16_tflops * 1e12 * kPeakReached);
    const double bytes = std::max(1.0, s.cluster.gpu.hbm_gb_per_s * 1e9 * kBandwidthReached);
    const bool whole = recipe == FinetuneRecipe::full;
    const double forwards = setup.checkpointing ? 2 : 1;
    FinetuneTime t;
    const auto set = [&t](FinetunePhase phase, double seconds)
    { t.parts[static_cast<std::size_t>(phase)] = seconds; };
    t.tokens = real(setup.sequence) * real(setup.micro_batch);
    set(FinetunePhase::forward, (work.products + work.head + work.scores) / flops);
    set(FinetunePhase::again, (forwards - 1) * (work.products + work.scores) / flops);
    set(FinetunePhase::inputs, (work.products + work.head + 2 * work.scores) / flops);
    set(FinetunePhase::weights, whole ? (work.products + work.head) / flops : 0);
    set(FinetunePhase::adapters, whole ? 0 : (forwards + 2) * work.adapters / flops);
    if (recipe == FinetuneRecipe::qlora)
    {
        const double each = 0.5 + scale_bits(setup.double_quantized) / 8 + 2;
        set(FinetunePhase::dequantize, (forwards + 1) * each * work.elements / bytes);
    }
    if (recipe == FinetuneRecipe::dora)
    {
        set(FinetunePhase::norms, forwards * (kNormBytes * work.elements / bytes + work.norms / flops));
    }
    const double trained = real(report.trained) / real(setup.gpus * accumulation);
    set(FinetunePhase::optimizer, trained * (setup.eight_bit ? kEightBitBytes : kAdamBytes) / bytes);
    set(FinetunePhase::gather, exposed(s, report, forwards + 1, t.total()));
    return t;
}

} // namespace ringside
