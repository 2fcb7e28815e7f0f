// The fields that belong to one kind of question. Inside of family_json.cpp.
#pragma once

#include "core/study/family.h"
#include "core/study/json_reader.h"

namespace ringside
{

// Reads what variant.kind has: key and mistakes, choices, items, causes, levels.
void read_kind(JsonReader& reader, QuestionVariant& variant);

} // namespace ringside
