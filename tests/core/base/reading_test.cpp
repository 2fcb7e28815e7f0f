// What keeps the sources easy to read: files are short or say why not, and comments are sentences.
#include "tests/source_path.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace
{

struct Source
{
    std::string file; // "core/memory/memory.cpp"
    std::vector<std::string> lines;
};

std::vector<Source> sources()
{
    static const std::set<std::string> kOurs{".cpp", ".h", ".cu", ".cuh", ".wgsl", ".js"};
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    std::vector<Source> found;
    for (const char* folder : {"core", "ui", "app"})
    {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        {
            if (kOurs.contains(entry.path().extension().string()))
            {
                Source source{fs::relative(entry.path(), root).generic_string(), {}};
                std::ifstream in(entry.path());
                for (std::string line; std::getline(in, line);)
                {
                    source.lines.push_back(line);
                }
                found.push_back(std::move(source));
            }
        }
    }
    return found;
}

// The comment that a file begins with.
std::string first_comment(const Source& source)
{
    std::string words;
    for (const std::string& line : source.lines)
    {
        if (!line.starts_with("//"))
        {
            break;
        }
        words += line.substr(2);
    }
    return words;
}

} // namespace

TEST_CASE("a source has at most 500 lines, or its first comment says why it is one file")
{
    const auto all = sources();
    REQUIRE(all.size() > 900);
    for (const Source& source : all)
    {
        const bool says_why = first_comment(source).find("One file, since ") != std::string::npos;
        INFO(source.file << " has " << source.lines.size()
                         << " lines: split it by topic, or begin it with \"// One file, since ...\"");
        CHECK((source.lines.size() <= 500 || says_why));
        INFO(source.file << " is short and says why it is long");
        CHECK((source.lines.size() > 400 || !says_why));
    }
}

TEST_CASE("no comment begins in the middle of a sentence: Of ..., The same ...")
{
    for (const Source& source : sources())
    {
        for (std::size_t i = 0; i < source.lines.size(); ++i)
        {
            const std::string& line = source.lines[i];
            if (line.find("// Of ") != std::string::npos || line.find("// The same ") != std::string::npos)
            {
                FAIL_CHECK(source.file << ":" << i + 1 << ": " << line);
            }
        }
    }
}
