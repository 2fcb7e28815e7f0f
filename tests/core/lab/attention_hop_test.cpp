// How a ring of ranks shares a sequence, and attention round it by the CPU's kernels.
#include "tests/core/lab/attention_ring.h"

#include "core/lab/trainer/cpu/cpu_backend.h"

#include <catch2/generators/catch_generators.hpp>

using namespace ringside;
using namespace ringside::test;
using trainer::cut_of;

TEST_CASE("each rank has one piece from the front and one from the back, and every piece has an owner")
{
    // Eight tokens over two ranks: pieces of two; 0 and 3, 1 and 2.
    const Cut first = cut_of(2, 0, 4);
    const Cut second = cut_of(2, 1, 4);
    CHECK(first.place(0, 4) == 0);
    CHECK(first.place(1, 4) == 1);
    CHECK(first.place(2, 4) == 6);
    CHECK(first.place(3, 4) == 7);
    CHECK(second.place(0, 4) == 2);
    CHECK(second.place(3, 4) == 5);
    CHECK(Cut{}.place(5, 8) == 5); // nothing is cut
    // What a causal mask leaves is the same for all: sum of (place + 1).
    std::vector<Index> work;
    for (Index rank = 0; rank < 4; ++rank)
    {
        const Cut cut = cut_of(4, rank, 8);
        work.push_back(0);
        for (Index row = 0; row < 8; ++row)
        {
            work.back() += cut.place(row, 8) + 1;
        }
    }
    CHECK(work == std::vector<Index>(4, 32 * 33 / 2 / 4));
}

TEST_CASE("attention round a ring is attention in one place, forward and backward")
{
    trainer::CpuBackend backend(1);
    const Index ranks = GENERATE(1, 2, 3, 4);
    check_ring(backend, {}, ranks);
    // Pieces longer than a block of query rows, and not a multiple of it.
    check_ring(backend, {1, 3 * 64 * ranks, 2, 1, 8}, ranks);
    check_ring(backend, {1, 74 * ranks, 2, 2, 4}, ranks);
}
