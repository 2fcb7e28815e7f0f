#include "core/study/lesson_course.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ringside
{

namespace
{

void add(Issues& issues, const Issues& more, const std::string& file)
{
    for (const Issue& issue : more)
    {
        issues.push_back({issue.path.empty() ? file : file + ": " + issue.path, issue.message, issue.hint,
                          issue.severity});
    }
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    {
        if (entry.path().extension() == ".json")
        {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Number and id are each given once, and what a lesson needs comes before it.
Issues check_order(const Course& course)
{
    Issues issues;
    std::set<std::string, std::less<>> seen;
    int last = -1;
    for (const Lesson& lesson : course.lessons)
    {
        for (const std::string& id : lesson.prerequisites)
        {
            if (!seen.contains(id))
            {
                add(issues,
                    {{"prerequisites", fmt::format("\"{}\" is no lesson before this one", id),
                      "name one that comes earlier in the course"}},
                    file_name(lesson));
            }
        }
        if (!seen.insert(lesson.id).second)
        {
            add(issues, {{"id", fmt::format("\"{}\" is another lesson's", lesson.id), "use one of its own"}},
                file_name(lesson));
        }
        if (lesson.number == last)
        {
            add(issues, {{"", fmt::format("{} is another lesson's number", last), "renumber one of the two"}},
                file_name(lesson));
        }
        last = lesson.number;
    }
    return issues;
}

} // namespace

const Lesson* Course::lesson(std::string_view id) const
{
    const auto found =
        std::find_if(lessons.begin(), lessons.end(), [id](const Lesson& l) { return l.id == id; });
    return found == lessons.end() ? nullptr : &*found;
}

std::string file_name(const Lesson& lesson)
{
    return fmt::format("lessons/{:02}-{}.json", lesson.number, lesson.id);
}

Course load_course(const std::filesystem::path& folder, Issues& issues)
{
    Course course;
    for (const auto& file : files_in(folder))
    {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        const auto parsed = parse_json(text.str());
        auto lesson =
            parsed ? lesson_from_json(*parsed, file.stem().string()) : Result<Lesson>(parsed.issues());
        if (lesson)
        {
            course.lessons.push_back(std::move(*lesson));
        }
        else
        {
            add(issues, lesson.issues(), "lessons/" + file.filename().string());
        }
    }
    std::stable_sort(course.lessons.begin(), course.lessons.end(),
                     [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
    const Issues between = check_order(course);
    issues.insert(issues.end(), between.begin(), between.end());
    return course;
}

Issues check_place(const Lesson& lesson, const Course& course)
{
    Issues issues;
    std::vector<std::string> before;
    for (const Lesson& other : course.lessons)
    {
        if (other.number < lesson.number && other.id != lesson.id)
        {
            before.push_back(other.id);
        }
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
            const std::string near = nearest_word(id, before);
            refuse(fmt::format("there is no lesson \"{}\"", id),
                   near.empty() ? "ringside lesson list names them"
                                : fmt::format("did you mean \"{}\"?", near));
        }
        else if (std::find(before.begin(), before.end(), id) == before.end())
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
            add(issues, plan.issues(), file_name(lesson));
        }
    }
    const Issues of_tracks = check_tracks(course.tracks, course.lessons);
    issues.insert(issues.end(), of_tracks.begin(), of_tracks.end());
    const Issues of_glossary = check_glossary(course.glossary, course.lessons, views);
    issues.insert(issues.end(), of_glossary.begin(), of_glossary.end());
    const Issues of_guide = views.empty() ? Issues() : check_guide(course.guide, views);
    issues.insert(issues.end(), of_guide.begin(), of_guide.end());
    return issues;
}

} // namespace ringside
