// How sure a predicted figure of serving is, in words, next to it in every view.
#pragma once

#include "core/evaluate/serving_figures.h"
#include "ui/shell/frame/frame.h"

#include <functional>
#include <string>

namespace ringside
{

// The factors that such a range is made with; of the roofline, whose figures are bounds, 1 and 1.
Band prediction_band(const Frame& frame, const ServingEngine& engine, ServingMeasure measure);

using ValueWords = std::string (*)(double);

// "12 ms to 20 ms": where 80% of models lie that no constant had seen. Of the roofline, which is no
// prediction: "12 ms at least", or at most.
std::string range_words(const Frame& frame, const ServingEngine& engine, double value, ServingMeasure measure,
                        ValueWords words);
// What that rests on: rows, models, error.
std::string evidence_words(const Frame& frame, const ServingEngine& engine, ServingMeasure measure);

} // namespace ringside
