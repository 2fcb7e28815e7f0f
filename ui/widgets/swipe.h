// How a finger scrolls: it turns the mouse's wheel (app/session/touch.h), and pinching turns it with Ctrl
// held.
#pragma once

#include <imgui.h>

namespace ringside
{

inline constexpr float kSwipedByClick = 80; // [design px] of one click of the wheel, five lines of text

// Whether the wheel of this frame was turned by a finger that scrolls; what zooms by the wheel leaves it.
inline bool is_swipe()
{
    const ImGuiIO& io = ImGui::GetIO();
    return io.MouseSource == ImGuiMouseSource_TouchScreen && !io.KeyCtrl;
}

} // namespace ringside
