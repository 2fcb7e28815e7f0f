// Failures of a long run, in closed form: how often to save, who is hit, which fleets failed how often. The
// run itself is simulated in run_simulation.h.
//
// Fleet records are interruptions per GPU-hour. MegaScale's "several weeks" are taken as four, BLOOM's 1 to
// 2 per week as 1.5.
#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace ringside
{

// Time between checkpoints that loses least, where a save takes `save` and failures come
// `mean_between_failures` apart: sqrt(2 d M), to first order (Young, Commun. ACM 17 (1974) 530; the leading
// term of equation 37 of Daly, Future Gener. Comput. Syst. 22 (2006) 303). For saves that are short against
// the time between failures. 0 where either is not above 0.
Seconds young_interval(Seconds save, Seconds mean_between_failures);

// Young's interval to higher order: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d, and M where d is 2
// M or more (Daly 2006, equation 37). Work between two saves, the save itself not counted. 0 as above.
Seconds daly_interval(Seconds save, Seconds mean_between_failures);

// Replicas of `replicas` that are out after `failed` failures at random places: R (1 - (1 - 1/R)^f). Several
// may hit the same one, so fewer than f. 0 where either is not above 0.
double replicas_hit(double replicas, double failed);

// How often the jobs of a published fleet were interrupted.
struct FleetRecord
{
    std::string_view id;   // "llama-3-405b"
    std::string_view name; // "Llama 3 405B"
    double gpus;
    double days;          // observed, of the whole fleet
    double interruptions; // in that time
    std::string_view says;
    std::string_view source;

    // Mean GPU-hours from one interruption to the next. A job on n of the same GPUs has an n-th of it as its
    // mean time between failures, as long as failures are independent.
    double gpu_hours() const { return gpus * days * 24 / interruptions; }
};
std::span<const FleetRecord> fleet_records();

} // namespace ringside
