#include "core/training/mup.h"

#include <cmath>

namespace ringside
{

WidthScaling mup_scaling(WidthRole role, double narrow, double width)
{
    const double wider = width / narrow;
    switch (role)
    {
    case WidthRole::hidden:
        return {.deviation = 1 / std::sqrt(wider), .rate = 1 / wider};
    case WidthRole::head:
        return {.multiplier = 1 / wider};
    case WidthRole::embedding:
        break;
    }
    return {};
}

double output_move(double narrow, double width, bool mup)
{
    return width / narrow * (mup ? mup_scaling(WidthRole::hidden, narrow, width).rate : 1);
}

double proxy_flops_share(double narrow, double width)
{
    return narrow * narrow / (width * width);
}

} // namespace ringside
