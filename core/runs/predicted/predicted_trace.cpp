#include "core/runs/predicted/predicted_trace.h"

#include <fmt/format.h>

#include "core/model/stages.h"
#include "core/model/weights.h"
#include "core/performance/retimed_step.h"
#include "core/performance/step_model/profile.h"
#include "core/runs/trace_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr double kNanoseconds = 1e9; // of a second

// What NCCL calls the kernel and PyTorch the call.
struct CallNames
{
    std::string_view kernel;
    std::string_view call;
};
CallNames call_names(StepKind kind)
{
    switch (kind)
    {
    case StepKind::all_gather:
        return {"ncclDevKernel_AllGather_RING_LL", "_allgather_base"};
    case StepKind::reduce_scatter:
        return {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "_reduce_scatter_base"};
    case StepKind::all_reduce:
        return {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "allreduce"};
    case StepKind::all_to_all:
        return {"ncclDevKernel_AllToAll", "all_to_all"};
    default:
        return {"ncclDevKernel_SendRecv", "send"};
    }
}

// What kernels of a training step are called: cuBLAS's products, FlashAttention's scores (flash_attn's
// csrc/flash_attn/src/flash_fwd_launch_template.h and flash_bwd_launch_template.h) or CUTLASS's products of
// them, ATen's element-wise kernels and its optimizers.
constexpr std::string_view kProductKernel = "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_TNT";
constexpr std::string_view kScoresKernel =
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_64x3_tn_align8>(Params)";
constexpr std::string_view kFlashForward = "void flash_fwd_kernel<Flash_fwd_kernel_traits>(Flash_fwd_params)";
constexpr std::string_view kFlashBackward =
    "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits>(Flash_bwd_params)";
constexpr std::string_view kElementwiseKernel =
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)";
constexpr std::string_view kOptimizerKernel =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>, "
    "FusedAdamMathFunctor<float, 4> >(TensorListMetadata<4>, FusedAdamMathFunctor<float, 4>)";

// What a stretch of compute goes to; adds up to 1.
struct KernelShares
{
    double products = 1;
    double attention = 0;
    double memory = 0;
    double launch = 0; // nothing runs

    KernelShares(double of_products, double of_attention, double of_memory, double of_launch)
    {
        const double all = of_products + of_attention + of_memory + of_launch;
        if (all > 0)
        {
            products = of_products / all;
            attention = of_attention / all;
            memory = of_memory / all;
            launch = of_launch / all;
        }
    }
};

KernelShares shares_of(const PassTime& t)
{
    return {t.of(Cause::products) + t.of(Cause::below_peak),
            t.of(Cause::attention) + t.of(Cause::below_attention), t.of(Cause::memory),
            t.of(Cause::kernels) + t.of(Cause::host)};
}

KernelShares shares_of(const StepTime& s)
{
    return {s.of(Slice::model) + s.of(Slice::recompute) + s.of(Slice::uneven) + s.of(Slice::below_peak),
            s.of(Slice::attention) + s.of(Slice::below_attention), s.of(Slice::memory), s.of(Slice::launch)};
}

class TraceMaker
{
public:
    TraceMaker(const Scenario& scenario, double seconds) : flash_(scenario.training.flash_attention)
    {
        trace_.device = scenario.cluster.gpu.name;
        trace_.rank = 0;
        trace_.world = scenario.cluster.gpus;
        trace_.linked = true;
        trace_.steps.push_back({"ProfilerStep#1", seconds, {}});
    }

    // Names a stretch of the GPU's time.
    void range(std::string name, double from, double to)
    {
        trace_.ranges.push_back({std::move(name), nanoseconds(from), nanoseconds(to)});
    }

    void optimize(double from, double to) { add(kOptimizerKernel, from, to); }

    // What the host launches late is a gap within the first kernel, so that it is none of what came before.
    void compute(const KernelShares& shares, bool forward, double from, double to)
    {
        struct Part
        {
            std::string_view kernel;
            double share;
        };
        const std::array parts{Part{kProductKernel, shares.products},
                               Part{!flash_   ? kScoresKernel
                                    : forward ? kFlashForward
                                              : kFlashBackward,
                                    shares.attention},
                               Part{kElementwiseKernel, shares.memory}};
        const double whole = to - from;
        double gap = shares.launch * whole;
        for (const Part& part : parts)
        {
            double length = part.share * whole;
            if (length > 0 && gap > 0)
            {
                add(part.kernel, from, from + length / 2);
                from += length / 2 + gap;
                length /= 2;
                launched_late_ = true;
                gap = 0;
            }
            if (length > 0)
            {
                add(part.kernel, from, from + length);
                from += length;
            }
        }
    }

    void call(StepKind kind, Axis axis, std::int64_t ranks, double bytes, double from, double to)
    {
        const CallNames names = call_names(kind);
        const auto same = [&](const TraceCollective& known)
        { return known.name == names.call && known.group == name_of(axis); };
        auto found = std::ranges::find_if(trace_.collectives, same);
        if (found == trace_.collectives.end())
        {
            trace_.collectives.push_back(
                {std::string(names.call), std::string(name_of(axis)), ranks, "BFloat16"});
            bytes_.emplace_back();
            found = std::prev(trace_.collectives.end());
        }
        const auto number = static_cast<std::size_t>(found - trace_.collectives.begin());
        bytes_[number].first += static_cast<std::int64_t>(bytes);
        bytes_[number].second += static_cast<std::int64_t>(bytes);
        add(names.kernel, from, to, static_cast<std::uint32_t>(number + 1));
    }

    GpuTrace take()
    {
        std::ranges::stable_sort(trace_.events, {}, &GpuEvent::start);
        trace_.in_file = static_cast<std::int64_t>(trace_.events.size());
        trace_.steps.front().gpu = timeline_of(trace_.events);
        sum_up_trace(trace_, bytes_);
        return std::move(trace_);
    }

private:
    static std::int64_t nanoseconds(double seconds)
    {
        return static_cast<std::int64_t>(std::llround(seconds * kNanoseconds));
    }

    void add(std::string_view name, double from, double to, std::uint32_t collective = 0)
    {
        const auto known = std::ranges::find(trace_.names, name);
        const auto number = static_cast<std::uint32_t>(known - trace_.names.begin());
        if (known == trace_.names.end())
        {
            trace_.names.emplace_back(name);
        }
        const std::int64_t start = nanoseconds(from);
        const std::int64_t end = nanoseconds(to);
        trace_.events.push_back({.start = start,
                                 .length = std::max<std::int64_t>(0, end - start),
                                 .launched = std::exchange(launched_late_, false) ? start : 0,
                                 .correlation = static_cast<std::uint32_t>(trace_.events.size() + 1),
                                 .name = number,
                                 .collective = collective,
                                 .step = 1,
                                 .work = work_of_kernel(name)});
    }

    GpuTrace trace_;
    std::vector<std::pair<std::int64_t, std::int64_t>> bytes_;
    bool flash_;
    bool launched_late_ = false; // the next kernel
};

PassTime backward_of(const UnitProfile& unit)
{
    PassTime all = unit.again;
    all.add(unit.input);
    all.add(unit.weight);
    return all;
}

const UnitProfile& profile_of(const StepProfile& profile, const Model& model, std::int64_t layer)
{
    const Unit unit = layer == kEmbeddingUnit            ? Unit::embedding
                      : layer == kHeadUnit               ? Unit::head
                      : layer_kind(model, layer).experts ? Unit::experts
                                                         : Unit::dense;
    return profile.of(unit);
}

// Layer by layer.
GpuTrace trace_of_life(const Scenario& s, const Report& report, const StepOptions& options)
{
    const StepLife life = step_life(s, options);
    const StepProfile profile = step_profile(s);
    const RetimedStep times(life, report.step);
    TraceMaker maker(s, times.total());
    for (const StepTask& task : life.tasks)
    {
        const double from = times.at(task.start);
        const double to = times.at(task.end);
        if (task.lane == StepLane::compute)
        {
            maker.range(fmt::format("{}: {}", name_of(task.kind), units_in_words(task.from, task.layer)),
                        from, to);
        }
        else
        {
            const std::int64_t ranks = task.lane == StepLane::layers
                                           ? life.layer_groups[index(task.axis)].ranks
                                           : life.groups[0].ranks;
            maker.call(task.kind, task.axis, ranks, task.message.value, from, to);
        }
    }
    for (const RetimedStep::Span& span : times.spans())
    {
        if (span.computes < 0)
        {
            continue;
        }
        const StepTask& task = life.tasks[static_cast<std::size_t>(span.computes)];
        if (task.kind == StepKind::optimizer)
        {
            maker.optimize(span.from, span.computes_to);
            continue;
        }
        const UnitProfile& unit = profile_of(profile, s.model, task.layer);
        const bool forward = task.kind == StepKind::forward;
        maker.compute(shares_of(forward ? unit.forward : backward_of(unit)), forward, span.from,
                      span.computes_to);
    }
    return maker.take();
}

// Micro-batch by micro-batch, with what of them is traffic at their ends.
GpuTrace trace_of_blocks(const Scenario& s, const Report& report)
{
    const StepTime& step = report.step;
    const Timeline& timeline = report.pipeline->timeline;
    const auto longest = std::ranges::max_element(timeline.busy) - timeline.busy.begin();
    const double before = step.total() - step.data_exposed - step.optimizer;
    const double scale = timeline.makespan > 0 ? before / timeline.makespan : 0;
    struct Share
    {
        StepKind kind;
        Axis axis;
        std::int64_t ranks;
        double seconds;
    };
    const std::array shares{Share{StepKind::all_gather, Axis::tensor, s.parallel.tensor, step.tensor_comm},
                            Share{StepKind::ring, Axis::context, s.parallel.context, step.context_comm},
                            Share{StepKind::all_to_all, Axis::expert, s.parallel.expert, step.expert_comm},
                            Share{StepKind::ring, Axis::pipeline, s.parallel.pipeline, step.pipeline_comm}};
    double working = step.compute;
    for (const Share& share : shares)
    {
        working += share.seconds;
    }
    TraceMaker maker(s, step.total());
    for (const Event& event : timeline.rank(static_cast<std::size_t>(longest)))
    {
        const double length = (event.end - event.start) * scale;
        const bool forward = event.operation.pass == Pass::forward;
        double at = event.start * scale + length * step.compute / working;
        maker.range(fmt::format("{}: micro-batch {} of stage {}", forward ? "forward" : "backward",
                                event.operation.micro_batch, event.operation.stage),
                    event.start * scale, event.end * scale);
        maker.compute(shares_of(step), forward, event.start * scale, at);
        for (const Share& share : shares)
        {
            const double took = length * share.seconds / working;
            if (took > 0)
            {
                maker.call(share.kind, share.axis, share.ranks, 0, at, at + took);
                at += took;
            }
        }
    }
    if (step.data_exposed > 0)
    {
        maker.call(s.parallel.zero > 0 ? StepKind::reduce_scatter : StepKind::all_reduce, Axis::data,
                   report.collective->ranks, report.collective->message.value, before,
                   before + step.data_exposed);
    }
    maker.range("optimizer", before + step.data_exposed, step.total());
    maker.optimize(before + step.data_exposed, step.total());
    return maker.take();
}

} // namespace

GpuTrace predicted_trace(const Scenario& s, const Report& report)
{
    StepOptions options;
    options.strategy = s.parallel.shard_group > 0 && s.parallel.zero == 3
                           ? StepStrategy::hsdp
                           : static_cast<StepStrategy>(std::clamp<std::int64_t>(s.parallel.zero, 0, 3));
    options.accumulation = micro_batches(s);
    options = in_range(options);
    const bool by_layers = s.parallel.pipeline == 1 && options.accumulation == micro_batches(s);
    return by_layers ? trace_of_life(s, report, options) : trace_of_blocks(s, report);
}

} // namespace ringside
