// Lets an ordinary C++ compiler build the CUDA kernels: every thread of a block is a fiber that runs until it
// meets a barrier or a shuffle. For tests on machines without a GPU: it finds wrong results, missing and
// divergent barriers and writes out of bounds, and says nothing about speed. Not thread-safe; one block at a
// time.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

// The part of CUDA's language that the kernels use.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define __restrict__
#define __align__(bytes) __attribute__((aligned(bytes)))
// NOLINTEND(bugprone-reserved-identifier)

// CUDA's own names.
// NOLINTBEGIN(readability-identifier-naming)
struct dim3
{
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace ringside::shim
{

// The order in which fibers get their turns.
enum class Order
{
    forwards,
    backwards,
    shuffled // another one each round
};
void set_order(Order order);

struct Place
{
    dim3 thread;
    dim3 block;
    dim3 block_size;
    dim3 grid_size;
};
const Place& place();

// What is asked for from now on is put at the end of `list` instead of being done; null: it is done again.
void record_into(std::vector<std::function<void()>>* list);
void enqueue(std::function<void()> work);
// Runs `body` once for every thread. Throws std::runtime_error when barriers do not meet.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body);

void* dynamic_shared();
void block_barrier();
void warp_barrier();
// What lane `from` of this thread's warp handed in to the same call.
std::uint64_t exchange(std::uint64_t value, unsigned from);
unsigned lane();

template <class T>
T shuffled(T value, unsigned from)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = exchange(bits, from);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace ringside::shim

#define threadIdx (::ringside::shim::place().thread)
#define blockIdx (::ringside::shim::place().block)
#define blockDim (::ringside::shim::place().block_size)
#define gridDim (::ringside::shim::place().grid_size)

inline void __syncthreads()
{
    ringside::shim::block_barrier();
}
inline void __syncwarp(unsigned = 0xFFFFFFFFU)
{
    ringside::shim::warp_barrier();
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask)
{
    return ringside::shim::shuffled(value, ringside::shim::lane() ^ static_cast<unsigned>(mask));
}
inline int atomicAdd(int* to, int value)
{
    const int old = *to;
    *to += value;
    return old;
}
inline float __expf(float x)
{
    return std::exp(x);
}
// NOLINTEND(readability-identifier-naming)

// What device.h and fragments.h have from nvcc.
#define RINGSIDE_BUILD by_shim
#define RINGSIDE_UNROLLED
#define RINGSIDE_ROLLED
#define RINGSIDE_DYNAMIC_SHARED(name) float* name = static_cast<float*>(::ringside::shim::dynamic_shared())

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

using Stream = int;

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, Stream,
            Arguments... arguments)
{
    shim::enqueue(
        [=] { shim::run_grid(grid, block, shared, [=] { kernel(static_cast<Parameters>(arguments)...); }); });
}

// Every lane has eight elements of a piece.
struct Sums16
{
    float values[8]; // element lane + 32 i of the piece, row after row
};

inline void clear(Sums16& sums)
{
    sums = {};
}

template <class T>
void multiply_add(Sums16& sums, const T* a, const T* b, int stride)
{
    const auto lane = static_cast<int>(shim::lane());
    for (int i = 0; i < 8; ++i)
    {
        const T* row = a + (lane + 32 * i) / 16 * stride;
        const T* col = b + (lane + 32 * i) % 16 * stride;
        for (int k = 0; k < 16; ++k)
        {
            sums.values[i] += to_float(row[k]) * to_float(col[k]);
        }
    }
}

inline void put(const Sums16& sums, float* to, int stride)
{
    const auto lane = static_cast<int>(shim::lane());
    for (int i = 0; i < 8; ++i)
    {
        to[(lane + 32 * i) / 16 * stride + (lane + 32 * i) % 16] = sums.values[i];
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
