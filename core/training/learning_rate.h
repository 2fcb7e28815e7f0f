// The learning rate of every step of a run, the factor that clips a gradient, and what a rate becomes when
// the batch changes. One formula for the pictures and the trainer.
//
// The last warmup step has the peak, so step t of a textbook that starts at zero is step t - 1 here. A run
// has tokens / tokens per step steps, so a change of batch changes warmup and decay in steps. WSD decays on
// a straight line (the paper allows other shapes); the inverse square root ignores the final share.
#pragma once

#include "core/base/names.h"

#include <cstdint>
#include <string_view>

namespace ringside
{

enum class Decay : std::uint8_t
{
    constant,
    cosine,       // half a cosine (Loshchilov and Hutter 2017, arXiv 1608.03983, equation 5, no restarts)
    linear,       // a straight line
    inverse_sqrt, // peak sqrt(warmup / (step + 1)), without an end (Vaswani et al. 2017, arXiv 1706.03762)
    wsd           // stable, then a straight line (Hu et al. 2024, arXiv 2404.06395)
};
inline constexpr std::size_t kDecays = 5;
template <>
inline constexpr auto kNamesOf<Decay> = names<Decay>("constant", "cosine", "linear", "inverse sqrt", "WSD");

// Steps count from 0. Up a line over `warmup` steps, whose last has the peak; then down until step `end`.
struct RateSchedule
{
    double peak = 3e-4;
    double final_share = 0.1;   // of the peak, from `end` on; 0 to 1
    std::int64_t warmup = 2000; // 0: none
    std::int64_t end = 100000;  // not beyond warmup: the rate stays at its peak
    double stable = 0.8;        // WSD: share of the steps to `end` at which the decay begins
    Decay decay = Decay::cosine;

    bool operator==(const RateSchedule&) const = default;
};

double learning_rate(const RateSchedule& schedule, std::int64_t step);
// What a gradient of this norm is multiplied by: min(1, limit / norm); 1 for a limit of 0, which is none
// (Pascanu et al. 2013, arXiv 1211.5063, algorithm 1).
double clip_factor(double norm, double limit);

// A rate tuned at one batch, for another: linear (Goyal et al. 2017, arXiv 1706.02677, for SGD) or
// by the square root (Malladi et al. 2022, arXiv 2205.10287, for Adam). Batches above 0.
double linear_scaled(double rate, double batch, double to);
double sqrt_scaled(double rate, double batch, double to);

} // namespace ringside
