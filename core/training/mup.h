// muP: hyperparameters tuned on a narrow model, for a wide one (Yang et al. 2022, Tensor Programs V, arXiv
// 2203.03466, Table 8, Adam). What each kind of tensor multiplies as the width grows, and how far one step
// moves a layer's output. Width only: depth, batch and length of the run are not transferred.
//
// Biases and gains count as the embedding: one of their dimensions stays as it is. Attention's logits are
// divided by the head's dimension instead of its root where heads grow with the width (Definition 4.1).
#pragma once

#include "core/base/names.h"

#include <cstdint>

namespace ringside
{

enum class WidthRole : std::uint8_t
{
    embedding, // from a vocabulary to the width
    hidden,    // from width to width
    head       // from the width to a vocabulary
};
template <>
inline constexpr auto kNamesOf<WidthRole> = names<WidthRole>("embedding, biases, gains", "hidden matrices",
                                                             "output head");

// Each over that of the narrow model.
struct WidthScaling
{
    double deviation = 1;  // of the weights it starts with
    double multiplier = 1; // of its output
    double rate = 1;       // Adam's learning rate
};
WidthScaling mup_scaling(WidthRole role, double narrow, double width);

// Adam moves every weight by about its learning rate, whatever the gradient, and along the input: the n terms
// of an output add up. So far a hidden layer's output moves in a step over that of the narrow model.
double output_move(double narrow, double width, bool mup);

// The FLOPs of a run of the narrow model over one of the wide one, in the hidden matrices, at the same depth
// and tokens.
double proxy_flops_share(double narrow, double width);

// The tuned model's width, where nothing else is said.
inline constexpr double kProxyWidth = 256;

} // namespace ringside
