// `ringside scaling`: what a compute budget buys by every published law: loss, optimum, days and dollars.
#pragma once

#include "app/commands.h"

namespace ringside
{

// Numbers are typed as people write them ("70B", "15T", "5.76e23"); empty: not given.
struct ScalingOptions
{
    std::string compute;    // [FLOP]
    std::string parameters; // N
    std::string tokens;     // D
    std::string unique;     // tokens there are, of which D are repeats
    std::string served;     // tokens read and written over the model's life
    std::string gpus;
    std::string gpu;   // id of a preset
    std::string mfu;   // 0 to 1, or 40%
    std::string price; // [USD] of a GPU's hour
};

int run_scaling(const CommonOptions& common, const ScalingOptions& options);

} // namespace ringside
