#include "ui/widgets/chart.h"

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

double ChartAxis::share(double value) const
{
    return logarithmic ? std::log(std::max(value, 1e-300) / low) / std::log(high / low)
                       : (value - low) / (high - low);
}

double ChartAxis::at(double share) const
{
    return logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
}

double ChartAxis::held(double value) const
{
    return std::clamp(value, low, std::max(low, high));
}

namespace
{

constexpr double kBeyond = 10; // how far out of the area a point may lie, in areas
constexpr float kRight = 12;   // [design px] beside the area, for x's last number
constexpr float kNumber = 13;  // [design px] from y's numbers to the area: a handle at its edge has room
constexpr float kPad = 3;      // [design px] of a label's ground beside its words
constexpr float kBeside = 8;   // [design px] of a line's name from its line

std::vector<double> linear_ticks(const ChartAxis& axis, int most)
{
    const double rough = (axis.high - axis.low) / most;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    const double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    std::vector<double> ticks;
    for (double k = std::ceil(axis.low / step - 1e-9); k * step <= axis.high + step * 1e-6; ++k)
    {
        ticks.push_back(k * step + 0.0); // never -0
    }
    return ticks;
}

std::vector<double> log_ticks(const ChartAxis& axis, int most)
{
    // One more than `most` still has room.
    const auto every = static_cast<int>(std::ceil(std::log10(axis.high / axis.low) / (most + 1)));
    std::vector<double> fine;
    std::vector<double> decades;
    for (int k = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10, k) <= axis.high; ++k)
    {
        for (const double part : {1.0, 2.0, 5.0})
        {
            const double v = part * std::pow(10, k);
            if (v < axis.low * (1 - 1e-9) || v > axis.high * (1 + 1e-9))
            {
                continue;
            }
            fine.push_back(v);
            if (part == 1 && k % every == 0)
            {
                decades.push_back(v);
            }
        }
    }
    return fine.size() <= static_cast<std::size_t>(most) + 1 ? fine : decades;
}

std::vector<double> binary_ticks(const ChartAxis& axis, int most)
{
    const auto first = static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9));
    const auto last = static_cast<int>(std::floor(std::log2(axis.high) + 1e-9));
    std::vector<double> ticks;
    for (int k = first; k <= last; k += std::max(1, (last - first + most - 1) / most))
    {
        ticks.push_back(std::exp2(k));
    }
    return ticks;
}

int ticks_within(const Painter& p, float length, float each)
{
    return std::max(2, static_cast<int>(length / p.px(each)));
}

// "10.0 ms" as "10 ms".
std::string without_end_zeros(std::string words)
{
    const std::size_t point = words.find('.');
    if (point != std::string::npos)
    {
        const std::size_t end = std::min(words.find_first_not_of("0123456789", point + 1), words.size());
        const std::size_t last = words.find_last_not_of('0', end - 1);
        const std::size_t kept = last == point ? point : last + 1;
        words.erase(kept, end - kept);
    }
    return words;
}

// The numbers of an axis: without zeros at their ends, but where a "2.00" stands beside a "1.95".
std::vector<std::string> numbers_of(std::span<const double> ticks, bool logarithmic, const AxisWords& words)
{
    std::vector<std::string> all;
    std::vector<std::string> brief;
    for (const double v : ticks)
    {
        all.push_back(words(v));
        brief.push_back(without_end_zeros(all.back()));
    }
    const bool whole = std::all_of(brief.begin(), brief.end(),
                                   [](const std::string& s) { return s.find('.') == std::string::npos; });
    return logarithmic || whole ? brief : all;
}

float beyond(double share)
{
    return static_cast<float>(std::clamp(share, -kBeyond, 1 + kBeyond));
}

} // namespace

std::vector<double> chart_ticks(const ChartAxis& axis, int most)
{
    if (!(axis.high > axis.low))
    {
        return {};
    }
    most = std::max(1, most);
    return !axis.logarithmic ? linear_ticks(axis, most)
           : axis.base == 2  ? binary_ticks(axis, most)
                             : log_ticks(axis, most);
}

void Chart::cut_left(float room)
{
    left = room;
    area.cut_left(room);
}

bool Chart::drawable(const Painter& p) const
{
    return area.w > p.px(40) && area.h > p.px(24);
}

float Chart::at_x(double value) const
{
    return area.x + area.w * beyond(x.share(value));
}

float Chart::at_y(double value) const
{
    return area.bottom() - area.h * beyond(y.share(value));
}

ImVec2 Chart::at(double vx, double vy) const
{
    return {std::clamp(at_x(vx), area.x, area.right()), std::clamp(at_y(vy), area.y, area.bottom())};
}

double Chart::x_of(float pixel) const
{
    return x.at(std::clamp(static_cast<double>((pixel - area.x) / area.w), 0.0, 1.0));
}

double Chart::y_of(float pixel) const
{
    return y.at(std::clamp(static_cast<double>((area.bottom() - pixel) / area.h), 0.0, 1.0));
}

float chart_left(const Painter& p, const ChartAxis& y, const AxisWords& words)
{
    float widest = 0;
    for (const std::string& number : numbers_of(chart_ticks(y, 8), y.logarithmic, words))
    {
        widest = std::max(widest, p.width(Type::mono_small, number));
    }
    return widest + p.px(kNumber + 4);
}

Chart chart_in(const Painter& p, Rect whole, float left, ChartAxis x, ChartAxis y, bool below)
{
    Chart c{whole, x, y, left};
    c.area.cut_top(p.height(Type::small) + p.px(8));
    c.area.cut_bottom(below ? p.height(Type::mono_small) + p.height(Type::small) + p.px(7) : 0);
    c.area.cut_left(left);
    c.area.cut_right(p.px(kRight));
    if (c.area.w < p.px(80) || c.area.h < p.px(24))
    {
        c.area.h = 0;
    }
    return c;
}

void draw_chart_title(const Painter& p, Rect row, std::string_view title, std::string_view says)
{
    const float w = p.text_within(row.x, row.middle(), row.w, Type::small_strong, p.theme.text, title);
    if (w + p.px(12) + p.width(Type::small, says) <= row.w)
    {
        p.text(row.x + w + p.px(12), row.middle(), Type::small, p.theme.muted, says);
    }
}

void draw_chart_x(const Painter& p, const Chart& c, std::string_view title, const AxisWords& words)
{
    const Theme& t = p.theme;
    const float line = c.area.bottom() + p.height(Type::mono_small) / 2 + p.px(3);
    float taken = c.area.x - c.left;
    const auto ticks = chart_ticks(c.x, ticks_within(p, c.area.w, 64));
    const auto numbers = words ? numbers_of(ticks, c.x.logarithmic, words) : std::vector<std::string>();
    for (std::size_t i = 0; i < ticks.size(); ++i)
    {
        const double v = ticks[i];
        p.line(c.at_x(v), c.area.y, c.at_x(v), c.area.bottom(), t.grid);
        const std::string text = words ? numbers[i] : "";
        const float half = p.width(Type::mono_small, text) / 2;
        const float centre = std::min(c.at_x(v), c.area.right() + p.px(kRight) - half);
        if (centre - half > taken)
        {
            p.text(centre, line, Type::mono_small, t.muted, text, Align::centre);
            taken = centre + half + p.px(8);
        }
    }
    p.line(c.area.x, c.area.bottom(), c.area.right(), c.area.bottom(), t.line);
    const float below = c.area.bottom() + p.height(Type::mono_small) + p.height(Type::small) / 2 + p.px(5);
    p.text_within(c.area.x, below, c.area.w, Type::small, t.muted, title);
}

void draw_chart_y(const Painter& p, const Chart& c, std::string_view title, const AxisWords& words)
{
    const Theme& t = p.theme;
    float above = c.area.bottom() + p.px(1000);
    const auto ticks = chart_ticks(c.y, ticks_within(p, c.area.h, 34));
    const auto numbers = numbers_of(ticks, c.y.logarithmic, words);
    for (std::size_t i = 0; i < ticks.size(); ++i)
    {
        const float y = c.at_y(ticks[i]);
        p.line(c.area.x, y, c.area.right(), y, t.grid);
        if (y < above - p.height(Type::mono_small))
        {
            p.text(c.area.x - p.px(kNumber), y, Type::mono_small, t.muted, numbers[i], Align::right);
            above = y;
        }
    }
    const float room = c.left - p.px(4);
    p.text_within(c.area.x - room, c.area.y - p.height(Type::small) / 2 - p.px(6), c.area.w + room,
                  Type::small, t.muted, title);
}

void draw_chart_line(const Painter& p, const Chart& c, std::span<const ChartPoint> points, Colour colour,
                     float thickness)
{
    p.list.PushClipRect({c.area.x, c.area.y - p.px(2)}, {c.area.right(), c.area.bottom() + p.px(1)}, true);
    std::vector<ImVec2> run;
    const auto flush = [&]
    {
        if (run.size() > 1)
        {
            p.list.AddPolyline(run.data(), static_cast<int>(run.size()), colour, 0, p.px(thickness));
        }
        run.clear();
    };
    for (const ChartPoint& point : points)
    {
        if (!std::isfinite(point.x) || !std::isfinite(point.y))
        {
            flush();
            continue;
        }
        // Points on one another would make the joint between them swell.
        const ImVec2 at{c.at_x(point.x), c.at_y(point.y)};
        if (run.empty() || std::fabs(at.x - run.back().x) >= 0.5F || std::fabs(at.y - run.back().y) >= 0.5F)
        {
            run.push_back(at);
        }
    }
    flush();
    p.list.PopClipRect();
}

void draw_chart_label(const Painter& p, Rect inside, ImVec2 at, std::string_view words, bool strong)
{
    const Type type = strong ? Type::small_strong : Type::small;
    const float w = p.width(type, words);
    if (w > inside.w)
    {
        return;
    }
    const float half = p.height(type) / 2;
    const float x = std::clamp(at.x, inside.x, inside.right() - w);
    const float y = std::clamp(at.y, inside.y + half, std::max(inside.y + half, inside.bottom() - half));
    p.fill({x - p.px(kPad), y - half, w + 2 * p.px(kPad), 2 * half}, with_alpha(p.theme.window, 0.88F));
    p.text(x, y, type, strong ? p.theme.text : p.theme.muted, words);
}

void FreeLabels::avoid(const Chart& c, std::span<const ChartPoint> line)
{
    for (std::size_t i = 1; i < line.size(); ++i)
    {
        const Segment s{{c.at_x(line[i - 1].x), c.at_y(line[i - 1].y)},
                        {c.at_x(line[i].x), c.at_y(line[i].y)}};
        if (std::isfinite(s.from.y) && std::isfinite(s.to.y))
        {
            lines_.push_back(s);
        }
    }
}

std::optional<FreeLabels::Place> FreeLabels::place(const Painter& p, ImVec2 at, float distance, Type type,
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

bool FreeLabels::put(const Painter& p, ImVec2 at, float distance, Type type, Colour colour,
                     std::string_view text)
{
    const auto found = place(p, at, distance, type, text);
    if (found)
    {
        write(p, found->r, type, colour, text);
    }
    return found.has_value();
}

bool FreeLabels::put_along(const Painter& p, const Chart& c, std::span<const ChartPoint> line, Type type,
                           Colour colour, std::string_view text)
{
    std::optional<Place> best;
    float next = c.area.right() + 1; // points nearer to the last that was tried are left out
    for (std::size_t i = line.size(); i-- > 0 && (!best || best->crossed);)
    {
        const ImVec2 at{c.at_x(line[i].x), c.at_y(line[i].y)};
        if (!std::isfinite(at.y) || at.y < c.area.y || at.y > c.area.bottom() || at.x > next)
        {
            continue;
        }
        const auto found = place(p, at, p.px(kBeside), type, text);
        best = !best || (found && !found->crossed) ? found : best;
        next = at.x - p.px(kBeside);
    }
    if (best)
    {
        write(p, best->r, type, colour, text);
    }
    return best.has_value();
}

bool FreeLabels::put_inside(const Painter& p, float x, float middle, Type type, Colour colour,
                            std::string_view text, Align align)
{
    const float pad = p.px(kPad);
    const float w = p.width(type, text) + 2 * pad;
    const float h = p.height(type);
    const float from = align == Align::left ? x - pad : align == Align::right ? x + pad - w : x - w / 2;
    const auto held = [](float v, float low, float high) { return std::clamp(v, low, std::max(low, high)); };
    const Rect r{held(from, bounds_.x, bounds_.right() - w),
                 held(middle - h / 2, bounds_.y, bounds_.bottom() - h), w, h};
    const bool fits = w <= bounds_.w && is_free(r);
    if (fits)
    {
        write(p, r, type, colour, text);
    }
    return fits;
}

bool FreeLabels::is_free(Rect r) const
{
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Rect& o) {
                            return r.x < o.right() && o.x < r.right() && r.y < o.bottom() && o.y < r.bottom();
                        });
}

bool FreeLabels::is_crossed(Rect r) const
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

void FreeLabels::write(const Painter& p, Rect r, Type type, Colour colour, std::string_view text)
{
    p.fill(r, with_alpha(p.theme.window, 0.88F), p.px(3));
    p.text(r.x + p.px(kPad), r.middle(), type, colour, text);
    taken_.push_back(r);
}

ChartGrip draw_chart_grip(const Painter& p, ImVec2 at, const char* label, Colour colour)
{
    ChartGrip grip;
    const float reach = p.px(14);
    const Press pressed = press(p, {at.x - reach, at.y - reach, 2 * reach, 2 * reach}, label, 14);
    const bool lit = pressed.hovered || pressed.held;
    if (lit)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (pressed.held && ImGui::IsMouseDragging(0, 1))
    {
        grip.to = ImGui::GetIO().MousePos;
    }
    grip.steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
    grip.hovered = pressed.hovered;
    p.list.AddCircleFilled(at, p.px(7), p.theme.window);
    p.list.AddCircleFilled(at, p.px(lit ? 7 : 6), colour);
    p.list.AddCircle(at, p.px(lit ? 12 : 10), colour, 0, p.px(2));
    return grip;
}

Colour line_colour(const Ink& ink)
{
    return ink.edge != 0 ? ink.edge : ink.fill;
}

std::string count_words(double value)
{
    const auto scaled = [&](double unit, const char* sign)
    { return plain_number(std::round(value / unit * 1000) / 1000) + sign; };
    return value >= 1e18   ? scaled(1e18, " E")
           : value >= 1e15 ? scaled(1e15, " P")
           : value >= 1e12 ? scaled(1e12, " T")
           : value >= 1e9  ? scaled(1e9, " B")
           : value >= 1e6  ? scaled(1e6, " M")
           : value >= 1e3  ? scaled(1e3, " k")
                           : plain_number(value);
}

std::string power_words(double value)
{
    return figure(value, 1);
}

} // namespace ringside
