// The arrows of ARCHITECTURE.md, read from the #include lines themselves: nothing points back.
#include "tests/source_path.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace
{

struct Include
{
    std::string file;   // "core/memory/memory.cpp"
    std::string target; // "core/base/units.h" or "imgui.h"
};

std::vector<Include> includes_of(const std::string& folder)
{
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    std::vector<Include> found;
    if (!fs::is_directory(root / folder))
    {
        return found;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    {
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".h" && extension != ".cu" && extension != ".cuh" &&
            extension != ".inc")
        {
            continue;
        }
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line);)
        {
            const auto hash = line.find_first_not_of(" \t");
            if (hash == std::string::npos || line[hash] != '#' ||
                line.find("include", hash) == std::string::npos)
            {
                continue;
            }
            const auto open = line.find_first_of("\"<");
            const auto close = line.find_first_of("\">", open + 1);
            if (open != std::string::npos && close != std::string::npos)
            {
                found.push_back({fs::relative(entry.path(), root).generic_string(),
                                 line.substr(open + 1, close - open - 1)});
            }
        }
    }
    return found;
}

// The first two folders of a path into our tree: "core/memory", "ui/views"; "" for anything of others.
std::string room_of(const std::string& path)
{
    static const std::set<std::string> ours{"core", "ui", "app", "tests"};
    const auto slash = path.find('/');
    if (slash == std::string::npos || !ours.contains(path.substr(0, slash)))
    {
        return {};
    }
    const auto second = path.find('/', slash + 1);
    return path.substr(0, second == std::string::npos ? slash : second);
}

bool is_window_library(const std::string& target)
{
    constexpr std::array<std::string_view, 10> kLibraries{"imgui", "implot", "glfw", "glad",     "gl/",
                                                          "egl",   "khr/",   "x11/", "ft2build", "freetype"};
    std::string lower = target;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::any_of(kLibraries.begin(), kLibraries.end(),
                       [&](std::string_view library) {
                           return lower.find(library) == 0 ||
                                  lower.find("/" + std::string(library)) != std::string::npos;
                       });
}

bool within(const std::string& room, const std::string& folder)
{
    return room == folder || room.starts_with(folder + "/");
}

// Where each type is defined that other sources can see: "ringside::Task" -> its files.
std::map<std::string, std::set<std::string>> types_of(const std::vector<std::string>& folders)
{
    static const std::regex kType("(struct|class|enum class) (\\w+)( final)?( : .*| \\{.*)?");
    static const std::regex kSpace("namespace ?([\\w:]*)( \\{)?");
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    std::map<std::string, std::set<std::string>> found;
    for (const std::string& folder : folders)
    {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        {
            std::vector<std::string> spaces; // "" is one without a name
            std::ifstream in(entry.path());
            std::smatch part;
            for (std::string line; std::getline(in, line);)
            {
                if (std::regex_match(line, part, kSpace))
                {
                    spaces.push_back(part[1]);
                }
                else if (line.starts_with("} // namespace") && !spaces.empty())
                {
                    spaces.pop_back();
                }
                else if (!spaces.empty() && std::find(spaces.begin(), spaces.end(), "") == spaces.end() &&
                         std::regex_match(line, part, kType))
                {
                    std::string name;
                    for (const std::string& space : spaces)
                    {
                        name += space + "::";
                    }
                    found[name + part[2].str()].insert(fs::relative(entry.path(), root).generic_string());
                }
            }
        }
    }
    return found;
}

// Whether a source is in one of the two rooms with threads, clocks and devices.
bool trains(const std::string& file)
{
    return file.starts_with("core/lab/trainer/") || file.starts_with("core/lab/ranks/");
}

} // namespace

// Two would be one to the linker, which keeps the functions of either.
TEST_CASE("no two types that sources share have one name")
{
    const auto types = types_of({"core", "ui", "app"});
    CHECK(types.size() > 500);
    for (const auto& [name, files] : types)
    {
        INFO(name << " in " << *files.begin() << " and " << *files.rbegin());
        CHECK(files.size() == 1);
    }
}

TEST_CASE("the core includes neither the ui, nor the app, nor tests, nor a window library")
{
    const auto includes = includes_of("core");
    REQUIRE(includes.size() > 100);
    for (const auto& [file, target] : includes)
    {
        INFO(file << " includes " << target);
        const std::string room = room_of(target);
        CHECK((room.empty() || within(room, "core")));
        CHECK_FALSE(is_window_library(target));
    }
}

TEST_CASE("the ui includes neither the app nor the trainer nor the parallel lab")
{
    for (const auto& [file, target] : includes_of("ui"))
    {
        INFO(file << " includes " << target);
        const std::string room = room_of(target);
        CHECK_FALSE(within(room, "app"));
        CHECK_FALSE(within(room, "tests"));
        CHECK_FALSE(trains(target));
    }
}

TEST_CASE("only the rooms that train, the app and tests know the trainer")
{
    for (const auto& [file, target] : includes_of("core"))
    {
        INFO(file << " includes " << target);
        CHECK((!target.starts_with("core/lab/trainer/") || trains(file)));
    }
}

TEST_CASE("nothing in the core knows the parallel lab")
{
    for (const auto& [file, target] : includes_of("core"))
    {
        INFO(file << " includes " << target);
        CHECK((!target.starts_with("core/lab/ranks/") || file.starts_with("core/lab/ranks/")));
    }
}

TEST_CASE("only the rooms that train have threads, clocks and devices")
{
    const std::set<std::string> its_own{"thread",       "mutex",  "condition_variable", "chrono",
                                        "atomic",       "future", "cuda_runtime.h",     "dlfcn.h",
                                        "shared_mutex", "mpi.h"};
    for (const auto& [file, target] : includes_of("core"))
    {
        INFO(file << " includes " << target);
        const bool dates =
            file == "core/study/progress/calendar.cpp" && target == "chrono"; // days of a calendar, no clock
        const bool locks = file == "core/base/json/json.cpp" && target == "atomic"; // a lock, no thread
        CHECK((!its_own.contains(target) || dates || locks || trains(file)));
    }
}

TEST_CASE("nlohmann/json is included with the reserve that its destructors need")
{
    for (const char* folder : {"core", "ui", "app"})
    {
        for (const auto& [file, target] : includes_of(folder))
        {
            INFO(file << " includes " << target);
            CHECK((target != "nlohmann/json.hpp" || file == "core/base/json/json.h"));
        }
    }
}

TEST_CASE("the ui reads no clock, has no thread, and leaves the slices of work to those who run it")
{
    const std::set<std::string> not_its_own{"chrono", "ctime",  "time.h",
                                            "thread", "mutex",  "shared_mutex",
                                            "atomic", "future", "condition_variable"};
    for (const auto& [file, target] : includes_of("ui"))
    {
        INFO(file << " includes " << target);
        CHECK_FALSE(not_its_own.contains(target));
    }
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    std::size_t lines = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root / "ui"))
    {
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line); ++lines)
        {
            if (line.find(".advance(") != std::string::npos || line.find("->advance(") != std::string::npos)
            {
                FAIL_CHECK(entry.path() << ": " << line);
            }
        }
    }
    CHECK(lines > 10'000);
}

TEST_CASE("the app does not include tests")
{
    const auto includes = includes_of("app");
    REQUIRE(includes.size() > 10);
    for (const auto& [file, target] : includes)
    {
        INFO(file << " includes " << target);
        CHECK_FALSE(within(room_of(target), "tests"));
    }
}

TEST_CASE("inside the core every topic includes only the topics below it")
{
    // The law: each topic with what it stands on. It may include that, and whatever that stands on.
    const std::map<std::string, std::vector<std::string>> law{
        {"base", {}},
        {"pipeline", {"base"}},
        {"scenario", {"pipeline"}},
        {"model", {"scenario"}},
        {"memory", {"model"}},
        {"network", {"memory"}},
        {"parallelism", {"network"}},
        {"serving", {"parallelism"}},
        {"performance", {"serving"}},
        {"scaling", {"base"}},
        {"reliability", {"memory"}},
        {"training", {"reliability", "scaling"}},
        {"evaluate", {"performance", "training"}},
        {"planner", {"evaluate"}},
        {"launch_files", {"planner"}},
        {"runs", {"launch_files"}},
        {"lab", {"evaluate"}},
        {"study", {"planner"}},
    };
    const auto below = [&law](const auto& self, const std::string& topic) -> std::set<std::string>
    {
        std::set<std::string> all;
        for (const std::string& direct : law.at(topic))
        {
            all.insert(direct);
            all.merge(self(self, direct));
        }
        return all;
    };
    const auto topic_of = [](const std::string& path) { return path.substr(std::string("core/").size()); };
    std::set<std::string> seen;
    for (const auto& [file, target] : includes_of("core"))
    {
        const std::string from = topic_of(room_of(file));
        INFO(file << " includes " << target);
        REQUIRE(law.contains(from));
        seen.insert(from);
        const std::string room = room_of(target);
        if (!room.empty() && topic_of(room) != from)
        {
            CHECK(below(below, from).contains(topic_of(room)));
        }
    }
    CHECK(seen.size() == law.size());
}

TEST_CASE("inside the ui every room includes only those below it: draw, widgets, shell, views")
{
    const std::vector<std::string> rooms{"ui/draw", "ui/widgets", "ui/shell", "ui/views"};
    const auto height = [&rooms](const std::string& room)
    { return std::find(rooms.begin(), rooms.end(), room) - rooms.begin(); };
    for (const auto& [file, target] : includes_of("ui"))
    {
        INFO(file << " includes " << target);
        REQUIRE(height(room_of(file)) < 4);
        CHECK((!target.starts_with("ui/") || height(room_of(target)) <= height(room_of(file))));
    }
}

TEST_CASE("a view includes no other topic's folder")
{
    const auto topic_of = [](const std::string& path)
    { return path.substr(0, path.find('/', std::string("ui/views/").size())); };
    for (const auto& [file, target] : includes_of("ui/views"))
    {
        INFO(file << " includes " << target);
        CHECK((!target.starts_with("ui/views/") || topic_of(target) == topic_of(file)));
    }
}

TEST_CASE("our own headers are included from the root, in quotes, and exist")
{
    for (const char* folder : {"core", "ui", "app", "tests"})
    {
        for (const auto& [file, target] : includes_of(folder))
        {
            INFO(file << " includes " << target);
            CHECK((room_of(target).empty() ||
                   fs::is_regular_file(fs::path(ringside::test::source_path(target)))));
            CHECK_FALSE(target.starts_with("."));
        }
    }
}
