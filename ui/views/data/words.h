// What the view of feeding says below its pictures.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/data/state.h"

namespace ringside
{

Caption data_caption(const DataState& state, const FeedDesk& desk, const Frame& frame);

} // namespace ringside
