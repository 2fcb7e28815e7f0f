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
//   scores         own rows x passing rows, over d         S and dP in the forward and for dQ, with own
//   queries;
//                                                          S^T and dP^T for dK and dV, with own keys
//   add_weighted   rounded scores x passing rows            O, dQ; dV and dK, of the same registers (mma.h)
//
// The forward holds a running largest score and sum for each row and rescales O when the largest grows
// (section 3.1.1); exponentials are powers of two. Algorithm 2 adds to dQ from many blocks at once; here dQ
// has a kernel of its own that makes S and dP again, 7 products instead of 5, so that every sum has one owner
// and a step comes out the same every time. Query heads that share a key head pass by one after the other.
#pragma once

#include "core/lab/trainer/cuda/kernels_attention.h"
#include "core/lab/trainer/cuda/mma.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kFlashWarps = 4;
constexpr int kFlashThreads = kFlashWarps * kWarp;
constexpr float kLog2e = 1.4426950409F;
constexpr float kUnseen = -3.0e38F; // score of a key that comes after the query

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

// A lane's rows: the largest score so far, and the lane's share of the sum of exp(score - largest).
template <int Pieces>
struct FlashSoftmax
{
    float most[Pieces][2];
    float sum[Pieces][2];
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
    const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16 * Tiling::kPieces;
    const int mine = first + warp_row;
    copy_rows<Tiling::kOwn, D>(rows_of(h.query, h.stride), first, length, query);
    FlashSoftmax<Tiling::kPieces> softmax;
    for (int i = 0; i < Tiling::kPieces; ++i)
    {
        softmax.most[i][0] = softmax.most[i][1] = kUnseen;
        softmax.sum[i][0] = softmax.sum[i][1] = 0;
    }
    float result[Tiling::kPieces][D / 8][4] = {};
    const int end = first + Tiling::kOwn < length ? first + Tiling::kOwn : length;
    pass_by<Tiling::kPassing, D>(rows_of(h.key, h.stride), rows_of(h.value, h.stride), 0, end, length, room,
                                 [&](int at, const T* key, const T* value)
                                 {
                                     if (at >= mine + 16 * Tiling::kPieces)
                                     {
                                         return; // all of these keys come after all of the warp's queries
                                     }
                                     float s[Tiling::kPieces][Tiling::kPassing / 8][4] = {};
                                     scores<D>(query + warp_row * Tiling::kStride, key, s);
                                     if (at + Tiling::kPassing > mine + 1)
                                     {
                                         each_score(s,
                                                    [&](int i, int j, int e)
                                                    {
                                                        const int ahead = at + 8 * j + column_of(e) - mine -
                                                                          16 * i - row_of(e);
                                                        s[i][j][e] = ahead <= 0 ? s[i][j][e] : kUnseen;
                                                    });
                                     }
                                     add_to_softmax(s, a.scale * kLog2e, softmax, result);
                                     add_weighted<D>(s, value, result);
                                 });
    finish_softmax(softmax, a.scale, mine, length, log_sums + h.row * a.heads + head, a.heads, result);
    store_rows(result, 1.0F, mine, length, out + h.row * h.out_stride + h.out_col, h.out_stride);
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
    const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16 * kPieces;
    const int mine = first + warp_row;
    copy_rows<Tiling::kOwn, D>(rows_of(h.query, h.stride), first, length, query);
    copy_rows<Tiling::kOwn, D>(rows_of(g.gradient + h.row * h.out_stride + h.out_col, h.out_stride), first,
                               length, gradient);
    const RowSums* sums = g.sums + blockIdx.y * padded_length(a.length);
    const float scale = a.scale * kLog2e;
    RowSums own[kPieces][2];
    for (int i = 0; i < kPieces; ++i)
    {
        for (int half = 0; half < 2; ++half)
        {
            const int row = mine + 16 * i + row_of(2 * half);
            own[i][half] = sums[row < length ? row : length - 1];
        }
    }
    float result[kPieces][D / 8][4] = {};
    const int end = first + Tiling::kOwn < length ? first + Tiling::kOwn : length;
    pass_by<Tiling::kPassing, D>(
        rows_of(h.key, h.stride), rows_of(h.value, h.stride), 0, end, length, room,
        [&](int at, const T* key, const T* value)
        {
            if (at >= mine + 16 * kPieces)
            {
                return;
            }
            float s[kPieces][Tiling::kPassing / 8][4] = {};
            float dp[kPieces][Tiling::kPassing / 8][4] = {};
            scores<D>(query + warp_row * Tiling::kStride, key, s);
            scores<D>(gradient + warp_row * Tiling::kStride, value, dp);
            each_score(s,
                       [&](int i, int j, int e)
                       {
                           const int ahead = at + 8 * j + column_of(e) - mine - 16 * i - row_of(e);
                           const RowSums& of = own[i][e / 2];
                           const float p = power_of_two(s[i][j][e] * scale - of.log_sum);
                           s[i][j][e] = ahead <= 0 ? p * (dp[i][j][e] - of.shared) : 0.0F;
                       });
            add_weighted<D>(s, key, result);
        });
    store_rows(result, a.scale, mine, length, g.dqkv + h.row * h.stride + h.out_col, h.stride);
}

// A block for rows of one key head: the queries from these rows on, of all heads that share it, pass by.
template <class T, int D>
__global__ void __launch_bounds__(kFlashThreads) flash_key_kernel(FlashGradients<T> g, AttentionShape a)
{
    using Tiling = FlashTiling<D, true>;
    constexpr int kPieces = Tiling::kPieces;
    RINGSIDE_DYNAMIC_SHARED(memory);
    T* key = reinterpret_cast<T*>(memory);
    T* value = key + Tiling::kOwn * Tiling::kStride;
    T* room = value + Tiling::kOwn * Tiling::kStride;
    const int group = static_cast<int>(a.heads / a.kv_heads);
    const Index kv = blockIdx.y % a.kv_heads;
    const Index sequence = blockIdx.y / a.kv_heads;
    const int length = static_cast<int>(a.length);
    const int first = static_cast<int>(blockIdx.x) * Tiling::kOwn;
    const int warp_row = static_cast<int>(threadIdx.x) / kWarp * 16 * kPieces;
    const int mine = first + warp_row;
    const HeadView<T> h = head_view(g.qkv, a, sequence, kv * group);
    copy_rows<Tiling::kOwn, D>(rows_of(h.key, h.stride), first, length, key);
    copy_rows<Tiling::kOwn, D>(rows_of(h.value, h.stride), first, length, value);
    HeadRows<T> queries = rows_of(h.query, h.stride);
    HeadRows<T> gradients = rows_of(g.gradient + h.row * h.out_stride + h.out_col, h.out_stride);
    const RowSums* sums = g.sums + (sequence * a.heads + kv * group) * padded_length(a.length);
    const float scale = a.scale * kLog2e;
    float dkey[kPieces][D / 8][4] = {};
    float dvalue[kPieces][D / 8][4] = {};
    RINGSIDE_ROLLED
    for (int head = 0; head < group; ++head)
    {
        pass_by<Tiling::kPassing, D>(
            queries, gradients, first, length, length, room,
            [&](int at, const T* query, const T* gradient)
            {
                if (at + Tiling::kPassing <= mine)
                {
                    return; // all of these queries come before all of the warp's keys
                }
                float s[kPieces][Tiling::kPassing / 8][4] = {};
                float dp[kPieces][Tiling::kPassing / 8][4] = {};
                scores<D>(key + warp_row * Tiling::kStride, query, s);
                scores<D>(value + warp_row * Tiling::kStride, gradient, dp);
                each_score(s,
                           [&](int i, int j, int e)
                           {
                               const int place = at + 8 * j + column_of(e);
                               const bool sees = mine + 16 * i + row_of(e) <= place;
                               const RowSums of = sums[place];
                               s[i][j][e] = sees ? power_of_two(s[i][j][e] * scale - of.log_sum) : 0.0F;
                               dp[i][j][e] = s[i][j][e] * (dp[i][j][e] - of.shared);
                           });
                add_weighted<D>(s, gradient, dvalue);
                add_weighted<D>(dp, query, dkey);
            });
        queries.data += D;
        gradients.data += D;
        sums += padded_length(a.length);
    }
    T* to = g.dqkv + h.row * h.stride + kv * D;
    store_rows(dkey, a.scale, mine, length, to + a.heads * D, h.stride);
    store_rows(dvalue, 1.0F, mine, length, to + (a.heads + a.kv_heads) * D, h.stride);
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
