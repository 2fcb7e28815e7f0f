// The compute budget: 6 N D floating-point operations are GPUs x peak x MFU x time, so any one of these
// follows from the others. Nothing about loss or about what N and D should be.
#pragma once

#include "core/base/names.h"
#include "core/base/text/term.h"
#include "core/scaling/law.h"

#include <array>
#include <string_view>

namespace ringside
{

struct Budget
{
    double parameters = 7e9;   // N, those a token passes through
    double tokens = 1e12;      // D
    double gpus = 256;         // n
    double peak_tflops = 989;  // [TFLOP/s] of one GPU, dense
    double mfu = 0.4;          // share of the peak that is the model's arithmetic
    double days = 30;          // of training, without interruptions
    double usd_per_hour = 2.5; // [USD] of one GPU
    double attention = 0;      // what its scores add, as a share of 6 N D

    // 2 operations for every parameter and token forward, 4 backward.
    double per_parameter() const { return 6 * (1 + attention); }
    double flops() const { return training_flops(parameters, tokens) * (1 + attention); }
    double delivered() const { return gpus * peak_tflops * 1e12 * mfu * days * 86400; } // [FLOP]
    double gpu_hours() const { return gpus * days * 24; }
    double usd() const { return gpu_hours() * usd_per_hour; }
};

enum class BudgetUnknown : std::uint8_t
{
    days,
    gpus,
    tokens,
    parameters,
    mfu
};
inline constexpr std::size_t kBudgetUnknowns = 5;
template <>
inline constexpr auto kNamesOf<BudgetUnknown> = names<BudgetUnknown>("days", "GPUs", "tokens", "parameters",
                                                                     "MFU");

// The budget with the unknown filled in so that what is needed is what is delivered. 0 where the others allow
// nothing, or need nothing.
Budget solved(Budget budget, BudgetUnknown unknown);
// The unknown of a solved budget with its working.
Term explain_budget(const Budget& budget, BudgetUnknown unknown);

} // namespace ringside
