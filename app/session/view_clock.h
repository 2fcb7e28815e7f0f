// The clock of one view: where its motion stands, and how it goes on.
#pragma once

#include "ui/shell/view.h"

namespace ringside
{

struct ViewClock
{
    Playback playback;
    double rest = -1;     // of the motion it was last moved with
    int rounds = 0;       // played through since play was pressed
    bool opening = false; // plays to where it rests, unless the user takes over

    void play(bool on);
    void seek(double t);
    // From the start to where the motion rests.
    void play_opening();
    void end_opening();
    // Goes to where the motion rests, where that is new: first shown, or the scenario changed.
    void follow(const Motion& motion);
    // By this much real time.
    void advance(double seconds, const Motion& motion);
};

} // namespace ringside
