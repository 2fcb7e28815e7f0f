// nanotron: its YAML file. It has the Llama and Qwen families, ZeRO-1, and a pipeline that it cuts by itself.
#include "core/planner/launch/draft.h"
#include "core/scenario/fields.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

const char* yes(bool value)
{
    return value ? "true" : "false";
}

void check_model(LaunchDraft& d)
{
    const Model& m = d.s.model;
    const auto lacks = [&](bool it, const char* field, std::string value, const char* says)
    {
        if (it)
        {
            d.not_expressed(field, std::move(value), says);
        }
    };
    no_special_blocks(d);
    lacks(!m.gated_mlp, "model.gated_mlp", "false", "every MLP is SwiGLU");
    lacks(m.norm != Norm::rmsnorm, "model.norm", "layernorm", "every norm is an RMSNorm");
    lacks(m.positions != Positions::rope, "model.positions",
          m.positions == Positions::learned ? "learned"
          : m.positions == Positions::alibi ? "alibi"
                                            : "none",
          "positions are rotary");
    lacks(m.attention == Attention::mla, "model.attention", "mla", "there is no latent attention");
    lacks(m.biases, "model.biases", "true", "biases are on queries, keys and values at most");
    lacks(m.qk_norm != QkNorm::none, "model.qk_norm", m.qk_norm == QkNorm::head ? "head" : "full",
          "queries and keys are not normalized");
    lacks(m.norms_per_layer != 2, "model.norms_per_layer", fmt::format("{}", m.norms_per_layer),
          "a layer has two norms");
    lacks(m.kv_heads < d.s.parallel.tensor, "model.kv_heads", fmt::format("{}", m.kv_heads),
          "must equal the TP size");
    lacks(m.attention_sinks, "model.attention_sinks", "true", "there are no sinks");
    lacks(m.dropout, "model.dropout", "true", "there is no dropout");
    lacks(m.attention != Attention::mla && m.head_dim * m.heads != m.hidden, "model.head_dim",
          fmt::format("{}", m.head_dim), "heads are as wide as hidden / heads");
}

// Indices of the layers with experts; [-1] is all of them.
std::string nanotron_expert_layers(const Model& m)
{
    std::vector<std::int64_t> layers;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        if (has_experts(m, layer))
        {
            layers.push_back(layer);
        }
    }
    return static_cast<std::int64_t>(layers.size()) == m.layers
               ? "[-1]"
               : fmt::format("[{}]", fmt::join(layers, ", "));
}

void nanotron_model(LaunchDraft& d)
{
    const Model& m = d.s.model;
    const Training& t = d.s.training;
    const bool qwen = m.qkv_bias || m.experts > 0;
    d.section("model.model_config");
    d.set(qwen ? "is_qwen2_config" : "is_llama_config", "true", "family of the model", "model");
    d.set("num_hidden_layers", m.layers, "transformer blocks", "model.layers");
    d.set("hidden_size", m.hidden, "width of the residual stream", "model.hidden");
    d.set("intermediate_size", m.experts > 0 ? m.expert_ffn : m.ffn, "inner width of the MLP",
          m.experts > 0 ? "model.expert_ffn" : "model.ffn");
    d.set("num_attention_heads", m.heads, "query heads", "model.heads");
    d.set("num_key_value_heads", m.kv_heads, "key/value heads", "model.kv_heads");
    d.set("vocab_size", m.vocab, "rows of the embedding", "model.vocab");
    d.set("max_position_embeddings", std::max(m.max_sequence_length, t.sequence_length), "longest sequence",
          "model.max_sequence_length");
    d.set("tie_word_embeddings", yes(m.tied_embeddings), "the output is the embedding",
          "model.tied_embeddings");
    d.set("attention_bias", yes(m.qkv_bias), "biases on queries, keys, values", "model.qkv_bias");
    d.set("_attn_implementation", t.flash_attention ? "flash_attention_2" : "sdpa", "kernel of attention",
          "training.flash_attention");
    check_model(d);
    if (m.experts > 0)
    {
        d.section("model.model_config.moe_config");
        d.set("num_experts", m.experts, "routed experts per layer", "model.experts");
        d.set("top_k", m.experts_per_token, "experts per token", "model.experts_per_token");
        d.set("layers", nanotron_expert_layers(m), "which layers have experts; -1: all",
              "model.dense_layers");
        d.set("enable_shared_expert", yes(m.shared_experts > 0), "and a shared one", "model.shared_experts");
        if (m.shared_experts > 1 || (m.dense_layers > 0 && m.ffn != m.expert_ffn))
        {
            d.not_expressed("model.ffn", fmt::format("{}", m.ffn),
                            "experts, shared experts and dense layers have one width");
        }
    }
    d.section("model");
    const bool half = t.precision == Precision::fp16;
    d.set("dtype",
          half                             ? "float16"
          : t.precision == Precision::fp32 ? "float32"
                                           : "bfloat16",
          "compute dtype", "training.precision");
    if (is_narrow(t.precision))
    {
        d.not_expressed("training.precision", std::string(name_of(t.precision)),
                        "there is no FP8 recipe; bf16 written");
    }
    d.set("make_vocab_size_divisible_by", 1, "padded no further than TP requires", "model.vocab");
    d.section("model.init_method");
    d.set("std", "0.02", "a placeholder, not in the scenario");
}

void nanotron_pipeline(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const std::string_view kind = d.s.training.schedule->id;
    d.set("pp", p.pipeline, "stages of the model", "parallel.pipeline");
    d.set("pp_engine", kind == "gpipe" ? "afab" : "1f1b", "order of the micro-batches", "training.schedule");
    if (p.pipeline == 1)
    {
        return;
    }
    if (kind != "1f1b" && kind != "gpipe")
    {
        d.not_expressed("training.schedule", std::string(kind),
                        "there are 1F1B and all forwards before all backwards; 1F1B written");
    }
    if (p.chunks > 1)
    {
        d.not_expressed("parallel.chunks", fmt::format("{}", p.chunks), "a stage is one piece of the model");
    }
    if (const auto uneven = uneven_layers(d.s); !uneven.empty())
    {
        d.not_expressed("parallel.stage_layers", fmt::format("{}", fmt::join(uneven, ",")),
                        "stages are split by the cost of their blocks");
    }
}

void nanotron_parallelism(LaunchDraft& d)
{
    const Parallel& p = d.s.parallel;
    const Training& t = d.s.training;
    d.section("parallelism");
    d.set("dp", data_parallel(d.s), "replicas of the model", "cluster.gpus");
    nanotron_pipeline(d);
    d.set("tp", p.tensor, "GPUs that share each matrix", "parallel.tensor");
    const bool cut = p.sequence_parallel && p.tensor > 1;
    d.set("tp_mode", cut ? "REDUCE_SCATTER" : "ALL_REDUCE",
          cut ? "and the sequence between them" : "of outputs", "parallel.sequence_parallel");
    d.set("tp_linear_async_communication", yes(cut && p.overlap_tensor), "all-gathers overlap GEMMs",
          "parallel.overlap_tensor");
    no_overlap(d, {true, false, false});
    d.set("context_parallel_size", p.context, "GPUs that share a sequence", "parallel.context");
    if (p.context > 1)
    {
        d.not_expressed("parallel.context", fmt::format("{}", p.context),
                        "needs one of its ring attentions: set _attn_implementation to it");
    }
    d.set("expert_parallel_size", 1, "experts replicated on every GPU", "parallel.expert");
    if (p.expert > 1 || p.expert_tensor > 1)
    {
        d.not_expressed("parallel.expert", fmt::format("{}", p.expert),
                        "dp x pp x cp x tp must be all GPUs, which leaves none for experts; 1 written");
    }
    d.set("recompute_layer", yes(t.recompute == Recompute::full), "whole layers recomputed",
          "training.recompute");
    if ((t.recompute == Recompute::selective && !t.flash_attention) || t.recompute == Recompute::alternate)
    {
        d.not_expressed("training.recompute", std::string(name_of(t.recompute)),
                        "layers are recomputed whole or not at all");
    }
    if (t.recompute == Recompute::full && t.recompute_layers > 0)
    {
        d.not_expressed("training.recompute_layers", fmt::format("{}", t.recompute_layers),
                        "all layers are recomputed or none");
    }
}

void tokens(LaunchDraft& d)
{
    const Training& t = d.s.training;
    d.section("tokens");
    d.set("sequence_length", t.sequence_length, "tokens per sequence", "training.sequence_length");
    d.set("micro_batch_size", t.micro_batch, "sequences per micro-batch", "training.micro_batch");
    d.set("batch_accumulation_per_replica", micro_batches(d.s), "micro-batches per step",
          "training.global_batch");
    d.set("train_steps", train_steps(d.s), d.steps_explained(), "training.tokens");
}

void nanotron_optimizer(LaunchDraft& d)
{
    const Training& t = d.s.training;
    const std::int64_t zero = std::min<std::int64_t>(d.s.parallel.zero, 1);
    d.section("optimizer");
    d.set("zero_stage", zero, zero == 1 ? "optimizer sharded over the replicas" : "nothing sharded",
          "parallel.zero");
    if (zero != d.s.parallel.zero)
    {
        d.not_expressed("parallel.zero", fmt::format("{}", d.s.parallel.zero),
                        "there is ZeRO-1 at most; 1 written");
    }
    const bool full = t.gradient_dtype == GradientDtype::fp32 && t.precision != Precision::fp32;
    d.set("accumulate_grad_in_fp32", yes(full), "gradients summed in fp32", "training.gradient_dtype");
    d.set("clip_grad", "1.0", "a placeholder, not in the scenario");
    d.set("weight_decay", "0.1", "a placeholder, not in the scenario");
    d.section("optimizer.optimizer_factory");
    d.set("name", "adamW", "kind of optimizer", "training.optimizer");
    d.set("adam_beta1", "0.9", "a placeholder, not in the scenario");
    d.set("adam_beta2", "0.95", "a placeholder, not in the scenario");
    d.set("adam_eps", "1.0e-8", "a placeholder, not in the scenario");
    d.set("torch_adam_is_fused", "true", "one kernel for many tensors");
    if (t.optimizer != Optimizer::adamw)
    {
        d.not_expressed("training.optimizer", std::string(name_of(t.optimizer)),
                        "there are AdamW and plain SGD; AdamW written");
    }
    d.section("optimizer.learning_rate_scheduler");
    d.set("learning_rate", "3.0e-4", "a placeholder, not in the scenario");
    d.set("lr_warmup_steps", std::min<std::int64_t>(2000, train_steps(d.s) / 10),
          "a placeholder, not in the scenario");
    d.set("lr_warmup_style", "linear", "a placeholder, not in the scenario");
    d.set("lr_decay_style", "cosine", "a placeholder, not in the scenario");
    d.set("min_decay_lr", "3.0e-5", "a placeholder, not in the scenario");
    if (t.offload != Offload::none)
    {
        d.not_expressed("training.offload", std::string(name_of(t.offload)), "everything stays on the GPUs");
    }
}

// So that it starts as it is; without a dataset it makes tokens up.
void nanotron_stand_ins(LaunchDraft& d)
{
    d.section("general");
    d.set("project", "ringside", "name of the run");
    d.set("seed", 42, "a placeholder, not in the scenario");
    d.section("logging");
    d.set("log_level", "info", "of the first rank");
    d.set("log_level_replica", "info", "of the others");
    d.set("iteration_step_info_interval", 1, "steps between two lines");
    d.section("tokenizer");
    d.set("tokenizer_name_or_path", "gpt2", "a placeholder, not in the scenario");
    d.section("checkpoints");
    d.set("checkpoints_path", "checkpoints", "where they go");
    d.set("checkpoint_interval", 1000, "steps between two");
    d.section("");
    d.set("data_stages",
          "[{name: stable, start_training_step: 1, data: {dataset: null, seed: 42, num_loading_workers: 1}}]",
          "mock data: put your own here");
}

} // namespace

Launch write_nanotron(const Scenario& scenario)
{
    LaunchDraft d(scenario);
    nanotron_parallelism(d);
    tokens(d);
    nanotron_model(d);
    nanotron_optimizer(d);
    nanotron_stand_ins(d);
    check_hosts(d);
    d.config_file("config.yaml", ConfigFormat::yaml);
    const bool ordered = scenario.parallel.tensor > 1;
    std::vector<std::string> lines;
    if (ordered)
    {
        lines.emplace_back("export CUDA_DEVICE_MAX_CONNECTIONS=1");
    }
    lines.push_back(torchrun(scenario) + " \\");
    lines.emplace_back("    run_train.py --config-file config.yaml \"$@\"");
    d.plain_file("launch.sh", std::move(lines));
    return d.take();
}

} // namespace ringside
