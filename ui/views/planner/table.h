// The planner's table: a row a layout, headings that sort, as many rows as there is room for and the wheel
// for the rest.
#pragma once

#include "ui/views/planner/rows.h"
#include "ui/widgets/painter.h"

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
    // Where a column stands.
    struct Place
    {
        PlannerColumn column;
        float left, right;
    };

    std::vector<Place> places(const Painter& painter, Rect area, const PlannerRows& rows,
                              const PlannerRow& now);
    void draw_headings(const Painter& painter, Rect row, PlannerRows& rows, double progress);
    void draw_cells(const Painter& painter, Rect row, const PlannerRow& cells, double capacity,
                    bool lit) const;
    void draw_row(const Painter& painter, Rect row, const PlannerRows& rows, std::size_t at,
                  const PlannerTableFrame& frame, PlannerTableEvent& event);
    void draw_now(const Painter& painter, Rect row, const PlannerTableFrame& frame) const;
    void scroll(const Painter& painter, Rect body, const PlannerRows& rows, std::size_t shown);

    std::vector<Place> places_;
    bool keycap_ = true; // room for the key that loads
    std::size_t first_ = 0;
    bool follow_ = false;
};

} // namespace ringside
