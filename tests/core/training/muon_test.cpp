// Newton-Schulz iterations on singular values, and what they cost.
#include "tests/core/support.h"

#include "core/training/muon.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

TEST_CASE("published: five iterations bring singular values of 0.01 to 1 to between 0.68 and 1.21")
{
    for (double s = 0.01; s <= 1; s *= 1.01)
    {
        CHECK(newton_schulz(s, 5) > 0.67);
        CHECK(newton_schulz(s, 5) < 1.21);
    }
    CHECK(newton_schulz(0, 5) == 0);
    CHECK(newton_schulz(0.5, 0) == 0.5);
    CHECK(newton_schulz(1, 1) == Approx(0.701));
    CHECK(newton_schulz(1e-4, 5) < 0.1); // too small for five
}

TEST_CASE(
    "hand-worked: square matrices cost 5 m / tokens of the training FLOPs, 0.9% at 7,168 and 4 M tokens")
{
    const double m = 7168;
    CHECK(muon_flops(m, m) == Approx(30 * m * m * m));
    CHECK(muon_flops(m, m) / (6 * m * m * 4e6) == Approx(0.009).epsilon(0.01));
    CHECK(muon_flops(2, 8) == muon_flops(8, 2));
    CHECK(muon_flops(2, 8) == Approx(5 * (4 * 4 * 8 + 2 * 8)));
}

TEST_CASE(
    "a model's overhead is at most that of its square matrices, and larger where experts train few tokens")
{
    const Model dense = test::scenario(R"({"model": "llama-3.1-70b"})").model;
    const MuonCost cost = muon_cost(dense);
    CHECK(cost.overhead(4e6) < 5 * 8192 / 4e6);
    CHECK(cost.overhead(4e6) > 0.2 * 5 * 8192 / 4e6);
    CHECK(cost.overhead(8e6) == Approx(cost.overhead(4e6) / 2));
    CHECK(muon_cost(dense, 10).flops == Approx(2 * cost.flops));
    const MuonCost experts = muon_cost(test::scenario(R"({"model": "deepseek-v3"})").model);
    CHECK(experts.overhead(4e6) > cost.overhead(4e6));
}

TEST_CASE("published: sharded Muon exchanges at most 1.25 times AdamW's bytes")
{
    CHECK(muon_exchanged() / adamw_exchanged() == Approx(1.25));
}
