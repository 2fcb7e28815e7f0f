// What the charts of one frame drew and what was read out of them, for tests that go over all views.
#pragma once

#include "ui/draw/painter.h"

#include <string>
#include <vector>

namespace ringside
{

// The name of a curve, where it was written.
struct CurveName
{
    std::string words;
    Rect rect;
    std::size_t curve = 0;
    bool leads = false; // a line leads from it to its curve
};

struct ChartRecord
{
    struct Curve
    {
        std::string name;
        std::vector<ImVec2> path;
        bool rule = false; // across the chart at one value
    };
    struct Chart
    {
        Rect area;                 // as far as it is seen
        std::vector<Curve> curves; // no path: drawn by hand
        std::vector<ImVec2> dots;
        std::vector<Rect> handles; // what is dragged answers the mouse there
        std::vector<CurveName> names;
    };
    std::vector<Chart> charts;
    std::vector<Rect> marks; // all that the keyboard reaches, those of charts included
    std::vector<Rect> tips;  // without a size where ImGui places them
};

} // namespace ringside
