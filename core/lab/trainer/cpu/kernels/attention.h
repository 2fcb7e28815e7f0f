// Causal attention, a block of query rows of one head at a time: the strip of scores of these rows against
// all keys before them is all that is ever there, unless probabilities are to be kept.
#pragma once

#include "core/lab/trainer/cpu/kernels/math.h"
#include "core/lab/trainer/cpu/kernels/product.h"

namespace ringside::trainer::cpu
{
namespace
{

struct Head
{
    Index sequence;
    Index head;
    Index first;  // row of the sequence's first token
    Tensor query; // [all tokens, head_dim]
    Tensor key;
    Tensor value;
};

inline Head head_of(const Attention& a, const Tensor& qkv, Index sequence, Index head)
{
    const Index d = a.head_dim;
    const Index kv = head / a.group();
    return {sequence,
            head,
            sequence * a.length,
            qkv.columns(head * d, d),
            qkv.columns((a.heads + kv) * d, d),
            qkv.columns((a.heads + a.kv_heads + kv) * d, d)};
}

// Query rows [begin, end) of a sequence; they see the keys [0, end).
inline Tensor strip_of(float* memory, const Attention& a, Part queries)
{
    Tensor t = tensor(memory, DType::f32, queries.end - queries.begin, queries.end);
    t.stride = a.length;
    return t;
}

inline void multiply(Product p, float* scratch)
{
    product(p, {{0, p.m()}, {0, p.n()}}, scratch);
}

inline Tensor kept_probabilities(const Attention& a, const Head& h, Part queries)
{
    return a.probabilities.row_range((h.sequence * a.heads + h.head) * a.length + queries.begin,
                                     queries.end - queries.begin);
}

inline float score_scale(Index head_dim)
{
    return 1.0F / __builtin_sqrtf(static_cast<float>(head_dim));
}

// Scores that a query must not see, of which exp() is 0: rows are then as long as each other and loops whole.
inline void hide(float* row, Index seen, Index cols)
{
    for (Index j = seen; j < cols; ++j)
    {
        row[j] = -1e38F;
    }
}

// strip = exp(strip / sqrt(d) - log_sum(row)): probabilities again, from the logarithms that the forward
// kept. Row i sees the first seen(i) columns; the others become 0.
template <class Seen, class LogSum>
inline void exponentials(const Tensor& strip, Index head_dim, const Seen& seen, const LogSum& log_sum)
{
    const float scale = score_scale(head_dim);
    for (Index i = 0; i < strip.rows; ++i)
    {
        auto* row = static_cast<float*>(strip.at(i));
        const float subtract = log_sum(i);
        hide(row, seen(i), strip.cols);
        for (Index j = 0; j < strip.cols; ++j)
        {
            row[j] = fast_exp(row[j] * scale - subtract);
        }
    }
}

// strip = softmax(query key^T / sqrt(d)) row by row; what a query must not see is 0.
inline void probabilities(const Attention& a, const Head& h, Part queries, const Tensor& strip,
                          float* log_sums, float* scratch)
{
    multiply({.a = h.query.row_range(h.first + queries.begin, strip.rows),
              .b = h.key.row_range(h.first, queries.end),
              .c = strip,
              .b_transposed = true},
             scratch);
    const float scale = score_scale(a.head_dim);
    for (Index i = 0; i < strip.rows; ++i)
    {
        auto* row = static_cast<float*>(strip.at(i));
        hide(row, queries.begin + i + 1, strip.cols);
        const float most = largest_of(row, strip.cols) * scale;
        for (Index j = 0; j < strip.cols; ++j)
        {
            row[j] = fast_exp(row[j] * scale - most);
        }
        const float sum = sum_of(strip.cols, [row](Index j) { return row[j]; });
        const float share = 1.0F / sum;
        for (Index j = 0; j < strip.cols; ++j)
        {
            row[j] *= share;
        }
        if (log_sums)
        {
            log_sums[(h.first + queries.begin + i) * a.heads + h.head] = most + __builtin_logf(sum);
        }
    }
}

// Probabilities from the logarithms that the forward kept: no largest score and no sum to look for.
inline void probabilities_again(const Attention& a, const Head& h, Part queries, const Tensor& strip,
                                float* scratch)
{
    multiply({.a = h.query.row_range(h.first + queries.begin, strip.rows),
              .b = h.key.row_range(h.first, queries.end),
              .c = strip,
              .b_transposed = true},
             scratch);
    exponentials(
        strip, a.head_dim, [=](Index i) { return queries.begin + i + 1; },
        [&](Index i) { return a.log_sums[(h.first + queries.begin + i) * a.heads + h.head]; });
}

// Rounds the strip to the format of what is kept, there and here, so that forward and backward use the same.
inline void keep(const Attention& a, const Head& h, Part queries, const Tensor& strip)
{
    const Tensor kept = kept_probabilities(a, h, queries);
    float scratch[4096];
    for (Index i = 0; i < strip.rows; ++i)
    {
        const auto* row = static_cast<const float*>(strip.at(i));
        for (Index j = 0; j < strip.cols; ++j)
        {
            scratch[j] = row[j];
        }
        for (Index j = strip.cols; j < a.length; ++j)
        {
            scratch[j] = 0;
        }
        store(scratch, kept, i, 0, a.length);
    }
}

inline Part query_block(const Attention& a, Index block)
{
    const Index begin = block * kQueryRows;
    return {begin, begin + kQueryRows < a.length ? begin + kQueryRows : a.length};
}

void attention(const Attention& a, Index part, float* scratch)
{
    const Index blocks = (a.length + kQueryRows - 1) / kQueryRows;
    const Part queries = query_block(a, part % blocks);
    const Head h = head_of(a, a.qkv, part / blocks / a.heads, part / blocks % a.heads);
    const Tensor strip = strip_of(scratch, a, queries);
    float* product_scratch = scratch + kQueryRows * a.length;
    probabilities(a, h, queries, strip, a.log_sums, product_scratch);
    Tensor weights = strip;
    if (a.probabilities)
    {
        keep(a, h, queries, strip);
        weights = kept_probabilities(a, h, queries).columns(0, queries.end);
    }
    multiply(
        {.a = weights,
         .b = h.value.row_range(h.first, queries.end),
         .c = a.out.columns(h.head * a.head_dim, a.head_dim).row_range(h.first + queries.begin, strip.rows)},
        product_scratch);
}

// ds = p (dp - sum(dp p)) / sqrt(d), the last sum as that of gradient and output of the row (Dao et al.,
// arXiv 2205.14135, appendix B.4). `out` and `dout` are the head's columns of these rows.
inline void score_gradient(const Tensor& out, const Tensor& dout, const Tensor& p, const Tensor& dp)
{
    const Index d = out.cols;
    const float scale = score_scale(d);
    float out_row[256];
    float gradient_row[256];
    float p_row[4096];
    for (Index i = 0; i < dp.rows; ++i)
    {
        const float* o = floats(out, i, 0, d, out_row);
        const float* g = floats(dout, i, 0, d, gradient_row);
        const float shared = sum_of(d, [=](Index j) { return o[j] * g[j]; });
        const float* weight = floats(p, i, 0, dp.cols, p_row);
        auto* gradient = static_cast<float*>(dp.at(i));
        for (Index j = 0; j < dp.cols; ++j)
        {
            gradient[j] = weight[j] * (gradient[j] - shared) * scale;
        }
    }
}

// Gradients of the keys and values of one head of one sequence, summed up in fp32 over the query heads that
// share them.
struct KeyValueSums
{
    Tensor key;
    Tensor value;
};
// All 0 at first; behind the two strips and the scratch of products.
inline KeyValueSums no_sums(float* scratch, Index length, Index head_dim)
{
    const Index size = length * head_dim;
    float* memory = scratch + 2 * kQueryRows * length + kProductScratch;
    __builtin_memset(memory, 0, static_cast<std::size_t>(2 * size) * sizeof(float));
    return {tensor(memory, DType::f32, length, head_dim),
            tensor(memory + size, DType::f32, length, head_dim)};
}

// Some query rows of one head, and the keys and values that they see.
struct SeenBlock
{
    Tensor query;
    Tensor out;
    Tensor gradient; // of out
    Tensor dquery;
    Tensor key;
    Tensor value;
    KeyValueSums sums; // of these keys
};
// From the block's probabilities p; dp is room for their gradients.
inline void backward_of(const SeenBlock& b, const Tensor& p, const Tensor& dp, bool add_to_query,
                        float* scratch)
{
    multiply({.a = p, .b = b.gradient, .c = b.sums.value, .a_transposed = true, .accumulate = true}, scratch);
    multiply({.a = b.gradient, .b = b.value, .c = dp, .b_transposed = true}, scratch);
    score_gradient(b.out, b.gradient, p, dp);
    multiply({.a = dp, .b = b.key, .c = b.dquery, .accumulate = add_to_query}, scratch);
    multiply({.a = dp, .b = b.query, .c = b.sums.key, .a_transposed = true, .accumulate = true}, scratch);
}

void attention_backward_block(const AttentionBackward& b, const Head& h, const Head& d, Part queries,
                              float* scratch, const KeyValueSums& sums)
{
    const Attention& a = b.forward;
    Tensor p = strip_of(scratch, a, queries);
    const Tensor dp = strip_of(scratch + kQueryRows * a.length, a, queries);
    float* product_scratch = scratch + 2 * kQueryRows * a.length;
    if (a.probabilities)
    {
        p = kept_probabilities(a, h, queries).columns(0, queries.end);
    }
    else
    {
        probabilities_again(a, h, queries, p, product_scratch);
    }
    const auto rows_of = [&](const Tensor& t) { return t.row_range(h.first + queries.begin, p.rows); };
    const auto head_of_rows = [&](const Tensor& t)
    { return rows_of(t.columns(h.head * a.head_dim, a.head_dim)); };
    backward_of({.query = rows_of(h.query),
                 .out = head_of_rows(a.out),
                 .gradient = head_of_rows(b.gradient),
                 .dquery = rows_of(d.query),
                 .key = h.key.row_range(h.first, queries.end),
                 .value = h.value.row_range(h.first, queries.end),
                 .sums = {sums.key.row_range(0, queries.end), sums.value.row_range(0, queries.end)}},
                p, dp, false, product_scratch);
}

void attention_backward(const AttentionBackward& b, Index part, float* scratch)
{
    const Attention& a = b.forward;
    const Index sequence = part / a.kv_heads;
    const Index first_head = part % a.kv_heads * a.group();
    const KeyValueSums sums = no_sums(scratch, a.length, a.head_dim);
    const Index blocks = (a.length + kQueryRows - 1) / kQueryRows;
    for (Index head = first_head; head < first_head + a.group(); ++head)
    {
        const Head h = head_of(a, a.qkv, sequence, head);
        const Head d = head_of(a, b.dqkv, sequence, head);
        for (Index block = 0; block < blocks; ++block)
        {
            attention_backward_block(b, h, d, query_block(a, block), scratch, sums);
        }
    }
    const Head d = head_of(a, b.dqkv, sequence, first_head);
    for (Index i = 0; i < a.length; ++i)
    {
        store(static_cast<const float*>(sums.key.at(i)), d.key, d.first + i, 0, a.head_dim);
        store(static_cast<const float*>(sums.value.at(i)), d.value, d.first + i, 0, a.head_dim);
    }
}

} // namespace
} // namespace ringside::trainer::cpu
