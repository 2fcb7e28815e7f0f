// What the program does never hangs on words that it shows: they are for people, and change.
#include "tests/source_path.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace fs = std::filesystem;

namespace
{

// A text of the window compared or searched: `notice.starts_with("Not ")`, `group == "Lab"`.
bool reads_prose(const std::string& line)
{
    static const std::regex kSearched(R"re(\.(starts_with|ends_with|find|rfind|contains)\("[A-Z][a-z])re");
    static const std::regex kCompared(R"re([=!]= "[A-Z][a-z])re");
    return std::regex_search(line, kSearched) || std::regex_search(line, kCompared);
}

} // namespace

TEST_CASE("a search in shown words is seen, a search in keys is not")
{
    CHECK(reads_prose(R"(if (notice.starts_with("Not "))"));
    CHECK(reads_prose(R"(if (info->group == "Lab"))"));
    CHECK_FALSE(reads_prose(R"(if (path.starts_with("parallel."))"));
    CHECK_FALSE(reads_prose(R"(row.key == "Y")"));
}

TEST_CASE("no logic reads prose: what is decided on is a type, an enum or a flag")
{
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    for (const char* folder : {"core", "ui", "app"})
    {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        {
            const std::string file = fs::relative(entry.path(), root).generic_string();
            // Words of others' files are what their readers are about: True, None, NaN.
            const bool reads_files =
                file.starts_with("core/launch_files/") || file.starts_with("core/planner/launch/") ||
                file.starts_with("core/runs/") || file == "core/serving/engine/request_file.cpp" ||
                file == "core/base/json/json_text.cpp";
            if (reads_files || (entry.path().extension() != ".cpp" && entry.path().extension() != ".h"))
            {
                continue;
            }
            std::ifstream in(entry.path());
            for (std::string line; std::getline(in, line);)
            {
                if (line.find('"') != std::string::npos && reads_prose(line))
                {
                    FAIL_CHECK(file << ": " << line);
                }
            }
        }
    }
}
