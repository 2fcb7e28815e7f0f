// One file, since every part of the total is counted here, in the order in which the parts need each other.
#include "core/memory/memory.h"

#include "core/memory/activations/tensors.h"
#include "core/model/attention.h"
#include "core/model/sizes.h"
#include "core/model/stages.h"
#include "core/model/weights.h"
#include "core/scenario/evidence.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kComponents> kKeys{
    "weights_bytes",  "gradients_bytes", "master_weights_bytes", "momentum_bytes",
    "variance_bytes", "buffers_bytes",   "activations_bytes"};

Bytes whole(double bytes)
{
    return Bytes(std::ceil(bytes));
}

// Elements of one rank when `elements` are cut over `ranks`; the last rank's padding counts, as it is
// allocated.
double shard(std::int64_t elements, std::int64_t ranks)
{
    const std::int64_t largest = (elements + ranks - 1) / ranks;
    return static_cast<double>(largest);
}

// Everything that stays the same for all stages.
struct Context
{
    const Scenario& s;
    StateBytes bytes;
    double tokens;       // of one micro-batch on one context rank
    double sequence_cut; // 1, or tensor with sequence parallelism
    std::int64_t dense_shards;
    std::int64_t expert_shards;

    explicit Context(const Scenario& scenario)
        : s(scenario), bytes(state_bytes(scenario)),
          tokens(static_cast<double>(scenario.training.micro_batch) *
                 static_cast<double>(scenario.training.sequence_length) /
                 static_cast<double>(scenario.parallel.context)),
          sequence_cut(scenario.parallel.sequence_parallel ? static_cast<double>(scenario.parallel.tensor)
                                                           : 1),
          dense_shards(ringside::dense_shards(scenario)), expert_shards(ringside::expert_shards(scenario))
    {
    }

    double elements(std::int64_t dense, std::int64_t expert, bool sharded) const
    {
        return sharded ? shard(dense, dense_shards) + shard(expert, expert_shards)
                       : static_cast<double>(dense + expert);
    }
};

struct OptimizerBytes
{
    double momentum;
    double variance;
    double master;
};

// Weights as each GPU holds them; a frozen base has 16 bits, or 4 in its linear layers.
double weight_bytes(const Context& c, const StageWeights& w)
{
    const bool sharded = c.s.parallel.zero >= 3;
    const Lora& lora = c.s.training.lora;
    if (lora.rank == 0)
    {
        return c.bytes.weight * c.elements(w.dense, w.expert, sharded);
    }
    const double whole_width = element_bytes(c.s.training);
    const double saved = lora.quantized ? whole_width - kQuantizedWeight : 0;
    return whole_width * c.elements(w.dense, w.expert, sharded) -
           saved * c.elements(w.linear_dense, w.linear_expert, sharded) +
           c.bytes.weight * c.elements(w.adapters_dense, w.adapters_expert, sharded);
}

// The largest share of the optimizer's parameters. Whole matrices are dealt out, what is not a hidden matrix
// is cut evenly (Megatron-Core, core/optimizer/layer_wise_optimizer.py): no share is less than a matrix.
double updated_elements(const Context& c, const StageWeights& w)
{
    const bool sharded = c.s.parallel.zero >= 1;
    if (!sharded || !c.s.parallel.whole_shards)
    {
        return c.elements(w.dense, w.expert, sharded);
    }
    const auto dealt = [](std::int64_t all, std::int64_t matrices, std::int64_t largest, std::int64_t ranks)
    {
        return shard(all - matrices, ranks) +
               std::max(shard(matrices, ranks), static_cast<double>(std::min(matrices, largest)));
    };
    return dealt(w.dense, w.matrices_dense, w.matrix_dense, c.dense_shards) +
           dealt(w.expert, w.matrices_expert, w.matrix_expert, c.expert_shards);
}

OptimizerBytes optimizer_bytes(const Context& c, const StageWeights& w)
{
    const bool sharded = c.s.parallel.zero >= 1;
    const double all = updated_elements(c, w);
    OptimizerBytes out{c.bytes.momentum * all, c.bytes.variance * all, c.bytes.master * all};
    if (c.s.training.optimizer == Optimizer::adafactor)
    {
        out.variance = 4 * c.elements(w.factored_dense, w.factored_expert, sharded);
    }
    else if (c.s.training.optimizer == Optimizer::muon)
    {
        // AdamW for everything that is not a hidden matrix (Jordan 2024; Liu et al., arXiv 2502.16982,
        // section 2).
        out.variance = 4 * c.elements(w.dense - w.matrices_dense, w.expert - w.matrices_expert, sharded);
    }
    return out;
}

// Bytes alive only inside one layer's backward pass: gradients of its widest tensors, and the gathered input
// and output.
double working_set(const Context& c, bool with_experts)
{
    const Model& m = c.s.model;
    const auto t = static_cast<double>(c.s.parallel.tensor);
    const double e = element_bytes(c.s.training);
    const auto h = static_cast<double>(m.hidden);
    const double gates = m.gated_mlp ? 2 : 1;
    const auto f = static_cast<double>(widest_ffn(m));
    const auto heads = static_cast<double>(m.heads);
    double mlp = 2 * h + (1 + gates) * f / t;
    if (with_experts)
    {
        const auto k = static_cast<double>(m.experts_per_token);
        mlp = (2 * k * static_cast<double>(expert_width(m) * c.s.parallel.expert_tensor) +
               (1 + gates) * k * static_cast<double>(m.expert_ffn)) /
              t;
    }
    double attention = 2 * h + 4 * heads * head_widths(m).key / t;
    if (!c.s.training.flash_attention)
    {
        attention += 2 * heads * static_cast<double>(c.s.training.sequence_length) / t;
    }
    return e * c.tokens * std::max(mlp, attention);
}

void fill_state(const Context& c, const StageWeights& w, StageMemory& stage)
{
    const Parallel& p = c.s.parallel;
    const Offload offload = c.s.training.offload;
    const StageWeights own = trained_weights(c.s.training, w);
    double weights = weight_bytes(c, w);
    const double gradients = c.bytes.gradient * c.elements(own.dense, own.expert, p.zero >= 2);
    OptimizerBytes optimizer = optimizer_bytes(c, own);
    auto& tier = uses_nvme(offload) ? stage.nvme : stage.host;
    const auto put = [](std::array<Bytes, kComponents>& parts, Component component, double bytes)
    { parts[static_cast<std::size_t>(component)] += whole(bytes); };
    if (offload != Offload::none)
    {
        const double updated = updated_elements(c, own);
        put(tier, Component::momentum, optimizer.momentum);
        put(tier, Component::variance, optimizer.variance);
        put(tier, Component::master_weights, optimizer.master);
        put(stage.host, Component::gradients, c.bytes.gradient * updated);
        if (c.bytes.master == 0 && !offloads_weights(offload))
        {
            put(tier, Component::weights, c.bytes.weight * updated);
        }
        optimizer = {0, 0, 0};
    }
    if (offloads_weights(offload))
    {
        put(tier, Component::weights, weights);
        weights = 0;
    }
    stage.host_bytes = std::accumulate(stage.host.begin(), stage.host.end(), Bytes{});
    stage.nvme_bytes = std::accumulate(stage.nvme.begin(), stage.nvme.end(), Bytes{});
    stage.parameters = w.total();
    stage.parts = {whole(weights), whole(gradients), whole(optimizer.master), whole(optimizer.momentum),
                   whole(optimizer.variance)};
}

void fill_activations(const Context& c, const LayerKept& layer, const StagePart& part,
                      std::span<const std::int64_t> times_kept, StageMemory& stage)
{
    const Scenario& s = c.s;
    const Training& t = s.training;
    const double e = element_bytes(t);
    const auto hidden = static_cast<double>(s.model.hidden);
    const std::vector<LayerRange>& ranges = part.ranges;
    double kept = 0;
    double largest = 0;
    for (std::size_t chunk = 0; chunk < ranges.size(); ++chunk)
    {
        const LayerRange& layers = ranges[chunk];
        const auto times = static_cast<double>(times_kept[chunk]);
        kept += times * layer.of(layers);
        stage.in_flight += times_kept[chunk];
        stage.kept_layers += times * static_cast<double>(ranges[chunk].count);
        stage.layers += ranges[chunk].count;
        largest = std::max(largest, layer.largest(layers));
    }
    stage.layer_bytes = whole(largest);
    if (t.offload_activations > 0)
    {
        // The layer at work and the one that travels are here.
        const double away = std::max(0.0, t.offload_activations * (kept - 2 * largest));
        kept -= away;
        stage.host[static_cast<std::size_t>(Component::activations)] = whole(away);
        stage.host_bytes += whole(away);
    }
    for (std::size_t chunk = 0; s.model.dropout && chunk < ranges.size(); ++chunk)
    {
        if (ranges[chunk].stage == 0)
        {
            kept += static_cast<double>(times_kept[chunk]) * c.tokens * hidden /
                    c.sequence_cut; // mask of the embedding's dropout
        }
    }
    if (part.head)
    {
        // The head and each further one keep: the final norm's input, the projection's input, and logits
        // counted as fp32, or 16 bit with their gradient beside them (Korthikanti et al., section 4.3: 4 s b
        // h / t (1 + v / h)).
        const double parts = s.software.loss == LossKind::chunked ? kLossChunks : 1;
        const auto heads = static_cast<double>(1 + s.model.mtp_layers);
        stage.logits_bytes = whole(4 * heads * c.tokens * static_cast<double>(s.model.vocab) /
                                   static_cast<double>(s.parallel.tensor) / parts);
        kept += heads * 2 * e * c.tokens * hidden / c.sequence_cut + stage.logits_bytes.value;
    }
    stage.parts[static_cast<std::size_t>(Component::activations)] = whole(kept);
}

// cuBLAS's two and TransformerEngine's one, and one for each stream of grouped products.
double workspace_handles(const StageWeights& w)
{
    return 3 + (w.expert > 0 ? 4 : 0);
}

// Those whose size the weights set.
void fill_weight_buffers(const Context& c, const StageWeights& w, StageMemory& stage)
{
    const Scenario& s = c.s;
    // Gradients leave a matrix product in its own format.
    const double product = std::min(gathered_bytes(s), element_bytes(s.training));
    const std::int64_t zero = effective_zero(s);
    BufferParts& b = stage.buffers;
    // Fused accumulation keeps one scratch gradient per weight shape (Transformer Engine); sharded gradients
    // pass through one whole layer.
    const StageWeights own = trained_weights(s.training, w);
    const Lora& lora = s.training.lora;
    const bool layerwise = zero >= 2 && lora.rank == 0;
    b.gradient_workspace = whole(product * static_cast<double>(layerwise ? w.largest_layer : own.distinct));
    if (zero == 3 || offloads_weights(s.training.offload))
    {
        b.gathered = whole(gathered_bytes(s) * static_cast<double>(2 * w.largest_layer + w.root));
    }
    if (lora.rank > 0 && lora.quantized) // one matrix is widened to multiply, others travel in 4 bits
    {
        const auto widened = static_cast<double>(std::max(w.matrix_dense, w.matrix_expert));
        const double layers =
            b.gathered.value > 0 ? 2 * kQuantizedWeight * static_cast<double>(w.largest_layer) : 0;
        const double root = b.gathered.value > 0 ? gathered_bytes(s) * static_cast<double>(w.root) : 0;
        b.gathered = whole(element_bytes(s.training) * widened + layers + root);
    }
    if (s.software.second_gradients && c.bytes.gradient > 2)
    {
        b.second_gradients = whole(2 * c.elements(own.dense, own.expert, s.parallel.zero >= 2));
    }
    if (s.software.whole_gradients && s.parallel.pipeline > 1 && zero >= 2)
    {
        b.whole_gradients = whole(c.bytes.gradient * (c.elements(own.dense, own.expert, false) -
                                                      c.elements(own.dense, own.expert, true)));
    }
    b.workspace = whole(workspace_handles(w) * s.cluster.gpu.workspace_mb * 1e6);
    b.graph_pools = whole(s.software.graph_pool_gb * 1e9);
}

// Those whose size a micro-batch sets.
void fill_token_buffers(const Context& c, const LayerKept& layer, const StagePart& part, StageMemory& stage)
{
    const Scenario& s = c.s;
    const Training& t = s.training;
    bool has_dense = false;
    bool has_moe = false;
    for (const LayerRange& range : part.ranges)
    {
        has_dense = has_dense || range.dense() > 0;
        has_moe = has_moe || range.experts > 0;
    }
    BufferParts& b = stage.buffers;
    const double widest = std::max(has_dense ? working_set(c, false) : 0, has_moe ? working_set(c, true) : 0);
    // The loss's gradient is there before the first layer's backward starts, so only what exceeds the logits
    // is extra.
    b.loss_copies = whole(logit_copies(s.software.loss) * stage.logits_bytes.value);
    b.working_set = whole(std::max(0.0, widest - (stage.logits_bytes + b.loss_copies).value));
    if (t.recompute != Recompute::none)
    {
        b.recomputed = whole(std::max(has_dense ? layer.again(false) : 0, has_moe ? layer.again(true) : 0));
    }
    if (s.parallel.pipeline > 1)
    {
        const auto chunks = static_cast<double>(part.ranges.size());
        b.transfer = whole(2 * chunks * element_bytes(t) * c.tokens *
                           static_cast<double>(residual_width(s.model)) / c.sequence_cut);
    }
    if (part.head && t.deferred_head_gradients > 0)
    {
        // linear_with_grad_accumulation's buffers (Megatron-Core, core/tensor_parallel/layers.py): the input
        // and the gradient of the output, 2 bytes a logit.
        const auto waiting = static_cast<double>(std::min(t.deferred_head_gradients, micro_batches(s)));
        b.deferred = whole(waiting * element_bytes(t) * c.tokens *
                           (static_cast<double>(s.model.vocab) / static_cast<double>(s.parallel.tensor) +
                            static_cast<double>(s.model.hidden) / c.sequence_cut));
    }
}

// The memory of a stage, or of half of it. Whole bytes add up exactly in any order.
MemoryHalf half_of(const StageMemory& stage)
{
    return {stage.total() + stage.buffers.temporary(),
            stage.of(Component::activations) + stage.buffers.moving()};
}

Bytes fragmentation_of(const Scenario& s, const MemoryHalf& whole_stage)
{
    return whole(s.training.fragmentation * whole_stage.all.value +
                 s.software.fragmentation * whole_stage.moving.value);
}
Bytes reserve_of(const Scenario& s)
{
    return whole(s.software.reserve_gb * 1e9);
}

} // namespace

StageWeights trained_weights(const Training& training, const StageWeights& w)
{
    StageWeights t = w;
    if (training.lora.rank > 0)
    {
        t.dense = t.matrices_dense = t.factored_dense = w.adapters_dense;
        t.expert = t.matrices_expert = t.factored_expert = w.adapters_expert;
        t.distinct = 0; // a frozen matrix has no gradient
    }
    return t;
}

std::string_view key_of(Component component)
{
    return kKeys.at(static_cast<std::size_t>(component));
}

// A byte of scale for 32 elements of mxfp8, and for 16 of nvfp4 (NVIDIA, arXiv 2509.25149, section 2); one
// number a tensor, or a block of 128 x 128, is left out.
double operand_bytes(Precision precision)
{
    switch (precision)
    {
    case Precision::fp32:
        return 4;
    case Precision::fp8:
        return 1;
    case Precision::mxfp8:
        return 1 + 1.0 / 32;
    case Precision::nvfp4:
        return 0.5 + 1.0 / 16;
    default:
        return 2;
    }
}

namespace
{

double moment_bytes(const Training& t)
{
    switch (t.moments_dtype)
    {
    case MomentsDtype::usual: // DeepSeek-V3, arXiv 2412.19437, section 3.3
        return is_narrow(t.precision) && t.fp8_recipe == Fp8Recipe::deepseek &&
                       t.optimizer == Optimizer::adamw
                   ? 2
                   : 4;
    case MomentsDtype::fp32:
        return 4;
    case MomentsDtype::bf16:
        return 2;
    case MomentsDtype::fp8:
        return 1;
    }
    return 4;
}

} // namespace

StateBytes state_bytes(const Training& t)
{
    StateBytes b;
    const bool full = t.precision == Precision::fp32;
    b.weight = full ? 4 : 2;
    b.gradient = full || t.gradient_dtype == GradientDtype::fp32 ? 4 : 2;
    b.master = full                                            ? 0
               : t.master_weights == MasterWeights::none       ? 0
               : t.master_weights == MasterWeights::remainders ? 2
                                                               : 4;
    b.momentum = b.variance = moment_bytes(t);
    switch (t.optimizer)
    {
    case Optimizer::adamw:
        break;
    case Optimizer::adamw_8bit:
        // One byte and a share of a block's fp32 scale (Dettmers et al., arXiv 2110.02861), blocks of 256 as
        // bitsandbytes has them.
        b.momentum = b.variance = 1 + 4.0 / 256;
        break;
    case Optimizer::sgd_momentum:
        b.variance = 0;
        break;
    case Optimizer::adafactor:
        b.momentum = b.variance = 0;
        break; // factored: Shazeer and Stern, arXiv 1804.04235
    case Optimizer::muon:
        b.variance = 0;
        break;
    }
    if (is_narrow(t.precision))
    {
        const double copies = 2 * operand_bytes(t.precision); // by row and by column
        switch (t.fp8_recipe)
        {
        case Fp8Recipe::bf16_weights:
            b.weight = 2 + copies;
            break; // bf16 beside them (Transformer Engine)
        case Fp8Recipe::fp8_weights:
            b.weight = copies;
            break;
        case Fp8Recipe::deepseek: // DeepSeek-V3, arXiv 2412.19437, section 3.3
            b.weight = 1;
            break;
        }
    }
    return b;
}

StateBytes state_bytes(const Scenario& s)
{
    StateBytes b = state_bytes(s.training);
    if (s.software.cast_weights && b.master == 4 && effective_zero(s) >= 1)
    {
        b.weight = s.parallel.zero >= 3 ? 0 : gathered_bytes(s);
    }
    return b;
}

double gathered_bytes(const Scenario& s)
{
    const double held = state_bytes(s.training).weight;
    return s.software.cast_weights ? std::min(held, element_bytes(s.training)) : held;
}

double logit_copies(LossKind loss)
{
    constexpr double kFused = 4; // [B] per logit
    switch (loss)
    {
    case LossKind::eager:
        return 16 / kFused - 1;
    case LossKind::freed:
        return 10 / kFused - 1;
    case LossKind::vocab_parallel:
        return 6 / kFused - 1;
    case LossKind::compiled:
        return 9.7 / kFused - 1;
    default:
        return 0;
    }
}

double layer_activations(const Model& model, const Training& training, const Parallel& parallel,
                         bool with_experts, Recompute recompute)
{
    const ActivationCost cost = activation_cost(model, training, parallel, with_experts, recompute);
    const auto t = static_cast<double>(parallel.tensor);
    const auto s = static_cast<double>(training.sequence_length);
    const double tokens =
        static_cast<double>(training.micro_batch) * s / static_cast<double>(parallel.context);
    return tokens *
           (cost.sequence / (parallel.sequence_parallel ? t : 1) + cost.tensor / t + cost.scores * s / t);
}

std::int64_t effective_zero(const Scenario& s)
{
    const bool alone = dense_shards(s) == 1 && (s.model.experts == 0 || expert_shards(s) == 1);
    return alone ? 0 : s.parallel.zero;
}

LayerKept::LayerKept(const Scenario& scenario) : s_(scenario)
{
    for (const bool experts : {false, true})
    {
        const auto of_kind = [&](Recompute recompute)
        { return layer_activations(s_.model, s_.training, s_.parallel, experts, recompute); };
        const std::size_t kind = experts ? 1 : 0;
        if (!experts || s_.model.experts > 0)
        {
            left_.at(kind) = of_kind(s_.training.recompute);
            whole_.at(kind) =
                s_.training.recompute == Recompute::none ? left_.at(kind) : of_kind(Recompute::none);
        }
    }
}

double LayerKept::of(const LayerRange& layers) const
{
    assert(layers.count >= 0 && layers.experts >= 0 && layers.experts <= layers.count);
    const std::int64_t again = recomputed_of(s_.training, layers.count);
    std::array<std::int64_t, 2> left{layers.dense(), layers.experts};
    double bytes = 0;
    for (std::int64_t i = again; i < layers.count; ++i)
    {
        const std::size_t kind = has_experts(s_.model, layers.first + i) ? 1 : 0;
        left.at(kind) -= 1;
        bytes += whole_.at(kind);
    }
    return bytes + (static_cast<double>(left[0]) * left_[0] + static_cast<double>(left[1]) * left_[1]);
}

double LayerKept::largest(const LayerRange& layers) const
{
    const auto& bytes = recomputed_of(s_.training, layers.count) < layers.count ? whole_ : left_;
    return std::max(layers.dense() > 0 ? bytes[0] : 0, layers.experts > 0 ? bytes[1] : 0);
}

Bytes StageMemory::total() const
{
    return std::accumulate(parts.begin(), parts.end(), Bytes{});
}

Bytes BufferParts::temporary() const
{
    return moving() + second_gradients + whole_gradients + workspace + graph_pools;
}

Bytes BufferParts::moving() const
{
    return gradient_workspace + working_set + recomputed + gathered + transfer + loss_copies + deferred;
}

StageMemory stage_memory(const Scenario& scenario, const LayerKept& layer, const StageWeights& weights,
                         const StagePart& part, std::vector<std::int64_t> kept)
{
    const Context context(scenario);
    StageMemory stage;
    fill_state(context, weights, stage);
    fill_weight_buffers(context, weights, stage);
    stage.kept = std::move(kept);
    fill_activations(context, layer, part, stage.kept, stage);
    fill_token_buffers(context, layer, part, stage);
    BufferParts& b = stage.buffers;
    const MemoryHalf without_holes = half_of(stage);
    b.fragmentation = fragmentation_of(scenario, without_holes);
    b.reserve = reserve_of(scenario);
    stage.parts[static_cast<std::size_t>(Component::buffers)] = b.temporary() + b.fragmentation + b.reserve;
    // Whole bytes, so that the parts add up to the total in any order.
    assert(std::ranges::all_of(stage.parts, [](Bytes part)
                               { return part.value >= 0 && part.value == std::floor(part.value); }));
    assert(stage.total() == without_holes.all + b.fragmentation + b.reserve);
    return stage;
}

MemoryHalf weight_half(const Scenario& scenario, const StageWeights& weights)
{
    const Context context(scenario);
    StageMemory stage;
    fill_state(context, weights, stage);
    fill_weight_buffers(context, weights, stage);
    return half_of(stage);
}

MemoryHalf token_half(const Scenario& scenario, const LayerKept& layer, const StagePart& part,
                      std::span<const std::int64_t> kept)
{
    const Context context(scenario);
    StageMemory stage;
    fill_activations(context, layer, part, kept, stage);
    fill_token_buffers(context, layer, part, stage);
    return half_of(stage);
}

Bytes stage_bytes(const Scenario& scenario, const MemoryHalf& weights, const MemoryHalf& tokens)
{
    assert(weights.moving <= weights.all && tokens.moving <= tokens.all);
    const MemoryHalf both{weights.all + tokens.all, weights.moving + tokens.moving};
    return both.all + fragmentation_of(scenario, both) + reserve_of(scenario);
}

Bytes memory_capacity(const Scenario& s)
{
    const Gpu& gpu = s.cluster.gpu;
    return Bytes(std::round(std::max(0.0, (gpu.memory_gb * gpu.usable - s.training.reserved_gb) * 1e9)));
}

MemoryReport memory_report(const Scenario& scenario)
{
    const Placement placement = scenario.training.schedule->placement;
    const auto parts = stage_parts(scenario.model, scenario.parallel, placement);
    const auto weights = stage_weights(scenario.model, scenario.parallel, parts, scenario.training.lora);
    auto kept = kept_at_peak(scenario);
    const LayerKept layer(scenario);
    assert(!parts.empty() && weights.size() == parts.size() && kept.size() == parts.size());
    MemoryReport report;
    report.capacity = memory_capacity(scenario);
    const Band band = memory_band(scenario);
    report.low = band.low;
    report.high = band.high;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        report.stages.push_back(stage_memory(scenario, layer, weights[i], parts[i], std::move(kept[i])));
        if (report.stages[i].total() > report.worst().total())
        {
            report.fullest = i;
        }
    }
    return report;
}

} // namespace ringside
