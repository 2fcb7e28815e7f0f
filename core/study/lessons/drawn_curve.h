// A curve that a class drew before it saw the real one, and how near it came. A pure function of points, of
// the real curve and of the axes: everything is measured on the paper, in shares of the axes, so that a
// logarithmic axis counts in logarithms and what lies beyond the axes counts as far as it could be drawn.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

struct CurvePoint
{
    double x = 0;
    double y = 0;

    bool operator==(const CurvePoint&) const = default;
};

struct CurveAxes
{
    double x_low = 0; // above 0 where it is logarithmic
    double x_high = 1;
    double y_low = 0;
    double y_high = 1;
    bool log_x = false;
    bool log_y = false;

    // Whether something can be drawn between them.
    bool valid() const;
    // 0 at low, 1 at high, beyond them outside; not finite for what a logarithmic axis cannot show.
    double share_x(double x) const;
    double share_y(double y) const;
    double x_at(double share) const;
    double y_at(double share) const;
};

inline constexpr int kCurveColumns = 64; // places along x that a hand has points at, and one more
inline constexpr std::size_t kMostHandPoints = 2 * kCurveColumns;

// Draws a straight line into a curve, over what it had between the two: a point at each column in between, in
// ascending x.
void draw_to(std::vector<CurvePoint>& hand, const CurveAxes& axes, CurvePoint from, CurvePoint to);
// The curve's height at x, on straight lines on the paper; nothing outside of its points.
std::optional<double> height_at(std::span<const CurvePoint> curve, const CurveAxes& axes, double x);

// Where a curve bends: the point that lies farthest from the straight line between its ends, as "Kneedle"
// finds it (Satopaa, Albrecht, Irwin, Raghavan, 2011, section III).
enum class BendKind
{
    none, // as good as straight
    knee,
    minimum,
    peak
};
struct Bend
{
    BendKind kind = BendKind::none;
    double x = 0;
};

struct CurveScore
{
    // Mean vertical distance where both are: the area between them over the stretch, as a share of the
    // curve's range. A nearly flat curve has a tenth of the axis for a range.
    double away = 0;
    double covered = 0; // of the curve's stretch along x, 0 to 1; 0: a single point
    // How far the straight line that fits best goes up, over the stretch that was drawn, in ranges of the
    // real curve.
    double rise = 0;
    double true_rise = 0;
    std::optional<double> power, true_power; // the slope where both axes are logarithmic: y grows as x to it
    Bend bend, true_bend;

    // 0: the same curve. What was not drawn counts as a whole range away.
    double error() const { return away * covered + (1 - covered); }
};

// Nothing where nothing was drawn below the curve, or where there is no curve.
std::optional<CurveScore> score_curve(std::span<const CurvePoint> hand, std::span<const CurvePoint> truth,
                                      const CurveAxes& axes);
// In the words of a lecturer: how far away, the slope, the knee. `x_words` writes a value of x.
std::string score_words(const CurveScore& score, const CurveAxes& axes,
                        const std::function<std::string(double)>& x_words);
// "6% away"
std::string away_words(const CurveScore& score);
// From the nearest to the farthest, by index; those without a score are left out.
std::vector<std::size_t> ranked(std::span<const std::optional<CurveScore>> scores);

} // namespace ringside
