#include "ui/draw/icons.h"

#include <algorithm>
#include <numbers>

namespace ringside
{

namespace
{

constexpr float kTurn = 2 * std::numbers::pi_v<float>;

ImVec2 on_circle(ImVec2 centre, float radius, float turn)
{
    return {centre.x + radius * std::sin(turn * kTurn), centre.y - radius * std::cos(turn * kTurn)};
}

void stacks(const Painter& p, ImVec2 c, Colour colour)
{
    constexpr std::array<int, 3> kHeights{2, 3, 1};
    const float u = p.px(7);
    for (std::size_t column = 0; column < kHeights.size(); ++column)
    {
        for (int row = 0; row <= kHeights[column]; ++row)
        {
            const Rect r{c.x - 1.6F * u + static_cast<float>(column) * (u + 1),
                         c.y + p.px(7) - static_cast<float>(row) * p.px(6), u, p.px(5)};
            p.fill(r, row == 0 ? colour : with_alpha(colour, 0.6F));
        }
    }
}

void lanes(const Painter& p, ImVec2 c, Colour colour)
{
    for (int row = 0; row < 3; ++row)
    {
        const float x = c.x - p.px(12) + static_cast<float>(row) * p.px(5);
        p.fill({x, c.y - p.px(11) + static_cast<float>(row) * p.px(8), p.px(14), p.px(6)},
               row == 1 ? with_alpha(colour, 0.6F) : colour);
    }
}

void hexagon(const Painter& p, ImVec2 c, Colour colour)
{
    std::array<ImVec2, 6> corners;
    for (std::size_t i = 0; i < corners.size(); ++i)
    {
        corners[i] = on_circle(c, p.px(11), static_cast<float>(i) / 6 + 1.0F / 12);
        p.list.AddCircleFilled(corners[i], p.px(3.5F), colour);
    }
    p.list.AddPolyline(corners.data(), 6, colour, ImDrawFlags_Closed, p.px(1.5F));
}

void panes(const Painter& p, ImVec2 c, Colour colour)
{
    const float u = p.px(11);
    p.outline({c.x - u, c.y - u, 2 * u, u - 1}, colour, p.px(2));
    p.outline({c.x - u, c.y + 1, u - 1, u}, colour, p.px(2));
    p.list.AddCircle({c.x + u / 2 + 1, c.y + u / 2 + 1}, u / 2, colour, 0, p.px(2));
}

void cells(const Painter& p, ImVec2 c, Colour colour)
{
    for (int i = 0; i < 9; ++i)
    {
        const int row = i / 3;
        const Rect r{c.x - p.px(11) + static_cast<float>(i % 3) * p.px(8),
                     c.y - p.px(11) + static_cast<float>(row) * p.px(8), p.px(6), p.px(6)};
        p.fill(r, i % 2 == 0 ? colour : with_alpha(colour, 0.6F));
    }
}

void curve(const Painter& p, ImVec2 c, Colour colour)
{
    const float u = p.px(11);
    const std::array axes{ImVec2{c.x - u, c.y - u}, ImVec2{c.x - u, c.y + u}, ImVec2{c.x + u, c.y + u}};
    p.list.AddPolyline(axes.data(), 3, colour, 0, p.px(2));
    const std::array bend{ImVec2{c.x - u * 0.55F, c.y + u * 0.45F}, ImVec2{c.x - u * 0.1F, c.y + u * 0.25F},
                          ImVec2{c.x + u * 0.3F, c.y - u * 0.15F}, ImVec2{c.x + u, c.y - u}};
    p.list.AddPolyline(bend.data(), 4, colour, 0, p.px(2));
}

void falling(const Painter& p, ImVec2 c, Colour colour)
{
    const float u = p.px(11);
    const std::array points{ImVec2{c.x - u, c.y - u}, ImVec2{c.x - u * 0.4F, c.y + u * 0.1F},
                            ImVec2{c.x, c.y - u * 0.35F}, ImVec2{c.x + u * 0.45F, c.y + u * 0.7F},
                            ImVec2{c.x + u, c.y + u * 0.75F}};
    p.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, p.px(2));
}

void book(const Painter& p, ImVec2 c, Colour colour)
{
    const Rect left{c.x - p.px(12), c.y - p.px(10), p.px(12), p.px(20)};
    p.outline(left, colour, p.px(2), p.px(1));
    p.outline({c.x - p.px(1), left.y, p.px(12), left.h}, colour, p.px(2), p.px(1));
}

void cut(const Painter& p, ImVec2 c, Colour colour)
{
    const float u = p.px(11);
    p.fill({c.x - u, c.y - u, u * 0.85F, 2 * u}, with_alpha(colour, 0.6F));
    p.outline({c.x + u * 0.15F, c.y - u, u * 0.85F, u * 0.85F}, colour, p.px(2));
    p.outline({c.x + u * 0.15F, c.y + u * 0.15F, u * 0.85F, u * 0.85F}, colour, p.px(2));
}

void knobs(const Painter& p, ImVec2 c, Colour colour)
{
    constexpr std::array<float, 3> kHeights{0.35F, -0.5F, 0.05F};
    for (std::size_t i = 0; i < kHeights.size(); ++i)
    {
        const float x = c.x + p.px(9) * (static_cast<float>(i) - 1);
        p.line(x, c.y - p.px(11), x, c.y + p.px(11), with_alpha(colour, 0.6F), p.px(2));
        p.list.AddCircleFilled({x, c.y + kHeights[i] * p.px(11)}, p.px(3.5F), colour);
    }
}

void warning(const Painter& p, ImVec2 c, Colour colour)
{
    const float u = p.px(12);
    p.list.AddTriangle({c.x, c.y - u * 0.95F}, {c.x + u, c.y + u * 0.8F}, {c.x - u, c.y + u * 0.8F}, colour,
                       p.px(2));
    p.line(c.x, c.y - u * 0.3F, c.x, c.y + u * 0.25F, colour, p.px(2));
    p.list.AddCircleFilled({c.x, c.y + u * 0.55F}, p.px(1.3F), colour);
}

void answers(const Painter& p, ImVec2 c, Colour colour)
{
    const float u = p.px(11);
    p.outline({c.x - u, c.y - u, 1.5F * u, 0.9F * u}, colour, p.px(2), p.px(2));
    p.fill({c.x - 0.5F * u, c.y + 0.1F * u, 1.5F * u, 0.9F * u}, with_alpha(colour, 0.6F), p.px(2));
}

void bars(const Painter& p, ImVec2 c, Colour colour)
{
    constexpr std::array<float, 4> kLengths{1, 0.75F, 0.5F, 0.3F};
    for (std::size_t i = 0; i < kLengths.size(); ++i)
    {
        p.fill({c.x - p.px(11), c.y - p.px(11) + static_cast<float>(i) * p.px(6), p.px(22) * kLengths[i],
                p.px(4)},
               i % 2 == 0 ? colour : with_alpha(colour, 0.6F));
    }
}

void target(const Painter& p, ImVec2 c, Colour colour)
{
    p.list.AddCircle(c, p.px(11), with_alpha(colour, 0.6F), 0, p.px(2));
    p.list.AddCircle(c, p.px(6), colour, 0, p.px(2));
    p.list.AddCircleFilled(c, p.px(2), colour);
}

struct Icon
{
    std::string_view group;
    void (*draw)(const Painter&, ImVec2, Colour);
};

constexpr std::array kIcons{
    Icon{"Overview", panes},      Icon{"Memory", stacks},   Icon{"Pipeline", lanes},
    Icon{"Network", hexagon},     Icon{"Parallelism", cut}, Icon{"Performance", bars},
    Icon{"Planner", cells},       Icon{"Training", knobs},  Icon{"Scaling", curve},
    Icon{"Reliability", warning}, Icon{"Serving", answers}, Icon{"Post-training", target},
    Icon{"Lab", falling},         Icon{"Study", book}};

} // namespace

void group_icon(const Painter& painter, ImVec2 centre, std::string_view group, Colour colour)
{
    const auto* const icon = std::ranges::find(kIcons, group, &Icon::group);
    if (icon != kIcons.end())
    {
        icon->draw(painter, centre, colour);
        return;
    }
    painter.text(centre.x, centre.y, Type::title, colour, group.substr(0, 1), Align::centre);
}

void logo(const Painter& painter, ImVec2 centre)
{
    for (int i = 0; i < 8; ++i)
    {
        const float light = i < 4 ? 1.0F : 1.0F - 0.15F * static_cast<float>(i - 3);
        painter.list.AddCircleFilled(on_circle(centre, painter.px(11), static_cast<float>(i) / 8),
                                     painter.px(3.2F), with_alpha(painter.theme.text, light));
    }
}

} // namespace ringside
