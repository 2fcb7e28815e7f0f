// Which GPU gets the tokens? A router sends them to experts, those above the capacity are dropped, and the
// load is balanced step by step.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/parallelism/experts/pages.h"
#include "ui/widgets/charts/plot_series.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr double kRouterRest = 30; // the step it stands at until the user moves the clock
constexpr std::array<const char*, kBalances> kNames{"none", "auxiliary loss", "bias"};

double clock_of(const Frame& frame)
{
    return std::clamp(frame.playback.t, 0.0, static_cast<double>(kRouterSteps - 1));
}

} // namespace

std::size_t router_step(const Frame& frame)
{
    return static_cast<std::size_t>(clock_of(frame) + 1e-9);
}

Motion router_motion(const Frame& frame, ExpertsState&)
{
    return {.duration = static_cast<double>(kRouterSteps - 1),
            .per_second = 3,
            .label = fmt::format("step {}/{}", router_step(frame) + 1, kRouterSteps),
            .rest = kRouterRest};
}

ExpertRuns ExpertsState::runs(const Frame& frame) const
{
    const RoutedExperts& from = routed_of(frame);
    const auto& tokens = pool.of(from.options.experts, [](std::int64_t experts)
                                 { return std::make_shared<const TokenPool>(experts); });
    return {frame, from, tokens, choice};
}

std::string experts_words(const ExpertPlan& plan)
{
    const Model& model = plan.scenario.model;
    const std::string name = model.name.empty() ? "The model" : model.name;
    const std::string shared =
        model.shared_experts > 0 ? fmt::format(", {} shared", model.shared_experts) : "";
    return plan.supposed
               ? fmt::format("{} is dense: as if each MLP were {} experts, {} per token", name, plan.experts,
                             plan.chosen)
               : fmt::format("{}: {} experts, {} per token{}", name, plan.experts, plan.chosen, shared);
}

namespace
{

// What the bars reach up to: the first step's largest load, which all ways of balancing share, but not so far
// that an even load cannot be seen.
double tallest(const ExpertRuns& runs, double factor)
{
    const auto& first = runs.step(Balance::none, 0).load;
    const auto most = static_cast<double>(*std::max_element(first.begin(), first.end()));
    const double cap = std::max(static_cast<double>(runs.capacity(factor)), 1.6 * runs.even());
    return 1.1 * std::max(cap, std::min(most, 5 * runs.even()));
}

void draw_head(const Painter& p, Rect row, const ExpertPlan& plan)
{
    const std::string where =
        plan.ranks == 1 ? "all on one GPU"
                        : fmt::format("EP = {}{}, {}", plan.ranks, plan.leaves ? " over several nodes" : "",
                                      counted(plan.copies, "replica"));
    draw_chart_title(p, row, experts_words(plan), {}, where);
}

void draw_balance(const ExpertsRoom& r, Rect area, const ExpertRuns& runs, std::size_t step)
{
    const Painter& p = r.p;
    std::vector<PlotSeries> curves;
    double most = 0.5;
    for (std::size_t i = 0; i < kBalances; ++i)
    {
        const RouterRun& run = runs.of(static_cast<Balance>(i));
        if (!run.done())
        {
            p.text_within(area.x, area.y + p.px(13), area.w, Type::small, p.theme.muted,
                          "Routing the next steps.");
            return;
        }
        std::vector<double> values;
        for (const RouterStep& s : run.steps())
        {
            values.push_back(max_violation(s.load));
        }
        most = std::max(most, std::ranges::max(values));
        const bool chosen = run.options().balance == r.state.choice.balance;
        curves.push_back({kNames.at(i),
                          std::move(values),
                          {chosen ? p.theme.expert.fill : p.theme.muted, chosen ? 2.5F : 1.5F, i == 1},
                          chosen});
    }
    // What is on show lies on top.
    std::ranges::stable_sort(curves, {}, &PlotSeries::chosen);
    if (const auto to = draw_series(p, area,
                                    {.title = "Load imbalance (MaxVio)",
                                     .note = "busiest expert over the mean, minus 1",
                                     .names = 140},
                                    "###balance over steps",
                                    {0, most * 1.06, PlotScale::linear, "", plain_number}, step, curves))
    {
        r.out.push(Seek{*to});
    }
}

void draw_below(const ExpertsRoom& r, Rect area, const ExpertRuns& runs, const SwarmMoment& moment,
                std::size_t step)
{
    const Painter& p = r.p;
    const Rect whole = area;
    const bool both = area.w >= p.px(520);
    const bool back = moment.between > 0 && moment.between < 0.5F;
    const float matrix = both ? std::min(area.h + p.px(10), area.w * 0.4F) : area.w;
    const Rect left = area.cut_left(matrix);
    p.part("matrix", left);
    const RouterStep& shown = moment.between < 0.5F ? *moment.from : *moment.to;
    draw_exchange(p, left, runs, shown, {back, {whole.x, whole.y - p.px(160), whole.w, whole.h + p.px(160)}});
    if (both)
    {
        area.cut_left(p.px(28));
        p.part("balance", area);
        draw_balance(r, area, runs, step);
    }
}

void draw_load(const ExpertsRoom& r)
{
    const Painter& painter = r.p;
    Rect area = r.area;
    RouterChoice& choice = r.state.choice;
    const ExpertRuns runs = r.state.runs(r.frame);
    if (runs.failed())
    {
        draw_status(painter, area, runs.status());
        return;
    }
    const double t = clock_of(r.frame);
    const std::size_t step = router_step(r.frame);
    if (area.h > painter.px(200))
    {
        draw_head(painter, area.cut_top(painter.px(24)), runs.plan());
        area.cut_top(painter.px(4));
    }
    const SwarmMoment moment{&runs.step(choice.balance, step), &runs.step(choice.balance, step + 1),
                             static_cast<float>(t - static_cast<double>(step))};
    const bool below = area.h >= painter.px(330);
    const Rect lower =
        below ? area.cut_bottom(std::clamp(area.h * 0.38F, painter.px(150), painter.px(260))) : Rect{};
    if (below)
    {
        area.cut_bottom(painter.px(10));
    }
    painter.part("load", area);
    const auto factor = draw_swarm(painter, area, runs, moment, choice.factor, tallest(runs, choice.factor));
    if (below)
    {
        draw_below(r, lower, runs, moment, step);
    }
    if (factor && *factor != choice.factor)
    {
        choice.factor = *factor;
        r.out.animating = true;
    }
}

Caption load_caption(const Frame& frame, ExpertsState& state)
{
    const RouterChoice& choice = state.choice;
    const ExpertRuns runs = state.runs(frame);
    if (runs.failed())
    {
        return {fault_sentence(runs.status()), "", ""};
    }
    const RouterStep& step = runs.step(choice.balance, router_step(frame));
    const std::int64_t capacity = runs.capacity(choice.factor);
    const std::int64_t pairs = runs.of(Balance::none).options().chosen * runs.tokens();
    const double lost = static_cast<double>(dropped_pairs(step.load, capacity)) / static_cast<double>(pairs);
    const std::string busiest = three_digits(max_violation(step.load) + 1);
    const std::string drops = lost > 0 ? fmt::format("!!{} of tokens are dropped!!", format_percent(lost))
                                       : std::string("no token is dropped");
    Caption caption;
    switch (choice.balance)
    {
    case Balance::none:
        caption.sentence = fmt::format("Without balancing the busiest expert gets **{}\u00d7 the mean**; {}.",
                                       busiest, drops);
        break;
    case Balance::auxiliary:
        caption.sentence =
            fmt::format("With the auxiliary loss the busiest gets **{}\u00d7** and {}, but router "
                        "probabilities **changed by {}**.",
                        busiest, drops, format_percent(step.drift));
        break;
    case Balance::bias:
        caption.sentence =
            fmt::format("With the bias the busiest gets **{}\u00d7** and {}; router probabilities "
                        "**do not change**.",
                        busiest, drops);
        break;
    }
    caption.formula =
        fmt::format("cap = \u2308CF k T / E\u2309 = \u2308{} \u00d7 {} \u00d7 {} / {}\u2309 = {};  largest "
                    "GPU = {}\u00d7 the mean",
                    plain_number(choice.factor), runs.of(Balance::none).options().chosen, runs.tokens(),
                    runs.experts(), capacity, three_digits(runs.busiest_gpu(step) + 1));
    caption.source =
        "Capacity: Lepikhin et al. 2020 (GShard), arXiv 2006.16668, section 2.2; Fedus et al. "
        "2021 (Switch), arXiv "
        "2101.03961, equation 3. Loss \u03b1 E \u03a3 f P: Switch, equations 4 to 6. Bias: Wang "
        "et al. 2024, arXiv "
        "2408.15664, Algorithm 1, as in DeepSeek-V3, arXiv 2412.19437, section 2.1.2, which "
        "drops nothing.\nTokens "
        "are synthetic: popularity by Zipf\u2019s law, Gumbel noise. Only the popularity is learned, "
        "and the task pulls it back.";
    return caption;
}

void panel_load(PanelColumn& column, const ExpertsRoom& r)
{
    draw_experts_panel(column, r.frame, r.state.choice, r.state.runs(r.frame), r.out);
}

} // namespace

const Page<ExpertsState> kExpertLoad{"Load", draw_load, panel_load, load_caption, router_motion};

} // namespace ringside
