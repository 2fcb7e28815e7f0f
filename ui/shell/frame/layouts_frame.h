// The search for layouts beside the window: what may be asked of it. What it found is a LayoutAnswer.
#pragma once

#include "core/planner/layout_search.h"
#include "ui/shell/frame/frame.h"

namespace ringside
{

// Looks for every layout of the scenario, beside the window; Frame::layouts tells how far it is. Asking for
// the same again changes nothing.
struct SearchLayouts
{
    SearchLimits limits;
    bool as_it_stands = false; // of the scenario with its faults, which are those of its layout
};
inline Action to_action(SearchLayouts action)
{
    return std::make_shared<const SearchLayouts>(std::move(action));
}

} // namespace ringside
