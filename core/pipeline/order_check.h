// Whether a hand-written order does all the work of a step, once, and where it can be done.
#pragma once

#include "core/pipeline/notation.h"

namespace ringside
{

// Each stage and micro-batch needs one F and either one B or I and W, all on one rank; stages and
// micro-batches are numbered from 0 without gaps. A stage may have copies on several ranks, each for
// micro-batches of its own (DualPipe). Every fault names the operation; the first few of many.
Issues check_order(const WrittenOrder& written);

// Copies of the stage that most ranks hold.
std::int64_t weight_copies(const WrittenOrder& written);

} // namespace ringside
