// Numbers as they are typed behind an option: what the parser would take in silence is refused with the
// range.
#include "app/commands/console/option_check.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

// What became of the text, or the fault.
std::string whole(std::string text, std::int64_t least, std::int64_t most)
{
    const std::string fault = fault_of_whole(text, least, most);
    return fault.empty() ? text : fault;
}
std::string real(std::string text, double least, double most)
{
    const std::string fault = fault_of_real(text, least, most);
    return fault.empty() ? text : fault;
}

} // namespace

TEST_CASE("a whole number is taken as typed, or refused with what would work")
{
    CHECK(whole("7", 1, 96) == "7");
    CHECK(whole("+7", 1, 96) == "7");
    CHECK(whole("010", 1, 96) == "10"); // no octal
    CHECK(whole("9223372036854775807", 0, kMostSeed) == "9223372036854775807");
    CHECK(whole("-1", 1, kMostSeeds) == "-1 is out of range (use 1 to 1,000,000)");
    CHECK(whole("97", 1, 96) == "97 is out of range (use 1 to 96)");
    CHECK(whole("99999999999999999999999", 1, 96) == "99999999999999999999999 is out of range (use 1 to 96)");
    CHECK(whole("18446744073709551615", 0, kMostSeed).starts_with("18446744073709551615 is out of range"));
    for (const char* text : {"", "+", "3.5", "1e3", "7x", "0x10", " 7", "nan"})
    {
        INFO(text);
        CHECK(whole(text, 1, 96) == std::string(text) + " is not a whole number (use 1 to 96)");
    }
}

TEST_CASE("a real number is finite and in its range")
{
    CHECK(real("0.8", 0, 100) == "0.8");
    CHECK(real("1e-3", 0, 100) == "0.001");
    CHECK(real("-1", 0, 100) == "-1 is out of range (use 0 to 100)");
    CHECK(real("nan", 0, 100) == "nan is out of range (use 0 to 100)");
    CHECK(real("inf", 0, 100) == "inf is out of range (use 0 to 100)");
    CHECK(real("1e999", 0, 100) == "1e999 is out of range (use 0 to 100)");
    CHECK(real("warm", 0, 100) == "warm is not a number (use 0 to 100)");
}
