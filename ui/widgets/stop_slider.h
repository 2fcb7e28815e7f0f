// A slider that rests at a list of values, evenly spaced on its track; what is typed may lie between them.
#pragma once

#include "ui/widgets/controls.h"

#include <optional>
#include <span>

namespace ringside
{

// `stops` ascend and are at most 64. Returns what it was moved to: a stop, or the typed number times
// `typed_unit` within the stops' range.
std::optional<double> stop_slider(const Painter& painter, Rect row, const char* label,
                                  const std::string& shown, std::span<const double> stops, double value,
                                  TypedEntry& entry, double typed_unit = 1);

// The same of a list that belongs together.
struct Stops
{
    const char* label;
    std::string shown;
    std::span<const double> values; // ascending
    double unit = 1;                // of what is typed: 0.01 for percent
};
// The value it stands at afterwards.
double stop_slider(const Painter& painter, Rect row, const Stops& stops, double value, TypedEntry& entry);

} // namespace ringside
