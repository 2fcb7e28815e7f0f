#include "core/performance/step_model/profile.h"

#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/performance/step_model/layer_profile.h"
#include "core/scenario/stage_layers.h"

namespace ringside
{

double PassTime::total() const
{
    double sum = 0;
    for (const double part : by)
    {
        sum += part;
    }
    return sum;
}

double PassTime::device() const
{
    return of(Cause::products) + of(Cause::attention) + of(Cause::below_peak) + of(Cause::below_attention) +
           of(Cause::memory) + of(Cause::kernels);
}

void PassTime::add(const PassTime& other, double times)
{
    for (std::size_t i = 0; i < kCauses; ++i)
    {
        by[i] += times * other.by[i];
    }
}

UnitProfile mixed(const UnitProfile& a, const UnitProfile& b, double share)
{
    UnitProfile both = a;
    for (PassTime UnitProfile::*pass :
         {&UnitProfile::forward, &UnitProfile::again, &UnitProfile::input, &UnitProfile::weight})
    {
        both.*pass = {};
        (both.*pass).add(a.*pass, share);
        (both.*pass).add(b.*pass, 1 - share);
    }
    both.dense = share * a.dense + (1 - share) * b.dense;
    both.expert = share * a.expert + (1 - share) * b.expert;
    both.hidden_forward = share * a.hidden_forward + (1 - share) * b.hidden_forward;
    both.hidden_backward = share * a.hidden_backward + (1 - share) * b.hidden_backward;
    return both;
}

ProfileKey profile_key(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const Training& t = s.training;
    return {p.tensor,          p.context,           p.expert,
            p.expert_tensor,   t.micro_batch,       t.sequence_length,
            t.recompute,       recomputed_share(s), p.sequence_parallel,
            t.flash_attention, p.pipeline > 1};
}

TokenFlops token_flops(const Scenario& s)
{
    const ComputeReport flops = compute_report(s);
    const double tokens =
        static_cast<double>(s.training.global_batch) * static_cast<double>(s.training.sequence_length);
    const double model = flops.model_step.value / tokens;
    // Scores have both gradients beside a frozen base, too.
    const double products = s.training.lora.rank > 0
                                ? model - 3 * flops.attention_token.value
                                : 3 * (flops.products_token.value + flops.head_token.value);
    return {model, flops.hardware_step.value / tokens, products,
            6 * static_cast<double>(count_parameters(s.model).active)};
}

namespace
{

// A mean layer, by the shares of the kinds.
StepProfile mean_profile(const Scenario& s, const TokenFlops& token)
{
    StepProfile mean;
    std::array<double, kUnits> before{};
    // Layers of one half only: those with experts are an MLP, the others attend.
    const bool apart = s.model.split_blocks && s.model.experts > 0;
    for (const ModelPart& part : attention_parts(s.model))
    {
        Scenario alike = s;
        alike.model = part.model;
        const StepProfile own = step_profile(alike, token);
        const bool mlp = attention_entry(part.model, 0) == entry_of(LayerAttention::none);
        for (std::size_t unit = 0; unit < kUnits; ++unit)
        {
            const Unit which = static_cast<Unit>(unit);
            if (apart && which == (mlp ? Unit::dense : Unit::experts))
            {
                continue;
            }
            before[unit] += part.share;
            mean.units[unit] = mixed(own.units[unit], mean.units[unit], part.share / before[unit]);
        }
        mean.boundary = own.boundary;
        mean.tied = own.tied;
    }
    mean.token = token;
    return mean;
}

} // namespace

StepProfile step_profile(const Scenario& s, const TokenFlops& token)
{
    if (!attends_alike(s.model))
    {
        return mean_profile(s, token);
    }
    StepProfile profile;
    const LayerProfiler profiler(s);
    const auto set = [&](Unit unit, const UnitProfile& made)
    { profile.units[static_cast<std::size_t>(unit)] = made; };
    // The mean of layers that are recomputed and of those that are not.
    const double share = recomputed_share(s);
    const auto layer = [&](bool experts)
    {
        const UnitProfile all = profiler.layer(experts);
        if (share >= 1)
        {
            return all;
        }
        Scenario plain = s;
        plain.training.recompute = Recompute::none;
        return mixed(all, LayerProfiler(plain).layer(experts), share);
    };
    set(Unit::dense, layer(false));
    if (s.model.experts > 0)
    {
        set(Unit::experts, layer(true));
    }
    set(Unit::embedding, profiler.embedding());
    set(Unit::head, profiler.head());
    profile.boundary = profiler.boundary();
    const bool tied = s.model.tied_embeddings && s.parallel.pipeline > 1;
    const std::int64_t tied_share = s.model.vocab * s.model.hidden / s.parallel.tensor;
    profile.tied = tied ? static_cast<double>(tied_share) : 0;
    profile.token = token;
    return profile;
}

} // namespace ringside
