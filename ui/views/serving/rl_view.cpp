// A step of RL as lanes, engines above the trainer, the tail of generation hatched; and samples per second
// against the share of GPUs that generate; and what importance weights leave of off-policy samples.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/rl/pages.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 3> kRlPages{"rl/step", "rl/split", "rl/weights"};
constexpr std::array<double, 9> kSamples{64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr std::array<double, 9> kAnswerTokens{128, 256, 512, 1000, 2000, 3000, 4000, 8000, 16000};
constexpr std::array<double, 7> kCaps{1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::array<double, 9> kSpreads{0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2};
constexpr std::array<double, 7> kEngineGpus{1, 2, 4, 8, 16, 32, 64};
constexpr std::array<double, 7> kLags{1, 2, 3, 4, 8, 16, 32};
constexpr std::array<std::string_view, 4> kPlacements{"colocated", "disaggregated", "1-step off",
                                                      "fully async"};

class RlView final : public PagedView<RlState>
{
public:
    RlView() : PagedView(kRlPages, {&rl_step_page, &rl_split_page, &rl_weights_page}) {}

    std::vector<std::string> facts(const Frame& frame) const override
    {
        const RolloutReport& r = state_.step_of(frame.now.scenario);
        if (r.batch < 1)
        {
            return {std::string(name_of(r.setup.placement))};
        }
        return {std::string(name_of(r.setup.placement)), "RL step " + seconds_words(r.step),
                three_digits(r.samples_per_second()) + " samples/s",
                fmt::format("{} of {} for rollout", grouped(r.rollout_gpus),
                            counted(frame.now.scenario.cluster.gpus, "GPU"))};
    }
    std::optional<GpuMemory> gpu_memory(const Frame& frame) const override
    {
        const RolloutReport& r = state_.step_of(frame.now.scenario);
        return GpuMemory{std::max(r.engine_bytes, r.trainer_bytes),
                         Bytes(frame.now.scenario.cluster.gpu.memory_gb * 1e9)};
    }
    ViewKeys keys() override
    {
        return {turn_key("One step, rollout GPUs, importance weights"),
                {"G", "Colocated, disaggregated, one-step off-policy, fully asynchronous",
                 [this] { turn(state_.setup.placement, kPlacements.size()); }},
                {"R", "KL to a reference model, or none", flips(state_.setup.reference)},
                {"M", "Scores by a reward model, or by a rule", flips(state_.setup.reward_model)},
                {"drag", "The rollout GPUs"},
                {"hover", "How long each part of an engine\u2019s step takes"}};
    }
};

} // namespace

std::string seconds_words(double seconds)
{
    return format_seconds(Seconds(seconds));
}

std::string step_range_words(const Frame& frame, const RolloutReport& report)
{
    const ServingEngine engine = serving_engine(frame.now.scenario);
    const Band band = prediction_band(frame, engine, ServingMeasure::tpot);
    return fmt::format("{} to {}", seconds_words(rollout_step(report, band.low)),
                       seconds_words(rollout_step(report, band.high)));
}

// Even the largest engine does not hold the model.
bool says_no_room(const RlRoom& r, const RolloutReport& report)
{
    if (report.batch > 0)
    {
        return false;
    }
    empty_state(r.p, r.area, "No engine holds this model",
                fmt::format("The weights take {} of each of {}. Choose more GPUs, or a smaller model.",
                            format_bytes(report.engine_bytes, r.p.look.unit),
                            counted(report.setup.engine_gpus, "GPU")));
    return true;
}

Caption no_room_caption()
{
    return {"No engine holds this model.", "", ""};
}

void panel_rollout(PanelColumn& column, const RlRoom& r)
{
    RolloutSetup& setup = r.state.setup;
    const RolloutReport& report = r.state.step_of(r.frame.now.scenario);
    column.choice(Choices(kPlacements), setup.placement);
    column.slide("Samples per step", Track::at(kSamples, say_whole), setup.samples);
    column.slide("Mean response tokens", Track::at(kAnswerTokens, say_whole), setup.answer);
    column.slide("Max response tokens", Track::at(kCaps, say_whole), setup.cap);
    column.slide("Length spread \u03c3", Track::at(kSpreads, three_digits), setup.spread);
    column.slide("GPUs per engine", Track::at(kEngineGpus, say_whole), report.setup.engine_gpus,
                 r.state.engine_gpus,
                 "More than asked for where fewer do not hold the weights and one response");
    if (setup.placement != RolloutPlacement::colocated)
    {
        column.slide("Rollout GPUs", Track::even(0, 1, format_percent, 0.01), setup.generating);
    }
    if (setup.placement == RolloutPlacement::asynchronous)
    {
        column.slide("Staleness cap", Track::at(kLags, say_whole), setup.staleness_cap);
    }
    column.toggle("KL to a reference", setup.reference,
                  "One more forward per token, of the frozen reference model");
    column.toggle(
        "Reward model", setup.reward_model,
        "One more forward per token, of a reward model as large as the policy; without, a rule scores");
    column.gap();
    column.fact("Generation", seconds_words(report.generation),
                fmt::format("{} of {}, {} at once in each", counted(report.engines, "engine"),
                            counted(report.setup.engine_gpus, "GPU"), counted(report.batch, "response")));
    column.fact("Training", seconds_words(report.training), counted(report.training_gpus, "GPU"));
    column.fact("Weight sync", seconds_words(report.sync),
                "0.5 s and 74 GB/s, as measured by checkpoint-engine");
    column.fact("Memory, engine", format_bytes(report.engine_bytes, r.p.look.unit),
                "Weights and KV cache of one rollout GPU");
    column.fact("Memory, trainer", format_bytes(report.trainer_bytes, r.p.look.unit),
                "Weights, gradients and optimizer state of one GPU that trains, sharded over all of them");
}

extern const ViewInfo rl_view{
    30,
    "rl",
    ViewGroup::post_training,
    "RL systems",
    "RL systems",
    "One step of GRPO or PPO between rollout engines and trainer: the generation "
    "tail, colocated, disaggregated or fully asynchronous, the best share of GPUs for each, and off-policy "
    "correction",
    {"model", "gpu", "gpus"},
    make_view<RlView>,
    kRlPages};

} // namespace ringside
