// What the tables of question and errata files have in common.
#pragma once

#include "core/base/json/json_table.h"
#include "core/study/questions/family.h"

namespace ringside
{

// Longer texts and lists are refused: files may come from anybody.
inline constexpr JsonLimits kStudyLimits{.letters = 4000, .entries = 64};

std::optional<Issue> no_id(std::string_view text);   // small letters, digits, dashes
std::optional<Issue> no_unit(std::string_view text); // of study_units()

inline constexpr JsonRule kIdRule{.needed = true, .check = no_id};
inline constexpr JsonRule kExpressionRule{.needed = true, .expression = true};
inline constexpr JsonRule kUnitRule{.check = no_unit};
inline constexpr JsonRule kNeededUnit{
    .needed = true, .may_be_empty = true, .check = no_unit, .hint = "give one; \"\" for a count"};

const JsonTable<ScenarioSpec>& scenario_spec_table();
// [low, high], two numbers; nothing and a fault where it is anything else.
std::optional<std::array<double, 2>> read_ends(const JsonPlace& place, const char* hint);
// What variant.kind has: key and mistakes, choices, items, causes, levels.
const JsonTable<QuestionVariant>& table_of(QuestionKind kind);

} // namespace ringside
