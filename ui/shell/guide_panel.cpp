#include "ui/shell/guide_panel.h"

#include "core/base/place.h"
#include "ui/shell/lesson_frame.h"
#include "ui/shell/scopes.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/list_row.h"
#include "ui/widgets/markdown.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kWide = 304;   // [design px]
constexpr float kRoomy = 1180; // a window from this width on has room for it beside the rest
constexpr float kMargin = 20;
constexpr float kReadable = 560; // a line is no longer

std::vector<const Lesson*> lessons_about(const Frame& frame, std::string_view view)
{
    std::vector<const Lesson*> about;
    if (frame.course == nullptr)
    {
        return about;
    }
    for (const Lesson& lesson : frame.course->course.lessons)
    {
        if (std::ranges::any_of(lesson.steps, [&](const LessonStep& s) { return view_of(s.view) == view; }))
        {
            about.push_back(&lesson);
        }
    }
    return about;
}

std::string_view page_for(const Frame& frame, std::string_view view)
{
    if (frame.course != nullptr)
    {
        const auto found = frame.course->course.guide.find(view);
        if (found != frame.course->course.guide.end())
        {
            return found->second;
        }
    }
    return "The guide has no page on this view.";
}

// The lesson that was chosen; null when none was.
const Lesson* draw_lessons(const Painter& p, Rect& area, std::span<const Lesson* const> lessons)
{
    const Lesson* chosen = nullptr;
    if (lessons.empty())
    {
        return chosen;
    }
    area.cut_top(p.px(16));
    const Rect head = area.cut_top(p.px(24));
    p.text(head.x, head.middle(), Type::small_strong, p.theme.text, "Lessons on it");
    for (const Lesson* lesson : lessons)
    {
        const Rect row = area.cut_top(p.px(32));
        const Press pressed = press(p, row, ("lesson " + lesson->id).c_str(), 4);
        list_row(p, row, false, pressed.hovered);
        tooltip(p, lesson->about);
        p.text_within(row.x + p.px(8), row.middle(), row.w - p.px(12), Type::small, p.theme.text,
                      lesson->title);
        chosen = pressed.clicked ? lesson : chosen;
    }
    return chosen;
}

} // namespace

float GuidePanel::beside(const Frame& frame, float wide) const
{
    return on_ && frame.lesson == nullptr && wide >= kRoomy ? kWide : 0;
}

void GuidePanel::draw_page(const Frame& frame, const Painter& p, Rect area, const ViewInfo& info, Out& out)
{
    const std::string_view title = info.title;
    area.cut_top(p.paragraph({area.x, area.y, area.w, 0}, Type::body_strong, p.theme.text, title) + p.px(8));
    area.cut_top(markdown(p, {area.x, area.y, area.w, 0}, p.theme.text, page_for(frame, info.id)));
    if (const Lesson* chosen = draw_lessons(p, area, lessons_about(frame, info.id)))
    {
        out.push(StartLesson{chosen->id});
        on_ = false;
    }
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::Dummy({1, p.px(kMargin)}); // so that the child knows how far it scrolls
}

void GuidePanel::draw(const Frame& frame, const Painter& window, Rect area, const ViewInfo& info, Out& out)
{
    if (!on_)
    {
        return;
    }
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    const StyleScope border(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::SetNextWindowPos(area.min());
    ImGui::SetNextWindowSize({area.w, area.h});
    ImGui::Begin("###guide window", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBackground);
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    p.fill(area, p.theme.panel);
    p.line(area.right() - 1, area.y, area.right() - 1, area.bottom(), p.theme.line);
    Rect head = area.cut_top(std::min(area.h, p.px(52)));
    head.cut_left(p.px(kMargin));
    p.text(head.x, head.middle(), Type::small, p.theme.muted, "Guide");
    const float w = p.width(Type::small, "Close") + p.width(Type::mono_small, "F1") + p.px(48);
    head.cut_right(p.px(12));
    const Rect close = head.cut_right(std::min(head.w, w));
    if (button(p, {close.x, close.middle() - p.px(14), close.w, p.px(28)}, "Close###guide close", "F1"))
    {
        on_ = false;
    }
    ImGui::SetCursorScreenPos({area.x + p.px(kMargin), area.y});
    {
        const ChildScope child("###guide page", {area.w - p.px(kMargin + 2), area.h});
        if (of_ != info.id)
        {
            of_ = info.id;
            ImGui::SetScrollY(0);
        }
        const ImVec2 top = ImGui::GetCursorScreenPos();
        draw_page(frame, Painter(*ImGui::GetWindowDrawList(), window.look),
                  {top.x, top.y, std::min(area.w - p.px(2 * kMargin), p.px(kReadable)), 1e6F}, info, out);
    }
    ImGui::End();
}

} // namespace ringside
