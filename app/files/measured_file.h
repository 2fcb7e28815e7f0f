// Measured steps on disk, whichever kind of file they are in.
#pragma once

#include "core/evaluate/calibrate.h"

#include <filesystem>

namespace ringside
{

// Cases (JSON) that expect step times, or a table of measured steps (CSV) whose rows start from `base`.
Result<MeasuredSet> read_measured(const std::string& file, const Scenario& base, const Presets& presets);

// One set for each public source of measured steps under `assets`, without cases that something was assumed
// in.
Result<std::vector<MeasuredSet>> measured_sources(const std::filesystem::path& assets,
                                                  const Presets& presets);

// Those of them with peaks of memory, and what is measured of memory alone.
Result<std::vector<MeasuredSet>> measured_peaks(const std::filesystem::path& assets, const Presets& presets);

// Software of one's own: one file each, read wherever the presets are (core/scenario/presets.h).
std::filesystem::path own_software_folder();
Issues keep_software(const SoftwarePreset& preset);

} // namespace ringside
