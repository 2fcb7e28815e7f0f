// One target under libFuzzer: fuzz_scenario -runs=100000 build/fuzz/corpus/scenario
// tests/fuzz/corpus/scenario
#include "tests/fuzz/targets.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ringside::fuzz::Target* target = ringside::fuzz::find_target(RINGSIDE_FUZZ_TARGET);
    target->feed({reinterpret_cast<const char*>(data), size});
    return 0;
}
