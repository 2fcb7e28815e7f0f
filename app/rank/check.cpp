#include "app/rank/check.h"

#include <fmt/format.h>

#include "core/parallel/communicator_check.h"

#include <cstdio>

namespace ringside
{

int run_rank_check(parallel::MpiWorld& world, const RankCheckOptions& options)
{
    // The others hear of it.
    if (world.rank() == 0 && options.ranks_expected > 0 && world.ranks() != options.ranks_expected)
    {
        throw std::runtime_error(
            fmt::format("{} ranks were started, not {}", world.ranks(), options.ranks_expected));
    }
    std::size_t calls = 0;
    for (int round = 1; round <= options.rounds; ++round)
    {
        const auto seed = static_cast<std::uint64_t>(round);
        const auto checked = parallel::check_communicator(world, seed);
        const std::string wrong = parallel::compare_with_threads(world, checked, seed);
        if (!wrong.empty())
        {
            throw std::runtime_error(wrong);
        }
        calls += checked.size();
    }
    if (world.rank() == 0)
    {
        fmt::print("{} ranks by {}: {} calls on each, all with the bits of threads\n", world.ranks(),
                   world.library(), calls);
    }
    return 0;
}

} // namespace ringside
