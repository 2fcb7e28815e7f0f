// exp, tanh and sums that vectorise and give the same bits on every instruction set with fused multiply-add.
#pragma once

#include "core/lab/trainer/cpu/kernels/formats.h"

namespace ringside::trainer::cpu
{
namespace
{

// a * b + c, rounded once where the instruction set can.
inline float fused(float a, float b, float c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

// Within 2 units in the last place. exp(r) by Taylor to r^7 for |r| <= ln 2 / 2; below 2^-126 it is 0.
inline float fast_exp(float x)
{
    constexpr float kLog2e = 1.44269504F;
    constexpr float kRound = 12582912.0F; // 1.5 x 2^23: adding it rounds to a whole number
    constexpr float kLn2High = 0.693359375F;
    constexpr float kLn2Low = -2.12194440e-4F;
    const float held = x < -87.3F ? -87.3F : x > 88.3F ? 88.3F : x;
    const float shifted = fused(held, kLog2e, kRound);
    const float n = shifted - kRound;
    const float r = fused(-n, kLn2Low, fused(-n, kLn2High, held));
    float p = 1.0F / 5040;
    p = fused(p, r, 1.0F / 720);
    p = fused(p, r, 1.0F / 120);
    p = fused(p, r, 1.0F / 24);
    p = fused(p, r, 1.0F / 6);
    p = fused(p, r, 0.5F);
    p = fused(p, r, 1.0F);
    p = fused(p, r, 1.0F);
    const std::uint32_t power = (bits_of(shifted) + 127U - 0x4B400000U) << 23U;
    const float result = p * float_of(power);
    return x < -87.3F ? 0.0F : x == x ? result : x;
}

inline float fast_tanh(float x)
{
    return 1.0F - 2.0F / (fast_exp(2.0F * x) + 1.0F);
}

inline float sigmoid(float x)
{
    return 1.0F / (1.0F + fast_exp(-x));
}

// Sums keep this many running parts whatever the vector width, so that all widths add in the same order.
constexpr Index kParts = 16;

struct Parts
{
    float of[kParts] = {};

    float sum() const
    {
        float total = 0;
        for (Index half = 0; half < kParts; ++half)
        {
            total += of[half];
        }
        return total;
    }
};

// Sum of term(i) for i in [0, count).
template <class Term>
inline float sum_of(Index count, const Term& term)
{
    Parts parts;
    Index i = 0;
    for (; i + kParts <= count; i += kParts)
    {
        for (Index j = 0; j < kParts; ++j)
        {
            parts.of[j] += term(i + j);
        }
    }
    for (; i < count; ++i)
    {
        parts.of[i % kParts] += term(i);
    }
    return parts.sum();
}

inline float largest_of(const float* values, Index count)
{
    float parts[kParts];
    for (Index j = 0; j < kParts; ++j)
    {
        parts[j] = values[0];
    }
    Index i = 0;
    for (; i + kParts <= count; i += kParts)
    {
        for (Index j = 0; j < kParts; ++j)
        {
            parts[j] = values[i + j] > parts[j] ? values[i + j] : parts[j];
        }
    }
    float most = parts[0];
    for (Index j = 1; j < kParts; ++j)
    {
        most = parts[j] > most ? parts[j] : most;
    }
    for (; i < count; ++i)
    {
        most = values[i] > most ? values[i] : most;
    }
    return most;
}

} // namespace
} // namespace ringside::trainer::cpu
