// A stored tensor with its own working, for tooltips and captions. The bytes are those of tensors.h.
#pragma once

#include "core/base/text/term.h"
#include "core/memory/activations/tensors.h"

namespace ringside
{

// Bytes of one micro-batch in one layer on one GPU: "2 s b h / t".
Term explain_tensor(const Scenario& scenario, const ActivationTensor& tensor);

} // namespace ringside
