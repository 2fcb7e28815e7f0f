// Which lesson comes next? The course in order: what each is about, how long it takes, what it builds on,
// which are done.
#include <fmt/format.h>

#include "ui/shell/lesson_frame.h"
#include "ui/shell/scopes.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>

namespace ringside
{

namespace
{

class LessonsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;
    bool about_scenario() const override { return false; }

private:
    std::size_t row(const Frame& frame) const;
    bool draw_row(const CourseFrame& course, const Painter& painter, Rect cell, std::size_t index,
                  bool selected) const;

    std::optional<std::size_t> row_; // nobody chose yet: the first that is not done
    bool moved_ = false;             // by a key: scroll there
};

bool has_lessons(const Frame& frame)
{
    return frame.course != nullptr && !frame.course->course.lessons.empty();
}

const std::vector<Lesson>& lessons(const Frame& frame)
{
    return frame.course->course.lessons;
}

std::size_t first_open(const Frame& frame)
{
    const auto& all = lessons(frame);
    const auto open =
        std::find_if(all.begin(), all.end(),
                     [&](const Lesson& lesson) { return !frame.course->done.contains(lesson.id); });
    return open == all.end() ? 0 : static_cast<std::size_t>(open - all.begin());
}

std::size_t LessonsView::row(const Frame& frame) const
{
    return std::min(row_.value_or(first_open(frame)), lessons(frame).size() - 1);
}

bool LessonsView::draw_row(const CourseFrame& course, const Painter& p, Rect cell, std::size_t index,
                           bool selected) const
{
    const Lesson& lesson = course.course.lessons[index];
    const Theme& t = p.theme;
    const std::string label = fmt::format("{}###lesson {}", lesson.title, lesson.id);
    const Press pressed = press(p, cell, label.c_str(), 8);
    if (selected || pressed.hovered)
    {
        p.card(cell, selected, pressed.hovered);
    }
    Rect row = cell;
    row.cut_left(p.px(12));
    row.cut_right(p.px(16));
    const Rect number = row.cut_left(p.px(32));
    if (course.done.contains(lesson.id))
    {
        p.tick(number.x, number.middle(), t.ok);
    }
    else
    {
        p.text(number.x, number.middle(), Type::mono_small, t.muted, std::to_string(lesson.number));
    }
    p.text(row.cut_right(p.px(56)).right(), row.middle(), Type::small, t.muted,
           fmt::format("{:.0f} min", lesson.minutes), Align::right);
    if (row.w > p.px(560))
    {
        const Rect track = row.cut_right(p.px(120));
        p.text_within(track.x, track.middle(), track.w, Type::small, t.muted,
                      lesson.tracks.empty() ? std::string() : lesson.tracks.front());
        row.cut_right(p.px(16));
    }
    if (row.h < p.px(44))
    {
        p.text_within(row.x, row.middle(), row.w, Type::body, t.text, lesson.title);
        return pressed.clicked;
    }
    p.text_within(row.x, row.middle() - p.px(9), row.w, selected ? Type::body_strong : Type::body, t.text,
                  lesson.title);
    p.text_within(row.x, row.middle() + p.px(12), row.w, Type::small, t.muted, lesson.about);
    return pressed.clicked;
}

void LessonsView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (!has_lessons(frame))
    {
        painter.text_within(area.x, area.middle() - painter.px(16), area.w, Type::title, painter.theme.text,
                            "There are no lessons here.");
        painter.text_within(area.x, area.middle() + painter.px(20), area.w, Type::body, painter.theme.muted,
                            "They are read from the folder lessons beside the assets.");
        return;
    }
    const auto count = static_cast<float>(lessons(frame).size());
    const std::size_t selected = row(frame);
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::SetCursorScreenPos({area.x - painter.px(12), area.y});
    const ChildScope child("###course", {area.w + painter.px(24), area.h});
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float pitch = std::max(p.px(48), std::min(p.px(56), (area.h - p.px(12)) / count));
    for (std::size_t i = 0; i < lessons(frame).size(); ++i)
    {
        const Rect cell{top.x + p.px(2), top.y + p.px(2) + pitch * static_cast<float>(i), area.w + p.px(6),
                        pitch - p.px(4)};
        if (draw_row(*frame.course, p, cell, i, i == selected))
        {
            row_ = i;
            out.push(StartLesson{lessons(frame)[i].id});
        }
        if (i == selected && moved_)
        {
            ImGui::SetScrollHereY();
            moved_ = false;
        }
    }
    ImGui::SetCursorScreenPos({top.x, top.y + pitch * count});
    ImGui::Dummy({1, 1});
}

Caption LessonsView::caption(const Frame& frame) const
{
    Caption caption;
    if (!has_lessons(frame))
    {
        return caption;
    }
    const auto& all = lessons(frame);
    const auto done = std::count_if(
        all.begin(), all.end(), [&](const Lesson& lesson) { return frame.course->done.contains(lesson.id); });
    double minutes = 0;
    for (const Lesson& lesson : all)
    {
        minutes += frame.course->done.contains(lesson.id) ? 0 : lesson.minutes;
    }
    caption.sentence =
        done == std::ssize(all)
            ? fmt::format("**All {} lessons are done.** Any of them can be played again.", done)
            : fmt::format("**{} of {} lessons done**, about {:.0f} minutes to go.", done, all.size(),
                          minutes);
    caption.formula = "Your own scenario is kept while a lesson runs, and given back when you leave it.";
    return caption;
}

bool LessonsView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (!has_lessons(frame))
    {
        return false;
    }
    const Lesson& lesson = lessons(frame)[row(frame)];
    const Theme& t = painter.theme;
    const auto say = [&](Type type, Colour colour, std::string_view words)
    {
        area.cut_top(painter.paragraph({area.x, area.y, area.w, 0}, type, colour, words));
        area.cut_top(painter.px(8));
    };
    say(Type::body_strong, t.text, lesson.title);
    say(Type::small, t.text, lesson.about);
    say(Type::small, t.muted,
        fmt::format("{} steps, about {:.0f} minutes", lesson.steps.size(), lesson.minutes));
    for (const std::string& id : lesson.prerequisites)
    {
        const Lesson* before = frame.course->course.lesson(id);
        const bool done = frame.course->done.contains(id);
        if (before != nullptr)
        {
            say(Type::small, t.muted,
                fmt::format("{} {}", done ? "After, done:" : "Better after:", before->title));
        }
    }
    area.cut_top(painter.px(8));
    if (button(painter, area.cut_top(painter.px(48)), "Begin###begin lesson", "Enter", ButtonStyle::primary))
    {
        out.push(StartLesson{lesson.id});
    }
    return true;
}

void LessonsView::keys(const Frame& frame, Out& out)
{
    if (!has_lessons(frame))
    {
        return;
    }
    // Ours, or the focus would move to another button.
    const ImGuiID id = ImGui::GetID("###course keys");
    const auto pressed = [id](ImGuiKey key)
    {
        ImGui::SetKeyOwner(key, id);
        return ImGui::IsKeyPressed(key, id, ImGuiInputFlags_Repeat) ? 1 : 0;
    };
    const int move = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
    if (move != 0)
    {
        const auto last = static_cast<std::ptrdiff_t>(lessons(frame).size()) - 1;
        row_ = static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(row(frame)) + move, 0, last));
        moved_ = true;
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
    {
        out.push(StartLesson{lessons(frame)[row(frame)].id});
    }
}

constexpr std::array kKeys{KeyHelp{"Up Down", "Another lesson"}, KeyHelp{"Enter", "Begin it"}};

} // namespace

extern const ViewInfo lessons_view;
const ViewInfo lessons_view{80,
                            "lessons",
                            "Study",
                            "Lessons",
                            "Which lesson comes next?",
                            "Guided lessons: predict, then see; each ends with something broken to repair",
                            {},
                            kKeys,
                            [] { return std::unique_ptr<View>(std::make_unique<LessonsView>()); }};

} // namespace ringside
