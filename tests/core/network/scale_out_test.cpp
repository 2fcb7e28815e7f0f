// Sizes of fabrics against published ones, and ways between GPUs.
#include "core/network/scale_out.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE(
    "published: with 64 ports two tiers join 2,048 GPUs, eight planes 16,384 with 768 switches, three tiers "
    "65,536 with 5,120")
{
    // arXiv 2505.09343, table 3
    const FabricSize two = fabric_size(FabricKind::two_tier, 64, 1);
    CHECK(two.gpus == 2048);
    CHECK(two.switches == 96);
    const FabricSize planes = fabric_size(FabricKind::planes, 64, 8);
    CHECK(planes.gpus == 16384);
    CHECK(planes.switches == 768);
    CHECK(planes.links == 16384);
    const FabricSize three = fabric_size(FabricKind::three_tier, 64, 1);
    CHECK(three.gpus == 65536);
    CHECK(three.switches == 5120);
    CHECK(three.links == 131072);
}

TEST_CASE(
    "the same rail is one switch away, another rail three, or one behind NVLink; one node needs no network")
{
    const FabricPlace from{0, 1};
    CHECK(fabric_way(from, from, true).switches() == 0);
    CHECK_FALSE(fabric_way(from, from, true).nvlink);
    CHECK(fabric_way(from, {0, 5}, false).nvlink);
    CHECK(fabric_way(from, {0, 5}, false).switches() == 0);
    CHECK(fabric_way(from, {2, 1}, false).switches() == 1);
    CHECK(fabric_way(from, {2, 5}, false).switches() == 3);
    const FabricWay forwarded = fabric_way(from, {2, 5}, true);
    CHECK(forwarded.switches() == 1);
    CHECK(forwarded.nvlink);
    CHECK(forwarded.rail == 5);
}
