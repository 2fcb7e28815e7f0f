// Easing between states: the one place where a view remembers how things looked a moment ago.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <map>

namespace ringside
{

inline constexpr double kStateSeconds = 0.24;
inline constexpr double kShardSeconds = 0.28;

// A number that eases towards what it is told. The first value stands at once.
class Tween
{
public:
    float towards(float target, const Frame& frame, const Look& look, Out& out,
                  double seconds = kStateSeconds)
    {
        if (!set_ || look.reduced_motion)
        {
            set_ = true;
            from_ = to_ = target;
            return target;
        }
        if (target != to_)
        {
            from_ = at(frame.clock, seconds);
            to_ = target;
            start_ = frame.clock;
        }
        if (frame.clock - start_ < seconds && from_ != to_)
        {
            out.animating = true;
        }
        return at(frame.clock, seconds);
    }

private:
    float at(double clock, double seconds) const
    {
        return from_ + (to_ - from_) * ease(static_cast<float>((clock - start_) / seconds));
    }

    float from_ = 0;
    float to_ = 0;
    double start_ = -1e9;
    bool set_ = false;
};

} // namespace ringside
