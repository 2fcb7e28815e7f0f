// What the pipelines view says in words: its caption, and what happens at one moment.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/pipeline/pipelines/rows.h"

namespace ringside
{

// "t = 14.5 under 1F1B: stage 0 runs F5; stage 1 waits for I3 of stage 2."
std::string what_happens(const PipelineRow& row, double t);

// The scenario's schedule against the fastest beside it; the slowest stage where stages are uneven.
std::string compare_in_words(const Frame& frame, const std::vector<PipelineRow>& rows);

// The scenario's bubble with its formula, and where they come from.
Caption bubble_formula(const Frame& frame);

} // namespace ringside
