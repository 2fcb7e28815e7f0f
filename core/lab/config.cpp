#include "core/lab/config.h"

#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"
#include "core/lab/corpus.h"
#include "core/model/sizes.h"
#include "core/parallelism/experts/router.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Rows of activations are worked on in one piece, on the stack of a thread.
constexpr std::int64_t kMostHidden = 2048;
constexpr std::int64_t kMostFfn = 8192;
constexpr std::int64_t kMostProjection = 16384;
constexpr std::int64_t kMostHeadDim = 256;
constexpr std::int64_t kMostSequence = 4096;
constexpr std::int64_t kMostLabExperts = 64;

// 0 where it is derived from the others.
constexpr std::array kRanges{LabRange{"model.layers", 1, 96},
                             LabRange{"model.hidden", 8, kMostHidden},
                             LabRange{"model.heads", 1, 128},
                             LabRange{"model.ffn", 0, kMostFfn},
                             LabRange{"model.head_dim", 0, kMostHeadDim},
                             LabRange{"model.experts", 0, kMostLabExperts},
                             LabRange{"model.experts_per_token", 1, 2},
                             LabRange{"model.expert_ffn", 0, kMostFfn},
                             LabRange{"training.sequence_length", 2, kMostSequence},
                             LabRange{"training.micro_batch", 1, 4096}};

struct Words
{
    std::string_view path;
    std::string_view hint;
};
constexpr std::array kWords{Words{"model.attention", "use mha or gqa"},
                            Words{"model.positions", "use learned, rope or none"},
                            Words{"model.qk_norm", "use none"},
                            Words{"training.optimizer", "use adamw or sgd-momentum"},
                            Words{"training.precision", "use fp32, bf16, fp16 or fp8"},
                            Words{"training.recompute", "use none, selective or full"},
                            Words{"training.recompute_layers", "use 0"},
                            Words{"training.offload", "use none"}};

class Faults
{
public:
    explicit Faults(const TrainerConfig& config) : c_(config) {}

    Issues find()
    {
        model();
        experts();
        sizes();
        training();
        recipe();
        data();
        return std::move(issues_);
    }

private:
    void fault_if(bool wrong, std::string path, std::string message, std::string hint)
    {
        add_if(issues_, wrong, {std::move(path), std::move(message), std::move(hint)});
    }
    void range(std::string path, std::int64_t value, std::int64_t least, std::int64_t most)
    {
        fault_if(value < least || value > most, std::move(path), fmt::format("{} is out of range", value),
                 range_hint(least, most));
    }
    void range(std::string_view path, std::int64_t value)
    {
        const auto allowed = lab_range(path).value_or(LabRange{});
        range(std::string(path), value, allowed.least, allowed.most);
    }
    void refuse(bool given, std::string_view path, std::string_view what)
    {
        refuse(given, std::string(path), what, lab_hint(path));
    }
    void refuse(bool given, std::string path, std::string_view what, std::string hint)
    {
        fault_if(given, std::move(path), fmt::format("{} cannot be trained here", what), std::move(hint));
    }

    void model()
    {
        const Model& m = c_.model;
        refuse(m.attention == Attention::mla, "model.attention", "latent attention");
        refuse(m.attention == Attention::shared_kv, "model.attention", "a key that is the value, too");
        const auto& entries = m.attention_per_layer;
        refuse(std::any_of(entries.begin(), entries.end(), [](std::int64_t entry) { return entry < 0; }),
               "model.attention_per_layer", "a sparse, compressed or linear layer", "leave it out");
        refuse(m.attention_gate, "model.attention_gate", "a gate", "switch it off");
        refuse(m.head_gate, "model.head_gate", "a gate", "switch it off");
        refuse(m.layer_embedding > 0, "model.layer_embedding", "an embedding of each layer", "use 0");
        refuse(m.shared_kv_layers > 0, "model.shared_kv_layers", "a layer without keys of its own", "use 0");
        refuse(m.laurel_rank > 0, "model.laurel_rank", "a product beside attention", "use 0");
        refuse(has_window_heads(m), "model.window_head_dim", "a window with heads of its own", "use 0");
        refuse(m.v_head_dim > 0 && m.v_head_dim != m.head_dim, "model.v_head_dim",
               "a value of another width than its key", "use 0");
        refuse(m.split_blocks, "model.split_blocks", "a layer of one half", "switch it off");
        refuse(m.shared_gate, "model.shared_gate", "a gate of shared experts", "switch it off");
        refuse(m.shared_ffn > 0, "model.shared_ffn", "a width of shared experts alone", "use 0");
        refuse(m.residual_streams > 0, "model.residual_streams", "a second residual stream", "use 0");
        refuse(m.residual_block > 0, "model.residual_block", "attention to earlier blocks", "use 0");
        refuse(m.expert_hidden > 0, "model.expert_hidden", "an expert on a latent", "use 0");
        refuse(m.positions == Positions::alibi, "model.positions", "ALiBi");
        refuse(m.qk_norm != QkNorm::none, "model.qk_norm", "a norm of queries and keys");
        refuse(m.attention_sinks, "model.attention_sinks", "a sink", "switch it off");
        refuse(m.dropout, "model.dropout", "dropout", "switch it off");
        refuse(m.norms_per_layer != 2, "model.norms_per_layer",
               fmt::format("a block of {} norms", m.norms_per_layer), "use 2");
    }

    void experts()
    {
        const Model m = resolved(c_.model);
        range("model.experts", m.experts);
        if (m.experts == 0)
        {
            return;
        }
        range("model.experts_per_token", m.experts_per_token, 1, std::min<std::int64_t>(2, m.experts));
        range("model.expert_ffn", m.expert_ffn, 1, kMostFfn);
        refuse(m.shared_experts > 0, "model.shared_experts", "an expert that all tokens share", "use 0");
        refuse(m.router_bias, "model.router_bias", "a balancing offset", "use recipe.balance_loss");
        refuse(m.dense_layers > 0 || m.moe_interval > 1,
               m.dense_layers > 0 ? "model.dense_layers" : "model.moe_interval",
               "a mixture of experts in some layers only", m.dense_layers > 0 ? "use 0" : "use 1");
    }

    void sizes()
    {
        const Model m = resolved(c_.model);
        range("model.layers", m.layers);
        range("model.hidden", m.hidden);
        range("model.heads", m.heads);
        range("model.ffn", m.ffn, 1, kMostFfn);
        range("model.head_dim", m.head_dim, 2, kMostHeadDim);
        range("model.vocab", m.vocab, 2, kMostSymbols);
        fault_if(m.kv_heads < 1 || m.heads % std::max<std::int64_t>(1, m.kv_heads) != 0, "model.kv_heads",
                 fmt::format("{} does not divide {} heads", m.kv_heads, m.heads),
                 fmt::format("use {} or 1", m.heads));
        fault_if(m.head_dim > 0 && (m.heads + 2 * m.kv_heads) * m.head_dim > kMostProjection, "model.heads",
                 fmt::format("{} heads of width {} are too wide together", m.heads, m.head_dim),
                 fmt::format("keep (heads + 2 kv_heads) x head_dim at {} or below", kMostProjection));
        fault_if(m.positions == Positions::rope && m.head_dim % 2 != 0, "model.head_dim",
                 fmt::format("{} is odd, and RoPE rotates pairs", m.head_dim),
                 "use an even width of a head, or learned positions");
    }

    void training()
    {
        const Training& t = c_.training;
        range("training.sequence_length", t.sequence_length);
        range("training.micro_batch", t.micro_batch);
        const std::int64_t micro = std::max<std::int64_t>(1, t.micro_batch);
        fault_if(t.micro_batch > 0 && (t.global_batch < micro || t.global_batch % micro != 0),
                 "training.global_batch",
                 fmt::format("{} sequences are no multiple of micro_batch {}", t.global_batch, micro),
                 fmt::format("use {}", micro * std::max<std::int64_t>(1, t.global_batch / micro)));
        refuse(t.optimizer != Optimizer::adamw && t.optimizer != Optimizer::sgd_momentum,
               "training.optimizer", name_of(t.optimizer));
        refuse(t.precision == Precision::mxfp8 || t.precision == Precision::nvfp4, "training.precision",
               name_of(t.precision));
        refuse(t.recompute == Recompute::alternate, "training.recompute", name_of(t.recompute));
        refuse(t.recompute_layers > 0, "training.recompute_layers", "of some layers alone");
        refuse(t.offload != Offload::none, "training.offload", "with offload");
        fault_if(t.precision == Precision::fp32 && t.gradient_dtype != GradientDtype::fp32,
                 "training.gradient_dtype",
                 fmt::format("{} gradients for fp32 weights", name_of(t.gradient_dtype)), "use fp32");
        fault_if(t.precision == Precision::fp8 && !c_.recipe.master_weights, "recipe.master_weights",
                 "fp8 weights cannot be updated without a master copy", "switch it on, or use bf16");
    }

    void recipe()
    {
        Recipe same;
        append(issues_, read_fields(fields_json(c_.recipe), "recipe", same));
    }

    void data() { append(issues_, check_data(c_.data, c_.training.sequence_length)); }

    const TrainerConfig& c_;
    Issues issues_;
};

constexpr std::array kRecipeFields{
    Field<Recipe>{"learning_rate", "learning rate", "", "at the end of the warm-up", &Recipe::learning_rate,
                  0, 100},
    Field<Recipe>{"final_share", "final share", "", "of the learning rate at the end of the cosine",
                  &Recipe::final_share, 0, 1},
    Field<Recipe>{"warmup_steps", "warmup steps", "steps", "of linear warm-up", &Recipe::warmup_steps, 0,
                  1e9},
    Field<Recipe>{"decay_steps", "decay steps", "steps", "at which the cosine ends; 0: the rate stays",
                  &Recipe::decay_steps, 0, 1e9},
    Field<Recipe>{"beta1", "beta1", "", "decay of AdamW's first moment", &Recipe::beta1, 0, 0.9999},
    Field<Recipe>{"beta2", "beta2", "", "decay of AdamW's second moment", &Recipe::beta2, 0, 0.99999},
    Field<Recipe>{"epsilon", "epsilon", "", "added to AdamW's divisor", &Recipe::epsilon, 1e-15, 1},
    Field<Recipe>{"weight_decay", "weight decay", "", "of matrices, decoupled", &Recipe::weight_decay, 0, 10},
    Field<Recipe>{"momentum", "momentum", "", "of SGD", &Recipe::momentum, 0, 0.9999},
    Field<Recipe>{"clip", "clip", "", "largest norm of the gradient; 0: none", &Recipe::clip, 0, 1e9},
    Field<Recipe>{"dynamic_scale", "dynamic scale", "", "fp16: the loss scale follows overflows",
                  &Recipe::dynamic_scale},
    Field<Recipe>{"loss_scale", "loss scale", "", "fp16: loss scale, the first one if dynamic",
                  &Recipe::loss_scale, 1, 0x1p60},
    Field<Recipe>{"growth_interval", "growth interval", "steps",
                  "fp16: without an overflow before the scale doubles", &Recipe::growth_interval, 1, 1e9},
    Field<Recipe>{"capacity_factor", "capacity factor", "",
                  "experts: capacity factor, over the tokens of balanced routing", &Recipe::capacity_factor,
                  0.1, 64},
    Field<Recipe>{"balance_loss", "balance loss", "",
                  "experts: coefficient of the load-balancing (auxiliary) loss; 0: none",
                  &Recipe::balance_loss, 0, 10},
    Field<Recipe>{"stochastic_rounding", "stochastic rounding", "", "of 16-bit weights after an update",
                  &Recipe::stochastic_rounding},
    Field<Recipe>{"fused", "fused kernels", "",
                  "residuals added by the products, one update kernel for all parameters", &Recipe::fused},
    Field<Recipe>{"master_weights", "master weights", "", "an fp32 master copy of 16-bit weights",
                  &Recipe::master_weights},
};

} // namespace

bool LabData::operator==(const LabData& other) const
{
    const bool same_text = text == other.text || (text && other.text && *text == *other.text);
    return task == other.task && symbols == other.symbols && name == other.name && same_text &&
           poisoned_step == other.poisoned_step;
}

std::span<const Field<Recipe>> fields_of(const Recipe&)
{
    return kRecipeFields;
}

std::optional<LabRange> lab_range(std::string_view path)
{
    const LabRange* found = find_by(kRanges, path, &LabRange::path);
    return found ? std::optional(*found) : std::nullopt;
}

std::string lab_hint(std::string_view path)
{
    if (const auto range = lab_range(path))
    {
        return range_hint(range->least, range->most);
    }
    const Words* found = find_by(kWords, path, &Words::path);
    return found ? std::string(found->hint) : "";
}

TrainerConfig default_trainer_config()
{
    TrainerConfig c;
    c.model.name = "lab model";
    c.model.layers = 2;
    c.model.hidden = 64;
    c.model.heads = 4;
    c.model.biases = true;
    c.training.sequence_length = 64;
    c.training.micro_batch = c.training.global_batch = 8;
    c.training.precision = Precision::fp32;
    c.training.recompute = Recompute::none;
    return c;
}

Result<TrainerConfig> prepared(TrainerConfig config)
{
    // Faults of the sizes are found first: a vocabulary is made of the data.
    config.model.vocab = std::max<std::int64_t>(2, vocabulary_size(config.data));
    config.model.max_sequence_length = std::max<std::int64_t>(1, config.training.sequence_length);
    if (config.model.hidden < 1 || config.model.heads < 1)
    {
        return Issue{"model", fmt::format("{} heads of width {}", config.model.heads, config.model.hidden),
                     "use at least 1 of each"};
    }
    Issues issues = Faults(config).find();
    if (!issues.empty())
    {
        return issues;
    }
    config.model = resolved(config.model);
    config.training.fp8_recipe = Fp8Recipe::fp8_weights;
    config.model.attention = config.model.kv_heads < config.model.heads ? Attention::gqa : Attention::mha;
    issues = errors_of(validate(scenario_of(config)));
    if (!issues.empty())
    {
        return issues;
    }
    return config;
}

Scenario scenario_of(const TrainerConfig& config)
{
    Scenario s;
    s.model = config.model;
    s.training = config.training;
    s.training.fp8_recipe = Fp8Recipe::fp8_weights;
    s.cluster.gpus = 1;
    s.cluster.gpus_per_node = 1;
    s.cluster.gpu.workspace_mb = 0; // the trainer's own products need none; a card's library is asked
    return s;
}

std::int64_t slots_of_expert(const Model& model, double capacity_factor, std::int64_t length)
{
    return std::min(length, expert_capacity(capacity_factor, model.experts_per_token, length, model.experts));
}

namespace
{

// Rows of all experts' buffers for one sequence.
std::int64_t slots_of_sequence(const TrainerConfig& c)
{
    const std::int64_t length = c.training.sequence_length;
    return c.model.experts * slots_of_expert(c.model, c.recipe.capacity_factor, length);
}

} // namespace

Bytes statistics_bytes(const TrainerConfig& c)
{
    const std::int64_t length = c.training.sequence_length;
    const std::int64_t norm = c.model.norm == Norm::layernorm ? 8 : 4;
    const std::int64_t logs = c.training.flash_attention ? 4 * c.model.heads : 0;
    const bool scales = c.training.precision == Precision::fp8;
    std::int64_t sequence = length * (2 * norm + logs + (scales ? 8 : 0)); // of a layer
    if (c.model.experts > 0)
    {
        // Slot and gate of each choice, and what the sequence's routing came to.
        sequence += length * 8 * c.model.experts_per_token + 4 * (2 * c.model.experts + 1);
        sequence += scales ? 8 * slots_of_sequence(c) : 0;
    }
    else
    {
        sequence += scales ? 4 * length : 0;
    }
    const std::int64_t layers = c.training.recompute == Recompute::full ? 0 : c.model.layers;
    return Bytes(static_cast<double>(c.training.micro_batch * (layers * sequence + length * norm)));
}

Bytes buffer_bytes(const TrainerConfig& c)
{
    if (c.model.experts == 0 || c.training.recompute == Recompute::full)
    {
        return {};
    }
    const auto copies = [&](std::int64_t each)
    {
        Model m = c.model;
        m.experts_per_token = each;
        return activation_cost(m, c.training, {}, true, c.training.recompute).tensor;
    };
    const auto slots = static_cast<double>(slots_of_sequence(c));
    const auto balanced = static_cast<double>(c.training.sequence_length * c.model.experts_per_token);
    const double element = element_bytes(c.training);
    return Bytes(static_cast<double>(c.training.micro_batch * c.model.layers) *
                 ((slots - balanced) * (copies(1) - copies(0)) +
                  slots * element * static_cast<double>(c.model.hidden)));
}

StageMemory predicted_memory(const TrainerConfig& config)
{
    StageMemory stage = memory_report(scenario_of(config)).worst();
    stage.parts[static_cast<std::size_t>(Component::activations)] +=
        statistics_bytes(config) + buffer_bytes(config);
    if (!config.recipe.master_weights)
    {
        stage.parts[static_cast<std::size_t>(Component::master_weights)] = Bytes{};
    }
    return stage;
}

bool same_state(const TrainerConfig& now, const TrainerConfig& next)
{
    return now.model == next.model && now.data == next.data &&
           now.training.precision == next.training.precision &&
           now.training.gradient_dtype == next.training.gradient_dtype &&
           now.training.optimizer == next.training.optimizer &&
           now.training.sequence_length == next.training.sequence_length &&
           now.recipe.master_weights == next.recipe.master_weights;
}

bool same_weights(const TrainerConfig& now, const TrainerConfig& next)
{
    const auto full = [](const TrainerConfig& c)
    { return c.training.precision == Precision::fp32 || c.recipe.master_weights; };
    TrainerConfig as_next = now;
    as_next.training.precision = next.training.precision;
    as_next.training.gradient_dtype = next.training.gradient_dtype;
    as_next.recipe.master_weights = next.recipe.master_weights;
    return full(now) && full(next) && same_state(as_next, next);
}

} // namespace ringside
