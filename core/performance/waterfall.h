// From the arithmetic people count at the peak they count it against, row by row down to the step. The rows
// follow a convention of utilization(); their sum is the step exactly under every one of them.
//
// Where the model's arithmetic is not what kernels compute (6N counts the embedding, all scores count the
// masked ones), a row of its own, negative if need be, closes the gap, so that the rows of every convention
// add up to the step exactly.
#pragma once

#include "core/performance/step_time.h"

#include <optional>
#include <vector>

namespace ringside
{

enum class RowKind : std::uint8_t
{
    useful,   // counted by the numerator
    sparsity, // what a dense step takes longer than the sparse peak that it is divided by
    miscount, // what kernels make beyond what is counted; below 0 where they make less
    lost
};

struct WaterfallRow
{
    RowKind kind = RowKind::lost;
    Slice slice = Slice::model; // of useful and lost
    double seconds = 0;         // below 0 for a miscount only
    double from = 0;            // [s] where it starts: the sum of the rows before
    double left = 1;            // utilization were there no row after this one; 1 for useful ones

    double to() const { return from + seconds; }
    bool operator==(const WaterfallRow&) const = default;
};

// Rows of zero seconds are left out, but for the first.
std::vector<WaterfallRow> waterfall(const StepTime& step, Numerator numerator, PeakKind peak);

// What a second is lost to.
enum class Limit : std::uint8_t
{
    kernels, // products and attention below the peak
    memory,  // bytes of element-wise kernels and of the optimizer
    launch,  // kernels start and end, the host launches the next
    node_link,
    network,
    bubble,
    recompute,
    uneven,
    host // an optimizer that is offloaded
};
inline constexpr std::size_t kLimits = 9;

// Seconds by Limit; with the model's and attention's arithmetic they make up the step.
std::array<double, kLimits> losses(const Scenario& scenario, const StepTime& step);
// The largest of them.
Limit limit_of(const Scenario& scenario, const StepTime& step);
// Whether the slice's traffic leaves the node.
bool leaves_node(const Scenario& scenario, Slice slice);
// The share of the peak that products and attention reach while they run.
double kernel_efficiency(const StepTime& step);

// What a slice is, in words and as a formula, and the constants of the calibration it hangs on, by name.
struct SliceNote
{
    std::string_view says;
    std::string_view formula;
    std::string_view source;
    std::vector<std::string_view> constants;
};
SliceNote note_of(Slice slice);

} // namespace ringside
