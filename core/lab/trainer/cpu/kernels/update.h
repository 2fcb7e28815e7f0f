// The optimizer's step, the gradient's norm, and how often each exponent occurs.
#pragma once

#include "core/base/random.h"
#include "core/lab/trainer/cpu/kernels.h"
#include "core/lab/trainer/cpu/kernels/math.h"

namespace ringside::trainer::cpu
{
namespace
{

constexpr Index kPiece = 256; // elements that are worked on together

// Rounds up with the probability that makes the mean exact; infinities and NaNs stay.
inline std::uint16_t to_bf16_at_random(float x, std::uint32_t random)
{
    const std::uint32_t u = bits_of(x);
    const bool finite = (u & 0x7F800000U) != 0x7F800000U;
    return static_cast<std::uint16_t>((finite ? u + (random & 0xFFFFU) : u) >> 16U);
}
inline std::uint16_t to_f16_at_random(float x, std::uint32_t random)
{
    const float magnitude = float_of(bits_of(x) & 0x7FFFFFFFU);
    if (!(magnitude < 65504.0F) || magnitude < 0x1p-14F)
    {
        return to_f16(x); // subnormal steps are all alike: to nearest is what is left of them
    }
    return to_f16(float_of((bits_of(x) + (random & 0x1FFFU)) & ~0x1FFFU));
}

inline void store_weights(const float* values, const Update& u, Index begin, Index count)
{
    const Tensor to = tensor(u.weights, u.weight_type, 1, u.elements);
    if (!u.stochastic || u.weight_type == DType::f32)
    {
        store(values, to, 0, begin, count);
        return;
    }
    auto* codes = static_cast<std::uint16_t*>(u.weights) + begin;
    for (Index i = 0; i < count; ++i)
    {
        const auto random =
            static_cast<std::uint32_t>(random_bits(u.key, static_cast<std::uint64_t>(begin + i)));
        codes[i] = u.weight_type == DType::bf16 ? to_bf16_at_random(values[i], random)
                                                : to_f16_at_random(values[i], random);
    }
}

// Loshchilov and Hutter, arXiv 1711.05101, algorithm 2. By value: what is written could be part of an Update.
inline void adamw(const Update u, float* m, float* v, Index count, float decay, const float* g, float* w)
{
    for (Index i = 0; i < count; ++i)
    {
        const float gradient = g[i] * u.gradient_scale;
        m[i] = u.beta1 * m[i] + (1.0F - u.beta1) * gradient;
        v[i] = u.beta2 * v[i] + (1.0F - u.beta2) * gradient * gradient;
        const float step = (m[i] / u.correction1) / (__builtin_sqrtf(v[i] / u.correction2) + u.epsilon);
        w[i] -= u.learning_rate * (step + decay * w[i]);
    }
}

inline void sgd(const Update u, float* m, Index count, float decay, const float* g, float* w)
{
    for (Index i = 0; i < count; ++i)
    {
        m[i] = u.beta1 * m[i] + g[i] * u.gradient_scale;
        w[i] -= u.learning_rate * (m[i] + decay * w[i]);
    }
}

void update(const Update& u, Part elements)
{
    float gradient_piece[kPiece];
    float weight_piece[kPiece];
    const Tensor gradients = tensor(const_cast<void*>(u.gradients), u.gradient_type, 1, u.elements);
    const Tensor weights = tensor(u.weights, u.weight_type, 1, u.elements);
    for (Index begin = elements.begin; begin < elements.end;)
    {
        const Index border = begin < u.decayed && u.decayed < elements.end ? u.decayed : elements.end;
        const Index count = border - begin < kPiece ? border - begin : kPiece;
        const float decay = begin < u.decayed ? u.weight_decay : 0.0F;
        const float* g = floats(gradients, 0, begin, count, gradient_piece);
        const float* old = u.master ? u.master + begin : floats(weights, 0, begin, count, weight_piece);
        float* w = weight_piece;
        __builtin_memmove(w, old, static_cast<std::size_t>(count) * sizeof(float));
        u.rule == UpdateRule::adamw ? adamw(u, u.momentum + begin, u.variance + begin, count, decay, g, w)
                                    : sgd(u, u.momentum + begin, count, decay, g, w);
        if (u.master)
        {
            __builtin_memcpy(u.master + begin, w, static_cast<std::size_t>(count) * sizeof(float));
        }
        if (u.weights)
        {
            store_weights(w, u, begin, count);
        }
        begin += count;
    }
}

double sum_of_squares(const void* data, DType type, Part elements)
{
    float scratch[kPiece];
    const Tensor t = tensor(const_cast<void*>(data), type, 1, elements.end);
    double sum = 0;
    for (Index begin = elements.begin; begin < elements.end; begin += kPiece)
    {
        const Index count = elements.end - begin < kPiece ? elements.end - begin : kPiece;
        const float* x = floats(t, 0, begin, count, scratch);
        sum += static_cast<double>(sum_of(count, [x](Index i) { return x[i] * x[i]; }));
    }
    return sum;
}

void count_exponents(const Tensor& t, Part rows, Index step, std::int64_t* counts)
{
    float scratch[kMostCols];
    for (Index row = rows.begin; row < rows.end; row += step)
    {
        for (Index col = 0; col < t.cols; col += kMostCols)
        {
            const Index count = t.cols - col < kMostCols ? t.cols - col : kMostCols;
            const float* x = floats(t, row, col, count, scratch);
            for (Index i = 0; i < count; ++i)
            {
                ++counts[(bits_of(x[i]) >> 23U) & 0xFFU];
            }
        }
    }
}

} // namespace
} // namespace ringside::trainer::cpu
