// The sentence and the formula under the stored tensors.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/memory/activations/desk.h"

namespace ringside
{

Caption activations_caption(const Frame& frame, const ActivationsState& state);

} // namespace ringside
