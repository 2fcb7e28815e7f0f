// The program's own strings, read from its sources, say nothing that assets/study/style.json says to avoid.
#include "tests/source_path.h"

#include "core/base/json/json.h"
#include "core/base/text/text.h"
#include "core/scenario/json/json.h"
#include "core/study/library/style.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>

using namespace ringside;

namespace
{

std::string text_of(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<StyleRule> rules()
{
    const auto read =
        read_style(nlohmann::json::parse(text_of(test::source_path("assets/study/style.json"))));
    REQUIRE(read);
    for (const StyleRule& rule : *read)
    {
        INFO(rule.avoid);
        CHECK((rule.whole || rule.avoid == small_letters(rule.avoid)));
    }
    return *read;
}

struct Literal
{
    std::string text;
    int line;
};

// The string literals of a source; those that only spaces part are one. Comments and characters are passed
// over.
std::vector<Literal> literals_in(const std::string& source)
{
    std::vector<Literal> found;
    int line = 1;
    bool joined = false; // nothing but spaces since the last literal
    for (std::size_t i = 0; i < source.size(); ++i)
    {
        const char c = source[i];
        line += c == '\n' ? 1 : 0;
        if (source.compare(i, 2, "//") == 0)
        {
            i = source.find('\n', i) - 1;
        }
        else if (c == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(source[i - 1])) == 0))
        {
            i = source.find('\'', i + (source[i + 1] == '\\' ? 3 : 2));
            joined = false;
        }
        else if (c == '"')
        {
            if (!joined)
            {
                found.push_back({"", line});
            }
            for (++i; source[i] != '"'; ++i)
            {
                found.back().text += source[i];
                if (source[i] == '\\')
                {
                    found.back().text += source[++i];
                }
            }
            joined = true;
        }
        else if (std::isspace(static_cast<unsigned char>(c)) == 0)
        {
            joined = false;
        }
    }
    return found;
}

} // namespace

TEST_CASE("hand-worked: a wording is found as a phrase of whole words, and as all of a label")
{
    const std::vector<StyleRule> list{{"by heart", "from memory", false},
                                      {"Continuous batching", "Continuous batching", true}};
    CHECK(find_breach(list, "Learn it By Heart, then") == list.data());
    CHECK(find_breach(list, "the id by-heart") == nullptr);
    CHECK(find_breach(list, "by-heart and by heart") == list.data());
    CHECK(find_breach(list, "by hearts") == nullptr);
    CHECK(find_breach(list, "Continuous batching", true) == list.data() + 1);
    CHECK(find_breach(list, "Continuous batching") == nullptr);
    CHECK(find_breach(list, "Slots of a queue", true) == nullptr);
}

TEST_CASE("no string of the program says what is to be avoided")
{
    const auto list = rules();
    REQUIRE(list.size() > 100);
    std::size_t strings = 0;
    for (const char* folder : {"core", "ui", "app"})
    {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_path(folder)))
        {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h")
            {
                continue;
            }
            for (const Literal& literal : literals_in(text_of(entry.path())))
            {
                ++strings;
                const std::string shown = literal.text.substr(0, literal.text.find("###"));
                const StyleRule* found = find_breach(list, shown, true);
                INFO(entry.path().string() << ":" << literal.line << ": \"" << shown << "\"");
                CHECK((found == nullptr ? "" : "write: " + found->write) == "");
            }
        }
    }
    CHECK(strings > 5000);
}

TEST_CASE("no lesson, question or page of the guide says what is to be avoided")
{
    const auto list = rules();
    for (const char* folder : {"lessons", "assets/questions", "assets/guide", "assets/study"})
    {
        for (const Issue& issue : check_style(list, test::source_path(folder)))
        {
            FAIL_CHECK(to_line(issue));
        }
    }
}
