// Alignment: which models a recipe keeps and what they take, and the small formulas behind it: DPO's loss,
// the advantages of a group, how far a reward can be pushed before it breaks. Says nothing about time.
//
// Memory is that of the whole run, before sharding and without activations: 16 bytes per trained parameter,
// 2 per frozen one, and the KV cache of concurrent rollouts. Heads of reward and value models count as the
// model's own. With adapters, the policy with its adapters off is the reference, and the value model
// likewise the reward model. Reward over-optimization is a toy in the form of Gao et al.: alpha is 1, the RL
// curve has four times the beta of best-of-n so that both peaks are in sight, and a policy with a KL
// coefficient stops where d - price d^2 is largest; none of its numbers is a measurement.
#pragma once

#include "core/base/names.h"
#include "core/base/text/term.h"
#include "core/base/units.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

struct Scenario;

enum class AlignmentRecipe : std::uint8_t
{
    sft,
    reward, // training the reward model
    ppo,
    grpo,
    dpo,
    kto,
    orpo
};
inline constexpr std::size_t kAlignmentRecipes = 7;

enum class ModelRole : std::uint8_t
{
    policy,
    reference,
    reward,
    value
};
inline constexpr std::size_t kModelRoles = 4;
template <>
inline constexpr auto kNamesOf<ModelRole> = names<ModelRole>("policy", "reference", "reward", "value");

enum class CopyState : std::uint8_t
{
    absent,
    frozen,
    trained
};

struct AlignmentInfo
{
    AlignmentRecipe recipe;
    std::string_view name;                     // "PPO"
    std::string_view data;                     // "prompts, and a reward for each answer"
    std::array<CopyState, kModelRoles> copies; // by ModelRole
    bool generates = false;                    // writes answers while it trains
    std::string_view source;
};

std::span<const AlignmentInfo> alignment_recipes(); // by AlignmentRecipe
const AlignmentInfo& info_of(AlignmentRecipe recipe);

struct AlignmentSetup
{
    double critic = 1;          // size of reward and value model, of the policy's; above 0
    bool adapters = false;      // LoRA of rank 16 on all linear layers instead of training everything
    bool rules = false;         // GRPO's reward comes from a check, not from a model
    std::int64_t answers = 64;  // written at once, in all
    std::int64_t tokens = 1024; // of prompt and answer

    bool operator==(const AlignmentSetup&) const = default;
};

struct ModelCopy
{
    ModelRole role = ModelRole::policy;
    CopyState state = CopyState::absent;
    bool shared = false; // the base of another, its adapters off
    Bytes weights;
    Bytes gradients;
    Bytes optimizer;

    Bytes total() const { return weights + gradients + optimizer; }
};

struct AlignmentReport
{
    AlignmentRecipe recipe = AlignmentRecipe::sft;
    std::vector<ModelCopy> copies; // those that are there
    Bytes cache;                   // keys and values of the answers being written

    Bytes total() const;
};

// Bytes of the whole run before any sharding: 16 for a trained parameter (AdamW in mixed precision, 2 + 2 +
// 12), 2 for a frozen one; with adapters the base is frozen, and the reference is the policy's base, the
// reward model the value model's. Activations are left out. The scenario gives the model.
AlignmentReport alignment_report(const Scenario& scenario, AlignmentRecipe recipe,
                                 const AlignmentSetup& setup);
Term explain_alignment(const Scenario& scenario, const AlignmentReport& report, const AlignmentSetup& setup);

// 1 / (1 + e^-x): with a difference of rewards, how often Bradley and Terry prefer the first.
double preference(double difference);

// -log sigmoid(beta (chosen - rejected)) in nats, of log-ratios to the reference (Rafailov et al., arXiv
// 2305.18290, equation 7), and the weight of the pair in the gradient, sigmoid(-beta (chosen - rejected)),
// between 0 and 1; the gradient has beta in front.
double dpo_loss(double beta, double chosen, double rejected);
double dpo_weight(double beta, double chosen, double rejected);

// What a reward is held against inside its group.
enum class GroupBaseline : std::uint8_t
{
    deviations, // GRPO: (r - mean) / deviation, the deviation's population form (Shao et al., DeepSeekMath,
                // arXiv 2402.03300, section 4.1.2)
    mean        // Dr. GRPO: r - mean (Liu et al., arXiv 2503.20783, section 3.2)
};
template <>
inline constexpr auto kNamesOf<GroupBaseline> = names<GroupBaseline>("GRPO", "Dr. GRPO");

// One for each reward; all 0 where the rewards are alike.
std::vector<double> group_advantages(std::span<const double> rewards,
                                     GroupBaseline baseline = GroupBaseline::deviations);
// Mean of |advantage| of right and wrong responses, of which a share `pass_rate` is right: 2 p (1 - p), over
// sqrt(p (1 - p)) where deviations are the unit. 0 to 1.
double mean_advantage(double pass_rate, GroupBaseline baseline);
// How often all responses of a group are right, or all are wrong, so that the prompt teaches nothing:
// p^G + (1 - p)^G. What DAPO's dynamic sampling throws away (Yu et al., arXiv 2503.14476, section 3.2).
double alike_share(double pass_rate, std::int64_t group);

enum class Optimizing : std::uint8_t
{
    best_of_n,
    reinforcement
};

// What people would say, d = sqrt(KL) away from where the policy began: d (alpha - beta d) for best of n, d
// (alpha - beta ln d) for reinforcement learning (Gao, Schulman and Hilton, arXiv 2210.10760, section 3.1).
double gold_reward(Optimizing how, double alpha, double beta, double d);
// The d with the largest: alpha / 2 beta, and e^(alpha / beta - 1).
double gold_peak(Optimizing how, double alpha, double beta);
// Where a policy stops that maximises alpha d - penalty d^2: a reward model that never doubts, and a price on
// KL. Infinite without a price.
double penalized_distance(double alpha, double penalty);

} // namespace ringside
