// `ringside calibrate`: fits constants of an accelerator to measured steps and says how far off it is,
// left-out rows apart.
#pragma once

#include "app/commands.h"
#include "core/engine/calibrate.h"

namespace ringside
{

struct CalibrateOptions
{
    CommonOptions common;
    std::vector<std::string> files;
    std::vector<std::string> constants{"gemm_efficiency", "host_kernel_us", "link_efficiency",
                                       "network_efficiency"};
    std::string scenario; // that rows of a CSV file start from; empty: the default
    bool leave_out = false;
    bool markdown = false;
};

// Cases (JSON) that expect step times, or a table of measured steps (CSV) whose rows start from `base`.
Result<MeasuredSet> read_measured(const std::string& file, const Scenario& base, const Presets& presets);

int run_calibrate(const CalibrateOptions& options);

// Cases of several files, each with its own table, for docs/accuracy.md.
int run_validate_markdown(const CommonOptions& options, const std::vector<std::string>& files);

} // namespace ringside
