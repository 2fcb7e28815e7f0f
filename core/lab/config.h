// What the live lab trains: a small model, a recipe, data and a seed. Plain values that views, commands and
// the trainer share; nothing here computes a step. The model is the engine's own, so that its predictions are
// of the very same model.
//
// Experts, with the choices the papers leave open. A sequence is a group (GShard, section 2.2): ceil(f k T /
// E) rows of every expert per sequence, never more than T, token after token. GShard places all first
// choices before all second ones; then a token's second expert would depend on later tokens, which a causal
// model must not. A token's route depends on no other sequence, so every layout computes one function. One
// expert per token: the gate is its probability (Switch, equation 2); two: both are divided by their sum
// (GShard, algorithm 1), also when one is full. Dropped tokens live on in the residual stream. Of equal
// probabilities the first expert is taken. The balance loss is E sum f_i P_i per sequence, mean over
// sequences, summed over layers; f counts all k choices before any is dropped (DeepSeek-V3, equations 17 to
// 20). It is not part of the loss shown.
//
// Buffers have fixed shapes and empty rows are computed too, so bytes and memory do not depend on tokens;
// traffic is the engine's expert_traffic times E C / (k T). The engine's activations are those of balanced
// tokens: the lab adds the rows beyond them and the experts' outputs, which the gradients of gates need.
#pragma once

#include "core/base/result.h"
#include "core/memory/memory.h"
#include "core/scenario/fields.h"

#include <memory>
#include <optional>
#include <span>

namespace ringside
{

enum class LabTask : std::uint8_t
{
    text,    // the next character of a text
    copy,    // symbols, a separator, the same symbols again
    sort,    // symbols, a separator, the same symbols in order
    addition // a b = (a + b) mod n, problem after problem
};
template <>
inline constexpr auto kNamesOf<LabTask> = names<LabTask>("text", "copy", "sort", "addition");

// Where sequences come from. Synthetic tasks need no text; a text needs at least one sequence and one token.
struct LabData
{
    LabTask task = LabTask::text;
    std::int64_t symbols = 10;               // of copy and sort, 2 to 255; the modulus of addition, 2 to 97
    std::string name;                        // of the text, for people
    std::shared_ptr<const std::string> text; // UTF-8; never changed
    std::int64_t poisoned_step =
        0; // counted from 1: its batch is one symbol over and over; 0: none. Not saved

    bool operator==(const LabData& other) const;
};

// What an optimizer step needs beside the model and the formats. Everything but master_weights may change
// while training runs.
struct Recipe
{
    double learning_rate = 4e-3; // at the end of the warm-up
    double final_share = 0.1;    // of it at the end of the cosine, and from there on; 0 to 1
    std::int64_t warmup_steps = 20;
    std::int64_t decay_steps = 2000; // step at which the cosine ends; 0: the rate stays
    double beta1 = 0.9;              // AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2)
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double weight_decay = 0.1; // of matrices; gains and biases do not decay
    double momentum = 0.9;     // of SGD
    double clip = 1;           // largest norm of the whole gradient; 0: no clipping
    bool dynamic_scale =
        true; // fp16: halve the loss scale after an overflow, double it after growth_interval
    double loss_scale = 65536; // fp16: where it starts, and stays when it is fixed
    std::int64_t growth_interval = 2000;
    double capacity_factor = 1.25;    // f: an expert takes f k T / E tokens of a sequence of T
    double balance_loss = 0.01;       // what E sum f_i P_i counts beside the loss, in every layer; 0: nothing
    bool stochastic_rounding = false; // of 16-bit weights after an update
    // The residual is added where a product is stored, and one kernel updates all parameters; else the
    // residual has a kernel of its own, and so has every tensor's update.
    bool fused = true;
    bool master_weights = true; // an fp32 copy of 16-bit weights (Micikevicius et al., arXiv 1710.03740)

    bool operator==(const Recipe&) const = default;
};
// Every field with unit, range and meaning.
std::span<const Field<Recipe>> fields_of(const Recipe&);

struct TrainerConfig
{
    Model model;       // vocab follows from the data
    Training training; // sequence_length tokens, global_batch = micro_batch x accumulation sequences
    Recipe recipe;
    LabData data;
    std::uint64_t seed = 1;
    std::int64_t memory_budget =
        0; // [B] the device is treated as if it had no more; 0: all it has. Not saved

    std::int64_t accumulation() const { return training.global_batch / training.micro_batch; }
    bool operator==(const TrainerConfig&) const = default;
};

// 2 layers of width 64 on 64 characters, batch 8, AdamW: words appear within seconds on one processor.
TrainerConfig default_trainer_config();

// What a whole number may be here. The engine's ranges are those of large models, and wider.
struct LabRange
{
    std::string_view path; // "model.hidden"
    std::int64_t least = 0;
    std::int64_t most = 0;
};
std::optional<LabRange> lab_range(std::string_view path);
// "use 8 to 2048", "use adamw or sgd-momentum": what a field may be here; empty where the engine's word
// holds.
std::string lab_hint(std::string_view path);
inline constexpr std::int64_t kMostAccumulation = 65536; // micro-batches of a step

// The configuration with everything derived filled in (head_dim, kv_heads, ffn, vocab, rows of the position
// table), or every reason why it cannot be trained here.
Result<TrainerConfig> prepared(TrainerConfig config);

// Rows that an expert's buffer has for each sequence: ceil(f k T / E), and never more than T.
std::int64_t slots_of_expert(const Model& model, double capacity_factor, std::int64_t length);

// The model and recipe on one device, for the engine. fp8 weights are those the trainer keeps: one copy by
// row and one by column.
Scenario scenario_of(const TrainerConfig& config);
// [B] of activations that formulas for large models leave out (Korthikanti et al., arXiv 2205.05198, section
// 4.1): a few floats of every token. Mean and deviation of the norms, the logarithm of each head's sum with
// flash attention, and the scale of every row of 8-bit numbers.
Bytes statistics_bytes(const TrainerConfig& config);
// [B] of activations that experts have beside the engine's, which are those of balanced tokens: rows of their
// buffers in so far as capacity is not what tokens need, and what the experts gave, which the gates'
// gradients are made of. Below 0 where capacity is less than that.
Bytes buffer_bytes(const TrainerConfig& config);
// The engine's memory for a prepared configuration, with these among the activations. The engine's recipes
// always have a master copy beside 16-bit weights; without one here, its bytes are taken off.
StageMemory predicted_memory(const TrainerConfig& config);

// Whether `next` can go on from the weights and optimizer state of `now`: the same tensors in the same
// formats on the same data.
bool same_state(const TrainerConfig& now, const TrainerConfig& next);
// Whether only the number format differs: `next` can go on from the fp32 weights and moments that `now` has,
// and has such weights itself.
bool same_weights(const TrainerConfig& now, const TrainerConfig& next);

} // namespace ringside
