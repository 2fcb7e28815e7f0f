// Rows of a tensor as floats and back, in every format. Part of each instruction set's kernels: everything
// here has internal linkage, so that no code of one set is ever taken for another's.
#pragma once

#include "core/lab/trainer/tensor.h"

namespace ringside::trainer::cpu
{
namespace
{

// Longest row that norms, activations and conversions work on: prepared() refuses wider models.
constexpr Index kMostCols = 16384;

inline std::uint32_t bits_of(float x)
{
    return __builtin_bit_cast(std::uint32_t, x);
}
inline float float_of(std::uint32_t x)
{
    return __builtin_bit_cast(float, x);
}

inline float from_bf16(std::uint16_t code)
{
    return float_of(static_cast<std::uint32_t>(code) << 16U);
}
// To nearest, ties to even; a NaN stays one.
inline std::uint16_t to_bf16(float x)
{
    const std::uint32_t u = bits_of(x);
    const std::uint32_t rounded = (u + 0x7FFFU + ((u >> 16U) & 1U)) >> 16U;
    const std::uint32_t quiet = (u >> 16U) | 0x40U;
    return static_cast<std::uint16_t>((u & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
}

// A small float of E exponent bits and M fraction bits, its sign left out, as a float: normal numbers by
// moving the exponent, subnormal ones by letting a subtraction normalise them.
template <unsigned E, unsigned M>
inline float widen(std::uint32_t code)
{
    constexpr std::uint32_t kBias = (1U << (E - 1U)) - 1U;
    constexpr std::uint32_t kMove = (127U - kBias) << 23U;
    constexpr std::uint32_t kLeast = (128U - kBias) << 23U; // the least normal number
    const std::uint32_t u = code << (23U - M);
    const float normal = float_of(u + kMove);
    const float subnormal = float_of(u + kLeast) - float_of(kLeast);
    return code < (1U << M) ? subnormal : normal;
}
// To nearest, ties to even, for magnitudes that the format holds.
template <unsigned E, unsigned M>
inline std::uint32_t narrow(std::uint32_t u)
{
    constexpr std::uint32_t kBias = (1U << (E - 1U)) - 1U;
    constexpr std::uint32_t kLeast = (128U - kBias) << 23U;
    constexpr std::uint32_t kShift = 23U - M;
    constexpr std::uint32_t kMagic = (128U - kBias + kShift) << 23U; // its last bit is the least subnormal
    const std::uint32_t rounded = u + ((1U << (kShift - 1U)) - 1U) + ((u >> kShift) & 1U);
    const std::uint32_t normal = (rounded - ((127U - kBias) << 23U)) >> kShift;
    const std::uint32_t subnormal = bits_of(float_of(u) + float_of(kMagic)) - kMagic;
    return u < kLeast ? subnormal : normal;
}

inline float from_f16(std::uint16_t code)
{
    const std::uint32_t magnitude = code & 0x7FFFU;
    const float finite = widen<5, 10>(magnitude);
    const float special = float_of((magnitude << 13U) | 0x7F800000U);
    const std::uint32_t u = bits_of(magnitude >= 0x7C00U ? special : finite);
    return float_of(u | (static_cast<std::uint32_t>(code & 0x8000U) << 16U));
}
inline std::uint16_t to_f16(float x)
{
    const std::uint32_t u = bits_of(x) & 0x7FFFFFFFU;
    const std::uint32_t finite = narrow<5, 10>(u); // 65520 and more carry into the code of infinity
    const std::uint32_t special = u > 0x7F800000U ? 0x7E00U : 0x7C00U;
    const std::uint32_t magnitude = u >= 0x47800000U ? special : finite;
    return static_cast<std::uint16_t>(magnitude | ((bits_of(x) >> 16U) & 0x8000U));
}

constexpr float kMostE4m3 = 448;
constexpr float kMostE5m2 = 57344;

template <unsigned E, unsigned M>
inline float from_f8(std::uint8_t code)
{
    const std::uint32_t u = bits_of(widen<E, M>(code & 0x7FU));
    return float_of(u | (static_cast<std::uint32_t>(code & 0x80U) << 24U));
}
// What is larger than the format's end becomes its end; NaN becomes it too.
template <unsigned E, unsigned M>
inline std::uint8_t to_f8(float x, float most)
{
    const float magnitude = float_of(bits_of(x) & 0x7FFFFFFFU);
    const float held = magnitude < most ? magnitude : most;
    return static_cast<std::uint8_t>(narrow<E, M>(bits_of(held)) | ((bits_of(x) >> 24U) & 0x80U));
}

// Kept out of line: inlined everywhere they would only make the compiler slow.
__attribute__((noinline)) void widen_row(const Tensor& t, Index row, Index col, Index count, float* scratch)
{
    const void* from = t.at(row, col);
    switch (t.type)
    {
    case DType::f32:
        break;
    case DType::bf16:
        for (Index i = 0; i < count; ++i)
        {
            scratch[i] = from_bf16(static_cast<const std::uint16_t*>(from)[i]);
        }
        break;
    case DType::f16:
        for (Index i = 0; i < count; ++i)
        {
            scratch[i] = from_f16(static_cast<const std::uint16_t*>(from)[i]);
        }
        break;
    case DType::e4m3:
        for (Index i = 0; i < count; ++i)
        {
            scratch[i] = from_f8<4, 3>(static_cast<const std::uint8_t*>(from)[i]) * t.scales[row];
        }
        break;
    case DType::e5m2:
        for (Index i = 0; i < count; ++i)
        {
            scratch[i] = from_f8<5, 2>(static_cast<const std::uint8_t*>(from)[i]) * t.scales[row];
        }
        break;
    }
}

// `count` elements from (row, col) on as floats: the memory itself where it holds floats, else `scratch`.
inline const float* floats(const Tensor& t, Index row, Index col, Index count, float* scratch)
{
    if (t.type == DType::f32)
    {
        return static_cast<const float*>(t.at(row, col));
    }
    widen_row(t, row, col, count, scratch);
    return scratch;
}

// Where to put floats that store() then rounds: the memory itself where it holds floats.
inline float* place(const Tensor& t, Index row, Index col, float* scratch)
{
    return t.type == DType::f32 ? static_cast<float*>(t.at(row, col)) : scratch;
}

inline float largest_magnitude(const float* values, Index count)
{
    std::uint32_t most = 0;
    for (Index i = 0; i < count; ++i)
    {
        const std::uint32_t u = bits_of(values[i]) & 0x7FFFFFFFU;
        most = u > most ? u : most;
    }
    return float_of(most);
}

__attribute__((noinline)) void narrow_row(const float* values, const Tensor& t, Index row, Index col,
                                          Index count)
{
    void* to = t.at(row, col);
    switch (t.type)
    {
    case DType::f32:
        return;
    case DType::bf16:
        for (Index i = 0; i < count; ++i)
        {
            static_cast<std::uint16_t*>(to)[i] = to_bf16(values[i]);
        }
        return;
    case DType::f16:
        for (Index i = 0; i < count; ++i)
        {
            static_cast<std::uint16_t*>(to)[i] = to_f16(values[i]);
        }
        return;
    case DType::e4m3:
    case DType::e5m2:
    {
        const float most = t.type == DType::e4m3 ? kMostE4m3 : kMostE5m2;
        const float largest = largest_magnitude(values, count);
        const float scale = largest > 0 && largest < 3e38F ? largest / most : 1.0F;
        const float shrink = 1.0F / scale;
        t.scales[row] = scale;
        for (Index i = 0; i < count; ++i)
        {
            const float x = values[i] * shrink;
            static_cast<std::uint8_t*>(to)[i] =
                t.type == DType::e4m3 ? to_f8<4, 3>(x, kMostE4m3) : to_f8<5, 2>(x, kMostE5m2);
        }
        return;
    }
    }
}

// 8-bit formats take whole rows only, because the row's largest value sets its scale.
inline void store(const float* values, const Tensor& t, Index row, Index col, Index count)
{
    if (t.type != DType::f32)
    {
        narrow_row(values, t, row, col, count);
    }
    else if (values != t.at(row, col))
    {
        __builtin_memcpy(t.at(row, col), values, static_cast<std::size_t>(count) * sizeof(float));
    }
}

// t[row, col...] += values
[[maybe_unused]] __attribute__((noinline)) void add_to(const float* values, const Tensor& t, Index row,
                                                       Index col, Index count, float* scratch)
{
    const float* old = floats(t, row, col, count, scratch);
    float* sum = place(t, row, col, scratch);
    for (Index i = 0; i < count; ++i)
    {
        sum[i] = old[i] + values[i];
    }
    store(sum, t, row, col, count);
}

} // namespace
} // namespace ringside::trainer::cpu
