// What keeps the sources easy to read: files and functions are short, comments are sentences, and no word is
// in tests/data/banned_words.tsv.
#include "tests/source_path.h"
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace
{

struct Source
{
    std::string file; // "core/memory/memory.cpp"
    std::vector<std::string> lines;
};

std::vector<Source> read_sources()
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

const std::vector<Source>& sources()
{
    static const std::vector<Source> all = read_sources();
    return all;
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

// [line numbers, from 1] Where blocks of more than this many lines begin, signature included. As clang-format
// leaves them: a block begins with "{" on a line of its own, and its end is "}" at the same column.
std::vector<std::size_t> long_blocks(const std::vector<std::string>& lines, std::size_t most)
{
    std::vector<std::size_t> found;
    for (std::size_t open = 1; open < lines.size(); ++open)
    {
        const std::string& line = lines[open];
        const std::size_t column = line.find_first_not_of(' ');
        if (column == std::string::npos || line.substr(column) != "{" ||
            lines[open - 1].starts_with("namespace"))
        {
            continue;
        }
        std::size_t first = open;
        while (first > 0 && !lines[first - 1].empty() && lines[first - 1].find("//") == std::string::npos &&
               std::string_view(";}{:>").find(lines[first - 1].back()) == std::string_view::npos)
        {
            --first;
        }
        const std::string end = line.substr(0, column) + "}";
        std::size_t close = open;
        while (close < lines.size() && !lines[close].starts_with(end))
        {
            ++close;
        }
        if (close < lines.size() && lines[close] == end && close - first >= most)
        {
            found.push_back(first + 1);
        }
    }
    return found;
}

} // namespace

TEST_CASE("a long function is found where it begins, a long class and a short function are not")
{
    std::vector<std::string> lines{"namespace", "{", "", "int f(int a,", "      int b)", "{"};
    lines.insert(lines.end(), 56, "    a += b;");
    lines.push_back("}");
    CHECK(long_blocks(lines, 60).empty());
    lines.insert(lines.end() - 1, "    return a;");
    CHECK(long_blocks(lines, 60) == std::vector<std::size_t>{4});
    lines.back() = "};";
    CHECK(long_blocks(lines, 60).empty());
}

TEST_CASE("no function has more than 60 lines")
{
    for (const Source& source : sources())
    {
        if (source.file.ends_with(".js") || source.file.ends_with(".wgsl"))
        {
            continue;
        }
        for (const std::size_t line : long_blocks(source.lines, 60))
        {
            FAIL_CHECK(source.file << ":" << line << ": more than 60 lines; a function does one thing");
        }
    }
}

TEST_CASE("a source has at most 500 lines, or its first comment says why it is one file")
{
    const auto& all = sources();
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

TEST_CASE("the banned words of the code are found where they stand, and only there")
{
    const std::vector<BannedWord> words = banned_words();
    REQUIRE(words.size() >= 12);
    const auto is_banned = [&](const std::string& line)
    {
        return std::ranges::any_of(words, [&](const BannedWord& word)
                                   { return std::regex_search(line, word.pattern); });
    };
    for (const char* line : {"class LabDesk", "const auto& wish = frame.wish;", "kOperationsAFrame",
                             "tokens_a_step", "// whoever looks", "enum class Mishap", "a notch",
                             "furnish(session)", "done = look();", "twice or thrice"})
    {
        CHECK(is_banned(line));
    }
    for (const char* line : {"org.ringside.Ringside.desktop", "as on the desktop", "kOperationsPerFrame",
                             "must_be_a_stepper", "const Look& look"})
    {
        CHECK_FALSE(is_banned(line));
    }
}

// Each word and name of the code once, with the first place where it stands: patterns are slow, and few words
// new.
std::map<std::string, std::string> places_of_words()
{
    const auto in_word = [](char c)
    { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '(' || c == ')'; };
    std::map<std::string, std::string> places;
    for (const Source& source : sources())
    {
        for (std::size_t i = 0; i < source.lines.size(); ++i)
        {
            const std::string& line = source.lines[i];
            for (auto from = line.begin(); from != line.end();)
            {
                const auto begin = std::find_if(from, line.end(), in_word);
                from = std::find_if_not(begin, line.end(), in_word);
                places.try_emplace(std::string(begin, from), fmt::format("{}:{}", source.file, i + 1));
            }
        }
    }
    return places;
}

TEST_CASE("no name and no comment of the code has a word that a native engineer would not use")
{
    const std::vector<BannedWord> words = banned_words();
    const auto places = places_of_words();
    REQUIRE(places.size() > 10'000);
    for (const auto& [text, place] : places)
    {
        for (const BannedWord& word : words)
        {
            if (std::regex_search(text, word.pattern))
            {
                FAIL_CHECK(place << ": " << text << " (write " << word.instead << ")");
            }
        }
    }
}
