// What work throws is a value: with a hint where memory ran out, and never the end of the program.
#include "core/base/caught.h"
#include "core/base/faults.h"

#include <catch2/catch_test_macros.hpp>

#include <new>
#include <stdexcept>
#include <system_error>

using namespace ringside;

TEST_CASE("what work throws is a fault, and memory that ran out says what to do")
{
    CHECK(caught([] {}) == nullptr);
    const Issue memory = fault_of(caught([] { throw std::bad_alloc(); }));
    CHECK(memory.path == "memory");
    CHECK_FALSE(memory.hint.empty());
    const auto threads = std::make_error_code(std::errc::resource_unavailable_try_again);
    CHECK(fault_of(caught([&] { throw std::system_error(threads); })).hint.find("threads") !=
          std::string::npos);
    CHECK(fault_line(caught([] { throw std::runtime_error("no device"); })) == "no device");
    CHECK_FALSE(fault_line(caught([] { throw 7; })).empty());
}

TEST_CASE("an attempt returns what was made, or why it was not")
{
    CHECK(*attempted([]() -> Result<int> { return 7; }) == 7);
    CHECK(attempted(
              []() -> Result<int> {
                  return Issue{"a", "b", "c"};
              })
              .issues()
              .front()
              .path == "a");
    CHECK(attempted([]() -> Result<int> { throw std::bad_alloc(); }).issues().front().path == "memory");
}

TEST_CASE("of a long list of faults the first are shown, and how many there are beside")
{
    const Issues shown = shown_faults(Issues(1000, Issue{"a", "is wrong", "mend it"}));
    REQUIRE(shown.size() == kMostFaultsShown + 1);
    CHECK(shown.back().message == "and 950 more");
    CHECK(has_errors({shown.back()}));
    CHECK(shown_faults(Issues(3)).size() == 3);
}
