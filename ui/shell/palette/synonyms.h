// What users call a field or a command besides its name: data for Ctrl K, in no text of the window; names of
// a view are in its page of the guide. tests/data/palette_queries.json holds what they ask, written without
// looking at this table.
#pragma once

#include <string_view>
#include <vector>

namespace ringside
{

// Synonyms of a field's path or a command's name; none for what is only called by its name.
std::vector<std::string_view> synonyms_of(std::string_view what);
// Everything the table has words for.
std::vector<std::string_view> with_synonyms();

} // namespace ringside
