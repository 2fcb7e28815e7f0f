#include "core/performance/step_model/step_model.h"

#include "core/base/ranges.h"
#include "core/base/units.h"
#include "core/memory/memory.h"
#include "core/model/adapters.h"
#include "core/model/host.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"
#include "core/performance/step_model/layer_kernel.h"
#include "core/performance/step_model/rank_load.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

namespace
{

// A step, part by part, before rounding.
struct Parts
{
    PassTime busy;  // of the slowest rank, forward and backward
    PassTime again; // computed again
    double pipeline = 0;
    double data = 0;
    double data_exposed = 0;
    double optimizer = 0; // with the host's part
};

class Assembly
{
public:
    Assembly(const StepProfile& profile, const Scenario& s, const Wires& wires)
        : profile_(profile), s_(s), p_(s.parallel), c_(with_software(s.cluster.gpu.calibration, s.software)),
          wires_(wires), load_(pipeline_load(profile, s)), m_(real(micro_batches(s))),
          trained_(trained_share(s.model, s.training.lora))
    {
        const bool both_ways = s.training.schedule->placement == Placement::two_way;
        const bool groups = s.parallel.zero > 0;
        dense_ranks_ = real(groups ? dense_shards(s) : dense_replicas(s)) * (both_ways ? 2 : 1);
        expert_ranks_ = real(groups ? expert_shards(s) : expert_replicas(s)) * (both_ways ? 2 : 1);
        dense_copies_ = groups ? real(dense_replicas(s) / dense_shards(s)) : 1;
        expert_copies_ = groups ? real(expert_replicas(s) / expert_shards(s)) : 1;
        for (std::size_t i = 0; i < kUnits; ++i)
        {
            const double times = load_.slowest.units[i];
            const UnitProfile& unit = profile.units[i];
            hidden_forward_ += times * unit.hidden_forward;
            hidden_backward_ += times * unit.hidden_backward;
        }
        // A pass that waits for its weights has that long for them.
        const RankLoad& slowest = load_.slowest;
        const auto beyond = [](double hidden, double wait) { return std::max(0.0, hidden - wait); };
        hidden_forward_ = beyond(hidden_forward_, slowest.passes.forward - slowest.alone.forward);
        hidden_backward_ = beyond(hidden_backward_, slowest.passes.backward() - slowest.alone.backward());
    }

    const PipelineLoad& load() const { return load_; }

    // The times of a rank that has the mean of the others' work.
    StageTimes others() const
    {
        const double other = (load_.all_seconds - load_.slowest_seconds) / real(p_.pipeline - 1);
        const double scale = load_.slowest_seconds > 0 ? other / load_.slowest_seconds : 0;
        const StageCost& slowest = load_.slowest.passes;
        StageTimes times;
        times.forward = slowest.forward * scale;
        times.backward_input = slowest.backward_input * scale;
        times.backward_weight = slowest.backward_weight * scale;
        return times;
    }

    // Idle time of the slowest rank: that of its schedule where every other stage takes the others' mean.
    double idle() const
    {
        const std::int64_t p = p_.pipeline;
        if (p <= 1)
        {
            return 0;
        }
        const StageTimes times = others();
        const double other = times.forward + times.backward_input + times.backward_weight;
        const ScheduleInfo& kind = *s_.training.schedule;
        const double closed = kind.idle ? kind.idle(pipeline_shape(s_), times) : -1;
        if (std::isfinite(closed) && closed >= 0)
        {
            return closed;
        }
        // Weight gradients fill what they can of the gaps, chunks shorten them (Qi et al., arXiv 2401.10241,
        // table 2).
        const double filled = kind.splits_backward ? std::min(2 * times.backward_weight, other) : 0;
        return real(p - 1) * (other - filled) / real(std::max<std::int64_t>(1, p_.chunks));
    }

    Parts parts()
    {
        Parts parts;
        for (std::size_t i = 0; i < kUnits; ++i)
        {
            const double times = load_.slowest.units[i] * m_;
            const UnitProfile& unit = profile_.units[i];
            parts.busy.add(unit.forward, times);
            parts.busy.add(unit.input, times);
            parts.busy.add(unit.weight, times);
            parts.again.add(unit.again, times);
        }
        // The step's first forward and its last backward have no other micro-batch beside them.
        parts.busy.of(Cause::expert) += hidden_forward_ + hidden_backward_;
        parts.pipeline = transfers();
        data(parts);
        // Nothing hides the weights of the step's first layer.
        const RankLoad& slowest = load_.slowest;
        const double wait = load_.slowest_seconds - (slowest.alone.forward + slowest.alone.backward());
        parts.optimizer =
            s_.software.step_ms * 1e-3 + optimizer() + m_ * std::max(0.0, wait) + slowest.fetch / layers();
        return parts;
    }

private:
    // [s] of one micro-batch with what it waits for its weights; other links carry on meanwhile.
    double forward_pass() const { return load_.slowest.passes.forward; }
    double backward_pass() const { return load_.slowest.passes.backward(); }

    // What gradients and weights may hide behind: time that hides nothing else. The step's first forward and
    // its last backward have their own expert traffic, too.
    double first_forward() const { return std::max(0.0, forward_pass() + hidden_forward_ - sending_); }
    double last_backward() const { return std::max(0.0, backward_pass() + hidden_backward_ - returning_); }
    double other_forward() const { return std::max(0.0, forward_pass() - sending_); }
    double other_backward() const { return std::max(0.0, backward_pass() - returning_); }

    double stage_distance() const { return real(s_.cluster.gpus) / real(p_.pipeline); }

    // Every micro-batch passes on activations and gets gradients, once for each chunk; filling and draining
    // the pipeline passes them down and up once more, with nothing to work on meanwhile.
    double transfers()
    {
        if (p_.pipeline <= 1)
        {
            return 0;
        }
        const double send = wires_.send(stage_distance(), profile_.boundary);
        const bool hides = p_.overlap_pipeline && possible_overlaps(s_).pipeline;
        const double chunks = real(p_.chunks);
        const auto exposed = [&](double pass, double& hidden)
        {
            hidden = hides ? std::min(chunks * send, pass) : 0;
            return chunks * exposed_seconds(send, hidden / chunks, c_.overlap_slowdown);
        };
        return m_ * (exposed(forward_pass(), sending_) + exposed(backward_pass(), returning_)) +
               2 * real(p_.pipeline - 1) * send;
    }

    double layers() const { return std::max(1.0, load_.slowest.units[0] + load_.slowest.units[1]); }

    // Whether nothing runs beside ZeRO's gradients, which are all-reduced whole, and its new weights.
    bool blocking_zero() const { return s_.software.blocking_zero && p_.zero > 0 && p_.zero < 3; }

    // Every rank's share of this many bytes a parameter, `passes` times round. Collectives beyond
    // the first add nothing but their latency.
    double traffic(double bytes, double passes) const
    {
        const double more = blocking_zero() ? 0 : std::max(0.0, s_.software.collectives * load_.layers - 1);
        const auto ring = [&](double ranks, double stride, double count)
        {
            const double whole = wires_.ring(ranks, stride, bytes * count, passes);
            return more > 0 ? whole + more * wires_.ring(ranks, stride, 0, passes) : whole;
        };
        const double dense = ring(dense_ranks_, real(p_.tensor), load_.dense);
        return load_.expert > 0
                   ? dense + ring(expert_ranks_, real(p_.expert * p_.expert_tensor), load_.expert)
                   : dense;
    }

    // [s] Gathered weights are copied to their places by a kernel for every tensor and rank, which the host
    // launches one by one (huggingface/nanotron src/nanotron/distributed.py, all_gather_coalesced()).
    double copies_out() const
    {
        if (!blocking_zero())
        {
            return 0;
        }
        constexpr double kCopy = 9.4e-6; // [s] a launch from Python (docs/measurements.md)
        return kCopy * load_.layers * real(std::ssize(layer_weights(s_.model, p_, false))) * dense_ranks_;
    }

    // Copies that are sharded alike sum up their parts of the gradients (HSDP: Zhao et al., arXiv 2304.11277,
    // section 3.2.2).
    double across(double bytes) const
    {
        const double t = real(p_.tensor);
        const double e = real(p_.expert * p_.expert_tensor);
        double seconds = 0;
        if (dense_copies_ > 1)
        {
            seconds += wires_.ring(dense_copies_, t * dense_ranks_, bytes * load_.dense / dense_ranks_, 2);
        }
        if (expert_copies_ > 1 && load_.expert > 0)
        {
            seconds +=
                wires_.ring(expert_copies_, e * expert_ranks_, bytes * load_.expert / expert_ranks_, 2);
        }
        return seconds;
    }

    // [B] of a gradient on the wire. Megatron-LM and DeepSpeed send those of fp16 training in 16 bits,
    // whatever they are summed in.
    double gradient_bytes() const
    {
        const Training& t = s_.training;
        return t.precision == Precision::fp16 ? 2 : state_bytes(t).gradient;
    }
    // Adapters alone have one.
    double reduced_bytes() const { return trained_ * gradient_bytes(); }

    void data(Parts& parts)
    {
        const double gradient = reduced_bytes();
        const double weight = element_bytes(s_.training);
        if (p_.zero >= 3)
        {
            // Layer by layer beside the one at work; nothing hides the step's first gather and its last
            // scatter.
            const double gather = traffic(weight, 1);
            const double scatter = traffic(gradient, 1) + across(gradient);
            const auto exposed = [&](double sent, double bare, double hide)
            { return bare + exposed_seconds(sent - bare, hide, c_.gather_slowdown); };
            parts.data = m_ * (2 * gather + scatter);
            parts.data_exposed = exposed(gather, gather / layers(), first_forward()) +
                                 exposed(gather + scatter, scatter / layers(), last_backward()) +
                                 (m_ - 1) * (exposed(gather, 0, other_forward()) +
                                             exposed(gather + scatter, 0, other_backward()));
        }
        else
        {
            const double rounds = p_.zero == 2 ? m_ : 1;
            const bool whole = p_.zero == 0 || blocking_zero();
            const double hides = blocking_zero() ? 0 : c_.data_overlap;
            const double reduce = traffic(gradient, whole ? 2 : 1) + across(gradient);
            const double gather = p_.zero == 0 ? 0 : traffic(trained_ * weight, 1) + copies_out();
            parts.data = rounds * reduce + gather;
            reduce_ = reduce;
            const double beside =
                s_.software.parameter_overlap < 0 ? c_.data_overlap : s_.software.parameter_overlap;
            parts.data_exposed =
                (rounds - 1) * exposed_seconds(reduce, hides * other_backward(), c_.overlap_slowdown) +
                exposed_seconds(reduce, hides * last_backward(), c_.overlap_slowdown) +
                exposed_seconds(gather, beside * first_forward(), c_.overlap_slowdown);
        }
        const double table = real(s_.model.vocab * s_.model.hidden) / real(p_.tensor);
        const bool again = embeds_again(s_.model, p_, s_.training.schedule->placement);
        if (const double tied = again ? table : profile_.tied; tied > 0)
        {
            // First and last stage add up their gradients of the same table; so do they where the last embeds
            // what it predicts further (Megatron-Core, finalize_model_grads.py).
            const double both = wires_.ring(2, stage_distance() * real(p_.pipeline - 1), gradient * tied, 2);
            parts.data += both;
            parts.data_exposed += both;
        }
    }

    double optimizer() const
    {
        const bool sharded = p_.zero >= 1;
        const double mine = trained_ * (load_.dense / (sharded ? dense_ranks_ : 1) +
                                        load_.expert / (sharded ? expert_ranks_ : 1));
        const Gpu& gpu = s_.cluster.gpu;
        const double hbm = std::max(1.0, gpu.hbm_gb_per_s * 1e9 * c_.hbm_efficiency);
        if (s_.training.offload == Offload::none)
        {
            return optimizer_bytes(s_.training) * mine / hbm;
        }
        // The host's processors work for all GPUs of the node. New weights come back over PCIe, or stay where
        // the next forward fetches them. Gradients go down beside the backward. Offloaded steps have not been
        // held against measurements.
        const double pcie = std::max(1.0, gpu.pcie_gb_per_s * 1e9);
        const StateBytes bytes = state_bytes(s_.training);
        const bool copies = bytes.master > 0;
        const double state = (copies ? bytes.master : bytes.weight) + bytes.momentum + bytes.variance;
        const double back = copies ? std::min(2.0, bytes.weight) : bytes.weight;
        const double touched = bytes.gradient + 2 * state + back; // new weights wait in a buffer of their own
        const double host = touched * mine / std::max(1.0, host_optimizer_rate(s_.cluster));
        const double nvme = std::max(1.0, s_.cluster.nvme_gb_per_s * 1e9);
        const double swap = uses_nvme(s_.training.offload) ? 2 * state * mine / nvme : 0;
        const double up = offloads_weights(s_.training.offload) ? 0 : back * mine / pcie;
        const double down = gradient_bytes() * mine / pcie;
        const double left = std::max(0.0, c_.data_overlap * last_backward() - reduce_);
        return std::max(host, swap) + up + exposed_seconds(down, left, c_.overlap_slowdown);
    }

    const StepProfile& profile_;
    const Scenario& s_;
    const Parallel& p_;
    const Calibration c_;
    const Wires& wires_;
    PipelineLoad load_;
    double m_ = 1;
    double trained_ = 1; // of all parameters
    double dense_ranks_ = 1;
    double expert_ranks_ = 1;
    double dense_copies_ = 1; // of what those ranks share
    double expert_copies_ = 1;
    double hidden_forward_ = 0;  // [s] of expert traffic
    double hidden_backward_ = 0; // [s]
    double sending_ = 0;         // [s] of a forward that hide activations on their way to the next stage
    double returning_ = 0;       // [s] of a backward that hide their gradients
    double reduce_ = 0;          // [s] of the gradients' last reduction, which hides behind the backward
};

// Rounds to a multiple of a power of two that is some 2^-44 of the whole, so that sums are exact.
class Grid
{
public:
    explicit Grid(double whole) : unit_(std::ldexp(1.0, std::ilogb(std::max(whole, 1e-9)) - 44)) {}

    double operator()(double seconds) const { return std::round(seconds / unit_) * unit_; }
    void operator()(PassTime& pass) const
    {
        for (double& part : pass.by)
        {
            part = (*this)(part);
        }
    }

private:
    double unit_;
};

void fill_slices(StepTime& step, const Parts& parts, const Grid& grid)
{
    const PassTime& busy = parts.busy;
    const PassTime& again = parts.again;
    const auto set = [&](Slice slice, double seconds)
    { step.slices[static_cast<std::size_t>(slice)] = seconds; };
    const auto both = [&](Cause cause) { return busy.of(cause) + again.of(cause); };
    const double products = busy.of(Cause::products);
    const double even = std::min(products, grid(step.slices[0]));
    set(Slice::model, even);
    set(Slice::attention, busy.of(Cause::attention));
    set(Slice::recompute, again.of(Cause::products) + again.of(Cause::attention));
    set(Slice::uneven, products - even);
    set(Slice::below_peak, both(Cause::below_peak));
    set(Slice::below_attention, both(Cause::below_attention));
    set(Slice::memory, both(Cause::memory));
    set(Slice::launch, both(Cause::kernels) + both(Cause::host));
    set(Slice::tensor, step.tensor_comm);
    set(Slice::context, step.context_comm);
    set(Slice::expert, step.expert_comm);
    set(Slice::pipeline, step.pipeline_comm);
    set(Slice::data, step.data_exposed);
    set(Slice::bubble, step.bubble);
    set(Slice::optimizer, step.optimizer);
}

StepTime rounded(Parts parts, double idle, double even_products)
{
    const double whole = parts.busy.total() + parts.again.total() + idle + parts.pipeline +
                         parts.data_exposed + parts.optimizer;
    const Grid grid(whole);
    grid(parts.busy);
    grid(parts.again);
    StepTime step;
    const auto both = [&](Cause cause) { return parts.busy.of(cause) + parts.again.of(cause); };
    step.tensor_comm = both(Cause::tensor);
    step.context_comm = both(Cause::context);
    step.expert_comm = both(Cause::expert);
    step.compute = parts.busy.device() + parts.again.device() + both(Cause::host);
    step.bubble = grid(idle);
    step.pipeline_comm = grid(parts.pipeline);
    step.data_exposed = grid(parts.data_exposed);
    step.data_comm = grid(parts.data);
    step.optimizer = grid(parts.optimizer);
    step.slices[0] = even_products;
    const auto reached = [&](Cause ideal, Cause below)
    { return both(ideal) > 0 ? both(ideal) / (both(ideal) + both(below)) : 1; };
    step.gemm_share = reached(Cause::products, Cause::below_peak);
    step.attention_share = reached(Cause::attention, Cause::below_attention);
    fill_slices(step, parts, grid);
    // Rounded to one power of two, so that the slices add up to what the parts do.
    assert(sum_over(step.slices) == step.total());
    return step;
}

} // namespace

const StepProfile& StepModel::profile(const Scenario& scenario)
{
    const ProfileKey key = profile_key(scenario);
    const auto found = profiles_.find(key);
    if (found != profiles_.end())
    {
        return found->second;
    }
    const auto [token, fresh] =
        tokens_.try_emplace({key.sequence_length, key.recompute, key.recomputed, key.flash_attention});
    if (fresh)
    {
        token->second = token_flops(scenario);
    }
    return profiles_.emplace(key, step_profile(scenario, token->second)).first->second;
}

StageTimes StepModel::stage_times(const Scenario& s, const StepProfile& profile) const
{
    return Assembly(profile, s, wires_).others();
}

double StepModel::least_seconds(const Scenario& s, const StepProfile& profile)
{
    constexpr double kRounding = 1 - 1e-9; // of the parts of an estimate, and more
    const Model& m = s.model;
    const std::int64_t experts = layers_with_experts(m, 0, m.layers);
    const double all = real(m.layers - experts) * profile.of(Unit::dense).total() +
                       real(experts) * profile.of(Unit::experts).total() +
                       profile.of(Unit::embedding).total() + profile.of(Unit::head).total();
    return kRounding * all / real(s.parallel.pipeline) * real(micro_batches(s));
}

StepTime StepModel::estimate(const Scenario& s, const StepProfile& profile) const
{
    return estimate(s, profile, -1);
}

StepTime StepModel::estimate(const Scenario& s, const StepProfile& profile, double idle) const
{
    Assembly assembly(profile, s, wires_);
    const Gpu& gpu = s.cluster.gpu;
    const Device device(gpu, s.training.precision);
    const double peak = std::max(device.peak, device.layer_peak) * real(s.cluster.gpus);
    const double tokens = real(s.training.global_batch) * real(s.training.sequence_length);
    StepTime step =
        rounded(assembly.parts(), idle >= 0 ? idle : assembly.idle(), profile.token.products * tokens / peak);
    step.tokens = tokens;
    step.peak_flops = peak;
    step.model_flops = profile.token.model * tokens;
    step.hardware_flops = profile.token.hardware * tokens;
    step.parameter_flops = profile.token.parameters * tokens;
    step.causal_flops = (profile.token.model + profile.token.products) / 2 * tokens;
    assert(step.total() > 0 && step.hardware_flops >= step.model_flops);
    return step;
}

} // namespace ringside
