// A number with its own working: the tooltip, the lesson and the quiz solution say the same because they read
// the same Term. Explains what memory.h and report.h computed; the numbers are theirs.
#pragma once

#include "core/engine/report.h"

#include <string>
#include <vector>

namespace ringside
{

struct Term
{
    std::string label;   // "activations, stage 0"
    double value = 0;    // exactly what the engine says, in `unit`
    std::string unit;    // "B", "GB", "s", "" for shares
    std::string formula; // "c s b h / t × layers × in flight"
    // The formula with numbers in, to five digits: digits, points, exponents and + − × / ( ) only. It
    // evaluates to `value` within 0.1%, or within the byte that parts are rounded up to.
    std::string working;
    std::string source; // "Korthikanti et al. 2022, arXiv 2205.05198, section 4.1"; may be empty
};

// A figure as workings write it: "8192", "33.5", "8.8192e9", "5e-6". Whole numbers below a million in full,
// others to `digits`.
std::string figure(double value, int digits = 5);

// One part of one stage. `stage` counts from 0 and must be in the report. An offloaded part is 0, "on the
// host".
Term explain(const Scenario& scenario, const Report& report, std::size_t stage, Component component);
// The sum of the parts, in GB.
Term explain_total(const Scenario& scenario, const Report& report, std::size_t stage);
// What the buffers of a stage consist of; parts that are 0 are left out.
std::vector<Term> explain_buffers(const Scenario& scenario, const Report& report, std::size_t stage);

// Closed form where it is exact, from the simulated times where stages wait for transfers.
Term explain_bubble_over_ideal(const Scenario& scenario, const Report& report);
Term explain_bubble_of_total(const Scenario& scenario, const Report& report);

// What the slowest stage makes of the step: (m + p - 1) max t is its length when all stages are as slow, so
// an upper bound when only one is, as long as transfers cost nothing. In the unit of the times.
Term explain_slowest_stage(const Scenario& scenario);

// The gradients' ring all-reduce: T = 2(N−1)α + 2(N−1)/N × S/B, and what each rank sends.
Term explain_all_reduce(const Scenario& scenario, const Report& report);
Term explain_sent_per_rank(const Scenario& scenario, const Report& report);

// Bytes of weights, gradients and optimizer state on one GPU of a pipeline stage under ZeRO stage 0 to 3, the
// paper's way: the scenario's bytes per parameter, each share divided by the replicas; P are the parameters
// that GPU would hold without ZeRO. Adafactor's and Muon's second moments, which are not per parameter, are
// left out; what is offloaded is not.
Term explain_zero(const Scenario& scenario, std::int64_t zero_stage, std::size_t stage);

} // namespace ringside
