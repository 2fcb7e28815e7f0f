#include "core/parallelism/experts/plan.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/whole.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"
#include "core/network/rank_grid.h"
#include "core/network/traffic.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kSupposedExperts = 8; // Mixtral's, and as many as a node has GPUs
constexpr std::int64_t kSupposedChosen = 2;

Scenario with_experts(Scenario s)
{
    s.model.experts = kSupposedExperts;
    s.model.experts_per_token = kSupposedChosen;
    s.model.expert_ffn = s.model.ffn;
    s.model.shared_experts = 0;
    s.model.dense_layers = 0;
    s.model.moe_interval = 1;
    for (s.parallel.expert = kSupposedExperts; s.parallel.expert > 1; s.parallel.expert /= 2)
    {
        if (!has_errors(validate(s)))
        {
            break;
        }
    }
    return s;
}

double whole_of(const Model& model)
{
    const double layer = sum_over(layer_weights(model, Parallel{}, true), [](const Weight& w)
                                  { return w.expert ? static_cast<double>(w.elements()) : 0; });
    return sum_over(model.layers, [&](std::int64_t i) { return has_experts(model, i) ? layer : 0; });
}

} // namespace

ExpertPlan expert_plan(const Scenario& given)
{
    ExpertPlan plan;
    plan.supposed = given.model.experts == 0;
    plan.scenario = plan.supposed ? with_experts(given) : given;
    const Scenario& s = plan.scenario;
    plan.experts = s.model.experts;
    plan.chosen = s.model.experts_per_token;
    plan.ranks = s.parallel.expert;
    plan.held = plan.experts / plan.ranks;
    plan.copies = expert_replicas(s);
    plan.cut = s.parallel.expert_tensor;
    plan.leaves = RankGrid(s, kMegatronOrder).leaves_domain(Group::expert);
    plan.message = expert_message(s);
    plan.element = element_bytes(s.training);
    plan.tokens = static_cast<double>(s.training.micro_batch * s.training.sequence_length) /
                  static_cast<double>(s.parallel.context * s.parallel.tensor);
    const auto ep = static_cast<double>(plan.ranks);
    plan.sent = whole_bytes(plan.message.value * ((ep - 1) / ep));
    plan.passes = static_cast<std::int64_t>(2 * (forward_passes(s) + 1));
    plan.parameters = largest_over(stage_weights(s.model, s.parallel, s.training.schedule->placement),
                                   [](const StageWeights& w) { return static_cast<double>(w.expert); });
    plan.whole = whole_of(s.model);
    return plan;
}

double replica_parameters(const ExpertPlan& plan, std::int64_t redundant)
{
    return plan.parameters / static_cast<double>(plan.held) * static_cast<double>(redundant);
}

Term explain_expert_sent(const ExpertPlan& p)
{
    Term term;
    term.label = "sent in one all-to-all";
    term.value = p.sent.value;
    term.unit = "B";
    term.formula = "k T h \u00d7 bytes \u00d7 (ep \u2212 1)/ep";
    term.working =
        fmt::format("{} \u00d7 {} \u00d7 {} \u00d7 {} \u00d7 ({} \u2212 1) / {}", p.chosen, figure(p.tokens),
                    expert_width(p.scenario.model), figure(p.element), p.ranks, p.ranks);
    term.source = "Lepikhin et al. 2020 (GShard), arXiv 2006.16668, section 3; Shazeer et al. 2017, arXiv "
                  "1701.06538, section 3.1. Tokens falling evenly on the GPUs; T: tokens of one GPU.";
    return term;
}

Term explain_expert_copies(const ExpertPlan& p)
{
    const Parallel& l = p.scenario.parallel;
    Term term;
    term.label = "copies of an expert";
    term.value = static_cast<double>(p.copies);
    term.formula = "t \u00d7 cp \u00d7 dp / (ep \u00d7 etp)";
    term.working = fmt::format("{} \u00d7 {} \u00d7 {} / ({} \u00d7 {})", l.tensor, l.context,
                               data_parallel(p.scenario), p.ranks, p.cut);
    term.source = "Rajbhandari et al. 2022 (DeepSpeed-MoE), arXiv 2201.05596; Megatron-Core's "
                  "expert data parallel group.";
    return term;
}

} // namespace ringside
