// The lowest point of a function of several numbers, without derivatives (Nelder and Mead 1965). Finds the
// nearest valley, not the deepest.
#pragma once

#include <functional>
#include <vector>

namespace ringside
{

struct Minimum
{
    std::vector<double> at;
    double value = 0;
};

// Starts with a simplex of edge `step` around `start`; ends after `steps` of it, or when its corners differ
// by less than `tolerance`.
Minimum minimize(const std::function<double(const std::vector<double>&)>& f, const std::vector<double>& start,
                 double step, int steps, double tolerance = 1e-9);

} // namespace ringside
