// What a class can be asked, and which of it each view shows.
#include "core/base/text/find_by.h"
#include "ui/shell/frame/stage_frame.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::array kQuestions{
    ClassQuestion{"memory.total_bytes", "How much memory does the peak-memory GPU need?", "GB", 1e-9},
    ClassQuestion{"memory.states_bytes", "How much model state is on the peak-memory GPU?", "GB", 1e-9},
    ClassQuestion{"memory.activations_bytes", "How large are the activations on the peak-memory GPU?", "GB",
                  1e-9},
    ClassQuestion{"context.crossover_tokens", "From how many thousand tokens is attention half the FLOPs?",
                  "thousand", 1e-3},
    ClassQuestion{"step.time_s", "How long is one step?", "s", 1},
    ClassQuestion{"step.mfu", "What fraction of the peak does a step reach (MFU)?", "%", 100},
    ClassQuestion{"step.bubble_of_total", "What fraction of the step is bubble?", "%", 100},
    ClassQuestion{"pipeline.bubble_of_total", "What fraction of the schedule is bubble?", "%", 100},
    ClassQuestion{"step.tokens_per_s", "How many thousand tokens per second?", "thousand", 1e-3},
    ClassQuestion{"collective.sent_bytes", "How much does each rank send in one all-reduce?", "GB", 1e-9},
    ClassQuestion{"collective.time_s", "How long does the ring all-reduce take?", "ms", 1e3},
    ClassQuestion{"traffic.data_bytes", "How much does data parallelism send per GPU and step?", "GB", 1e-9},
    ClassQuestion{"traffic.tensor_message_bytes", "How large is one tensor-parallel all-reduce?", "MB", 1e-6},
    ClassQuestion{"expert.sent_bytes", "How much does a GPU send in one all-to-all?", "MB", 1e-6},
    ClassQuestion{"roofline.ridge", "At how many FLOPs per byte do the two roofs meet?", "FLOP/B", 1},
    ClassQuestion{"batch.tokens", "How many thousand tokens are in one step?", "thousand", 1e-3},
    ClassQuestion{"data.set_bytes", "How large is the data set?", "TB", 1e-12},
    ClassQuestion{"run.steps", "How many thousand steps is the run?", "thousand", 1e-3},
    ClassQuestion{"run.days", "How many days does the run take?", "days", 1},
    ClassQuestion{"run.cost_usd", "How many million dollars does the run cost?", "million USD", 1e-6},
    ClassQuestion{"run.goodput", "What fraction of the time is goodput?", "%", 100},
    ClassQuestion{"step.straggler_loss", "What fraction of a step is lost to the slowest rank?", "%", 100},
    ClassQuestion{"model.parameters", "How many billion parameters does the model have?", "billion", 1e-9},
    ClassQuestion{"scaling.best_parameters", "How many billion parameters are compute-optimal here?",
                  "billion", 1e-9},
    ClassQuestion{"checkpoint.bytes", "How large is a checkpoint?", "GB", 1e-9},
    ClassQuestion{"serving.most_requests", "How many requests fit concurrently?", "requests", 1},
    ClassQuestion{"finetune.lora_bytes", "How much memory does LoRA need?", "GB", 1e-9},
    ClassQuestion{"alignment.ppo_bytes", "How much memory does PPO need?", "TB", 1e-12}};

struct ShownMetric
{
    std::string_view view;
    std::string_view metric;
};
constexpr std::array kShownMetrics{ShownMetric{"overview", "step.time_s"},
                                   ShownMetric{"memory", "memory.total_bytes"},
                                   ShownMetric{"zero", "memory.states_bytes"},
                                   ShownMetric{"activations", "memory.activations_bytes"},
                                   ShownMetric{"recompute", "memory.total_bytes"},
                                   ShownMetric{"offload", "memory.total_bytes"},
                                   ShownMetric{"context-length", "context.crossover_tokens"},
                                   ShownMetric{"pipelines", "pipeline.bubble_of_total"},
                                   ShownMetric{"frontier", "step.bubble_of_total"},
                                   ShownMetric{"zoo", "collective.sent_bytes"},
                                   ShownMetric{"ring", "collective.time_s"},
                                   ShownMetric{"message", "collective.time_s"},
                                   ShownMetric{"step", "traffic.data_bytes"},
                                   ShownMetric{"compression", "collective.sent_bytes"},
                                   ShownMetric{"tensor", "traffic.tensor_message_bytes"},
                                   ShownMetric{"experts", "expert.sent_bytes"},
                                   ShownMetric{"waterfall", "step.mfu"},
                                   ShownMetric{"roofline", "roofline.ridge"},
                                   ShownMetric{"growth", "step.mfu"},
                                   ShownMetric{"accuracy", "step.time_s"},
                                   ShownMetric{"measured", "step.time_s"},
                                   ShownMetric{"planner", "step.time_s"},
                                   ShownMetric{"layout", "traffic.data_bytes"},
                                   ShownMetric{"decide", "memory.total_bytes"},
                                   ShownMetric{"launch", "step.tokens_per_s"},
                                   ShownMetric{"batch", "batch.tokens"},
                                   ShownMetric{"optimizer", "run.steps"},
                                   ShownMetric{"laws", "scaling.best_parameters"},
                                   ShownMetric{"budget", "run.days"},
                                   ShownMetric{"goodput", "run.goodput"},
                                   ShownMetric{"checkpoint", "checkpoint.bytes"},
                                   ShownMetric{"stragglers", "step.straggler_loss"},
                                   ShownMetric{"serving", "serving.most_requests"},
                                   ShownMetric{"finetune", "finetune.lora_bytes"},
                                   ShownMetric{"alignment", "alignment.ppo_bytes"}};

} // namespace

std::span<const ClassQuestion> class_questions()
{
    return kQuestions;
}

std::string_view class_metric(std::string_view view)
{
    const ShownMetric* shown = find_by(kShownMetrics, view, &ShownMetric::view);
    return shown == nullptr ? std::string_view() : shown->metric;
}

} // namespace ringside
