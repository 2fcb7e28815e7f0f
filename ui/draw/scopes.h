// Every ImGui Begin/End and Push/Pop pair as a scope, so that no early return can leave one open.
#pragma once

#include <imgui.h>

namespace ringside
{

class FontScope
{
public:
    explicit FontScope(ImFont* font) { ImGui::PushFont(font); }
    ~FontScope() { ImGui::PopFont(); }
    FontScope(const FontScope&) = delete;
    FontScope& operator=(const FontScope&) = delete;
};

class IdScope
{
public:
    explicit IdScope(int id) { ImGui::PushID(id); }
    explicit IdScope(const char* id) { ImGui::PushID(id); }
    ~IdScope() { ImGui::PopID(); }
    IdScope(const IdScope&) = delete;
    IdScope& operator=(const IdScope&) = delete;
};

class StyleScope
{
public:
    StyleScope(ImGuiStyleVar variable, ImVec2 value) { ImGui::PushStyleVar(variable, value); }
    StyleScope(ImGuiStyleVar variable, float value) { ImGui::PushStyleVar(variable, value); }
    ~StyleScope() { ImGui::PopStyleVar(); }
    StyleScope(const StyleScope&) = delete;
    StyleScope& operator=(const StyleScope&) = delete;
};

class ChildScope
{
public:
    ChildScope(const char* id, ImVec2 size) { ImGui::BeginChild(id, size, 0, ImGuiWindowFlags_NavFlattened); }
    ~ChildScope() { ImGui::EndChild(); }
    ChildScope(const ChildScope&) = delete;
    ChildScope& operator=(const ChildScope&) = delete;
};

class PopupScope
{
public:
    explicit PopupScope(const char* id) : open_(ImGui::BeginPopup(id)) {}
    ~PopupScope()
    {
        if (open_)
        {
            ImGui::EndPopup();
        }
    }
    PopupScope(const PopupScope&) = delete;
    PopupScope& operator=(const PopupScope&) = delete;
    explicit operator bool() const { return open_; }

private:
    bool open_;
};

} // namespace ringside
