#include "core/study/lessons/drawn_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLeastRange = 0.1; // of the axis: what a nearly flat curve is measured by
constexpr int kSamples = 128;       // of slope and bend
constexpr double kStraight = 0.15;  // of the range: what bends less is straight, what rises less is flat
constexpr double kTurns = 0.1;      // of the range, beyond both ends: a minimum or a peak
constexpr double kSamePlace = 0.08; // of the x axis: the bend is where it should be
constexpr double kSameSlope = 1.33; // a steeper or flatter factor is still right
constexpr double kSnap = 0.25;      // of a column: closer points are the same

double share_of_axis(double value, double low, double high, bool log)
{
    return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double value_on_axis(double share, double low, double high, bool log)
{
    return log ? low * std::pow(high / low, share) : low + (high - low) * share;
}

bool is_axis(double low, double high, bool log)
{
    return std::isfinite(low) && std::isfinite(high) && std::isfinite(high - low) && high > low &&
           (!log || low > 0);
}

// A point on the paper.
struct OnPaper
{
    double u = 0;
    double v = 0;
};
using Path = std::vector<OnPaper>;

double between(const OnPaper& a, const OnPaper& b, double u)
{
    return b.u > a.u ? a.v + (b.v - a.v) * (u - a.u) / (b.u - a.u) : b.v;
}

// Ascending, without what is not finite or lies beside the axes; too high or too low is at the paper's edge.
Path on_paper(std::span<const CurvePoint> points, const CurveAxes& axes)
{
    Path all;
    for (const CurvePoint& p : points)
    {
        const OnPaper at{axes.share_x(p.x), axes.share_y(p.y)};
        if (std::isfinite(at.u) && std::isfinite(at.v))
        {
            all.push_back({at.u, std::clamp(at.v, -1e9, 1e9)});
        }
    }
    std::ranges::stable_sort(all, {}, &OnPaper::u);
    Path path;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        for (const double edge : {0.0, 1.0}) // where it comes in and where it leaves
        {
            if (i > 0 && all[i - 1].u < edge && all[i].u > edge)
            {
                path.push_back({edge, between(all[i - 1], all[i], edge)});
            }
        }
        if (all[i].u >= 0 && all[i].u <= 1)
        {
            path.push_back(all[i]);
        }
    }
    for (OnPaper& p : path)
    {
        p.v = std::clamp(p.v, 0.0, 1.0);
    }
    return path;
}

// The height at a place, for a path with a point on either side.
double height_on(const Path& path, double u)
{
    const auto next = std::ranges::upper_bound(path, u, {}, &OnPaper::u);
    return next == path.begin() ? path.front().v
           : next == path.end() ? path.back().v
                                : between(*(next - 1), *next, u);
}

// The area between two paths from one place to another, straight between all of their points. Each is
// straight within a piece, so two places inside tell its ends, even where a path jumps there.
double area_between(const Path& a, const Path& b, double from, double to)
{
    std::vector<double> places{from, to};
    for (const Path* path : {&a, &b})
    {
        for (const OnPaper& p : *path)
        {
            if (p.u > from && p.u < to)
            {
                places.push_back(p.u);
            }
        }
    }
    std::ranges::sort(places);
    double area = 0;
    for (std::size_t i = 0; i + 1 < places.size(); ++i)
    {
        const double wide = places[i + 1] - places[i];
        const double first = places[i] + wide / 4;
        const double second = places[i] + wide * 3 / 4;
        const double near = height_on(a, first) - height_on(b, first);
        const double far = height_on(a, second) - height_on(b, second);
        const double left = 1.5 * near - 0.5 * far;
        const double right = 1.5 * far - 0.5 * near;
        const double sum = std::abs(left) + std::abs(right);
        const double mean = left * right >= 0 ? sum / 2 : (left * left + right * right) / (2 * sum);
        area += mean * wide;
    }
    return area;
}

double sample_at(int sample, double from, double to)
{
    return from + (to - from) * (sample + 0.5) / kSamples;
}

// The least squares line's slope, v per u.
double slope_of(const Path& path, double from, double to)
{
    const double mean_u = (from + to) / 2;
    double uv = 0;
    double uu = 0;
    for (int i = 0; i < kSamples; ++i)
    {
        const double u = sample_at(i, from, to);
        uv += (u - mean_u) * height_on(path, u);
        uu += (u - mean_u) * (u - mean_u);
    }
    return uv / uu;
}

Bend bend_of(const Path& path, double from, double to, const CurveAxes& axes)
{
    const double first = height_on(path, from);
    const double last = height_on(path, to);
    double least = std::min(first, last);
    double most = std::max(first, last);
    double farthest = 0;
    OnPaper at;
    for (int i = 0; i < kSamples; ++i)
    {
        const double u = sample_at(i, from, to);
        const double v = height_on(path, u);
        const double away = std::abs(v - between({from, first}, {to, last}, u));
        least = std::min(least, v);
        most = std::max(most, v);
        at = away > farthest ? OnPaper{u, v} : at;
        farthest = std::max(farthest, away);
    }
    const double range = std::max(kLeastRange, most - least);
    if (farthest < kStraight * range)
    {
        return {};
    }
    const BendKind kind = at.v < std::min(first, last) - kTurns * range   ? BendKind::minimum
                          : at.v > std::max(first, last) + kTurns * range ? BendKind::peak
                                                                          : BendKind::knee;
    return {kind, axes.x_at(at.u)};
}

std::string percent_words(double share)
{
    return share < 0.01 ? "under 1%" : share > 1.005 ? "over 100%" : fmt::format("{:.0f}%", share * 100);
}

std::string_view bend_name(BendKind kind)
{
    return kind == BendKind::minimum ? "minimum" : kind == BendKind::peak ? "peak" : "knee";
}

std::string slope_words(const CurveScore& s)
{
    const bool flat = std::abs(s.rise) < kStraight;
    const bool truly_flat = std::abs(s.true_rise) < kStraight;
    if (truly_flat)
    {
        return flat         ? "Flat overall, as it should be."
               : s.rise > 0 ? "It should not rise overall."
                            : "It should not fall overall.";
    }
    if (!flat && s.rise * s.true_rise < 0)
    {
        return s.rise > 0 ? "It should fall, not rise." : "It should rise, not fall.";
    }
    const double ratio = s.rise / s.true_rise;
    const std::string powers =
        s.power && s.true_power ? fmt::format(": power {:.1f}, not {:.1f}", *s.power, *s.true_power) : "";
    return ratio > kSameSlope       ? fmt::format("Too steep{}.", powers)
           : ratio < 1 / kSameSlope ? fmt::format("Too flat{}.", powers)
                                    : "The slope is right.";
}

std::string bend_words(const CurveScore& s, const CurveAxes& axes,
                       const std::function<std::string(double)>& x_words)
{
    if (s.true_bend.kind == BendKind::none)
    {
        return s.bend.kind == BendKind::none ? ""
                                             : fmt::format("There is no {} in it.", bend_name(s.bend.kind));
    }
    const std::string_view name = bend_name(s.true_bend.kind);
    if (s.bend.kind != s.true_bend.kind)
    {
        return fmt::format("The {} at {} is missing.", name, x_words(s.true_bend.x));
    }
    const double later = axes.share_x(s.bend.x) - axes.share_x(s.true_bend.x);
    return std::abs(later) <= kSamePlace
               ? fmt::format("The {} is in the right place.", name)
               : fmt::format("The {} comes too {}: at {}, not {}.", name, later < 0 ? "early" : "late",
                             x_words(s.bend.x), x_words(s.true_bend.x));
}

} // namespace

bool CurveAxes::valid() const
{
    return is_axis(x_low, x_high, log_x) && is_axis(y_low, y_high, log_y);
}

double CurveAxes::share_x(double x) const
{
    return share_of_axis(x, x_low, x_high, log_x);
}

double CurveAxes::share_y(double y) const
{
    return share_of_axis(y, y_low, y_high, log_y);
}

double CurveAxes::x_at(double share) const
{
    return value_on_axis(share, x_low, x_high, log_x);
}

double CurveAxes::y_at(double share) const
{
    return value_on_axis(share, y_low, y_high, log_y);
}

void draw_to(std::vector<CurvePoint>& hand, const CurveAxes& axes, CurvePoint from, CurvePoint to)
{
    const auto column_of = [&](double x)
    { return static_cast<int>(std::lround(std::clamp(axes.share_x(x), 0.0, 1.0) * kCurveColumns)); };
    if (!axes.valid() || !std::isfinite(axes.share_x(from.x)) || !std::isfinite(axes.share_x(to.x)))
    {
        return;
    }
    if (to.x < from.x)
    {
        std::swap(from, to);
    }
    const OnPaper a{axes.share_x(from.x), axes.share_y(from.y)};
    const OnPaper b{axes.share_x(to.x), axes.share_y(to.y)};
    const int first = column_of(from.x);
    const int last = column_of(to.x);
    constexpr double kColumn = 1.0 / kCurveColumns;
    std::erase_if(hand,
                  [&](const CurvePoint& p)
                  {
                      const double u = axes.share_x(p.x);
                      return u > (first - kSnap) * kColumn && u < (last + kSnap) * kColumn;
                  });
    auto next = std::ranges::lower_bound(hand, axes.x_at(first * kColumn), {}, &CurvePoint::x);
    for (int i = first; i <= last && hand.size() < kMostHandPoints; ++i)
    {
        const double u = i * kColumn;
        const double v = between(a, b, std::clamp(u, a.u, b.u));
        const CurvePoint put{axes.x_at(u), axes.y_at(std::clamp(v, 0.0, 1.0))};
        if (std::isfinite(put.y))
        {
            next = hand.insert(next, put) + 1;
        }
    }
}

std::optional<double> height_at(std::span<const CurvePoint> curve, const CurveAxes& axes, double x)
{
    const Path path = on_paper(curve, axes);
    const double u = axes.share_x(x);
    constexpr double kRounding = 1e-9;
    if (path.empty() || !(u >= path.front().u - kRounding) || !(u <= path.back().u + kRounding))
    {
        return std::nullopt;
    }
    return axes.y_at(height_on(path, u));
}

std::optional<CurveScore> score_curve(std::span<const CurvePoint> hand, std::span<const CurvePoint> truth,
                                      const CurveAxes& axes)
{
    if (!axes.valid())
    {
        return std::nullopt;
    }
    const Path drawn = on_paper(hand, axes);
    const Path real = on_paper(truth, axes);
    if (drawn.empty() || real.empty() || !(real.back().u > real.front().u))
    {
        return std::nullopt;
    }
    const double from = std::max(drawn.front().u, real.front().u);
    const double to = std::min(drawn.back().u, real.back().u);
    if (from > to)
    {
        return std::nullopt; // nothing was drawn where the curve is
    }
    const auto [least, most] = std::ranges::minmax(real, {}, &OnPaper::v);
    const double range = std::max(kLeastRange, most.v - least.v);
    CurveScore score;
    if (!(to > from))
    {
        score.away = std::abs(height_on(drawn, from) - height_on(real, from)) / range;
        return score;
    }
    score.covered = (to - from) / (real.back().u - real.front().u);
    score.away = area_between(drawn, real, from, to) / (to - from) / range;
    const double slope = slope_of(drawn, from, to);
    const double true_slope = slope_of(real, from, to);
    score.rise = slope * (to - from) / range;
    score.true_rise = true_slope * (to - from) / range;
    if (axes.log_x && axes.log_y)
    {
        const double power = std::log(axes.y_high / axes.y_low) / std::log(axes.x_high / axes.x_low);
        score.power = slope * power;
        score.true_power = true_slope * power;
    }
    score.bend = bend_of(drawn, from, to, axes);
    score.true_bend = bend_of(real, from, to, axes);
    return score;
}

std::string away_words(const CurveScore& score)
{
    return percent_words(score.error()) + " away";
}

std::string score_words(const CurveScore& score, const CurveAxes& axes,
                        const std::function<std::string(double)>& x_words)
{
    if (score.covered <= 0)
    {
        return fmt::format("A single point, {} of the curve's range away.", percent_words(score.away));
    }
    constexpr double kAll = 0.95;
    std::string words = fmt::format("{} of the curve's range away on average", percent_words(score.away));
    words += score.covered < kAll ? fmt::format(", over {} of its length. ", percent_words(score.covered))
                                  : std::string(". ");
    words[0] = words[0] == 'u' ? 'U' : words[0] == 'o' ? 'O' : words[0]; // "under 1%", "over 100%"
    words += slope_words(score);
    const std::string bend = bend_words(score, axes, x_words);
    return bend.empty() ? words : words + " " + bend;
}

std::vector<std::size_t> ranked(std::span<const std::optional<CurveScore>> scores)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scores.size(); ++i)
    {
        if (scores[i])
        {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]->error(); });
    return order;
}

} // namespace ringside
