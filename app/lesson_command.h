// `ringside lesson list` and `lesson show ID`, and what `check` says of lessons.
#pragma once

#include "app/commands.h"
#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/study/coverage.h"

#include <filesystem>
#include <set>
#include <string>

namespace ringside
{

// Of one track in its order, by part; the whole course without one.
int run_lesson_list(const CommonOptions& options, const std::string& track);
int run_lesson_show(const CommonOptions& options, const std::string& id);

struct LessonCheck
{
    std::size_t count = 0;
    std::size_t terms = 0; // of the glossary
    LessonsByConcept concepts;
    Issues issues; // every fault of every lesson, worked out by the engine
};
LessonCheck check_lessons(const std::filesystem::path& assets, const Presets& presets);

} // namespace ringside
