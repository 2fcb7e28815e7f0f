// Names and comments of the code in the field's own English: none of tests/data/banned_words.tsv.
#include "tests/source_path.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace
{

struct BannedWord
{
    std::regex pattern;
    std::string instead;
};

std::vector<BannedWord> banned_words()
{
    std::ifstream in(ringside::test::source_path("tests/data/banned_words.tsv"));
    std::vector<BannedWord> words;
    for (std::string line; std::getline(in, line);)
    {
        const std::size_t tab = line.find('\t');
        if (!line.starts_with('#') && tab != std::string::npos)
        {
            words.push_back({std::regex(line.substr(0, tab), std::regex::optimize), line.substr(tab + 1)});
        }
    }
    return words;
}

// "file:line: word (write ...)", of every source in core, ui and app.
std::vector<std::string> found_in_code(const std::vector<BannedWord>& words)
{
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    std::vector<std::string> found;
    for (const char* folder : {"core", "ui", "app"})
    {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        {
            const std::string extension = entry.path().extension().string();
            if (extension != ".cpp" && extension != ".h" && extension != ".cu")
            {
                continue;
            }
            std::ifstream in(entry.path());
            int number = 0;
            for (std::string line; std::getline(in, line);)
            {
                ++number;
                for (const BannedWord& word : words)
                {
                    if (std::smatch match; std::regex_search(line, match, word.pattern))
                    {
                        found.push_back(fs::relative(entry.path(), root).generic_string() + ":" +
                                        std::to_string(number) + ": " + match.str() + " (write " +
                                        word.instead + ")");
                    }
                }
            }
        }
    }
    return found;
}

} // namespace

TEST_CASE("the banned words of the code are found where they stand, and only there")
{
    const std::vector<BannedWord> words = banned_words();
    REQUIRE(words.size() >= 12);
    const auto is_banned = [&](const std::string& line)
    {
        return std::ranges::any_of(words, [&](const BannedWord& word)
                                   { return std::regex_search(line, word.pattern); });
    };
    for (const char* line :
         {"class LabDesk", "const auto& wish = frame.wish;", "kOperationsAFrame", "tokens_a_step",
          "// whoever looks", "enum class Mishap", "a notch", "furnish(session)"})
    {
        CHECK(is_banned(line));
    }
    for (const char* line :
         {"org.ringside.Ringside.desktop", "as on the desktop", "kOperationsPerFrame", "must_be_a_stepper"})
    {
        CHECK_FALSE(is_banned(line));
    }
}

TEST_CASE("no name and no comment of the code has a word that a native engineer would not use")
{
    for (const std::string& line : found_in_code(banned_words()))
    {
        FAIL_CHECK(line);
    }
}
