// The parts of a progress file, shared by its reader and its salvage. Not for others.
#pragma once

#include "core/base/json/json_table.h"
#include "core/study/progress/progress.h"

#include <functional>

namespace ringside
{

inline constexpr std::string_view kProgressSchema = "ringside.progress/1";

// A list of the file and how one of its entries is read; an entry with a fault is left out.
struct ProgressSection
{
    const char* name;
    std::function<void(const JsonPlace&, Progress&)> read;
    std::function<std::string(const Progress&)> write; // ",\n\"name\": [...]"
};
std::span<const ProgressSection> progress_sections();

// What stands outside the lists.
void read_progress_settings(const nlohmann::json& file, ProgressRead& read);
// A file that is no JSON: whatever stands in it in one piece.
void salvage_progress(std::string_view text, ProgressRead& read);

} // namespace ringside
