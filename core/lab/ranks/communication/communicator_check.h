// Every kind of call by every algorithm, on numbers made from a seed: the same on any transport, bit for bit.
#pragma once

#include "core/lab/ranks/communication/transport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::parallel
{

struct CheckedCall
{
    std::string says;       // "all-reduce, ring, 1037 bf16"
    std::uint64_t hash = 0; // of what this rank ended up with

    bool operator==(const CheckedCall&) const = default;
};

// By all ranks of the transport together. With another seed, other numbers.
std::vector<CheckedCall> check_communicator(Transport& transport, std::uint64_t seed = 1);

// The calls of ranks that are threads of this process; [rank].
std::vector<std::vector<CheckedCall>> checked_on_threads(int ranks, std::uint64_t seed = 1);

// Gathers every rank's calls on rank 0 and compares them there with the threads' bits. Empty where all agree,
// and on other ranks; otherwise which call of which rank does not.
std::string compare_with_threads(Transport& transport, const std::vector<CheckedCall>& calls,
                                 std::uint64_t seed = 1);

} // namespace ringside::parallel
