// Embedding, norms, RoPE, activations, loss and sums down columns. T is the format of activations and
// weights. Rows are shared by a warp, or by a block where they are as wide as a vocabulary; sums over rows
// are made in parts that are added in order, without atomics, so that a step comes out the same every time.
#pragma once

#include "core/lab/trainer/cuda/device.h"
#include "core/lab/trainer/operations.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kRowThreads = 128; // 4 rows of a warp each
constexpr int kWideThreads = 256;
constexpr int kSumCols = 32; // columns x rows of a block that sums down columns
constexpr int kSumRows = 8;
constexpr int kMostParts = 64; // of a sum over rows

template <class T>
__global__ void embed_kernel(const std::int32_t* tokens, const T* table, const T* positions, T* out,
                             Index length, Cut cut, Index cols, Index elements, Index first, Index words)
{
    const Index i = thread_index();
    if (i < elements)
    {
        const Index row = i / cols;
        const Index col = i % cols;
        const Index place = tokens[row] - first;
        const float word = place >= 0 && place < words ? to_float(table[place * cols + col]) : 0.0F;
        out[i] = from_float<T>(
            positions ? word + to_float(positions[cut.place(row % length, length) * cols + col]) : word);
    }
}

// A block for each word of the vocabulary, a thread for each column: so no two add to one row.
template <class T>
__global__ void embed_words_kernel(const std::int32_t* tokens, const T* gradient, Any table, Index rows,
                                   Index cols, Index first_token)
{
    __shared__ int found[kWideThreads];
    const Index word = blockIdx.x;
    for (Index first = 0; first < rows; first += kWideThreads)
    {
        const Index mine = first + threadIdx.x;
        found[threadIdx.x] = mine < rows && tokens[mine] - first_token == word ? 1 : 0;
        __syncthreads();
        for (Index row = first; row < first + kWideThreads; ++row)
        {
            for (Index col = threadIdx.x; found[row - first] != 0 && col < cols; col += kWideThreads)
            {
                const Index at = word * cols + col;
                store(table, at, load(table, at) + to_float(gradient[row * cols + col]));
            }
        }
        __syncthreads();
    }
}

template <class T>
__global__ void embed_positions_kernel(const T* gradient, Any positions, Index rows, Index length, Cut cut,
                                       Index cols)
{
    const Index i = thread_index();
    if (i < length * cols)
    {
        float sum = 0;
        for (Index row = i / cols; row < rows; row += length)
        {
            sum += to_float(gradient[row * cols + i % cols]);
        }
        const Index at = cut.place(i / cols, length) * cols + i % cols;
        store(positions, at, load(positions, at) + sum);
    }
}

// Row of this warp, and this thread's lane in it.
__device__ inline Index warp_row()
{
    return static_cast<Index>(blockIdx.x) * (kRowThreads / kWarp) + threadIdx.x / kWarp;
}
__device__ inline int warp_lane()
{
    return static_cast<int>(threadIdx.x % kWarp);
}

// Out is T, or float where 8-bit rows are made of it.
template <class T, class Out>
__global__ void norm_kernel(const T* x, const T* gain, const T* bias, Out* out, float* statistics, Index rows,
                            Index cols)
{
    const Index row = warp_row();
    if (row >= rows)
    {
        return;
    }
    x += row * cols;
    out += row * cols;
    const auto width = static_cast<float>(cols);
    float sum = 0;
    for (Index i = warp_lane(); i < cols; i += kWarp)
    {
        sum += to_float(x[i]);
    }
    const float mean = bias ? lane_sum<kWarp>(sum) / width : 0.0F;
    float square = 0;
    for (Index i = warp_lane(); i < cols; i += kWarp)
    {
        const float d = to_float(x[i]) - mean;
        square += d * d;
    }
    const float scale = 1.0F / sqrtf(lane_sum<kWarp>(square) / width + kNormEpsilon);
    for (Index i = warp_lane(); i < cols; i += kWarp)
    {
        const float normed = (to_float(x[i]) - mean) * scale * to_float(gain[i]);
        out[i] = from_float<Out>(bias ? normed + to_float(bias[i]) : normed);
    }
    if (warp_lane() == 0)
    {
        statistics[bias ? 2 * row : row] = bias ? mean : scale;
        if (bias)
        {
            statistics[2 * row + 1] = scale;
        }
    }
}

template <class T>
__global__ void norm_backward_kernel(const T* gradient, const T* x, const T* gain, const float* statistics,
                                     T* dx, bool layernorm, Index rows, Index cols)
{
    const Index row = warp_row();
    if (row >= rows)
    {
        return;
    }
    x += row * cols;
    gradient += row * cols;
    dx += row * cols;
    const float mean = layernorm ? statistics[2 * row] : 0.0F;
    const float scale = statistics[layernorm ? 2 * row + 1 : row];
    const auto width = static_cast<float>(cols);
    float first = 0;
    float second = 0;
    for (Index i = warp_lane(); i < cols; i += kWarp)
    {
        const float g = to_float(gradient[i]) * to_float(gain[i]);
        first += g;
        second += g * (to_float(x[i]) - mean) * scale;
    }
    first = layernorm ? lane_sum<kWarp>(first) / width : 0.0F;
    second = lane_sum<kWarp>(second) / width;
    for (Index i = warp_lane(); i < cols; i += kWarp)
    {
        const float g = to_float(gradient[i]) * to_float(gain[i]);
        const float normed = (to_float(x[i]) - mean) * scale;
        dx[i] = from_float<T>(to_float(dx[i]) + scale * (g - first - normed * second));
    }
}

// Sums of gradient, and with statistics of gradient x normed x too, over the rows of one part: parts[0..] has
// the first, [gridDim.y * cols..] the second.
template <class T>
__global__ void column_parts_kernel(const T* gradient, const T* x, const float* statistics, bool layernorm,
                                    float* parts, Index rows, Index cols)
{
    __shared__ float sums[2][kSumRows][kSumCols + 1];
    const Index col = static_cast<Index>(blockIdx.x) * kSumCols + threadIdx.x;
    const Index share = (rows + gridDim.y - 1) / gridDim.y;
    const Index begin = blockIdx.y * share;
    const Index end = begin + share < rows ? begin + share : rows;
    float plain = 0;
    float normed = 0;
    for (Index row = begin + threadIdx.y; col < cols && row < end; row += kSumRows)
    {
        const float g = to_float(gradient[row * cols + col]);
        plain += g;
        if (statistics)
        {
            const float mean = layernorm ? statistics[2 * row] : 0.0F;
            const float scale = statistics[layernorm ? 2 * row + 1 : row];
            normed += g * (to_float(x[row * cols + col]) - mean) * scale;
        }
    }
    sums[0][threadIdx.y][threadIdx.x] = plain;
    sums[1][threadIdx.y][threadIdx.x] = normed;
    __syncthreads();
    if (threadIdx.y < 2 && col < cols)
    {
        float sum = 0;
        for (int i = 0; i < kSumRows; ++i)
        {
            sum += sums[threadIdx.y][i][threadIdx.x];
        }
        parts[(threadIdx.y * gridDim.y + blockIdx.y) * cols + col] = sum;
    }
}

__global__ void add_parts_kernel(const float* parts, int count, Any to, Index cols)
{
    const Index col = thread_index();
    if (col < cols)
    {
        float sum = 0;
        for (int part = 0; part < count; ++part)
        {
            sum += parts[part * cols + col];
        }
        store(to, col, load(to, col) + sum);
    }
}

template <class T>
__global__ void rope_kernel(T* heads, Index stride, Index half, Index pairs, Index length, Cut cut,
                            float sign, Index elements)
{
    const Index i = thread_index();
    if (i >= elements)
    {
        return;
    }
    const Index row = i / pairs;
    const Index pair = i % half;
    const double share = static_cast<double>(pair) / static_cast<double>(half);
    const double angle =
        static_cast<double>(cut.place(row % length, length)) / pow(static_cast<double>(kRopeBase), share);
    const auto c = static_cast<float>(cos(angle));
    const float s = sign * static_cast<float>(sin(angle));
    T* at = heads + row * stride + i % pairs / half * 2 * half + pair;
    const float a = to_float(at[0]);
    const float b = to_float(at[half]);
    at[0] = from_float<T>(a * c - b * s);
    at[half] = from_float<T>(a * s + b * c);
}

constexpr float kGelu = 0.7978845608F; // sqrt(2 / pi)
constexpr float kGeluCube = 0.044715F;

__device__ inline float sigmoid(float x)
{
    return 1.0F / (1.0F + __expf(-x));
}

template <class T, class Out>
__global__ void activation_kernel(const T* pre, Out* out, bool gated, Index cols, Index elements)
{
    const Index i = thread_index();
    if (i >= elements)
    {
        return;
    }
    if (gated)
    {
        const T* row = pre + i / cols * 2 * cols;
        const float gate = to_float(row[i % cols]);
        out[i] = from_float<Out>(gate * sigmoid(gate) * to_float(row[cols + i % cols]));
        return;
    }
    const float x = to_float(pre[i]);
    out[i] = from_float<Out>(0.5F * x * (1.0F + tanhf(kGelu * (x + kGeluCube * x * x * x))));
}

template <class T>
__global__ void activation_backward_kernel(const T* pre, const T* gradient, T* dpre, bool gated, Index cols,
                                           Index elements)
{
    const Index i = thread_index();
    if (i >= elements)
    {
        return;
    }
    const float g = to_float(gradient[i]);
    if (gated)
    {
        const Index at = i / cols * 2 * cols + i % cols;
        const float gate = to_float(pre[at]);
        const float s = sigmoid(gate);
        const float up = to_float(pre[at + cols]);
        dpre[at] = from_float<T>(g * up * s * (1.0F + gate * (1.0F - s)));
        dpre[at + cols] = from_float<T>(g * gate * s);
        return;
    }
    const float x = to_float(pre[i]);
    const float t = tanhf(kGelu * (x + kGeluCube * x * x * x));
    dpre[i] = from_float<T>(
        g * (0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * kGelu * (1.0F + 3.0F * kGeluCube * x * x)));
}

// Sum or largest over a block, given to all of its threads. `room` has one float for each warp.
template <bool Largest>
__device__ inline float over_block(float x, float* room)
{
    x = Largest ? lane_most<kWarp>(x) : lane_sum<kWarp>(x);
    __syncthreads(); // the room may still be read from the last time
    if (threadIdx.x % kWarp == 0)
    {
        room[threadIdx.x / kWarp] = x;
    }
    __syncthreads();
    x = room[0];
    for (int i = 1; i < kWideThreads / kWarp; ++i)
    {
        x = Largest ? (room[i] > x ? room[i] : x) : x + room[i];
    }
    return x;
}

struct SoftmaxOfRow
{
    float most;
    float sum;
    float wanted; // the target's logit
};
// By all threads of the block, over the row's logits or this part of them.
__device__ inline SoftmaxOfRow softmax_of(const float* logits, Index cols, Index target, float* room)
{
    float most = -3.0e38F;
    for (Index i = threadIdx.x; i < cols; i += kWideThreads)
    {
        most = logits[i] > most ? logits[i] : most;
    }
    most = over_block<true>(most, room);
    float sum = 0;
    for (Index i = threadIdx.x; i < cols; i += kWideThreads)
    {
        sum += __expf(logits[i] - most);
    }
    return {most, over_block<false>(sum, room), target >= 0 && target < cols ? logits[target] : 0.0F};
}
// Over all parts of a row's logits.
__device__ inline SoftmaxOfRow together(const float* statistics, Index parts, Index rows, Index row)
{
    SoftmaxOfRow all{statistics[row * 3], 0, 0};
    for (Index i = 1; i < parts; ++i)
    {
        const float most = statistics[(i * rows + row) * 3];
        all.most = most > all.most ? most : all.most;
    }
    for (Index i = 0; i < parts; ++i)
    {
        const float* part = statistics + (i * rows + row) * 3;
        all.sum += part[1] * __expf(part[0] - all.most);
        all.wanted += part[2];
    }
    return all;
}

__global__ void cross_entropy_kernel(CrossEntropy c)
{
    __shared__ float room[kWideThreads / kWarp];
    const Index row = blockIdx.x;
    const Index cols = c.logits.cols;
    const bool asked = c.targets[row] >= 0;
    const Index target = c.targets[row] - c.first_word;
    auto* logits = static_cast<float*>(c.logits.data) + row * cols;
    const SoftmaxOfRow all = c.statistics ? together(c.statistics, c.parts, c.logits.rows, row)
                                          : softmax_of(logits, cols, target, room);
    if (threadIdx.x == 0)
    {
        c.losses[row] = asked ? logf(all.sum) + all.most - all.wanted : 0.0F;
    }
    __syncthreads();
    const float factor = asked ? c.scale / all.sum : 0.0F;
    for (Index i = threadIdx.x; i < cols; i += kWideThreads)
    {
        const float share = asked ? __expf(logits[i] - all.most) * factor : 0.0F;
        logits[i] = asked && i == target ? share - c.scale : share;
    }
}

__global__ void logit_statistics_kernel(LogitStatistics s)
{
    __shared__ float room[kWideThreads / kWarp];
    const Index row = blockIdx.x;
    const auto* logits = static_cast<const float*>(s.logits.data) + row * s.logits.cols;
    const SoftmaxOfRow part = softmax_of(logits, s.logits.cols, s.targets[row] - s.first_word, room);
    if (threadIdx.x == 0)
    {
        s.out[3 * row] = part.most;
        s.out[3 * row + 1] = part.sum;
        s.out[3 * row + 2] = part.wanted;
    }
}

__global__ void add_kernel(Any from, Any to, Index elements)
{
    const Index i = thread_index();
    if (i < elements)
    {
        store(to, i, load(to, i) + load(from, i));
    }
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
