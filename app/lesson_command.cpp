#include "app/lesson_command.h"

#include <fmt/format.h>

#include "app/input.h"
#include "app/lesson_files.h"
#include "ui/shell/view.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace ringside
{

using nlohmann::json;

namespace
{

std::vector<std::string_view> view_ids()
{
    std::vector<std::string_view> ids;
    for (const ViewInfo* info : views())
    {
        ids.push_back(info->id);
    }
    return ids;
}

json about(const Lesson& lesson)
{
    return {{"id", lesson.id},
            {"number", lesson.number},
            {"title", lesson.title},
            {"about", lesson.about},
            {"minutes", lesson.minutes},
            {"concepts", lesson.concepts},
            {"track", lesson.tracks.empty() ? "" : lesson.tracks.front()},
            {"tracks", lesson.tracks},
            {"prerequisites", lesson.prerequisites}};
}

// What one step says and asks, with the engine's numbers in.
json step_json(const LessonPlan& plan, std::size_t index)
{
    const LessonStep& step = plan.lesson.steps[index];
    const StepPlan& planned = plan.steps[index];
    const StepWords words = words_of(plan, index, std::nullopt, planned.after, ByteUnit::decimal);
    json out{{"heading", step.heading}, {"text", words.text}, {"view", planned.view}};
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
    fmt::print("\n{}. {}  [{}]\n   {}\n", number, step["heading"].get<std::string>(),
               step["view"].get<std::string>(), step["text"].get<std::string>());
    if (step.contains("predict"))
    {
        fmt::print("   ? {}\n   = {}\n   {}\n", step["predict"]["question"].get<std::string>(),
                   step["predict"]["truth"].get<std::string>(), step["predict"]["reveal"].get<std::string>());
    }
    if (step.contains("task"))
    {
        fmt::print("   > {}\n     {}\n", step["task"]["goal"].get<std::string>(),
                   step["task"]["hint"].get<std::string>());
    }
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

int run_lesson_list(const CommonOptions& options)
{
    const auto opened = open_presets(options);
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    Issues issues;
    const Course course = open_course(opened->assets, issues);
    print_faults(issues);
    json all = json::array();
    for (const Lesson& lesson : course.lessons)
    {
        all.push_back(about(lesson));
        if (!options.json)
        {
            fmt::print("{:>3}  {:<14} {:<40} {:>2.0f} min  {}\n", lesson.number, lesson.id, lesson.title,
                       lesson.minutes, fmt::join(lesson.concepts, " "));
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
    const auto plan = plan_lesson(*lesson, opened->presets, view_ids());
    if (!plan)
    {
        return print_faults(plan.issues(), file_name(*lesson));
    }
    json out = about(*lesson);
    if (!options.json)
    {
        fmt::print("{}. {}\n{}\n", lesson->number, lesson->title, lesson->about);
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
    const Issues found = check_course(course, presets, view_ids());
    check.issues.insert(check.issues.end(), found.begin(), found.end());
    check.count = course.lessons.size();
    for (const Lesson& lesson : course.lessons)
    {
        check.concepts.insert(lesson.concepts.begin(), lesson.concepts.end());
    }
    return check;
}

} // namespace ringside
