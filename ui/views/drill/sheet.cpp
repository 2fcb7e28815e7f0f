#include "ui/views/drill/sheet.h"

#include "ui/shell/scopes.h"

namespace ringside
{

Rect Sheet::take(float height)
{
    const Rect r{area_.x, y_, area_.w, height};
    y_ += height;
    return r;
}

Rect Sheet::words(Type plain, Type strong, Colour colour, std::string_view text, float indent)
{
    const Rect r{area_.x + indent, y_, area_.w - indent, 0};
    const float used = p.rich(r, plain, strong, colour, without_light_marks(text));
    y_ += used;
    return {r.x, r.y, r.w, used};
}

void Sheet::point(std::string_view text, Colour colour)
{
    const float indent = p.px(20);
    const float dot = p.px(2.5F);
    p.list.AddCircleFilled({area_.x + p.px(7), y_ + p.height(Type::small) * 0.58F}, dot, colour);
    words(Type::small, Type::small_strong, colour, text, indent);
    gap(3);
}

void Sheet::heading(std::string_view text, std::string_view right)
{
    const Rect r = row(30);
    const float most = r.w * (right.empty() ? 1 : 0.5F);
    p.text_within(r.x, r.middle(), most, Type::body_strong, p.theme.text, text);
    const float left = r.w - p.width(Type::body_strong, text) - p.px(16);
    const std::string fits = right.empty() ? std::string() : p.shortened(Type::small, right, left);
    p.text(r.right(), r.middle(), Type::small, p.theme.muted, fits, Align::right);
}

void ScrolledSheet::draw(const Painter& window, Rect area, const std::string& about,
                         const std::function<void(Sheet&)>& content)
{
    ImGui::SetCursorScreenPos({area.x - window.px(4), area.y});
    const ChildScope child("###sheet", {area.w + window.px(12), area.h});
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    if (about_ != about)
    {
        about_ = about;
        ImGui::SetScrollY(0);
    }
    const int page =
        (ImGui::IsKeyPressed(ImGuiKey_PageDown) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_PageUp) ? 1 : 0);
    if (page != 0)
    {
        ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(page) * area.h * 0.8F);
    }
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const bool bar = ImGui::GetScrollMaxY() > 0;
    Sheet sheet(p, {top.x + p.px(4), top.y + p.px(4), area.w - (bar ? p.px(8) : 0), 0});
    content(sheet);
    ImGui::SetCursorScreenPos({top.x, sheet.y()});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
}

namespace
{

bool is_word_edge(std::string_view text, std::size_t at)
{
    constexpr std::string_view kEdges = " \n().,;:?!";
    return at >= text.size() || kEdges.find(text[at]) != std::string_view::npos;
}

} // namespace

std::string without_light_marks(std::string_view text)
{
    std::string out;
    bool open = false;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const bool pair = text.substr(i).starts_with("**");
        if (pair)
        {
            out += "**";
            ++i;
            continue;
        }
        const bool opens =
            text[i] == '*' && !open && (i == 0 || is_word_edge(text, i - 1)) && !is_word_edge(text, i + 1);
        const bool closes = text[i] == '*' && open && is_word_edge(text, i + 1);
        open = (open || opens) && !closes;
        if (!opens && !closes && text[i] != '`')
        {
            out += text[i];
        }
    }
    return out;
}

float words_height(const Painter& p, float width, Type type, std::string_view text)
{
    return p.rich({0, 0, width, 0}, type, type, 0, text);
}

} // namespace ringside
