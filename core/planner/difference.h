// What one layout has over another: which seconds of the step went where, and what memory that takes.
#pragma once

#include "core/base/text/text.h"
#include "core/performance/step_time.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// The parts that add up to a step.
struct StepPart
{
    std::string_view name; // "the bubble"
    double StepTime::*seconds;
};
std::span<const StepPart> step_parts();

struct PartChange
{
    std::string_view part;
    double seconds = 0; // more of it; below 0: less
};

struct LayoutDifference
{
    std::string settings; // "TP 8 → 4, recompute selective → none"; empty: none differs
    StepTime from, to;
    std::vector<PartChange> parts; // that differ, in the order of step_parts(); they add up to seconds()
    double bytes = 0;              // more on the fullest GPU

    double seconds() const { return to.total() - from.total(); }
};

// Both must be valid.
LayoutDifference difference(const Scenario& from, const Scenario& to);
// "TP 8 → 4 saves 0.90 s per step, most of it of tensor communication, and takes 21 GB more."
std::string sentence_of(const LayoutDifference& difference, ByteUnit unit = ByteUnit::decimal);

} // namespace ringside
