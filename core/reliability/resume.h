// A small training for real, resumed in the middle from a checkpoint from which parts are missing: what the
// loss does then. Linear regression with Adam in double precision; a model of what happens, not of a language
// model.
//
// 480 steps with a learning-rate schedule, dropout, a data stream and a loss scale, so that each missing
// part leaves its own mark. The lab does the same with a GPT.
#pragma once

#include "core/base/names.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside
{

enum class CheckpointPart : std::uint8_t
{
    weights,
    master,
    momentum,
    variance,
    step, // of the optimizer's bias correction
    schedule,
    random, // state of the generator that draws dropout
    data,   // how far the data have been read
    loss_scale
};
inline constexpr std::size_t kCheckpointParts = 9;
template <>
inline constexpr auto kNamesOf<CheckpointPart> = names<CheckpointPart>("weights", "master copy", "momentum",
                                                                       "variance", "step", "LR schedule",
                                                                       "random state", "data position",
                                                                       "loss scale");
std::string_view says_of(CheckpointPart part); // what a resume without it does, in a sentence

struct ResumeRun
{
    std::vector<double> loss;   // of every step's batch, before its update
    std::vector<double> smooth; // running mean, weight 1/8 for the newest
    std::vector<double> rate;   // learning rate of every step
    std::int64_t skipped = 0;   // steps after the resume without an update (loss scale too large)
};

inline constexpr std::int64_t kResumeSteps = 480;
inline constexpr std::int64_t kResumeAt = 240;

// Which parts the checkpoint holds; all of them gives the run that was never interrupted, bit for bit.
ResumeRun resume_run(const std::array<bool, kCheckpointParts>& holds);

} // namespace ringside
