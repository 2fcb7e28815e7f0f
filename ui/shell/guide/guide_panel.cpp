#include "ui/shell/guide/guide_panel.h"

#include "core/base/place.h"
#include "ui/draw/scopes.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/widgets/list_detail.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

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
            return found->second.text;
        }
    }
    return "The guide has no page on this view.";
}

// The lesson that was chosen; null when none was.
const Lesson* draw_lessons(Sheet& sheet, std::span<const Lesson* const> lessons)
{
    const Lesson* chosen = nullptr;
    for (const Lesson* lesson : lessons)
    {
        if (lesson == lessons.front())
        {
            sheet.gap(12);
            sheet.heading("Lessons on it", "", Type::small_strong);
        }
        chosen =
            list_line(sheet.p, sheet.row(32), {lesson->title + "###lesson " + lesson->id}) ? lesson : chosen;
        tooltip(sheet.p, lesson->about);
    }
    return chosen;
}

} // namespace

float GuidePanel::beside(const Frame& frame, float wide) const
{
    return on_ && frame.lesson == nullptr && wide >= kRoomy ? kWide : 0;
}

void GuidePanel::draw_page(const Frame& frame, Sheet& sheet, const ViewInfo& info, Out& out)
{
    sheet.name(info.title);
    sheet.gap(8);
    sheet.markdown(page_for(frame, info.id));
    if (const Lesson* chosen = draw_lessons(sheet, lessons_about(frame, info.id)))
    {
        out.push(StartLesson{chosen->id});
        on_ = false;
    }
    sheet.gap(kMargin);
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
    const float wide = p.width(Type::small, "Close") + p.width(Type::mono_small, "F1") + p.px(48);
    head.cut_right(p.px(12));
    const Rect close = head.cut_right(std::min(head.w, wide));
    if (button(p, {close.x, close.middle() - p.px(14), close.w, p.px(28)}, "Close###guide close", "F1"))
    {
        on_ = false;
    }
    {
        const float w = std::min(area.w - p.px(2 * kMargin), p.px(kReadable));
        ScrolledSheet sheet(window, {area.x + p.px(kMargin), area.y, w, area.h}, "###guide page", info.id);
        draw_page(frame, *sheet, info, out);
    }
    ImGui::End();
}

} // namespace ringside
