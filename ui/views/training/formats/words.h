// What the view of number formats says in its caption, page by page.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/training/formats/gradients.h"

namespace ringside
{

Caption formats_caption(const FormatsState& state, const Frame& frame, const LossScaleRuns& runs);

} // namespace ringside
