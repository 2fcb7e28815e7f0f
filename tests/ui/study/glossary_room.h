// A user with the real glossary and lessons.
#pragma once

#include "tests/source_path.h"
#include "tests/ui/words.h"

#include "app/files/lesson_files.h"

#include <catch2/catch_test_macros.hpp>

namespace ringside::test
{

// Everything the assets have; read once.
inline const Course& whole_course()
{
    static const Course course = []
    {
        Issues issues;
        Course read = open_course(test::source_path("assets"), issues);
        REQUIRE(issues.empty());
        return read;
    }();
    return course;
}

inline void give_course(Window& w)
{
    w.session().set_course(whole_course(), {});
    w.frames(2);
}

// The words a term is explained with are on the screen; a term's id is its name in the file.
inline bool explains(const Window& w, std::string_view id)
{
    const GlossaryTerm* term = find_term(whole_course().glossary, id);
    return term != nullptr && says(w, std::string_view(term->text).substr(0, 40));
}

} // namespace ringside::test
