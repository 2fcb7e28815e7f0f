// Samples per second against the share of GPUs that generate.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/rl/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>

namespace ringside
{

namespace
{

bool nothing_to_split(const RolloutReport& report)
{
    return report.setup.placement == RolloutPlacement::colocated;
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
        return no_room_caption();
    }
    if (nothing_to_split(curve.front()))
    {
        return {"One engine takes all GPUs: they generate and train in turns.", "", ""};
    }
    const auto best =
        std::ranges::min_element(curve, [](const auto& a, const auto& b) { return a.step < b.step; });
    const std::string how = capitalized(std::string(name_of(best->setup.placement)));
    const auto samples = static_cast<double>(best->setup.samples);
    const Band band = prediction_band(frame, serving_engine(frame.now.scenario), ServingMeasure::tpot);
    std::string says = fmt::format("{}: **{} of {} GPUs** should generate: {} samples/s ({} to {}).", how,
                                   grouped(best->rollout_gpus), grouped(frame.now.scenario.cluster.gpus),
                                   three_digits(best->samples_per_second()),
                                   three_digits(samples / rollout_step(*best, band.high)),
                                   three_digits(samples / rollout_step(*best, band.low)));
    if (state.setup.placement == RolloutPlacement::colocated)
    {
        says = fmt::format("Colocated, all GPUs generate and then train: {} samples/s. ",
                           three_digits(state.step_of(frame.now.scenario).samples_per_second())) +
               says;
    }
    return {
        says,
        fmt::format("generation {}, training {}, sync {}", seconds_words(best->generation),
                    seconds_words(best->training), seconds_words(best->sync)),
        "Where both run at once the slower one sets the rate, so the best share is where they take as long: "
        "rollout GPUs to training GPUs as the times of the two on one GPU. Generation is the mean of 16 ways "
        "to deal the responses to the engines; the step shows one of them."};
}

} // namespace

const Page<RlState> rl_split_page{"GPU split",   draw_split, panel_rollout,
                                  caption_split, nullptr,    "GPUs for rollouts"};

} // namespace ringside
