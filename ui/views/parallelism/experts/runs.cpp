#include "ui/views/parallelism/experts/runs.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostColumns = 16;
constexpr double kPairsAFrame = 5e4; // about half a millisecond

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

void ExpertRuns::update(const Scenario& scenario, const RouterChoice& choice) const
{
    if (!scenario_ || !(*scenario_ == scenario))
    {
        scenario_ = scenario;
        plan_ = expert_plan(scenario);
        options_.experts = std::min(plan_.experts, kMostRouted);
        options_.chosen = std::min(plan_.chosen, options_.experts);
        options_.ranks = columns_of(plan_.ranks, options_.experts);
    }
    options_.skew = choice.skew;
    if (!pool_ || pool_->experts() != options_.experts)
    {
        pool_ = std::make_shared<const TokenPool>(options_.experts);
    }
    for (std::size_t i = 0; i < kBalances; ++i)
    {
        RouterOptions wanted = options_;
        wanted.balance = static_cast<Balance>(i);
        wanted.strength = choice.strength(wanted.balance);
        auto& run = runs_.at(i);
        if (!run || !(run->options() == wanted))
        {
            run.emplace(wanted, pool_);
            run->advance_to(1);
        }
    }
}

bool ExpertRuns::work(Balance shown, std::size_t steps)
{
    runs_.at(static_cast<std::size_t>(shown))->advance_to(steps);
    for (auto& run : runs_)
    {
        if (!run->done())
        {
            // One step is the least; where it is more than a frame's share, other frames rest.
            credit_ += kPairsAFrame;
            if (credit_ >= run->pairs_of_step())
            {
                run->advance(credit_);
                credit_ = 0;
            }
            return true;
        }
    }
    return false;
}

const RouterStep& ExpertRuns::step(Balance balance, std::size_t step) const
{
    const auto& steps = of(balance).steps();
    return steps[std::min(step, steps.size() - 1)];
}

double ExpertRuns::busiest_gpu(const RouterStep& step) const
{
    return rank_violation(step.load, std::gcd(plan_.ranks, options_.experts));
}

Bytes ExpertRuns::pair() const
{
    const auto pairs_each = static_cast<double>(options_.chosen * tokens() / options_.ranks);
    return plan_.message * (static_cast<double>(gpus_each()) / pairs_each);
}

} // namespace ringside
