// What the tasks of a step are called, and what is said about the step and its moments.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/network/step/lives.h"

namespace ringside
{

std::string name_of_unit(std::int64_t layer);                     // "layer 12", "embedding"
std::string short_name_of_unit(std::int64_t layer);               // "12", "emb"
std::string say_task(const StepLife& life, const StepTask& task); // "all-gather of layer 12, micro-batch 0"
void step_tip(const Painter& painter, Rect bounds, const StepLife& life, std::size_t task);

// The sentence about the whole step, or about the moment the clock stands at.
std::string say_step(const StepLives& lives, ByteUnit unit);
std::string say_moment(const StepLife& life, double t, ByteUnit unit);

} // namespace ringside
