// A number with its own working: the tooltip, the lesson and the quiz solution say the same because they read
// the same Term.
#pragma once

#include <string>

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

} // namespace ringside
