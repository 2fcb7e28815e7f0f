#include "ui/views/parallelism/experts/runs.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostColumns = 16;

std::int64_t columns_of(std::int64_t ranks, std::int64_t experts)
{
    const std::int64_t common = std::gcd(ranks, experts);
    std::int64_t best = 1;
    for (std::int64_t n = 1; n <= kMostColumns; ++n)
    {
        best = common % n == 0 ? n : best;
    }
    return best;
}

} // namespace

RoutedExperts routed_experts(const Scenario& scenario)
{
    RoutedExperts all{expert_plan(scenario), {}};
    all.options.experts = std::min(all.plan.experts, kMostRouted);
    all.options.chosen = std::min(all.plan.chosen, all.options.experts);
    all.options.ranks = columns_of(all.plan.ranks, all.options.experts);
    return all;
}

ExpertRuns::ExpertRuns(const Frame& frame, const RoutedExperts& routed,
                       const std::shared_ptr<const TokenPool>& pool, const RouterChoice& choice)
    : routed_(&routed), shown_(choice.balance)
{
    for (std::size_t i = 0; i < kBalances; ++i)
    {
        const std::size_t at = (static_cast<std::size_t>(shown_) + i) % kBalances;
        RouterOptions wanted = routed.options;
        wanted.skew = choice.skew;
        wanted.balance = static_cast<Balance>(at);
        wanted.strength = choice.strength(wanted.balance);
        runs_.at(at) = work_on<RouterRun>(frame.works, {wanted, pool});
    }
}

const WorkStatus& ExpertRuns::status() const
{
    const auto failed = std::ranges::find_if(runs_, [](const auto& run) { return !run; });
    return failed != runs_.end() ? *failed : runs_.at(static_cast<std::size_t>(shown_));
}

const RouterStep& ExpertRuns::step(Balance balance, std::size_t step) const
{
    const auto& steps = of(balance).steps();
    return steps[std::min(step, steps.size() - 1)];
}

double ExpertRuns::busiest_gpu(const RouterStep& step) const
{
    return rank_violation(step.load, std::gcd(plan().ranks, options().experts));
}

Bytes ExpertRuns::pair() const
{
    const auto pairs_each = static_cast<double>(options().chosen * tokens() / options().ranks);
    return plan().message * (static_cast<double>(gpus_each()) / pairs_each);
}

namespace
{

constexpr std::array<double, 9> kSkews{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};
constexpr std::array<double, 8> kFactors{0.5, 1, 1.1, 1.25, 1.5, 2, 3, 4};
constexpr std::array<double, 7> kStrengths{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};

std::string say(const Term& term, const std::string& result)
{
    return fmt::format("{} = {} = {}\n{}", term.formula, term.working, result, term.source);
}

void draw_settings(PanelColumn& column, RouterChoice& c)
{
    column.heading("Balancing");
    column.choice({"None", "Aux loss", "Bias"}, c.balance);
    column.slide("Skew (Zipf exponent)", Track::at(kSkews, plain_number), c.skew);
    column.slide("Capacity factor", Track::at(kFactors, plain_number), c.factor);
    if (c.balance == Balance::auxiliary)
    {
        column.slide("Loss coefficient \u03b1", Track::at(kStrengths, plain_number), c.alpha,
                     "\u03b1 E \u03a3 f P is added to the loss. Switch Transformer: 0.01; DeepSeek-V3, per "
                     "sequence: 0.0001");
    }
    if (c.balance == Balance::bias)
    {
        column.slide("Bias step \u03b3", Track::at(kStrengths, plain_number), c.gamma,
                     "b \u00b1 \u03b3 after every step, used for routing only. DeepSeek-V3: 0.001, over many "
                     "more steps");
    }
}

void draw_plan(PanelColumn& column, const Frame& frame, const ExpertPlan& plan)
{
    const auto bytes = [&](Bytes b) { return format_bytes(b, frame.preferences.unit); };
    column.heading(plan.supposed ? "As an MoE model" : "In this scenario");
    column.fact("Experts per GPU", fmt::format("{} of {}", plan.held, plan.experts),
                fmt::format("E / ep = {} / {}, of every layer with experts", plan.experts, plan.ranks));
    column.fact("Expert DP group", grouped(plan.copies),
                say(explain_expert_copies(plan), grouped(plan.copies)) +
                    "\nThe expert data-parallel group: gradients of its experts are reduced over these GPUs "
                    "only.");
    column.fact(
        "Expert parameters", format_count(plan.parameters),
        fmt::format("Of {} in all experts of the model; peak-memory stage.", format_count(plan.whole)));
    column.fact("One all-to-all sends", bytes(plan.sent), say(explain_expert_sent(plan), bytes(plan.sent)));
    column.fact(plan.passes == 4 ? "Four all-to-alls per layer" : "Six all-to-alls per layer",
                bytes(plan.sent * static_cast<double>(plan.passes)),
                "Dispatch and combine, forward and backward; six with full recomputation, else four.");
    if (!plan.supposed)
    {
        const StepTime& step = frame.now.report->step;
        column.fact("Fraction of the step", format_percent(step.expert_comm / step.total()),
                    "All-to-alls of the step, not overlapped with compute, with balanced routing.");
    }
}

} // namespace

void draw_experts_panel(PanelColumn& column, const Frame& frame, RouterChoice& choice, const ExpertRuns& runs,
                        Out& out)
{
    draw_settings(column, choice);
    draw_plan(column, frame, runs.plan());
    column.gap();
    if (column.button("Mixtral 8x7B", "8"))
    {
        out.push(LoadScenario{"mixtral-8x7b-64"});
    }
    if (column.button("DeepSeek-V3", "D"))
    {
        out.push(LoadScenario{"deepseek-v3-2048"});
    }
}

} // namespace ringside
