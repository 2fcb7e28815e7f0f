// Causal attention on tensor cores, for 16-bit formats and heads of 64 or 128: FlashAttention-2 (Dao, arXiv
// 2307.08691), forward by its algorithm 1, backward by its algorithm 2 in two kernels. With Q, K, V of one
// head, c = 1 / sqrt(d), and S_ij = -inf where key j comes after query i:
//
//   S = c Q K^T     P = softmax(S)      O = P V        L_i = log sum_j exp(S_ij)            forward
//   P = exp(S - L)  dV = P^T dO         dP = dO V^T    D_i = sum_k dO_ik O_ik               backward
//                   dS = P o (dP - D)   dQ = c dS K    dK = c dS^T Q
//
// No matrix of T x T is ever in memory. A block has rows of its own, of queries or of keys, which stay in
// shared memory; tiles of the other side pass by, the next being copied while one is worked on. Each warp has
// 16 or 32 of the rows and all of the passing tile (section 3.3), so what it makes of them stays in its
// registers:
//
//   scores         own rows x passing rows, over d    S, and dP for dQ: own queries
//                                                     S^T and dP^T for dK and dV: own keys
//   add_weighted   rounded scores x passing rows      O, dQ; dV and dK, of the same registers (mma.h)
//
// The forward holds a running largest score and sum for each row and rescales O when the largest grows
// (section 3.1.1); exponentials are powers of two. Algorithm 2 adds to dQ from many blocks at once; here dQ
// has a kernel of its own that makes S and dP again, 7 products instead of 5, so that every sum has one owner
// and a step comes out the same every time. Query heads that share a key head pass by one after the other.
#pragma once

#include "core/lab/trainer/cuda/flash_tiles.h"
#include "core/lab/trainer/cuda/kernels_attention.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr float kLog2e = 1.4426950409F;
constexpr float kUnseen = -3.0e38F; // score of a key that comes after the query

// Rows whose sums the backward reads are padded to whole tiles.
__host__ __device__ constexpr Index padded_length(Index length)
{
    return (length + 63) / 64 * 64;
}

// A query's log sum, as a power of two, and its D.
struct __align__(8) RowSums
{
    float log_sum;
    float shared;
};

// A lane's rows: the largest score so far, and the lane's share of the sum of exp(score - largest).
template <int Pieces>
struct FlashSoftmax
{
    float most[Pieces][2];
    float sum[Pieces][2];

    __device__ FlashSoftmax()
    {
        for (int i = 0; i < 2 * Pieces; ++i)
        {
            most[i / 2][i % 2] = kUnseen;
            sum[i / 2][i % 2] = 0;
        }
    }
};

// Scores become exp(score - largest); what was summed up before shrinks to the new largest.
template <int Pieces, int Columns, int Width>
__device__ inline void add_to_softmax(float (&s)[Pieces][Columns][4], float scale,
                                      FlashSoftmax<Pieces>& softmax, float (&sums)[Pieces][Width][4])
{
    RINGSIDE_UNROLLED
    for (int i = 0; i < Pieces; ++i)
    {
        RINGSIDE_UNROLLED
        for (int half = 0; half < 2; ++half)
        {
            float most = softmax.most[i][half];
            RINGSIDE_UNROLLED
            for (int j = 0; j < Columns; ++j)
            {
                most = fmaxf(most, fmaxf(s[i][j][2 * half], s[i][j][2 * half + 1]));
            }
            most = lane_most<4>(most);
            const float shrink = power_of_two((softmax.most[i][half] - most) * scale);
            softmax.most[i][half] = most;
            float sum = softmax.sum[i][half] * shrink;
            RINGSIDE_UNROLLED
            for (int j = 0; j < Columns; ++j)
            {
                RINGSIDE_UNROLLED
                for (int e = 2 * half; e < 2 * half + 2; ++e)
                {
                    s[i][j][e] = power_of_two((s[i][j][e] - most) * scale);
                    sum += s[i][j][e];
                }
            }
            softmax.sum[i][half] = sum;
            RINGSIDE_UNROLLED
            for (int j = 0; j < Width; ++j)
            {
                sums[i][j][2 * half] *= shrink;
                sums[i][j][2 * half + 1] *= shrink;
            }
        }
    }
}

// Divides by the rows' sums, and keeps their logarithms.
template <int Pieces, int Width>
__device__ inline void finish_softmax(const FlashSoftmax<Pieces>& softmax, float scale, int first, int length,
                                      float* log_sums, Index stride, float (&sums)[Pieces][Width][4])
{
    RINGSIDE_UNROLLED
    for (int i = 0; i < Pieces; ++i)
    {
        RINGSIDE_UNROLLED
        for (int half = 0; half < 2; ++half)
        {
            const float sum = lane_sum<4>(softmax.sum[i][half]);
            RINGSIDE_UNROLLED
            for (int j = 0; j < Width; ++j)
            {
                sums[i][j][2 * half] /= sum;
                sums[i][j][2 * half + 1] /= sum;
            }
            const int row = first + 16 * i + row_of(2 * half);
            if (lane_of_warp() % 4 == 0 && row < length)
            {
                log_sums[row * stride] = softmax.most[i][half] * scale + logf(sum);
            }
        }
    }
}

// What a warp's queries make of the passing keys: S, then P in its place, then more of O.
template <int D, class T, int Pieces>
__device__ inline void add_values(const T* query, const T* key, const T* value, int ahead, float scale,
                                  FlashSoftmax<Pieces>& softmax, float (&result)[Pieces][D / 8][4])
{
    constexpr int kPassing = FlashTiling<D, false>::kPassing;
    float s[Pieces][kPassing / 8][4] = {};
    scores<D>(query, key, s);
    if (ahead + kPassing > 1)
    {
        each_score(s,
                   [&](int i, int j, int e)
                   {
                       const bool sees = ahead + 8 * j + column_of(e) <= 16 * i + row_of(e);
                       s[i][j][e] = sees ? s[i][j][e] : kUnseen;
                   });
    }
    add_to_softmax(s, scale * kLog2e, softmax, result);
    add_weighted<D>(s, value, result);
}

template <class T, int D>
__global__ void __launch_bounds__(kFlashThreads)
    flash_kernel(const T* qkv, T* out, float* log_sums, AttentionShape a)
{
    using Tiling = FlashTiling<D, false>;
    RINGSIDE_DYNAMIC_SHARED(memory);
    T* query = reinterpret_cast<T*>(memory);
    T* room = query + Tiling::kOwn * Tiling::kStride;
    const Index head = blockIdx.y % a.heads;
    const HeadView<T> h = head_view(qkv, a, blockIdx.y / a.heads, head);
    const int length = static_cast<int>(a.length);
    const int first = static_cast<int>(gridDim.x - 1 - blockIdx.x) * Tiling::kOwn; // longest rows first
    const WarpRows rows = warp_rows<Tiling::kPieces>(first);
    copy_rows<Tiling::kOwn, D>(rows_of(h.query, h.stride), first, length, query);
    FlashSoftmax<Tiling::kPieces> softmax;
    float result[Tiling::kPieces][D / 8][4] = {};
    const int end = first + Tiling::kOwn < length ? first + Tiling::kOwn : length;
    pass_by<Tiling::kPassing, D>(rows_of(h.key, h.stride), rows_of(h.value, h.stride), 0, end, length, room,
                                 [&](int at, const T* key, const T* value)
                                 {
                                     if (at < rows.mine + 16 * Tiling::kPieces)
                                     {
                                         add_values<D>(query + rows.in_block * Tiling::kStride, key, value,
                                                       at - rows.mine, a.scale, softmax, result);
                                     }
                                 });
    finish_softmax(softmax, a.scale, rows.mine, length, log_sums + h.row * a.heads + head, a.heads, result);
    store_rows(result, 1.0F, rows.mine, length, out + h.row * h.out_stride + h.out_col, h.out_stride);
}

// What the backward needs of each query, head after head: eight lanes for a row.
template <class T>
__global__ void flash_sums_kernel(const T* out, const T* gradient, const float* log_sums, RowSums* sums,
                                  AttentionShape a, Index elements)
{
    const Index i = thread_index() / kRowLanes; // sequence, head, place in the padded sequence
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const Index padded = padded_length(a.length);
    const Index place = i % padded;
    const Index head = i / padded % a.heads;
    const Index row = i / padded / a.heads * a.length + place;
    const bool real = i < elements && place < a.length;
    float sum = 0;
    for (Index j = lane; real && j < a.head_dim; j += kRowLanes)
    {
        const Index at = (row * a.heads + head) * a.head_dim + j;
        sum += to_float(out[at]) * to_float(gradient[at]);
    }
    sum = lane_sum<kRowLanes>(sum);
    if (i < elements && lane == 0)
    {
        sums[i] = {real ? log_sums[row * a.heads + head] * kLog2e : 0.0F, sum};
    }
}

template <class T>
struct FlashGradients
{
    const T* qkv;
    const T* gradient;   // of out
    const RowSums* sums; // [sequence, head, padded place]
    T* dqkv;
};

// dQ of a warp's queries of the passing keys: S and dP, then dS in the place of S.
template <int D, class T, int Pieces>
__device__ inline void add_query_gradient(const T* query, const T* gradient, const RowSums (&sums)[Pieces][2],
                                          const T* key, const T* value, int ahead, float scale,
                                          float (&dquery)[Pieces][D / 8][4])
{
    constexpr int kColumns = FlashTiling<D, true>::kPassing / 8;
    float s[Pieces][kColumns][4] = {};
    float dp[Pieces][kColumns][4] = {};
    scores<D>(query, key, s);
    scores<D>(gradient, value, dp);
    each_score(s,
               [&](int i, int j, int e)
               {
                   const bool sees = ahead + 8 * j + column_of(e) <= 16 * i + row_of(e);
                   const RowSums& of = sums[i][e / 2];
                   const float p = power_of_two(s[i][j][e] * scale - of.log_sum);
                   s[i][j][e] = sees ? p * (dp[i][j][e] - of.shared) : 0.0F;
               });
    add_weighted<D>(s, key, dquery);
}

// A block for queries of one head; the keys up to them pass by.
template <class T, int D>
__global__ void __launch_bounds__(kFlashThreads) flash_query_kernel(FlashGradients<T> g, AttentionShape a)
{
    using Tiling = FlashTiling<D, true>;
    constexpr int kPieces = Tiling::kPieces;
    RINGSIDE_DYNAMIC_SHARED(memory);
    T* query = reinterpret_cast<T*>(memory);
    T* gradient = query + Tiling::kOwn * Tiling::kStride;
    T* room = gradient + Tiling::kOwn * Tiling::kStride;
    const HeadView<T> h = head_view(g.qkv, a, blockIdx.y / a.heads, blockIdx.y % a.heads);
    const int length = static_cast<int>(a.length);
    const int first = static_cast<int>(gridDim.x - 1 - blockIdx.x) * Tiling::kOwn;
    const WarpRows rows = warp_rows<kPieces>(first);
    copy_rows<Tiling::kOwn, D>(rows_of(h.query, h.stride), first, length, query);
    copy_rows<Tiling::kOwn, D>(rows_of(g.gradient + h.row * h.out_stride + h.out_col, h.out_stride), first,
                               length, gradient);
    RowSums sums[kPieces][2];
    for (int i = 0; i < 2 * kPieces; ++i)
    {
        const int row = rows.mine + 8 * i + row_of(0);
        sums[i / 2][i % 2] = g.sums[blockIdx.y * padded_length(a.length) + (row < length ? row : length - 1)];
    }
    float dquery[kPieces][D / 8][4] = {};
    const int end = first + Tiling::kOwn < length ? first + Tiling::kOwn : length;
    pass_by<Tiling::kPassing, D>(rows_of(h.key, h.stride), rows_of(h.value, h.stride), 0, end, length, room,
                                 [&](int at, const T* key, const T* value)
                                 {
                                     if (at < rows.mine + 16 * kPieces)
                                     {
                                         const int own = rows.in_block * Tiling::kStride;
                                         add_query_gradient<D>(query + own, gradient + own, sums, key, value,
                                                               at - rows.mine, a.scale * kLog2e, dquery);
                                     }
                                 });
    store_rows(dquery, a.scale, rows.mine, length, g.dqkv + h.row * h.stride + h.out_col, h.stride);
}

// dV and dK of a warp's keys of the passing queries, whose sums begin at `sums`.
template <int D, class T, int Pieces>
__device__ inline void add_key_gradients(const T* key, const T* value, const T* query, const T* gradient,
                                         const RowSums* sums, int at, int mine, float scale,
                                         float (&dkey)[Pieces][D / 8][4], float (&dvalue)[Pieces][D / 8][4])
{
    constexpr int kColumns = FlashTiling<D, true>::kPassing / 8;
    float s[Pieces][kColumns][4] = {};
    float dp[Pieces][kColumns][4] = {};
    scores<D>(key, query, s);
    scores<D>(value, gradient, dp);
    each_score(s,
               [&](int i, int j, int e)
               {
                   const int place = at + 8 * j + column_of(e);
                   const bool sees = mine + 16 * i + row_of(e) <= place;
                   s[i][j][e] = sees ? power_of_two(s[i][j][e] * scale - sums[place].log_sum) : 0.0F;
                   dp[i][j][e] = s[i][j][e] * (dp[i][j][e] - sums[place].shared);
               });
    add_weighted<D>(s, gradient, dvalue);
    add_weighted<D>(dp, query, dkey);
}

// A block for rows of one key head: the queries from these rows on, of all heads that share it, pass by. Two
// blocks of a multiprocessor share its registers; told so, ptxas makes do with them.
template <class T, int D>
__global__ void __launch_bounds__(kFlashThreads, 2) flash_key_kernel(FlashGradients<T> g, AttentionShape a)
{
    using Tiling = FlashTiling<D, true>;
    RINGSIDE_DYNAMIC_SHARED(memory);
    T* key = reinterpret_cast<T*>(memory);
    T* value = key + Tiling::kOwn * Tiling::kStride;
    T* room = value + Tiling::kOwn * Tiling::kStride;
    const int group = static_cast<int>(a.heads / a.kv_heads);
    const int sequence = static_cast<int>(blockIdx.y / a.kv_heads);
    const int begin = static_cast<int>(blockIdx.y % a.kv_heads) * group;
    const int length = static_cast<int>(a.length);
    const int first = static_cast<int>(blockIdx.x) * Tiling::kOwn;
    const WarpRows rows = warp_rows<Tiling::kPieces>(first);
    const HeadView<T> own = head_view(g.qkv, a, sequence, begin);
    copy_rows<Tiling::kOwn, D>(rows_of(own.key, own.stride), first, length, key);
    copy_rows<Tiling::kOwn, D>(rows_of(own.value, own.stride), first, length, value);
    float dkey[Tiling::kPieces][D / 8][4] = {};
    float dvalue[Tiling::kPieces][D / 8][4] = {};
    RINGSIDE_ROLLED
    for (int head = begin; head < begin + group; ++head)
    {
        const HeadView<T> h = head_view(g.qkv, a, sequence, head);
        const RowSums* sums = g.sums + (sequence * a.heads + head) * padded_length(a.length);
        pass_by<Tiling::kPassing, D>(
            rows_of(h.query, h.stride), rows_of(g.gradient + h.row * h.out_stride + h.out_col, h.out_stride),
            first, length, length, room,
            [&](int at, const T* query, const T* gradient)
            {
                if (at + Tiling::kPassing > rows.mine)
                {
                    const int mine = rows.in_block * Tiling::kStride;
                    add_key_gradients<D>(key + mine, value + mine, query, gradient, sums, at, rows.mine,
                                         a.scale * kLog2e, dkey, dvalue);
                }
            });
    }
    store_rows(dkey, a.scale, rows.mine, length, g.dqkv + (own.key - g.qkv), own.stride);
    store_rows(dvalue, 1.0F, rows.mine, length, g.dqkv + (own.value - g.qkv), own.stride);
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
