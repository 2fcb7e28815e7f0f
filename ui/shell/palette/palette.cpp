#include "ui/shell/palette/palette.h"

#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/shell/overlay.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRow = 28; // [design px]

void draw_row(const Painter& p, ImVec2 a, ImVec2 b, const PaletteEntry& entry)
{
    const float middle = (a.y + b.y) / 2;
    p.text(a.x + p.px(4), middle, Type::small, p.theme.muted, entry.kind);
    const float used = p.text_within(a.x + p.px(84), middle, b.x - a.x - p.px(90), Type::small_strong,
                                     p.theme.text, entry.label);
    const float from = a.x + p.px(100) + used;
    p.text(b.x - p.px(4), middle, Type::small, p.theme.muted,
           p.shortened(Type::small, entry.says, b.x - from), Align::right);
}

} // namespace

void Palette::open()
{
    open_ = true;
    listed_ = false;
    query_ = {};
    row_ = 0;
}

void Palette::type(std::string_view query)
{
    query_ = {};
    query.substr(0, query_.size() - 1).copy(query_.data(), query_.size() - 1);
    listed_ = false;
}

// Listing costs more than a frame should take, so it is done once for an opening.
void Palette::search(const Frame& frame)
{
    if (!listed_)
    {
        all_ = palette_entries(frame);
        listed_ = true;
    }
    found_ = matching_entries(all_, query_.data());
    row_ = 0;
}

// What was found, as many rows as there is room for; the one clicked.
std::optional<std::size_t> Palette::draw_rows(const Painter& painter, bool moved)
{
    std::optional<std::size_t> clicked;
    const ChildScope list("###found", {0, 0});
    ImGuiListClipper rows;
    const StyleScope close(ImGuiStyleVar_ItemSpacing, ImVec2{0, painter.px(4)});
    rows.Begin(static_cast<int>(found_.size()), painter.px(kRow) + painter.px(4));
    if (!found_.empty())
    {
        rows.IncludeItemByIndex(static_cast<int>(row_));
    }
    while (rows.Step())
    {
        for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i)
        {
            const IdScope id(i);
            const auto at = static_cast<std::size_t>(i);
            const PaletteEntry& entry = all_[found_[at]];
            const std::string label = "###row " + entry.label;
            if (ImGui::Selectable(label.c_str(), at == row_, 0, {0, painter.px(kRow)}))
            {
                clicked = at;
            }
            if (at == row_ && moved)
            {
                ImGui::SetScrollHereY();
            }
            const Painter p(*ImGui::GetWindowDrawList(), painter.look);
            const ImVec2 low = ImGui::GetItemRectMin();
            read_item(p, {low.x, low.y, ImGui::GetItemRectSize().x, painter.px(kRow)}, "",
                      {.role = ReadRole::choice, .on = at == row_, .name = entry.label});
            draw_row(p, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), entry);
        }
    }
    return clicked;
}

const PaletteEntry* Palette::draw(const Frame& frame, const Painter& painter, Out& out)
{
    if (!open_)
    {
        return nullptr;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const OverlayScope overlay(
        painter, "###palette",
        {std::min(painter.px(720), display.x * 0.95F), std::min(painter.px(480), display.y * 0.85F)});
    bool typed = false;
    {
        const FontScope font(painter.look.fonts.of(Type::body));
        ImGui::SetKeyboardFocusHere();
        ImGui::SetNextItemWidth(-FLT_MIN);
        constexpr const char* kHint = "Find a view, word, lesson, question, field or model";
        typed = ImGui::InputTextWithHint("###query", kHint, query_.data(), query_.size());
        read_field(painter, kHint, query_.data());
    }
    if (typed || !listed_)
    {
        search(frame);
    }
    const FontScope font(painter.look.fonts.of(Type::small));
    if (found_.empty())
    {
        ImGui::TextDisabled("Nothing is called that. Try another word.");
    }
    const int move =
        (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
    const auto last = static_cast<std::ptrdiff_t>(found_.size()) - 1;
    row_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(row_) + move, 0,
                                                               std::max<std::ptrdiff_t>(last, 0)));
    std::optional<std::size_t> chosen;
    if (last >= 0 &&
        (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)))
    {
        chosen = row_;
    }
    if (const auto clicked = draw_rows(painter, move != 0))
    {
        chosen = clicked;
    }
    if (!chosen)
    {
        return nullptr;
    }
    open_ = false;
    const PaletteEntry& entry = all_[found_[*chosen]];
    entry.run(frame, out);
    return &entry;
}

} // namespace ringside
