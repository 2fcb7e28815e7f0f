// Keys and FLOPs of a new token in layers that do not attend to everything, against published ratios.
#include "tests/core/support.h"

#include "core/memory/sparse_attention.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

TEST_CASE("published: a key of DeepSeek-V3's latent cache takes 278,528 FLOPs, and its indexer makes 128 Ki "
          "tokens 13 "
          "times cheaper")
{
    const Model v3 = test::scenario(R"({"model": "deepseek-v3"})").model;
    CHECK(key_flops(v3) == 278528);
    const double tokens = 131072;
    const double full = sparse_cost(v3, SparseKind::full, {}, tokens).flops;
    const double indexed = sparse_cost(v3, SparseKind::indexed, {}, tokens).flops;
    CHECK(full / indexed == Approx(13.4).epsilon(0.01));
    CHECK(sparse_cost(v3, SparseKind::indexed, {}, tokens).keys == 2048);
}

TEST_CASE("published: native sparse attention reads 11.6 times fewer keys at 64 Ki tokens")
{
    const Model model = test::scenario(R"({"model": "llama-3.1-8b"})").model;
    CHECK(65536 / sparse_cost(model, SparseKind::native, {}, 65536).keys == Approx(11.6).epsilon(0.01));
    CHECK(key_flops(model) == 4 * 32 * 128);
}

TEST_CASE("no kind reads more keys than there are, and a full layer in four costs at least a quarter")
{
    const Model model = test::scenario(R"({"model": "llama-3.1-70b"})").model;
    SparseSetup hybrid;
    hybrid.full_every = 4;
    for (double tokens = 256; tokens < 4e6; tokens *= 2)
    {
        const SparseCost full = sparse_cost(model, SparseKind::full, {}, tokens);
        for (const SparseKind kind : every<SparseKind>())
        {
            const SparseCost cost = sparse_cost(model, kind, {}, tokens);
            CHECK(cost.keys <= tokens);
            const SparseCost mixed = sparse_cost(model, kind, hybrid, tokens);
            CHECK(mixed.flops == Approx(0.25 * full.flops + 0.75 * cost.flops));
        }
        CHECK(sparse_cost(model, SparseKind::linear, {}, tokens).flops ==
              sparse_cost(model, SparseKind::linear, {}, 1).flops);
    }
}
