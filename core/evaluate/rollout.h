// One step of reinforcement learning on responses that the policy itself generates: engines that decode them,
// a trainer that learns from them, and the new weights on their way back. Colocated on the same GPUs, or
// split.
//
// Lengths of responses are lognormal, cut off at a cap, and dealt to the engines evenly: the same ones every
// time. An engine decodes its responses together, as many as its memory holds, and lets the next in where one
// ends (core/serving/batching.h); what it has left towards the end is too little to fill it, and that is the
// tail. A decoding step takes what an iteration of the scenario's engine does (core/serving/engine/clock.h).
// What follows generation are passes over every token, in the order of verl's trainer (volcengine/verl,
// verl/trainer/ppo/ray_trainer.py, fit(): "reward", "old_log_prob", "ref", "update_actor"; OpenRLHF makes the
// same in trainer/ppo_utils/experience_maker.py): a forward of the reward model where one scores, a forward
// of the policy for the log-probabilities the responses were drawn with, a forward of the frozen reference
// where the reward is held to it, then forward and backward. All run at the rate of the scenario's own step,
// the frozen models as large as the policy. The time of a rule that scores, prefill, and the loading of
// optimizer states are left out.
//
// Asynchronous engines never wait for a step's last answer; a response is then trained on by weights newer
// than those that began it. By Little's law (L = lambda W) that lag is the time of a response in flight over
// the time of a step; as many responses are in flight as that cap and the memory allow, and a step waits
// where the cap is lower than the lag.
#pragma once

#include "core/base/names.h"
#include "core/base/units.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace ringside
{

enum class RolloutPlacement : std::uint8_t
{
    colocated,    // all GPUs generate, then all train
    split,        // a share of them generates, then the others train
    one_step_off, // both at once, on the responses of the step before
    asynchronous  // engines go on generating with the newest weights
};
template <>
inline constexpr auto kNamesOf<RolloutPlacement> = names<RolloutPlacement>("colocated", "disaggregated",
                                                                           "one-step off-policy",
                                                                           "fully asynchronous");

struct RolloutSetup
{
    RolloutPlacement placement = RolloutPlacement::colocated;
    std::int64_t samples = 2048;  // of a step: prompts x responses each; 1 to 65,536
    std::int64_t prompt = 200;    // tokens
    std::int64_t answer = 3000;   // tokens, mean after the cap
    double spread = 0.8;          // sigma of the length's logarithm; 0 to 2
    std::int64_t cap = 16384;     // tokens that a response is cut off at
    std::int64_t engine_gpus = 2; // of one engine, cut by tensor parallelism
    double generating = 0.5;      // share of the GPUs that generate, where they are split
    bool reference = false;       // its log-probabilities are needed (a KL coefficient above 0)
    bool reward_model = false;    // scores; else a rule does, on CPUs
    double staleness_cap = 1;     // versions, where asynchronous

    bool operator==(const RolloutSetup&) const = default;
};

// From the start of the step.
struct EngineSpan
{
    double full = 0; // [s] until fewer than half of the responses it can hold together are left
    double end = 0;  // [s] of its last response
};

// What is done with the responses, one after the other.
struct RolloutPhases
{
    double reward = 0;       // [s] forward of the reward model; 0 where a rule scores
    double old_log_prob = 0; // [s] forward of the policy as it generated
    double reference = 0;    // [s] forward of the reference; 0 without
    double update = 0;       // [s] forward and backward of the policy

    double total() const { return reward + old_log_prob + reference + update; }
};

struct RolloutReport
{
    RolloutSetup setup; // brought into its ranges
    std::int64_t engines = 1;
    std::int64_t rollout_gpus = 1;  // GPUs that generate
    std::int64_t training_gpus = 1; // that train
    std::int64_t batch = 1;         // responses that fit in an engine at once; 0: the weights do not fit
    std::vector<EngineSpan> spans;  // by engine
    double generation = 0;          // [s] until the last response is there
    double steady = 0;              // [s] the same responses take engines whose batch stays full
    double flight = 0;              // [s] from the first to the last token of a mean response
    RolloutPhases phases;
    double training = 0;  // [s] of all phases
    double sync = 0;      // [s] of the new weights to the engines
    double step = 0;      // [s]
    double staleness = 0; // versions between the weights that began a response and those it trains
    Bytes engine_bytes;   // of a GPU that generates: weights and the cache of its responses
    Bytes trainer_bytes;  // of a GPU that trains: weights, gradients, optimizer, sharded over all of them

    double samples_per_second() const { return step > 0 ? static_cast<double>(setup.samples) / step : 0; }
    // The share of generation that the tail costs.
    double tail() const { return generation > 0 ? 1 - steady / generation : 0; }
};

// [s] The step, were generation to take `slower` times as long.
double rollout_step(const RolloutReport& report, double slower);

// The scenario must be valid; it gives model, GPUs and the rate of training. Where an engine takes all GPUs
// they are colocated, whatever was asked.
RolloutReport rollout_report(const Scenario& scenario, RolloutSetup setup);
// For shares of GPUs that generate, as many engines as fit in each; colocated counts as one step off. One
// report, colocated, where a single engine takes all GPUs. Generation is the mean over several ways to deal
// the responses to the engines, so that the reports lie on a curve.
std::vector<RolloutReport> rollout_split(const Scenario& scenario, RolloutSetup setup);

// [s] to hand `bytes` of weights to engines by broadcast: 0.5 s and 74 GB/s, whatever their number.
// MoonshotAI/checkpoint-engine's table: 3.4 s for GLM-4.5-Air (212 GB; 3.47 measured on 8 H800), 6.9 for
// Qwen3-235B (470 GB; 6.22), 9.6 for DeepSeek-V3.1 in FP8 (671 GB; 10.19 on 16 H20, 11.33 on 256), 14.4 for
// Kimi-K2 in FP8 (1,029 GB; 14.36 on 16, 16.04 on 256).
double weight_sync_seconds(double bytes);

} // namespace ringside
