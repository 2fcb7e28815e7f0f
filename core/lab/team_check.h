// What can be said against a team's configuration without knowing how it trains.
#pragma once

#include "core/lab/team.h"

#include <string_view>

namespace ringside
{

// The engine's own faults of how the model is cut and the batch shared out: paths "parallel." and
// "training.".
Issues faults_of_cut(const TeamConfig& config);

// With what --compress says, see read_compression(). A fault names it, also where no two ranks have the same
// weights, so that nothing would be sent.
Result<TeamConfig> with_compression(TeamConfig config, std::string_view words, bool feedback);

} // namespace ringside
