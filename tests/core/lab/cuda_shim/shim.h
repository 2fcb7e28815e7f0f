// Lets an ordinary C++ compiler build the CUDA kernels: every thread of a block is a fiber that runs until it
// meets a barrier or a shuffle. For tests on machines without a GPU: it finds wrong results, missing and
// divergent barriers and writes out of bounds, and says nothing about speed. Not thread-safe; one block at a
// time.
#pragma once

#include <array>
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

// Ends the launch: run_grid() throws std::runtime_error.
void fail(const char* fault);
void* dynamic_shared();
void block_barrier();
void warp_barrier();
// What all lanes of this thread's warp handed in to the same call; there until the next but one.
using Words = std::array<std::uint64_t, 3>;
const std::array<Words, 32>& exchange(const Words& own);
unsigned lane();
// 16 bytes, or zeros, that are copied when they are waited for: who reads them before sees what was there.
void start_copy(void* to, const void* from);
void end_group();
void wait_for_copies(std::size_t left);

template <class T>
T shuffled(T value, unsigned from)
{
    Words own{};
    std::memcpy(own.data(), &value, sizeof value);
    std::memcpy(&value, exchange(own)[from].data(), sizeof value);
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

// What device.h has from nvcc.
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

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
