// What a training run sounds like: a note for every step, as high as its loss. A loss that is not finite is
// silent.
#pragma once

#include "core/base/sound/score.h"

namespace ringside
{

// [Hz] Eight semitones per nat above 110 Hz, up to 1760 Hz: ln 65 = 4.17 nats, of 65 equally likely
// characters, are 757 Hz.
float pitch_of_loss(double loss);

// The score of one step of one or two runs, whose losses are in nats.
Score score_of_step(std::int64_t step, std::span<const double> losses);

} // namespace ringside
