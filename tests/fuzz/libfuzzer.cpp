// One target under libFuzzer: fuzz_scenario -runs=100000 FOUND tests/fuzz/corpus/scenario
#include "tests/fuzz/targets.h"
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace
{

const ringside::fuzz::Target& target()
{
    static const ringside::fuzz::Target* found = ringside::fuzz::find_target(RINGSIDE_FUZZ_TARGET);
    return *found;
}

} // namespace

// The first folder named is where what is found goes. An empty one gets the target's good inputs to begin
// from.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments)
{
    char** const end = *arguments + *count;
    char** const folder = std::find_if(*arguments + 1, end,
                                       [](const char* word) { return std::filesystem::is_directory(word); });
    if (folder != end && std::filesystem::is_empty(*folder))
    {
        int number = 0;
        for (const std::string& seed : target().seeds())
        {
            std::ofstream(std::filesystem::path(*folder) / fmt::format("seed-{}", ++number), std::ios::binary)
                << seed;
        }
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    target().feed({reinterpret_cast<const char*>(data), size});
    return 0;
}
