#include "core/base/text/folder.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace ringside
{

namespace
{

struct Closed
{
    void operator()(DIR* folder) const { closedir(folder); }
};

void add_files(const std::filesystem::path& folder, std::vector<std::filesystem::path>& files)
{
    const std::unique_ptr<DIR, Closed> open(opendir(folder.c_str()));
    for (const dirent* entry = open ? readdir(open.get()) : nullptr; entry != nullptr;
         entry = readdir(open.get()))
    {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..")
        {
            continue;
        }
        const std::filesystem::path path = folder / name;
        std::error_code none;
        const auto status = std::filesystem::symlink_status(path, none);
        if (std::filesystem::is_directory(status))
        {
            add_files(path, files);
        }
        else if (std::filesystem::exists(status))
        {
            files.push_back(path);
        }
    }
}

} // namespace

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    add_files(folder, files);
    std::ranges::sort(files);
    return files;
}

} // namespace ringside
