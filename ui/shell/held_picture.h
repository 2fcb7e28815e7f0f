// A picture as it was drawn, to be drawn again without asking the view. While the window is frozen every view
// stands still so, whatever its own state, its clock or a run of the lab does meanwhile.
#pragma once

#include "ui/draw/painter.h"

#include <string>
#include <vector>

namespace ringside
{

class HeldPicture
{
public:
    // What a held picture was drawn for; with any of it different, it is no longer the right one.
    struct Of
    {
        std::string view;
        Rect area;
        float scale = 1;
        const Theme* theme = nullptr;

        friend bool operator==(const Of& a, const Of& b)
        {
            return a.view == b.view && a.area.x == b.area.x && a.area.y == b.area.y && a.area.w == b.area.w &&
                   a.area.h == b.area.h && a.scale == b.scale && a.theme == b.theme;
        }
    };

    bool holds(const Of& of) const { return held_ && of_ == of; }
    // Before a picture is drawn into the current window, and after.
    void begin();
    void end(Of of);
    void draw(ImDrawList& list) const;
    void release() { *this = HeldPicture(); }

private:
    // Triangles of one clip rectangle and texture.
    struct Piece
    {
        ImVec4 clip;
        ImTextureID texture = {};
        std::vector<ImDrawVert> vertices;
        std::vector<ImDrawIdx> indices;
    };
    void take(const ImDrawList& list, int first_index);

    std::vector<Piece> pieces_;
    Of of_;
    bool held_ = false;
    int first_index_ = 0; // of the window's list
    int first_child_ = 0; // of its child windows
};

} // namespace ringside
