// One hop of attention round a ring of ranks: as attention.h, but queries and keys are pieces of a sequence,
// and what has been seen before is put together with what is seen now.
#pragma once

#include "core/lab/trainer/cpu/kernels/attention.h"

namespace ringside::trainer::cpu
{
namespace
{

// Some query rows of one piece, one head.
struct HopQueries
{
    Index first = 0; // row of the tensor
    Index count = 0;
    Index place = 0; // of the first in the sequence
};
// The keys of one piece that at least one of the queries sees.
struct HopKeys
{
    Index first = 0; // row among the sequence's
    Index count = 0;
    Index place = 0;
};

inline Index hop_blocks(const AttentionHop& a)
{
    return (a.length / a.queries.pieces + kQueryRows - 1) / kQueryRows;
}

inline HopQueries hop_queries(const AttentionHop& a, Index sequence, Index block)
{
    const Index piece = block / hop_blocks(a);
    const Index each = a.length / a.queries.pieces;
    const Index begin = block % hop_blocks(a) * kQueryRows;
    const Index end = begin + kQueryRows < each ? begin + kQueryRows : each;
    return {sequence * a.length + piece * each + begin, end - begin, a.queries.first[piece] + begin};
}

inline HopKeys hop_keys(const AttentionHop& a, const HopQueries& q, Index piece)
{
    const Index each = a.length / a.keys.pieces;
    const Index seen = q.place + q.count - a.keys.first[piece];
    return {piece * each, seen < 0 ? 0 : seen < each ? seen : each, a.keys.first[piece]};
}

// How many of the keys row i of the queries sees.
inline Index hop_seen(const HopQueries& q, const HopKeys& k, Index i)
{
    const Index seen = q.place + i + 1 - k.place;
    return seen < 0 ? 0 : seen < k.count ? seen : k.count;
}

inline Tensor hop_key(const AttentionHop& a, Index head)
{
    return a.key_value.columns(head / a.group() * a.head_dim, a.head_dim);
}
inline Tensor hop_value(const AttentionHop& a, Index head)
{
    return a.key_value.columns((a.kv_heads + head / a.group()) * a.head_dim, a.head_dim);
}

inline Tensor hop_strip(float* memory, const AttentionHop& a, const HopQueries& q, const HopKeys& k)
{
    Tensor t = tensor(memory, DType::f32, q.count, k.count);
    t.stride = a.length;
    return t;
}

// Row by row: the exponentials of the strip's scores by their largest; out and log_sum of what was seen
// before shrink by what has now been seen besides. What is to be added to out per unit of the strip goes to
// `shares`.
inline void merge_softmax(const AttentionHop& a, const HopQueries& q, const HopKeys& k, Index head,
                          const Tensor& strip, float* shares)
{
    const float scale = score_scale(a.head_dim);
    for (Index i = 0; i < strip.rows; ++i)
    {
        auto* row = static_cast<float*>(strip.at(i));
        const Index seen = hop_seen(q, k, i);
        shares[i] = 0;
        for (Index j = seen; j < strip.cols; ++j)
        {
            row[j] = 0;
        }
        if (seen == 0)
        {
            continue;
        }
        const float most = largest_of(row, seen) * scale;
        for (Index j = 0; j < seen; ++j)
        {
            row[j] = fast_exp(row[j] * scale - most);
        }
        const float sum = sum_of(seen, [row](Index j) { return row[j]; });
        float& log_sum = a.log_sums[(q.first + i) * a.heads + head];
        const float higher = log_sum > most ? log_sum : most;
        const float before = __builtin_expf(log_sum - higher);
        const float now = __builtin_expf(most - higher);
        const float total = before + now * sum;
        log_sum = higher + __builtin_logf(total);
        shares[i] = now / total;
        auto* out = static_cast<float*>(a.out.at(q.first + i, head * a.head_dim));
        for (Index j = 0; j < a.head_dim; ++j)
        {
            out[j] *= before / total;
        }
    }
}

void attention_hop(const AttentionHop& a, Index part, float* scratch)
{
    const Index blocks = a.queries.pieces * hop_blocks(a);
    const Index sequence = part / blocks / a.heads;
    const Index head = part / blocks % a.heads;
    const HopQueries q = hop_queries(a, sequence, part % blocks);
    const Tensor out = a.out.columns(head * a.head_dim, a.head_dim).row_range(q.first, q.count);
    for (Index i = 0; a.begins && i < q.count; ++i)
    {
        a.log_sums[(q.first + i) * a.heads + head] = -3.0e38F;
        __builtin_memset(out.at(i), 0, static_cast<std::size_t>(a.head_dim) * sizeof(float));
    }
    float* product_scratch = scratch + 2 * kQueryRows * a.length;
    const Tensor seen_now = tensor(product_scratch + kProductScratch, DType::f32, q.count,
                                   a.head_dim); // where sums of keys go else
    float shares[kQueryRows];
    for (Index piece = 0; piece < a.keys.pieces; ++piece)
    {
        const HopKeys k = hop_keys(a, q, piece);
        if (k.count == 0)
        {
            continue;
        }
        const Tensor strip = hop_strip(scratch, a, q, k);
        const Index first_key = sequence * a.length + k.first;
        multiply({.a = a.query.columns(head * a.head_dim, a.head_dim).row_range(q.first, q.count),
                  .b = hop_key(a, head).row_range(first_key, k.count),
                  .c = strip,
                  .b_transposed = true},
                 product_scratch);
        merge_softmax(a, q, k, head, strip, shares);
        multiply({.a = strip, .b = hop_value(a, head).row_range(first_key, k.count), .c = seen_now},
                 product_scratch);
        for (Index i = 0; i < q.count; ++i)
        {
            auto* to = static_cast<float*>(out.at(i));
            const auto* from = static_cast<const float*>(seen_now.at(i));
            for (Index j = 0; j < a.head_dim; ++j)
            {
                to[j] += shares[i] * from[j];
            }
        }
    }
}

void attention_hop_backward_block(const AttentionHopBackward& b, Index head, Index sequence,
                                  const HopQueries& q, const HopKeys& k, float* scratch,
                                  const KeyValueSums& sums)
{
    const AttentionHop& a = b.forward;
    const Tensor p = hop_strip(scratch, a, q, k);
    const Tensor dp = hop_strip(scratch + kQueryRows * a.length, a, q, k);
    float* product_scratch = scratch + 2 * kQueryRows * a.length;
    const auto rows_of = [&](const Tensor& t)
    { return t.columns(head * a.head_dim, a.head_dim).row_range(q.first, q.count); };
    const SeenBlock block{
        .query = rows_of(a.query),
        .out = rows_of(a.out),
        .gradient = rows_of(b.gradient),
        .dquery = rows_of(b.dquery),
        .key = hop_key(a, head).row_range(sequence * a.length + k.first, k.count),
        .value = hop_value(a, head).row_range(sequence * a.length + k.first, k.count),
        .sums = {sums.key.row_range(k.first, k.count), sums.value.row_range(k.first, k.count)}};
    multiply({.a = block.query, .b = block.key, .c = p, .b_transposed = true}, product_scratch);
    exponentials(
        p, a.head_dim, [&](Index i) { return hop_seen(q, k, i); },
        [&](Index i) { return a.log_sums[(q.first + i) * a.heads + head]; });
    backward_of(block, p, dp, true, product_scratch);
}

void attention_hop_backward(const AttentionHopBackward& b, Index part, float* scratch)
{
    const AttentionHop& a = b.forward;
    const Index sequence = part / a.kv_heads;
    const Index kv = part % a.kv_heads;
    const KeyValueSums sums = no_sums(scratch, a.length, a.head_dim);
    for (Index head = kv * a.group(); head < (kv + 1) * a.group(); ++head)
    {
        for (Index block = 0; block < a.queries.pieces * hop_blocks(a); ++block)
        {
            const HopQueries q = hop_queries(a, sequence, block);
            for (Index piece = 0; piece < a.keys.pieces; ++piece)
            {
                const HopKeys k = hop_keys(a, q, piece);
                if (k.count > 0)
                {
                    attention_hop_backward_block(b, head, sequence, q, k, scratch, sums);
                }
            }
        }
    }
    float row[256];
    for (Index i = 0; i < a.length; ++i)
    {
        const Index to = sequence * a.length + i;
        add_to(static_cast<const float*>(sums.key.at(i)), b.dkey_value, to, kv * a.head_dim, a.head_dim, row);
        add_to(static_cast<const float*>(sums.value.at(i)), b.dkey_value, to, (a.kv_heads + kv) * a.head_dim,
               a.head_dim, row);
    }
}

} // namespace
} // namespace ringside::trainer::cpu
