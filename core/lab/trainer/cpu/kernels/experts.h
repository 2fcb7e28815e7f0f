// Experts: which ones each token goes to, the way there and back, and what the router learns from it.
#pragma once

#include "core/lab/trainer/cpu/kernels.h"
#include "core/lab/trainer/cpu/kernels/math.h"

namespace ringside::trainer::cpu
{
namespace
{

inline void softmax_row(float* logits, Index cols)
{
    const float most = largest_of(logits, cols);
    for (Index i = 0; i < cols; ++i)
    {
        logits[i] = fast_exp(logits[i] - most);
    }
    const float factor = 1.0F / sum_of(cols, [logits](Index i) { return logits[i]; });
    for (Index i = 0; i < cols; ++i)
    {
        logits[i] *= factor;
    }
}

// The most likely of those that are not `taken`; numbers that are not finite choose the first.
inline Index likeliest(const float* probabilities, Index experts, Index taken)
{
    Index best = taken == 0 ? 1 : 0;
    for (Index i = best + 1; i < experts; ++i)
    {
        best = i != taken && probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
}

inline float chosen_probability(const Route& r, const float* probabilities, const std::int32_t* slots)
{
    float sum = 0;
    for (Index j = 0; j < r.chosen; ++j)
    {
        sum += probabilities[r.expert_of(slots[j])];
    }
    return sum;
}

// What a token chooses: no slots yet, as if all were dropped.
inline void choose(const Route& r, Index row, float* wanted)
{
    auto* probabilities = static_cast<float*>(r.logits.at(row));
    std::int32_t* slots = r.slots + row * r.chosen;
    float* gates = r.gates + row * r.chosen;
    softmax_row(probabilities, r.experts());
    Index taken = -1;
    for (Index j = 0; j < r.chosen; ++j)
    {
        taken = likeliest(probabilities, r.experts(), taken);
        slots[j] = Route::dropped_from(taken);
        gates[j] = probabilities[taken];
        wanted[taken] += 1;
    }
    const float whole = r.chosen > 1 ? chosen_probability(r, probabilities, slots) : 1.0F;
    for (Index j = 0; j < r.chosen; ++j)
    {
        gates[j] /= whole;
    }
}

// Token after token, so that none depends on those after it.
inline void take_slots(const Route& r, Index sequence, float* taken)
{
    const Index pairs = r.length * r.chosen;
    for (Index pair = sequence * pairs; pair < (sequence + 1) * pairs; ++pair)
    {
        const Index expert = r.expert_of(r.slots[pair]);
        const auto place = static_cast<Index>(taken[expert]);
        if (place < r.capacity)
        {
            r.slots[pair] =
                static_cast<std::int32_t>((expert * r.sequences() + sequence) * r.capacity + place);
            taken[expert] += 1;
        }
    }
}

void route(const Route& r, Index sequence)
{
    const Index experts = r.experts();
    float* tally = r.tally + sequence * Route::tally_width(experts);
    float likely[kMostExperts] = {};
    __builtin_memset(tally, 0, static_cast<std::size_t>(Route::tally_width(experts)) * sizeof(float));
    for (Index row = sequence * r.length; row < (sequence + 1) * r.length; ++row)
    {
        choose(r, row, tally);
        const auto* probabilities = static_cast<const float*>(r.logits.at(row));
        for (Index i = 0; i < experts; ++i)
        {
            likely[i] += probabilities[i];
        }
    }
    take_slots(r, sequence, tally + experts);
    const auto tokens = static_cast<float>(r.length);
    float sum = 0;
    for (Index i = 0; i < experts; ++i)
    {
        sum += tally[i] / (tokens * static_cast<float>(r.chosen)) * (likely[i] / tokens);
    }
    tally[2 * experts] = static_cast<float>(experts) * sum;
}

// d of the gates, then of the probabilities, then of the logits.
void route_backward(const RouteBackward& b, Part rows)
{
    const Route& r = b.forward;
    const Index experts = r.experts();
    const Index cols = b.gradient.cols;
    float gradient_row[kMostCols];
    float given_row[kMostCols];
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const float* dy = floats(b.gradient, row, 0, cols, gradient_row);
        const auto* p = static_cast<const float*>(r.logits.at(row));
        const std::int32_t* slots = r.slots + row * r.chosen;
        const float* gates = r.gates + row * r.chosen;
        const float* wanted = r.tally + row / r.length * Route::tally_width(experts);
        // E sum f_i P_i; f_i has no gradient.
        const auto tokens = static_cast<float>(r.length);
        const float even =
            b.balance * static_cast<float>(experts) / (tokens * tokens * static_cast<float>(r.chosen));
        float dp[kMostExperts];
        for (Index i = 0; i < experts; ++i)
        {
            dp[i] = even * wanted[i];
        }
        float dgates[kMostChosen];
        float shared = 0; // what all gates lose when one of them grows
        for (Index j = 0; j < r.chosen; ++j)
        {
            dgates[j] = 0;
            if (slots[j] >= 0)
            {
                const float* y = floats(b.given, slots[j], 0, cols, given_row);
                dgates[j] = sum_of(cols, [=](Index i) { return dy[i] * y[i]; });
            }
            shared += r.chosen > 1 ? dgates[j] * gates[j] : 0.0F;
        }
        const float whole = r.chosen > 1 ? chosen_probability(r, p, slots) : 1.0F;
        for (Index j = 0; j < r.chosen; ++j)
        {
            dp[r.expert_of(slots[j])] += (dgates[j] - shared) / whole;
        }
        const float mean = sum_of(experts, [&](Index i) { return p[i] * dp[i]; });
        auto* dlogits = static_cast<float*>(b.dlogits.at(row));
        for (Index i = 0; i < experts; ++i)
        {
            dlogits[i] = p[i] * (dp[i] - mean);
        }
    }
}

void dispatch(const Dispatch& d, Part rows)
{
    float from_row[kMostCols];
    float out_row[kMostCols];
    const Index cols = d.from.cols;
    for (Index pair = rows.begin * d.chosen; pair < rows.end * d.chosen; ++pair)
    {
        const Index row = pair / d.chosen;
        const Index slot = d.slots[pair];
        if (slot < 0)
        {
            continue;
        }
        if (!d.gates)
        {
            __builtin_memcpy(d.to.at(slot), d.from.at(row),
                             static_cast<std::size_t>(cols * bytes_of(d.from.type)));
            if (d.from.scales)
            {
                d.to.scales[slot] = d.from.scales[row];
            }
            continue;
        }
        const float* from = floats(d.from, row, 0, cols, from_row);
        float* out = place(d.to, slot, 0, out_row);
        for (Index i = 0; i < cols; ++i)
        {
            out[i] = d.gates[pair] * from[i];
        }
        store(out, d.to, slot, 0, cols);
    }
}

void combine(const Combine& c, Part rows)
{
    float from_row[kMostCols];
    float sum[kMostCols];
    const Index cols = c.out.cols;
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const float* old = c.add ? floats(c.add, row, 0, cols, from_row) : nullptr;
        for (Index i = 0; i < cols; ++i)
        {
            sum[i] = old ? old[i] : 0.0F;
        }
        for (Index pair = row * c.chosen; pair < (row + 1) * c.chosen; ++pair)
        {
            const float gate = c.gates ? c.gates[pair] : 1.0F;
            const float* from =
                c.slots[pair] < 0 ? nullptr : floats(c.from, c.slots[pair], 0, cols, from_row);
            for (Index i = 0; from && i < cols; ++i)
            {
                sum[i] += gate * from[i];
            }
        }
        store(sum, c.out, row, 0, cols);
    }
}

} // namespace
} // namespace ringside::trainer::cpu
