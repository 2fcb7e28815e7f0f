// How well names fit what is typed.
#include "core/base/text/find.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace ringside;

namespace
{

Closeness fit(std::string_view query)
{
    const std::array<std::string_view, 2> names{"Ring all-reduce", "parallel.zero_stage"};
    return fit_of(findable(names, "Chunks travel round a ring."), folded(query));
}

} // namespace

TEST_CASE("text is folded to small letters and single spaces")
{
    CHECK(folded("All-Reduce  (ring)") == "all reduce ring");
    CHECK(folded("--") == "");
    CHECK(folded("\u03b1-\u03b2") == "\u03b1 \u03b2");
}

TEST_CASE("names fit from exactly to hardly")
{
    CHECK(fit("RING ALL REDUCE") == Closeness::exact);
    CHECK(fit("ring all") == Closeness::start);
    CHECK(fit("reduce ring") == Closeness::word); // words in any order
    CHECK(fit("zero") == Closeness::word);        // signs part words
    CHECK(fit("educe") == Closeness::inside);
    CHECK(fit("chunks") == Closeness::text);
    CHECK(fit("reduce chunk") == Closeness::text);
    CHECK(fit("") == Closeness::text);
    CHECK(fit("broadcast") == Closeness::none);
}

TEST_CASE("one typing error in a word of four letters or more is forgiven")
{
    CHECK(fit("redvce") == Closeness::typo);  // wrong
    CHECK(fit("reduuce") == Closeness::typo); // too many
    CHECK(fit("rduce") == Closeness::typo);   // missing
    CHECK(fit("reudce") == Closeness::typo);  // swapped
    CHECK(fit("paralel.zero") == Closeness::typo);
    CHECK(fit("rong") == Closeness::typo);
    CHECK(fit("rxg") == Closeness::none);    // too short
    CHECK(fit("deruce") == Closeness::none); // two errors
    CHECK(fit("xeduce") == Closeness::none); // the first letter counts as meant
}

TEST_CASE("hand-worked edit distances")
{
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("the closest come first, and typing errors are supposed only where nothing else fits")
{
    using enum Closeness;
    CHECK(closest_first({text, none, exact, typo, text}) == std::vector<std::size_t>{2, 0, 4});
    CHECK(closest_first({none, typo, none, typo}) == std::vector<std::size_t>{1, 3});
    CHECK(closest_first({}).empty());
}
