#include "ui/views/message/line_ends.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Names that touch are one run, in the middle of their lines.
struct Run
{
    std::size_t count = 0;
    float sum = 0; // of where the run's first would like to be

    float top() const { return sum / static_cast<float>(count); }
};

std::vector<float> places_of(const std::vector<LineEnd>& ends, float least, float most, float step)
{
    std::vector<Run> runs;
    for (const LineEnd& end : ends)
    {
        runs.push_back({1, end.y});
        while (runs.size() > 1)
        {
            const Run last = runs.back();
            Run& before = runs[runs.size() - 2];
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
    for (const Run& run : runs)
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

} // namespace

void draw_line_ends(const Painter& p, Rect field, std::vector<LineEnd> ends)
{
    std::stable_sort(ends.begin(), ends.end(), [](const LineEnd& a, const LineEnd& b) { return a.y < b.y; });
    const float step = p.height(Type::small);
    const std::vector<float> places = places_of(ends, field.y, field.bottom(), step);
    const float from = field.right() + p.px(2);
    const bool joins = field.w >= p.px(40); // else the names want all the room there is
    const float x = field.right() + p.px(joins ? 18 : 8);
    const float most = std::min(p.px(kLineEndsRoom - 18), p.list.raw.GetClipRectMax().x - x);
    for (std::size_t i = 0; i < ends.size() && places[i] <= field.bottom() + 1; ++i)
    {
        const LineEnd& end = ends[i];
        const Colour colour = end.strong ? p.theme.text : p.theme.muted;
        if (end.joined && joins)
        {
            p.line(from, end.y, x - p.px(3), places[i], p.theme.muted);
        }
        p.text_within(x, places[i], most, end.strong ? Type::small_strong : Type::small, colour, end.name);
    }
}

} // namespace ringside
