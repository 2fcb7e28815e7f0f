// A step as lanes, engines above the trainer, the tail of generation hatched.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/rl/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Fills
{
    explicit Fills(const Theme& t)
        : generation{t.forward}, tail{.ink = t.forward, .lines = t.window}, reward{t.series[0]},
          old_log_prob{t.series[1]}, reference{t.series[2]}, update{t.backward_weight}, sync{t.data},
          idle(idle_fill(t))
    {
    }
    Fill generation;
    Fill tail;
    Fill reward;
    Fill old_log_prob;
    Fill reference;
    Fill update;
    Fill sync;
    Fill idle;
};

// What is done with the responses, in the order it is done in.
struct Stretch
{
    std::string_view name;  // in the legend and in the formula
    std::string_view brief; // in its block
    double seconds;
    Fill fill;
    std::string_view is;
};

std::vector<Stretch> stretches_of(const RolloutPhases& p, const Fills& fills)
{
    std::vector<Stretch> all{
        {"reward model", "reward", p.reward, fills.reward, "of scores: one forward of the reward model"},
        {"old log-probs", "old", p.old_log_prob, fills.old_log_prob,
         "of log-probabilities: one forward of the policy that the responses were drawn with"},
        {"reference log-probs", "ref", p.reference, fills.reference,
         "of log-probabilities: one forward of the frozen reference"},
        {"update", "update", p.update, fills.update, "of forward and backward of the policy"}};
    std::erase_if(all, [](const Stretch& s) { return s.seconds <= 0; });
    return all;
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
        : p_(room.p), report_(report), fills_(room.p.theme), stretches_(stretches_of(report.phases, fills_)),
          apart_(report.setup.placement != RolloutPlacement::colocated),
          at_once_(report.setup.placement == RolloutPlacement::one_step_off ||
                   report.setup.placement == RolloutPlacement::asynchronous)
    {
    }

    void draw(Rect area)
    {
        draw_chart_title(p_, area.cut_top(p_.px(24)), "One step, by rollout engine");
        std::vector<LegendItem> items{{"generation", fills_.generation},
                                      {"batch under half full", fills_.tail}};
        for (const Stretch& each : stretches_)
        {
            items.push_back({std::string(each.name), each.fill});
        }
        items.insert(items.end(), {{fmt::format("weight sync {}", seconds_words(report_.sync)), fills_.sync},
                                   {"idle", fills_.idle}});
        if (area.h >= p_.px(110)) // else its rows would lie on the lanes
        {
            area.cut_top(draw_legend(p_, area, items, 2) + p_.px(6));
        }
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
        if (lanes.points_at(lanes.cell(lane, from, to)))
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
              fmt::format("{} of generation with a batch at least half full", seconds_words(span.full)));
        block(lanes, lane, span.full, span.end, fills_.tail, "",
              fmt::format("{} with the batch under half full: the longest responses",
                          seconds_words(span.end - span.full)));
        const double trains = report_.generation;
        block(lanes, lane, span.end, apart_ ? report_.step - report_.sync : trains, fills_.idle, "",
              "Waits for the longest response of all engines, or for the trainer");
        if (!apart_)
        {
            draw_training(lanes, lane, trains);
        }
        draw_sync(lanes, lane);
    }
    void draw_training(TimeLanes& lanes, std::size_t lane, double from)
    {
        for (const Stretch& each : stretches_)
        {
            block(lanes, lane, from, from + each.seconds, each.fill, each.brief,
                  fmt::format("{} {}, on {}{}", seconds_words(each.seconds), each.is,
                              counted(report_.training_gpus, "GPU"),
                              at_once_ ? ", for the responses of the step before" : ""));
            from += each.seconds;
        }
    }
    void draw_sync(TimeLanes& lanes, std::size_t lane)
    {
        block(lanes, lane, report_.step - report_.sync, report_.step, fills_.sync, "sync",
              fmt::format("{} until the engines have the new weights", seconds_words(report_.sync)));
    }
    void draw_trainer(TimeLanes& lanes, std::size_t lane)
    {
        const double from = at_once_ ? 0 : report_.generation;
        const bool free = report_.setup.placement == RolloutPlacement::asynchronous;
        const double sync = free ? from + report_.training : report_.step - report_.sync;
        block(lanes, lane, 0, from, fills_.idle, "", "Waits for the responses");
        draw_training(lanes, lane, from);
        block(lanes, lane, from + report_.training, sync, fills_.idle, "", "Waits for the responses");
        block(lanes, lane, sync, sync + report_.sync, fills_.sync, "sync",
              fmt::format("{} until the engines have the new weights", seconds_words(report_.sync)));
        block(lanes, lane, sync + report_.sync, report_.step, fills_.idle, "", "Waits for the responses");
    }

    const Painter& p_;
    const RolloutReport& report_;
    Fills fills_;
    std::vector<Stretch> stretches_;
    bool apart_;
    bool at_once_;
};

void draw_step(const RlRoom& r)
{
    const RolloutReport& report = r.state.step_of(r.frame.now.scenario);
    if (!says_no_room(r, report))
    {
        StepLanes(r, report).draw(r.area);
    }
}

// "generation + old log-probs + update + sync = 5 min + 11 s + 34 s + 2 s"
std::string added_up(const RolloutReport& r)
{
    std::string names = "generation";
    std::string values = seconds_words(r.generation);
    for (const auto& [name, value] :
         {std::pair{"reward", r.phases.reward}, std::pair{"old log-probs", r.phases.old_log_prob},
          std::pair{"reference", r.phases.reference}, std::pair{"update", r.phases.update},
          std::pair{"sync", r.sync}})
    {
        names += value > 0 ? fmt::format(" + {}", name) : "";
        values += value > 0 ? " + " + seconds_words(value) : "";
    }
    return names + " = " + values;
}

std::string formula_of(const RolloutReport& r)
{
    const std::string step = seconds_words(r.step);
    switch (r.setup.placement)
    {
    case RolloutPlacement::one_step_off:
        return fmt::format("max(generation, training) + sync = max({}, {}) + {} = {}",
                           seconds_words(r.generation), seconds_words(r.training), seconds_words(r.sync),
                           step);
    case RolloutPlacement::asynchronous:
        return fmt::format(
            "max(generation without tail, training + sync, response in flight / staleness cap) = "
            "max({}, {}, {}) = {}",
            seconds_words(r.steady), seconds_words(r.training + r.sync),
            seconds_words(r.flight / r.setup.staleness_cap), step);
    default:
        return added_up(r) + " = " + step;
    }
}

Caption caption_step(const Frame& frame, RlState& state)
{
    const RolloutReport& r = state.step_of(frame.now.scenario);
    if (r.batch < 1)
    {
        return no_room_caption();
    }
    const bool free = r.setup.placement == RolloutPlacement::asynchronous;
    const std::string range = step_range_words(frame, r);
    std::string says =
        free ? fmt::format("A step takes **{}** ({}); engines never wait.", seconds_words(r.step), range)
             : fmt::format("A step takes **{}** ({}), {} of it generation, **{}** of that the tail.",
                           seconds_words(r.step), range, seconds_words(r.generation),
                           format_percent(r.tail()));
    says += r.staleness > 0 ? fmt::format(" Staleness: **{}**.", three_digits(r.staleness)) : "";
    says += r.setup.placement != state.setup.placement ? " One engine takes all GPUs: **colocated**." : "";
    return {
        says, formula_of(r),
        fmt::format(
            "Lengths are lognormal, cut off at the maximum. A decoding step is an iteration of {}. {}. "
            "Phases in "
            "the order of verl\u2019s trainer: a forward for each score and log-probability, three for the "
            "update, at the MFU of the scenario\u2019s own step. Asynchronous RL and staleness: AReaL, arXiv "
            "2505.24298.",
            serving_engine(frame.now.scenario).name,
            evidence_words(frame, serving_engine(frame.now.scenario), ServingMeasure::tpot))};
}

} // namespace

const Page<RlState> rl_step_page{"Step", draw_step, panel_rollout, caption_step};

} // namespace ringside
