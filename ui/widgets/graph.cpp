#include "ui/widgets/graph.h"

#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kBeyond = 4; // how far out of the area a point may lie, in areas

double linear_step(double span, int wanted)
{
    const double rough = span / std::max(1, wanted);
    const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-300))));
    const double ratio = rough / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

std::vector<double> powers(const GraphAxis& axis, int wanted)
{
    const double low = std::min(axis.from, axis.to);
    const double high = std::max(axis.from, axis.to);
    const double base = axis.base == 2 || std::log10(high / low) < 2 ? 2 : 10;
    const auto first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-9));
    const auto last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-9));
    const int every = std::max(1, (last - first) / std::max(1, wanted));
    std::vector<double> all;
    for (int i = first; i <= last; i += every)
    {
        all.push_back(std::pow(base, i));
    }
    return all;
}

} // namespace

double GraphAxis::share(double v) const
{
    if (log)
    {
        const double held_up = std::max(v, 1e-300);
        return std::clamp(std::log(held_up / from) / std::log(to / from), -kBeyond, 1 + kBeyond);
    }
    return std::clamp((v - from) / (to - from), -kBeyond, 1 + kBeyond);
}

double GraphAxis::value(double share) const
{
    return log ? from * std::pow(to / from, share) : from + (to - from) * share;
}

double GraphAxis::held(double v) const
{
    return std::clamp(v, std::min(from, to), std::max(from, to));
}

std::vector<double> round_values(const GraphAxis& axis, int wanted)
{
    if (axis.log)
    {
        return powers(axis, wanted);
    }
    const double low = std::min(axis.from, axis.to);
    const double high = std::max(axis.from, axis.to);
    const double step = linear_step(high - low, wanted);
    std::vector<double> all;
    const double first = std::ceil(low / step - 1e-9);
    for (double i = first; i * step <= high + step * 1e-6 && all.size() < 64; ++i)
    {
        all.push_back(i == 0 ? 0 : i * step);
    }
    return all;
}

void draw_y_axis(const Painter& p, const Graph& g, const TickWords& words)
{
    const int wanted = std::clamp(static_cast<int>(g.area.h / p.px(40)), 1, 8);
    float taken = g.area.bottom() + 1e3F;
    for (const double v : round_values(g.y, wanted))
    {
        const float y = g.py(v);
        p.line(g.area.x, y, g.area.right(), y, p.theme.grid);
        if (y < taken - p.height(Type::mono_small))
        {
            p.text(g.area.x - p.px(8), y, Type::mono_small, p.theme.muted, words(v), Align::right);
            taken = y;
        }
    }
}

void draw_x_axis(const Painter& p, const Graph& g, const TickWords& words)
{
    const int wanted = std::clamp(static_cast<int>(g.area.w / p.px(104)), 1, 12);
    const float middle = g.area.bottom() + p.height(Type::mono_small) / 2 + p.px(5);
    float taken = -1e9F;
    for (const double v : round_values(g.x, wanted))
    {
        const float x = g.px(v);
        p.line(x, g.area.bottom(), x, g.area.bottom() + p.px(4), p.theme.line);
        const std::string says = words(v);
        const float half = p.width(Type::mono_small, says) / 2;
        if (x - half > taken)
        {
            p.text(x, middle, Type::mono_small, p.theme.muted, says, Align::centre);
            taken = x + half + p.px(8);
        }
    }
    p.line(g.area.x, g.area.bottom(), g.area.right(), g.area.bottom(), p.theme.line);
}

void draw_graph_title(const Painter& p, Rect row, std::string_view title, std::string_view says)
{
    const float w = p.text_within(row.x, row.middle(), row.w, Type::small_strong, p.theme.text, title);
    if (w + p.px(12) + p.width(Type::small, says) <= row.w)
    {
        p.text(row.x + w + p.px(12), row.middle(), Type::small, p.theme.muted, says);
    }
}

void draw_curve(const Painter& p, const Graph& g, std::span<const GraphPoint> points, CurveStroke stroke)
{
    std::vector<ImVec2> line;
    for (const GraphPoint& point : points)
    {
        const ImVec2 at = g.at(point.x, point.y);
        if (line.empty() || std::fabs(at.x - line.back().x) >= 0.5F ||
            std::fabs(at.y - line.back().y) >= 0.5F)
        {
            line.push_back(at);
        }
    }
    const float edge = p.px(stroke.thickness);
    p.list.PushClipRect({g.area.x - edge, g.area.y - edge}, {g.area.right() + edge, g.area.bottom() + edge},
                        true);
    if (stroke.dashed)
    {
        for (std::size_t i = 0; i + 1 < line.size(); ++i)
        {
            p.dashed(line[i].x, line[i].y, line[i + 1].x, line[i + 1].y, stroke.colour,
                     p.px(stroke.thickness));
        }
    }
    else if (line.size() > 1)
    {
        p.list.AddPolyline(line.data(), static_cast<int>(line.size()), stroke.colour, 0,
                           p.px(stroke.thickness));
    }
    p.list.PopClipRect();
}

void draw_label(const Painter& p, Rect inside, ImVec2 at, std::string_view words, bool strong)
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
    p.fill({x - p.px(3), y - half, w + p.px(6), 2 * half}, with_alpha(p.theme.window, 0.85F));
    p.text(x, y, type, strong ? p.theme.text : p.theme.muted, words);
}

Grip draw_grip(const Painter& p, ImVec2 at, const char* label)
{
    const float reach = p.px(12);
    const Press pressed = press(p, {at.x - reach, at.y - reach, 2 * reach, 2 * reach}, label, 12);
    const bool lit = pressed.hovered || pressed.held;
    p.list.AddCircleFilled(at, p.px(lit ? 9 : 7), p.theme.text);
    p.list.AddCircle(at, p.px(lit ? 9 : 7), p.theme.window, 0, p.px(1.5F));
    Grip grip{pressed.held && ImGui::IsMouseDown(0), pressed.hovered, 0};
    if (pressed.focused)
    {
        grip.steps = arrow_steps(ImGui::GetItemID());
    }
    return grip;
}

} // namespace ringside
