// Steps that somebody measured, and what fitting the accelerator's constants to them came to.
#pragma once

#include "core/engine/calibrate.h"

namespace ringside
{

struct MeasuredFrame
{
    MeasuredSet set;
    CalibrationFit fit;
};

// Fits the steps on show anew, by these constants.
struct FitMeasured
{
    std::vector<std::string> constants; // names of their fields; none: those as they are
};

} // namespace ringside
