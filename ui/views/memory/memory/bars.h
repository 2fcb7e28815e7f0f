// The bars of the memory board: a stage or a few as a column against the line of the capacity.
#pragma once

#include "core/base/text.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame.h"
#include "ui/widgets/plot.h"

#include <span>

namespace ringside
{

// Consecutive stages drawn as one bar: the fullest of them stands for all.
struct MemoryBar
{
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t fullest = 0;
    std::size_t index = 0;
    Rect column; // where it stands; its height is the whole chart's
};

// Bytes upwards from the bottom line, `most` of them at the top; its axis counts in the scale's unit.
struct MemoryChart
{
    Rect area;
    float left; // [px] of room for the numbers
    PlotAxis axis;
    double most;
    ByteScale scale; // of the numbers

    float y(double bytes) const
    {
        return area.bottom() - area.h * static_cast<float>(axis.share(bytes / scale.bytes));
    }
};

MemoryChart memory_chart(const Painter& painter, Rect area, const MemoryReport& memory, double most);
// At most sixteen, without their columns.
std::vector<MemoryBar> group_stages(const MemoryReport& memory);
// What the axis has to reach, in bytes.
double highest(const Frame& frame);
// The middle of the words that say how much too much the fullest stage takes.
float over_middle(const Painter& painter, const MemoryChart& chart, const MemoryReport& memory);
// The total above a bar where it fits, and how much too much it is.
void draw_total(const Painter& painter, const MemoryChart& chart, const MemoryBar& bar,
                const MemoryReport& memory);
// Below a bar its stage and what it keeps; where bars are narrow, what fits.
void draw_stage_names(const Painter& painter, const MemoryChart& chart, const MemoryBar& bar,
                      std::int64_t in_flight, std::size_t stages);
// How high the bar is with a lever, or was before.
void draw_ghost(const Painter& painter, const MemoryChart& chart, Rect column, Bytes level);
// The line of the capacity, up to `right`, and its words: fewer where bars stand in their way.
void draw_capacity(const Painter& painter, const MemoryChart& chart, std::span<const MemoryBar> bars,
                   float right, const MemoryReport& memory, std::string_view gpu);
// Whether the parts of bars can be told apart: not where all of a bar is beyond the capacity.
bool parts_shown(const Painter& painter, const MemoryChart& chart, double capacity);
// The parts' names right of the last bar, none above `least`, and clear of the words above the line of the
// capacity.
void draw_names(const Painter& painter, const MemoryChart& chart, const StageMemory& stage, float x,
                float least, float capacity);
// Where there is no height for bars: a line for each stage, the fullest first where not all have one.
void draw_low(const Painter& painter, Rect area, const MemoryReport& memory);

} // namespace ringside
