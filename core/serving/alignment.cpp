#include "core/serving/alignment.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/model/weights.h"
#include "core/serving/cache.h"
#include "core/serving/finetune.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr auto kNone = CopyState::absent;
constexpr auto kFrozen = CopyState::frozen;
constexpr auto kTrained = CopyState::trained;

// Policy, reference, reward, value.
constexpr std::array kRecipeTable{
    AlignmentInfo{AlignmentRecipe::sft,
                  "SFT",
                  "prompts with answers to imitate",
                  {kTrained, kNone, kNone, kNone},
                  false,
                  "Ouyang et al. 2022, arXiv 2203.02155, section 3.5"},
    AlignmentInfo{AlignmentRecipe::reward,
                  "Reward model",
                  "pairs of answers, one preferred",
                  {kNone, kNone, kTrained, kNone},
                  false,
                  "Ouyang et al. 2022, arXiv 2203.02155, section 3.5"},
    AlignmentInfo{
        AlignmentRecipe::ppo,
        "PPO",
        "its own rollouts, scored by a reward model",
        {kTrained, kFrozen, kFrozen, kTrained},
        true,
        "Schulman et al. 2017, arXiv 1707.06347; Ouyang et al. 2022, arXiv 2203.02155, section 3.5"},
    AlignmentInfo{AlignmentRecipe::grpo,
                  "GRPO",
                  "its own rollouts, scored in groups",
                  {kTrained, kFrozen, kFrozen, kNone},
                  true,
                  "Shao et al. 2024, DeepSeekMath, arXiv 2402.03300, section 4.1"},
    AlignmentInfo{AlignmentRecipe::dpo,
                  "DPO",
                  "pairs of answers, one preferred",
                  {kTrained, kFrozen, kNone, kNone},
                  false,
                  "Rafailov et al. 2023, arXiv 2305.18290, section 4"},
    AlignmentInfo{AlignmentRecipe::kto,
                  "KTO",
                  "single answers, good or bad",
                  {kTrained, kFrozen, kNone, kNone},
                  false,
                  "Ethayarajh et al. 2024, arXiv 2402.01306, section 4"},
    AlignmentInfo{AlignmentRecipe::orpo,
                  "ORPO",
                  "pairs, with SFT in the same loss",
                  {kTrained, kNone, kNone, kNone},
                  false,
                  "Hong et al. 2024, arXiv 2403.07691, section 4"},
};

double adapter_parameters(const Scenario& scenario)
{
    FinetuneSetup setup;
    return sum_over(lora_matrices(scenario.model), [&](const LoraMatrix& m)
                    { return static_cast<double>(m.adapter(setup.rank) * m.count); });
}

struct Sizes
{
    double parameters = 0;
    double adapters = 0;
};

ModelCopy copy_of(ModelRole role, CopyState state, const Sizes& size, bool adapters, bool shared)
{
    ModelCopy c{role, state, shared, {}, {}, {}};
    const bool trained = state == CopyState::trained;
    const double learns = !trained ? 0 : adapters ? size.adapters : size.parameters;
    c.weights =
        Bytes(std::ceil(shared ? 0 : 2 * size.parameters + (trained && adapters ? 2 * size.adapters : 0)));
    c.gradients = Bytes(std::ceil(2 * learns));
    c.optimizer = Bytes(std::ceil(12 * learns));
    return c;
}

bool is_critic(ModelRole role)
{
    return role == ModelRole::reward || role == ModelRole::value;
}

} // namespace

std::span<const AlignmentInfo> alignment_recipes()
{
    return kRecipeTable;
}

const AlignmentInfo& info_of(AlignmentRecipe recipe)
{
    return kRecipeTable.at(static_cast<std::size_t>(recipe));
}

Bytes AlignmentReport::total() const
{
    return sum_over<Bytes>(
        copies, [&](const ModelCopy& c) { return c.total(); }, cache);
}

AlignmentReport alignment_report(const Scenario& scenario, AlignmentRecipe recipe,
                                 const AlignmentSetup& setup)
{
    const AlignmentInfo& info = info_of(recipe);
    const auto parameters = static_cast<double>(count_parameters(scenario.model).total);
    const double adapters = adapter_parameters(scenario);
    const double critic = std::isfinite(setup.critic) ? std::clamp(setup.critic, 1e-3, 10.0) : 1;
    AlignmentReport r;
    r.recipe = recipe;
    const auto state_of = [&](ModelRole role) { return info.copies[static_cast<std::size_t>(role)]; };
    for (std::size_t i = 0; i < kModelRoles; ++i)
    {
        const auto role = static_cast<ModelRole>(i);
        const bool checked = recipe == AlignmentRecipe::grpo && role == ModelRole::reward && setup.rules;
        if (state_of(role) == CopyState::absent || checked)
        {
            continue;
        }
        const double size = is_critic(role) ? critic : 1;
        const bool twin = role == ModelRole::reference
                              ? state_of(ModelRole::policy) == CopyState::trained
                              : role == ModelRole::reward && state_of(ModelRole::value) == CopyState::trained;
        r.copies.push_back(copy_of(role, state_of(role), {size * parameters, size * adapters}, setup.adapters,
                                   setup.adapters && twin));
    }
    if (info.generates)
    {
        const auto tokens = static_cast<double>(std::clamp<std::int64_t>(setup.tokens, 1, 100'000'000));
        const auto answers = static_cast<double>(std::clamp<std::int64_t>(setup.answers, 1, 1'000'000));
        r.cache = Bytes(2 * answers * cache_shape(scenario.model, 1).whole(tokens));
    }
    return r;
}

namespace
{

// Roles that keep as many bytes a parameter, and their parameters.
struct Group
{
    std::string_view label;
    int bytes = 0;
    std::string roles = {};
    double parameters = 0;

    void add(ModelRole role, double more)
    {
        roles += fmt::format("{}{}", roles.empty() ? "" : " + ", name_of(role));
        parameters += more;
    }
    void write(Term& term) const
    {
        if (roles.empty())
        {
            return;
        }
        const std::string_view plus = term.working.empty() ? "" : " + ";
        term.formula += fmt::format("{}{} ({})", plus, label, roles);
        term.working += fmt::format("{}{} \u00d7 {}", plus, bytes, figure(parameters, 4));
    }
};

} // namespace

Term explain_alignment(const Scenario& scenario, const AlignmentReport& r, const AlignmentSetup& setup)
{
    Term term;
    term.label = std::string(info_of(r.recipe).name);
    term.value = r.total().value;
    term.unit = "B";
    term.source = std::string(info_of(r.recipe).source);
    const auto parameters = static_cast<double>(count_parameters(scenario.model).total);
    Group whole{"16", 16};
    Group adapters{"16 A of", 16};
    Group frozen{"2", 2};
    for (const ModelCopy& c : r.copies)
    {
        const double size = is_critic(c.role) ? setup.critic : 1;
        const bool trained = c.state == CopyState::trained;
        if (trained && setup.adapters)
        {
            adapters.add(c.role, size * adapter_parameters(scenario));
        }
        if (!c.shared)
        {
            (trained && !setup.adapters ? whole : frozen).add(c.role, size * parameters);
        }
    }
    for (const Group& group : {whole, frozen, adapters})
    {
        group.write(term);
    }
    if (r.cache > Bytes{})
    {
        term.formula += " + KV";
        term.working += fmt::format(" + {}", figure(r.cache.value, 4));
    }
    return term;
}

double preference(double difference)
{
    return 1 / (1 + std::exp(-difference));
}

double dpo_loss(double beta, double chosen, double rejected)
{
    // log(1 + e^-x) without overflow.
    const double x = beta * (chosen - rejected);
    return x > 0 ? std::log1p(std::exp(-x)) : -x + std::log1p(std::exp(x));
}

double dpo_weight(double beta, double chosen, double rejected)
{
    return preference(-beta * (chosen - rejected));
}

std::vector<double> group_advantages(std::span<const double> rewards, GroupBaseline baseline)
{
    const auto n = static_cast<double>(std::max<std::size_t>(1, rewards.size()));
    const double mean = sum_over(rewards, [&](double r) { return r / n; });
    const double square = sum_over(rewards, [&](double r) { return (r - mean) * (r - mean) / n; });
    const double deviation = std::sqrt(square);
    const double unit = baseline == GroupBaseline::deviations ? deviation : 1;
    return list_of<double>(rewards, [&](double r) { return deviation > 1e-12 ? (r - mean) / unit : 0; });
}

double mean_advantage(double pass_rate, GroupBaseline baseline)
{
    const double variance = std::max(0.0, pass_rate * (1 - pass_rate));
    return 2 * (baseline == GroupBaseline::deviations ? std::sqrt(variance) : variance);
}

double alike_share(double pass_rate, std::int64_t group)
{
    const auto n = static_cast<double>(group);
    return std::pow(pass_rate, n) + std::pow(1 - pass_rate, n);
}

double gold_reward(Optimizing how, double alpha, double beta, double d)
{
    if (d <= 0)
    {
        return 0;
    }
    return how == Optimizing::best_of_n ? d * (alpha - beta * d) : d * (alpha - beta * std::log(d));
}

double gold_peak(Optimizing how, double alpha, double beta)
{
    if (beta <= 0)
    {
        return std::numeric_limits<double>::infinity();
    }
    return how == Optimizing::best_of_n ? alpha / (2 * beta) : std::exp(alpha / beta - 1);
}

double penalized_distance(double alpha, double penalty)
{
    return penalty > 0 ? alpha / (2 * penalty) : std::numeric_limits<double>::infinity();
}

} // namespace ringside
