#include "core/performance/waterfall.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// What a numerator counts of each of the first three slices, in seconds at the dense peak.
struct Counted
{
    double model = 0;
    double attention = 0;
    double recompute = 0;

    double sum() const { return model + attention + recompute; }
};

// On the grid of the step's own parts, so that sums stay exact.
class RowGrid
{
public:
    explicit RowGrid(double whole) : unit_(std::ldexp(1.0, std::ilogb(std::max(whole, 1e-9)) - 45)) {}
    double operator()(double seconds) const { return std::round(seconds / unit_) * unit_; }

private:
    double unit_;
};

Counted counted(const StepTime& step, Numerator numerator, const RowGrid& grid)
{
    const auto seconds = [&](double flops) { return grid(flops / step.peak_flops); };
    // causal = products + scores / 2, model = products + scores
    const double products = 2 * step.causal_flops - step.model_flops;
    const double scores = step.model_flops - products;
    switch (numerator)
    {
    case Numerator::parameters:
        return {seconds(step.parameter_flops), 0, 0};
    case Numerator::full:
        return {seconds(products), seconds(scores), 0};
    case Numerator::causal:
        return {seconds(products), seconds(scores / 2), 0};
    case Numerator::hardware:
        break;
    }
    return {seconds(products), seconds(scores), seconds(step.hardware_flops - step.model_flops)};
}

bool counts(Numerator numerator, Slice slice)
{
    return slice == Slice::model || (slice == Slice::attention && numerator != Numerator::parameters) ||
           (slice == Slice::recompute && numerator == Numerator::hardware);
}

} // namespace

std::vector<WaterfallRow> waterfall(const StepTime& step, Numerator numerator, PeakKind peak)
{
    const RowGrid grid(step.total());
    const double share = peak == PeakKind::sparse ? 0.5 : 1;
    const double useful = utilization(step, numerator, peak) * step.total();
    const Counted all = counted(step, numerator, grid);
    std::vector<WaterfallRow> rows;
    double at = 0;
    const auto add = [&](RowKind kind, Slice slice, double seconds)
    {
        if (seconds != 0 || rows.empty())
        {
            const double left = kind == RowKind::useful ? 1 : useful / (at + seconds);
            rows.push_back({kind, slice, seconds, at, left});
            at += seconds;
        }
    };
    add(RowKind::useful, Slice::model, grid(all.model * share));
    add(RowKind::useful, Slice::attention, grid(all.attention * share));
    add(RowKind::useful, Slice::recompute, grid(all.recompute * share));
    add(RowKind::sparsity, Slice::model, all.sum() - at);
    double made = 0;
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        made += counts(numerator, static_cast<Slice>(i)) ? step.slices[i] : 0;
    }
    add(RowKind::miscount, Slice::model, made - all.sum());
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        if (!counts(numerator, static_cast<Slice>(i)))
        {
            add(RowKind::lost, static_cast<Slice>(i), step.slices[i]);
        }
    }
    return rows;
}

bool leaves_node(const Scenario& s, Slice slice)
{
    const Parallel& p = s.parallel;
    const std::int64_t node = s.cluster.gpus_per_node;
    switch (slice)
    {
    case Slice::tensor:
        return p.tensor > node;
    case Slice::context:
        return p.tensor * p.context > node;
    case Slice::expert:
        return p.expert * p.expert_tensor > node;
    case Slice::pipeline:
        return s.cluster.gpus / p.pipeline >= node;
    case Slice::data:
        return dense_replicas(s) * p.tensor > node;
    default:
        return false;
    }
}

std::array<double, kLimits> losses(const Scenario& s, const StepTime& step)
{
    std::array<double, kLimits> by{};
    const auto add = [&](Limit limit, Slice slice) { by[static_cast<std::size_t>(limit)] += step.of(slice); };
    add(Limit::kernels, Slice::below_peak);
    add(Limit::kernels, Slice::below_attention);
    add(Limit::memory, Slice::memory);
    add(s.training.offload == Offload::none ? Limit::memory : Limit::host, Slice::optimizer);
    add(Limit::launch, Slice::launch);
    for (const Slice wire : {Slice::tensor, Slice::context, Slice::expert, Slice::pipeline, Slice::data})
    {
        add(leaves_node(s, wire) ? Limit::network : Limit::node_link, wire);
    }
    add(Limit::bubble, Slice::bubble);
    add(Limit::recompute, Slice::recompute);
    add(Limit::uneven, Slice::uneven);
    return by;
}

Limit limit_of(const Scenario& s, const StepTime& step)
{
    const auto by = losses(s, step);
    return static_cast<Limit>(std::max_element(by.begin(), by.end()) - by.begin());
}

double kernel_efficiency(const StepTime& step)
{
    const double peak = step.of(Slice::model) + step.of(Slice::attention) + step.of(Slice::recompute) +
                        step.of(Slice::uneven);
    const double all = peak + step.of(Slice::below_peak) + step.of(Slice::below_attention);
    return all > 0 ? peak / all : 1;
}

namespace
{

// Waiting for wires and stages.
SliceNote wire_note(Slice slice)
{
    switch (slice)
    {
    case Slice::tensor:
        return {"All-reduces between the ranks that share a layer's matrices, or all-gather and "
                "reduce-scatter with sequence parallelism. The next GEMM needs the result, so only splitting "
                "both into chunks (overlap_tensor) overlaps them.",
                "4 × layers × micro-batches × T(ring over t ranks, 2 b s h bytes); overlapped: T − (t − 1)/t "
                "× GEMM",
                "Shoeybi et al. 2019, arXiv 1909.08053, section 3; Korthikanti et al. 2022, arXiv "
                "2205.05198; Wang et al. 2023, ASPLOS (overlap by decomposition)",
                {"link_efficiency", "network_efficiency", "collective_us", "hop_us", "overlap_slowdown"}};
    case Slice::context:
        return {"KV exchange around the context-parallel ring: what attention does not overlap.",
                "steps × T(ring) − attention overlapped with it",
                "Liu et al. 2023, Ring Attention, arXiv 2310.01889",
                {"link_efficiency", "network_efficiency", "hop_us", "network_hop_us"}};
    case Slice::expert:
        return {
            "All-to-all: tokens to their experts and back, forward and backward. Another micro-batch can be "
            "computed meanwhile (overlap_expert).",
            "4 × layers × micro-batches × T(all-to-all); overlapped: less the layer's compute",
            "Lepikhin et al. 2020, GShard, arXiv 2006.16668, section 3.2; DeepSeek-AI 2024, arXiv "
            "2412.19437, section 3.2.1",
            {"link_efficiency", "network_efficiency", "collective_us", "network_hop_us", "overlap_slowdown"}};
    case Slice::pipeline:
        return {"Activations to the next stage, their gradients back, for every micro-batch and chunk. With "
                "more than one chunk another can be computed meanwhile (overlap_pipeline).",
                "(2 m v + 2 (p − 1)) × T(send); overlapped: the first part less a chunk's forward each",
                "Narayanan et al. 2021, arXiv 2104.04473, section 4.1",
                {"link_efficiency", "network_efficiency", "network_hop_us", "overlap_slowdown"}};
    case Slice::data:
        return {
            "Gradients are reduced over the replicas and sharded weights all-gathered: what compute does "
            "not overlap, and what that compute loses.",
            "T − overlapped + slowdown × overlapped",
            "Li et al. 2020, arXiv 2006.15704; Rajbhandari et al. 2020, arXiv 1910.02054, section 7",
            {"network_efficiency", "link_efficiency", "data_overlap", "overlap_slowdown", "gather_slowdown"}};
    case Slice::bubble:
        return {"Stages wait for the first micro-batch and for the last gradient.",
                "1F1B: (p − 1) (F + B) of the m + p − 1 turns",
                "Narayanan et al. 2021, arXiv 2104.04473, section 2.2; other schedules by their own form or "
                "by simulation",
                {}};
    default:
        return {
            "The optimizer reads and writes its state once per step. Offloaded weights are fetched for every "
            "forward and backward: here is what compute does not overlap.",
            "36 B × parameters of this GPU / HBM",
            "counted byte by byte for Adam; offloaded: host and disk instead",
            {"hbm_efficiency"}};
    }
}

} // namespace

SliceNote note_of(Slice slice)
{
    switch (slice)
    {
    case Slice::model:
        return {"The model's GEMMs, spread evenly over all GPUs, every tensor core busy all the time.",
                "FLOPs / (GPUs × peak)",
                "Chowdhery et al. 2022, PaLM, arXiv 2204.02311, appendix B",
                {}};
    case Slice::attention:
        return {"Attention scores and their GEMMs with values, as the kernels compute them, at the peak.",
                "flash: 2 GEMMs forward, 5 backward, of the scores the mask leaves",
                "Dao 2023, FlashAttention-2, arXiv 2307.08691, section 3.1",
                {}};
    case Slice::recompute:
        return {"Discarded activations are recomputed before the backward pass, at peak.",
                "hardware FLOPs − model FLOPs",
                "Korthikanti et al. 2022, arXiv 2205.05198, equation 8",
                {}};
    case Slice::uneven:
        return {"The slowest stage has more than its share: the head, the embedding, or more layers. Layers "
                "in 8 bits leave the head in 16.",
                "GEMMs of the slowest rank − GEMMs / GPUs",
                "all ranks wait for the slowest",
                {}};
    case Slice::below_peak:
        return {
            "Tiles that do not fill the SMs, a partly empty last wave, power limits: what GEMMs take beyond "
            "the peak.",
            "waves × tile / (efficiency × peak) − FLOPs / peak",
            "tiles and waves as in NVIDIA's guide to matrix multiplication; efficiency fitted",
            {"gemm_efficiency", "multiprocessors"}};
    case Slice::below_attention:
        return {"The softmax between attention's two products, short sequences, the recomputed scores of its "
                "backward: what attention takes beyond the peak.",
                "executed FLOPs / (efficiency × peak) − executed FLOPs / peak",
                "Dao 2023, arXiv 2307.08691; Shah et al. 2024, arXiv 2407.08608",
                {"attention_efficiency", "attention_peak", "attention_half", "flash2_peak", "flash2_half"}};
    case Slice::memory:
        return {"Norms, residuals, activations of the MLP, dropout: few FLOPs, many bytes.",
                "bytes / (HBM × efficiency)",
                "Williams et al. 2009, Roofline, doi 10.1145/1498765.1498785",
                {"hbm_efficiency"}};
    case Slice::launch:
        return {"Every kernel has a start-up time, and the framework needs time to launch the next. Short "
                "kernels wait for the host.",
                "kernels × start + (device⁴ + host⁴)^¼ − device",
                "fitted; CUDA graphs would remove the host part",
                {"kernel_us", "host_kernel_us"}};
    default:
        return wire_note(slice);
    }
}

} // namespace ringside
