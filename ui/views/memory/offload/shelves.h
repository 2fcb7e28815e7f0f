// The scenario under every placement, and its step against tokens; worked out again only when something
// changes.
#pragma once

#include "core/performance/offload.h"
#include "ui/shell/frame.h"

#include <array>

namespace ringside
{

inline constexpr std::array kPlacements{Offload::none, Offload::optimizer_cpu, Offload::optimizer_nvme,
                                        Offload::optimizer_and_weights_cpu,
                                        Offload::optimizer_and_weights_nvme};

// "optimizer, host"
std::string_view brief_of(Offload placement);

// A step's time at so many tokens.
struct TokenPoint
{
    double tokens = 0;
    double compute = 0; // [s]
    double total = 0;   // [s]
};

class Shelves
{
public:
    void update(const Scenario& scenario, bool delayed) const;

    const OffloadReport& of(Offload placement) const { return reports_[static_cast<std::size_t>(placement)]; }
    const OffloadReport& placed() const { return of(scenario_.training.offload); }
    // The placement whose times are on show: the scenario's, or the optimizer's on the host where nothing is
    // offloaded, to show what it would be.
    const OffloadReport& timed() const;
    bool supposed() const { return !placed().offloads(); }
    // Ascending; empty where a pipe has no rate.
    const std::vector<TokenPoint>& curve() const { return curve_; }
    const std::vector<double>& moments() const { return moments_; }

private:
    void sample() const;

    mutable bool stale_ = true;
    mutable bool delayed_ = false;
    mutable Scenario scenario_;
    mutable std::array<OffloadReport, kOffloads> reports_;
    mutable std::vector<TokenPoint> curve_;
    mutable std::vector<double> moments_;
};

// The scenario with about so many tokens through each GPU in a step, by as many micro-batches as that takes;
// where weights come up for each of them, by larger ones. Always valid when `scenario` is.
Scenario with_tokens(const Scenario& scenario, double tokens);
// One stop further on that way.
Scenario with_tokens_stepped(const Scenario& scenario, int steps);
double tokens_of(const Scenario& scenario);

} // namespace ringside
