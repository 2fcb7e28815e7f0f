// Beside the gallery: the numbers of the chosen erratum to move, where to see it, and what is asked about it.
#pragma once

#include "ui/shell/view.h"
#include "ui/widgets/controls.h"

namespace ringside
{

struct NumbersEvent
{
    std::optional<DrawnValues> values; // the overrides as they are from now on
    bool show = false;                 // "Show me" was pressed
};

class ErrataNumbers
{
public:
    NumbersEvent draw(const Frame& frame, const Painter& painter, Rect area, const Erratum& erratum,
                      const DrawnValues& overrides, Calculator& calculator);

private:
    // What the parameter was moved to.
    std::optional<double> draw_parameter(const Painter& painter, Rect row, const Erratum& erratum,
                                         const ErratumParameter& parameter, const DrawnValues& overrides,
                                         Calculator& calculator);

    TypedEntry entry_;
    std::string refused_; // why the last move went no further
    std::string id_;
};

// The value nearest to `wanted` on the way there with which the erratum can still be run; `refused` says what
// kept it from going all the way, and is empty otherwise.
double as_far_as_it_runs(Calculator& calculator, const Erratum& erratum, const ErratumParameter& parameter,
                         const DrawnValues& overrides, double wanted, std::string& refused);

} // namespace ringside
