#include "core/base/json_files.h"

#include "core/base/json_text.h"
#include "core/base/read_text.h"

#include <algorithm>

namespace ringside
{

Result<nlohmann::json> read_json_file(const std::filesystem::path& file)
{
    const auto text = read_plain(file, kMaxJsonBytes);
    return text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
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
        const auto parsed = read_json_file(file);
        add_below(issues, parsed ? take(*parsed, file.stem().string()) : parsed.issues(),
                  (folder.filename() / file.filename()).string());
    }
}

} // namespace ringside
