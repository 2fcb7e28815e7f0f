#include "core/base/json_files.h"

#include "core/base/json_text.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace ringside
{

std::optional<std::string> read_file(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return in ? std::optional(text.str()) : std::nullopt;
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none))
    {
        if (entry.path().extension() == ".json")
        {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files, {}, [](const auto& file) { return std::pair(file.filename(), file); });
    return files;
}

void each_json(const std::filesystem::path& folder, Issues& issues, const TakeJson& take)
{
    for (const auto& file : json_files(folder))
    {
        const auto parsed = parse_json(read_file(file).value_or(""));
        add_below(issues, parsed ? take(*parsed, file.stem().string()) : parsed.issues(),
                  (folder.filename() / file.filename()).string());
    }
}

} // namespace ringside
