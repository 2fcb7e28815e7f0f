// The parts of the view of experts: what a router does with the scenario's experts under every way of
// balancing; tokens on their way; the all-to-all.
#pragma once

#include "core/base/work.h"
#include "core/parallelism/experts/plan.h"
#include "core/parallelism/experts/router.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/widgets/panel_column.h"

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

// What does not depend on the balance.
struct RoutedExperts
{
    ExpertPlan plan;
    RouterOptions options;
};
RoutedExperts routed_experts(const Scenario& scenario);

// The runs of one frame under every way of balancing, as far as they are; the one on show is first in line.
class ExpertRuns
{
public:
    ExpertRuns(const Frame& frame, const RoutedExperts& routed, const std::shared_ptr<const TokenPool>& pool,
               const RouterChoice& choice);

    // The status of the run on show, or of the first that failed: then there is nothing to ask but plan().
    const WorkStatus& status() const;
    bool failed() const { return !status().faults.empty(); }
    const ExpertPlan& plan() const { return routed_->plan; }
    // Columns of the picture: GPUs, or equal groups of them where there are more than 16.
    std::int64_t columns() const { return options().ranks; }
    std::int64_t gpus_each() const { return std::max<std::int64_t>(1, plan().ranks / options().ranks); }
    std::int64_t experts() const { return options().experts; } // simulated
    std::int64_t tokens() const { return routed_tokens(options()); }
    std::int64_t capacity(double factor) const
    {
        return expert_capacity(factor, options().chosen, tokens(), options().experts);
    }
    double even() const
    {
        return static_cast<double>(options().chosen * tokens()) / static_cast<double>(options().experts);
    }
    const RouterRun& of(Balance balance) const { return *runs_.at(static_cast<std::size_t>(balance)); }
    // The state at this step, or the last there is.
    const RouterStep& step(Balance balance, std::size_t step) const;
    // Load of the largest of GPUs over their mean, less 1.
    double busiest_gpu(const RouterStep& step) const;
    // One (token, expert) pair of the router in bytes of the scenario, so that a row of the matrix adds up to
    // the message of its GPUs.
    Bytes pair() const;

private:
    const RouterOptions& options() const { return routed_->options; }

    const RoutedExperts* routed_;
    Balance shown_;
    std::array<WorkAnswer<RouterRun>, kBalances> runs_;
};

struct SwarmMoment
{
    const RouterStep* from = nullptr; // the step whose tokens come back, before the middle
    const RouterStep* to = nullptr;   // the step whose tokens go out, behind it
    float between = 0;                // 0 to 1; whole steps stand at 0
};
// Tokens on their way from the GPUs that hold them to the experts they chose, and what every expert gets
// against its capacity. `most` is the load the bars reach up to. The capacity factor as the line was dragged.
std::optional<double> draw_swarm(const Painter& painter, Rect area, const ExpertRuns& runs,
                                 const SwarmMoment& moment, double factor, double most);

struct ExchangeStyle
{
    bool back = false; // the way back from the experts, which is the transposed matrix
    Rect bounds;       // where a tip may lie
};
// The all-to-all as a matrix: what every GPU sends to every other.
void draw_exchange(const Painter& painter, Rect area, const ExpertRuns& runs, const RouterStep& step,
                   const ExchangeStyle& style);

void draw_experts_panel(PanelColumn& column, const Frame& frame, RouterChoice& choice, const ExpertRuns& runs,
                        Out& out);

} // namespace ringside
