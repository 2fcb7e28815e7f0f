// Whether a popup of any kind is open: keys are its own then.
#pragma once

#include <imgui.h>

namespace ringside
{

inline bool any_popup_open()
{
    return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

} // namespace ringside
