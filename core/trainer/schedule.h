// What an optimizer step needs beside gradients: the learning rate of the step, and the loss scale that keeps
// fp16 gradients in range.
#pragma once

#include "core/lab/config.h"

namespace ringside::trainer
{

// Of step `step`, counted from 0: a line up to learning_rate over warmup_steps, then half a cosine down to
// final_share of it at decay_steps (Loshchilov and Hutter, arXiv 1608.03983, equation 5, without restarts).
double learning_rate(const Recipe& recipe, std::int64_t step);

// Dynamic loss scaling (Micikevicius et al., arXiv 1710.03740, section 3.2): halved when a gradient is not
// finite, doubled after growth_interval good steps in a row; at least 1, at most 2^60.
struct LossScale
{
    double value = 1;
    std::int64_t good_steps = 0;

    // Returns whether the step may be made.
    bool after(bool finite, const Recipe& recipe);
    bool operator==(const LossScale&) const = default;
};

} // namespace ringside::trainer
