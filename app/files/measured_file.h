// Measured steps on disk, whichever kind of file they are in.
#pragma once

#include "core/evaluate/calibrate.h"

namespace ringside
{

// Cases (JSON) that expect step times, or a table of measured steps (CSV) whose rows start from `base`.
Result<MeasuredSet> read_measured(const std::string& file, const Scenario& base, const Presets& presets);

} // namespace ringside
