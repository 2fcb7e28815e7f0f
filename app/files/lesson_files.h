// Lessons on disk: where they are, and which ones a user has finished
// ($XDG_CONFIG_HOME/ringside/lessons.json).
#pragma once

#include "core/study/lessons/lesson_course.h"

namespace ringside
{

// Every lesson beside the presets: `assets`/lessons of an installation, `assets`/../lessons of a source tree.
// Tracks and glossary are those of assets/study, the guide's pages those of assets/guide. Faults are added to
// `issues`; a folder that is not there is a course of no lessons.
Course open_course(const std::filesystem::path& assets, Issues& issues);

// What lessons, questions, guide and study data say against assets/study/style.json.
Issues check_words(const std::filesystem::path& assets);

// Ids of finished lessons; none where there is no file, and a warning where it cannot be read.
std::set<std::string> load_finished(Issues& issues);
Issues save_finished(const std::set<std::string>& ids);

} // namespace ringside
