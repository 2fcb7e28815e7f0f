// Memory over one step: what is allocated as layers run forward and backward. Can be pointed at, dragged
// through and played.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/lab_frame.h"

namespace ringside
{

class StepMemory
{
public:
    void draw(const Painter& painter, Rect head, Rect area, const Frame& frame, Out& out);
    void play(double clock);
    // By so many moments; playing stops.
    void step(const TrainingSnapshot& run, int by);

private:
    std::size_t at(const TrainingSnapshot& run, double clock, bool& playing) const;

    double at_ = 0;       // moment
    double begun_ = -1;   // [s] when playing began; below 0: it does not play
    double begun_at_ = 0; // moment it began from
};

// "forward of layer 2"
std::string name_of(const MemoryMoment& moment);

} // namespace ringside
