// What a warp does on the tensor cores, and how it feeds them. PTX's mma.m16n8k16 adds a product of 16 bits
// to sums in fp32, c += a b; which lane has which elements is in PTX ISA 9.0, section 9.7.15.5.8. With g =
// lane / 4 and t = lane % 4, two elements of 16 bits in a register:
//
//   a, 16 x 16, four registers: rows g and g + 8 at columns 2t, 2t + 1, then the same rows 8 columns on
//   b, 16 x 8, two registers:   column g at rows 2t, 2t + 1, then 8 rows on
//   c, 16 x 8, four floats:     row g at columns 2t, 2t + 1, then 8 rows on
//
// So two pieces of c side by side, rounded to 16 bits, are the a of a next product as they lie: no lane needs
// what another has. ldmatrix reads four pieces of 8 x 8 from shared memory into such registers, turned over
// if asked (section 9.7.15.5.15). The tests' shim has functions of its own for those that nvcc makes of PTX.
#pragma once

#include "core/lab/trainer/cuda/device.h"

#include <type_traits>

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

// Registers of a lane: of one a, or of two b that lie side by side.
struct Piece
{
    std::uint32_t bits[4];
};

#if defined(__CUDACC__)

__device__ inline std::uint32_t shared_address(const void* shared)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Four pieces of 8 x 8: lanes 8i to 8i + 7 say where the rows of piece i begin, at multiples of 16 bytes.
__device__ inline Piece load_pieces(const void* row)
{
    Piece p;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(p.bits[0]), "=r"(p.bits[1]), "=r"(p.bits[2]), "=r"(p.bits[3])
                 : "r"(shared_address(row))
                 : "memory");
    return p;
}
__device__ inline Piece load_pieces_turned(const void* row)
{
    Piece p;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(p.bits[0]), "=r"(p.bits[1]), "=r"(p.bits[2]), "=r"(p.bits[3])
                 : "r"(shared_address(row))
                 : "memory");
    return p;
}

// c += a b
template <class T>
__device__ inline void multiply_add(float (&c)[4], const Piece& a, std::uint32_t b0, std::uint32_t b1)
{
    if constexpr (std::is_same_v<T, Bf16>)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a.bits[0]), "r"(a.bits[1]), "r"(a.bits[2]), "r"(a.bits[3]), "r"(b0), "r"(b1));
    }
    else
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a.bits[0]), "r"(a.bits[1]), "r"(a.bits[2]), "r"(a.bits[3]), "r"(b0), "r"(b1));
    }
}

// 16 bytes on their way into shared memory, zeros where `real` is false. They are there for this thread after
// wait_for_copies(), for others after a barrier behind it.
__device__ inline void start_copy(void* shared, const void* from, bool real)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(shared)), "l"(from), "r"(real ? 16 : 0)
                 : "memory");
}
// What was started since the last call is one group.
__device__ inline void end_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most the newest `Left` groups are on their way.
template <int Left>
__device__ inline void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

// 2^x, to about 2 in the last place of a float; 0 far below.
__device__ inline float power_of_two(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Two numbers in one register, the first in the lower half.
template <class T>
__device__ inline std::uint32_t both(float low, float high)
{
    std::uint32_t bits;
    if constexpr (std::is_same_v<T, Bf16>)
    {
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    }
    else
    {
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    }
    return bits;
}

#else

Piece load_pieces(const void* row);
Piece load_pieces_turned(const void* row);
template <class T>
void multiply_add(float (&c)[4], const Piece& a, std::uint32_t b0, std::uint32_t b1);
void start_copy(void* shared, const void* from, bool real);
void end_group();
template <int Left>
void wait_for_copies();
float power_of_two(float x);
template <class T>
std::uint32_t both(float low, float high);

#endif

__device__ inline int lane_of_warp()
{
    return static_cast<int>(threadIdx.x % kWarp);
}

// The a whose element (i, k) is from[i * stride + k].
template <class T>
__device__ inline Piece rows_at(const T* from, int stride)
{
    const int lane = lane_of_warp();
    return load_pieces(from + lane % 16 * stride + lane / 16 * 8);
}
// Two b, columns 0 to 7 and 8 to 15, whose element (k, j) is from[j * stride + k]: columns lie along memory.
template <class T>
__device__ inline Piece columns_at(const T* from, int stride)
{
    const int lane = lane_of_warp();
    return load_pieces(from + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8);
}
// Two such b whose element (k, j) is from[k * stride + j]: rows lie along memory.
template <class T>
__device__ inline Piece turned_columns_at(const T* from, int stride)
{
    const int lane = lane_of_warp();
    return load_pieces_turned(from + lane % 16 * stride + lane / 16 * 8);
}

// Two pieces of c side by side as the a of a next product.
template <class T>
__device__ inline Piece rounded(const float (&left)[4], const float (&right)[4])
{
    return {both<T>(left[0], left[1]), both<T>(left[2], left[3]), both<T>(right[0], right[1]),
            both<T>(right[2], right[3])};
}

// Row and column in a piece of c of element `i` of this lane.
__device__ inline int row_of(int i)
{
    return lane_of_warp() / 4 + i / 2 * 8;
}
__device__ inline int column_of(int i)
{
    return lane_of_warp() % 4 * 2 + i % 2;
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
