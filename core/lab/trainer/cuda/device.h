// What CUDA kernels are written against: the device's language and formats, from nvcc or from the tests'
// shim, which is then included before this.
#pragma once

#include "core/lab/trainer/tensor.h"

// Both builds may end up in one program, so each has a namespace of its own.
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define RINGSIDE_BUILD by_nvcc
#elif !defined(RINGSIDE_BUILD)
#error "without nvcc, the tests' shim has to be included first"
#endif

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

#if defined(__CUDACC__)
using Stream = cudaStream_t;
#define RINGSIDE_UNROLLED _Pragma("unroll")
#define RINGSIDE_ROLLED _Pragma("unroll 1")
#define RINGSIDE_DYNAMIC_SHARED(name) extern __shared__ __align__(16) float name[]

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, Stream stream,
            Arguments... arguments)
{
    kernel<<<grid, block, shared, stream>>>(static_cast<Parameters>(arguments)...);
}
#endif

// 16-bit numbers as they lie in memory.
struct Bf16
{
    std::uint16_t bits;
};
struct F16
{
    std::uint16_t bits;
};
// 8-bit numbers without the scale of their row.
struct E4m3
{
    std::uint8_t bits;
};
struct E5m2
{
    std::uint8_t bits;
};

__device__ inline float float_from_bits(std::uint32_t bits)
{
#if defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#else
    return __builtin_bit_cast(float, bits);
#endif
}
__device__ inline std::uint32_t bits_from_float(float x)
{
#if defined(__CUDA_ARCH__)
    return __float_as_uint(x);
#else
    return __builtin_bit_cast(std::uint32_t, x);
#endif
}

__device__ inline float to_float(float x)
{
    return x;
}
__device__ inline float to_float(Bf16 x)
{
    return float_from_bits(static_cast<std::uint32_t>(x.bits) << 16U);
}
__device__ inline float to_float(F16 x)
{
#if defined(__CUDA_ARCH__)
    return __half2float(__ushort_as_half(x.bits));
#else
    const std::uint32_t magnitude = x.bits & 0x7FFFU;
    const std::uint32_t sign = (x.bits & 0x8000U) << 16U;
    if (magnitude >= 0x7C00U)
    {
        return float_from_bits(sign | 0x7F800000U | magnitude << 13U);
    }
    // 2^112 moves the exponent, subnormal numbers included.
    return float_from_bits(sign | bits_from_float(float_from_bits(magnitude << 13U) * 0x1p112F));
#endif
}

// A number of E exponent bits and M fraction bits: 2^(127 - bias) moves the exponent, subnormal numbers
// included.
template <unsigned E, unsigned M>
__device__ inline float widened(std::uint32_t code)
{
    constexpr std::uint32_t kMove = (254U - ((1U << (E - 1U)) - 1U)) << 23U;
    const float moved = float_from_bits((code & 0x7FU) << (23U - M)) * float_from_bits(kMove);
    return float_from_bits(bits_from_float(moved) | (code & 0x80U) << 24U);
}
__device__ inline float to_float(E4m3 x)
{
    return widened<4, 3>(x.bits);
}
__device__ inline float to_float(E5m2 x)
{
    return widened<5, 2>(x.bits);
}

template <class T>
__device__ T from_float(float x);
template <>
__device__ inline float from_float<float>(float x)
{
    return x;
}
template <>
__device__ inline Bf16 from_float<Bf16>(float x)
{
    const std::uint32_t u = bits_from_float(x);
    const bool nan = (u & 0x7FFFFFFFU) > 0x7F800000U;
    return {static_cast<std::uint16_t>(nan ? u >> 16U | 0x40U : (u + 0x7FFFU + (u >> 16U & 1U)) >> 16U)};
}
template <>
__device__ inline F16 from_float<F16>(float x)
{
#if defined(__CUDA_ARCH__)
    return {__half_as_ushort(__float2half_rn(x))};
#else
    const std::uint32_t u = bits_from_float(x) & 0x7FFFFFFFU;
    std::uint32_t magnitude = 0;
    if (u >= 0x47800000U)
    {
        magnitude = u > 0x7F800000U ? 0x7E00U : 0x7C00U;
    }
    else if (u < 0x38800000U)
    {
        magnitude = bits_from_float(float_from_bits(u) + 0.5F) - bits_from_float(0.5F);
    }
    else
    {
        magnitude = (u + 0xFFFU + (u >> 13U & 1U) - (112U << 23U)) >> 13U;
    }
    return {static_cast<std::uint16_t>(magnitude | (bits_from_float(x) >> 16U & 0x8000U))};
#endif
}

// To nearest, ties to even; what is larger than `most` becomes it, and so does NaN.
template <unsigned E, unsigned M>
__device__ inline std::uint8_t narrowed(float x, float most)
{
    constexpr std::uint32_t kBias = (1U << (E - 1U)) - 1U;
    constexpr std::uint32_t kShift = 23U - M;
    constexpr std::uint32_t kMagic = (128U - kBias + kShift) << 23U; // its last bit is the least subnormal
    const std::uint32_t sign = bits_from_float(x) >> 24U & 0x80U;
    const float magnitude = float_from_bits(bits_from_float(x) & 0x7FFFFFFFU);
    const std::uint32_t u = bits_from_float(magnitude < most ? magnitude : most);
    if (u < (128U - kBias) << 23U)
    {
        const float moved = float_from_bits(u) + float_from_bits(kMagic);
        return static_cast<std::uint8_t>((bits_from_float(moved) - kMagic) | sign);
    }
    const std::uint32_t rounded = u + ((1U << (kShift - 1U)) - 1U) + (u >> kShift & 1U);
    return static_cast<std::uint8_t>((rounded - ((127U - kBias) << 23U)) >> kShift | sign);
}
constexpr float kMostE4m3 = 448;
constexpr float kMostE5m2 = 57344;
template <>
__device__ inline E4m3 from_float<E4m3>(float x)
{
    return {narrowed<4, 3>(x, kMostE4m3)};
}
template <>
__device__ inline E5m2 from_float<E5m2>(float x)
{
    return {narrowed<5, 2>(x, kMostE5m2)};
}

// Memory whose format is known at run time only: gradients of weights, operands of products.
struct Any
{
    void* data;
    DType type;
};
__device__ inline float load(const Any& from, Index at)
{
    switch (from.type)
    {
    case DType::bf16:
        return to_float(static_cast<const Bf16*>(from.data)[at]);
    case DType::f16:
        return to_float(static_cast<const F16*>(from.data)[at]);
    case DType::e4m3:
        return to_float(static_cast<const E4m3*>(from.data)[at]);
    case DType::e5m2:
        return to_float(static_cast<const E5m2*>(from.data)[at]);
    default:
        return static_cast<const float*>(from.data)[at];
    }
}
__device__ inline void store(const Any& to, Index at, float value)
{
    switch (to.type)
    {
    case DType::bf16:
        static_cast<Bf16*>(to.data)[at] = from_float<Bf16>(value);
        return;
    case DType::f16:
        static_cast<F16*>(to.data)[at] = from_float<F16>(value);
        return;
    case DType::e4m3:
        static_cast<E4m3*>(to.data)[at] = from_float<E4m3>(value);
        return;
    case DType::e5m2:
        static_cast<E5m2*>(to.data)[at] = from_float<E5m2>(value);
        return;
    default:
        static_cast<float*>(to.data)[at] = value;
    }
}

constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr int kWarp = 32;

// Sum and largest over the `Width` lanes that share a row; all of them get it.
template <int Width>
__device__ inline float lane_sum(float x)
{
    for (int step = Width / 2; step > 0; step /= 2)
    {
        x += __shfl_xor_sync(kAllLanes, x, step);
    }
    return x;
}
template <int Width>
__device__ inline float lane_most(float x)
{
    for (int step = Width / 2; step > 0; step /= 2)
    {
        const float other = __shfl_xor_sync(kAllLanes, x, step);
        x = other > x ? other : x;
    }
    return x;
}

// Place of this thread in a grid of one dimension.
__device__ inline Index thread_index()
{
    return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
