// A step of RL as lanes, engines above the trainer, the tail of generation hatched; and samples per second
// against the share of GPUs that generate.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/rollout.h"
#include "ui/shell/paged_view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct RlState
{
    const RolloutReport& step_of(const Scenario& scenario) const
    {
        return step_.of({scenario, setup},
                        [](const From& from) { return rollout_report(from.first, from.second); });
    }
    const std::vector<RolloutReport>& split_of(const Scenario& scenario) const
    {
        return split_.of({scenario, setup},
                         [](const From& from) { return rollout_split(from.first, from.second); });
    }

    RolloutSetup setup;

private:
    using From = std::pair<Scenario, RolloutSetup>;
    Derived<From, RolloutReport> step_;
    Derived<From, std::vector<RolloutReport>> split_;
};
using RlRoom = PageRoom<RlState>;

constexpr std::array<std::string_view, 2> kPages{"rl/step", "rl/split"};
constexpr std::array<double, 9> kSamples{64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr std::array<double, 9> kAnswerTokens{128, 256, 512, 1000, 2000, 3000, 4000, 8000, 16000};
constexpr std::array<double, 7> kCaps{1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::array<double, 9> kSpreads{0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2};
constexpr std::array<double, 7> kEngineGpus{1, 2, 4, 8, 16, 32, 64};
constexpr std::array<double, 7> kLags{1, 2, 3, 4, 8, 16, 32};
constexpr std::array<std::string_view, 4> kPlacements{"colocated", "disaggregated", "1-step off",
                                                      "fully async"};

struct Fills
{
    explicit Fills(const Theme& t)
        : generation{t.forward}, tail{.ink = t.forward, .lines = t.window}, training{t.backward_weight},
          sync{t.data}, idle(idle_fill(t))
    {
    }
    Fill generation;
    Fill tail;
    Fill training;
    Fill sync;
    Fill idle;
};

std::string seconds(double s)
{
    return format_seconds(Seconds(s));
}

// Which engines are drawn: all, or evenly picked, with the one that all others wait for.
std::vector<std::size_t> shown_engines(const RolloutReport& r, std::size_t most)
{
    const std::size_t all = r.spans.size();
    const std::size_t count = std::min(all, most);
    const auto last =
        std::ranges::max_element(r.spans, [](const auto& a, const auto& b) { return a.end < b.end; });
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < count; ++i)
    {
        const auto slowest = static_cast<std::size_t>(last - r.spans.begin());
        const bool here = slowest * count / all == i;
        shown.push_back(here ? slowest : i * all / count);
    }
    return shown;
}

class StepLanes
{
public:
    StepLanes(const RlRoom& room, const RolloutReport& report)
        : p_(room.p), report_(report), fills_(room.p.theme),
          apart_(report.setup.placement != RolloutPlacement::colocated),
          at_once_(report.setup.placement == RolloutPlacement::one_step_off ||
                   report.setup.placement == RolloutPlacement::asynchronous)
    {
    }

    void draw(Rect area)
    {
        Rect head = area.cut_top(p_.px(24));
        head.cut_left(p_.text_within(head.x, head.middle(), head.w, Type::small_strong, p_.theme.text,
                                     "One step, by rollout engine") +
                      p_.px(24));
        draw_legend(p_, head,
                    std::array{LegendItem{"generation", fills_.generation},
                               LegendItem{"batch under half full", fills_.tail},
                               LegendItem{"training", fills_.training},
                               LegendItem{"weight sync", fills_.sync}, LegendItem{"idle", fills_.idle}});
        area.h -= p_.px(30); // of the axis below the lanes
        const auto most = static_cast<std::size_t>(std::max(2.0F, area.h / p_.px(18)));
        const auto engines = shown_engines(report_, std::min<std::size_t>(16, most - 1));
        std::vector<LaneName> names;
        for (const std::size_t engine : engines)
        {
            names.push_back({fmt::format("engine {}", engine), {}, {}, {}, false, std::to_string(engine)});
        }
        if (apart_)
        {
            names.push_back({"trainer", counted(report_.training_gpus, "GPU"), {}, {}, true});
        }
        const float pitch = lane_pitch(p_, area.h, names.size(), 44);
        const float label = p_.px(96);
        const TimeWindow window{0, std::max(report_.step, 1e-9)};
        {
            TimeLanes lanes(p_, area, window, {pitch, label}, names);
            for (std::size_t lane = 0; lane < engines.size(); ++lane)
            {
                draw_engine(lanes, lane, report_.spans[engines[lane]]);
            }
            if (apart_)
            {
                draw_trainer(lanes, engines.size());
            }
        }
        area.h = pitch * static_cast<float>(names.size());
        p_.part("step", area);
        draw_time_axis(p_, {area.x + label, area.bottom(), area.w - label, p_.px(30)}, window, report_.step);
    }

private:
    void block(TimeLanes& lanes, std::size_t lane, double from, double to, const Fill& fill,
               std::string_view words, const std::string& tip)
    {
        if (to <= from)
        {
            return;
        }
        if (const auto box = lanes.block(lane, from, to, fill); box && !words.empty())
        {
            lanes.label(*box, fill.ink.label, {words});
        }
        if (lanes.pointed(lanes.cell(lane, from, to)))
        {
            tooltip_at_mouse(p_, tip);
        }
    }
    void draw_engine(TimeLanes& lanes, std::size_t lane, const EngineSpan& span)
    {
        if (report_.setup.placement == RolloutPlacement::asynchronous)
        {
            block(lanes, lane, 0, report_.step, fills_.generation, "generation",
                  "New prompts take the place of every response that ends: the batch stays full");
            return;
        }
        block(lanes, lane, 0, span.full, fills_.generation, "generation",
              fmt::format("{} of generation with a batch at least half full", seconds(span.full)));
        block(lanes, lane, span.full, span.end, fills_.tail, "",
              fmt::format("{} with the batch under half full: the longest responses",
                          seconds(span.end - span.full)));
        const double trains = report_.generation;
        block(lanes, lane, span.end, apart_ ? report_.step - report_.sync : trains, fills_.idle, "",
              "Waits for the longest response of all engines, or for the trainer");
        if (!apart_)
        {
            block(lanes, lane, trains, trains + report_.training, fills_.training, "training",
                  fmt::format("{} of training on all GPUs", seconds(report_.training)));
        }
        draw_sync(lanes, lane);
    }
    void draw_sync(TimeLanes& lanes, std::size_t lane)
    {
        block(lanes, lane, report_.step - report_.sync, report_.step, fills_.sync, "sync",
              fmt::format("{} until the engines have the new weights", seconds(report_.sync)));
    }
    void draw_trainer(TimeLanes& lanes, std::size_t lane)
    {
        const double from = at_once_ ? 0 : report_.generation;
        const bool free = report_.setup.placement == RolloutPlacement::asynchronous;
        const double sync = free ? from + report_.training : report_.step - report_.sync;
        block(lanes, lane, 0, from, fills_.idle, "", "Waits for the responses");
        block(lanes, lane, from, from + report_.training, fills_.training, "training",
              fmt::format("{} of training on {}{}", seconds(report_.training),
                          counted(report_.training_gpus, "GPU"),
                          at_once_ ? ", on the responses of the step before" : ""));
        block(lanes, lane, from + report_.training, sync, fills_.idle, "", "Waits for the responses");
        block(lanes, lane, sync, sync + report_.sync, fills_.sync, "sync",
              fmt::format("{} until the engines have the new weights", seconds(report_.sync)));
        block(lanes, lane, sync + report_.sync, report_.step, fills_.idle, "", "Waits for the responses");
    }

    const Painter& p_;
    const RolloutReport& report_;
    Fills fills_;
    bool apart_;
    bool at_once_;
};

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

Caption no_caption()
{
    return {"No engine holds this model.", "", ""};
}

bool nothing_to_split(const RolloutReport& report)
{
    return report.setup.placement == RolloutPlacement::colocated;
}

void draw_step(const RlRoom& r)
{
    const RolloutReport& report = r.state.step_of(r.frame.now.scenario);
    if (!says_no_room(r, report))
    {
        StepLanes(r, report).draw(r.area);
    }
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
    column.slide("GPUs per engine", say_whole(static_cast<double>(report.setup.engine_gpus)),
                 Track::at(kEngineGpus, say_whole), setup.engine_gpus,
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
    column.gap();
    column.fact("Generation", seconds(report.generation),
                fmt::format("{} of {}, {} at once in each", counted(report.engines, "engine"),
                            counted(report.setup.engine_gpus, "GPU"), counted(report.batch, "response")));
    column.fact("Training", seconds(report.training), counted(report.training_gpus, "GPU"));
    column.fact("Weight sync", seconds(report.sync), "0.5 s and 74 GB/s, as measured by checkpoint-engine");
    column.fact("Memory, engine", format_bytes(report.engine_bytes, r.p.look.unit),
                "Weights and KV cache of one rollout GPU");
    column.fact("Memory, trainer", format_bytes(report.trainer_bytes, r.p.look.unit),
                "Weights, gradients and optimizer state of one GPU that trains, sharded over all of them");
}

std::string formula_of(const RolloutReport& r)
{
    const std::string step = seconds(r.step);
    switch (r.setup.placement)
    {
    case RolloutPlacement::one_step_off:
        return fmt::format("max(generation, training) + sync = max({}, {}) + {} = {}", seconds(r.generation),
                           seconds(r.training), seconds(r.sync), step);
    case RolloutPlacement::asynchronous:
        return fmt::format(
            "max(generation without tail, training + sync, response in flight / staleness cap) = "
            "max({}, {}, {}) = {}",
            seconds(r.steady), seconds(r.training + r.sync), seconds(r.flight / r.setup.staleness_cap), step);
    default:
        return fmt::format("generation + training + sync = {} + {} + {} = {}", seconds(r.generation),
                           seconds(r.training), seconds(r.sync), step);
    }
}

Caption caption_step(const Frame& frame, RlState& state)
{
    const RolloutReport& r = state.step_of(frame.now.scenario);
    if (r.batch < 1)
    {
        return no_caption();
    }
    const bool free = r.setup.placement == RolloutPlacement::asynchronous;
    std::string says =
        free ? fmt::format("A step takes **{}**; engines never wait.", seconds(r.step))
             : fmt::format("A step takes **{}**, {} of it generation; long-tail cost **{}** of that.",
                           seconds(r.step), seconds(r.generation), format_percent(r.tail()));
    says += r.staleness > 0 ? fmt::format(" Staleness: **{}**.", three_digits(r.staleness)) : "";
    says += r.setup.placement != state.setup.placement ? " One engine takes all GPUs: **colocated**." : "";
    return {
        says, formula_of(r),
        "Lengths are lognormal, cut off at the maximum. A decoding step is the roofline over 95% of "
        "it, and 0.5 ms of the host, fitted on two published steps of GRPO (NVIDIA-NeMo/RL). Training: "
        "four forward passes\u2019 FLOPs per token (forward, backward, old log-probabilities) at the MFU of "
        "the scenario\u2019s own step. Asynchronous RL and staleness: AReaL, arXiv 2505.24298."};
}

void draw_split(const RlRoom& r)
{
    const auto& curve = r.state.split_of(r.frame.now.scenario);
    if (says_no_room(r, curve.front()))
    {
        return;
    }
    if (nothing_to_split(curve.front()))
    {
        empty_state(r.p, r.area, "Nothing to split",
                    "One engine takes every GPU. Choose more GPUs, or fewer per engine.");
        return;
    }
    std::vector<PlotPoint> rate;
    std::vector<PlotPoint> writes;
    std::vector<PlotPoint> trains;
    double top = 1e-9;
    const auto gpus = static_cast<double>(r.frame.now.scenario.cluster.gpus);
    for (const RolloutReport& at : curve)
    {
        const double x = static_cast<double>(at.rollout_gpus) / gpus;
        const auto samples = static_cast<double>(at.setup.samples);
        const double generation =
            at.setup.placement == RolloutPlacement::asynchronous ? at.steady : at.generation;
        rate.push_back({x, at.samples_per_second()});
        writes.push_back({x, generation > 0 ? samples / generation : 0});
        trains.push_back({x, at.training > 0 ? samples / at.training : 0});
        top = std::max(top, at.samples_per_second());
    }
    const Theme& t = r.p.theme;
    Plot plot(r.p, r.area, {0, 1, PlotScale::linear, "rollout GPUs, share of all", format_percent},
              {0, 1.6 * top, PlotScale::linear, "samples/s", plain_number}, {.part = "split"});
    if (!plot)
    {
        return;
    }
    // What limits the step is dashed upon it.
    plot.line(rate, {t.text, 2.5F}, "the step");
    plot.line(writes, {t.forward, 2, true}, "generation");
    plot.line(trains, {t.backward_weight, 2, true}, "training");
    const auto best = std::ranges::max_element(rate, [](auto a, auto b) { return a.y < b.y; });
    if (best != rate.end())
    {
        plot.dot(*best, {t.text, 6});
        plot.label(*best,
                   fmt::format("best: {} of {} GPUs",
                               grouped(curve[static_cast<std::size_t>(best - rate.begin())].rollout_gpus),
                               grouped(static_cast<std::int64_t>(gpus))),
                   true);
    }
    const PlotMove move = plot.rule_x(r.state.setup.generating, {t.text, 2, true}, "", "###generating");
    if (const auto to = move.x(0.02))
    {
        r.state.setup.generating = std::clamp(*to, 0.0, 1.0);
        r.out.animating = true;
    }
}

Caption caption_split(const Frame& frame, RlState& state)
{
    const auto& curve = state.split_of(frame.now.scenario);
    if (curve.front().batch < 1)
    {
        return no_caption();
    }
    if (nothing_to_split(curve.front()))
    {
        return {"One engine takes all GPUs: they generate and train in turns.", "", ""};
    }
    const auto best =
        std::ranges::min_element(curve, [](const auto& a, const auto& b) { return a.step < b.step; });
    const std::string how = capitalized(std::string(name_of(best->setup.placement)));
    std::string says =
        fmt::format("{}: **{} of {} GPUs** should generate: {} samples/s.", how, grouped(best->rollout_gpus),
                    grouped(frame.now.scenario.cluster.gpus), three_digits(best->samples_per_second()));
    if (state.setup.placement == RolloutPlacement::colocated)
    {
        says = fmt::format("Colocated, all GPUs generate and then train: {} samples/s. ",
                           three_digits(state.step_of(frame.now.scenario).samples_per_second())) +
               says;
    }
    return {
        says,
        fmt::format("generation {}, training {}, sync {}", seconds(best->generation), seconds(best->training),
                    seconds(best->sync)),
        "Where both run at once the slower one sets the rate, so the best share is where they take as long: "
        "rollout GPUs to training GPUs as the times of the two on one GPU. Generation is the mean of 16 ways "
        "to deal the responses to the engines; the step shows one of them."};
}

constexpr Page<RlState> kStepPage{"Step", draw_step, panel_rollout, caption_step};
constexpr Page<RlState> kSplitPage{"GPU split", draw_split, panel_rollout, caption_split};

class RlView final : public PagedView<RlState>
{
public:
    RlView() : PagedView(kPages, {&kStepPage, &kSplitPage}) {}

    std::vector<std::string> facts(const Frame& frame) const override
    {
        const RolloutReport& r = state_.step_of(frame.now.scenario);
        if (r.batch < 1)
        {
            return {std::string(name_of(r.setup.placement))};
        }
        return {std::string(name_of(r.setup.placement)), "RL step " + seconds(r.step),
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
        return {turn_key("One step, or how many rollout GPUs"),
                {"G", "Colocated, disaggregated, one-step off-policy, fully asynchronous",
                 [this] { turn(state_.setup.placement, kPlacements.size()); }},
                {"R", "KL to a reference model, or none", flips(state_.setup.reference)},
                {"drag", "The rollout GPUs"},
                {"hover", "How long each part of an engine\u2019s step takes"}};
    }
};

} // namespace

extern const ViewInfo rl_view{
    43,
    "rl",
    "Post-training",
    "RL systems",
    "RL systems",
    "One step of GRPO or PPO between rollout engines and trainer: the generation "
    "tail, colocated, disaggregated or fully asynchronous, and the best share of GPUs for each",
    {"model", "gpu", "gpus"},
    make_view<RlView>,
    kPages};

} // namespace ringside
