// The files of a folder. Not by std::filesystem's iterators: those of libstdc++ end the program where memory
// runs out, since increment() is noexcept and allocates.
#pragma once

#include <filesystem>
#include <vector>

namespace ringside
{

// Every file below the folder, those of its folders too, sorted by path; links are not followed. A folder
// that is not there or cannot be read is empty.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

} // namespace ringside
