// Steps that somebody measured, and what fitting the accelerator's constants to them came to.
#pragma once

#include "core/evaluate/calibrate.h"
#include "ui/shell/frame/frame.h"

namespace ringside
{

struct MeasuredFrame
{
    MeasuredSet set;
    CalibrationFit fit;
};

// Fits the steps on show anew, by these constants; or those that come with the program, by theirs.
struct FitMeasured
{
    std::vector<std::string> constants; // names of their fields; none: those as they are
    bool shipped = false;
};
inline Action to_action(FitMeasured action)
{
    return std::make_shared<const FitMeasured>(std::move(action));
}

} // namespace ringside
