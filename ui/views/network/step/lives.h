// The step under every strategy, worked out again only when scenario or options change.
#pragma once

#include "core/performance/step_life.h"
#include "ui/shell/frame.h"

#include <array>

namespace ringside
{

class StepLives
{
public:
    // options.strategy is the one on show.
    void update(const Scenario& scenario, const StepOptions& options) const;

    const StepLife& of(StepStrategy s) const { return lives_[static_cast<std::size_t>(s)]; }
    const StepLife& shown() const { return of(options_.strategy); }
    const StepOptions& options() const { return options_; }
    // Moments at which a task starts or ends, ascending; even steps where there are too many.
    const std::vector<double>& moments() const { return moments_; }
    double longest() const;

private:
    mutable bool stale_ = true;
    mutable Scenario scenario_;
    mutable StepOptions options_;
    mutable std::array<StepLife, kStepStrategies> lives_;
    mutable std::vector<double> moments_;
};

} // namespace ringside
