// Reading files with a limit: what a program comes with, what it has kept, and what a user names. Never
// waits for a pipe or reads on for ever where a plain file is expected.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ringside
{

// What a kind of file is known by.
struct FileKind
{
    std::size_t limit = 0;                         // [B]
    std::string_view begins = {};                  // every one of them does
    std::string_view hint = "give a smaller file"; // where it does not, or is too large
    bool plain = false;                            // neither a pipe nor a device, and no standard input
};
// The whole file, or standard input for "-". What is over the limit is refused without being read, and what
// begins otherwise after its first bytes, so that /dev/zero ends long before a limit of gigabytes.
Result<std::string> read_text(const std::string& path, const FileKind& kind);
// Reads a file of the assets or the program's own: a plain file, without its name before the faults.
Result<std::string> read_plain(const std::filesystem::path& file, std::size_t limit);

// Follows from the bytes in their order, to find out whether any has changed.
std::uint64_t checksum(std::string_view bytes);

} // namespace ringside
