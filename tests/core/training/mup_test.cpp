// What a learning rate becomes on a wider model.
#include "core/training/mup.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

TEST_CASE("published: muP from width 256 to 4,096, table 8 of Tensor Programs V, for Adam")
{
    const WidthScaling hidden = mup_scaling(WidthRole::hidden, 256, 4096);
    CHECK(hidden.rate == Approx(1.0 / 16));
    CHECK(hidden.deviation == Approx(1.0 / 4));
    CHECK(hidden.multiplier == 1);
    const WidthScaling head = mup_scaling(WidthRole::head, 256, 4096);
    CHECK(head.rate == 1);
    CHECK(head.deviation == 1);
    CHECK(head.multiplier == Approx(1.0 / 16));
    const WidthScaling embedding = mup_scaling(WidthRole::embedding, 256, 4096);
    CHECK(embedding.rate == 1);
    CHECK(embedding.deviation == 1);
    CHECK(embedding.multiplier == 1);
}

TEST_CASE(
    "hand-worked: one rate moves outputs of a layer 16 times as wide 16 times as far, muP as far as before")
{
    CHECK(output_move(256, 4096, false) == 16);
    CHECK(output_move(256, 4096, true) == 1);
    CHECK(output_move(4096, 256, false) == Approx(1.0 / 16));
    CHECK(proxy_flops_share(256, 4096) == Approx(1.0 / 256));
}
