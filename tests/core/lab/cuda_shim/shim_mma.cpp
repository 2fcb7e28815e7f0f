// The tensor cores of the shim: 32 fibers hand each other what they have in their registers, by the layouts
// of PTX ISA 9.0, sections 9.7.15.5.8 (mma.m16n8k16) and 9.7.15.5.15 (ldmatrix).
#include "tests/core/lab/cuda_shim/shim.h"

#include "core/lab/trainer/cuda/mma.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

namespace
{

using shim::Words;

std::uint16_t half_of(const std::array<Words, 32>& warp, unsigned lane, unsigned half)
{
    return static_cast<std::uint16_t>(warp[lane][half / 4] >> half % 4 * 16);
}

// Element `i` of the row that lane `lane` said begins there.
std::uint32_t element(const std::array<Words, 32>& rows, unsigned lane, unsigned i)
{
    std::uint16_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const char*>(rows[lane][0]) + i * sizeof bits, sizeof bits);
    return bits;
}

Piece loaded(const void* row, bool turned)
{
    if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0)
    {
        shim::fail("ldmatrix: a row does not begin at a multiple of 16 bytes");
    }
    const auto& rows = shim::exchange({reinterpret_cast<std::uintptr_t>(row), 0, 0});
    const unsigned g = shim::lane() / 4;
    const unsigned t = shim::lane() % 4;
    Piece p{};
    for (unsigned i = 0; i < 4; ++i)
    {
        p.bits[i] = turned ? element(rows, 8 * i + 2 * t, g) | element(rows, 8 * i + 2 * t + 1, g) << 16U
                           : element(rows, 8 * i + g, 2 * t) | element(rows, 8 * i + g, 2 * t + 1) << 16U;
    }
    return p;
}

} // namespace

Piece load_pieces(const void* row)
{
    return loaded(row, false);
}
Piece load_pieces_turned(const void* row)
{
    return loaded(row, true);
}

template <class T>
void multiply_add(float (&c)[4], const Piece& a, std::uint32_t b0, std::uint32_t b1)
{
    Words own{};
    std::memcpy(own.data(), a.bits, sizeof a.bits);
    own[2] = b0 | std::uint64_t{b1} << 32U;
    const auto& warp = shim::exchange(own);
    for (unsigned i = 0; i < 4; ++i)
    {
        const unsigned row = shim::lane() / 4 + i / 2 * 8;
        const unsigned col = shim::lane() % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 16; ++k)
        {
            const unsigned deep = k % 8 / 2;
            const std::uint16_t left = half_of(warp, row % 8 * 4 + deep, (row / 8 + k / 8 * 2) * 2 + k % 2);
            const std::uint16_t right = half_of(warp, col * 4 + deep, 8 + k / 8 * 2 + k % 2);
            c[i] += to_float(T{left}) * to_float(T{right});
        }
    }
}
template void multiply_add<Bf16>(float (&c)[4], const Piece& a, std::uint32_t b0, std::uint32_t b1);
template void multiply_add<F16>(float (&c)[4], const Piece& a, std::uint32_t b0, std::uint32_t b1);

void start_copy(void* shared, const void* from, bool real)
{
    if ((reinterpret_cast<std::uintptr_t>(shared) | reinterpret_cast<std::uintptr_t>(from)) % 16 != 0)
    {
        shim::fail("cp.async: an address is no multiple of 16 bytes");
    }
    shim::start_copy(shared, real ? from : nullptr);
}
void end_group()
{
    shim::end_group();
}
template <int Left>
void wait_for_copies()
{
    shim::wait_for_copies(Left);
}
template void wait_for_copies<0>();
template void wait_for_copies<1>();

float power_of_two(float x)
{
    return std::exp2(x);
}

template <class T>
std::uint32_t both(float low, float high)
{
    return from_float<T>(low).bits | static_cast<std::uint32_t>(from_float<T>(high).bits) << 16U;
}
template std::uint32_t both<Bf16>(float low, float high);
template std::uint32_t both<F16>(float low, float high);

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
