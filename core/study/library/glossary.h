// The words of the field, each with what it means, its formula and source, and where it is seen here.
// Reading, what must hold, and finding; lesson_course.h keeps them with the lessons.
#pragma once

#include "core/study/lessons/lesson.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct GlossaryTerm
{
    std::string id;                   // "all-reduce"
    std::string term;                 // "All-reduce"
    std::vector<std::string> also;    // other names, abbreviations and symbols
    std::string text;                 // one or two sentences
    std::string formula;              // may be empty
    std::string source;               // paper and section; empty where it comes from none
    std::string view;                 // id of the view where it is seen; may be empty
    std::string lesson;               // id of the lesson about it; may be empty
    std::vector<std::string> related; // ids
};

// Schema ringside.glossary/1, by name whatever their order in the file; every fault by its path.
Result<std::vector<GlossaryTerm>> read_glossary(const nlohmann::json& file);

// Related terms, views and lessons are there. Views and lessons are not checked where none are given.
Issues check_glossary(std::span<const GlossaryTerm> terms, std::span<const Lesson> course,
                      std::span<const std::string_view> views);

// Null where there is none of this id.
const GlossaryTerm* find_term(std::span<const GlossaryTerm> terms, std::string_view id);

// Indices of the terms that fit what was typed, the closest first; all of them for nothing typed.
std::vector<std::size_t> search_terms(std::span<const GlossaryTerm> terms, std::string_view query);
// Those whose names are the fewest letters away, for when nothing fits.
std::vector<std::size_t> nearest_terms(std::span<const GlossaryTerm> terms, std::string_view query,
                                       std::size_t count);

// What a list by the alphabet puts it under: "A", or "0-9".
std::string initial_of(const GlossaryTerm& term);

} // namespace ringside
