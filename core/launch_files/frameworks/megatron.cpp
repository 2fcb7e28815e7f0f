// Megatron-LM: arguments of pretrain_gpt.py in scripts, lists and the YAML of its own tests. Here how it is
// known, batch, precision and the rest of the recipe.
#include "core/launch_files/frameworks/megatron.h"

#include <fmt/format.h>

#include "core/launch_files/frameworks/frameworks.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ringside
{

namespace
{

// "0:384 200B:768": from so many tokens on, batches of so many sequences. The last is the largest.
std::optional<std::int64_t> last_batch(std::string_view schedule)
{
    const auto colon = schedule.find_last_of(':');
    return colon == std::string_view::npos ? std::nullopt
                                           : whole_number(std::string(schedule.substr(colon + 1)));
}

void megatron_batch(LaunchReader& r)
{
    const auto batch = r.count("--global-batch-size", 1);
    const Setting* setting = r.find("--global-batch-size");
    if (setting != nullptr)
    {
        r.state("training.global_batch", batch ? nlohmann::json(*batch) : nlohmann::json(), *setting);
    }
    if (const Setting* grows = r.find("--step-batch-size-schedule"))
    {
        std::string text = plain_text(grows->value);
        std::erase(text, '"');
        r.say("batch grows: " + text);
        if (const auto last = last_batch(text))
        {
            r.state("training.global_batch", *last, *grows);
        }
    }
    if (const Setting* ramp = r.find("--rampup-batch-size"))
    {
        r.say(fmt::format("batch grows: {} (first, step, samples), up to the global batch",
                          plain_text(ramp->value)));
    }
    if (setting == nullptr && !r.has("training.global_batch"))
    {
        const std::int64_t cut =
            r.said("parallel.tensor", 1) * r.said("parallel.context", 1) * r.said("parallel.pipeline", 1);
        const std::int64_t copies =
            std::max<std::int64_t>(1, r.said("cluster.gpus", cut) / std::max<std::int64_t>(1, cut));
        r.follow("training.global_batch", copies * r.said("training.micro_batch", 1),
                 "left out: micro-batch x data parallel");
    }
}

void megatron_tokens(LaunchReader& r)
{
    const std::int64_t length = r.said("training.sequence_length", 1024);
    const auto state = [&](const char* name, double factor)
    {
        const Setting* setting = r.find(name);
        if (const auto count = r.number(name); count && setting != nullptr && *count > 0)
        {
            r.state("training.tokens", *count * factor, *setting);
        }
    };
    state("--train-iters", static_cast<double>(length * r.said("training.global_batch", 1)));
    state("--train-samples", static_cast<double>(length));
    state("--train-tokens", 1);
}

// validate_args: --bf16 sums gradients in fp32 unless it is told otherwise, --fp16 in fp16.
void megatron_gradients(LaunchReader& r, std::string_view precision)
{
    if (const Setting* narrow = r.find("--grad-reduce-in-bf16"))
    {
        r.state("training.gradient_dtype", "bf16", *narrow);
        return;
    }
    if (const Setting* wide = r.find("--accumulate-allreduce-grads-in-fp32"))
    {
        r.state("training.gradient_dtype", "fp32", *wide);
        return;
    }
    if (const std::string main = r.word("--main-grads-dtype"); main == "bf16" || main == "fp16")
    {
        r.state("training.gradient_dtype", main, *r.find("--main-grads-dtype"));
        return;
    }
    r.follow("training.gradient_dtype", precision == "fp16" ? "fp16" : "fp32",
             precision == "fp16" ? "--fp16 sums gradients in fp16" : "gradients are summed in fp32");
}

void megatron_precision_of(LaunchReader& r)
{
    const Setting* half = r.find("--fp16");
    const Setting* brain = r.find("--bf16");
    const Setting* eight = r.find_any({"--fp8-format", "--fp8-hybrid", "--fp8-e4m3"});
    const Setting* four = r.find("--fp4-format");
    const std::string recipe = r.word("--fp8-recipe");
    megatron_gradients(r, half != nullptr ? "fp16" : "bf16");
    if (four != nullptr || eight != nullptr)
    {
        r.state("training.precision",
                four != nullptr     ? "nvfp4"
                : recipe == "mxfp8" ? "mxfp8"
                                    : "fp8",
                four != nullptr ? *four : *eight);
        const Setting* gather = r.find_any({"--fp8-param-gather", "--fp8-param"});
        const bool narrow = r.word("--exp-avg-dtype") == "bf16" && r.word("--exp-avg-sq-dtype") == "bf16";
        r.follow("training.fp8_recipe",
                 gather == nullptr                 ? "bf16-weights"
                 : recipe == "blockwise" && narrow ? "deepseek"
                                                   : "fp8-weights",
                 gather == nullptr ? "weights stay in bf16 without --fp8-param-gather"
                                   : "--fp8-param-gather keeps weights in 8 bits");
    }
    else if (half != nullptr || brain != nullptr)
    {
        r.state("training.precision", half != nullptr ? "fp16" : "bf16", half != nullptr ? *half : *brain);
    }
    r.follow("training.precision", "fp32", "no precision is set");
}

void megatron_optimizer_of(LaunchReader& r)
{
    const std::string kind = r.word("--optimizer");
    const std::string first = r.word("--exp-avg-dtype");
    const std::string second = r.word("--exp-avg-sq-dtype");
    const bool eight = first == "fp8" && second == "fp8";
    if (const Setting* setting = r.find("--optimizer"))
    {
        const bool muon = kind.find("muon") != std::string::npos;
        r.state("training.optimizer", muon ? "muon" : kind == "sgd" ? "sgd-momentum" : "adamw", *setting);
    }
    if (eight)
    {
        r.state("training.optimizer", "adamw-8bit", *r.find("--exp-avg-dtype"));
    }
    else if (first == "bf16" && second == "bf16" && r.said("training.fp8_recipe") != "deepseek")
    {
        r.state("training.moments_dtype", "bf16", *r.find("--exp-avg-dtype"));
    }
    r.follow("training.optimizer", "adamw", "default of --optimizer in Megatron-LM");
    if (const Setting* offload = r.find("--optimizer-cpu-offload"))
    {
        const double share = r.number("--optimizer-offload-fraction").value_or(1);
        share >= 1
            ? r.state("training.offload", "optimizer-cpu", *offload)
            : r.unsayable(
                  *offload,
                  fmt::format("{} of the optimizer waits on the host: only all of it can be said", share));
    }
    r.follow("training.offload", "none", "nothing is offloaded");
}

void megatron_modules(LaunchReader& r, const Setting& modules)
{
    std::string text = plain_text(modules.value);
    std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == ',' || c == '\'' || c == '"'; });
    auto names = nlohmann::json::array();
    for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos;
         at = text.find_first_not_of(' ', at))
    {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string name = text.substr(at, end - at);
        at = end;
        kNamesOf<RecomputeModule>.find(name)
            ? names.push_back(name)
            : r.unsayable(modules, name + " is recomputed: its activations are not kept");
    }
    const bool core = text.find("core_attn") != std::string::npos;
    if (!core)
    {
        r.state("training.recompute", "none", modules);
        r.say(fmt::format("recomputed modules {}: set training.recompute=selective to count what that frees",
                          text));
    }
    if (!names.empty() && !(core && names.size() == 1))
    {
        r.state("training.recompute_modules", names, modules);
    }
}

void megatron_recompute(LaunchReader& r)
{
    if (const Setting* old = r.find("--recompute-activations"))
    {
        r.state("training.recompute", "selective", *old);
    }
    if (const Setting* old = r.find_any({"--checkpoint-activations", "--deepspeed-activation-checkpointing"}))
    {
        r.state("training.recompute", "full", *old);
    }
    const Setting* modules = r.find("--recompute-modules");
    if (modules != nullptr && r.said("training.recompute") == "selective")
    {
        megatron_modules(r, *modules);
    }
    const std::string method = r.word("--recompute-method") + r.word("--activations-checkpoint-method");
    if (!r.has("training.recompute") && !method.empty())
    {
        r.state("training.recompute", "full",
                *r.find_any({"--recompute-method", "--activations-checkpoint-method"}));
    }
    const Setting* count = r.find_any(
        {"--recompute-num-layers", "--activations-checkpoint-num-layers", "--checkpoint-num-layers"});
    if (count != nullptr && method == "block")
    {
        r.state("training.recompute_layers", count->value, *count);
    }
    else if (count != nullptr && whole_number(count->value).value_or(1) > 1)
    {
        r.unsayable(*count, "one input is kept for so many layers, fewer than one for each");
    }
    r.follow("training.recompute", "none", "nothing is recomputed");
}

void megatron_attention_kernel(LaunchReader& r)
{
    const Setting* backend = r.find("--attention-backend");
    const std::string kind = r.word("--attention-backend");
    const bool stored = kind == "unfused" || kind == "local";
    if (const Setting* old = r.find_any({"--use-flash-attn", "--use-flash-attn-v2"});
        old != nullptr && !stored)
    {
        r.state("training.flash_attention", true, *old);
    }
    else if (backend != nullptr)
    {
        r.state("training.flash_attention", !stored, *backend);
    }
    else if (r.word("--transformer-impl") == "local")
    {
        r.state("training.flash_attention", false, *r.find("--transformer-impl"));
    }
    r.follow("training.flash_attention", true, "Transformer Engine picks a fused kernel");
}

void megatron_software(LaunchReader& r)
{
    r.follow("software.preset", "megatron-core", "Megatron-LM");
    r.pass("--overlap-grad-reduce");
    if (r.find("--overlap-grad-reduce") == nullptr)
    {
        r.follow("software.data_overlap", 0,
                 "gradients travel after the backward without --overlap-grad-reduce");
    }
}

struct MegatronKind
{
    std::vector<std::string_view> names; // settings that only such runs have
    std::string_view says;
};

void megatron_kinds(LaunchReader& r)
{
    const std::array kinds{
        MegatronKind{{"--perform-rl-step"},
                     "RL: reinforcement learning; its rollouts, and what they take, are not in the scenario"},
        MegatronKind{
            {"--img-h", "--disable-vision-class-token", "--dataset-provider", "--language-model-type"},
            "multimodal: its vision part is not in the scenario"},
        MegatronKind{
            {"--hybrid-layer-pattern", "--hybrid-override-pattern", "--is-hybrid-model"},
            "hybrid (Mamba): layers of more than one kind; all are counted as attention with an MLP"},
        MegatronKind{{"--decoder-num-layers", "--decoder-seq-length"},
                     "T5 encoder-decoder: the scenario has the layers of its encoder only"},
    };
    for (const MegatronKind& kind : kinds)
    {
        if (std::ranges::any_of(kind.names, [&](std::string_view name) { return r.find(name) != nullptr; }))
        {
            r.say(std::string(kind.says));
        }
    }
    const bool trains = r.find_any({"--train-iters", "--train-samples", "--train-tokens", "--lr"}) != nullptr;
    const bool infers = std::ranges::any_of(r.settings().all(), [](const Setting& s)
                                            { return s.name.starts_with("--inference-"); });
    if (infers && !trains)
    {
        r.say("an inference run: no training in it");
    }
    if (r.find("--use-checkpoint-args") != nullptr && r.find("--num-layers") == nullptr)
    {
        r.say("--use-checkpoint-args: the shape is in a checkpoint that is not here");
    }
}

} // namespace

bool is_megatron(const LaunchSource& source)
{
    const bool tree = source.tree.is_object() && source.tree.contains("MODEL_ARGS");
    return tree || source.settings.find("--num-layers") != nullptr ||
           source.settings.find("--encoder-num-layers") != nullptr ||
           source.settings.find("--tensor-model-parallel-size") != nullptr ||
           source.settings.find("--use-mcore-models") != nullptr;
}

void read_megatron(LaunchReader& r)
{
    for (const Setting& setting : r.settings().all())
    {
        if (!setting.name.starts_with("--"))
        {
            r.pass(setting.name); // of a test around the arguments
        }
    }
    read_gpus(r);
    if (const Setting* devices = r.find("--devices")) // NeMo's, of one node
    {
        r.state("cluster.gpus", r.count("--devices", 1).value_or(1) * r.count("--num-nodes", 1).value_or(1),
                *devices);
    }
    const bool shape =
        r.find_any({"--num-layers", "--encoder-num-layers", "--hidden-size", "--num-attention-heads",
                    "--hybrid-layer-pattern", "--hybrid-override-pattern"}) != nullptr;
    shape ? read_megatron_model(r) : r.guess_model("no argument states a shape");
    read_megatron_layout(r);
    r.follow("training.sequence_length", 1024, "no --seq-length");
    megatron_batch(r);
    megatron_tokens(r);
    megatron_precision_of(r);
    megatron_optimizer_of(r);
    megatron_recompute(r);
    megatron_attention_kernel(r);
    megatron_software(r);
    megatron_kinds(r);
}

} // namespace ringside
