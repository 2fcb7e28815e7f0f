#include "core/base/scale.h"

namespace ringside
{

double decade_below(double value)
{
    return std::pow(10, std::floor(std::log10(value)));
}

double decade_above(double value)
{
    return std::pow(10, std::ceil(std::log10(value)));
}

double rounded_to(double value, int digits)
{
    const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
    return std::round(value / unit) * unit;
}

double round_step(double least)
{
    const double decade = decade_below(least);
    for (const double factor : {1.0, 2.0, 5.0})
    {
        if (factor * decade >= least * (1 - 1e-9))
        {
            return factor * decade;
        }
    }
    return 10 * decade;
}

std::vector<double> even_ratios(double low, double high, int steps)
{
    std::vector<double> values;
    for (int i = 0; i <= steps; ++i)
    {
        values.push_back(low * std::pow(high / low, static_cast<double>(i) / steps));
    }
    return values;
}

} // namespace ringside
