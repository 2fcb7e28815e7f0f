// Which lesson comes next? The course in order: what each is about, how long it takes, what it builds on,
// which are done; or a track through it, for a class, an interview or the job.
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

// One line of the list.
struct Entry
{
    const TrackPart* part = nullptr; // of the track; null in the course's own order
    const Lesson* lesson = nullptr;  // null: the part's title, or its practice
    bool practice = false;

    bool title() const { return lesson == nullptr && !practice; }
};

class LessonsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;
    bool about_scenario() const override { return false; }

private:
    const CourseTrack* track(const Frame& frame) const;
    std::vector<Entry> entries(const Frame& frame) const;
    std::size_t row(const Frame& frame, const std::vector<Entry>& all) const;
    void choose(std::size_t track);
    void begin(const Frame& frame, const Entry& entry, Out& out) const;
    void draw_tracks(const Frame& frame, const Painter& painter, Rect& area);
    bool draw_row(const Frame& frame, const Painter& painter, Rect cell, const Entry& entry,
                  bool selected) const;

    std::size_t track_ = 0;          // 0: the whole course
    std::optional<std::size_t> row_; // nobody chose yet: the first that is not done
    bool moved_ = false;             // by a key: scroll there
};

bool has_lessons(const Frame& frame)
{
    return frame.course != nullptr && !frame.course->course.lessons.empty();
}

bool is_done(const Frame& frame, const Lesson& lesson)
{
    return frame.course->done.contains(lesson.id);
}

const CourseTrack* LessonsView::track(const Frame& frame) const
{
    const auto& tracks = frame.course->course.tracks;
    return track_ == 0 || track_ > tracks.size() ? nullptr : &tracks[track_ - 1];
}

std::vector<Entry> LessonsView::entries(const Frame& frame) const
{
    std::vector<Entry> all;
    const Course& course = frame.course->course;
    const CourseTrack* chosen = track(frame);
    if (chosen == nullptr)
    {
        for (const Lesson& lesson : course.lessons)
        {
            all.push_back({nullptr, &lesson});
        }
        return all;
    }
    for (const TrackPart& part : chosen->parts)
    {
        all.push_back({&part});
        for (const std::string& id : part.lessons)
        {
            if (const Lesson* lesson = course.lesson(id))
            {
                all.push_back({&part, lesson});
            }
        }
        if (part.drill_minutes + part.mock_minutes > 0)
        {
            all.push_back({&part, nullptr, true});
        }
    }
    return all;
}

std::size_t LessonsView::row(const Frame& frame, const std::vector<Entry>& all) const
{
    if (row_)
    {
        return std::min(*row_, all.size() - 1);
    }
    const auto open = [&](const Entry& e) { return e.lesson != nullptr && !is_done(frame, *e.lesson); };
    const auto lesson = [](const Entry& e) { return e.lesson != nullptr; };
    const auto found =
        std::ranges::any_of(all, open) ? std::ranges::find_if(all, open) : std::ranges::find_if(all, lesson);
    return found == all.end() ? 0 : static_cast<std::size_t>(found - all.begin());
}

void LessonsView::choose(std::size_t track)
{
    track_ = track;
    row_.reset();
    moved_ = true;
}

void LessonsView::begin(const Frame& frame, const Entry& entry, Out& out) const
{
    const CourseTrack* chosen = track(frame);
    if (entry.lesson != nullptr)
    {
        out.push(StartLesson{entry.lesson->id, chosen == nullptr ? "" : chosen->id});
    }
    else if (entry.practice && entry.part->drill_minutes > 0)
    {
        out.push(StudyAction{StartDrill{drill_of(*entry.part), ""}});
        out.push(OpenView{"drill"});
    }
    else if (entry.practice)
    {
        out.push(StudyAction{StartMock{entry.part->mock_minutes, ""}});
        out.push(OpenView{"mock"});
    }
}

// The tracks side by side, by their titles or, where those do not fit, their ids; without room for either the
// digits choose.
void LessonsView::draw_tracks(const Frame& frame, const Painter& p, Rect& area)
{
    const auto& tracks = frame.course->course.tracks;
    if (tracks.empty())
    {
        return;
    }
    const std::string every = fmt::format("All {}", frame.course->course.lessons.size());
    std::vector<std::string_view> titles{every};
    std::vector<std::string_view> ids{every};
    for (const CourseTrack& t : tracks)
    {
        titles.emplace_back(t.title);
        ids.emplace_back(t.id);
    }
    const auto width = [&](const std::vector<std::string_view>& words)
    {
        float widest = 0;
        for (const std::string_view word : words)
        {
            widest = std::max(widest, p.width(Type::small_strong, word));
        }
        return (widest + p.px(24)) * static_cast<float>(words.size());
    };
    const auto& words = width(titles) <= area.w ? titles : ids;
    if (width(words) > area.w || area.h < p.px(240))
    {
        return;
    }
    if (const auto chosen = segments(p, area.cut_top(p.px(32)).cut_left(width(words)), words, track_))
    {
        choose(*chosen);
    }
    area.cut_top(p.px(12));
}

void draw_part(const Painter& p, Rect row, const TrackPart& part, double minutes)
{
    row.cut_left(p.px(12));
    row.cut_right(p.px(16));
    const float line = row.bottom() - p.px(14);
    p.text(row.cut_right(p.px(72)).right(), line, Type::small, p.theme.muted,
           fmt::format("{:.0f} min", minutes), Align::right);
    p.text_within(row.x, line, row.w, Type::small_strong, p.theme.muted, part.title);
}

std::string practice_words(const TrackPart& part)
{
    if (part.drill_minutes == 0)
    {
        return "Mock interview";
    }
    std::vector<std::string_view> names;
    for (const std::string& topic : part.topics)
    {
        const StudyTopic* known = find_topic(topic);
        names.push_back(known == nullptr ? std::string_view(topic) : known->name);
    }
    return fmt::format("Questions: {}", fmt::join(names, ", "));
}

bool LessonsView::draw_row(const Frame& frame, const Painter& p, Rect cell, const Entry& entry,
                           bool selected) const
{
    if (entry.title())
    {
        draw_part(p, cell, *entry.part, minutes_of(*entry.part, frame.course->course.lessons));
        return false;
    }
    const Theme& t = p.theme;
    const Lesson* lesson = entry.lesson;
    const std::string title = lesson == nullptr ? practice_words(*entry.part) : lesson->title;
    const std::string label = lesson == nullptr ? fmt::format("{}###practice {}", title, entry.part->title)
                                                : fmt::format("{}###lesson {}", title, lesson->id);
    const Press pressed = press(p, cell, label.c_str(), 8);
    if (selected || pressed.hovered)
    {
        p.card(cell, selected, pressed.hovered);
    }
    Rect row = cell;
    row.cut_left(p.px(12));
    row.cut_right(p.px(16));
    const Rect number = row.cut_left(p.px(32));
    if (lesson != nullptr && is_done(frame, *lesson))
    {
        p.tick(number.x, number.middle(), t.ok);
    }
    else
    {
        p.text(number.x, number.middle(), Type::mono_small, t.muted,
               lesson == nullptr ? std::string("?") : std::to_string(lesson->number));
    }
    const double minutes = lesson == nullptr
                               ? static_cast<double>(entry.part->drill_minutes + entry.part->mock_minutes)
                               : lesson->minutes;
    p.text(row.cut_right(p.px(56)).right(), row.middle(), Type::small, t.muted,
           fmt::format("{:.0f} min", minutes), Align::right);
    if (lesson == nullptr)
    {
        p.text_within(row.x, row.middle(), row.w, Type::body, t.text, title);
        return pressed.clicked;
    }
    if (row.w > p.px(560))
    {
        const Rect topic = row.cut_right(p.px(120));
        p.text_within(topic.x, topic.middle(), topic.w, Type::small, t.muted,
                      lesson->topics.empty() ? std::string() : lesson->topics.front());
        row.cut_right(p.px(16));
    }
    if (row.h < p.px(44))
    {
        p.text_within(row.x, row.middle(), row.w, Type::body, t.text, title);
        return pressed.clicked;
    }
    p.text_within(row.x, row.middle() - p.px(9), row.w, selected ? Type::body_strong : Type::body, t.text,
                  title);
    p.text_within(row.x, row.middle() + p.px(12), row.w, Type::small, t.muted, lesson->about);
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
    draw_tracks(frame, painter, area);
    const std::vector<Entry> all = entries(frame);
    const std::size_t selected = row(frame, all);
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::SetCursorScreenPos({area.x - painter.px(12), area.y});
    const ChildScope child("###course", {area.w + painter.px(24), area.h});
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float pitch = p.px(track_ == 0 ? 52 : 44);
    float y = top.y + p.px(2);
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const float h = all[i].title() && i > 0 ? pitch + p.px(8) : pitch;
        const Rect cell{top.x + p.px(2), y, area.w + p.px(6), h - p.px(4)};
        y += h;
        ImGui::SetCursorScreenPos({cell.x, cell.y});
        if (draw_row(frame, p, cell, all[i], i == selected))
        {
            row_ = i;
            begin(frame, all[i], out);
        }
        if (i == selected && moved_)
        {
            ImGui::SetScrollFromPosY(cell.y - ImGui::GetWindowPos().y);
            moved_ = false;
        }
    }
    ImGui::SetCursorScreenPos({top.x, y});
    ImGui::Dummy({1, 1});
}

Caption LessonsView::caption(const Frame& frame) const
{
    Caption caption;
    if (!has_lessons(frame))
    {
        return caption;
    }
    std::int64_t done = 0;
    std::int64_t count = 0;
    double minutes = 0;
    for (const Entry& entry : entries(frame))
    {
        if (entry.lesson != nullptr)
        {
            const bool over = is_done(frame, *entry.lesson);
            ++count;
            done += over ? 1 : 0;
            minutes += over ? 0 : entry.lesson->minutes;
        }
    }
    const CourseTrack* chosen = track(frame);
    const std::string of = chosen == nullptr ? "" : chosen->title + ": ";
    caption.sentence =
        done == count
            ? fmt::format("{}**All {} lessons are done.** Any of them can be played again.", of, done)
            : fmt::format("{}**{} of {} lessons done**, about {:.0f} minutes to go.", of, done, count,
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
    const std::vector<Entry> all = entries(frame);
    const Entry& entry = all[row(frame, all)];
    const Theme& t = painter.theme;
    const auto say = [&](Type type, Colour colour, std::string_view words)
    {
        area.cut_top(painter.paragraph({area.x, area.y, area.w, 0}, type, colour, words));
        area.cut_top(painter.px(8));
    };
    if (const CourseTrack* chosen = track(frame))
    {
        say(Type::small_strong, t.muted, chosen->title);
        say(Type::small, t.muted, chosen->about);
        area.cut_top(painter.px(8));
    }
    if (entry.lesson != nullptr)
    {
        const Lesson& lesson = *entry.lesson;
        say(Type::body_strong, t.text, lesson.title);
        say(Type::small, t.text, lesson.about);
        say(Type::small, t.muted,
            fmt::format("{} steps, about {:.0f} minutes", lesson.steps.size(), lesson.minutes));
        for (const std::string& id : lesson.prerequisites)
        {
            if (const Lesson* before = frame.course->course.lesson(id))
            {
                say(Type::small, t.muted,
                    fmt::format("{} {}",
                                is_done(frame, *before) ? "After, done:" : "Better after:", before->title));
            }
        }
    }
    else
    {
        say(Type::body_strong, t.text, entry.part->title);
        say(Type::small, t.text, practice_words(*entry.part));
    }
    area.cut_top(painter.px(8));
    if (button(painter, area.cut_top(painter.px(48)), "Begin###begin lesson", "Enter", ButtonStyle::primary))
    {
        begin(frame, entry, out);
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
    const std::size_t tracks = frame.course->course.tracks.size();
    for (std::size_t i = 0; i <= std::min<std::size_t>(tracks, 8); ++i)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), false))
        {
            choose(i);
            out.animating = true;
        }
    }
    const std::vector<Entry> all = entries(frame);
    std::size_t at = row(frame, all);
    if (const int move = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow); move != 0)
    {
        // Over the titles of parts, which nobody can begin.
        do
        {
            at += static_cast<std::size_t>(move);
        } while (at < all.size() && all[at].title());
        row_ = at < all.size() ? at : row(frame, all);
        moved_ = true;
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
    {
        begin(frame, all[row(frame, all)], out);
    }
}

constexpr std::array kKeys{KeyHelp{"Up Down", "Another lesson"}, KeyHelp{"Enter", "Begin it"},
                           KeyHelp{"1 to 4", "The whole course, or a track"}};

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
