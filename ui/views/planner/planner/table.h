// The planner's table: a row a layout, headings that sort, as many rows as there is room for and the wheel
// for the rest.
#pragma once

#include "ui/views/planner/planner/rows.h"
#include "ui/widgets/table.h"

namespace ringside
{

// What a frame of the table is given.
struct PlannerTableFrame
{
    const PlannerRow& now;     // the scenario as it is
    double capacity;           // [B]
    std::optional<Layout> lit; // pointed at elsewhere
    double progress;           // of the search
    bool live;                 // rows can be pressed
};

struct PlannerTableEvent
{
    std::optional<Layout> hovered;
    std::optional<Layout> loaded; // pressed
};

class PlannerTable
{
public:
    // Of a heading, this many rows and the row for now.
    static float height(const Painter& painter, std::size_t rows);
    PlannerTableEvent draw(const Painter& painter, Rect area, PlannerRows& rows,
                           const PlannerTableFrame& frame);
    // The chosen row comes into sight with the next frame.
    void follow() { follow_ = true; }

private:
    TableScroll scroll_{0, std::nullopt, 1};
    bool follow_ = false;
};

} // namespace ringside
