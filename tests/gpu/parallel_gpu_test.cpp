// Ranks as threads that share a real device: what they send each other is copied and added there.
#include "tests/core/lab/parallel_support.h"

#include "core/lab/ranks/communication/backend_memory.h"
#include "core/lab/trainer/devices.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using namespace ringside::test;

namespace
{

std::unique_ptr<trainer::Backend> opened()
{
    auto probe = trainer::open_cuda(true);
    if (!probe.backend)
    {
        throw std::runtime_error(probe.reason);
    }
    return std::move(probe.backend);
}

// The sum of all ranks' numbers as each of four has it, on the device or on the host.
std::vector<Numbers> sums(bool on_device, DType type, Index count, const char* algorithm)
{
    std::vector<Numbers> ends(4, Numbers(type, count));
    ThreadWorld world(4);
    world.run(
        [&](Transport& transport)
        {
            Numbers mine = fractions(type, count, transport.rank());
            CallLog log;
            const Index bytes = count * bytes_of(type);
            if (on_device)
            {
                const auto computes = opened();
                const auto moves = opened();
                parallel::BackendMemory memory(*moves, *computes);
                Communicator all(transport, "data", all_of(4), 1, log, memory);
                all.set_algorithm(algorithm);
                void* there = memory.allocate(bytes);
                computes->upload(there, mine.data(), bytes);
                all.all_reduce(there, type, count);
                computes->download(mine.data(), there, bytes);
                all.barrier();
                memory.release(there);
            }
            else
            {
                Communicator all(transport, "data", all_of(4), 1, log);
                all.set_algorithm(algorithm);
                all.all_reduce(mine.data(), type, count);
            }
            ends[static_cast<std::size_t>(transport.rank())] = mine;
        });
    return ends;
}

} // namespace

TEST_CASE("ranks that share a GPU sum with the bits of the host")
{
    for (const DType type : {DType::f32, DType::bf16, DType::f16})
    {
        for (const Index count : {Index{7}, Index{1037}, Index{3000001}})
        {
            for (const char* algorithm : {"ring", "recursive-doubling"})
            {
                INFO(algorithm << ", " << count);
                CHECK(sums(true, type, count, algorithm) == sums(false, type, count, algorithm));
            }
        }
    }
}
