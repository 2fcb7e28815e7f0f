// What the view of feeding says below its pictures.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/training/data/state.h"

namespace ringside
{

// "12.5", "0.00046": of samples a second, without powers of ten.
std::string rate_words(double per_second);
Caption data_caption(const DataState& state, const FeedDesk& desk, const Frame& frame);

} // namespace ringside
