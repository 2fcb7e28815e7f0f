#include "core/engine/reliability.h"

#include <cmath>

namespace ringside
{

Seconds young_interval(Seconds save, Seconds mean_between_failures)
{
    const double d = save.value;
    const double m = mean_between_failures.value;
    return Seconds(d > 0 && m > 0 ? std::sqrt(2 * d * m) : 0.0);
}

} // namespace ringside
