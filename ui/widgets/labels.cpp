#include "ui/widgets/labels.h"

#include "core/base/result.h"

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
                                           std::string_view text, std::optional<std::size_t> curve) const
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
        if (!inside || !is_free(r))
        {
            continue;
        }
        const Worth worth = is_crossed(r)                     ? Worth::crossed
                            : !curve || is_nearest(r, *curve) ? Worth::good
                                                              : Worth::astray;
        if (!best || worth > best->worth)
        {
            best = Place{r, worth, at};
        }
        if (worth == Worth::good)
        {
            break;
        }
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

std::optional<Labels::Named> Labels::put_along(const Painter& p, std::span<const ImVec2> path,
                                               std::size_t curve, Type type, const Mark& mark,
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
        const auto found = place(p, at, p.px(kBeside), type, text, curve);
        best = !best || (found && found->worth > best->worth) ? found : best;
        if (best && best->worth == Worth::good)
        {
            break;
        }
        last = at;
    }
    if (!best)
    {
        return std::nullopt;
    }
    const Rect& r = best->r;
    const bool leads = best->worth != Worth::good;
    if (leads)
    {
        const Colour colour = mark.fill != 0 ? mark.fill : p.theme.muted;
        const ImVec2 to{std::clamp(best->at.x, r.x, r.right()), std::clamp(best->at.y, r.y, r.bottom())};
        p.list.AddLine(best->at, to, colour, p.px(1.5F));
        p.list.AddCircleFilled(best->at, p.px(3), colour);
    }
    write(p, r, type, words_in(p.theme, mark), text);
    return Named{r, leads};
}

bool Labels::put_inside(const Painter& p, float x, float middle, Type type, Colour colour,
                        std::string_view text, Align align, bool sinks)
{
    const float pad = p.px(kPad);
    const float w = p.width(type, text) + 2 * pad;
    const float h = p.height(type);
    const float from = align == Align::left ? x - pad : align == Align::right ? x + pad - w : x - w / 2;
    const auto clamped = [](float v, float low, float high)
    { return std::clamp(v, low, std::max(low, high)); };
    const Rect requested{clamped(from, bounds_.x, bounds_.right() - w),
                         clamped(middle - h / 2, bounds_.y, bounds_.bottom() - h), w, h};
    Rect r = requested;
    while (sinks && is_crossed(r) && r.bottom() + h <= bounds_.bottom())
    {
        r.y += h / 2;
    }
    r = is_crossed(r) ? requested : r;
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

bool Labels::is_crossed(Rect r, std::optional<std::size_t> but) const
{
    // The part of the segment between the sides, and then whether it passes above or below.
    const auto crosses = [&](const Segment& s)
    {
        if (but && s.curve == but)
        {
            return false;
        }
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

bool Labels::is_nearest(Rect r, std::size_t curve) const
{
    float own = 1e9F;
    for (const Segment& s : lines_)
    {
        own = s.curve == curve ? std::min(own, distance_of(r, s.from, s.to)) : own;
    }
    return !is_crossed(r.inset(-own), curve);
}

float distance_of(Rect r, ImVec2 from, ImVec2 to)
{
    const ImVec2 along{to.x - from.x, to.y - from.y};
    // The piece of it between the sides of the rectangle, by Liang and Barsky.
    float enters = 0;
    float leaves = 1;
    const auto cut = [&](float start, float step, float low, float high)
    {
        if (step == 0)
        {
            leaves = start >= low && start <= high ? leaves : -1;
            return;
        }
        const float a = (low - start) / step;
        const float b = (high - start) / step;
        enters = std::max(enters, std::min(a, b));
        leaves = std::min(leaves, std::max(a, b));
    };
    cut(from.x, along.x, r.x, r.right());
    cut(from.y, along.y, r.y, r.bottom());
    if (enters <= leaves)
    {
        return 0;
    }
    const auto to_rect = [&](ImVec2 p)
    {
        return std::hypot(std::max({r.x - p.x, 0.0F, p.x - r.right()}),
                          std::max({r.y - p.y, 0.0F, p.y - r.bottom()}));
    };
    const float length = along.x * along.x + along.y * along.y;
    const auto to_line = [&](ImVec2 p)
    {
        const float share =
            length > 0
                ? std::clamp(((p.x - from.x) * along.x + (p.y - from.y) * along.y) / length, 0.0F, 1.0F)
                : 0;
        return std::hypot(from.x + along.x * share - p.x, from.y + along.y * share - p.y);
    };
    return std::min({to_rect(from), to_rect(to), to_line({r.x, r.y}), to_line({r.right(), r.y}),
                     to_line({r.x, r.bottom()}), to_line({r.right(), r.bottom()})});
}

void Labels::write(const Painter& p, Rect r, Type type, Colour colour, std::string_view text)
{
    const float shown = static_cast<float>(colour >> 24U) / 255; // words that fade do so with their ground
    p.fill(r, with_alpha(p.theme.window, 0.88F * shown), p.px(3));
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
