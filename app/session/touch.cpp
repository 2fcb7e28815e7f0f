#include "app/session/touch.h"

#include "ui/widgets/swipe.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr float kStill = 8;         // [units] that a finger may move and still tap
constexpr double kLongPress = 0.35; // [s] after which a finger that moves drags, whichever way
constexpr float kZoomClick = 0.15F; // of the fingers' distance, as a click of the wheel with Ctrl

float length(ImVec2 v)
{
    return std::hypot(v.x, v.y);
}

ImVec2 minus(ImVec2 a, ImVec2 b)
{
    return {a.x - b.x, a.y - b.y};
}

void press(bool down)
{
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, down);
}

void point(ImVec2 at)
{
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
}

} // namespace

void Touch::move(std::span<const ImVec2> fingers, double now)
{
    ImGui::GetIO().AddMouseSourceEvent(ImGuiMouseSource_TouchScreen);
    switch (fingers.size())
    {
    case 0:
        lift();
        break;
    case 1:
        does_ == Does::nothing&& apart_ == 0 ? begin(fingers[0], now) : one(fingers[0], now);
        break;
    default:
        two(fingers[0], fingers[1]);
        break;
    }
}

void Touch::begin(ImVec2 at, double now)
{
    does_ = Does::waits;
    began_ = now;
    from_ = last_ = at;
    point(at); // so that what lies beneath shows its read-out
}

void Touch::one(ImVec2 at, double now)
{
    const ImVec2 way = minus(at, from_);
    if (does_ == Does::waits && length(way) > kStill * ratio_)
    {
        const bool held = now - began_ > kLongPress;
        does_ = draws_ || held || std::abs(way.x) > std::abs(way.y) ? Does::drags : Does::scrolls;
        if (does_ == Does::drags)
        {
            press(true); // where it came down
        }
    }
    if (does_ == Does::drags)
    {
        point(at);
    }
    else if (does_ == Does::scrolls)
    {
        scroll(minus(at, last_));
        last_ = at;
    }
}

void Touch::two(ImVec2 a, ImVec2 b)
{
    const ImVec2 middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const float apart = std::max(length(minus(a, b)), 1.0F);
    if (std::exchange(does_, Does::pinches) == Does::drags)
    {
        press(false);
    }
    if (apart_ > 0)
    {
        scroll(minus(middle, last_));
        if (const float zoom = std::log(apart / apart_) / kZoomClick; std::abs(zoom) > 0.05F)
        {
            ImGuiIO& io = ImGui::GetIO();
            point(middle);
            io.AddKeyEvent(ImGuiMod_Ctrl, true);
            io.AddMouseWheelEvent(0, zoom);
            io.AddKeyEvent(ImGuiMod_Ctrl, false);
            apart_ = apart;
        }
    }
    else
    {
        apart_ = apart;
    }
    last_ = middle;
}

void Touch::lift()
{
    if (does_ == Does::waits)
    {
        press(true);
    }
    if (does_ == Does::waits || does_ == Does::drags)
    {
        press(false);
    }
    does_ = Does::nothing;
    apart_ = 0;
}

void Touch::cancel()
{
    if (does_ == Does::drags)
    {
        press(false);
    }
    does_ = Does::nothing;
    apart_ = 0;
}

void Touch::scroll(ImVec2 by) const
{
    const float click = kSwipedByClick * ratio_;
    ImGui::GetIO().AddMouseWheelEvent(by.x / click, by.y / click);
}

} // namespace ringside
