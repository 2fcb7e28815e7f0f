// Everything that works row by row: embedding, norms, RoPE, activations, loss; and the sums down columns that
// make the gradients of gains, biases and embeddings.
#pragma once

#include "core/lab/trainer/cpu/kernels.h"
#include "core/lab/trainer/cpu/kernels/math.h"

namespace ringside::trainer::cpu
{
namespace
{

inline bool has_word(Index row, const Tensor& table)
{
    return row >= 0 && row < table.rows;
}

void embed(const Embed& e, Part rows)
{
    float scratch[kMostCols];
    float sum[kMostCols];
    const Index cols = e.out.cols;
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const Index place = e.tokens[row] - e.first_token;
        const bool here = has_word(place, e.table);
        const float* word = here ? floats(e.table, place, 0, cols, sum) : sum;
        for (Index i = 0; !here && i < cols; ++i)
        {
            sum[i] = 0;
        }
        if (!e.positions)
        {
            store(word, e.out, row, 0, cols);
            continue;
        }
        const float* position = floats(e.positions, e.cut.place(row % e.length, e.length), 0, cols, scratch);
        for (Index i = 0; i < cols; ++i)
        {
            sum[i] = word[i] + position[i];
        }
        store(sum, e.out, row, 0, cols);
    }
}

void embed_backward(const EmbedBackward& e, Part cols)
{
    float scratch[kMostCols];
    float from[kMostCols];
    const Index count = cols.end - cols.begin;
    for (Index row = 0; row < e.gradient.rows; ++row)
    {
        const float* g = floats(e.gradient, row, cols.begin, count, from);
        const Index place = e.tokens[row] - e.first_token;
        if (has_word(place, e.table_gradient))
        {
            add_to(g, e.table_gradient, place, cols.begin, count, scratch);
        }
        if (e.position_gradient)
        {
            add_to(g, e.position_gradient, e.cut.place(row % e.length, e.length), cols.begin, count, scratch);
        }
    }
}

void norm(const NormForward& n, Part rows)
{
    float x_row[kMostCols];
    float gain_row[kMostCols];
    float bias_row[kMostCols];
    float out_row[kMostCols];
    const Index cols = n.x.cols;
    const float* gain = floats(n.gain, 0, 0, cols, gain_row);
    const float* bias = n.layernorm() ? floats(n.bias, 0, 0, cols, bias_row) : nullptr;
    const auto width = static_cast<float>(cols);
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const float* x = floats(n.x, row, 0, cols, x_row);
        const float mean = bias ? sum_of(cols, [x](Index i) { return x[i]; }) / width : 0.0F;
        const float square =
            sum_of(cols, [x, mean](Index i) { return (x[i] - mean) * (x[i] - mean); }) / width;
        const float scale = 1.0F / __builtin_sqrtf(square + kNormEpsilon);
        float* out = place(n.out, row, 0, out_row);
        for (Index i = 0; i < cols; ++i)
        {
            out[i] = (x[i] - mean) * scale * gain[i] + (bias ? bias[i] : 0.0F);
        }
        store(out, n.out, row, 0, cols);
        if (bias)
        {
            n.statistics[2 * row] = mean;
            n.statistics[2 * row + 1] = scale;
        }
        else
        {
            n.statistics[row] = scale;
        }
    }
}

struct RowStatistics
{
    float mean;
    float scale;
};
inline RowStatistics statistics_of(const NormBackward& n, Index row)
{
    return n.layernorm() ? RowStatistics{n.statistics[2 * row], n.statistics[2 * row + 1]}
                         : RowStatistics{0, n.statistics[row]};
}

// dx += scale (g - mean(g) - x^ mean(g x^)), g = gradient x gain; RMSNorm has no mean(g).
void norm_backward(const NormBackward& n, Part rows)
{
    float x_row[kMostCols];
    float gain_row[kMostCols];
    float gradient_row[kMostCols];
    float out_row[kMostCols];
    const Index cols = n.x.cols;
    const float* gain = floats(n.gain, 0, 0, cols, gain_row);
    const auto width = static_cast<float>(cols);
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const float* x = floats(n.x, row, 0, cols, x_row);
        const float* dy = floats(n.gradient, row, 0, cols, gradient_row);
        const auto [mean, scale] = statistics_of(n, row);
        const float shift = mean;
        const float factor = scale;
        const float first =
            n.layernorm() ? sum_of(cols, [=](Index i) { return dy[i] * gain[i]; }) / width : 0.0F;
        const float second =
            sum_of(cols, [=](Index i) { return dy[i] * gain[i] * ((x[i] - shift) * factor); }) / width;
        float added[kMostCols];
        for (Index i = 0; i < cols; ++i)
        {
            added[i] = factor * (dy[i] * gain[i] - first - (x[i] - shift) * factor * second);
        }
        add_to(added, n.dx, row, 0, cols, out_row);
    }
}

void norm_parameters(const NormBackward& n, Part cols)
{
    float gain_sum[kSumColumns] = {};
    float bias_sum[kSumColumns] = {};
    float x_row[kSumColumns];
    float gradient_row[kSumColumns];
    const Index count = cols.end - cols.begin;
    for (Index row = 0; row < n.x.rows; ++row)
    {
        const float* x = floats(n.x, row, cols.begin, count, x_row);
        const float* dy = floats(n.gradient, row, cols.begin, count, gradient_row);
        const auto [mean, scale] = statistics_of(n, row);
        for (Index i = 0; i < count; ++i)
        {
            gain_sum[i] += dy[i] * ((x[i] - mean) * scale);
            bias_sum[i] += dy[i];
        }
    }
    add_to(gain_sum, n.gain_gradient, 0, cols.begin, count, x_row);
    if (n.layernorm())
    {
        add_to(bias_sum, n.bias_gradient, 0, cols.begin, count, x_row);
    }
}

void sum_rows(const SumRows& s, Part cols)
{
    float sum[kSumColumns] = {};
    float scratch[kSumColumns];
    const Index count = cols.end - cols.begin;
    for (Index row = 0; row < s.gradient.rows; ++row)
    {
        const float* g = floats(s.gradient, row, cols.begin, count, scratch);
        for (Index i = 0; i < count; ++i)
        {
            sum[i] += g[i];
        }
    }
    add_to(sum, s.bias_gradient, 0, cols.begin, count, scratch);
}

// Tokens of all sequences at one place turn by the same angles.
void turn(const Rope& r, Index row, const float* cosines, const float* sines)
{
    float scratch[kMostCols];
    const Index half = r.head_dim / 2;
    for (Index head = 0; head < r.heads.cols; head += r.head_dim)
    {
        const float* from = floats(r.heads, row, head, r.head_dim, scratch);
        float* to = place(r.heads, row, head, scratch);
        for (Index i = 0; i < half; ++i)
        {
            const float a = from[i];
            const float b = from[half + i];
            to[i] = a * cosines[i] - b * sines[i];
            to[half + i] = a * sines[i] + b * cosines[i];
        }
        store(to, r.heads, row, head, r.head_dim);
    }
}

void rope(const Rope& r, Part places)
{
    float cosines[kMostCols];
    float sines[kMostCols];
    const Index half = r.head_dim / 2;
    for (Index at = places.begin; at < places.end; ++at)
    {
        const auto where = static_cast<double>(r.cut.place(at, r.length));
        for (Index i = 0; i < half; ++i)
        {
            const double share = static_cast<double>(2 * i) / static_cast<double>(r.head_dim);
            const double angle = where / __builtin_pow(static_cast<double>(kRopeBase), share);
            cosines[i] = static_cast<float>(__builtin_cos(angle));
            sines[i] = static_cast<float>(r.backwards ? -__builtin_sin(angle) : __builtin_sin(angle));
        }
        for (Index row = at; row < r.heads.rows; row += r.length)
        {
            turn(r, row, cosines, sines);
        }
    }
}

constexpr float kGelu = 0.7978845608F; // sqrt(2 / pi)
constexpr float kGeluCube = 0.044715F;

inline float gelu(float x)
{
    return 0.5F * x * (1.0F + fast_tanh(kGelu * (x + kGeluCube * x * x * x)));
}
inline float gelu_slope(float x)
{
    const float t = fast_tanh(kGelu * (x + kGeluCube * x * x * x));
    return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * kGelu * (1.0F + 3.0F * kGeluCube * x * x);
}

void activation(const Activation& a, Part rows)
{
    float pre_row[kMostCols];
    float out_row[kMostCols];
    const Index cols = a.out.cols;
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const float* pre = floats(a.pre, row, 0, a.pre.cols, pre_row);
        float* out = place(a.out, row, 0, out_row);
        if (a.gated())
        {
            for (Index i = 0; i < cols; ++i)
            {
                out[i] = pre[i] * sigmoid(pre[i]) * pre[cols + i];
            }
        }
        else
        {
            for (Index i = 0; i < cols; ++i)
            {
                out[i] = gelu(pre[i]);
            }
        }
        store(out, a.out, row, 0, cols);
    }
}

void activation_backward(const ActivationBackward& a, Part rows)
{
    float pre_row[kMostCols];
    float gradient_row[kMostCols];
    float out_row[kMostCols];
    const Index cols = a.gradient.cols;
    const bool gated = a.pre.cols == 2 * cols;
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const float* pre = floats(a.pre, row, 0, a.pre.cols, pre_row);
        const float* dy = floats(a.gradient, row, 0, cols, gradient_row);
        float* out = place(a.dpre, row, 0, out_row);
        if (gated)
        {
            for (Index i = 0; i < cols; ++i)
            {
                const float s = sigmoid(pre[i]);
                out[i] = dy[i] * pre[cols + i] * s * (1.0F + pre[i] * (1.0F - s));
                out[cols + i] = dy[i] * pre[i] * s;
            }
        }
        else
        {
            for (Index i = 0; i < cols; ++i)
            {
                out[i] = dy[i] * gelu_slope(pre[i]);
            }
        }
        store(out, a.dpre, row, 0, a.dpre.cols);
    }
}

// Over all parts of a row's logits.
struct SoftmaxOfRow
{
    float most;
    float sum;
    float wanted; // the target's logit
};
inline SoftmaxOfRow together(const CrossEntropy& c, Index row)
{
    const auto part = [&](Index i) { return c.statistics + (i * c.logits.rows + row) * 3; };
    SoftmaxOfRow all{part(0)[0], 0, 0};
    for (Index i = 1; i < c.parts; ++i)
    {
        all.most = part(i)[0] > all.most ? part(i)[0] : all.most;
    }
    for (Index i = 0; i < c.parts; ++i)
    {
        all.sum += part(i)[1] * fast_exp(part(i)[0] - all.most);
        all.wanted += part(i)[2];
    }
    return all;
}

inline void cross_entropy_of_part(const CrossEntropy& c, Index row, float* logits, Index target)
{
    const SoftmaxOfRow all = together(c, row);
    const float factor = c.scale / all.sum;
    for (Index i = 0; i < c.logits.cols; ++i)
    {
        logits[i] = fast_exp(logits[i] - all.most) * factor;
    }
    const Index here = target - c.first_word;
    if (here >= 0 && here < c.logits.cols)
    {
        logits[here] -= c.scale;
    }
    c.losses[row] = __builtin_logf(all.sum) + all.most - all.wanted;
}

void logit_statistics(const LogitStatistics& s, Part rows)
{
    const Index cols = s.logits.cols;
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        const auto* logits = static_cast<const float*>(s.logits.at(row));
        const Index target = s.targets[row] - s.first_word;
        const float most = largest_of(logits, cols);
        s.out[3 * row] = most;
        s.out[3 * row + 1] = sum_of(cols, [=](Index i) { return fast_exp(logits[i] - most); });
        s.out[3 * row + 2] = target >= 0 && target < cols ? logits[target] : 0.0F;
    }
}

void add(const Add& a, Part rows)
{
    float from_row[kMostCols];
    float to_row[kMostCols];
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        add_to(floats(a.from, row, 0, a.from.cols, from_row), a.to, row, 0, a.to.cols, to_row);
    }
}

void cross_entropy(const CrossEntropy& c, Part rows)
{
    const Index cols = c.logits.cols;
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        auto* logits = static_cast<float*>(c.logits.at(row));
        const std::int32_t target = c.targets[row];
        c.losses[row] = 0;
        if (target < 0)
        {
            __builtin_memset(logits, 0, static_cast<std::size_t>(cols) * sizeof(float));
            continue;
        }
        if (c.statistics)
        {
            cross_entropy_of_part(c, row, logits, target);
            continue;
        }
        const float most = largest_of(logits, cols);
        const float wanted = logits[target] - most;
        for (Index i = 0; i < cols; ++i)
        {
            logits[i] = fast_exp(logits[i] - most);
        }
        const float sum = sum_of(cols, [logits](Index i) { return logits[i]; });
        const float factor = c.scale / sum;
        for (Index i = 0; i < cols; ++i)
        {
            logits[i] *= factor;
        }
        logits[target] -= c.scale;
        c.losses[row] = __builtin_logf(sum) - wanted;
    }
}

void convert(const Convert& c, Part rows)
{
    float scratch[kMostCols];
    for (Index row = rows.begin; row < rows.end; ++row)
    {
        if (!c.transposed)
        {
            // Only 8-bit rows have to be converted whole, and none is longer than a piece.
            for (Index col = 0; col < c.to.cols; col += kMostCols)
            {
                const Index count = c.to.cols - col < kMostCols ? c.to.cols - col : kMostCols;
                store(floats(c.from, row, col, count, scratch), c.to, row, col, count);
            }
            continue;
        }
        float column[kMostCols];
        for (Index i = 0; i < c.to.cols; ++i)
        {
            column[i] = *floats(c.from, i, row, 1, scratch);
        }
        store(column, c.to, row, 0, c.to.cols);
    }
}

} // namespace
} // namespace ringside::trainer::cpu
