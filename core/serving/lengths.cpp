#include "core/serving/lengths.h"

#include "core/base/ranges.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Where the normal law has left the share `p` behind; 0 < p < 1.
double normal_quantile(double p)
{
    double low = -8;
    double high = 8;
    while (high - low > 1e-9)
    {
        const double middle = (low + high) / 2;
        (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
    }
    return low;
}

} // namespace

std::vector<double> lognormal_lengths(std::int64_t count, double mean, double spread, double cap)
{
    const auto shape = list_of<double>(count,
                                       [&](std::int64_t i)
                                       {
                                           const double p = (real(i) + 0.5) / real(count);
                                           return std::exp(spread * normal_quantile(p));
                                       });
    const auto cut = [&](double scale)
    {
        return list_of<double>(shape,
                               [&](double value) { return std::clamp(std::round(scale * value), 1.0, cap); });
    };
    double low = 0;
    double high = cap / shape.front();
    for (int i = 0; i < 50; ++i)
    {
        const double middle = (low + high) / 2;
        (sum_over(cut(middle)) / real(count) < mean ? low : high) = middle;
    }
    return cut(high);
}

} // namespace ringside
