// DeepSpeed: its JSON, and the arguments of the Hugging Face Trainer beside it, which fill in what is "auto"
// (transformers/integrations/deepspeed.py, HfTrainerDeepSpeedConfig).
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/launch_files/frameworks/frameworks.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool is_auto(const Setting* setting)
{
    return setting == nullptr || plain_text(setting->value) == "auto";
}

bool is_on(const Setting* setting)
{
    return setting != nullptr && (typed(setting->value) == true || setting->value == 1);
}

// The first of these that says more than "auto".
const Setting* first_said(LaunchReader& r, std::initializer_list<std::string_view> names)
{
    const Setting* said = nullptr;
    for (const std::string_view name : names)
    {
        const Setting* setting = r.find(name);
        said = said == nullptr && !is_auto(setting) ? setting : said;
    }
    return said;
}

void deepspeed_precision_of(LaunchReader& r)
{
    for (const auto& [in_json, argument, precision] :
         {std::tuple("bf16.enabled", "--bf16", "bf16"), std::tuple("bfloat16.enabled", "--bf16", "bf16"),
          std::tuple("fp16.enabled", "--fp16", "fp16")})
    {
        const Setting* enabled = r.find(in_json);
        const Setting* by = is_auto(enabled) ? r.find(argument) : enabled;
        if (is_on(by))
        {
            r.state("training.precision", precision, *by);
        }
    }
    r.follow("training.precision", "fp32", "neither bf16 nor fp16 is enabled");
    const Setting* sums = first_said(r, {"data_types.grad_accum_dtype"});
    if (sums != nullptr)
    {
        const std::string type = plain_text(sums->value);
        r.state("training.gradient_dtype",
                type == "float32"    ? "fp32"
                : type == "bfloat16" ? "bf16"
                : type == "float16"  ? "fp16"
                                     : type,
                *sums);
    }
    // runtime/engine.py get_data_types(): without it fp16 sums in fp16, bf16 in bf16 (ZeRO) or fp32
    // (without).
    const bool half = r.said("training.precision") == "fp16";
    const bool sharded = r.said("parallel.zero", 0) > 0;
    r.follow("training.gradient_dtype",
             half                                                ? "fp16"
             : sharded && r.said("training.precision") == "bf16" ? "bf16"
                                                                 : "fp32",
             "dtype of the gradients where grad_accum_dtype is left out");
}

void deepspeed_offload(LaunchReader& r)
{
    const Setting* optimizer = first_said(r, {"zero_optimization.offload_optimizer.device"});
    const Setting* weights = first_said(r, {"zero_optimization.offload_param.device"});
    const Setting* old = r.find("zero_optimization.cpu_offload");
    const auto device = [](const Setting* s)
    { return s == nullptr ? std::string("none") : plain_text(s->value); };
    const std::string where = device(optimizer) != "none" ? device(optimizer) : device(weights);
    if (optimizer != nullptr || weights != nullptr)
    {
        const bool both = device(weights) != "none";
        r.state("training.offload",
                where == "none" ? "none" : (both ? "optimizer-and-weights-" : "optimizer-") + where,
                device(optimizer) != "none" || weights == nullptr ? *optimizer : *weights);
        if (both && device(optimizer) == "none")
        {
            r.unsayable(*weights, "weights alone on the host; counted with the optimizer there");
        }
    }
    else if (is_on(old))
    {
        r.state("training.offload", "optimizer-cpu", *old);
    }
    r.follow("training.offload", "none", "nothing is offloaded");
    for (const char* name :
         {"zero_optimization.offload_optimizer.ratio", "zero_optimization.offload_param.max_in_cpu"})
    {
        if (const Setting* setting = r.find(name);
            setting != nullptr && any_number(setting->value).value_or(1) < 1)
        {
            r.unsayable(*setting, "only a share is offloaded; all of it is counted on the host");
        }
    }
}

void deepspeed_optimizer_of(LaunchReader& r)
{
    const Setting* type = first_said(r, {"optimizer.type", "--optim"});
    if (type != nullptr)
    {
        const std::string name = small_letters(plain_text(type->value));
        const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
        const bool eight = has("8bit") || has("bnb");
        r.state("training.optimizer",
                has("muon")            ? "muon"
                : has("sgd")           ? "sgd-momentum"
                : has("adafactor")     ? "adafactor"
                : has("adam") && eight ? "adamw-8bit"
                                       : "adamw",
                *type);
        if (!has("muon") && !has("sgd") && !has("ada"))
        {
            r.unsayable(*type, "counted as AdamW: two moments for each weight");
        }
    }
    r.follow("training.optimizer", "adamw", "the Trainer's default");
}

void deepspeed_model_of(LaunchReader& r)
{
    const Setting* name = first_said(r, {"--model_name_or_path", "--model_name", "--model", "--base_model"});
    if (name == nullptr)
    {
        return;
    }
    const std::string text = plain_text(name->value);
    if (const ModelPreset* preset = preset_of_repository(text, r.presets()))
    {
        r.model(preset->model, Basis::stated, to_text(*name), name->place);
        return;
    }
    r.say(fmt::format("the model {} is not known here: give its config.json beside these files", text));
}

// Micro-batch x accumulation x GPUs; a pair gives the third (runtime/config.py,
// _set_batch_related_parameters).
void deepspeed_batch(LaunchReader& r)
{
    const Setting* micro = first_said(
        r, {"train_micro_batch_size_per_gpu", "--per_device_train_batch_size", "--micro_batch_size"});
    const Setting* steps = first_said(r, {"gradient_accumulation_steps", "--gradient_accumulation_steps"});
    const Setting* whole = first_said(r, {"train_batch_size"});
    if (micro != nullptr)
    {
        r.state("training.micro_batch", micro->value, *micro);
    }
    const std::int64_t cut =
        r.said("parallel.tensor", 1) * r.said("parallel.pipeline", 1) * r.said("parallel.context", 1);
    const std::int64_t copies =
        std::max<std::int64_t>(1, r.said("cluster.gpus", 1) / std::max<std::int64_t>(1, cut));
    const std::int64_t times =
        steps == nullptr ? 1 : std::max<std::int64_t>(1, whole_number(steps->value).value_or(1));
    if (whole != nullptr)
    {
        r.state("training.global_batch", whole->value, *whole);
        const std::int64_t rest = whole_number(whole->value).value_or(1) / (copies * times);
        r.follow("training.micro_batch", std::max<std::int64_t>(1, rest),
                 "train_batch_size / accumulation / GPUs");
        return;
    }
    r.follow("training.micro_batch", 1, "left out");
    const std::int64_t batch = r.said("training.micro_batch", 1) * times * copies;
    if (r.has("cluster.gpus") && steps != nullptr)
    {
        r.state("training.global_batch", batch, *steps);
    }
    r.follow("training.global_batch", batch, "micro-batch x accumulation x GPUs");
}

void trainer_lengths(LaunchReader& r)
{
    const Setting* length = first_said(r, {"--model_max_length", "--max_seq_length", "--max_seq_len",
                                           "--max_length", "--cutoff_len", "--block_size"});
    if (length != nullptr)
    {
        r.state("training.sequence_length", length->value, *length);
    }
    const auto source = r.count("--max_source_length");
    const auto target = r.count("--max_target_length");
    if (source && target && *source + *target > 0)
    {
        r.guess("training.sequence_length", *source + *target,
                "--max_source_length and --max_target_length together");
    }
    if (const Setting* on = r.find("--gradient_checkpointing"))
    {
        r.state("training.recompute", is_on(on) ? "full" : "none", *on);
    }
    const auto count = r.count("--max_steps", 1);
    const Setting* steps = r.find("--max_steps");
    if (count && r.has("training.sequence_length"))
    {
        r.state("training.tokens",
                static_cast<double>(*count) * static_cast<double>(r.said("training.global_batch", 1) *
                                                                  r.said("training.sequence_length", 1)),
                *steps);
    }
}

} // namespace

bool is_deepspeed(const LaunchSource& source)
{
    return source.format == SourceFormat::json && source.tree.is_object() &&
           (source.tree.contains("zero_optimization") ||
            source.tree.contains("train_micro_batch_size_per_gpu") ||
            (source.tree.contains("train_batch_size") && source.tree.contains("optimizer")));
}

void read_deepspeed(LaunchReader& r)
{
    read_gpus(r);
    r.follow("parallel.zero", 0, "no zero_optimization");
    if (const Setting* group =
            first_said(r, {"zero_optimization.mics_shard_size", "zero_optimization.zero_hpz_partition_size"}))
    {
        group->name.ends_with("mics_shard_size")
            ? r.state("parallel.shard_group", group->value, *group)
            : r.unsayable(*group,
                          "weights are kept once more within nodes, so that gathers stay there (ZeRO++)");
    }
    deepspeed_model_of(r);
    deepspeed_precision_of(r);
    deepspeed_offload(r);
    deepspeed_optimizer_of(r);
    deepspeed_batch(r);
    trainer_lengths(r);
    r.follow("parallel.tensor", 1, "no tensor_parallel");
    r.follow("software.preset", "deepspeed", "DeepSpeed");
    if (const Setting* overlap = r.find("zero_optimization.overlap_comm");
        overlap != nullptr && !is_auto(overlap) && !is_on(overlap))
    {
        r.state("software.data_overlap", 0, *overlap);
    }
    if (!r.has("training.recompute"))
    {
        r.guess("training.recompute", "none", "up to the program's own code");
    }
}

} // namespace ringside
