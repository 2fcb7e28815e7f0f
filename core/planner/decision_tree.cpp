#include "core/planner/decision_tree.h"

#include <fmt/format.h>

#include "core/memory/memory.h"
#include "core/planner/difference.h"
#include "core/planner/layout.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::int64_t kGatherUpTo = 64; // GPUs, beyond which weights are no longer gathered layer by layer
constexpr std::int64_t kLongSequence = 32768; // tokens one GPU's part of a sequence may have
constexpr std::array<std::string_view, kLevels> kLevelGpus{"1 GPU", "2 to 8 GPUs", "9 to 64 GPUs",
                                                           "65 to 512 GPUs", "over 512 GPUs"};
constexpr std::array<std::string_view, kLevels> kLevelHabits{"BF16, gradient accumulation", "DDP or ZeRO-2",
                                                             "DDP, ZeRO-2 or ZeRO-3",
                                                             "TP within nodes, DP across", "TP, PP and DP"};

class Walk
{
public:
    Walk(const Scenario& scenario, ByteUnit unit);
    DecisionWalk walk();

private:
    Parallel& p() { return s_.parallel; }
    bool valid() const { return !has_errors(validate(s_)); }
    double bytes(Scenario s) const;
    bool fits() const { return bytes(s_) <= out_.capacity; }
    std::string needs(double bytes) const;
    void ask(std::string_view question, std::string working, std::string_view yes, std::string_view no,
             bool answer, double bytes = 0);
    bool copies();
    bool shared_out();
    bool feeds();
    bool cut_layers();
    void cut_stages();
    void cut_sequence();
    void share_experts();
    void recompute();

    Scenario s_;
    ByteUnit unit_;
    DecisionWalk out_;
};

Walk::Walk(const Scenario& scenario, ByteUnit unit) : s_(without_layout(scenario)), unit_(unit)
{
    // Scores are made again, where they are kept at all.
    s_.training.recompute = s_.training.flash_attention ? Recompute::none : Recompute::selective;
    out_.capacity = memory_capacity(s_).value;
}

// With as many micro-batches as divide, should the global batch not.
double Walk::bytes(Scenario s) const
{
    const std::int64_t data = data_parallel(s);
    if (data < 1)
    {
        return 1e300;
    }
    if (s.training.global_batch % data != 0)
    {
        s.training.global_batch = data * s.parallel.pipeline;
    }
    return has_errors(validate(s)) ? 1e300 : memory_report(s).worst().total().value;
}

std::string Walk::needs(double bytes) const
{
    return bytes > 1e299 ? "does not divide"
                         : fmt::format("{} of {} {}", format_bytes(Bytes(bytes), unit_),
                                       plain_number(in_gigabytes(Bytes(out_.capacity), unit_)),
                                       unit_ == ByteUnit::decimal ? "GB" : "GiB");
}

void Walk::ask(std::string_view question, std::string working, std::string_view yes, std::string_view no,
               bool answer, double bytes)
{
    out_.decisions.push_back({question, std::move(working), yes, no, answer, bytes > 1e299 ? 0 : bytes});
}

bool Walk::copies()
{
    Scenario one = s_;
    one.cluster.gpus = 1;
    one.training.global_batch = 1;
    const double b = bytes(one);
    const bool enough = b <= out_.capacity;
    ask("Does everything fit on one GPU?", needs(b),
        s_.cluster.gpus > 1 ? "a replica per GPU: DDP" : "one GPU", "shard the states", enough, b);
    return enough;
}

// Over the replicas: optimizer states, gradients, and weights where there are few enough GPUs.
bool Walk::shared_out()
{
    if (s_.cluster.gpus == 1)
    {
        return false;
    }
    struct Stage
    {
        std::int64_t zero;
        std::string_view question, yes, no;
    };
    constexpr std::array kStages{
        Stage{1, "Is sharding the optimizer states enough?", "ZeRO-1", "gradients too"},
        Stage{2, "And sharding the gradients?", "ZeRO-2", "weights too"}};
    for (const Stage& stage : kStages)
    {
        p().zero = stage.zero;
        const double b = bytes(s_);
        ask(stage.question, needs(b), stage.yes, stage.no, b <= out_.capacity, b);
        if (b <= out_.capacity)
        {
            return true;
        }
    }
    const bool few = s_.cluster.gpus <= kGatherUpTo;
    p().zero = 3;
    const double b = bytes(s_);
    const bool enough = few && b <= out_.capacity;
    ask("Can the weights be sharded too?",
        few ? needs(b)
            : fmt::format("{} GPUs; common up to {}", grouped(s_.cluster.gpus), grouped(kGatherUpTo)),
        "ZeRO-3 (FSDP)", "split each layer", enough, few ? b : 0);
    p().zero = enough ? 3 : 1;
    return enough;
}

// Whether every replica has a sequence of its own.
bool Walk::feeds()
{
    const std::int64_t data = data_parallel(s_);
    const bool enough = s_.training.global_batch % data == 0;
    ask("Is the batch large enough for every replica?",
        fmt::format("{} sequences for {} replicas", grouped(s_.training.global_batch), grouped(data)),
        "data parallel", "split each layer", enough);
    return enough;
}

// Tensor parallelism, no wider than a node: the narrowest that fits, or the widest.
bool Walk::cut_layers()
{
    std::int64_t widest = 1;
    bool enough = false;
    double b = bytes(s_);
    for (std::int64_t t = 2; t <= s_.cluster.gpus_per_node && !enough; t *= 2)
    {
        Scenario tried = s_;
        tried.parallel.tensor = t;
        tried.parallel.sequence_parallel = true;
        const double now = bytes(tried);
        if (now < 1e299)
        {
            widest = t;
            b = now;
            enough = now <= out_.capacity && tried.training.global_batch % data_parallel(tried) == 0;
        }
    }
    p().tensor = widest;
    p().sequence_parallel = widest > 1;
    ask("Is tensor parallelism within a node enough?",
        fmt::format("TP {}: {}", widest,
                    b <= out_.capacity && !enough ? "fits, too many replicas" : needs(b)),
        "tensor parallel", "split further", enough, b);
    return enough;
}

void Walk::cut_stages()
{
    Scenario chosen = s_;
    bool enough = false;
    double b = bytes(s_);
    for (std::int64_t stages = 2; stages <= s_.model.layers && !enough; ++stages)
    {
        Scenario tried = s_;
        tried.parallel.pipeline = stages;
        tried.parallel.stage_layers.clear();
        if (!has_errors(validate(tried)))
        {
            chosen = tried;
            b = bytes(tried);
            enough = b <= out_.capacity;
        }
    }
    s_ = chosen;
    const std::int64_t stages = p().pipeline;
    const std::string working = stages > 1 ? fmt::format("PP {}: {}", stages, needs(b))
                                : s_.cluster.gpus / s_.parallel.tensor < 2
                                    ? "no GPUs left for stages"
                                    : fmt::format("{} GPUs do not divide", grouped(s_.cluster.gpus));
    ask("Are pipeline stages enough?", working, "pipeline parallel", "not enough", enough,
        stages > 1 ? b : 0);
}

void Walk::cut_sequence()
{
    const std::int64_t tokens = s_.training.sequence_length;
    const bool is_long = tokens > kLongSequence;
    ask("Is the sequence too long for one GPU?",
        fmt::format("{} tokens; long above {}", grouped(tokens), grouped(kLongSequence)), "context parallel",
        "not needed", is_long);
    for (std::int64_t c = 2; is_long && tokens / p().context > kLongSequence && c <= s_.cluster.gpus; c *= 2)
    {
        const std::int64_t before = p().context;
        p().context = c;
        p().context = bytes(s_) < 1e299 ? c : before;
    }
}

// As many GPUs share the experts as a node has, if they divide.
void Walk::share_experts()
{
    const std::int64_t experts = s_.model.experts;
    ask("Are there experts?", experts > 0 ? fmt::format("{} per layer", experts) : "every layer is dense",
        "expert parallel", "dense model", experts > 0);
    const double whole = bytes(s_);
    for (std::int64_t e = 2; e <= std::min(experts, s_.cluster.gpus_per_node); e *= 2)
    {
        Scenario tried = s_;
        tried.parallel.expert = e;
        p().expert = bytes(tried) <= std::min(whole, 1e299) ? e : p().expert;
    }
}

void Walk::recompute()
{
    const double before = bytes(s_);
    if (before <= out_.capacity)
    {
        return;
    }
    s_.training.recompute = Recompute::full;
    const double b = bytes(s_);
    ask("Does it fit with activation recomputation?", needs(b), "full recomputation", "more GPUs, or offload",
        b <= out_.capacity, b);
}

DecisionWalk Walk::walk()
{
    const bool enough = (copies() || shared_out()) && (s_.cluster.gpus == 1 || feeds());
    if (!enough && s_.cluster.gpus > 1)
    {
        p().zero = 1;
        cut_layers();
    }
    cut_sequence();
    share_experts();
    if (s_.cluster.gpus > 1 && !(valid() && fits()))
    {
        cut_stages();
    }
    recompute();
    p().zero = dense_replicas(s_) > 1 ? p().zero : 0;
    out_.scenario = s_;
    out_.legal = valid();
    out_.bytes = bytes(s_);
    out_.fits = out_.legal && out_.bytes <= out_.capacity;
    out_.seconds = out_.legal ? step_time(s_).total() : 0;
    return std::move(out_);
}

} // namespace

DecisionWalk decide(const Scenario& scenario, ByteUnit unit)
{
    return Walk(scenario, unit).walk();
}

int level_of(const Scenario& s)
{
    const std::int64_t gpus = s.cluster.gpus;
    return gpus == 1 ? 1 : gpus <= 8 ? 2 : gpus <= 64 ? 3 : gpus <= 512 ? 4 : 5;
}

std::string_view level_gpus(int level)
{
    return kLevelGpus.at(static_cast<std::size_t>(level - 1));
}

std::string_view level_habit(int level)
{
    return kLevelHabits.at(static_cast<std::size_t>(level - 1));
}

StepGain largest_gain(const StepTime& from, const StepTime& to)
{
    const StepPart& part = *std::ranges::min_element(
        step_parts(), {}, [&](const StepPart& p) { return to.*p.seconds - from.*p.seconds; });
    return {part.name, from.*part.seconds, to.*part.seconds};
}

} // namespace ringside
