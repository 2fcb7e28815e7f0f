// How far computed serving is from measured rows, and how far it would be had a model not been there to fit
// to. The constants of core/scenario/serving.h are fitted to the rows of all other models, from a start that
// no row had a part in and within ranges, and then asked for the rows of the model that was left out.
//
// The fit is a descent along one constant after the other on the mean absolute logarithm of computed over
// measured, rows weighed by 1 over the square root of their model's number, TTFT by a half. Of each model,
// accelerator, engine and set at most kFittedRows are fitted to, evenly picked; all are judged.
#pragma once

#include "core/base/result.h"
#include "core/evaluate/serving_figures.h"
#include "core/scenario/presets.h"
#include "core/scenario/serving.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kServingMeasures = 3; // by ServingMeasure
inline constexpr std::int64_t kFittedRows = 6;

struct ServedRow
{
    std::string set;
    std::string name;
    Scenario scenario;
    // By ServingMeasure; 0 where it was not measured.
    std::array<double, kServingMeasures> measured{}; // [s], [s], [tokens/s] of one GPU
    std::array<double, kServingMeasures> ratio{};    // computed over measured; 0: none, or it did not fit
    std::array<double, kServingMeasures> left_out{};

    std::string kind() const; // model, accelerator, engine
};

// Rows of one set of cases, ratios computed with their own engines' constants.
Result<std::vector<ServedRow>> served_rows(const nlohmann::json& cases, const std::string& set,
                                           const Presets& presets);
// Computed over measured with these constants in place of the engine's fitted ones.
std::array<double, kServingMeasures> serving_ratios(const ServedRow& row, const ServingEngine& constants);

// The names of the constants that are fitted; the others are the engines' defaults.
std::vector<std::string> fitted_serving_constants();
// Those fitted to the rows of all models but `but`.
ServingEngine fitted_engine(const std::vector<ServedRow>& rows, const std::string& but);
// Fills in `left_out` of every row, one fit for each model.
void leave_models_out(std::vector<ServedRow>& rows);

// The absolute errors' median of rows that have it, and how many there are.
struct MedianError
{
    double median = 0;
    std::int64_t rows = 0;
};
MedianError median_error(const std::vector<const ServedRow*>& rows, ServingMeasure measure, bool left_out);

// Bands of each measure: ends that hold 80% of all models' left-out rows, widened until 80% of the rows lie
// within ends which the other models' rows alone gave. What they cover is counted with the latter.
ServingEvidence serving_evidence(const std::vector<ServedRow>& rows);

} // namespace ringside
