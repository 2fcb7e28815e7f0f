// Which lesson comes next? The course in order: what each is about, how long it takes, what it builds on,
// which are done; or a track through it, for a class, an interview or the job.
#include <fmt/format.h>

#include "ui/draw/icons.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/list_detail.h"
#include "ui/widgets/sheet.h"

#include <algorithm>

namespace ringside
{

namespace
{

// One row: a lesson, or what is practised after a part of a track.
struct Entry
{
    const TrackPart* part = nullptr; // of the track; null in the course's own order
    const Lesson* lesson = nullptr;  // null: the part's practice
};

class LessonsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void on_keys(const Frame& frame, Out& out) override;
    bool about_scenario() const override { return false; }

private:
    const CourseTrack* track(const Frame& frame) const;
    std::vector<Entry> entries(const Frame& frame) const;
    Entry chosen(const Frame& frame);
    void choose(std::size_t track);
    void begin(const Frame& frame, const Entry& entry, Out& out) const;
    void draw_tracks(const Frame& frame, const Painter& painter, Rect& area);

    std::size_t track_ = 0; // 0: the whole course
    ListDetail list_{{"course", ""}};
};

bool has_lessons(const Frame& frame)
{
    return frame.course != nullptr && !frame.course->course.lessons.empty();
}

bool is_done(const Frame& frame, const Lesson& lesson)
{
    return frame.course->done.contains(lesson.id);
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
        for (const std::string& id : part.lessons)
        {
            if (const Lesson* lesson = course.lesson(id))
            {
                all.push_back({&part, lesson});
            }
        }
        if (part.drill_minutes + part.mock_minutes > 0)
        {
            all.push_back({&part});
        }
    }
    return all;
}

// Where nobody chose yet, the first that is not done.
Entry LessonsView::chosen(const Frame& frame)
{
    const std::vector<Entry> all = entries(frame);
    const auto open = std::ranges::find_if(all, [&](const Entry& e)
                                           { return e.lesson != nullptr && !is_done(frame, *e.lesson); });
    std::vector<ListRow> rows;
    for (const Entry& e : all)
    {
        const std::string id = e.lesson == nullptr ? "practice " + e.part->title : "lesson " + e.lesson->id;
        const std::string title = e.lesson == nullptr ? practice_words(*e.part) : e.lesson->title;
        rows.push_back({id, fmt::format("{}###{}", title, id)});
        if (e.part != nullptr)
        {
            rows.back().group = e.part->title;
            rows.back().says = fmt::format("{:.0f} min", minutes_of(*e.part, frame.course->course.lessons));
        }
    }
    list_.list(std::move(rows));
    if (list_.id().empty())
    {
        list_.move_to(open == all.end() ? 0 : static_cast<std::size_t>(open - all.begin()));
    }
    return all.empty() ? Entry{} : all[list_.at()];
}

void LessonsView::choose(std::size_t track)
{
    track_ = track;
    list_.choose("");
}

void LessonsView::begin(const Frame& frame, const Entry& entry, Out& out) const
{
    const CourseTrack* chosen = track(frame);
    if (entry.lesson != nullptr)
    {
        out.push(StartLesson{entry.lesson->id, chosen == nullptr ? "" : chosen->id});
    }
    else if (entry.part->drill_minutes > 0)
    {
        out.push(StudyAction{StartDrill{drill_of(*entry.part), ""}});
        out.push(OpenView{"drill"});
    }
    else
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

// Number or tick, title, what it is about where there is room, topic and minutes.
void draw_entry(const Frame& frame, const Painter& p, Rect row, const Entry& entry, bool selected)
{
    const Theme& t = p.theme;
    const Lesson* lesson = entry.lesson;
    row = {row.x + p.px(12), row.y, row.w - p.px(28), row.h};
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
    if (lesson != nullptr && row.w > p.px(560))
    {
        const Rect topic = row.cut_right(p.px(120));
        p.text_within(topic.x, topic.middle(), topic.w, Type::small, t.muted, lesson->topic);
        row.cut_right(p.px(16));
    }
    const ViewInfo* view = lesson == nullptr ? nullptr : find_view(lesson->steps.front().view);
    if (view != nullptr && row.w > p.px(400)) // of the picture that it begins with
    {
        const Rect icon = row.cut_left(p.px(48));
        group_icon(p, {icon.x + p.px(16), icon.middle()}, name_of(view->group), t.muted);
    }
    const bool two = lesson != nullptr && row.h >= p.px(44);
    p.text_within(row.x, row.middle() - p.px(two ? 9 : 0), row.w, selected ? Type::body_strong : Type::body,
                  t.text, lesson == nullptr ? practice_words(*entry.part) : lesson->title);
    p.text_within(row.x, row.middle() + p.px(12), row.w, Type::small, t.muted,
                  two ? lesson->about : std::string());
}

void LessonsView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (!has_lessons(frame))
    {
        empty_state(painter, area, "There are no lessons here.",
                    "They are read from the folder lessons next to the assets.");
        return;
    }
    draw_tracks(frame, painter, area);
    chosen(frame);
    const std::vector<Entry> all = entries(frame);
    ListParts parts;
    parts.height = track_ == 0 ? 52 : 44;
    parts.row = [&](const Painter& p, Rect row, std::size_t i, bool selected, bool hovered)
    {
        list_row(p, row, selected, hovered);
        draw_entry(frame, p, row, all[i], selected);
    };
    if (list_.draw_rows(painter, area, parts).pressed)
    {
        begin(frame, chosen(frame), out);
    }
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
    const Entry entry = chosen(frame);
    Sheet sheet(painter, area);
    if (const CourseTrack* of = track(frame))
    {
        sheet.words(Type::small_strong, painter.theme.muted, of->title);
        sheet.gap(8);
        sheet.note(of->about);
        sheet.gap(16);
    }
    const Lesson* lesson = entry.lesson;
    sheet.name(lesson == nullptr ? entry.part->title : lesson->title);
    sheet.gap(8);
    sheet.text(lesson == nullptr ? practice_words(*entry.part) : lesson->about);
    sheet.gap(8);
    if (lesson != nullptr)
    {
        sheet.note(fmt::format("{} steps, about {:.0f} minutes", lesson->steps.size(), lesson->minutes));
        for (const std::string& id : lesson->prerequisites)
        {
            if (const Lesson* before = frame.course->course.lesson(id))
            {
                sheet.gap(8);
                sheet.note(fmt::format(
                    "{} {}", is_done(frame, *before) ? "After, done:" : "Better after:", before->title));
            }
        }
    }
    sheet.gap(16);
    if (sheet.button("Begin###begin lesson", "Enter", ButtonStyle::primary, 48))
    {
        begin(frame, entry, out);
    }
    return true;
}

void LessonsView::on_keys(const Frame& frame, Out& out)
{
    if (!has_lessons(frame))
    {
        return;
    }
    View::on_keys(frame, out);
    chosen(frame);
    out.animating = list_.keys() || out.animating;
}

ViewKeys LessonsView::keys()
{
    const auto start = [this](const KeyPress& k) { begin(k.frame, chosen(k.frame), k.out); };
    const auto turn_to = [this](const KeyPress& k)
    {
        if (k.which <= k.frame.course->course.tracks.size())
        {
            choose(k.which);
        }
    };
    return {{"\u2191 \u2193", "Another lesson"},
            {"Enter", "Begin it", start},
            {"1 to 4", "The whole course, or a track", turn_to}};
}

} // namespace

extern const ViewInfo lessons_view{
    10,
    "lessons",
    ViewGroup::study,
    "Lessons",
    "Lessons",
    "Guided lessons: predict, then see; each ends with something broken to repair",
    {},
    make_view<LessonsView>};

} // namespace ringside
