// The share of a long test's cases that this run takes. `./run test` takes a quarter, another one with
// every commit; `./run test all`, and a test started by hand, take all.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace ringside::test
{

// Whether case `i`, from 0, is of this run. RINGSIDE_TEST_SHARE=2/4: the cases 2, 6, 10, ...
inline bool is_in_share(std::size_t i)
{
    const char* share = std::getenv("RINGSIDE_TEST_SHARE");
    std::size_t which = 0;
    std::size_t of = 1;
    return share == nullptr || std::sscanf(share, "%zu/%zu", &which, &of) != 2 || of == 0 ||
           i % of == which % of;
}

} // namespace ringside::test
