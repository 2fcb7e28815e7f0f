// What a step's time goes to, predicted and measured, in the same words: kernels by their names, exposed
// communication by the axis whose group it is on, and what the GPU waits for.
#include "core/base/text/text.h"
#include "core/runs/compare.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::size_t kRunning = 11; // those in which something runs
constexpr std::size_t kMeasuredParts = 13;

struct PartRow
{
    std::string_view name;
    std::string_view place; // of the view that explains it
    double (*predicted)(const StepTime& step);
};
constexpr std::array<PartRow, kMeasuredParts> kRows{{
    {"products", "roofline",
     [](const StepTime& s)
     { return s.of(Slice::model) + s.of(Slice::recompute) + s.of(Slice::uneven) + s.of(Slice::below_peak); }},
    {"attention", "roofline",
     [](const StepTime& s) { return s.of(Slice::attention) + s.of(Slice::below_attention); }},
    {"optimizer", "optimizer", [](const StepTime& s) { return s.of(Slice::optimizer); }},
    {"memory-bound kernels", "waterfall/constants", [](const StepTime& s) { return s.of(Slice::memory); }},
    {kUnexplained, "waterfall/step", [](const StepTime&) { return 0.0; }},
    {"exposed tensor traffic", "tensor", [](const StepTime& s) { return s.of(Slice::tensor); }},
    {"exposed context traffic", "ring_attention", [](const StepTime& s) { return s.of(Slice::context); }},
    {"exposed expert traffic", "experts", [](const StepTime& s) { return s.of(Slice::expert); }},
    {"exposed pipeline traffic", "pipelines", [](const StepTime& s) { return s.of(Slice::pipeline); }},
    {"exposed data traffic", "step/timeline", [](const StepTime& s) { return s.of(Slice::data); }},
    {"exposed copies", "data", [](const StepTime&) { return 0.0; }},
    {"launch gaps", "waterfall/constants", [](const StepTime& s) { return s.of(Slice::launch); }},
    {"bubble and other idle time", "pipelines", [](const StepTime& s) { return s.of(Slice::bubble); }},
}};

bool has_any(std::string_view text, std::span<const std::string_view> words)
{
    return std::ranges::any_of(words, [text](std::string_view word)
                               { return text.find(word) != std::string_view::npos; });
}

// Words of the names of kernels: cuBLAS, CUTLASS and hipBLASLt for products; FlashAttention, cuDNN and
// PyTorch's own for attention; ATen, Apex and Triton for the rest. Those that say more come first, as a
// kernel of attention has "cutlass" in it and one of split-K products "reduce".
MeasuredPart part_of_kernel(std::string_view name)
{
    static constexpr std::array<std::string_view, 7> kAttention{"flash", "fmha", "attention",   "attn",
                                                                "sdpa",  "mha_", "softmax_warp"};
    static constexpr std::array<std::string_view, 5> kOptimizer{"adam", "multi_tensor_apply", "optimizer",
                                                                "lamb", "newton"};
    static constexpr std::array<std::string_view, 13> kProducts{
        "gemm",   "nvjet",  "cutlass", "cublas", "xmma",       "wgmma",   "cijk_",
        "matmul", "s16816", "splitk",  "gemv",   "triton_tem", "convolve"};
    static constexpr std::array<std::string_view, 34> kMemory{
        "elementwise", "triton_", "reduce", "softmax", "norm",    "copy",     "cast",
        "embedding",   "index",   "cat",    "scatter", "gather",  "fill",     "memset",
        "transpose",   "dropout", "silu",   "gelu",    "swiglu",  "rotary",   "rope",
        "entropy",     "permute", "topk",   "sort",    "scan",    "unrolled", "vectorized",
        "nll_loss",    "arange",  "bias",   "quant",   "convert", "zero"};
    const std::string small = small_letters(name.substr(0, 256));
    return has_any(small, kAttention)   ? MeasuredPart::attention
           : has_any(small, kOptimizer) ? MeasuredPart::optimizer
           : has_any(small, kProducts)  ? MeasuredPart::products
           : has_any(small, kMemory)    ? MeasuredPart::memory
                                        : MeasuredPart::unknown;
}

// Whether a group's name has this word by itself, or as part of a longer one where it is long enough to be
// no accident: "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp", "dp_shard_cp".
bool names_axis(std::string_view small, std::string_view word)
{
    const auto is_letter = [&](std::size_t i)
    { return i < small.size() && small[i] >= 'a' && small[i] <= 'z'; };
    const std::size_t at = small.find(word);
    return at != std::string_view::npos &&
           (word.size() > 3 || ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())));
}

std::optional<MeasuredPart> axis_of_group(std::string_view group)
{
    struct AxisWord
    {
        std::string_view word;
        MeasuredPart part;
    };
    static constexpr std::array<AxisWord, 13> kWords{{{"expert", MeasuredPart::expert},
                                                      {"ep", MeasuredPart::expert},
                                                      {"moe", MeasuredPart::expert},
                                                      {"tensor", MeasuredPart::tensor},
                                                      {"tp", MeasuredPart::tensor},
                                                      {"pipe", MeasuredPart::pipeline},
                                                      {"pp", MeasuredPart::pipeline},
                                                      {"data", MeasuredPart::data},
                                                      {"fsdp", MeasuredPart::data},
                                                      {"shard", MeasuredPart::data},
                                                      {"dp", MeasuredPart::data},
                                                      {"context", MeasuredPart::context},
                                                      {"cp", MeasuredPart::context}}};
    const std::string small = small_letters(group);
    const auto found =
        std::ranges::find_if(kWords, [&](const AxisWord& each) { return names_axis(small, each.word); });
    return found == kWords.end() ? std::nullopt : std::optional(found->part);
}

// The axis that sends most by the prediction: that of a group that all ranks are in, which has no name.
MeasuredPart likely_axis(const StepTime& step)
{
    MeasuredPart most = MeasuredPart::data;
    for (const MeasuredPart part : {MeasuredPart::tensor, MeasuredPart::context, MeasuredPart::expert})
    {
        const auto predicted = [&](MeasuredPart p)
        { return kRows.at(static_cast<std::size_t>(p)).predicted(step); };
        most = predicted(part) > predicted(most) ? part : most;
    }
    return step.data_comm > 0 ? MeasuredPart::data : most;
}

MeasuredPart part_of_call(const GpuTrace& trace, const GpuEvent& event, MeasuredPart otherwise)
{
    if (event.work == GpuWork::symmetric)
    {
        return MeasuredPart::tensor;
    }
    const std::string call =
        small_letters(event.collective > 0 ? trace.collectives[event.collective - 1].name
                                           : std::string_view(trace.names[event.name]).substr(0, 256));
    const auto said =
        event.collective > 0 ? axis_of_group(trace.collectives[event.collective - 1].group) : std::nullopt;
    const auto has = [&](std::string_view word) { return call.find(word) != std::string::npos; };
    return said                                                     ? *said
           : has("send") || has("recv")                             ? MeasuredPart::pipeline
           : has("alltoall") || has("all_to_all") || has("deep_ep") ? MeasuredPart::expert
                                                                    : otherwise;
}

class PartsOfTrace
{
public:
    PartsOfTrace(const GpuTrace& trace, const StepTime& step) : trace_(trace), otherwise_(likely_axis(step))
    {
        std::ranges::transform(trace.names, std::back_inserter(kernels_), part_of_kernel);
    }

    std::size_t operator()(const GpuEvent& event) const
    {
        switch (event.work)
        {
        case GpuWork::computing:
            return static_cast<std::size_t>(kernels_[event.name]);
        case GpuWork::set:
            return static_cast<std::size_t>(MeasuredPart::memory);
        case GpuWork::copy:
            return static_cast<std::size_t>(MeasuredPart::copies);
        case GpuWork::communication:
        case GpuWork::symmetric:
            break;
        }
        return static_cast<std::size_t>(part_of_call(trace_, event, otherwise_));
    }

private:
    const GpuTrace& trace_;
    MeasuredPart otherwise_;
    std::vector<MeasuredPart> kernels_;
};

// Where one of two names none of its kernels, both are one part.
void join_parts(std::vector<ComparedPart>& parts, MeasuredPart to, MeasuredPart from, std::string name)
{
    ComparedPart& into = parts[static_cast<std::size_t>(to)];
    ComparedPart& taken = parts[static_cast<std::size_t>(from)];
    if (*taken.measured == 0 && taken.predicted > 0)
    {
        into.predicted += taken.predicted;
        into.name = std::move(name);
        taken.predicted = 0;
    }
}

std::vector<ComparedPart> predicted_parts(const StepTime& step)
{
    std::vector<ComparedPart> parts;
    for (const PartRow& row : kRows)
    {
        parts.push_back({std::string(row.name), row.predicted(step), std::nullopt, std::string(row.place)});
    }
    return parts;
}

} // namespace

std::vector<GpuStep> steps_of(const GpuTrace& trace)
{
    std::vector<GpuStep> steps(trace.steps.size());
    for (const GpuEvent& event : trace.events)
    {
        if (event.step > 0)
        {
            steps[event.step - 1U].events.push_back(event);
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        steps[i].name = trace.steps[i].name;
        steps[i].gpu = trace.steps[i].gpu;
    }
    std::erase_if(steps, [](const GpuStep& step) { return step.events.empty(); });
    if (steps.empty() && !trace.events.empty())
    {
        steps.push_back({"the whole recording", trace.timeline, trace.events});
    }
    return steps;
}

std::vector<MeasuredPart> parts_of_events(const GpuTrace& trace, std::span<const GpuEvent> events,
                                          const StepTime& step)
{
    const PartsOfTrace part_of(trace, step);
    std::vector<MeasuredPart> parts;
    for (const GpuEvent& event : events)
    {
        parts.push_back(static_cast<MeasuredPart>(part_of(event)));
    }
    return parts;
}

std::vector<ComparedPart> parts_of_step(const RunReading& run, const StepTime& step, double seconds)
{
    std::vector<ComparedPart> parts = predicted_parts(step);
    const std::vector<GpuStep> steps =
        run.traces.empty() ? std::vector<GpuStep>() : steps_of(run.traces.front());
    if (steps.empty())
    {
        // A log says how long a step is and not of what: all that differs is unexplained.
        parts[static_cast<std::size_t>(MeasuredPart::unknown)].measured = seconds - step.total();
    }
    else
    {
        const PartsOfTrace part_of(run.traces.front(), step);
        const auto many = static_cast<double>(steps.size());
        for (ComparedPart& part : parts)
        {
            part.measured = 0;
        }
        for (const GpuStep& each : steps)
        {
            const std::vector<double> running = seconds_by_class(
                each.events, kRunning, [&](const GpuEvent& event) { return part_of(event); });
            for (std::size_t i = 0; i < kRunning; ++i)
            {
                *parts[i].measured += running[i] / many;
            }
            const double gaps = std::min(each.gpu.launch_gaps, each.gpu.idle);
            *parts[static_cast<std::size_t>(MeasuredPart::launch)].measured += gaps / many;
            *parts[static_cast<std::size_t>(MeasuredPart::idle)].measured += (each.gpu.idle - gaps) / many;
        }
        join_parts(parts, MeasuredPart::products, MeasuredPart::attention, "products and attention");
        join_parts(parts, MeasuredPart::memory, MeasuredPart::optimizer,
                   "memory-bound kernels and optimizer");
    }
    std::erase_if(parts, [](const ComparedPart& part)
                  { return part.predicted == 0 && part.measured.value_or(0) == 0; });
    return parts;
}

} // namespace ringside
