#include "core/study/lessons/lesson_course.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/find_by.h"
#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Numbers the lessons by their place. A place of a lesson that is not there is a fault, unless its file has
// one.
void put_in_order(Course& course, const std::vector<std::string>& ids, const std::set<std::string>& faulty,
                  Issues& issues)
{
    auto names = list_of<std::string>(course.lessons, &Lesson::id);
    for (std::size_t i = 0; i < ids.size(); ++i)
    {
        if (course.lesson(ids[i]) == nullptr && !faulty.contains(ids[i]))
        {
            issues.push_back({fmt::format("lessons/course.json: lessons[{}]", i),
                              fmt::format("there is no lesson \"{}\"", ids[i]),
                              did_you_mean(ids[i], names, "take it out")});
        }
    }
    const auto place = [&ids](const Lesson& l) { return std::ranges::find(ids, l.id) - ids.begin(); };
    std::ranges::stable_sort(course.lessons, {}, place);
    for (std::size_t i = 0; i < course.lessons.size(); ++i)
    {
        course.lessons[i].number = static_cast<int>(i) + 1;
    }
}

// Each id is given once, and what a lesson needs comes before it.
Issues check_order(const Course& course)
{
    Issues issues;
    std::set<std::string, std::less<>> seen;
    for (const Lesson& lesson : course.lessons)
    {
        for (const std::string& id : lesson.prerequisites)
        {
            if (!seen.contains(id))
            {
                add_below(issues,
                          {{"prerequisites", fmt::format("\"{}\" is no lesson before this one", id),
                            "name one that comes earlier in the course"}},
                          file_name(lesson));
            }
        }
        if (!seen.insert(lesson.id).second)
        {
            add_below(issues,
                      {{"id", fmt::format("\"{}\" is another lesson's", lesson.id), "use one of its own"}},
                      file_name(lesson));
        }
    }
    return issues;
}

} // namespace

Result<std::vector<std::string>> read_course_order(const nlohmann::json& file)
{
    using Ids = std::vector<std::string>;
    const JsonTable<Ids> table{{
        json_schema<Ids>("ringside.course/1"),
        {"lessons", std::identity(), kNeeded},
    }};
    Issues issues;
    Ids ids;
    table.read({file, "", issues}, ids);
    return issues.empty() ? Result(std::move(ids)) : Result<Ids>(std::move(issues));
}

const Lesson* Course::lesson(std::string_view id) const
{
    return find_by(lessons, id, &Lesson::id);
}

std::string file_name(const Lesson& lesson)
{
    return fmt::format("lessons/{}/{}.json", lesson.topic, lesson.id);
}

Course load_course(const std::filesystem::path& folder, Issues& issues)
{
    Course course;
    std::set<std::string> faulty;
    for (const auto& file : json_files(folder))
    {
        if (file.parent_path() == folder)
        {
            continue;
        }
        const auto parsed = read_json_file(file);
        auto lesson = parsed ? lesson_from_json(*parsed, file) : Result<Lesson>(parsed.issues());
        if (lesson)
        {
            course.lessons.push_back(std::move(*lesson));
            continue;
        }
        faulty.insert(file.stem().string());
        add_below(issues, lesson.issues(), "lessons/" + file.lexically_relative(folder).generic_string());
    }
    std::vector<std::string> ids; // none: by their paths
    std::error_code none;
    if (std::filesystem::exists(folder / "course.json", none))
    {
        const auto document = read_json_file(folder / "course.json");
        const auto order = document ? read_course_order(*document) : document.issues();
        add_below(issues, order ? Issues() : order.issues(), "lessons/course.json");
        ids = order ? *order : ids;
    }
    put_in_order(course, ids, faulty, issues);
    append(issues, check_order(course));
    return course;
}

Issues check_place(const Lesson& lesson, const Course& course)
{
    Issues issues;
    std::vector<std::string> before;
    // The lesson takes the place of the one with its id; a new one comes last.
    for (const Lesson& other : course.lessons)
    {
        if (other.id == lesson.id)
        {
            break;
        }
        before.push_back(other.id);
    }
    const auto refuse = [&](std::string_view says, std::string hint) {
        issues.push_back({"prerequisites", std::string(says), std::move(hint)});
    };
    for (const std::string& id : lesson.prerequisites)
    {
        if (id == lesson.id)
        {
            refuse(fmt::format("\"{}\" is this lesson itself", id), "leave it out");
        }
        else if (course.lesson(id) == nullptr)
        {
            refuse(fmt::format("there is no lesson \"{}\"", id),
                   did_you_mean(id, before, "ringside lesson list names them"));
        }
        else if (std::ranges::find(before, id) == before.end())
        {
            refuse(fmt::format("\"{}\" is no lesson before this one", id),
                   "name one that comes earlier in the course");
        }
    }
    return issues;
}

Issues check_course(const Course& course, const Presets& presets, std::span<const std::string_view> views)
{
    Issues issues;
    for (const Lesson& lesson : course.lessons)
    {
        const auto plan = plan_lesson(lesson, presets, views);
        if (!plan)
        {
            add_below(issues, plan.issues(), file_name(lesson));
        }
    }
    append(issues, check_tracks(course.tracks, course.lessons));
    append(issues, check_glossary(course.glossary, course.lessons, views));
    append(issues, views.empty() ? Issues() : check_guide(course.guide, views));
    return issues;
}

} // namespace ringside
