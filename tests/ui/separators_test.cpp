// Thousands are separated alike, wherever a number of GPUs is said.
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

#include <regex>

using namespace ringside;
using test::Window;

TEST_CASE("on 16,384 GPUs no view says a count of GPUs, ranks or replicas without its separators")
{
    const std::regex bare(R"((^|[^0-9,.])([0-9]{4,})( of [0-9,]+)? (GPUs|ranks|replicas))");
    const std::regex bare_whole(R"(of ([0-9]{4,}) (GPUs|ranks|replicas))");
    Window w({1600, 900});
    w.session().apply(ChangeScenario{
        test::scenario(R"({"model": "llama-3.1-405b", "cluster": {"preset": "dgx-h100", "gpus": 16384},
        "parallel": {"tensor": 8, "pipeline": 2, "zero": 1, "sequence_parallel": true},
        "training": {"global_batch": 4096}})")});
    REQUIRE(w.valid());
    for (const std::string_view place : view_places())
    {
        w.open(place);
        w.frames(3);
        for (const test::Words& words : test::words_of(w))
        {
            INFO(place << ": " << words.text);
            CHECK_FALSE(std::regex_search(words.text, bare));
            CHECK_FALSE(std::regex_search(words.text, bare_whole));
        }
    }
}
