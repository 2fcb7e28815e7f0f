// Training and serving together: the model of a wanted loss that is cheapest over its life (Sardana et al.
// 2024, arXiv 2401.00448). Floating-point operations only; that serving reaches a lower MFU than training,
// which the paper's real-world costs count, is left out.
#pragma once

#include "core/scaling/law.h"

#include <optional>

namespace ringside
{

struct Lifetime
{
    double parameters = 0; // N
    double tokens = 0;     // D, trained on
    double training = 0;   // [FLOP] 6 N D
    double serving = 0;    // [FLOP] 2 N for each token read or written

    double total() const { return training + serving; }
};

// A model of N trained to this loss that serves so many tokens. Nothing where N cannot reach the loss.
std::optional<Lifetime> lifetime_at(const LossFit& fit, double loss, double parameters, double served);
// N below this cannot reach the loss however long it is trained; 0 where no N can.
double least_parameters(const LossFit& fit, double loss);
// The cheapest of them: the paper's least 6 N D + 2 N D_inf, found to eight digits. The larger `served`, the
// smaller the model; with nothing served it is the compute optimum. Nothing where the loss cannot be reached.
std::optional<Lifetime> lifetime_optimum(const LossFit& fit, double loss, double served);

} // namespace ringside
