// Where the project's own files lie, for tests that read them. Known to one source file only, so that all
// others compile alike in every clone and a compiler cache serves them all.
#pragma once

#include <string>
#include <string_view>

namespace ringside::test
{

// "assets" -> "/where/the/project/is/assets"
std::string source_path(std::string_view file);

} // namespace ringside::test
