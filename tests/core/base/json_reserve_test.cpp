#include "core/base/json/json.h"

#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace ringside;

TEST_CASE("lists of JSON values live where operator new puts them, and no larger ones are asked for")
{
    CHECK_THROWS_AS(take_values(std::numeric_limits<std::size_t>::max()), std::bad_array_new_length);
    void* some = take_values(3);
    give_back_values(some);
    nlohmann::json list = nlohmann::json::parse("[1, [2, {\"a\": [3]}], 4]");
    const nlohmann::json copy = list;
    list.push_back(copy);
    CHECK(list.dump() == R"([1,[2,{"a":[3]}],4,[1,[2,{"a":[3]}],4]])");
}
