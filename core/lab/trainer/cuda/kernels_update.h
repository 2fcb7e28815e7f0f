// The optimizer in one launch over all parameters, the gradient's norm, conversions and exponents.
#pragma once

#include "core/lab/trainer/cuda/device.h"
#include "core/lab/trainer/cuda/kernels_rows.h"
#include "core/lab/trainer/operations.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kSquareThreads = 256;
constexpr int kSquareBlocks = 512; // most parts of the norm; they are added in order

// SplitMix64's mixing, as the host draws its numbers (core/base/random.h).
__device__ inline std::uint64_t random_bits_of(std::uint64_t key, std::uint64_t counter)
{
    std::uint64_t z = key + counter * 0xD1342543DE82EF95U + 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

__device__ inline float round_at_random(float x, DType type, std::uint32_t random)
{
    const std::uint32_t u = bits_from_float(x);
    const float magnitude = float_from_bits(u & 0x7FFFFFFFU);
    if (type == DType::bf16 && (u & 0x7F800000U) != 0x7F800000U)
    {
        return float_from_bits((u + (random & 0xFFFFU)) & 0xFFFF0000U);
    }
    if (type == DType::f16 && magnitude < 65504.0F && magnitude >= 0x1p-14F)
    {
        return float_from_bits((u + (random & 0x1FFFU)) & ~0x1FFFU);
    }
    return x;
}

__global__ void update_kernel(Update u)
{
    const Index i = thread_index();
    if (i >= u.elements)
    {
        return;
    }
    const Any weights{u.weights, u.weight_type};
    const float gradient = load({const_cast<void*>(u.gradients), u.gradient_type}, i) * u.gradient_scale;
    const float decay = i < u.decayed ? u.weight_decay : 0.0F;
    float w = u.master ? u.master[i] : load(weights, i);
    if (u.rule == UpdateRule::adamw)
    {
        const float m = u.beta1 * u.momentum[i] + (1.0F - u.beta1) * gradient;
        const float v = u.beta2 * u.variance[i] + (1.0F - u.beta2) * gradient * gradient;
        u.momentum[i] = m;
        u.variance[i] = v;
        w -= u.learning_rate * (m / u.correction1 / (sqrtf(v / u.correction2) + u.epsilon) + decay * w);
    }
    else
    {
        const float m = u.beta1 * u.momentum[i] + gradient;
        u.momentum[i] = m;
        w -= u.learning_rate * (m + decay * w);
    }
    if (u.master)
    {
        u.master[i] = w;
    }
    if (u.stochastic)
    {
        w = round_at_random(w, u.weight_type,
                            static_cast<std::uint32_t>(random_bits_of(u.key, static_cast<std::uint64_t>(i))));
    }
    if (u.weights) // 8-bit ones are made of the master copy afterwards
    {
        store(weights, i, w);
    }
}

__global__ void squares_kernel(Any data, double* parts, Index elements)
{
    __shared__ double sums[kSquareThreads];
    double sum = 0;
    for (Index i = thread_index(); i < elements; i += static_cast<Index>(gridDim.x) * kSquareThreads)
    {
        const auto x = static_cast<double>(load(data, i));
        sum += x * x;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = kSquareThreads / 2; half > 0; half /= 2)
    {
        if (threadIdx.x < half)
        {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
    {
        parts[blockIdx.x] = sums[0];
    }
}

__device__ inline float value_at(const Tensor& t, Index row, Index col)
{
    const float code = load({t.data, t.type}, row * t.stride + col);
    return t.scales ? code * t.scales[row] : code;
}

__global__ void convert_kernel(Tensor from, Tensor to, bool transposed)
{
    const Index i = thread_index();
    if (i < to.rows * to.cols)
    {
        const Index row = i / to.cols;
        const Index col = i % to.cols;
        store({to.data, to.type}, row * to.stride + col,
              transposed ? value_at(from, col, row) : value_at(from, row, col));
    }
}

// A block for each row of 8-bit numbers: its largest value sets the scale.
__global__ void convert_row_kernel(Tensor from, Tensor to, bool transposed)
{
    __shared__ float room[kWideThreads / kWarp];
    const Index row = blockIdx.x;
    const auto value = [&](Index col)
    { return transposed ? value_at(from, col, row) : value_at(from, row, col); };
    float most = 0;
    for (Index col = threadIdx.x; col < to.cols; col += kWideThreads)
    {
        const float magnitude = fabsf(value(col));
        most = magnitude > most ? magnitude : most;
    }
    most = over_block<true>(most, room);
    const float end = to.type == DType::e4m3 ? kMostE4m3 : kMostE5m2;
    const float scale = most > 0 && most < 3.0e38F ? most / end : 1.0F;
    const float shrink = 1.0F / scale;
    for (Index col = threadIdx.x; col < to.cols; col += kWideThreads)
    {
        store({to.data, to.type}, row * to.stride + col, value(col) * shrink);
    }
    if (threadIdx.x == 0)
    {
        to.scales[row] = scale;
    }
}

__global__ void exponents_kernel(Any data, Index stride, Index cols, Index step, Index elements, int* counts)
{
    const Index i = thread_index() * step;
    if (i < elements)
    {
        const float x = load(data, i / cols * stride + i % cols);
        atomicAdd(&counts[bits_from_float(x) >> 23U & 0xFFU], 1);
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
