// Our own matrix products, for where cuBLASLt is not there or does not take the formats: in fp32 with a 4 x 4
// patch of the result for each thread, in 16 and 8 bits on the tensor cores, as fp16 for 8 (which holds them
// all). Operands of any format and orientation pass through shared memory; edges are filled up with zeros.
#pragma once

#include "core/lab/trainer/cuda/device.h"
#include "core/lab/trainer/cuda/mma.h"
#include "core/lab/trainer/operations.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kTile = 64;          // of the result, both ways
constexpr int kPlainDeep = 16;     // of K at a time
constexpr int kPlainThreads = 256; // 16 x 16, each 4 x 4
constexpr int kTensorDeep = 32;
constexpr int kTensorThreads = 128; // 4 warps, each 32 x 32
constexpr int kPad = 8;             // elements between rows of a tile, against bank conflicts

struct Operand
{
    Any data;
    Index stride = 0;
    bool flipped = false;          // line i at place k lies at [k, i]
    Index lines = 0;               // rows of A, columns of B
    const float* scales = nullptr; // [lines] of 8-bit operands, which are not flipped
};
// What a product's tile becomes.
struct Finish
{
    Any c;
    Index stride = 0;
    bool accumulate = false;
    Any bias;
    Any add;
    Index add_stride = 0;
};
struct ProductShape
{
    Operand a;
    Operand b;
    Finish to;
    Index m = 0;
    Index n = 0;
    Index k = 0;
};

__device__ inline float element(const Operand& o, Index line, Index k, Index depth)
{
    if (line >= o.lines || k >= depth)
    {
        return 0.0F;
    }
    return load(o.data, o.flipped ? k * o.stride + line : line * o.stride + k);
}

__device__ inline void finish(const ProductShape& p, Index row, Index col, float sum)
{
    if (row >= p.m || col >= p.n)
    {
        return;
    }
    const Index at = row * p.to.stride + col;
    if (p.a.scales)
    {
        sum *= p.a.scales[row] * p.b.scales[col];
    }
    if (p.to.accumulate)
    {
        sum += load(p.to.c, at);
    }
    if (p.to.bias.data)
    {
        sum += load(p.to.bias, col);
    }
    if (p.to.add.data)
    {
        sum += load(p.to.add, row * p.to.add_stride + col);
    }
    store(p.to.c, at, sum);
}

__global__ void plain_product_kernel(ProductShape p)
{
    __shared__ float a[kPlainDeep][kTile + 1];
    __shared__ float b[kPlainDeep][kTile + 1];
    const Index first_row = static_cast<Index>(blockIdx.y) * kTile;
    const Index first_col = static_cast<Index>(blockIdx.x) * kTile;
    const int y = static_cast<int>(threadIdx.x) / 16;
    const int x = static_cast<int>(threadIdx.x) % 16;
    float sums[4][4] = {};
    for (Index k = 0; k < p.k; k += kPlainDeep)
    {
        for (int i = static_cast<int>(threadIdx.x); i < kTile * kPlainDeep; i += kPlainThreads)
        {
            // Threads next to each other read elements next to each other, whichever way the operand lies.
            const int a_line = p.a.flipped ? i % kTile : i / kPlainDeep;
            const int a_deep = p.a.flipped ? i / kTile : i % kPlainDeep;
            a[a_deep][a_line] = element(p.a, first_row + a_line, k + a_deep, p.k);
            const int b_line = p.b.flipped ? i % kTile : i / kPlainDeep;
            const int b_deep = p.b.flipped ? i / kTile : i % kPlainDeep;
            b[b_deep][b_line] = element(p.b, first_col + b_line, k + b_deep, p.k);
        }
        __syncthreads();
        for (int deep = 0; deep < kPlainDeep; ++deep)
        {
            RINGSIDE_UNROLLED
            for (int i = 0; i < 4; ++i)
            {
                RINGSIDE_UNROLLED
                for (int j = 0; j < 4; ++j)
                {
                    sums[i][j] += a[deep][y * 4 + i] * b[deep][x * 4 + j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
    {
        for (int j = 0; j < 4; ++j)
        {
            finish(p, first_row + y * 4 + i, first_col + x * 4 + j, sums[i][j]);
        }
    }
}

// One tile of an operand in 16 bits: tile[line][deep].
template <class T>
__device__ inline void load_tile(const Operand& o, Index first, Index k, Index depth, T* tile)
{
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kTensorDeep; i += kTensorThreads)
    {
        const int line = o.flipped ? i % kTile : i / kTensorDeep;
        const int deep = o.flipped ? i / kTile : i % kTensorDeep;
        tile[line * (kTensorDeep + kPad) + deep] = from_float<T>(element(o, first + line, k + deep, depth));
    }
}

template <class T>
__global__ void tensor_product_kernel(ProductShape p)
{
    constexpr int kStride = kTensorDeep + kPad;
    __shared__ __align__(16) T a[kTile * kStride];
    __shared__ __align__(16) T b[kTile * kStride];
    const Index first_row = static_cast<Index>(blockIdx.y) * kTile;
    const Index first_col = static_cast<Index>(blockIdx.x) * kTile;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int row = warp / 2 * 32;
    const int col = warp % 2 * 32;
    float sums[2][4][4] = {};
    for (Index k = 0; k < p.k; k += kTensorDeep)
    {
        load_tile(p.a, first_row, k, p.k, a);
        load_tile(p.b, first_col, k, p.k, b);
        __syncthreads();
        for (int deep = 0; deep < kTensorDeep; deep += 16)
        {
            RINGSIDE_UNROLLED
            for (int j = 0; j < 4; j += 2)
            {
                const Piece right = columns_at(b + (col + j * 8) * kStride + deep, kStride);
                RINGSIDE_UNROLLED
                for (int i = 0; i < 2; ++i)
                {
                    const Piece left = rows_at(a + (row + i * 16) * kStride + deep, kStride);
                    multiply_add<T>(sums[i][j], left, right.bits[0], right.bits[1]);
                    multiply_add<T>(sums[i][j + 1], left, right.bits[2], right.bits[3]);
                }
            }
        }
        __syncthreads();
    }
    RINGSIDE_UNROLLED
    for (int i = 0; i < 32; ++i)
    {
        const int e = i % 4;
        finish(p, first_row + row + i / 16 * 16 + row_of(e), first_col + col + i / 4 % 4 * 8 + column_of(e),
               sums[i / 16][i / 4 % 4][e]);
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
