// The words of a chart: names of lines at its right or beside them, and what stands at points.
#include "ui/draw/chart_record.h"
#include "ui/widgets/charts/curve_board.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/labels.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kJoint = 18; // [design px] from a line's end to its name at the right

} // namespace

void draw_chart_title(const Painter& p, Rect row, std::string_view title, std::string_view note,
                      std::string_view figure)
{
    row.w -= p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, figure, Align::right);
    row.w -= figure.empty() ? 0 : p.px(12);
    const float w = p.text_within(row.x, row.middle(), row.w, Type::small_strong, p.theme.text, title);
    const float gap = title.empty() ? 0 : p.px(12);
    if (w + gap + p.width(Type::small, note) <= row.w)
    {
        p.text(row.x + w + gap, row.middle(), Type::small, p.theme.muted, note);
    }
}

void Plot::label(PlotPoint v, std::string words, bool strong, float distance)
{
    words_.push_back({{at(v)}, distance, std::move(words), strong});
}

std::vector<Rect> Plot::names()
{
    std::vector<Words> ends;
    std::erase_if(words_, [&](Words& w) { return w.column && (ends.push_back(std::move(w)), true); });
    if (is_covered(p_, area))
    {
        return std::vector<Rect>(ends.size()); // where nothing can be pressed
    }
    const float step = p_.height(Type::small);
    std::vector<std::size_t> order(ends.size());
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        order[i] = i;
        ends[i].path.back().y = std::clamp(ends[i].path.back().y, area.y, area.bottom());
    }
    const auto height = [&](std::size_t i) { return ends[i].path.back().y; };
    std::ranges::stable_sort(order, {}, height);
    std::vector<float> heights(order.size());
    std::ranges::transform(order, heights.begin(), height);
    const std::vector<float> places = spread(heights, area.y, area.bottom(), step);
    std::vector<Rect> rects(ends.size());
    const float from = area.right() + p_.px(kJoint);
    const float most = p_.list.raw.GetClipRectMax().x - from;
    for (std::size_t k = 0; k < order.size() && places[k] <= area.bottom() + 1; ++k)
    {
        const Words& end = ends[order[k]];
        if (end.joined)
        {
            p_.line(area.right() + p_.px(2), heights[k], from - p_.px(3), places[k], words_colour(end));
        }
        const float w = p_.text_within(from, places[k], most, end.strong ? Type::small_strong : Type::small,
                                       words_colour(end), end.words);
        rects[order[k]] = {from, places[k] - step / 2, w, step};
        named_.push_back({end.words, rects[order[k]], end.curve, true});
    }
    return rects;
}

Colour Plot::words_colour(const Words& w) const
{
    return w.mark.fill != 0 ? words_in(p_.theme, w.mark) : w.strong ? p_.theme.text : p_.theme.muted;
}

void Plot::put(const Words& w)
{
    const Type type = w.strong ? Type::small_strong : Type::small;
    if (w.path.size() > 1)
    {
        if (const auto placed = labels_->put_along(p_, w.path, w.curve, type, w.mark, w.words))
        {
            named_.push_back({w.words, placed->rect, w.curve, placed->leads});
        }
        return;
    }
    const ImVec2 at = w.path.front();
    w.distance > 0
        ? labels_->put(p_, at, p_.px(w.distance), type, words_colour(w), w.words)
        : labels_->put_inside(p_, at.x, at.y, type, words_colour(w), w.words, Align::centre, w.sinks);
}

void Plot::finish()
{
    if (!room_)
    {
        return;
    }
    names();
    if (is_covered(p_, area))
    {
        words_.clear();
    }
    for (const bool strong : {true, false})
    {
        for (const Words& w : words_)
        {
            if (w.strong == strong && !w.words.empty())
            {
                put(w);
            }
        }
    }
    if (!enlarges_)
    {
        if (!is_covered(p_, area))
        {
            read_out();
        }
        record();
    }
    end_on_board(p_, *this);
}

} // namespace ringside
