// Samples one block after the other, for a device or a film that asks for the next ones while a view's clock
// moves. It goes on where it was as long as the clock does; where that jumps, stops or shows another score,
// the old sound gives way to the new one within 5 ms, so that nothing clicks.
#pragma once

#include "core/base/sound/score.h"

#include <memory>

namespace ringside
{

// What is on show while a block is asked for.
struct SoundMoment
{
    std::shared_ptr<const Score> score; // null: silence
    double t = 0;                       // of the view's clock, when the block is heard
    double units_per_second = 0;        // 0: the clock stands
    float volume = 1;                   // 0 to 1
};

class SoundStream
{
public:
    void next(const SoundMoment& moment, std::span<float> samples);

private:
    struct Playing
    {
        std::shared_ptr<const Score> score;
        double t = 0;
        double units_per_second = 0;

        void read(std::span<float> samples);
    };
    // What follows from what plays now.
    Playing follow(const SoundMoment& moment) const;

    Playing playing_;
    float volume_ = 0;
    std::int64_t take_ = -1; // the last that was played
    std::vector<float> old_;
};

} // namespace ringside
