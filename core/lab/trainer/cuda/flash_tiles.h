// What the kernels of FlashAttention do with tiles (kernels_flash.h): a block's own rows of a head lie in
// shared memory, tiles of other rows pass by, and products of the two lie in the registers of warps (mma.h).
#pragma once

#include "core/lab/trainer/cuda/mma.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kFlashWarps = 4;
constexpr int kFlashThreads = kFlashWarps * kWarp;

// What fits into 255 registers of a thread and 99 KiB of shared memory of a block.
template <int D, bool Backward>
struct FlashTiling
{
    static constexpr int kPieces = Backward && D == 128 ? 1 : 2; // of 16 rows a warp
    static constexpr int kOwn = kFlashWarps * 16 * kPieces;      // rows of a block
    static constexpr int kPassing = !Backward && D == 64 ? 64 : 32;
    static constexpr int kStride = D + 8; // so that rows of ldmatrix lie in other banks
    static constexpr std::size_t kShared =
        sizeof(Bf16) * kStride * (kOwn * (Backward ? 2 : 1) + 2 * 2 * kPassing);
};

// The rows of a warp of a block whose own rows begin at `first`.
struct WarpRows
{
    int in_block; // the first of them, in the block
    int mine;     // and in the sequence
};
template <int Pieces>
__device__ inline WarpRows warp_rows(int first)
{
    const int in_block = static_cast<int>(threadIdx.x) / kWarp * 16 * Pieces;
    return {in_block, first + in_block};
}

// One of the matrices of a head: element (token, i) is data[token * stride + i]. Places in a sequence are
// ints, which spares registers.
template <class T>
struct HeadRows
{
    const T* data;
    int stride;
};

template <class T>
__device__ inline HeadRows<T> rows_of(const T* data, Index stride)
{
    return {data, static_cast<int>(stride)};
}

// Starts copying rows [first, first + Count), zeros from `length` on.
template <int Count, int D, class T>
__device__ inline void copy_rows(const HeadRows<T>& from, int first, int length, T* to)
{
    constexpr int kEach = 8; // elements of 16 bytes
    RINGSIDE_ROLLED          // addresses of many copies at once would take registers
        for (int i = static_cast<int>(threadIdx.x); i < Count * D / kEach; i += kFlashThreads)
    {
        const int row = i / (D / kEach);
        const int col = i % (D / kEach) * kEach;
        const bool real = first + row < length;
        const Index at = static_cast<Index>(real ? first + row : 0) * from.stride + col;
        start_copy(to + row * (D + 8) + col, from.data + at, real);
    }
}

// Lets tiles [begin, begin + Passing), ... of two matrices pass by, up to `end`: work(place of the first row,
// tile of the first matrix, tile of the second). Copies started before are there too then.
template <int Passing, int D, class T, class Work>
__device__ inline void pass_by(const HeadRows<T>& one, const HeadRows<T>& two, int begin, int end, int length,
                               T* room, const Work& work)
{
    constexpr int kTileSize = Passing * (D + 8);
    const auto tiles = [room](int at) { return room + at / Passing % 2 * 2 * kTileSize; };
    const auto start = [&](int at)
    {
        if (at < end)
        {
            copy_rows<Passing, D>(one, at, length, tiles(at));
            copy_rows<Passing, D>(two, at, length, tiles(at) + kTileSize);
        }
        end_group();
    };
    start(begin);
    for (int at = begin; at < end; at += Passing)
    {
        start(at + Passing);
        wait_for_copies<1>();
        __syncthreads();
        work(at, tiles(at), tiles(at) + kTileSize);
        __syncthreads(); // before this tile's room is copied over
    }
}

// The warp's own rows times each passing row.
template <int D, class T, int Pieces, int Columns>
__device__ inline void scores(const T* own, const T* passing, float (&s)[Pieces][Columns][4])
{
    constexpr int kStride = D + 8;
    RINGSIDE_UNROLLED
    for (int k = 0; k < D; k += 16)
    {
        Piece a[Pieces];
        RINGSIDE_UNROLLED
        for (int i = 0; i < Pieces; ++i)
        {
            a[i] = rows_at(own + i * 16 * kStride + k, kStride);
        }
        RINGSIDE_UNROLLED
        for (int j = 0; j < Columns; j += 2)
        {
            const Piece b = columns_at(passing + j * 8 * kStride + k, kStride);
            RINGSIDE_UNROLLED
            for (int i = 0; i < Pieces; ++i)
            {
                multiply_add<T>(s[i][j], a[i], b.bits[0], b.bits[1]);
                multiply_add<T>(s[i][j + 1], a[i], b.bits[2], b.bits[3]);
            }
        }
    }
}

// sums += weights, rounded to 16 bits, times the passing rows.
template <int D, class T, int Pieces, int Columns>
__device__ inline void add_weighted(const float (&weights)[Pieces][Columns][4], const T* passing,
                                    float (&sums)[Pieces][D / 8][4])
{
    constexpr int kStride = D + 8;
    RINGSIDE_UNROLLED
    for (int k = 0; k < Columns; k += 2)
    {
        Piece a[Pieces];
        RINGSIDE_UNROLLED
        for (int i = 0; i < Pieces; ++i)
        {
            a[i] = rounded<T>(weights[i][k], weights[i][k + 1]);
        }
        RINGSIDE_UNROLLED
        for (int j = 0; j < D / 8; j += 2)
        {
            const Piece b = turned_columns_at(passing + k * 8 * kStride + j * 8, kStride);
            RINGSIDE_UNROLLED
            for (int i = 0; i < Pieces; ++i)
            {
                multiply_add<T>(sums[i][j], a[i], b.bits[0], b.bits[1]);
                multiply_add<T>(sums[i][j + 1], a[i], b.bits[2], b.bits[3]);
            }
        }
    }
}

// Calls work(i, j, e) for each score s[i][j][e] of this lane.
template <int Pieces, int Columns, class Work>
__device__ inline void each_score(const float (&)[Pieces][Columns][4], const Work& work)
{
    RINGSIDE_UNROLLED
    for (int i = 0; i < Pieces; ++i)
    {
        RINGSIDE_UNROLLED
        for (int j = 0; j < Columns; ++j)
        {
            RINGSIDE_UNROLLED
            for (int e = 0; e < 4; ++e)
            {
                work(i, j, e);
            }
        }
    }
}

// Writes the warp's rows times `factor`, of which the first lies at `first` in the sequence.
template <class T, int Pieces, int Columns>
__device__ inline void store_rows(const float (&sums)[Pieces][Columns][4], float factor, int first,
                                  int length, T* to, Index stride)
{
    RINGSIDE_UNROLLED
    for (int i = 0; i < Pieces; ++i)
    {
        RINGSIDE_UNROLLED
        for (int half = 0; half < 4; half += 2)
        {
            const int row = first + 16 * i + row_of(half);
            RINGSIDE_UNROLLED
            for (int j = 0; j < Columns && row < length; ++j)
            {
                *reinterpret_cast<std::uint32_t*>(to + row * stride + 8 * j + column_of(0)) =
                    both<T>(sums[i][j][half] * factor, sums[i][j][half + 1] * factor);
            }
        }
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
