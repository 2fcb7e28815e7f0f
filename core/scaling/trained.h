// Trained models, with the tokens they saw: points beside the laws. Not presets: some of them never
// published a shape.
#pragma once

#include "core/scaling/law.h"

#include <span>
#include <string_view>

namespace ringside
{

struct TrainedModel
{
    std::string_view name;
    int year;
    double parameters; // that a token passes through
    double tokens;     // seen in pre-training, repeats included
    std::string_view source;
    std::string_view preset; // id of the same model in assets/models; empty: there is none

    double flops() const { return training_flops(parameters, tokens); }
    double ratio() const { return tokens / parameters; }
};

// By year.
std::span<const TrainedModel> trained_models();

} // namespace ringside
