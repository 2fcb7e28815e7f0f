#include "ui/widgets/labels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kPad = 3;    // [design px] of a label's ground beside its words
constexpr float kBeside = 8; // [design px] of a line's name from its line

// Words that touch.
struct Stack
{
    std::size_t count = 0;
    float sum = 0; // of where the first would like to be

    float top() const { return sum / static_cast<float>(count); }
};

} // namespace

std::optional<Labels::Place> Labels::place(const Painter& p, ImVec2 at, float distance, Type type,
                                           std::string_view text) const
{
    const float w = p.width(type, text) + 2 * p.px(kPad);
    const float h = p.height(type) + p.px(2);
    const float right = at.x + distance;
    const float left = at.x - distance - w;
    const float above = at.y - distance - h;
    const float below = at.y + distance;
    const std::array<Rect, 8> places{Rect{right, at.y - h / 2, w, h}, Rect{left, at.y - h / 2, w, h},
                                     Rect{at.x - w / 2, above, w, h}, Rect{at.x - w / 2, below, w, h},
                                     Rect{right, below, w, h},        Rect{left, above, w, h},
                                     Rect{right, above, w, h},        Rect{left, below, w, h}};
    std::optional<Place> best;
    for (const Rect& r : places)
    {
        const bool inside = r.x >= bounds_.x && r.right() <= bounds_.right() && r.y >= bounds_.y &&
                            r.bottom() <= bounds_.bottom();
        if (inside && is_free(r) && !is_crossed(r))
        {
            return Place{r, false};
        }
        best = !best && inside && is_free(r) ? std::optional(Place{r, true}) : best;
    }
    return best;
}

bool Labels::put(const Painter& p, ImVec2 at, float distance, Type type, Colour colour, std::string_view text)
{
    const auto found = place(p, at, distance, type, text);
    if (found)
    {
        write(p, found->r, type, colour, text);
    }
    return found.has_value();
}

bool Labels::put_along(const Painter& p, std::span<const ImVec2> path, Type type, Colour colour,
                       std::string_view text)
{
    const float apart = std::max(p.px(kBeside), bounds_.w / 48); // of the places that are tried
    std::vector<ImVec2> places;
    for (std::size_t i = path.size(); i-- > 0;)
    {
        const ImVec2 from = i + 1 < path.size() ? path[i + 1] : path[i];
        const float length = std::hypot(path[i].x - from.x, path[i].y - from.y);
        for (float at = apart; at < length; at += apart)
        {
            const float share = at / length;
            places.emplace_back(from.x + (path[i].x - from.x) * share, from.y + (path[i].y - from.y) * share);
        }
        places.push_back(path[i]);
    }
    std::optional<Place> best;
    std::optional<ImVec2> last;
    for (const ImVec2 at : places)
    {
        const bool beyond = !(at.y >= bounds_.y - 1 && at.y <= bounds_.bottom() + 1 &&
                              at.x >= bounds_.x - 1 && at.x <= bounds_.right() + 1);
        if (beyond || (last && std::hypot(at.x - last->x, at.y - last->y) < apart - 1))
        {
            continue;
        }
        const auto found = place(p, at, p.px(kBeside), type, text);
        best = !best || (found && !found->crossed) ? found : best;
        if (best && !best->crossed)
        {
            break;
        }
        last = at;
    }
    if (best)
    {
        write(p, best->r, type, colour, text);
    }
    return best.has_value();
}

bool Labels::put_inside(const Painter& p, float x, float middle, Type type, Colour colour,
                        std::string_view text, Align align, bool sinks)
{
    const float pad = p.px(kPad);
    const float w = p.width(type, text) + 2 * pad;
    const float h = p.height(type);
    const float from = align == Align::left ? x - pad : align == Align::right ? x + pad - w : x - w / 2;
    const auto held = [](float v, float low, float high) { return std::clamp(v, low, std::max(low, high)); };
    const Rect wished{held(from, bounds_.x, bounds_.right() - w),
                      held(middle - h / 2, bounds_.y, bounds_.bottom() - h), w, h};
    Rect r = wished;
    while (sinks && is_crossed(r) && r.bottom() + h <= bounds_.bottom())
    {
        r.y += h / 2;
    }
    r = is_crossed(r) ? wished : r;
    const bool fits = w <= bounds_.w && is_free(r);
    if (fits)
    {
        write(p, r, type, colour, text);
    }
    return fits;
}

bool Labels::is_free(Rect r) const
{
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Rect& o) {
                            return r.x < o.right() && o.x < r.right() && r.y < o.bottom() && o.y < r.bottom();
                        });
}

bool Labels::is_crossed(Rect r) const
{
    // The part of the segment between the sides, and then whether it passes above or below.
    const auto crosses = [&](const Segment& s)
    {
        const auto [a, b] = s.from.x <= s.to.x ? std::pair(s.from, s.to) : std::pair(s.to, s.from);
        if (b.x < r.x || a.x > r.right())
        {
            return false;
        }
        const auto y_at = [&, a = a, b = b](float x)
        { return b.x > a.x ? a.y + (b.y - a.y) * (std::clamp(x, a.x, b.x) - a.x) / (b.x - a.x) : a.y; };
        const float enters = y_at(r.x);
        const float leaves = b.x > a.x ? y_at(r.right()) : b.y;
        return std::max(enters, leaves) >= r.y && std::min(enters, leaves) <= r.bottom();
    };
    return std::any_of(lines_.begin(), lines_.end(), crosses);
}

void Labels::write(const Painter& p, Rect r, Type type, Colour colour, std::string_view text)
{
    p.fill(r, with_alpha(p.theme.window, 0.88F), p.px(3));
    p.text(r.x + p.px(kPad), r.middle(), type, colour, text);
    taken_.push_back(r);
}

std::vector<float> spread(std::span<const float> heights, float least, float most, float step)
{
    std::vector<Stack> runs;
    for (const float height : heights)
    {
        runs.push_back({1, height});
        while (runs.size() > 1)
        {
            const Stack last = runs.back();
            Stack& before = runs[runs.size() - 2];
            const float below = step * static_cast<float>(before.count);
            if (before.top() + below <= last.top())
            {
                break;
            }
            before.sum += last.sum - below * static_cast<float>(last.count);
            before.count += last.count;
            runs.pop_back();
        }
    }
    std::vector<float> places;
    for (const Stack& run : runs)
    {
        for (std::size_t i = 0; i < run.count; ++i)
        {
            places.push_back(run.top() + step * static_cast<float>(i));
        }
    }
    // Within the field: up from its bottom, then down from its top, which counts more.
    for (std::size_t i = places.size(); i-- > 0;)
    {
        places[i] = std::min(places[i], i + 1 < places.size() ? places[i + 1] - step : most);
    }
    for (std::size_t i = 0; i < places.size(); ++i)
    {
        places[i] = std::max(places[i], i > 0 ? places[i - 1] + step : least);
    }
    return places;
}

} // namespace ringside
