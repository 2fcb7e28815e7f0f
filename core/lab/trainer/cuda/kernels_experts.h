// Experts: which ones each token goes to, the way there and back, and what the router learns from it. A block
// routes a sequence; slots are taken by one thread for each expert, in order, so a step comes out the same
// every time.
#pragma once

#include "core/lab/trainer/cuda/kernels_rows.h"

namespace ringside::trainer::cuda
{
inline namespace RINGSIDE_BUILD
{

constexpr int kRouteThreads = 256;
static_assert(kMostExperts <= kRouteThreads);

// The most likely of those that are not `taken`.
__device__ inline Index likeliest(const float* probabilities, Index experts, Index taken)
{
    Index best = taken == 0 ? 1 : 0;
    for (Index i = best + 1; i < experts; ++i)
    {
        best = i != taken && probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
}

// What a token chooses: no slots yet, as if all were dropped.
__device__ inline void choose(const Route& r, Index row)
{
    const Index experts = r.logits.cols;
    float* p = static_cast<float*>(r.logits.data) + row * experts;
    float most = p[0];
    for (Index i = 1; i < experts; ++i)
    {
        most = p[i] > most ? p[i] : most;
    }
    float sum = 0;
    for (Index i = 0; i < experts; ++i)
    {
        p[i] = __expf(p[i] - most);
        sum += p[i];
    }
    for (Index i = 0; i < experts; ++i)
    {
        p[i] /= sum;
    }
    Index taken = -1;
    float whole = 0;
    for (Index j = 0; j < r.chosen; ++j)
    {
        taken = likeliest(p, experts, taken);
        r.slots[row * r.chosen + j] = static_cast<std::int32_t>(-1 - taken);
        whole += p[taken];
    }
    for (Index j = 0; j < r.chosen; ++j)
    {
        r.gates[row * r.chosen + j] = p[-1 - r.slots[row * r.chosen + j]] / (r.chosen > 1 ? whole : 1.0F);
    }
}

// The tokens of a sequence that chose one expert, in order. Other threads write other entries of the slots.
__device__ inline void take_slots(const Route& r, Index sequence, Index expert, float* tally)
{
    const Index sequences = r.logits.rows / r.length;
    const Index pairs = r.length * r.chosen;
    const auto mine = static_cast<std::int32_t>(-1 - expert);
    Index wanted = 0;
    for (Index pair = sequence * pairs; pair < (sequence + 1) * pairs; ++pair)
    {
        if (r.slots[pair] != mine)
        {
            continue;
        }
        if (wanted < r.capacity)
        {
            r.slots[pair] = static_cast<std::int32_t>((expert * sequences + sequence) * r.capacity + wanted);
        }
        ++wanted;
    }
    tally[expert] = static_cast<float>(wanted);
    tally[r.logits.cols + expert] = static_cast<float>(wanted < r.capacity ? wanted : r.capacity);
}

__global__ void route_kernel(Route r)
{
    __shared__ float shares[kMostExperts];
    const Index experts = r.logits.cols;
    const Index sequence = blockIdx.x;
    const Index first = sequence * r.length;
    const auto me = static_cast<Index>(threadIdx.x);
    for (Index row = first + me; row < first + r.length; row += kRouteThreads)
    {
        choose(r, row);
    }
    __syncthreads();
    float* tally = r.tally + sequence * (2 * experts + 1);
    if (me < experts)
    {
        take_slots(r, sequence, me, tally);
        float likely = 0;
        for (Index row = first; row < first + r.length; ++row)
        {
            likely += static_cast<const float*>(r.logits.data)[row * experts + me];
        }
        const auto tokens = static_cast<float>(r.length);
        shares[me] = tally[me] / (tokens * static_cast<float>(r.chosen)) * (likely / tokens);
    }
    __syncthreads();
    if (me == 0)
    {
        float sum = 0;
        for (Index i = 0; i < experts; ++i)
        {
            sum += shares[i];
        }
        tally[2 * experts] = static_cast<float>(experts) * sum;
    }
}

__device__ inline Index expert_of(const Route& r, Index slot)
{
    return slot < 0 ? -1 - slot : slot / (r.logits.rows / r.length * r.capacity);
}

// A warp for each token.
template <class T>
__global__ void route_backward_kernel(Route r, const T* gradient, const T* given, float* dlogits,
                                      float balance, Index cols)
{
    const Index row = warp_row();
    if (row >= r.logits.rows)
    {
        return;
    }
    const Index experts = r.logits.cols;
    const float* p = static_cast<const float*>(r.logits.data) + row * experts;
    float dgates[kMostChosen] = {};
    float shared = 0;
    float whole = 0;
    for (Index j = 0; j < r.chosen; ++j)
    {
        const Index slot = r.slots[row * r.chosen + j];
        float sum = 0;
        for (Index i = warp_lane(); slot >= 0 && i < cols; i += kWarp)
        {
            sum += to_float(gradient[row * cols + i]) * to_float(given[slot * cols + i]);
        }
        dgates[j] = lane_sum<kWarp>(sum);
        shared += r.chosen > 1 ? dgates[j] * r.gates[row * r.chosen + j] : 0.0F;
        whole += p[expert_of(r, slot)];
    }
    const float* wanted = r.tally + row / r.length * (2 * experts + 1);
    const auto tokens = static_cast<float>(r.length);
    const float even =
        balance * static_cast<float>(experts) / (tokens * tokens * static_cast<float>(r.chosen));
    const auto slope = [&](Index expert)
    {
        float dp = even * wanted[expert];
        for (Index j = 0; j < r.chosen; ++j)
        {
            dp += expert_of(r, r.slots[row * r.chosen + j]) == expert
                      ? (dgates[j] - shared) / (r.chosen > 1 ? whole : 1.0F)
                      : 0.0F;
        }
        return dp;
    };
    float mean = 0;
    for (Index i = warp_lane(); i < experts; i += kWarp)
    {
        mean += p[i] * slope(i);
    }
    mean = lane_sum<kWarp>(mean);
    for (Index i = warp_lane(); i < experts; i += kWarp)
    {
        dlogits[row * experts + i] = p[i] * (slope(i) - mean);
    }
}

// A thread for each element of each token's choices. Both formats are the same.
__global__ void dispatch_kernel(Dispatch d, Index elements)
{
    const Index i = thread_index();
    if (i >= elements)
    {
        return;
    }
    const Index pair = i / d.from.cols;
    const Index col = i % d.from.cols;
    const Index row = pair / d.chosen;
    const Index slot = d.slots[pair];
    if (slot < 0)
    {
        return;
    }
    const float value = load({d.from.data, d.from.type}, row * d.from.cols + col);
    store({d.to.data, d.to.type}, slot * d.from.cols + col, d.gates ? d.gates[pair] * value : value);
    if (d.from.scales && col == 0)
    {
        d.to.scales[slot] = d.from.scales[row];
    }
}

template <class T>
__global__ void combine_kernel(Combine c, Index elements)
{
    const Index i = thread_index();
    if (i >= elements)
    {
        return;
    }
    const Index row = i / c.out.cols;
    const Index col = i % c.out.cols;
    float sum = c.add.data ? to_float(static_cast<const T*>(c.add.data)[i]) : 0.0F;
    for (Index pair = row * c.chosen; pair < (row + 1) * c.chosen; ++pair)
    {
        const Index slot = c.slots[pair];
        const float gate = c.gates ? c.gates[pair] : 1.0F;
        sum += slot < 0 ? 0.0F : gate * to_float(static_cast<const T*>(c.from.data)[slot * c.out.cols + col]);
    }
    static_cast<T*>(c.out.data)[i] = from_float<T>(sum);
}

} // namespace RINGSIDE_BUILD
} // namespace ringside::trainer::cuda
