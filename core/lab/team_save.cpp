#include "core/lab/team_save.h"

#include <algorithm>

namespace ringside
{

double predicted_stall(const SavePlan& plan, std::int64_t bytes, double step)
{
    if (plan.mode == SaveMode::none || !(plan.bytes_per_second > 0))
    {
        return 0;
    }
    const double write = static_cast<double>(bytes) / plan.bytes_per_second;
    const double covered = plan.mode == SaveMode::synchronous ? 0 : static_cast<double>(plan.every) * step;
    return std::max(0.0, write - covered);
}

} // namespace ringside
