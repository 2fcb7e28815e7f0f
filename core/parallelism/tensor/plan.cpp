#include "core/parallelism/tensor/plan.h"

#include <fmt/format.h>

#include "core/base/whole.h"
#include "core/model/sizes.h"
#include "core/network/traffic.h"
#include "core/scenario/choices.h"

#include <algorithm>

namespace ringside
{

namespace
{

Bytes kept_by(Scenario s, bool split)
{
    s.parallel.sequence_parallel = split;
    return Bytes(layer_activations(s.model, s.training, s.parallel, false, s.training.recompute));
}

} // namespace

TensorPlan tensor_plan(const Scenario& given)
{
    TensorPlan plan;
    plan.supposed = given.parallel.tensor == 1;
    plan.scenario = plan.supposed ? with_some(given, Knob::tensor) : given;
    const Scenario& s = plan.scenario;
    const auto t = static_cast<double>(s.parallel.tensor);
    plan.ranks = s.parallel.tensor;
    plan.message = tensor_message(s);
    plan.sent = whole_bytes(plan.message.value * (2 * (t - 1) / t));
    plan.passes = tensor_all_reduces(s, false) * static_cast<std::int64_t>(forward_passes(s) + 1);
    plan.heads = rank_heads(s);
    plan.kv_heads = rank_kv_heads(s);
    plan.kv_copies = std::max<std::int64_t>(1, plan.ranks / std::max<std::int64_t>(1, s.model.kv_heads));
    plan.kept = kept_by(s, false);
    plan.kept_split = kept_by(s, true);
    return plan;
}

Term explain_tensor_sent(const TensorPlan& p)
{
    const Scenario& s = p.scenario;
    Term term;
    term.label = "sent in one all-reduce";
    term.value = p.sent.value;
    term.unit = "B";
    term.formula = "2 (t \u2212 1)/t \u00d7 b s h \u00d7 bytes";
    term.working = fmt::format(
        "2 \u00d7 ({} \u2212 1) / {} \u00d7 {} \u00d7 {} \u00d7 {} \u00d7 {}", p.ranks, p.ranks,
        s.training.micro_batch,
        figure(static_cast<double>(s.training.sequence_length) / static_cast<double>(s.parallel.context)),
        s.model.hidden, element_bytes(s.training));
    term.source = "Shoeybi et al. 2019 (Megatron-LM), arXiv 1909.08053, section 3: one all-reduce after "
                  "attention, one after the MLP; by a ring. With sequence parallelism an all-gather and a "
                  "reduce-scatter of the same bytes: "
                  "Korthikanti et al. 2022, arXiv 2205.05198, section 4.2.2.";
    return term;
}

} // namespace ringside
