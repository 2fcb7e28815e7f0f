#include "app/lesson_command.h"

#include <fmt/format.h>

#include "app/input.h"
#include "app/lesson_files.h"
#include "core/base/place.h"
#include "ui/shell/view.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace ringside
{

using nlohmann::json;

namespace
{

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
            {"topics", lesson.topics},
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
    say("{:>3}  {:<18} {:<40} {:>2.0f} min  {}\n", lesson.number, lesson.id, lesson.title, lesson.minutes,
        fmt::join(lesson.concepts, " "));
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

json of_part(const TrackPart& part, const Course& course, bool as_json)
{
    const double minutes = minutes_of(part, course.lessons);
    if (as_json)
    {
        return {{"title", part.title},
                {"minutes", minutes},
                {"lessons", part.lessons},
                {"drill", {{"topics", part.topics}, {"minutes", part.drill_minutes}}},
                {"mock_minutes", part.mock_minutes}};
    }
    say("\n{}, {:.0f} min\n", part.title, minutes);
    for (const std::string& id : part.lessons)
    {
        if (const Lesson* lesson = course.lesson(id))
        {
            print_row(*lesson);
        }
    }
    print_practice(part);
    return {};
}

int list_track(const Course& course, const std::string& id, bool as_json)
{
    const CourseTrack* track = find_track(course.tracks, id);
    if (track == nullptr)
    {
        std::vector<std::string> ids;
        for (const CourseTrack& other : course.tracks)
        {
            ids.push_back(other.id);
        }
        return print_faults({{"--track", fmt::format("there is no track \u201c{}\u201d", id),
                              fmt::format("use one of {}", fmt::join(ids, ", "))}});
    }
    if (!as_json)
    {
        say("{}: {}\n", track->title, track->about);
    }
    json parts = json::array();
    double minutes = 0;
    for (const TrackPart& part : track->parts)
    {
        parts.push_back(of_part(part, course, as_json));
        minutes += minutes_of(part, course.lessons);
    }
    if (as_json)
    {
        fmt::print("{}\n", json{{"track", track->id},
                                {"title", track->title},
                                {"about", track->about},
                                {"minutes", minutes},
                                {"parts", parts}}
                               .dump(2));
        return kDone;
    }
    say("\n{} lessons, {:.0f} min\n", track->lessons().size(), minutes);
    return kDone;
}

int unknown_lesson(const Course& course, const std::string& id)
{
    std::vector<std::string> ids;
    for (const Lesson& lesson : course.lessons)
    {
        ids.push_back(lesson.id);
    }
    const std::string near = nearest_word(id, ids);
    return print_faults(
        {{"lesson", fmt::format("there is no lesson \u201c{}\u201d", id),
          near.empty() ? fmt::format("use one of {}", fmt::join(ids, ", ")) : "did you mean " + near + "?"}});
}

} // namespace

int run_lesson_list(const CommonOptions& options, const std::string& track)
{
    const auto opened = open_presets(options);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    Issues issues;
    const Course course = open_course(opened->assets, issues);
    print_faults(issues);
    if (!track.empty())
    {
        return list_track(course, track, options.json);
    }
    json all = json::array();
    for (const Lesson& lesson : course.lessons)
    {
        all.push_back(about(lesson, course));
        if (!options.json)
        {
            print_row(lesson);
        }
    }
    if (options.json)
    {
        fmt::print("{}\n", json{{"lessons", all}}.dump(2));
    }
    return kDone;
}

int run_lesson_show(const CommonOptions& options, const std::string& id)
{
    const auto opened = open_presets(options);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    Issues issues;
    const Course course = open_course(opened->assets, issues);
    const Lesson* lesson = course.lesson(id);
    if (lesson == nullptr)
    {
        print_faults(issues);
        return unknown_lesson(course, id);
    }
    const auto plan = plan_lesson(*lesson, opened->presets, view_places());
    if (!plan)
    {
        return print_faults(plan.issues(), file_name(*lesson));
    }
    json out = about(*lesson, course);
    if (!options.json)
    {
        say("{}. {}\n{}\n", lesson->number, lesson->title, lesson->about);
    }
    for (std::size_t i = 0; i < plan->steps.size(); ++i)
    {
        out["steps"].push_back(step_json(*plan, i));
        if (!options.json)
        {
            print_step(i + 1, out["steps"].back());
        }
    }
    if (options.json)
    {
        fmt::print("{}\n", out.dump(2));
    }
    return kDone;
}

LessonCheck check_lessons(const std::filesystem::path& assets, const Presets& presets)
{
    LessonCheck check;
    const Course course = open_course(assets, check.issues);
    const Issues found = check_course(course, presets, view_places());
    check.issues.insert(check.issues.end(), found.begin(), found.end());
    check.count = course.lessons.size();
    check.terms = course.glossary.size();
    for (const Lesson& lesson : course.lessons)
    {
        for (const std::string& taught : lesson.concepts)
        {
            check.concepts[taught].insert(lesson.id);
        }
    }
    return check;
}

} // namespace ringside
