#include "ui/shell/held_picture.h"

#include <imgui_internal.h>

#include <algorithm>

namespace ringside
{

namespace
{

template <class Each>
void each_window(const ImGuiWindow& window, int first_child, const Each& each)
{
    for (int i = first_child; i < window.DC.ChildWindows.Size; ++i)
    {
        each(*window.DC.ChildWindows[i]->DrawList);
        each_window(*window.DC.ChildWindows[i], 0, each);
    }
}

} // namespace

void HeldPicture::begin()
{
    const ImGuiWindow& window = *ImGui::GetCurrentWindow();
    first_index_ = window.DrawList->IdxBuffer.Size;
    first_child_ = window.DC.ChildWindows.Size;
}

void HeldPicture::end(Of of)
{
    const ImGuiWindow& window = *ImGui::GetCurrentWindow();
    pieces_.clear();
    take(*window.DrawList, first_index_);
    each_window(window, first_child_, [this](const ImDrawList& list) { take(list, 0); });
    of_ = std::move(of);
    held_ = true;
}

void HeldPicture::take(const ImDrawList& list, int first_index)
{
    for (const ImDrawCmd& command : list.CmdBuffer)
    {
        const int from = std::max(first_index, static_cast<int>(command.IdxOffset));
        const int to = static_cast<int>(command.IdxOffset + command.ElemCount);
        if (from >= to || command.UserCallback != nullptr)
        {
            continue;
        }
        const ImDrawIdx* const begin = list.IdxBuffer.Data + from;
        const ImDrawIdx* const end = list.IdxBuffer.Data + to;
        const auto [lowest, highest] = std::minmax_element(begin, end);
        const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
        Piece piece{command.ClipRect, command.TextureId, {vertices + *lowest, vertices + *highest + 1}, {}};
        std::transform(begin, end, std::back_inserter(piece.indices),
                       [first = *lowest](ImDrawIdx i) { return static_cast<ImDrawIdx>(i - first); });
        pieces_.push_back(std::move(piece));
    }
}

void HeldPicture::draw(ImDrawList& list) const
{
    for (const Piece& piece : pieces_)
    {
        list.PushClipRect({piece.clip.x, piece.clip.y}, {piece.clip.z, piece.clip.w});
        list.PushTextureID(piece.texture);
        list.PrimReserve(static_cast<int>(piece.indices.size()), static_cast<int>(piece.vertices.size()));
        const auto first = static_cast<ImDrawIdx>(list._VtxCurrentIdx);
        for (const ImDrawIdx index : piece.indices)
        {
            list.PrimWriteIdx(static_cast<ImDrawIdx>(first + index));
        }
        for (const ImDrawVert& vertex : piece.vertices)
        {
            list.PrimWriteVtx(vertex.pos, vertex.uv, vertex.col);
        }
        list.PopTextureID();
        list.PopClipRect();
    }
}

} // namespace ringside
