#include "ui/shell/stage_tools.h"

#include "core/base/place.h"
#include "core/study/lessons/demo_script.h"
#include "ui/draw/scopes.h"
#include "ui/shell/frame/stage_frame.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

const DemoScene* StageFrame::at() const
{
    return script == nullptr ? nullptr : &script->scenes[scene];
}

const DemoScene* StageFrame::on_show(std::string_view view) const
{
    return script != nullptr && view_of(at()->view) == view ? at() : nullptr;
}

namespace
{

constexpr std::size_t kInks = 4;
constexpr std::size_t kMostPoints = 4000; // of a stroke
constexpr float kLeastRadius = 60;
constexpr float kMostRadius = 600;

// The text's colour, then those of the data; colour-blind safe like them.
Colour ink_of(const Theme& t, std::size_t ink)
{
    const std::array<Colour, kInks> inks{t.text, t.forward.fill, t.tensor.fill, t.warning};
    return inks.at(ink);
}

} // namespace

void StageTools::draw_strokes(const Painter& p, ImDrawList& list, const std::vector<Stroke>& strokes) const
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    std::vector<ImVec2> points;
    for (const Stroke& stroke : strokes)
    {
        points.clear();
        for (const ImVec2& at : stroke.points)
        {
            points.push_back({at.x * size.x, at.y * size.y});
        }
        const Colour colour = ink_of(p.theme, stroke.ink);
        if (points.size() == 1)
        {
            list.AddCircleFilled(points.front(), p.px(3), colour);
        }
        // A rim in the window's colour keeps a stroke readable on data of its own colour.
        list.AddPolyline(points.data(), static_cast<int>(points.size()), with_alpha(p.theme.window, 0.7F), 0,
                         p.px(7));
        list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, p.px(4));
    }
}

void StageTools::draw_pen(const Painter& p, std::vector<Stroke>& strokes)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    const StyleScope border(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::Begin("###pen", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    ImGui::InvisibleButton("###paper", size);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 at{mouse.x / size.x, mouse.y / size.y};
    if (ImGui::IsItemActivated())
    {
        strokes.push_back({ink_, {at}});
        drawing_ = true;
    }
    drawing_ = drawing_ && ImGui::IsItemActive() && !strokes.empty();
    if (drawing_)
    {
        std::vector<ImVec2>& points = strokes.back().points;
        const ImVec2 last{points.back().x * size.x, points.back().y * size.y};
        if (std::hypot(mouse.x - last.x, mouse.y - last.y) > p.px(2) && points.size() < kMostPoints)
        {
            points.push_back(at);
        }
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    draw_strokes(p, list, strokes);
    const Painter over(list, p.look);
    const std::string_view says = "Pen: 1 to 4 ink, Backspace takes one back, Delete all, Esc ends";
    const float wide = over.width(Type::small, says) + over.px(24 + 28 * static_cast<int>(kInks));
    Rect chip{(size.x - wide) / 2, over.px(12), wide, over.px(36)};
    over.fill(chip, over.theme.control, over.px(18));
    over.outline(chip, over.theme.line, 1, over.px(18));
    chip.cut_left(over.px(12));
    for (std::size_t i = 0; i < kInks; ++i)
    {
        const Rect dot = chip.cut_left(over.px(28));
        list.AddCircleFilled({dot.centre(), dot.middle()}, over.px(7), ink_of(over.theme, i));
        if (i == ink_)
        {
            list.AddCircle({dot.centre(), dot.middle()}, over.px(11), over.theme.text, 0, over.px(2));
        }
    }
    over.text_within(chip.x, chip.middle(), chip.w, Type::small, over.theme.text, says);
    ImGui::End();
}

// A ring so wide that it covers all of the window but its inside.
void StageTools::draw_spotlight(const Painter& p)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsMousePosValid())
    {
        return;
    }
    radius_ = std::clamp(radius_ * std::pow(1.15F, io.MouseWheel), kLeastRadius, kMostRadius);
    const float inner = p.px(radius_);
    const float outer = inner + 2 * (io.DisplaySize.x + io.DisplaySize.y);
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    list.AddCircle(io.MousePos, (inner + outer) / 2, with_alpha(rgb(0x000000), 0.65F), 96, outer - inner);
    list.AddCircle(io.MousePos, inner, with_alpha(p.theme.text, 0.6F), 96, p.px(2));
}

// Over the pen and the spotlight too. A click shows the picture again, and presses nothing of it.
void StageTools::draw_black(Out& out)
{
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    const StyleScope border(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::Begin("###black", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBackground |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    if (ImGui::InvisibleButton("###black screen", size))
    {
        out.push(TurnTool{StageTool::black});
    }
    ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, size, rgb(0x000000));
    ImGui::End();
}

void StageTools::draw(const Frame& frame, const Painter& painter, Out& out)
{
    auto found = strokes_.find(frame.view);
    if (frame.stage != nullptr && frame.stage->has(StageTool::pen))
    {
        found = found == strokes_.end() ? strokes_.emplace(frame.view, std::vector<Stroke>()).first : found;
        draw_pen(painter, found->second);
    }
    else if (found != strokes_.end())
    {
        draw_strokes(painter, *ImGui::GetForegroundDrawList(), found->second);
    }
    if (frame.stage != nullptr && frame.stage->has(StageTool::spotlight))
    {
        draw_spotlight(painter);
    }
    if (frame.stage != nullptr && frame.stage->has(StageTool::black))
    {
        draw_black(out);
    }
}

bool StageTools::keys(const Frame& frame, Out& out)
{
    if (frame.stage == nullptr || !frame.stage->has(StageTool::pen))
    {
        return false;
    }
    std::vector<Stroke>& strokes = strokes_[frame.view];
    for (std::size_t i = 0; i < kInks; ++i)
    {
        ink_ = ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), false) ? i : ink_;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Backspace) && !strokes.empty())
    {
        strokes.pop_back();
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Delete, false))
    {
        strokes.clear();
    }
    out.animating = out.animating || drawing_;
    return true;
}

} // namespace ringside
