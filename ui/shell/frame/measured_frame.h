// Measured steps: those a user brought, with what fitting the accelerator's constants to them
// came to, and the public ones that say how far computed steps are off.
#pragma once

#include "core/evaluate/bands.h"
#include "ui/shell/frame/frame.h"

namespace ringside
{

struct MeasuredFrame
{
    MeasuredSet set;
    CalibrationFit fit;
    bool shipped = false; // they come with the program
};

// Filled source by source, one each Command::next_accuracy.
struct AccuracyFrame
{
    std::vector<MeasuredSet> sets;
    std::vector<SourceAccuracy> sources; // of the first so many sets
    std::vector<HeldRows> held;          // by source, of the bands made without it; once done()
    Issues issues;                       // why there are no sets

    bool done() const { return sources.size() == sets.size(); }
};

// Fits the steps on show anew, by these constants; or those that come with the program, by theirs.
struct FitMeasured
{
    std::vector<std::string> constants; // names of their fields; none: those as they are
    bool shipped = false;
    std::string keep = {}; // the name of a software of one's own that they become
};
inline Action to_action(FitMeasured action)
{
    return std::make_shared<const FitMeasured>(std::move(action));
}

} // namespace ringside
