// The fields that belong to one kind of question, and the scenario that several files have. Inside of the
// readers of study files.
#pragma once

#include "core/study/family.h"
#include "core/study/json_reader.h"

namespace ringside
{

// Reads what variant.kind has: key and mistakes, choices, items, causes, levels.
void read_kind(JsonReader& reader, QuestionVariant& variant);
// The field "scenario", where there is one.
void read_scenario(JsonReader& reader, std::optional<ScenarioSpec>& scenario);

} // namespace ringside
