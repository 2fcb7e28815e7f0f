// A changed accelerator keeps the id of the preset that it came from (Gpu::id, "based_on" in JSON), whatever
// field was changed: the software that it suggests, evidence, occupancy and constants nobody set are that
// preset's.
#pragma once

#include "core/scenario/presets.h"

#include <string>

namespace ringside
{

// "H100 SXM 80 GB, edited"; without the word where no field differs, "custom GPU" where it came from none of
// the presets.
std::string name_by_preset(const Gpu& gpu, const Presets& presets);

} // namespace ringside
