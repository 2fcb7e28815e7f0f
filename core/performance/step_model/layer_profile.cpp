// One file, since it is one class: the kernels of a layer, which forward, backward and recomputation share.
#include "core/performance/step_model/layer_profile.h"

#include "core/base/units.h"
#include "core/memory/memory.h"
#include "core/model/adapters.h"
#include "core/model/compute.h"
#include "core/model/sizes.h"
#include "core/network/traffic.h"
#include "core/performance/step_model/tiling.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Kernels of a pass for every matrix product in it, attention's two among them. A GPT layer's forward runs
// about 36 kernels around its six products, its backward about 62; bias, dropout, residual, norms and the
// moving of heads are the rest.
constexpr double kForwardKernels = 6;
constexpr double kBackwardKernels = 10.3;
constexpr double kInputShare = 0.6; // of the backward's, those of activations

// What follows was counted by hand, with the measured rows in view: no constants of the GPU, but no
// measurements either. docs/accuracy.md says what that means for the errors.

// [B] per score and pass where scores are stored: the product writes 2, scaling and mask read and write 4,
// softmax 4, dropout 5 with its mask. Their backward makes as many.
constexpr double kScoreBytes = 15;
// Megatron-LM's fused softmax wants sequences x heads on a GPU in fours; else mask, casts to 32 bits and back
// and softmax are kernels of their own.
constexpr double kSlowScoresForward = 30;
constexpr double kSlowScoresBackward = 24;
constexpr double kSlowKernels = 16;

constexpr double kHeadKernels = 60;
constexpr double kEmbeddingKernels = 25;

// FLOPs of element-wise kernels for each element, exponentials as one, backward about twice as many. They
// place a kernel on a roofline, far left; no time depends on them.
constexpr double kRmsNormFlops = 4;   // square, sum, times the root, times the gain
constexpr double kLayerNormFlops = 7; // with the mean, and the bias
constexpr double kRotaryFlops = 3;    // two products and their sum
constexpr double kGatedFlops = 5;     // SiLU 4, times the other half
constexpr double kGeluFlops = 8;      // by the hyperbolic tangent
constexpr double kSoftmaxFlops = 5;   // maximum, difference, exponential, sum, quotient

PassTime& pass_of(UnitProfile& unit, KernelPass pass)
{
    return pass == KernelPass::forward ? unit.forward : pass == KernelPass::input ? unit.input : unit.weight;
}

} // namespace

LayerProfiler::LayerProfiler(const Scenario& s)
    : m_(s.model), p_(s.parallel), t_(s.training), kind_(layer_attention(attention_entry(s.model, 0))),
      can_overlap_(possible_overlaps(s)), w_(s.software), device_(s), wires_(s.cluster, s.software)
{
    s_ = real(t_.sequence_length);
    b_ = real(t_.micro_batch);
    t_ranks_ = real(p_.tensor);
    c_ranks_ = real(p_.context);
    n_ = b_ * s_ / c_ranks_;
    n_narrow_ = p_.sequence_parallel ? n_ / t_ranks_ : n_;
    h_ = real(m_.hidden);
}

double LayerProfiler::boundary() const
{
    return device_.element * n_ * real(residual_width(m_)) / t_ranks_;
}

double LayerProfiler::all_reduce() const
{
    return wires_.ring(t_ranks_, 1, device_.element * n_ * h_, 2);
}

void LayerProfiler::note(const LayerKernel& kernel) const
{
    if (list_ != nullptr)
    {
        list_->push_back(kernel);
    }
}

double LayerProfiler::charge(UnitProfile& unit, LayerKernel o, Cause cause) const
{
    PassTime& pass = pass_of(unit, o.pass);
    const Cause below = cause == Cause::attention ? Cause::below_attention : Cause::below_peak;
    o.flops = o.product.flops();
    o.bytes = product_bytes(o.product, o.operand);
    o.seconds = product_seconds(device_, o.product, o.peak, o.operand);
    const double ideal = o.flops / o.peak;
    pass.of(cause) += ideal;
    pass.of(below) += o.seconds - ideal;
    note(o);
    return o.seconds;
}

// Forward and the gradients of input and weight: three products of the same three lengths.
LayerProfiler::ProductTime LayerProfiler::product(UnitProfile& unit, std::string_view name, const Product& p,
                                                  double peak, double operand, bool frozen) const
{
    const auto run = [&](KernelPass pass, const Product& each) {
        return charge(unit, {name, KernelKind::product, pass, 0, 0, 0, peak, operand, each}, Cause::products);
    };
    const double forward = run(KernelPass::forward, p);
    const double input = run(KernelPass::input, {p.rows, p.inner, p.cols, p.batch});
    return {forward, input, frozen ? 0 : run(KernelPass::weight, {p.inner, p.cols, p.rows, p.batch})};
}

// Down to the rank and up again (Hu et al., arXiv 2106.09685, section 4.1). A 4-bit base is widened to 16
// bits in every pass that reads it (Dettmers et al., arXiv 2305.14314, section 3).
double LayerProfiler::adapters(UnitProfile& unit, const Weight& w) const
{
    const Lora& lora = t_.lora;
    double count = 0;
    for (const LoraPiece& piece : adapted_pieces(w, lora))
    {
        Weight down = w;
        down.local_rows = piece.rows;
        down.local_cols = lora.rank;
        Weight up = w;
        up.local_rows = lora.rank;
        up.local_cols = piece.cols;
        product(unit, "adapter, down", of_weight(down), device_.peak, device_.element, false);
        product(unit, "adapter, up", of_weight(up), device_.peak, device_.element, false);
        count += 2;
    }
    if (lora.rank > 0 && lora.quantized)
    {
        constexpr double kMoved = kQuantizedWeight + 2; // [B] a weight read and written
        for (const KernelPass pass : {KernelPass::forward, KernelPass::input})
        {
            move(unit, "4 bits to 16", pass, kMoved * real(w.local_elements()), 0);
        }
    }
    return count;
}

void LayerProfiler::move(UnitProfile& unit, std::string_view name, KernelPass pass, double bytes,
                         double flops, double rate) const
{
    bytes *= device_.element / 2;
    const double seconds = rate > 0 ? bytes / rate : hbm_seconds(bytes);
    pass_of(unit, pass).of(Cause::memory) += seconds;
    note({name, KernelKind::elementwise, pass, flops, bytes, seconds, device_.peak, device_.element, {}});
}

std::vector<LayerKernel> LayerProfiler::layer_kernels(bool with_experts) const
{
    std::vector<LayerKernel> list;
    LayerProfiler listing = *this;
    listing.list_ = &list;
    listing.layer(with_experts);
    return list;
}

std::vector<LayerKernel> LayerProfiler::head_kernels() const
{
    std::vector<LayerKernel> list;
    LayerProfiler listing = *this;
    listing.list_ = &list;
    listing.head();
    return list;
}

Product LayerProfiler::of_weight(const Weight& w) const
{
    Product p{n_, real(w.local_cols), real(w.local_rows), 1};
    if (w.expert)
    {
        // The tokens of the whole expert group, shared out evenly.
        const double group = real(p_.expert * p_.expert_tensor);
        p.rows = n_ / t_ranks_ * group * real(w.active_copies) / real(w.copies);
        p.batch = real(w.local_copies);
    }
    return p;
}

void LayerProfiler::Neighbours::add(const ProductTime& time, bool by_rows)
{
    (by_rows ? last : fed) += time.forward;
    (by_rows ? last_input : fed_input) += time.input;
    fed_weight += by_rows ? 0 : time.weight;
}

UnitProfile LayerProfiler::layer(bool with_experts) const
{
    UnitProfile unit;
    double products = attends() ? 2 : 0; // attention's
    Neighbours beside_attention;
    Neighbours beside_mlp;
    PassTime again; // of products, with selective recomputation
    for (const Weight& w : layer_weights(m_, p_, with_experts))
    {
        (w.expert ? unit.expert : unit.dense) += real(w.local_elements());
        if (!w.matrix())
        {
            continue;
        }
        const PassTime before = unit.forward;
        const ProductTime time =
            product(unit, w.name, of_weight(w), device_.layer_peak, device_.operand, t_.lora.rank > 0);
        if (t_.recompute == Recompute::selective && made_again(t_, w, with_experts))
        {
            again.add(unit.forward);
            again.add(before, -1);
        }
        products += 1 + adapters(unit, w);
        Neighbours& beside = w.mlp ? beside_mlp : beside_attention;
        beside.add(time, w.local_rows < w.rows);
    }
    products += with_experts ? w_.routing_kernels : 0; // sorting tokens by expert, and back
    sum_gradients(unit);
    const UnitProfile core = attention();
    unit.forward.add(core.forward);
    unit.input.add(core.input);
    elementwise(unit, with_experts);
    kernels(unit, products);
    add_up_blocks(unit);
    recompute(unit, core, with_experts);
    unit.again.add(again);
    add_tensor(unit, beside_attention, with_experts ? Neighbours{} : beside_mlp);
    if (p_.context > 1)
    {
        add_context(unit, core);
    }
    const double extra = slow_softmax() ? kSlowKernels : 0;
    const double backward = kBackwardKernels * products;
    wait_for_host(unit, kForwardKernels * products + extra, backward * kInputShare + extra,
                  backward * (1 - kInputShare));
    if (with_experts && p_.expert > 1)
    {
        add_experts(unit);
    }
    return unit;
}

void LayerProfiler::recompute(UnitProfile& unit, const UnitProfile& core, bool with_experts) const
{
    if (t_.recompute == Recompute::full)
    {
        unit.again = unit.forward;
    }
    else if (t_.recompute == Recompute::selective)
    {
        // Beside flash attention too, where it saves nothing: its outputs are kept for the next product
        // (NVIDIA/Megatron-LM, issue 464 and pull request 7237).
        unit.again = covers(t_, RecomputeModule::core_attn) ? core.forward : PassTime{};
        if (t_.recompute_modules != RecomputeModules{}) // what is let go is written once more
        {
            const auto kept = [&](Recompute how) { return layer_activations(m_, t_, p_, with_experts, how); };
            unit.again.of(Cause::memory) += hbm_seconds(kept(Recompute::none) - kept(Recompute::selective));
        }
    }
    else if (t_.recompute == Recompute::alternate)
    {
        const double share = alternate_share(m_, {with_experts, kind_});
        unit.again.of(Cause::memory) = unit.forward.of(Cause::memory);
        for (const Cause cause : {Cause::products, Cause::below_peak})
        {
            unit.again.of(cause) = share * (unit.forward.of(cause) - core.forward.of(cause));
        }
        unit.again.of(Cause::kernels) = unit.forward.of(Cause::kernels) / 2;
    }
}

// A micro-batch's gradients, in the format of the weights, are added to their sums in 32 bits by kernels of
// their own, where the weights' products do not add them.
void LayerProfiler::sum_gradients(UnitProfile& unit) const
{
    const bool mixed = t_.precision != Precision::fp32 && t_.gradient_dtype == GradientDtype::fp32;
    if (mixed && t_.lora.rank == 0 && w_.gradient_sum_bytes > 0)
    {
        const double count = unit.dense + unit.expert;
        move(unit, "gradients to their sums", KernelPass::weight, w_.gradient_sum_bytes * count, count,
             device_.copy);
    }
}

void LayerProfiler::kernels(UnitProfile& unit, double products) const
{
    const double extra = slow_softmax() ? kSlowKernels : 0;
    const auto run = [&](PassTime& pass, double count) { pass.of(Cause::kernels) += count * device_.kernel; };
    run(unit.forward, kForwardKernels * products + extra);
    run(unit.input, kBackwardKernels * products * kInputShare + extra);
    run(unit.weight, kBackwardKernels * products * (1 - kInputShare));
}

// The host launches each pass in one go, full recomputation with the backward's first part. While the device
// waits for keys and values or for pieces of a product the host runs ahead, so part of the two waits is the
// same time. The input's and the weights' gradients wait each for its own kernels: a faster device then never
// lengthens a pass.
void LayerProfiler::wait_for_host(UnitProfile& unit, double forward, double input, double weight) const
{
    const bool repeats =
        (t_.recompute == Recompute::full || t_.recompute == Recompute::alternate) && unit.again.device() > 0;
    const auto together = [this](double device, double host)
    { return w_.launch_blocking ? device + host : launched_seconds(device, host); };
    const auto launched = [&](std::initializer_list<PassTime*> passes, PassTime& last, double kernels)
    {
        const double host = kernels * device_.host_kernel;
        double device = 0;
        double waits = 0;
        for (PassTime* pass : passes)
        {
            device += pass->device();
            waits += pass->of(Cause::context) + (pieces() ? pass->of(Cause::tensor) : 0);
        }
        const double alone = together(device, host);
        last.of(Cause::host) = alone - device;
        const double left = waits > 0 ? (together(device + waits, host) - alone) / waits : 1;
        for (PassTime* pass : passes)
        {
            pass->of(Cause::context) *= left;
            pass->of(Cause::tensor) *= pieces() ? left : 1;
        }
    };
    launched({&unit.forward}, unit.forward, forward);
    launched({&unit.again, &unit.input}, unit.input, input + (repeats ? forward : 0));
    launched({&unit.weight}, unit.weight, weight);
}

bool LayerProfiler::slow_softmax() const
{
    return !t_.flash_attention && t_.micro_batch * (m_.heads / p_.tensor) % 4 != 0;
}

UnitProfile LayerProfiler::attention() const
{
    if (kind_ == LayerAttention::none || kind_ == LayerAttention::conv)
    {
        return {}; // a convolution is among the element-wise kernels
    }
    return t_.flash_attention || kind_ != LayerAttention::full ? flash_attention() : stored_scores();
}

LayerProfiler::CoreWidths LayerProfiler::core_widths() const
{
    if (kind_ == LayerAttention::none)
    {
        return {};
    }
    if (kind_ == LayerAttention::conv)
    {
        return {3 * h_ / t_ranks_, h_ / t_ranks_};
    }
    CoreWidths core;
    if (keeps_state())
    {
        const double keys = 2 * real(linear_key_heads(m_) * linear_key_dim(m_));
        const double values = real(linear_width(m_));
        core = {(keys + values) / t_ranks_, values / t_ranks_};
    }
    if (!is_recurrent(kind_))
    {
        const HeadWidths w = head_widths(m_);
        const double heads = real(m_.heads) / t_ranks_;
        const bool latent = m_.attention == Attention::mla;
        const double keys =
            borrows_keys(m_, 0) ? 0 : std::max(1.0, w.kv_heads / t_ranks_) * (w.key + w.value);
        core.in += heads * w.key + (latent ? 2 * heads * w.key : keys);
        core.out += heads * (latent ? w.key : w.value);
    }
    return core;
}

// [B] of one token: queries, keys, values and outputs, and states between chunks. Those of 64 tokens are
// written and read in 16 bits (flash-linear-attention, chunk_delta_h.py), Mamba-2's of 256 made, passed on
// and read in 32 (mamba_ssm, ssd_combined.py); Mamba's stay on the chip.
double LayerProfiler::state_bytes() const
{
    const double state = real(linear_width(m_) * linear_key_dim(m_)) / t_ranks_;
    const double chunk = kind_ == LayerAttention::mamba ? 0
                         : kind_ == LayerAttention::mamba2 || kind_ == LayerAttention::hybrid
                             ? 16.0 / 256
                             : 2 * device_.element / real(kLinearChunk);
    const double keys = 2 * real(linear_key_heads(m_) * linear_key_dim(m_)) / t_ranks_;
    return device_.element * (keys + 2 * real(linear_width(m_)) / t_ranks_) + chunk * state;
}

// Exponentials, one a score, bind narrow heads: on H100 forward attention runs at 497, 648 and 756 TFLOP/s
// with heads of 64, 128 and 256 (Shah et al., arXiv 2407.08608, figure 5). Keys picked one by one are
// gathered as they are needed.
double LayerProfiler::width_share() const
{
    constexpr double kWidest = 128; // what attention_peak was measured over; wider heads count as these
    const bool gathers =
        kind_ == LayerAttention::sparse || kind_ == LayerAttention::csa || kind_ == LayerAttention::hca;
    const double width =
        std::min(kWidest, is_recurrent(kind_) ? real(linear_key_dim(m_)) : head_widths(m_).key);
    const double share =
        device_.by_length ? (1 + device_.narrow / 128) * width / (width + device_.narrow) : 1;
    return share * (gathers ? w_.picked_attention : 1);
}

// Blocks above the diagonal are skipped, so half the scores are made; the backward makes them once more and
// then has four products of their size (Dao, arXiv 2307.08691, section 3.1).
UnitProfile LayerProfiler::flash_attention() const
{
    const double flops = n_ / t_ranks_ * executed_attention(m_, s_);
    double bytes = keeps_state() ? n_ * state_bytes() : 0;
    if (!is_recurrent(kind_))
    {
        // Queries and outputs of this GPU's tokens, keys and values of all of them, each once.
        const HeadWidths w = head_widths(m_);
        const double shared = std::max(1.0, w.kv_heads / t_ranks_);
        bytes += device_.element * (w.key + w.value) * (n_ * real(m_.heads) / t_ranks_ + b_ * s_ * shared);
    }
    UnitProfile core;
    const auto run = [&](KernelPass pass, double times, double passes)
    {
        // With short sequences it waits for its bytes.
        const double rate =
            width_share() * device_.attention * (pass == KernelPass::forward ? 1 : device_.backward);
        const double seconds = std::max(times * flops / rate, hbm_seconds(passes * bytes));
        PassTime& time = pass_of(core, pass);
        time.of(Cause::attention) += times * flops / device_.peak;
        time.of(Cause::below_attention) += seconds - times * flops / device_.peak;
        note({"attention",
              KernelKind::attention,
              pass,
              times * flops,
              passes * bytes,
              seconds,
              device_.peak,
              device_.element,
              {}});
    };
    run(KernelPass::forward, 1, 1);
    run(KernelPass::input, 2.5, 2); // their gradients are read and written too
    return core;
}

UnitProfile LayerProfiler::stored_scores() const
{
    const HeadWidths w = head_widths(m_);
    const double rows = s_ / c_ranks_;
    const double batch = b_ * real(m_.heads) / t_ranks_;
    UnitProfile core;
    const auto run = [&](std::string_view name, KernelPass pass, const Product& p)
    {
        charge(core, {name, KernelKind::attention, pass, 0, 0, 0, device_.peak, device_.element, p},
               Cause::attention);
    };
    run("scores", KernelPass::forward, {rows, s_, w.key, batch});
    run("scores times values", KernelPass::forward, {rows, w.value, s_, batch});
    run("gradient of scores", KernelPass::input, {rows, s_, w.value, batch});
    run("gradient of values", KernelPass::input, {s_, w.value, rows, batch});
    run("gradient of queries", KernelPass::input, {rows, w.key, s_, batch});
    run("gradient of keys", KernelPass::input, {s_, w.key, rows, batch});
    const double scores = batch * rows * s_;
    const double forward = slow_softmax() ? kSlowScoresForward : kScoreBytes;
    const double backward = slow_softmax() ? kSlowScoresBackward : kScoreBytes;
    move(core, "softmax", KernelPass::forward, scores * forward, scores * kSoftmaxFlops);
    move(core, "softmax", KernelPass::input, scores * backward, scores * kSoftmaxFlops * 2);
    return core;
}

// Bytes that element-wise kernels read and write where an element has 2: norms 4 forward and 8 backward; the
// two residual additions 6 and 10, with dropout and its mask 7 and 11; heads moved 4; the activation 4 and 6,
// gated 6 and 10; gradients of biases another 2.
void LayerProfiler::elementwise(UnitProfile& unit, bool with_experts) const
{
    const double norms = real(m_.norms_per_layer);
    const double narrow = n_narrow_ * h_;
    const double dropout = m_.dropout ? 1 : 0;
    const double bias = m_.biases ? 2 : 0;
    const auto [qkv, query] = core_widths();
    const bool mlp = with_experts || has_mlp(m_, kind_);
    const double halves = (attends() ? 1 : 0) + (mlp ? 1 : 0);
    double inner = mlp ? real(m_.ffn) / t_ranks_ : 0;
    if (with_experts)
    {
        inner = (real(m_.expert_ffn * m_.experts_per_token) + real(shared_width(m_))) / t_ranks_;
        // Each token's copies are sorted by expert, read and written, and added up again.
        const double copies = n_ / t_ranks_ * real(m_.experts_per_token * expert_width(m_));
        move(unit, "tokens to experts", KernelPass::forward, w_.routing_bytes * copies, 2 * copies);
        move(unit, "tokens to experts", KernelPass::input, w_.routing_bytes * copies, 2 * copies);
    }
    casts(unit, query, qkv, inner, with_experts);
    // Gates with biases, clamped as in gpt-oss, are a dozen kernels, not one: clamps of both halves, sigmoid,
    // products, the token's weight (NVIDIA/Megatron-LM megatron/core/transformer/moe/experts.py, glu()).
    const bool clamped = m_.gated_mlp && m_.biases;
    const double act = clamped ? 40 : m_.gated_mlp ? 6 : 4;
    const double act_back = clamped ? 50 : m_.gated_mlp ? 10 : 6;
    const auto both = [&](std::string_view name, double forward, double backward, double flops)
    {
        move(unit, name, KernelPass::forward, forward, flops);
        move(unit, name, KernelPass::input, backward, 2 * flops);
    };
    both("norms", narrow * 4 * norms, narrow * 8 * norms,
         narrow * norms * (m_.norm == Norm::rmsnorm ? kRmsNormFlops : kLayerNormFlops));
    // Streams are read, mixed with each other and written, all n of them, by kernels of their own for the
    // mixing's weights.
    const double mixing = residual_width(m_) > m_.hidden ? w_.stream_mixing : 1;
    const double streams = real(residual_width(m_)) / h_ * mixing;
    both("residual", narrow * halves * streams * (6 + dropout), narrow * halves * streams * (10 + dropout),
         narrow * halves * streams * (streams + dropout));
    both("activation", n_ * act * inner, n_ * (act_back + bias) * inner,
         n_ * inner * (m_.gated_mlp ? kGatedFlops : kGeluFlops));
    both(m_.positions == Positions::rope ? "RoPE, head split" : "head split", n_ * 4 * (qkv + query),
         n_ * ((4 + bias) * qkv + 4 * query), m_.positions == Positions::rope ? n_ * kRotaryFlops * qkv : 0);
}

// 8-bit copies of what products read: forward their inputs, backward the gradients of their outputs. Copies
// by column for the weights' gradients are made along with them. Weights are cast once a step, which is
// little.
void LayerProfiler::casts(UnitProfile& unit, double query, double qkv, double inner, bool with_experts) const
{
    if (device_.cast_bytes <= 0)
    {
        return;
    }
    const double copies = with_experts ? real(m_.experts_per_token) * n_ / t_ranks_ * h_ : n_narrow_ * h_;
    const double gates = m_.gated_mlp ? 2 : 1;
    const double forward = n_narrow_ * h_ + n_ * query + copies + n_ * inner;
    const double backward = n_ * qkv + n_narrow_ * h_ + n_ * gates * inner + copies;
    move(unit, "casts to 8 bits", KernelPass::forward, device_.cast_bytes * forward, forward);
    move(unit, "casts to 8 bits", KernelPass::input, device_.cast_bytes * backward, backward);
}

// Two all-reduces forward and two backward (Shoeybi et al., arXiv 1909.08053, section 3), one each in
// parallel blocks; with sequence parallelism an all-gather and a reduce-scatter for each, which move the same
// bytes (Korthikanti et al., arXiv 2205.05198, section 4.2.2). Nothing is computed meanwhile, unless they are
// cut into as many pieces as there are ranks: then each piece of a gather travels while the product works on
// the one before, and each piece of a product while the scatter sends the one before, all but one in t
// (Wang et al., ASPLOS 2023, "Overlap Communication with Dependent Computation via Decomposition in Large
// Deep Learning Models"). Backward the scatter runs whole beside the weights' gradients, which do not need
// it. Beside its own shard alone, one of t pieces, a rank hides little of a gather and nothing of the
// forward's scatter; backward what was gathered is gathered again beside the gradients of the products'
// inputs (huggingface/nanotron src/nanotron/parallel/tensor_parallel/functional.py).
void LayerProfiler::add_tensor(UnitProfile& unit, const Neighbours& attention, const Neighbours& mlp) const
{
    const bool one_block = m_.norms_per_layer == 1;
    const bool beside = pieces();
    const double half = all_reduce() / 2; // a gather or a scatter
    const double hidden = beside ? w_.tensor_overlap : 0;
    const bool own = beside && w_.own_shard;
    const bool again = w_.own_shard && p_.sequence_parallel;
    const double share = hidden * (own ? 1 : t_ranks_ - 1) / t_ranks_;
    const auto exposed = [&](double hide) { return exposed_seconds(half, hide, wires_.slowdown); };
    const auto add = [&](const Neighbours& b)
    {
        unit.forward.of(Cause::tensor) += exposed(share * b.fed) + exposed(own ? 0 : share * b.last);
        unit.input.of(Cause::tensor) += exposed(share * b.last_input) + exposed(hidden * b.fed_weight) +
                                        (again ? exposed(hidden * b.fed_input) : 0);
    };
    if (one_block)
    {
        // One gather feeds both, one scatter follows their sum.
        add({attention.fed + mlp.fed, attention.fed_input + mlp.fed_input,
             attention.fed_weight + mlp.fed_weight, mlp.last, mlp.last_input});
    }
    else
    {
        add(attention);
        add(mlp);
    }
    if (t_.recompute == Recompute::full || t_.recompute == Recompute::alternate)
    {
        // What is scattered is kept by alternate recomputation, what is gathered is not.
        const double part = t_.recompute == Recompute::full ? 1 : 0.5;
        unit.again.of(Cause::tensor) += part * unit.forward.of(Cause::tensor);
    }
}

// Keys and values go round while attention works on those that are there (Liu et al., arXiv 2310.01889,
// section 3); backward, their gradients go round too. A share of the work is done before the first arrive.
// Gathered, they come before any of it (Grattafiori et al., arXiv 2407.21783, section 3.3.2).
void LayerProfiler::add_context(UnitProfile& unit, const UnitProfile& core) const
{
    if (w_.context_heads)
    {
        add_repeated_context(unit, core);
        return;
    }
    const double width = passed_numbers(m_, p_.tensor, false);
    const double round = wires_.ring(c_ranks_, t_ranks_, device_.element * n_ * width * c_ranks_, 1);
    const double least = (c_ranks_ - 1) * wires_.hop;
    const double hide = w_.context_gather ? 0 : (c_ranks_ - 1) / c_ranks_;
    const auto expose = [&](PassTime& pass, double rounds, const PassTime& attention)
    { pass.of(Cause::context) = std::max(least, rounds * round - hide * attention.total()); };
    expose(unit.forward, 1, core.forward);
    expose(unit.input, 2, core.input);
    if (rings_again(t_.recompute))
    {
        expose(unit.again, 1, core.forward);
    }
}

// Keys and values of every query head are all-gathered beside the first block. Their gradients, in 32 bits,
// go on to the next rank after each block, beside the next one's kernel; nothing is left beside the last
// (pytorch/pytorch torch/distributed/tensor/experimental/_attention.py, _templated_ring_attention() and its
// backward; pytorch/torchtitan torchtitan/models/llama/model.py of 2024, repeat_kv()).
void LayerProfiler::add_repeated_context(UnitProfile& unit, const UnitProfile& core) const
{
    const double numbers = n_ * passed_numbers(m_, p_.tensor, true);
    const double gather = wires_.ring(c_ranks_, t_ranks_, device_.element * numbers * c_ranks_, 1);
    const double next = wires_.send(t_ranks_, 4 * numbers);
    const auto beyond_block = [this](double sent, const PassTime& attention)
    { return std::max(0.0, sent - attention.total() / c_ranks_); };
    unit.forward.of(Cause::context) = beyond_block(gather, core.forward);
    unit.input.of(Cause::context) =
        beyond_block(gather, core.input) + (c_ranks_ - 1) * beyond_block(next, core.input) + next;
    if (rings_again(t_.recompute))
    {
        unit.again.of(Cause::context) = unit.forward.of(Cause::context);
    }
}

// PyTorch adds up the blocks' partial outputs in 32 bits, kernel by kernel: cast, difference, product, sum,
// 38 B an element; where the causal mask leaves half of the queries, on half of them, and a copy of the
// whole, 27. Backward the gradients of queries 10 or 13, of keys and values 20 or 26, and 16 to lay them out
// for sending. Half of the blocks are of either kind (_SDPAMerger and _partial_update() in the same file).
void LayerProfiler::add_up_blocks(UnitProfile& unit) const
{
    if (!w_.context_heads || p_.context == 1 || !attends())
    {
        return;
    }
    constexpr double kForward = (38.0 + 27) / 2;       // [B] an element and block after the first
    constexpr double kBackward = (30.0 + 39) / 2 + 16; // [B] an element and block
    const double outputs = n_ * real(m_.heads) / t_ranks_ * head_widths(m_).value;
    const double sums = (c_ranks_ - 1) * outputs;
    move(unit, "partial sums", KernelPass::forward, kForward * sums, 3 * sums, device_.copy);
    move(unit, "partial sums", KernelPass::input, kBackward * c_ranks_ * outputs, 3 * c_ranks_ * outputs,
         device_.copy);
}

// R (1 - (1 - 1/R)^k) of R ranks get one of k copies that go to any: a token is sent to a rank once
// (deepseek-ai/DeepEP csrc/kernels/layout.cu, is_token_in_rank).
double LayerProfiler::rank_share() const
{
    const double k = std::max(1.0, real(m_.experts_per_token));
    const double ranks = real(p_.expert * p_.expert_tensor);
    return ranks * (1 - std::pow(1 - 1 / ranks, k)) / k;
}

// The share of a token's copies that cross the network where each node is sent one: N nodes hold the experts,
// and k copies that go anywhere reach N (1 - (1 - 1/N)^k) of them. DeepSeek-V3's router takes four nodes at
// most.
double LayerProfiler::crossing_share() const
{
    const double k = std::max(1.0, real(m_.experts_per_token));
    const double nodes = std::ceil(real(p_.expert * p_.expert_tensor) / wires_.per_node);
    const double most = m_.router_bias ? 4 : k;
    const double reached = nodes > 1 ? nodes * (1 - std::pow(1 - 1 / nodes, k)) : 1;
    return std::min(most, reached) / k;
}

// Tokens go to their experts and back, forward and backward (Lepikhin et al., arXiv 2006.16668, section 3).
// Two micro-batches at once, one forward and one backward, hide each other's (DeepSeek-V3, arXiv 2412.19437,
// section 3.2.1).
void LayerProfiler::add_experts(UnitProfile& unit) const
{
    // DeepSeek-V3 sends tokens in 8 bits and results in 16 (section 3.3.3), once per node and to at most four
    // nodes; NVLink carries them on from there (section 3.2.2).
    const bool deepseek = is_narrow(t_.precision) && t_.fp8_recipe == Fp8Recipe::deepseek;
    const bool once = deepseek || w_.dispatch == ExpertDispatch::node;
    const double sent = once ? rank_share() : 1;
    const double copies = sent * n_ / t_ranks_ * real(m_.experts_per_token * expert_width(m_));
    const double crossing = once ? std::min(1.0, crossing_share() / sent) : 1;
    const bool eight = deepseek || (w_.fp8_dispatch && is_narrow(t_.precision));
    const double there_and_back = 2 * wires_.all_to_all(real(p_.expert), real(p_.expert_tensor),
                                                        (eight ? 1.5 : device_.element) * copies, crossing);
    const double again = t_.recompute == Recompute::full ? there_and_back : 0;
    const double all = 2 * there_and_back + again;
    const double compute =
        unit.forward.alone() + unit.input.alone() + unit.weight.alone() + unit.again.alone();
    const double exposed = p_.overlap_expert ? exposed_seconds(all, compute, wires_.slowdown) : all;
    const double share = exposed / all;
    unit.forward.of(Cause::expert) = share * there_and_back;
    unit.input.of(Cause::expert) = share * there_and_back;
    unit.again.of(Cause::expert) = share * again;
    unit.hidden_forward = (1 - share) * there_and_back;
    unit.hidden_backward = (1 - share) * (there_and_back + again);
}

UnitProfile LayerProfiler::embedding() const
{
    UnitProfile unit;
    // Looked up, positions added, dropped out; backward adds up into gradients of the whole table.
    const double tokens = 5 * device_.element * n_ * h_;
    unit.forward.of(Cause::memory) = hbm_seconds(tokens);
    unit.weight.of(Cause::memory) = hbm_seconds(tokens + 4 * h_ * real(m_.vocab) / t_ranks_);
    unit.forward.of(Cause::kernels) = kEmbeddingKernels / 4 * device_.kernel;
    unit.weight.of(Cause::kernels) = kEmbeddingKernels / 4 * device_.kernel;
    wait_for_host(unit, kEmbeddingKernels / 2, 0, kEmbeddingKernels / 2);
    unit.forward.of(Cause::tensor) = all_reduce();
    for (const Weight& w : embedding_weights(m_, p_))
    {
        unit.dense += real(w.local_elements());
    }
    sum_gradients(unit);
    return unit;
}

UnitProfile LayerProfiler::head() const
{
    UnitProfile unit;
    const double vocab = real(m_.vocab) / t_ranks_;
    for (std::int64_t i = 0; i < m_.mtp_layers; ++i)
    {
        product(unit, "prediction input", {n_, h_ / t_ranks_, 2 * h_, 1}, device_.peak, device_.element,
                t_.lora.rank > 0);
        product(unit, "further logits", {n_, vocab, h_, 1}, device_.peak, device_.element, t_.lora.rank > 0);
    }
    product(unit, "logits", {n_, vocab, h_, 1}, device_.peak, device_.element, t_.lora.rank > 0);
    const double loss = n_ * vocab * real(1 + m_.mtp_layers);
    move(unit, "loss", KernelPass::forward, loss * w_.loss_bytes / 2, loss * kSoftmaxFlops, device_.copy);
    move(unit, "loss", KernelPass::input, loss * w_.loss_bytes / 2, loss * 2, device_.copy);
    if (t_.lora.rank == 0)
    {
        move(unit, "gradient of the head", KernelPass::weight, 6 * h_ * vocab, h_ * vocab);
    }
    unit.forward.of(Cause::kernels) = kHeadKernels / 4 * device_.kernel;
    unit.input.of(Cause::kernels) = kHeadKernels / 4 * device_.kernel;
    wait_for_host(unit, kHeadKernels * 0.4, kHeadKernels * 0.3, kHeadKernels * 0.3);
    if (p_.tensor > 1)
    {
        // The largest logit, the target's and the sum over the whole vocabulary.
        unit.forward.of(Cause::tensor) = 3 * wires_.ring(t_ranks_, 1, 4 * n_, 2);
        unit.input.of(Cause::tensor) = all_reduce();
    }
    for (const Weight& w : head_weights(m_, p_, m_.tied_embeddings && p_.pipeline == 1))
    {
        unit.dense += real(w.local_elements());
    }
    sum_gradients(unit);
    return unit;
}

} // namespace ringside
