// Tables that are data: which columns stay where there is little room.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("a table's least important columns go first where there is no room for all")
{
    for (const float width : {1280.0F, 1000.0F, 800.0F, 640.0F})
    {
        test::Window w({width, 900});
        w.open("compression/compressors");
        w.frames(3);
        INFO(width);
        CHECK((width < 1280 || test::says(w, "sent per GPU")));
        CHECK((!test::says(w, "sent per GPU") || test::says(w, "final loss")));
        CHECK((!test::says(w, "final loss") || test::says(w, "smaller than BF16")));
        CHECK((!test::says(w, "smaller than BF16") || test::says(w, "relative error")));
    }
}
