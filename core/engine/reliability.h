// Failures of a long run, in closed form: how often to save. No simulation of a run.
#pragma once

#include "core/base/units.h"

namespace ringside
{

// Time between checkpoints that loses least, where a save takes `save` and failures come
// `mean_between_failures` apart: sqrt(2 d M), to first order (Young, Commun. ACM 17 (1974) 530; Daly, Future
// Gener. Comput. Syst. 22 (2006) 303, equation 7 without its higher orders). For saves that are short against
// the time between failures. 0 where either is not above 0.
Seconds young_interval(Seconds save, Seconds mean_between_failures);

} // namespace ringside
