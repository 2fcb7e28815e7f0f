#include "core/evaluate/levers.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/network/traffic.h"
#include "core/performance/step_model/step_model.h"
#include "core/performance/step_time.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

// What would take longer to simulate than a list of levers may is not offered.
constexpr double kMostOffered = 400'000;

// Halves by the smallest factor there is: 6 to 3, 3 to 1.
std::int64_t smaller(std::int64_t batch)
{
    for (std::int64_t factor = 2; factor * factor <= batch; ++factor)
    {
        if (batch % factor == 0)
        {
            return batch / factor;
        }
    }
    return 1;
}

// "step bubble 14.9% to 8.04%"
std::string bubble_cost(const Scenario& before, const Scenario& after)
{
    const auto share = [](const Scenario& s)
    {
        const StepTime step = step_time(s);
        return format_percent(step.bubble / step.total());
    };
    const std::string now = share(before);
    const std::string then = share(after);
    return now == then ? fmt::format("same step bubble, {}", now)
                       : fmt::format("step bubble {} to {}", now, then);
}

std::string traffic_cost(std::string_view what, Bytes before, Bytes after)
{
    if (before == Bytes{})
    {
        return fmt::format("{} {} per step", what, format_bytes(after));
    }
    return fmt::format("{} {} to {}", what, format_bytes(before), format_bytes(after));
}

std::string flops_cost(const Scenario& before, const Scenario& after, std::string_view what)
{
    const double more = compute_report(after).hardware_step / compute_report(before).hardware_step - 1;
    return fmt::format("+{} FLOPs, {}", format_percent(more), what);
}

// The nearest closed form stands in where a schedule has none, so that nothing is simulated.
Seconds step_seconds(const Scenario& s)
{
    return Seconds(StepModel(s).estimate(s, step_profile(s)).total());
}

// Tries changes one by one and keeps those that help.
class Bench
{
public:
    Bench(const Scenario& scenario, const MemoryReport& memory)
        : now_(scenario), memory_(memory), seconds_(step_seconds(scenario))
    {
    }

    void try_recipe()
    {
        try_micro_batch();
        try_recompute();
        try_optimizer();
        try_formats();
    }

    void try_layout()
    {
        try_zero();
        try_sequence_parallel();
        try_tensor(now_.cluster.gpus_per_node);
        try_pipeline();
        try_context();
        try_expert();
        try_schedule();
        if (found_.empty())
        {
            try_tensor(now_.cluster.gpus);
        }
    }

    std::vector<Lever> best(std::size_t most)
    {
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Lever& a, const Lever& b)
                         { return a.extra != b.extra ? a.extra < b.extra : a.saving > b.saving; });
        found_.resize(std::min(found_.size(), most));
        return std::move(found_);
    }

private:
    // `cost` is asked for only when the change helps: cost(memory after).
    template <class Cost>
    void offer(std::string_view id, std::string name, const Scenario& after, Cost cost)
    {
        if (has_errors(validate(after)) ||
            operations_of(after.training.schedule, pipeline_shape(after)) > kMostOffered)
        {
            return;
        }
        MemoryReport memory = memory_report(after);
        const Bytes saving = memory_.worst().total() - memory.worst().total();
        if (saving <= Bytes{} || !host_holds(after, memory))
        {
            return;
        }
        const Seconds extra = std::max(Seconds{}, step_seconds(after) - seconds_);
        std::string line = cost(memory);
        const bool fits = memory.fits();
        found_.push_back({std::string(id), std::move(name), std::move(line), after, std::move(memory), saving,
                          extra, fits});
    }

    // Whether the hosts have room for what is offloaded to them.
    static bool host_holds(const Scenario& s, const MemoryReport& memory)
    {
        const auto sharing = static_cast<double>(std::min(s.cluster.gpus, s.cluster.gpus_per_node));
        return memory.worst().host_bytes.value * sharing <= s.cluster.host_memory_gb * 1e9;
    }

    void try_micro_batch()
    {
        Scenario after = now_;
        after.training.micro_batch = smaller(now_.training.micro_batch);
        if (after == now_)
        {
            return;
        }
        offer("micro_batch",
              fmt::format("Micro-batch {} to {}", now_.training.micro_batch, after.training.micro_batch),
              after,
              [&](const MemoryReport& memory)
              {
                  if (now_.parallel.zero >= 2 && dense_replicas(now_) > 1)
                  {
                      return traffic_cost("data parallel", data_traffic(now_, memory_),
                                          data_traffic(after, memory));
                  }
                  return now_.parallel.pipeline > 1 ? bubble_cost(now_, after)
                                                    : std::string("same FLOPs, smaller GEMMs");
              });
    }

    void try_recompute()
    {
        Scenario after = now_;
        if (now_.training.recompute == Recompute::none)
        {
            after.training.recompute = Recompute::selective;
            offer("recompute_selective", "Selective recompute", after,
                  [&](const MemoryReport&) { return flops_cost(now_, after, "scores recomputed"); });
        }
        if (now_.training.recompute != Recompute::full)
        {
            after.training.recompute = Recompute::full;
            offer("recompute_full", "Full recompute", after,
                  [&](const MemoryReport&) { return flops_cost(now_, after, "+1 forward"); });
        }
        if (!now_.training.flash_attention)
        {
            // Its extra FLOPs are more than paid back by the memory traffic it saves (Dao et al., arXiv
            // 2205.14135, section 3.1).
            after = now_;
            after.training.flash_attention = true;
            offer("flash", "FlashAttention", after,
                  [](const MemoryReport&) { return "scores recomputed, less traffic"; });
        }
    }

    void try_optimizer()
    {
        Scenario after = now_;
        if (now_.training.offload == Offload::none && now_.cluster.gpu.pcie_gb_per_s > 0)
        {
            after.training.offload = Offload::optimizer_cpu;
            offer("offload_optimizer", "Optimizer on the host", after,
                  [&](const MemoryReport& memory)
                  {
                      const HostTraffic traffic = host_traffic(after, memory);
                      const std::string down = format_bytes(traffic.down);
                      return traffic.down == traffic.up
                                 ? fmt::format("PCIe {} each way", down)
                                 : fmt::format("PCIe {} down, {} up", down, format_bytes(traffic.up));
                  });
        }
        if (now_.training.optimizer == Optimizer::adamw)
        {
            after = now_;
            after.training.optimizer = Optimizer::adamw_8bit;
            offer("adamw_8bit", "8-bit AdamW", after,
                  [](const MemoryReport&) { return "moments kept in 8-bit blocks"; });
        }
    }

    void try_formats()
    {
        Scenario after = now_;
        const bool brain = now_.training.precision == Precision::bf16 || is_narrow(now_.training.precision);
        if (brain && now_.training.gradient_dtype == GradientDtype::fp32)
        {
            after.training.gradient_dtype = GradientDtype::bf16;
            offer("bf16_gradients", "Gradients in BF16", after,
                  [&](const MemoryReport&)
                  { return "BF16 sum of " + counted(micro_batches(now_), "micro-batch"); });
        }
        if (now_.training.precision == Precision::bf16 && now_.cluster.gpu.fp8_tflops > 0)
        {
            after = now_;
            after.training.precision = Precision::fp8;
            offer("fp8", "FP8 GEMMs", after,
                  [&](const MemoryReport&) {
                      return fmt::format("8-bit GEMMs, peak {} TFLOP/s",
                                         three_digits(now_.cluster.gpu.fp8_tflops));
                  });
        }
    }

    std::string zero_cost(const Scenario& after) const
    {
        const auto elements = [](const Scenario& s)
        { return fmt::format("{:.0f}", trips(s).gradients + trips(s).weights); };
        const std::int64_t m = micro_batches(after);
        if (after.parallel.zero == 1 || (after.parallel.zero == 2 && m == 1))
        {
            return "no extra network traffic";
        }
        // Gradients are reduced, or weights gathered, for every micro-batch.
        return fmt::format("{}P sent per step, not {}P", elements(after), elements(now_));
    }

    void try_zero()
    {
        const std::int64_t replicas = dense_replicas(now_);
        // ZeRO-2 and -3 with a pipeline are refused by Megatron-LM and DeepSpeed, so nobody is sent there.
        const std::int64_t most = now_.parallel.pipeline > 1 ? 1 : 3;
        for (std::int64_t zero = now_.parallel.zero + 1; zero <= most && replicas > 1; ++zero)
        {
            Scenario after = now_;
            after.parallel.zero = zero;
            offer(fmt::format("zero_{}", zero), fmt::format("ZeRO {} to {}", now_.parallel.zero, zero), after,
                  [&](const MemoryReport&) { return zero_cost(after); });
        }
    }

    void try_sequence_parallel()
    {
        if (now_.parallel.tensor > 1 && !now_.parallel.sequence_parallel)
        {
            Scenario after = now_;
            after.parallel.sequence_parallel = true;
            offer("sequence_parallel", "Sequence parallelism", after,
                  [](const MemoryReport&) { return "no extra network traffic"; });
        }
    }

    // Data parallelism halves to pay for the GPUs of the larger groups below.

    void try_tensor(std::int64_t reach)
    {
        Scenario after = now_;
        after.parallel.tensor *= 2;
        if (after.parallel.tensor <= reach)
        {
            offer("tensor", fmt::format("Tensor (TP) {} to {}", now_.parallel.tensor, after.parallel.tensor),
                  after,
                  [&](const MemoryReport&)
                  { return traffic_cost("TP traffic", tensor_traffic(now_), tensor_traffic(after)); });
        }
    }

    void try_pipeline()
    {
        if (now_.parallel.zero >= 2 || !now_.parallel.stage_layers.empty())
        {
            return;
        }
        Scenario after = now_;
        after.parallel.pipeline *= 2;
        offer("pipeline", fmt::format("Pipeline {} to {}", now_.parallel.pipeline, after.parallel.pipeline),
              after, [&](const MemoryReport&) { return bubble_cost(now_, after); });
    }

    void try_context()
    {
        Scenario after = now_;
        after.parallel.context *= 2;
        offer("context", fmt::format("Context (CP) {} to {}", now_.parallel.context, after.parallel.context),
              after,
              [&](const MemoryReport&)
              { return traffic_cost("KV exchange", context_traffic(now_), context_traffic(after)); });
    }

    void try_expert()
    {
        if (now_.model.experts == 0)
        {
            return;
        }
        Scenario after = now_;
        after.parallel.expert *= 2;
        offer("expert", fmt::format("Experts (EP) {} to {}", now_.parallel.expert, after.parallel.expert),
              after,
              [&](const MemoryReport&)
              { return traffic_cost("all-to-all", expert_traffic(now_), expert_traffic(after)); });
    }

    void try_schedule()
    {
        // Those that keep fewer micro-batches than most; the bench leaves out what saves nothing.
        for (const std::string_view id : {"1f1b", "zb-v", "v-half", "v-min"})
        {
            const ScheduleKind kind = schedule(id);
            Scenario after = now_;
            after.training.schedule = kind;
            after.parallel.chunks = std::clamp<std::int64_t>(1, kind->least_chunks, kind->most_chunks);
            if (kind != now_.training.schedule && now_.parallel.pipeline > 1)
            {
                offer(fmt::format("schedule_{}", id), fmt::format("{} schedule", kind->name), after,
                      [&](const MemoryReport&) { return bubble_cost(now_, after); });
            }
        }
    }

    const Scenario& now_;
    const MemoryReport& memory_;
    Seconds seconds_;
    std::vector<Lever> found_;
};

} // namespace

std::vector<Lever> levers(const Scenario& scenario, const Report& report, std::size_t most)
{
    Bench bench(scenario, report.memory);
    bench.try_recipe();
    bench.try_layout();
    return bench.best(most);
}

} // namespace ringside
