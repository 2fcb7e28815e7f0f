#include "app/session/view_clock.h"

#include <algorithm>

namespace ringside
{

void ViewClock::play(bool on)
{
    playback.playing = on;
    rounds = 0;
    opening = false;
}

void ViewClock::seek(double t)
{
    playback.t = std::max(0.0, t);
    end_opening();
}

void ViewClock::play_opening()
{
    playback.t = 0;
    playback.playing = opening = true;
    rounds = 0;
}

void ViewClock::end_opening()
{
    playback.playing = playback.playing && !opening;
    opening = false;
}

void ViewClock::follow(const Motion& motion)
{
    if (motion.rest != rest)
    {
        playback.t = playback.playing ? playback.t : motion.rest;
        rest = motion.rest;
    }
}

void ViewClock::advance(double seconds, const Motion& motion)
{
    Playback& p = playback;
    if (!p.playing || motion.duration <= 0)
    {
        p.t = std::min(p.t, motion.duration);
        return;
    }
    if (p.t >= motion.duration)
    {
        p.t = 0; // play pressed at the end
    }
    p.t += seconds * motion.per_second * static_cast<double>(p.speed);
    if (opening && p.t >= motion.rest)
    {
        p.t = motion.rest;
        p.playing = opening = false;
    }
    if (p.t >= motion.duration && p.playing)
    {
        ++rounds;
        p.playing = rounds < motion.rounds;
        p.t = p.playing ? 0 : motion.duration;
    }
}

} // namespace ringside
