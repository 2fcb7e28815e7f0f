// The pages of the optimizer view and what a user has set in them.
#pragma once

#include "core/training/batch.h"
#include "core/training/critical_batch.h"
#include "core/training/descent.h"
#include "core/training/learning_rate.h"
#include "core/training/mup.h"
#include "ui/shell/paged_view.h"

namespace ringside
{

struct OptimizerState
{
    RateSchedule rate;         // its end follows the scenario's steps
    double gx = 2.4, gy = 1.8; // the gradient that is clipped
    double limit = 1;          // max_grad_norm
    Valley valley{.across = 300, .angle = 0.1};
    DescentOptions descent{.rate = 0.05};
    bool best_rates = true;      // each optimizer at the slider's rate that serves it best; else all at one
    double loss = kUsualLoss;    // [nats per token] at which the critical batch is asked for
    std::int64_t muon_steps = 5; // Newton-Schulz
    double narrow = kProxyWidth; // width of the model that was tuned
    bool root = false;           // rates follow the root of the batch, else the batch
};
using OptimizerRoom = PageRoom<OptimizerState>;

extern const Page<OptimizerState> rate_page, clip_page, descent_page, critical_page, muon_page, width_page;

// 0.0003 -> "3e-4"
std::string learning_rate_words(double rate);

} // namespace ringside
