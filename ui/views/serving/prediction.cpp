#include "ui/views/serving/prediction.h"

#include <fmt/format.h>

#include "core/scenario/presets.h"
#include "core/scenario/serving.h"

namespace ringside
{

namespace
{

constexpr std::string_view kBoundEngine = "bound";

const ServingEvidence& evidence_of(const Frame& frame)
{
    static const ServingEvidence none;
    return frame.presets.serving != nullptr ? frame.presets.serving->evidence : none;
}

} // namespace

Band prediction_band(const Frame& frame, const ServingEngine& engine, ServingMeasure measure)
{
    return engine.id == kBoundEngine
               ? Band{1, 1}
               : serving_band(evidence_of(frame), engine.id, frame.now.scenario, measure);
}

std::string range_words(const Frame& frame, const ServingEngine& engine, double value, ServingMeasure measure,
                        ValueWords words)
{
    if (engine.id == kBoundEngine)
    {
        return words(value) + (measure == ServingMeasure::rate ? " at most" : " at least");
    }
    const Band band = serving_band(evidence_of(frame), engine.id, frame.now.scenario, measure);
    return fmt::format("{} to {}", words(value * band.low), words(value * band.high));
}

std::string evidence_words(const Frame& frame, const ServingEngine& engine, ServingMeasure measure)
{
    return engine.id == kBoundEngine
               ? std::string("A roofline at the data sheet\u2019s rates: a bound, no prediction")
               : "80% range: " +
                     serving_evidence_words(evidence_of(frame), engine, frame.now.scenario, measure);
}

} // namespace ringside
