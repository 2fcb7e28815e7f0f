// The scenario's experts, and what a router does with them under every way of balancing; worked out again
// only when something changes, a few steps a frame.
#pragma once

#include "core/parallelism/experts/plan.h"
#include "core/parallelism/experts/router.h"

#include <array>
#include <optional>

namespace ringside
{

struct RouterChoice
{
    Balance balance = Balance::none;
    double skew = 1;
    double factor = 1.25; // of the capacity
    double alpha = 0.01;  // of the loss
    double gamma = 0.01;  // of the bias

    double strength(Balance of) const { return of == Balance::bias ? gamma : alpha; }
};

class ExpertRuns
{
public:
    void update(const Scenario& scenario, const RouterChoice& choice) const;
    // Works on; the balance on show first, up to `steps` at once. False when all is there.
    bool work(Balance shown, std::size_t steps);

    const ExpertPlan& plan() const { return plan_; }
    // Columns of the picture: GPUs, or equal groups of them where there are more than 16.
    std::int64_t columns() const { return options_.ranks; }
    std::int64_t gpus_each() const { return std::max<std::int64_t>(1, plan_.ranks / options_.ranks); }
    std::int64_t experts() const { return options_.experts; } // simulated
    std::int64_t tokens() const { return routed_tokens(options_); }
    std::int64_t capacity(double factor) const
    {
        return expert_capacity(factor, options_.chosen, tokens(), options_.experts);
    }
    double even() const
    {
        return static_cast<double>(options_.chosen * tokens()) / static_cast<double>(options_.experts);
    }
    const RouterRun& of(Balance balance) const { return *runs_.at(static_cast<std::size_t>(balance)); }
    // Of this step, or the last there is.
    const RouterStep& step(Balance balance, std::size_t step) const;
    // Load of the largest of GPUs over their mean, less 1.
    double busiest_gpu(const RouterStep& step) const;
    // One (token, expert) pair of the router in bytes of the scenario, so that a row of the matrix adds up to
    // the message of its GPUs.
    Bytes pair() const;

private:
    mutable std::optional<Scenario> scenario_;
    mutable ExpertPlan plan_;
    mutable RouterOptions options_; // without balance
    mutable std::shared_ptr<const TokenPool> pool_;
    mutable std::array<std::optional<RouterRun>, kBalances> runs_;
    double credit_ = 0; // of (token, expert) pairs that frames have left over
};

} // namespace ringside
