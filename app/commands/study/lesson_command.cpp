// `ringside lesson list` and `lesson show ID`.
#include "app/commands/console/options.h"
#include "app/files/lesson_files.h"
#include "core/base/place.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

using nlohmann::json;

namespace
{

struct LessonOptions : CommonOptions
{
    std::string track; // of `list`: in its order, by part; empty: the whole course
    std::string id;
};

json about(const Lesson& lesson, const Course& course)
{
    json tracks = json::array();
    for (const CourseTrack& track : course.tracks)
    {
        if (std::ranges::count(track.lessons(), lesson.id) > 0)
        {
            tracks.push_back(track.id);
        }
    }
    return {{"id", lesson.id},
            {"number", lesson.number},
            {"title", lesson.title},
            {"about", lesson.about},
            {"minutes", lesson.minutes},
            {"concepts", lesson.concepts},
            {"track", tracks.empty() ? json("") : tracks.front()},
            {"tracks", tracks},
            {"topic", lesson.topic},
            {"prerequisites", lesson.prerequisites}};
}

// What one step says and asks, with the engine's numbers in.
json step_json(const LessonPlan& plan, std::size_t index)
{
    const LessonStep& step = plan.lesson.steps[index];
    const StepPlan& planned = plan.steps[index];
    const StepWords words = words_of(plan, index, std::nullopt, planned.after, ByteUnit::decimal);
    json out{{"heading", step.heading}, {"text", words.text}, {"view", view_of(planned.view)}};
    if (const std::string_view page = page_of(planned.view); !page.empty())
    {
        out["page"] = page;
    }
    if (step.predict)
    {
        const Prediction& p = *step.predict;
        const double truth = p.is_choice() ? static_cast<double>(planned.right) : planned.truth;
        out["predict"] = {{"question", words.question}, {"truth", said(p, truth)}, {"reveal", words.reveal}};
        if (!p.is_choice())
        {
            out["predict"]["value"] = planned.truth;
        }
    }
    if (step.task)
    {
        out["task"] = {{"goal", words.goal},
                       {"hint", words.hint},
                       {"condition", step.task->condition},
                       {"solution", step.task->solution.get()}};
    }
    return out;
}

void print_step(std::size_t number, const json& step)
{
    say("\n{}. {}  [{}]\n   {}\n", number, step["heading"].get<std::string>(),
        step["view"].get<std::string>(), step["text"].get<std::string>());
    if (step.contains("predict"))
    {
        say("   ? {}\n   = {}\n   {}\n", step["predict"]["question"].get<std::string>(),
            step["predict"]["truth"].get<std::string>(), step["predict"]["reveal"].get<std::string>());
    }
    if (step.contains("task"))
    {
        say("   > {}\n     {}\n", step["task"]["goal"].get<std::string>(),
            step["task"]["hint"].get<std::string>());
    }
}

void print_row(const Lesson& lesson)
{
    say("{:>3}  {:<18} {:<40} {:>2.0f} min\n", lesson.number, lesson.id, lesson.title, lesson.minutes);
}

void print_practice(const TrackPart& part)
{
    if (part.drill_minutes > 0)
    {
        say("     {:<59} {:>2} min  {}\n", "questions", part.drill_minutes, fmt::join(part.topics, " "));
    }
    if (part.mock_minutes > 0)
    {
        say("     {:<59} {:>2} min\n", "mock interview", part.mock_minutes);
    }
}

void print_part(const TrackPart& part, const Course& course)
{
    say("\n{}, {:.0f} min\n", part.title, minutes_of(part, course.lessons));
    for (const std::string& id : part.lessons)
    {
        if (const Lesson* lesson = course.lesson(id))
        {
            print_row(*lesson);
        }
    }
    print_practice(part);
}

int list_track(const Course& course, const std::string& id, bool as_json)
{
    const CourseTrack* track = find_track(course.tracks, id);
    if (track == nullptr)
    {
        return print_faults(
            {{"--track", fmt::format("there is no track \u201c{}\u201d", id),
              fmt::format("use one of {}", fmt::join(texts_of(course.tracks, &CourseTrack::id), ", "))}});
    }
    double minutes = 0;
    json parts = json::array();
    for (const TrackPart& part : track->parts)
    {
        minutes += minutes_of(part, course.lessons);
        parts.push_back({{"title", part.title},
                         {"minutes", minutes_of(part, course.lessons)},
                         {"lessons", part.lessons},
                         {"drill", {{"topics", part.topics}, {"minutes", part.drill_minutes}}},
                         {"mock_minutes", part.mock_minutes}});
    }
    if (as_json)
    {
        print_document({{"track", track->id},
                        {"title", track->title},
                        {"about", track->about},
                        {"minutes", minutes},
                        {"parts", parts}});
        return kDone;
    }
    say("{}: {}\n", track->title, track->about);
    for (const TrackPart& part : track->parts)
    {
        print_part(part, course);
    }
    say("\n{} lessons, {:.0f} min\n", track->lessons().size(), minutes);
    return kDone;
}

int run_lesson_list(const LessonOptions& o)
{
    const Opened& opened = open_presets(o);
    Issues issues;
    const Course course = open_course(opened.assets, issues);
    print_faults(issues);
    if (!o.track.empty())
    {
        return list_track(course, o.track, o.json);
    }
    if (o.json)
    {
        print_document(
            {{"lessons", json_list(course.lessons, [&](const Lesson& l) { return about(l, course); })}});
        return kDone;
    }
    std::ranges::for_each(course.lessons, print_row);
    return kDone;
}

int run_lesson_show(const LessonOptions& o)
{
    const Opened& opened = open_presets(o);
    Issues issues;
    const Course course = open_course(opened.assets, issues);
    const Lesson* lesson = course.lesson(o.id);
    if (lesson == nullptr)
    {
        append(issues, {unknown_word("lesson", "lesson ", o.id, texts_of(course.lessons, &Lesson::id))});
        return print_faults(issues);
    }
    const LessonPlan plan = or_end(plan_lesson(*lesson, opened.presets, view_places()), file_name(*lesson));
    json out = about(*lesson, course);
    out["steps"] = json_list(plan.steps.size(), [&](std::size_t i) { return step_json(plan, i); });
    if (o.json)
    {
        print_document(out);
        return kDone;
    }
    say("{}. {}\n{}\n", lesson->number, lesson->title, lesson->about);
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
    {
        print_step(i + 1, out["steps"][i]);
    }
    return kDone;
}

void add_list_lessons_options(CLI::App& app, LessonOptions& o)
{
    app.add_option("--track", o.track, "only lessons of this track, in its order");
    add_json(app, o);
}

void add_show_lesson_options(CLI::App& app, LessonOptions& o)
{
    app.add_option("ID", o.id, "lesson id")->required();
    add_json(app, o);
}

constexpr CliCommand kListLessons = command<add_list_lessons_options, run_lesson_list>(
    "list", "list every lesson in the order of the course");
constexpr CliCommand kShowLesson = command<add_show_lesson_options, run_lesson_show>(
    "show", "show a lesson's text with the engine's numbers");

} // namespace

const CliCommand lesson_command =
    group<kListLessons, kShowLesson>("lesson", "guided lessons: list them, show one");

} // namespace ringside
