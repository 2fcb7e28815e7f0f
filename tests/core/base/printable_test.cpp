#include "tests/core/support.h"
#include <fmt/format.h>

#include "core/base/text/printable.h"
#include "core/pipeline/notation.h"
#include "core/scenario/json/json.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("what a terminal would take for a command is printed as text")
{
    CHECK(printable("\x1b]0;pwn\ax") == "\\x1b]0;pwn\\x07x");
    CHECK(printable(std::string("\0\r\b\x7f", 4)) == "\\x00\\x0d\\x08\\x7f");
    CHECK(printable("\xc2\x9b"
                    "2J") == "\\x9b2J"); // C1 in UTF-8
    CHECK(printable("\x9b"
                    "2J") == "\\x9b2J"); // and as the byte alone
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");
}

TEST_CASE("text is printed as it is")
{
    for (const char* text :
         {"", "plain\n\ttext", "\u00a0 \u2009 \u201cBérénice\u201d \u4e2d\u6587 \U0001F600"})
    {
        CHECK(printable(text) == text);
    }
}

TEST_CASE("long text is cut between characters")
{
    CHECK(shortened(std::string(80, 'x')) == std::string(80, 'x'));
    CHECK(shortened(std::string(81, 'x')) == std::string(80, 'x') + "...");
    CHECK(shortened("ab\u4e2d\u6587", 4) == "ab...");
    CHECK(shortened("\x80\x80\x80", 1) == "...");
}

TEST_CASE("faults name long fields and values by their beginning")
{
    const std::string name(500, 'x');
    for (const char* form : {R"({{"model": "{0}"}})", R"({{"{0}": 1}})", R"({{"parallel": {{"{0}": 1}}}})",
                             R"({{"{0}": 1, "{0}": 2}})"})
    {
        const std::string text = fmt::format(fmt::runtime(form), name);
        const auto read = scenario_from_text(text, test::presets());
        REQUIRE(!read);
        const Issue& issue = read.issues().front();
        INFO(issue.path << ": " << issue.message);
        CHECK((issue.path + issue.message).find(std::string(80, 'x') + "...") != std::string::npos);
        CHECK(issue.path.size() + issue.message.size() < 150);
    }
    const auto order = read_order("0F0 " + name);
    REQUIRE(!order);
    CHECK(order.issues().front().message.size() < 150);
}
