// The points of a chart, and what can be pressed and dragged in it.
#include "ui/draw/marks.h"
#include "ui/widgets/charts/curve_board.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/labels.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kNear = 14; // [design px] of the mouse to a point

} // namespace

void Plot::draw_dot(ImVec2 at, const PlotDot& look, bool lit) const
{
    if (awaits_guesses(p_, area))
    {
        return;
    }
    const float r = p_.px(look.radius + (lit ? 2.0F : 0.0F));
    const auto [fill, edge] = look.colour;
    switch (look.shape)
    {
    case PlotShape::disc:
        p_.list.AddCircleFilled(at, r, fill);
        if (edge != 0 || look.radius >= 4)
        {
            p_.list.AddCircle(at, r, edge != 0 ? edge : p_.theme.window);
        }
        break;
    case PlotShape::ring:
        p_.list.AddCircleFilled(at, r, with_alpha(p_.theme.window, 0.7F));
        p_.list.AddCircle(at, r, fill, 0, p_.px(2));
        break;
    case PlotShape::cross:
        p_.list.AddLine({at.x - r, at.y - r}, {at.x + r, at.y + r}, fill, p_.px(1.5F));
        p_.list.AddLine({at.x - r, at.y + r}, {at.x + r, at.y - r}, fill, p_.px(1.5F));
        break;
    case PlotShape::diamond:
        const std::array corners{ImVec2{at.x, at.y - r * 1.2F}, ImVec2{at.x + r * 1.2F, at.y},
                                 ImVec2{at.x, at.y + r * 1.2F}, ImVec2{at.x - r * 1.2F, at.y}};
        p_.list.AddQuadFilled(corners[0], corners[1], corners[2], corners[3], fill);
        if (edge != 0)
        {
            p_.list.AddPolyline(corners.data(), 4, edge, ImDrawFlags_Closed, 1);
        }
        break;
    }
    if (look.circled)
    {
        p_.list.AddCircle(at, r + p_.px(4), p_.theme.text, 0, p_.px(2));
    }
}

void Plot::dot(PlotPoint v, const PlotDot& look)
{
    const ImVec2 place = at(v);
    const float r = p_.px(look.radius + 1);
    draw_dot(place, look, false);
    labels_->take({place.x - r, place.y - r, 2 * r, 2 * r});
    dots_.push_back({v, look.colour, look.name});
}

void Plot::speck(PlotPoint v, const PlotDot& look)
{
    draw_dot(at(v), look, false);
    dots_.push_back({v, look.colour, look.name});
}

Press Plot::ask(PlotPoint v, float radius, const std::string& id, std::string_view tip)
{
    if (awaits_guesses(p_, area))
    {
        return {};
    }
    const ImVec2 place = at(v);
    const float design = std::max(9.0F, radius);
    const float reach = p_.px(design);
    const Rect r{place.x - reach, place.y - reach, 2 * reach, 2 * reach};
    const Press pressed = press(p_, r, id.c_str(), design);
    handles_.push_back(r);
    if (!pressed.held)
    {
        tooltip(p_, tip);
    }
    labels_->take(r.inset(p_.px(2)));
    return pressed;
}

Press Plot::dot(PlotPoint v, const PlotDot& look, const std::string& id, std::string_view tip)
{
    const Press pressed = ask(v, look.radius, id, tip);
    draw_dot(at(v), look, pressed.hovered);
    return pressed;
}

const Press& Plot::touch(const char* id)
{
    ImGui::SetNextItemAllowOverlap();
    ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true); // the keyboard goes to the marks
    touch_ = press(p_, area, id, 3);
    ImGui::PopItemFlag();
    return *touch_;
}

bool Plot::pointed() const
{
    return (touch_->hovered || on_rule_) && !p_.look.no_tips;
}

PlotPick Plot::pick(std::span<const PlotPoint> points, const char* id)
{
    if (awaits_guesses(p_, area))
    {
        return {};
    }
    const Press pressed = touch(id);
    list_dots({points.begin(), points.end()});
    picks_ = true;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    PlotPick pick;
    float nearest = p_.px(kNear);
    for (std::size_t i = 0; pointed() && i < points.size(); ++i)
    {
        const float distance = std::hypot(at_x(points[i].x) - mouse.x, at_y(points[i].y) - mouse.y);
        if (inside(points[i]) && distance < nearest)
        {
            nearest = distance;
            pick.at = i;
        }
    }
    if (pick.at)
    {
        const ImVec2 place = at(points[*pick.at]);
        p_.list.AddCircle(place, p_.px(10), p_.theme.window, 0, p_.px(4));
        p_.list.AddCircle(place, p_.px(10), p_.theme.text, 0, p_.px(2));
        const bool entered = p_.look.marks != nullptr && p_.look.marks->entered && p_.walks_in(area);
        pick.clicked = pressed.clicked || entered;
        tip_shown_ = true;
    }
    return pick;
}

PlotMove Plot::moved(const Press& pressed, PlotPoint from) const
{
    PlotMove move{{}, 0, pressed.hovered, from, x.scale != PlotScale::linear, y.scale != PlotScale::linear};
    if (pressed.held && ImGui::IsMouseDragging(0, 1))
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        move.to = {x_of(mouse.x), y_of(mouse.y)};
    }
    move.steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
    return move;
}

PlotMove Plot::grip(PlotPoint v, const char* id, std::string words)
{
    if (awaits_guesses(p_, area))
    {
        return {};
    }
    const ImVec2 place = at(v);
    const PlotGrip grip = draw_grip(p_, place, id, p_.theme.text);
    handles_.push_back({place.x - p_.px(14), place.y - p_.px(14), p_.px(28), p_.px(28)});
    labels_->take({place.x - p_.px(12), place.y - p_.px(12), p_.px(24), p_.px(24)});
    if (!words.empty())
    {
        words_.insert(words_.begin(), {{place}, 16, std::move(words), true});
    }
    PlotMove move{
        {}, grip.steps, grip.hovered, v, x.scale != PlotScale::linear, y.scale != PlotScale::linear};
    if (grip.to)
    {
        move.to = {x_of(grip.to->x), y_of(grip.to->y)};
    }
    return move;
}

PlotField Plot::field(const char* id)
{
    if (awaits_guesses(p_, area))
    {
        return {};
    }
    const Press pressed = touch(id);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return {pressed.hovered, pressed.held && ImGui::IsMouseDown(0), {x_of(mouse.x), y_of(mouse.y)}};
}

void Plot::tip(std::string_view heading, std::span<const TipLine> lines, std::string_view foot) const
{
    if (!is_covered(p_, area))
    {
        tip_card(p_, area, ImGui::GetIO().MousePos, heading, lines, foot);
    }
    tip_shown_ = true;
}

PlotGrip draw_grip(const Painter& p, ImVec2 at, const char* label, Colour colour)
{
    PlotGrip grip;
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

} // namespace ringside
