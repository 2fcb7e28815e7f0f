// Causal attention that never has scores of size T x T in memory (Dao et al., arXiv 2205.14135): tiles of
// keys and values pass through shared memory, eight threads share a row. The backward makes queries'
// gradients in one kernel and keys' and values' in another, so that every sum has one owner and no order but
// its own.
#pragma once

#include "core/lab/trainer/cuda/device.h"
#include "core/lab/trainer/operations.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kTileRows = 16; // rows of a block
constexpr int kRowLanes = 8;  // threads of a row
constexpr int kTileThreads = kTileRows * kRowLanes;
constexpr int kTileKeys = 16; // of the other side at a time

// Where one head of one sequence lies.
template <class T>
struct HeadView
{
    const T* query;
    const T* key;
    const T* value;
    Index stride;  // of a token in qkv
    Index row;     // of the sequence's first token
    Index out_col; // of the head in out
    Index out_stride;
};

struct AttentionShape
{
    Index length;
    Index heads;
    Index kv_heads;
    int head_dim;
    float scale; // 1 / sqrt(head_dim)
};

template <class T>
__device__ inline HeadView<T> head_view(const T* qkv, const AttentionShape& a, Index sequence, Index head)
{
    const Index d = a.head_dim;
    const Index kv = head / (a.heads / a.kv_heads);
    const Index stride = (a.heads + 2 * a.kv_heads) * d;
    const T* base = qkv + sequence * a.length * stride;
    return {base + head * d, base + (a.heads + kv) * d, base + (a.heads + a.kv_heads + kv) * d,
            stride,          sequence * a.length,       head * d,
            a.heads * d};
}

// Rows [first, first + count) of a head into shared memory, zeros beyond the sequence. Rows are padded by
// one, so that threads of different rows read from different banks.
template <class T>
__device__ inline void load_rows(const T* from, Index stride, Index first, Index length, int count, int d,
                                 float* to)
{
    for (int i = static_cast<int>(threadIdx.x); i < count * d; i += kTileThreads)
    {
        const int row = i / d;
        const int col = i % d;
        to[row * (d + 1) + col] = first + row < length ? to_float(from[(first + row) * stride + col]) : 0.0F;
    }
}

__device__ inline float dot(const float* a, const float* b, int d)
{
    float sum = 0;
    for (int i = 0; i < d; ++i)
    {
        sum += a[i] * b[i];
    }
    return sum;
}

// sums += weights times the tile's rows, in this lane's columns. Columns beyond the head are summed too, from
// column 0, and never stored.
template <std::size_t PerLane>
__device__ inline void add_rows(const float* weights, const float* rows, int lane, int d,
                                float (&sums)[PerLane])
{
    RINGSIDE_ROLLED
    for (int at = 0; at < kTileKeys; ++at)
    {
        const float weight = weights[at];
        RINGSIDE_UNROLLED
        for (int i = 0; i < static_cast<int>(PerLane); ++i)
        {
            const int col = i * kRowLanes + lane < d ? i * kRowLanes + lane : 0;
            sums[i] += weight * rows[at * (d + 1) + col];
        }
    }
}

// What a row has seen of its keys so far: its weighted values are with it, not divided by the sum yet.
struct RunningSoftmax
{
    float most = -3.0e38F; // largest score
    float sum = 0;         // of exp(score - most)
};

// A row's next tile of keys and values, of which it sees the first `seen`. `weights` is room for one row.
template <std::size_t PerLane>
__device__ inline void see_tile(const float* query, const float* key, const float* value, float* weights,
                                int lane, int d, float scale, Index seen, RunningSoftmax& s,
                                float (&result)[PerLane])
{
    float here = -3.0e38F;
    float scores[kTileKeys / kRowLanes];
    for (int i = 0; i < kTileKeys / kRowLanes; ++i)
    {
        const int at = lane + i * kRowLanes;
        scores[i] = at < seen ? dot(query, key + at * (d + 1), d) * scale : -3.0e38F;
        here = scores[i] > here ? scores[i] : here;
    }
    here = lane_most<kRowLanes>(here);
    const float next = here > s.most ? here : s.most;
    const float shrink = __expf(s.most - next);
    float added = 0;
    for (int i = 0; i < kTileKeys / kRowLanes; ++i)
    {
        const float p = scores[i] > -2.0e38F ? __expf(scores[i] - next) : 0.0F;
        weights[lane + i * kRowLanes] = p;
        added += p;
    }
    s.sum = s.sum * shrink + lane_sum<kRowLanes>(added);
    s.most = next;
    __syncwarp();
    for (float& one : result)
    {
        one *= shrink;
    }
    add_rows(weights, value, lane, d, result);
    __syncwarp();
}

template <class T, std::size_t PerLane>
__global__ void attention_kernel(const T* qkv, T* out, float* log_sums, AttentionShape a)
{
    RINGSIDE_DYNAMIC_SHARED(memory);
    const int d = a.head_dim;
    float* query = memory;
    float* key = query + kTileRows * (d + 1);
    float* value = key + kTileKeys * (d + 1);
    float* weight = value + kTileKeys * (d + 1); // kTileRows x (kTileKeys + 1)
    const HeadView<T> h = head_view(qkv, a, blockIdx.y / a.heads, blockIdx.y % a.heads);
    const Index first = static_cast<Index>(blockIdx.x) * kTileRows;
    const int row = static_cast<int>(threadIdx.x) / kRowLanes;
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const Index place = first + row;
    load_rows(h.query, h.stride, first, a.length, kTileRows, d, query);
    RunningSoftmax softmax;
    float result[PerLane] = {};
    for (Index keys = 0; keys < first + kTileRows && keys < a.length; keys += kTileKeys)
    {
        __syncthreads();
        load_rows(h.key, h.stride, keys, a.length, kTileKeys, d, key);
        load_rows(h.value, h.stride, keys, a.length, kTileKeys, d, value);
        __syncthreads();
        see_tile(query + row * (d + 1), key, value, weight + row * (kTileKeys + 1), lane, d, a.scale,
                 place + 1 - keys, softmax, result);
    }
    if (place >= a.length)
    {
        return;
    }
    T* to = out + (h.row + place) * h.out_stride + h.out_col;
    RINGSIDE_UNROLLED
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        if (i * kRowLanes + lane < d)
        {
            to[i * kRowLanes + lane] = from_float<T>(result[i] / softmax.sum);
        }
    }
    if (lane == 0)
    {
        log_sums[(h.row + place) * a.heads + h.out_col / d] = softmax.most + logf(softmax.sum);
    }
}

// shared[token, head] = sum of gradient x output, which the backward subtracts from every score's gradient.
template <class T>
__global__ void attention_shared_kernel(const T* out, const T* gradient, float* shared, Index d,
                                        Index elements)
{
    const Index i = thread_index();
    if (i < elements)
    {
        float sum = 0;
        for (Index j = i * d; j < (i + 1) * d; ++j)
        {
            sum += to_float(out[j]) * to_float(gradient[j]);
        }
        shared[i] = sum;
    }
}

template <class T>
struct AttentionGradients
{
    const T* qkv;
    const T* gradient; // of out
    const float* log_sums;
    const float* shared;
    T* dqkv;
};

// Two tiles: `own` rows whose gradients this block makes, `other` rows that pass by.
struct Tiles
{
    float* own1;
    float* own2;
    float* other1;
    float* other2;
    float* first;  // kTileRows x (kTileKeys + 1)
    float* second; // the same
};
__device__ inline Tiles tiles_of(float* memory, int d)
{
    Tiles t{};
    t.own1 = memory;
    t.own2 = t.own1 + kTileRows * (d + 1);
    t.other1 = t.own2 + kTileRows * (d + 1);
    t.other2 = t.other1 + kTileKeys * (d + 1);
    t.first = t.other2 + kTileKeys * (d + 1);
    t.second = t.first + kTileRows * (kTileKeys + 1);
    return t;
}

// Adds to the gradient of an own query what the tile's first `seen` keys give it.
template <std::size_t PerLane>
__device__ inline void add_query_gradient(const Tiles& t, int row, int lane, int d, float scale, Index seen,
                                          float log_sum, float shared, float (&dquery)[PerLane])
{
    for (int at = lane; at < kTileKeys; at += kRowLanes)
    {
        float ds = 0;
        if (at < seen)
        {
            const float p = __expf(dot(t.own1 + row * (d + 1), t.other1 + at * (d + 1), d) * scale - log_sum);
            ds = p * (dot(t.own2 + row * (d + 1), t.other2 + at * (d + 1), d) - shared) * scale;
        }
        t.first[row * (kTileKeys + 1) + at] = ds;
    }
    __syncwarp();
    add_rows(t.first + row * (kTileKeys + 1), t.other1, lane, d, dquery);
    __syncwarp();
}

// Adds to the gradients of an own key and value what the tile's queries [from, to) give them; the sums of the
// tile's rows stand `stride` apart.
template <std::size_t PerLane>
__device__ inline void add_key_gradient(const Tiles& t, int row, int lane, int d, float scale, Index from,
                                        Index to, const float* log_sums, const float* shared, Index stride,
                                        float (&dkey)[PerLane], float (&dvalue)[PerLane])
{
    for (int at = lane; at < kTileKeys; at += kRowLanes)
    {
        float p = 0;
        float ds = 0;
        if (at >= from && at < to)
        {
            p = __expf(dot(t.own1 + row * (d + 1), t.other1 + at * (d + 1), d) * scale -
                       log_sums[at * stride]);
            ds = p * (dot(t.own2 + row * (d + 1), t.other2 + at * (d + 1), d) - shared[at * stride]) * scale;
        }
        t.first[row * (kTileKeys + 1) + at] = p;
        t.second[row * (kTileKeys + 1) + at] = ds;
    }
    __syncwarp();
    add_rows(t.first + row * (kTileKeys + 1), t.other2, lane, d, dvalue);
    add_rows(t.second + row * (kTileKeys + 1), t.other1, lane, d, dkey);
    __syncwarp();
}

template <class T, std::size_t PerLane>
__global__ void query_gradient_kernel(AttentionGradients<T> g, AttentionShape a)
{
    RINGSIDE_DYNAMIC_SHARED(memory);
    const int d = a.head_dim;
    const Tiles t = tiles_of(memory, d);
    const HeadView<T> h = head_view(g.qkv, a, blockIdx.y / a.heads, blockIdx.y % a.heads);
    const Index first = static_cast<Index>(blockIdx.x) * kTileRows;
    const int row = static_cast<int>(threadIdx.x) / kRowLanes;
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const Index place = first + row;
    const bool real = place < a.length;
    const T* gradient = g.gradient + h.row * h.out_stride + h.out_col;
    load_rows(h.query, h.stride, first, a.length, kTileRows, d, t.own1);
    load_rows(gradient, h.out_stride, first, a.length, kTileRows, d, t.own2);
    const Index at_row = (h.row + (real ? place : 0)) * a.heads + h.out_col / d;
    const float log_sum = g.log_sums[at_row];
    const float shared = g.shared[at_row];
    float result[PerLane] = {};
    for (Index keys = 0; keys < first + kTileRows && keys < a.length; keys += kTileKeys)
    {
        __syncthreads();
        load_rows(h.key, h.stride, keys, a.length, kTileKeys, d, t.other1);
        load_rows(h.value, h.stride, keys, a.length, kTileKeys, d, t.other2);
        __syncthreads();
        add_query_gradient(t, row, lane, d, a.scale, real ? place + 1 - keys : 0, log_sum, shared, result);
    }
    RINGSIDE_UNROLLED
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        if (real && i * kRowLanes + lane < d)
        {
            g.dqkv[(h.row + place) * h.stride + h.out_col + i * kRowLanes + lane] = from_float<T>(result[i]);
        }
    }
}

// A block for a tile of keys of one key/value head; the query heads that share it pass by one after the
// other.
template <class T, std::size_t PerLane>
__global__ void key_gradient_kernel(AttentionGradients<T> g, AttentionShape a)
{
    RINGSIDE_DYNAMIC_SHARED(memory);
    const int d = a.head_dim;
    const Tiles t = tiles_of(memory, d);
    const Index group = a.heads / a.kv_heads;
    const Index kv = blockIdx.y % a.kv_heads;
    const Index sequence = blockIdx.y / a.kv_heads;
    const Index first = static_cast<Index>(blockIdx.x) * kTileRows;
    const int row = static_cast<int>(threadIdx.x) / kRowLanes;
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const Index place = first + row;
    const HeadView<T> own = head_view(g.qkv, a, sequence, kv * group);
    load_rows(own.key, own.stride, first, a.length, kTileRows, d, t.own1);
    load_rows(own.value, own.stride, first, a.length, kTileRows, d, t.own2);
    float dkey[PerLane] = {};
    float dvalue[PerLane] = {};
    for (Index head = kv * group; head < (kv + 1) * group; ++head)
    {
        const HeadView<T> h = head_view(g.qkv, a, sequence, head);
        const T* gradient = g.gradient + h.row * h.out_stride + h.out_col;
        for (Index queries = first / kTileKeys * kTileKeys; queries < a.length; queries += kTileKeys)
        {
            __syncthreads();
            load_rows(h.query, h.stride, queries, a.length, kTileKeys, d, t.other1);
            load_rows(gradient, h.out_stride, queries, a.length, kTileKeys, d, t.other2);
            __syncthreads();
            const Index at_row = (h.row + queries) * a.heads + head;
            add_key_gradient(t, row, lane, d, a.scale, place - queries, a.length - queries,
                             g.log_sums + at_row, g.shared + at_row, a.heads, dkey, dvalue);
        }
    }
    RINGSIDE_UNROLLED
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        if (place < a.length && i * kRowLanes + lane < d)
        {
            const Index at = (own.row + place) * own.stride + i * kRowLanes + lane;
            g.dqkv[at + (a.heads + kv) * d] = from_float<T>(dkey[i]);
            g.dqkv[at + (a.heads + a.kv_heads + kv) * d] = from_float<T>(dvalue[i]);
        }
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
