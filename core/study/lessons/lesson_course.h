// The course: every lesson of a folder, one JSON file each, their order, and what must hold between them.
#pragma once

#include "core/study/lessons/lesson_plan.h"
#include "core/study/lessons/tracks.h"
#include "core/study/library/glossary.h"
#include "core/study/library/guide.h"

#include <filesystem>
#include <set>

namespace ringside
{

struct Course
{
    std::vector<Lesson> lessons; // in order
    std::vector<CourseTrack> tracks;
    std::vector<GlossaryTerm> glossary; // by name
    Guide guide;

    const Lesson* lesson(std::string_view id) const;
};

// Reads folder/TOPIC/id.json, in the order that folder/course.json gives; those it does not name come last,
// by path. No tracks, no glossary, no guide. Files with faults are left out and reported in `issues`, each
// with file and path. Faults between lessons: an id given twice, a prerequisite that is not there or comes
// later.
Course load_course(const std::filesystem::path& folder, Issues& issues);

// The ids of lessons/course.json, schema ringside.course/1.
Result<std::vector<std::string>> read_course_order(const nlohmann::json& file);

// The faults of every lesson's plan: "lessons/network/collectives.json: steps[2].predict.truth: ...", of the
// tracks, the glossary and the guide. Views and what names them are not checked where none are given.
Issues check_course(const Course& course, const Presets& presets, std::span<const std::string_view> views);

// The faults of a lesson's place among the others: a prerequisite that is no lesson, comes later or is the
// lesson itself. The lesson need not be one of the course, and takes the place of the one with its id.
Issues check_place(const Lesson& lesson, const Course& course);

std::string file_name(const Lesson& lesson);

} // namespace ringside
