// One hop of attention round a ring of ranks: kernels_attention.h's tiles, between pieces of sequences that
// lie on different ranks. What was seen before goes on as the running softmax that a tile loop has anyway.
#pragma once

#include "core/lab/trainer/cuda/kernels_attention.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

struct HopShape
{
    Cut queries;
    Cut keys;
    Index length;
    Index heads;
    Index kv_heads;
    int head_dim;
    float scale; // 1 / sqrt(head_dim)
    Index query_stride;
    Index key_stride;

    __device__ Index each() const { return length / queries.pieces; }
    __device__ Index tiles() const { return (each() + kTileRows - 1) / kTileRows; }
};

// A tile of rows of one piece of one sequence.
struct HopTile
{
    Index piece; // row of the tensor that the piece begins with
    Index first; // row of the piece that the tile begins with
    Index place; // of that row in the sequence
};
__device__ inline HopTile hop_tile(const HopShape& a, const Cut& cut, Index sequence, Index tile)
{
    const Index piece = tile / a.tiles();
    const Index first = tile % a.tiles() * kTileRows;
    return {sequence * a.length + piece * a.each(), first, cut.first[piece] + first};
}

// A lane's part of a row's result: what earlier hops left of it, and what this one leaves.
template <std::size_t PerLane>
__device__ inline void read_result(const float* from, int lane, int d, float (&result)[PerLane])
{
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        result[i] = i * kRowLanes + lane < d ? from[i * kRowLanes + lane] : 0.0F;
    }
}
template <std::size_t PerLane>
__device__ inline void write_result(const float (&result)[PerLane], float sum, int lane, int d, float* to)
{
    RINGSIDE_UNROLLED
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        if (i * kRowLanes + lane < d)
        {
            to[i * kRowLanes + lane] = sum > 0 ? result[i] / sum : 0.0F;
        }
    }
}

template <class T, std::size_t PerLane>
__global__ void hop_kernel(const T* queries, const T* key_value, float* out, float* log_sums, bool begins,
                           HopShape a)
{
    RINGSIDE_DYNAMIC_SHARED(memory);
    const int d = a.head_dim;
    float* query = memory;
    float* key = query + kTileRows * (d + 1);
    float* value = key + kTileKeys * (d + 1);
    float* weight = value + kTileKeys * (d + 1); // kTileRows x (kTileKeys + 1)
    const Index sequence = blockIdx.y / a.heads;
    const Index head = blockIdx.y % a.heads;
    const Index kv = head / (a.heads / a.kv_heads);
    const HopTile own = hop_tile(a, a.queries, sequence, blockIdx.x);
    const int row = static_cast<int>(threadIdx.x) / kRowLanes;
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const bool real = own.first + row < a.each();
    const Index place = own.place + row;
    const Index at_row = own.piece + own.first + (real ? row : 0);
    float* to = out + at_row * a.heads * d + head * d;
    load_rows(queries + own.piece * a.query_stride + head * d, a.query_stride, own.first, a.each(), kTileRows,
              d, query);
    RunningSoftmax softmax;
    float result[PerLane] = {};
    if (!begins)
    {
        softmax = {log_sums[at_row * a.heads + head], 1};
        read_result(to, lane, d, result);
    }
    for (Index piece = 0; piece < a.keys.pieces; ++piece)
    {
        const T* keys = key_value + (sequence * a.length + piece * a.each()) * a.key_stride + kv * d;
        const Index first_place = a.keys.first[piece];
        for (Index tile = 0; tile < a.each() && first_place + tile < own.place + kTileRows; tile += kTileKeys)
        {
            __syncthreads();
            load_rows(keys, a.key_stride, tile, a.each(), kTileKeys, d, key);
            load_rows(keys + a.kv_heads * d, a.key_stride, tile, a.each(), kTileKeys, d, value);
            __syncthreads();
            const Index before = place + 1 - first_place - tile;
            const Index there = a.each() - tile;
            see_tile(query + row * (d + 1), key, value, weight + row * (kTileKeys + 1), lane, d, a.scale,
                     before < there ? before : there, softmax, result);
        }
    }
    if (!real)
    {
        return;
    }
    write_result(result, softmax.sum, lane, d, to);
    if (lane == 0)
    {
        log_sums[at_row * a.heads + head] = softmax.sum > 0 ? softmax.most + logf(softmax.sum) : -3.0e38F;
    }
}

template <class T>
struct HopGradients
{
    const T* query;
    const T* key_value;
    const T* gradient; // of out
    const float* log_sums;
    const float* shared;
    float* dquery;
    T* dkey_value;
};

template <class T, std::size_t PerLane>
__global__ void hop_query_gradient_kernel(HopGradients<T> g, HopShape a)
{
    RINGSIDE_DYNAMIC_SHARED(memory);
    const int d = a.head_dim;
    const Tiles t = tiles_of(memory, d);
    const Index sequence = blockIdx.y / a.heads;
    const Index head = blockIdx.y % a.heads;
    const Index kv = head / (a.heads / a.kv_heads);
    const HopTile own = hop_tile(a, a.queries, sequence, blockIdx.x);
    const int row = static_cast<int>(threadIdx.x) / kRowLanes;
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const bool real = own.first + row < a.each();
    const Index place = own.place + row;
    const Index at_row = own.piece + own.first + (real ? row : 0);
    load_rows(g.query + own.piece * a.query_stride + head * d, a.query_stride, own.first, a.each(), kTileRows,
              d, t.own1);
    load_rows(g.gradient + (own.piece * a.heads + head) * d, a.heads * d, own.first, a.each(), kTileRows, d,
              t.own2);
    const float log_sum = g.log_sums[at_row * a.heads + head];
    const float shared = g.shared[at_row * a.heads + head];
    float result[PerLane] = {};
    for (Index piece = 0; piece < a.keys.pieces; ++piece)
    {
        const T* keys = g.key_value + (sequence * a.length + piece * a.each()) * a.key_stride + kv * d;
        const Index first_place = a.keys.first[piece];
        for (Index tile = 0; tile < a.each() && first_place + tile < own.place + kTileRows; tile += kTileKeys)
        {
            __syncthreads();
            load_rows(keys, a.key_stride, tile, a.each(), kTileKeys, d, t.other1);
            load_rows(keys + a.kv_heads * d, a.key_stride, tile, a.each(), kTileKeys, d, t.other2);
            __syncthreads();
            const Index before = place + 1 - first_place - tile;
            const Index there = a.each() - tile;
            const Index seen = before < there ? before : there;
            add_query_gradient(t, row, lane, d, a.scale, real ? seen : 0, log_sum, shared, result);
        }
    }
    RINGSIDE_UNROLLED
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        if (real && i * kRowLanes + lane < d)
        {
            g.dquery[(at_row * a.heads + head) * d + i * kRowLanes + lane] += result[i];
        }
    }
}

template <class T, std::size_t PerLane>
__global__ void hop_key_gradient_kernel(HopGradients<T> g, HopShape a)
{
    RINGSIDE_DYNAMIC_SHARED(memory);
    const int d = a.head_dim;
    const Tiles t = tiles_of(memory, d);
    const Index group = a.heads / a.kv_heads;
    const Index sequence = blockIdx.y / a.kv_heads;
    const Index kv = blockIdx.y % a.kv_heads;
    const HopTile own = hop_tile(a, a.keys, sequence, blockIdx.x);
    const int row = static_cast<int>(threadIdx.x) / kRowLanes;
    const int lane = static_cast<int>(threadIdx.x) % kRowLanes;
    const bool real = own.first + row < a.each();
    const Index place = own.place + row;
    const T* keys = g.key_value + own.piece * a.key_stride + kv * d;
    load_rows(keys, a.key_stride, own.first, a.each(), kTileRows, d, t.own1);
    load_rows(keys + a.kv_heads * d, a.key_stride, own.first, a.each(), kTileRows, d, t.own2);
    float dkey[PerLane] = {};
    float dvalue[PerLane] = {};
    for (Index passing = 0; passing < group * a.queries.pieces; ++passing)
    {
        const Index head = kv * group + passing / a.queries.pieces;
        const Index piece = passing % a.queries.pieces;
        const Index first_row = sequence * a.length + piece * a.each();
        const Index first_place = a.queries.first[piece];
        for (Index tile = 0; tile < a.each(); tile += kTileKeys)
        {
            if (first_place + tile + kTileKeys <= own.place)
            {
                continue; // all of them before all of these keys
            }
            __syncthreads();
            load_rows(g.query + first_row * a.query_stride + head * d, a.query_stride, tile, a.each(),
                      kTileKeys, d, t.other1);
            load_rows(g.gradient + (first_row * a.heads + head) * d, a.heads * d, tile, a.each(), kTileKeys,
                      d, t.other2);
            __syncthreads();
            const Index at_row = (first_row + tile) * a.heads + head;
            add_key_gradient(t, row, lane, d, a.scale, place - first_place - tile, real ? a.each() - tile : 0,
                             g.log_sums + at_row, g.shared + at_row, a.heads, dkey, dvalue);
        }
    }
    RINGSIDE_UNROLLED
    for (int i = 0; i < static_cast<int>(PerLane); ++i)
    {
        if (real && i * kRowLanes + lane < d)
        {
            T* to =
                g.dkey_value + (own.piece + own.first + row) * a.key_stride + kv * d + i * kRowLanes + lane;
            T* values = to + a.kv_heads * d;
            *to = from_float<T>(to_float(*to) + dkey[i]);
            *values = from_float<T>(to_float(*values) + dvalue[i]);
        }
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
