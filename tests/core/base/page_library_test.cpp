// The page is compiled with an older C++ library; app/page/libcxx.h has what that lacks. What is used beyond
// both would stop the page alone, which is seldom built.
#include "tests/source_path.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace
{

std::string text_of(const fs::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

std::set<std::string> names_in(const std::string& text, const std::regex& pattern)
{
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    {
        names.insert((*at)[1]);
    }
    return names;
}

} // namespace

TEST_CASE("the page's library has every algorithm of std::ranges that its sources use")
{
    const fs::path root = fs::path(ringside::test::source_path("core")).parent_path();
    std::set<std::string> known =
        names_in(text_of(root / "app/page/libcxx.h"), std::regex(R"(constexpr auto (\w+) =)"));
    REQUIRE(known.contains("find_if"));
    known.merge(std::set<std::string>{"greater", "minmax_result", "begin", "end", "size", "empty",
                                      "data"}); // it has these itself
    for (const char* folder : {"core", "ui", "app/page", "app/session", "app/files"})
    {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        {
            const std::string file = fs::relative(entry.path(), root).generic_string();
            if (file == "app/page/libcxx.h" || !(file.ends_with(".cpp") || file.ends_with(".h")))
            {
                continue;
            }
            static const std::regex kUse(R"(std::ranges::(\w+))");
            static const std::regex kOfTwoIterators(R"(std::ranges::(\w+)\(\s*[\w.>-]*begin\()");
            const std::string text = text_of(entry.path());
            const std::set<std::string> pairs = names_in(text, kOfTwoIterators);
            INFO(file << " gives an algorithm two iterators; the page's take a whole range: use std:: "
                         "without ranges");
            CHECK((pairs.empty() ? "" : *pairs.begin()) == "");
            for (const std::string& name : names_in(text, kUse))
            {
                INFO(file << " uses std::ranges::" << name);
                CHECK(known.contains(name));
            }
        }
    }
}
