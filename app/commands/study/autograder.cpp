#include "app/commands/study/autograder.h"

#include <fmt/format.h>

#include "app/files/files.h"

#include <fstream>
#include <set>
#include <system_error>

namespace ringside
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view kSetup = "#!/bin/sh\n# Nothing to install: the program brings its libraries.\n";

// `loader` is the dynamic loader's name in lib/.
std::string run_script(const std::string& loader)
{
    return fmt::format(R"(#!/bin/sh
# Grades what was handed in. Gradescope calls it with everything below /autograder.
root=${{AUTOGRADER_ROOT:-/autograder}}
here=$root/source
mkdir -p "$root/results"
set -- assignment grade "$here/assignment.json" "$root/submission" --gradescope "$root/results/results.json"
if [ -f "$root/submission_metadata.json" ]; then
    set -- "$@" --metadata "$root/submission_metadata.json"
fi
"$here/lib/{}" --library-path "$here/lib" "$here/ringside" --assets "$here/assets" "$@"
[ -f "$root/results/results.json" ]
)",
                       loader);
}

// Files that the process has mapped and may run: libraries and their loader.
std::set<fs::path> mapped_libraries()
{
    std::set<fs::path> libraries;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
    {
        const auto at = line.find('/');
        if (at != std::string::npos && line.find("r-xp") != std::string::npos &&
            line.find(".so", at) != std::string::npos)
        {
            libraries.insert(line.substr(at));
        }
    }
    return libraries;
}

Issue no_copy(const fs::path& from, const std::string& why)
{
    return {from.string(), why, "make the autograder where all of the program is there"};
}

void copy_into(const fs::path& from, const fs::path& to, Issues& issues)
{
    std::error_code error;
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error)
    {
        issues.push_back(no_copy(from, error.message()));
    }
}

void save_script(const fs::path& file, std::string_view text, Issues& issues)
{
    append(issues, save_text(file, text));
    std::error_code error;
    fs::permissions(file,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                        fs::perms::others_read | fs::perms::others_exec,
                    error);
}

} // namespace

Issues pack_autograder(const fs::path& assignment, const fs::path& assets, const fs::path& folder)
{
    std::error_code error;
    if (fs::exists(folder) && !fs::is_empty(folder, error))
    {
        return {{"--output", fmt::format("\"{}\" is not empty", folder.string()), "name a new folder"}};
    }
    Issues issues;
    fs::create_directories(folder / "lib", error);
    std::string loader;
    for (const fs::path& library : mapped_libraries())
    {
        copy_into(library, folder / "lib" / library.filename(), issues);
        loader = library.filename().string().starts_with("ld-") ? library.filename().string() : loader;
    }
    copy_into("/proc/self/exe", folder / "ringside", issues);
    copy_into(assets, folder / "assets", issues);
    const fs::path lessons = fs::exists(assets / "lessons") ? assets / "lessons" : assets / ".." / "lessons";
    copy_into(lessons, folder / "lessons", issues);
    copy_into(assignment, folder / "assignment.json", issues);
    save_script(folder / "setup.sh", kSetup, issues);
    save_script(folder / "run_autograder", run_script(loader), issues);
    return issues;
}

} // namespace ringside
