// Packed matrix products: both operands are copied into panels that a micro-kernel reads in order, converted
// to floats on the way, so that every format costs the same. Each element is one sum over K in order,
// whatever the tiles.
#pragma once

#include "core/lab/trainer/cpu/kernels.h"
#include "core/lab/trainer/cpu/kernels/formats.h"

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__clang__)
#define RINGSIDE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RINGSIDE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace ringside::trainer::cpu
{
namespace
{

constexpr Index kLanes = RINGSIDE_LANES; // floats of a vector
constexpr Index kRows = RINGSIDE_ROWS;   // of the micro-kernel
constexpr Index kCols = 2 * kLanes;
constexpr Index kDeep = 256;                       // of K at a time: a panel of B stays in the first cache
constexpr Index kBlockRows = kRows * (96 / kRows); // of A at a time
constexpr Index kBlockCols = 256;                  // of B at a time: stays in the second cache
constexpr Index kTileRows = 2 * kBlockRows;        // largest tile of a result that is not fp32

typedef float Vec __attribute__((vector_size(kLanes * sizeof(float)), may_alias));
typedef float LooseVec __attribute__((vector_size(kLanes * sizeof(float)), may_alias, aligned(4)));

struct ProductScratch
{
    float* a;      // kBlockRows x kDeep
    float* b;      // kDeep x kBlockCols
    float* row;    // of an operand on its way into a panel
    float* result; // kTileRows x kBlockCols
};
constexpr Index kRowScratch = kRows * kDeep;
constexpr Index kProductScratch =
    kBlockRows * kDeep + kDeep * kBlockCols + kRowScratch + kTileRows * kBlockCols;

inline ProductScratch split(float* scratch)
{
    ProductScratch s{};
    s.a = scratch;
    s.b = s.a + kBlockRows * kDeep;
    s.row = s.b + kDeep * kBlockCols;
    s.result = s.row + kRowScratch;
    return s;
}

typedef float Four __attribute__((vector_size(16), may_alias, aligned(4)));

// 4 lines x 4 elements, the other way round: one element of each line side by side.
template <Index Width>
inline void turn_four(const float* const* from, Index k, float* to)
{
    const Four a = *reinterpret_cast<const Four*>(from[0] + k);
    const Four b = *reinterpret_cast<const Four*>(from[1] + k);
    const Four c = *reinterpret_cast<const Four*>(from[2] + k);
    const Four d = *reinterpret_cast<const Four*>(from[3] + k);
    const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *reinterpret_cast<Four*>(to) = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *reinterpret_cast<Four*>(to + Width) = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *reinterpret_cast<Four*>(to + 2 * Width) = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *reinterpret_cast<Four*>(to + 3 * Width) = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// Up to 4 lines of an operand, each contiguous along K, side by side from `to` on.
template <Index Width>
inline void pack_lines(const Tensor& t, Part lines, Part deep, Index count, float* to, float* scratch)
{
    const Index depth = deep.end - deep.begin;
    const float* from[4];
    for (Index i = 0; i < count; ++i)
    {
        const Index line =
            lines.begin + i < lines.end ? lines.begin + i : lines.end - 1; // its place is never read
        from[i] = floats(t, line, deep.begin, depth, scratch + i * kDeep);
    }
    Index k = 0;
    for (; count == 4 && k + 4 <= depth; k += 4)
    {
        turn_four<Width>(from, k, to + k * Width);
    }
    for (; k < depth; ++k)
    {
        for (Index i = 0; i < count; ++i)
        {
            to[k * Width + i] = from[i][k];
        }
    }
}

// `Width` such lines: panel[k][line].
template <Index Width>
inline void pack_across(const Tensor& t, Part lines, Part deep, float* panel, float* scratch)
{
    for (Index first = 0; first < Width; first += 4)
    {
        const Index count = Width - first < 4 ? Width - first : 4;
        pack_lines<Width>(t, {lines.begin + first, lines.end}, deep, count, panel + first, scratch);
    }
}

// Lines that are columns of the stored operand: rows of it are copied piece by piece.
template <Index Width>
inline void pack_along(const Tensor& t, Part lines, Part deep, float* panels, float* scratch)
{
    const Index count = lines.end - lines.begin;
    const Index depth = deep.end - deep.begin;
    for (Index k = 0; k < depth; ++k)
    {
        const float* from = floats(t, deep.begin + k, lines.begin, count, scratch);
        Index line = 0;
        for (; line + Width <= count; line += Width)
        {
            __builtin_memcpy(panels + line * depth + k * Width, from + line, Width * sizeof(float));
        }
        for (Index i = 0; line < count && i < Width; ++i)
        {
            panels[line * depth + k * Width + i] = line + i < count ? from[line + i] : 0.0F;
        }
    }
}

// Panels of `Width` lines [lines) over K [deep). `across`: a line is contiguous in memory.
template <Index Width>
inline void pack(const Tensor& t, bool across, Part lines, Part deep, float* panels, float* scratch)
{
    if (!across)
    {
        pack_along<Width>(t, lines, deep, panels, scratch);
        return;
    }
    const Index depth = deep.end - deep.begin;
    for (Index line = lines.begin; line < lines.end; line += Width)
    {
        pack_across<Width>(t, {line, lines.end}, deep, panels + (line - lines.begin) * depth, scratch);
    }
}

// a * b + c, rounded once where the instruction set can.
inline Vec fused(float a, Vec b, Vec c)
{
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(_mm512_set1_ps(a), b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(_mm256_set1_ps(a), b, c);
#elif defined(__aarch64__)
    return vfmaq_n_f32(c, b, a);
#else
    return a * b + c;
#endif
}

// Rows of A for the micro-kernel, where they lie or in a panel: element (i, k) is data[i * row + k * step].
struct Lines
{
    const float* data;
    Index row;  // 1 in a panel, and where A is transposed
    Index step; // else 1
};

// result[kRows x kCols] += rows of A times a panel of B
template <bool Beside>
__attribute__((noinline)) void micro(Index depth, Lines a, const float* b, float* result, Index stride)
{
    const Index row = Beside ? 1 : a.row;
    const Index step = Beside ? a.step : 1;
    Vec sums[kRows][2] = {};
    for (Index k = 0; k < depth; ++k)
    {
        const Vec b0 = *reinterpret_cast<const LooseVec*>(b);
        const Vec b1 = *reinterpret_cast<const LooseVec*>(b + kLanes);
        RINGSIDE_UNROLL
        for (Index i = 0; i < kRows; ++i)
        {
            sums[i][0] = fused(a.data[i * row], b0, sums[i][0]);
            sums[i][1] = fused(a.data[i * row], b1, sums[i][1]);
        }
        a.data += step;
        b += kCols;
    }
    RINGSIDE_UNROLL
    for (Index i = 0; i < kRows; ++i)
    {
        // Not auto, which would forget that the floats may lie anywhere.
        LooseVec* to = reinterpret_cast<LooseVec*>(result + i * stride); // NOLINT(modernize-use-auto)
        // NOLINTNEXTLINE(modernize-use-auto)
        LooseVec* next = reinterpret_cast<LooseVec*>(result + i * stride + kLanes);
        *to = *to + sums[i][0];
        *next = *next + sums[i][1];
    }
}

inline void micro(Index depth, const Lines& a, const float* b, float* result, Index stride)
{
    a.row == 1 ? micro<true>(depth, a, b, result, stride) : micro<false>(depth, a, b, result, stride);
}

// The micro-kernel where fewer rows or columns than its own are left.
inline void micro_edge(Index depth, const Lines& a, const float* b, float* result, Index stride, Index rows,
                       Index cols)
{
    alignas(64) float whole[kRows * kCols] = {};
    micro(depth, a, b, whole, kCols);
    for (Index i = 0; i < rows; ++i)
    {
        for (Index j = 0; j < cols; ++j)
        {
            result[i * stride + j] += whole[i * kCols + j];
        }
    }
}

// result += `rows` rows of A, the first `whole` of them where they lie, the others in panels, times panels of
// B.
inline void panels(Index depth, const Lines& lying, Index whole, const float* a, const float* b,
                   float* result, Index stride, Index rows, Index cols)
{
    for (Index j = 0; j < cols; j += kCols)
    {
        for (Index i = 0; i < rows; i += kRows)
        {
            float* to = result + i * stride + j;
            const Lines lines = i < whole ? Lines{lying.data + i * lying.row, lying.row, lying.step}
                                          : Lines{a + (i - whole) * depth, 1, kRows};
            if (i + kRows <= rows && j + kCols <= cols)
            {
                micro(depth, lines, b + j * depth, to, stride);
            }
            else
            {
                micro_edge(depth, lines, b + j * depth, to, stride, rows - i < kRows ? rows - i : kRows,
                           cols - j < kCols ? cols - j : kCols);
            }
        }
    }
}

// result (fp32) += rows x cols of the product of two operands; at most kBlockCols columns.
inline void add_block(const Product& p, const Tile& tile, float* result, Index stride,
                      const ProductScratch& s)
{
    const Index all = p.k();
    const bool lies = reads_in_place(p);
    for (Index k = 0; k < all; k += kDeep)
    {
        const Part deep{k, k + kDeep < all ? k + kDeep : all};
        const Index depth = deep.end - deep.begin;
        pack<kCols>(p.b, p.b_transposed, tile.cols, deep, s.b, s.row);
        for (Index i = tile.rows.begin; i < tile.rows.end; i += kBlockRows)
        {
            const Index end = i + kBlockRows < tile.rows.end ? i + kBlockRows : tile.rows.end;
            const Index whole = lies ? (end - i) / kRows * kRows : 0; // rows that need no panel
            pack<kRows>(p.a, !p.a_transposed, {i + whole, end}, deep, s.a, s.row);
            const Index row = p.a_transposed ? 1 : p.a.stride;
            const Index step = p.a_transposed ? p.a.stride : 1;
            const Lines lying{static_cast<const float*>(p.a.data) + i * row + k * step, row, step};
            panels(depth, lying, whole, s.a, s.b, result + (i - tile.rows.begin) * stride, stride, end - i,
                   tile.cols.end - tile.cols.begin);
        }
    }
}

// What the sums start from: nothing, or the sum of what is there, the bias and the residual.
inline void start(const Product& p, const Tile& tile, float* result, Index stride, float* scratch)
{
    const Index cols = tile.cols.end - tile.cols.begin;
    const Tensor none;
    const Tensor* const given[] = {p.accumulate ? &p.c : &none, &p.bias, &p.add};
    for (Index row = tile.rows.begin; row < tile.rows.end; ++row)
    {
        float* to = result + (row - tile.rows.begin) * stride;
        bool empty = true;
        for (const Tensor* more : given)
        {
            if (!*more)
            {
                continue;
            }
            const float* from = floats(*more, more->rows == 1 ? 0 : row, tile.cols.begin, cols, scratch);
            if (empty && from != to)
            {
                __builtin_memcpy(to, from, static_cast<std::size_t>(cols) * sizeof(float));
            }
            for (Index j = 0; !empty && j < cols; ++j)
            {
                to[j] += from[j];
            }
            empty = false;
        }
        if (empty)
        {
            __builtin_memset(to, 0, static_cast<std::size_t>(cols) * sizeof(float));
        }
    }
}

__attribute__((noinline)) void product(const Product& p, const Tile& whole, float* scratch)
{
    const ProductScratch s = split(scratch);
    const bool direct = p.c.type == DType::f32;
    const Index step = direct ? whole.rows.end - whole.rows.begin : kTileRows;
    for (Index j = whole.cols.begin; j < whole.cols.end; j += kBlockCols)
    {
        for (Index i = whole.rows.begin; i < whole.rows.end; i += step)
        {
            const Tile tile{{i, i + step < whole.rows.end ? i + step : whole.rows.end},
                            {j, j + kBlockCols < whole.cols.end ? j + kBlockCols : whole.cols.end}};
            const Index cols = tile.cols.end - tile.cols.begin;
            float* result = direct ? static_cast<float*>(p.c.at(i, j)) : s.result;
            const Index stride = direct ? p.c.stride : cols;
            start(p, tile, result, stride, s.row);
            add_block(p, tile, result, stride, s);
            for (Index row = tile.rows.begin; !direct && row < tile.rows.end; ++row)
            {
                store(result + (row - tile.rows.begin) * stride, p.c, row, j, cols);
            }
        }
    }
}

} // namespace
} // namespace ringside::trainer::cpu
