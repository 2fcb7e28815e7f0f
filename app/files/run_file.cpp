#include "app/files/run_file.h"

#include "app/files/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ringside
{

namespace
{

constexpr std::size_t kMostRunFiles = 4096; // a dump of each rank

class FileBytes final : public ByteSource
{
public:
    explicit FileBytes(const std::string& name) : in_(name, std::ios::binary) {}
    std::size_t read(char* to, std::size_t most) override
    {
        in_.read(to, static_cast<std::streamsize>(most));
        return static_cast<std::size_t>(in_.gcount());
    }

private:
    std::ifstream in_;
};

RunFile file_of(const std::string& name)
{
    std::error_code fault;
    const auto bytes = std::filesystem::file_size(name, fault);
    return {name, [name] { return std::make_unique<FileBytes>(name); },
            fault ? 0 : static_cast<std::int64_t>(bytes)};
}

void add_folder(const std::string& folder, std::vector<RunFile>& files)
{
    std::vector<std::string> names;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
    {
        if (entry.is_regular_file(fault) && names.size() < kMostRunFiles)
        {
            names.push_back(entry.path().string());
        }
    }
    std::ranges::sort(names);
    std::ranges::transform(names, std::back_inserter(files), file_of);
}

} // namespace

Result<std::vector<RunFile>> run_files(const std::vector<std::string>& names)
{
    std::vector<RunFile> files;
    Issues issues;
    for (const std::string& name : names)
    {
        std::error_code fault;
        if (std::filesystem::is_directory(name, fault))
        {
            add_folder(name, files);
        }
        else if (std::filesystem::is_regular_file(name, fault) && std::ifstream(name).good())
        {
            files.push_back(file_of(name));
        }
        else
        {
            // A pipe, standard input, or nothing, which is a fault in the words of every command.
            auto text = read_text(name, {kMostLogBytes});
            if (!text)
            {
                add_below(issues, text.issues(), name);
                continue;
            }
            files.push_back(run_file(name, std::move(*text)));
        }
    }
    return issues.empty() ? Result<std::vector<RunFile>>(std::move(files))
                          : Result<std::vector<RunFile>>(issues);
}

bool is_of_run(const std::vector<RunFile>& files)
{
    return std::ranges::any_of(files, [](const RunFile& file)
                               { return !kind_of_run(take_all(*file.open(), kRunHead).text).empty(); });
}

} // namespace ringside
