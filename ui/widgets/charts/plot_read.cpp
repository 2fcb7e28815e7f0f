// What is read out of a chart: the point of a line, or the dot, that is pointed at.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/draw/chart_record.h"
#include "ui/draw/marks.h"
#include "ui/widgets/charts/curve_board.h"
#include "ui/widgets/charts/plot_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kReach = 14;        // [design px] of the mouse to a point or line
constexpr float kBetweenStops = 16; // [design px] of two places that the arrow keys go to

// A number for each chart of a window in a frame, the same in the next frame.
int chart_number()
{
    constexpr int kMany = 256;
    constexpr int kFrames = 1 << 20;
    int& last = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("###charts"), 0);
    const int frame = ImGui::GetFrameCount() % kFrames;
    last = last / kMany == frame ? last + 1 : frame * kMany;
    return last % kMany;
}

} // namespace

std::string value_words(const PlotAxis& axis, double value)
{
    const double rounded = value == 0 ? 0 : std::stod(fmt::format("{:.4g}", value));
    const std::string words = axis.words ? axis.words(rounded) : std::string();
    const bool coarse = words.empty() || words == axis.words(rounded * 1.04);
    return coarse ? three_digits(value) : words;
}

bool Plot::on_handle(ImVec2 place) const
{
    return std::ranges::any_of(handles_, [place](const Rect& r) { return r.contains(place); });
}

void Plot::list_dots(std::vector<PlotPoint> dots) const
{
    std::ranges::stable_sort(dots, {}, &PlotPoint::x);
    for (const PlotPoint& v : dots)
    {
        const ImVec2 place = at(v);
        if (inside(v) && area.inset(1).contains(place) && !on_handle(place))
        {
            p_.mark({place.x - 1, place.y - 1, 2, 2});
        }
    }
}

void Plot::list_marks() const
{
    std::vector<PlotPoint> dots;
    std::ranges::transform(dots_, std::back_inserter(dots), &Reading::at);
    if (!picks_)
    {
        list_dots(std::move(dots));
    }
    for (const Curve& curve : curves_)
    {
        const int number = p_.look.marks != nullptr ? ++p_.look.marks->curves : 0;
        ImVec2 last{-1e9F, -1e9F};
        for (const PlotPoint& v : curve.points)
        {
            const bool shown = curve.mark.fill != 0 && std::isfinite(v.x) && std::isfinite(v.y) &&
                               inside(v) && area.inset(1).contains(at(v));
            const ImVec2 place = shown ? at(v) : last;
            if (shown && std::hypot(place.x - last.x, place.y - last.y) >= p_.px(kBetweenStops) &&
                !on_handle(place))
            {
                p_.mark({place.x - 1, place.y - 1, 2, 2}, number);
                last = place;
            }
        }
    }
}

std::optional<Plot::Reading> Plot::reading_at(ImVec2 mouse) const
{
    std::optional<Reading> found;
    float nearest = p_.px(kReach);
    for (const Reading& dot : dots_)
    {
        const float away = std::hypot(at_x(dot.at.x) - mouse.x, at_y(dot.at.y) - mouse.y);
        if (inside(dot.at) && away <= nearest)
        {
            nearest = away;
            found = dot;
        }
    }
    if (found)
    {
        return found; // a dot lies on its line
    }
    for (const Curve& curve : curves_)
    {
        for (std::size_t i = 0; curve.mark.fill != 0 && i + 1 < curve.points.size(); ++i)
        {
            const ImVec2 a{at_x(curve.points[i].x), at_y(curve.points[i].y)};
            const ImVec2 b{at_x(curve.points[i + 1].x), at_y(curve.points[i + 1].y)};
            const ImVec2 along{b.x - a.x, b.y - a.y};
            const float length = along.x * along.x + along.y * along.y;
            const float share =
                length > 0
                    ? std::clamp(((mouse.x - a.x) * along.x + (mouse.y - a.y) * along.y) / length, 0.0F, 1.0F)
                    : 0;
            const ImVec2 on{a.x + along.x * share, a.y + along.y * share};
            const float away = std::hypot(on.x - mouse.x, on.y - mouse.y);
            if (away < nearest) // never of what is not finite
            {
                nearest = away;
                found = {{x_of(on.x), y_of(on.y)}, curve.mark, curve.name};
            }
        }
    }
    return found;
}

void Plot::show(const Reading& r)
{
    const ImVec2 place = at(r.at);
    p_.list.AddCircle(place, p_.px(7), p_.theme.window, 0, p_.px(4));
    p_.list.AddCircle(place, p_.px(7), p_.theme.text, 0, p_.px(2));
    const std::string heading = r.name.empty() ? title_ : r.name;
    const auto titled = [](std::string_view title, std::string_view other)
    { return std::string(title.empty() ? other : title); };
    tip(heading.empty() ? "Here" : heading,
        std::array{TipLine{titled(x.title, "at"), value_words(x, r.at.x)},
                   TipLine{titled(y.title, heading == title_ || title_.empty() ? "value" : title_),
                           value_words(y, r.at.y), r.mark.fill}});
}

void Plot::read_out()
{
    if (!touch_)
    {
        touch(fmt::format("###chart {}", chart_number()).c_str());
    }
    list_marks();
    if (tip_shown_ || touch_->held || p_.look.no_tips || tip_shows() || !pointed())
    {
        return;
    }
    if (const auto found = reading_at(ImGui::GetIO().MousePos))
    {
        show(*found);
    }
}

void Plot::record() const
{
    if (CurveBoard* board = board_of(p_))
    {
        std::vector<BoardCurve> curves;
        for (const Curve& curve : curves_)
        {
            std::vector<CurvePoint> points = board_points(*this, curve.points);
            if (curve.mark.fill != 0 && !points.empty())
            {
                curves.push_back({curve.name, std::move(points)});
            }
        }
        board->charts.push_back({area, x, y, title_, std::move(curves)});
    }
    if (p_.look.record == nullptr)
    {
        return;
    }
    Rect seen = area;
    const ImVec2 low = p_.list.raw.GetClipRectMin();
    const ImVec2 high = p_.list.raw.GetClipRectMax();
    seen.cut_left(std::max(0.0F, low.x - area.x));
    seen.cut_top(std::max(0.0F, low.y - area.y));
    seen.cut_right(std::max(0.0F, area.right() - high.x));
    seen.cut_bottom(std::max(0.0F, area.bottom() - high.y));
    ChartRecord::Chart chart{seen, {}, {}, handles_, named_};
    for (const Curve& curve : curves_)
    {
        chart.curves.push_back({curve.name, curve.rule, !curve.rule.empty()});
        for (const PlotPoint& v : curve.points)
        {
            // What is not finite breaks the path as it breaks the line.
            const bool there = std::isfinite(v.x) && std::isfinite(v.y);
            if (curve.mark.fill != 0)
            {
                chart.curves.back().path.emplace_back(there ? at_x(v.x) : NAN, there ? at_y(v.y) : NAN);
            }
        }
    }
    for (const Reading& dot : dots_)
    {
        if (inside(dot.at))
        {
            chart.dots.push_back(at(dot.at));
        }
    }
    p_.look.record->charts.push_back(std::move(chart));
}

} // namespace ringside
