#include "core/evaluate/zoom/path.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace ringside
{

ZoomFrame frame_in(const ZoomArea& area, double ratio)
{
    constexpr double kMargin = 0.94;
    const double w = kMargin * std::min(area.w, area.h / ratio);
    return {area.x + (area.w - w) / 2, area.y + (area.h - w * ratio) / 2, w};
}

ZoomPath::ZoomPath(std::vector<ZoomFrame> frames, double ratio) : frames_(std::move(frames)), ratio_(ratio)
{
    assert(
        std::all_of(frames_.begin(), frames_.end(), [](const ZoomFrame& f) { return f.w > 0 && f.w < 1; }));
}

std::size_t ZoomPath::level_at(double height) const
{
    const double last = frames_.empty() ? 0 : deepest() - 1;
    return static_cast<std::size_t>(std::clamp(std::floor(height), 0.0, last));
}

double ZoomPath::share(double height) const
{
    const double f = std::clamp(height - static_cast<double>(level_at(height)), 0.0, 1.0);
    return f * f * (3 - 2 * f);
}

ZoomFrame ZoomPath::frame(std::size_t level, double height) const
{
    if (frames_.empty())
    {
        return {};
    }
    std::size_t at = level_at(height);
    const ZoomFrame& child = frames_[at];
    // The window in frame `at`: its upper left corner goes to the child's as its width shrinks.
    const double w = std::pow(child.w, share(height));
    const double gone = (1 - w) / (1 - child.w);
    ZoomFrame shown{-child.x * gone / w, -child.y * gone / w, 1 / w};
    for (; at < level; ++at)
    {
        const ZoomFrame& inner = frames_[at];
        shown = {shown.x + inner.x * shown.w, shown.y + inner.y * shown.w, inner.w * shown.w};
    }
    for (; at > level; --at)
    {
        const ZoomFrame& inner = frames_[at - 1];
        const double outer = shown.w / inner.w;
        shown = {shown.x - inner.x * outer, shown.y - inner.y * outer, outer};
    }
    return shown;
}

double ZoomPath::way(double from, double to) const
{
    const std::size_t level = level_at(std::min(from, to));
    const ZoomFrame a = frame(level, from);
    const ZoomFrame b = frame(level, to);
    double most = 0;
    // The map from one to the other is linear, so the corner that goes furthest goes furthest of all.
    for (const double x : {0.0, 1.0})
    {
        for (const double y : {0.0, ratio_})
        {
            const double times = b.w / a.w;
            most = std::max(
                {most, std::fabs(b.x + (x - a.x) * times - x), std::fabs(b.y + (y - a.y) * times - y)});
        }
    }
    return most;
}

double ZoomPath::towards(double from, double to, double most) const
{
    // Never further than a level: beyond it, what was in sight is too far off to be measured.
    double far = std::clamp(to, from - 1, from + 1);
    if (way(from, far) <= most)
    {
        return far;
    }
    double near = from;
    for (int i = 0; i < 48; ++i)
    {
        const double middle = (near + far) / 2;
        (way(from, middle) <= most ? near : far) = middle;
    }
    return near;
}

double ZoomPath::magnified(double height, double times) const
{
    if (frames_.empty())
    {
        return height;
    }
    double left = std::log(times);
    double at = std::clamp(height, 0.0, deepest());
    const double step = left > 0 ? 1 : -1;
    while (left != 0 && (step > 0 ? at < deepest() : at > 0))
    {
        const double edge = step > 0 ? std::floor(at) + 1 : std::ceil(at) - 1;
        const double deep = -std::log(frames_[static_cast<std::size_t>(std::min(at, edge))].w);
        const double gone = std::min(std::fabs(left), std::fabs(edge - at) * deep);
        at = gone < std::fabs(left) ? edge : at + step * gone / deep;
        left = gone < std::fabs(left) ? left - step * gone : 0;
    }
    return at;
}

} // namespace ringside
