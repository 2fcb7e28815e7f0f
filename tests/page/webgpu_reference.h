// What kernels are to compute, in double precision: plain loops over whole matrices, written from the
// formulas and from nothing else of the program.
#pragma once

#include "core/lab/trainer/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ringside::test::reference
{

using trainer::DType;
using trainer::Index;

struct Matrix
{
    double* data = nullptr;
    Index rows = 0;
    Index cols = 0;
    Index stride = 0;

    explicit operator bool() const { return data != nullptr; }
    double& operator()(Index row, Index col) const { return data[row * stride + col]; }
    Matrix columns(Index first, Index count) const { return {data + first, rows, count, stride}; }
    Matrix row(Index index) const { return {data + index * stride, 1, cols, stride}; }
};

// The nearest number of a format, of two the even one; steps are those of the exponent.
inline double rounded(double x, DType type)
{
    if (type == DType::f32 || x == 0 || !std::isfinite(x))
    {
        return x;
    }
    const int bits = type == DType::f16 ? 10 : 7;
    const double step = std::ldexp(1, std::max(std::ilogb(x), type == DType::f16 ? -14 : -126) - bits);
    const double near = std::nearbyint(x / step) * step;
    const bool over = type == DType::f16 && std::abs(near) > 65504;
    return over ? std::copysign(std::numeric_limits<double>::infinity(), x) : near;
}

inline std::uint16_t code_of(double rounded, DType type)
{
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(rounded));
    if (type == DType::bf16)
    {
        return static_cast<std::uint16_t>(bits >> 16U);
    }
    const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
    const double size = std::abs(rounded);
    const double code = !std::isfinite(size) ? 0x7C00
                        : size < 0x1p-14
                            ? size * 0x1p24
                            : (std::ilogb(size) + 14) * 1024 + size / std::ldexp(1, std::ilogb(size) - 10);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(code));
}

template <class Work>
void each(const Matrix& m, const Work& work)
{
    for (Index row = 0; row < m.rows; ++row)
    {
        for (Index col = 0; col < m.cols; ++col)
        {
            work(row, col);
        }
    }
}

struct ProductWay
{
    bool a_transposed = false;
    bool b_transposed = false;
    bool accumulate = false;
};
inline void product(const Matrix& a, const Matrix& b, const Matrix& c, ProductWay way, const Matrix& bias,
                    const Matrix& add)
{
    const Index depth = way.a_transposed ? a.rows : a.cols;
    each(c,
         [&](Index m, Index n)
         {
             double sum = way.accumulate ? c(m, n) : 0;
             for (Index k = 0; k < depth; ++k)
             {
                 sum += (way.a_transposed ? a(k, m) : a(m, k)) * (way.b_transposed ? b(n, k) : b(k, n));
             }
             c(m, n) = sum + (bias ? bias(0, n) : 0) + (add ? add(m, n) : 0);
         });
}

inline void embed(const std::vector<std::int32_t>& tokens, const Matrix& table, const Matrix& positions,
                  const Matrix& out, Index length)
{
    each(out,
         [&](Index row, Index col)
         {
             out(row, col) = table(tokens[static_cast<std::size_t>(row)], col) +
                             (positions ? positions(row % length, col) : 0);
         });
}

inline void embed_backward(const std::vector<std::int32_t>& tokens, const Matrix& gradient,
                           const Matrix& table, const Matrix& positions, Index length)
{
    each(gradient,
         [&](Index row, Index col)
         {
             table(tokens[static_cast<std::size_t>(row)], col) += gradient(row, col);
             if (positions)
             {
                 positions(row % length, col) += gradient(row, col);
             }
         });
}

// Statistics: mean and 1 / deviation, without `bias` (RMSNorm) the latter.
inline void norm(const Matrix& x, const Matrix& gain, const Matrix& bias, const Matrix& out,
                 const Matrix& statistics)
{
    for (Index row = 0; row < x.rows; ++row)
    {
        double mean = 0;
        double variance = 0;
        for (Index i = 0; bias && i < x.cols; ++i)
        {
            mean += x(row, i) / static_cast<double>(x.cols);
        }
        for (Index i = 0; i < x.cols; ++i)
        {
            variance += std::pow(x(row, i) - mean, 2) / static_cast<double>(x.cols);
        }
        const double scale = 1 / std::sqrt(variance + 1e-5);
        for (Index i = 0; i < x.cols; ++i)
        {
            out(row, i) = (x(row, i) - mean) * scale * gain(0, i) + (bias ? bias(0, i) : 0);
        }
        double* kept = statistics.data + row * (bias ? 2 : 1);
        *kept = bias ? mean : scale;
        kept[bias ? 1 : 0] = scale;
    }
}

// Derivatives of the two sums by hand: d x^_j / d x_i = scale ((i = j) - 1 / n - x^_i x^_j / n).
inline void norm_backward(const Matrix& gradient, const Matrix& x, const Matrix& gain,
                          const Matrix& statistics, const Matrix& dx, const Matrix& dgain,
                          const Matrix& dbias)
{
    const auto n = static_cast<double>(x.cols);
    for (Index row = 0; row < x.rows; ++row)
    {
        const double* kept = statistics.data + row * (dbias ? 2 : 1);
        const double mean = dbias ? kept[0] : 0;
        const double scale = kept[dbias ? 1 : 0];
        const auto hat = [&](Index i) { return (x(row, i) - mean) * scale; };
        for (Index i = 0; i < x.cols; ++i)
        {
            double sum = 0;
            for (Index j = 0; j < x.cols; ++j)
            {
                const double own = (i == j ? 1 : 0) - (dbias ? 1 / n : 0) - hat(i) * hat(j) / n;
                sum += gradient(row, j) * gain(0, j) * scale * own;
            }
            dx(row, i) += sum;
            dgain(0, i) += gradient(row, i) * hat(i);
            if (dbias)
            {
                dbias(0, i) += gradient(row, i);
            }
        }
    }
}

struct Heads
{
    Index length = 0;
    Index heads = 0;
    Index kv_heads = 0;
    Index head_dim = 0;

    // One head's queries, keys or values of one sequence, by what = 0, 1, 2.
    Matrix part(const Matrix& qkv, Index sequence, Index head, int what) const
    {
        const Index kv = head / (heads / kv_heads);
        const Index first = what == 0 ? head : heads + (what - 1) * kv_heads + kv;
        return {&qkv(sequence * length, first * head_dim), length, head_dim, qkv.stride};
    }
};

// p[i, j] of one head into `p`; the logarithm of each row's sum into `log_sums`.
inline void probabilities(const Heads& h, const Matrix& qkv, Index sequence, Index head, const Matrix& p,
                          std::vector<double>& log_sums)
{
    const Matrix q = h.part(qkv, sequence, head, 0);
    const Matrix k = h.part(qkv, sequence, head, 1);
    log_sums.assign(static_cast<std::size_t>(h.length), 0);
    for (Index i = 0; i < h.length; ++i)
    {
        double sum = 0;
        for (Index j = 0; j < h.length; ++j)
        {
            double score = 0;
            for (Index d = 0; d < h.head_dim; ++d)
            {
                score += q(i, d) * k(j, d) / std::sqrt(static_cast<double>(h.head_dim));
            }
            p(i, j) = j <= i ? std::exp(score) : 0;
            sum += p(i, j);
        }
        for (Index j = 0; j < h.length; ++j)
        {
            p(i, j) /= sum;
        }
        log_sums[static_cast<std::size_t>(i)] = std::log(sum);
    }
}

// `sums` [tokens, heads] or `kept` [sequences x heads x T, T] gets what the backward needs.
inline void attention(const Heads& h, const Matrix& qkv, const Matrix& out, const Matrix& sums,
                      const Matrix& kept)
{
    std::vector<double> square(static_cast<std::size_t>(h.length * h.length));
    std::vector<double> log_sums;
    const Matrix p{square.data(), h.length, h.length, h.length};
    for (Index part = 0; part < out.rows / h.length * h.heads; ++part)
    {
        const Index sequence = part / h.heads;
        const Index head = part % h.heads;
        probabilities(h, qkv, sequence, head, p, log_sums);
        const Matrix v = h.part(qkv, sequence, head, 2);
        for (Index i = 0; i < h.length; ++i)
        {
            for (Index d = 0; d < h.head_dim; ++d)
            {
                double& to = out(sequence * h.length + i, head * h.head_dim + d);
                to = 0;
                for (Index j = 0; j <= i; ++j)
                {
                    to += p(i, j) * v(j, d);
                }
            }
            if (sums)
            {
                sums(sequence * h.length + i, head) = log_sums[static_cast<std::size_t>(i)];
            }
            for (Index j = 0; kept && j < h.length; ++j)
            {
                kept(part * h.length + i, j) = p(i, j);
            }
        }
    }
}

inline void attention_backward(const Heads& h, const Matrix& qkv, const Matrix& gradient, const Matrix& dqkv)
{
    each(dqkv, [&](Index row, Index col) { dqkv(row, col) = 0; });
    std::vector<double> square(static_cast<std::size_t>(h.length * h.length));
    std::vector<double> log_sums;
    const Matrix p{square.data(), h.length, h.length, h.length};
    const double scale = 1 / std::sqrt(static_cast<double>(h.head_dim));
    for (Index part = 0; part < dqkv.rows / h.length * h.heads; ++part)
    {
        const Index sequence = part / h.heads;
        const Index head = part % h.heads;
        probabilities(h, qkv, sequence, head, p, log_sums);
        const Matrix from[3] = {h.part(qkv, sequence, head, 0), h.part(qkv, sequence, head, 1),
                                h.part(qkv, sequence, head, 2)};
        const Matrix to[3] = {h.part(dqkv, sequence, head, 0), h.part(dqkv, sequence, head, 1),
                              h.part(dqkv, sequence, head, 2)};
        const Matrix dout{&gradient(sequence * h.length, head * h.head_dim), h.length, h.head_dim,
                          gradient.stride};
        for (Index i = 0; i < h.length; ++i)
        {
            std::vector<double> dp(static_cast<std::size_t>(i + 1));
            double mean = 0;
            for (Index j = 0; j <= i; ++j)
            {
                for (Index d = 0; d < h.head_dim; ++d)
                {
                    dp[static_cast<std::size_t>(j)] += dout(i, d) * from[2](j, d);
                    to[2](j, d) += p(i, j) * dout(i, d);
                }
                mean += p(i, j) * dp[static_cast<std::size_t>(j)];
            }
            for (Index j = 0; j <= i; ++j)
            {
                const double ds = p(i, j) * (dp[static_cast<std::size_t>(j)] - mean) * scale;
                for (Index d = 0; d < h.head_dim; ++d)
                {
                    to[0](i, d) += ds * from[1](j, d);
                    to[1](j, d) += ds * from[0](i, d);
                }
            }
        }
    }
}

inline void rope(const Matrix& heads, Index head_dim, Index length, bool backwards)
{
    const Index half = head_dim / 2;
    each({heads.data, heads.rows, heads.cols / 2, heads.stride},
         [&](Index row, Index pair)
         {
             const Index i = pair % half;
             const double angle =
                 static_cast<double>(row % length) *
                 std::pow(10000.0, -2 * static_cast<double>(i) / static_cast<double>(head_dim)) *
                 (backwards ? -1 : 1);
             double& a = heads(row, pair / half * head_dim + i);
             double& b = heads(row, pair / half * head_dim + i + half);
             const double turned = a * std::cos(angle) - b * std::sin(angle);
             b = a * std::sin(angle) + b * std::cos(angle);
             a = turned;
         });
}

// GELU, or SwiGLU where `pre` is twice as wide; gradients by the central difference of the function itself.
inline double activated(const Matrix& pre, Index row, Index col, bool gated, double more, double more_up)
{
    const double x = pre(row, col) + more;
    return gated ? x / (1 + std::exp(-x)) * (pre(row, col + pre.cols / 2) + more_up)
                 : x / 2 * (1 + std::tanh(std::sqrt(2 / 3.141592653589793) * (x + 0.044715 * x * x * x)));
}
inline void activation(const Matrix& pre, const Matrix& out)
{
    each(out,
         [&](Index row, Index col) { out(row, col) = activated(pre, row, col, pre.cols > out.cols, 0, 0); });
}
inline void activation_backward(const Matrix& pre, const Matrix& gradient, const Matrix& dpre)
{
    constexpr double kStep = 1e-5;
    const bool gated = pre.cols > gradient.cols;
    const auto slope = [&](Index row, Index col, double more, double up)
    {
        return (activated(pre, row, col, gated, more, up) - activated(pre, row, col, gated, -more, -up)) /
               (2 * kStep);
    };
    each(gradient,
         [&](Index row, Index col)
         {
             dpre(row, col) = gradient(row, col) * slope(row, col, kStep, 0);
             if (gated)
             {
                 dpre(row, col + gradient.cols) = gradient(row, col) * slope(row, col, 0, kStep);
             }
         });
}

inline void cross_entropy(const Matrix& logits, const std::vector<std::int32_t>& targets,
                          const Matrix& losses, double factor)
{
    for (Index row = 0; row < logits.rows; ++row)
    {
        const Index target = targets[static_cast<std::size_t>(row)];
        double sum = 0;
        for (Index i = 0; i < logits.cols; ++i)
        {
            sum += std::exp(logits(row, i));
        }
        losses.data[row] = target < 0 ? 0 : std::log(sum) - logits(row, target);
        for (Index i = 0; i < logits.cols; ++i)
        {
            logits(row, i) =
                target < 0 ? 0 : factor * (std::exp(logits(row, i)) / sum - (i == target ? 1 : 0));
        }
    }
}

// Token by token, as Switch (arXiv 2101.03961) and GShard (arXiv 2006.16668) say; slots are counted on the
// fly.
struct Routes
{
    Index length = 0;
    Index chosen = 1;
    Index capacity = 0;
};
struct Routed
{
    std::vector<std::vector<Index>> experts; // of each token
    std::vector<std::int32_t> slots;
};
inline Routed route(const Routes& r, const Matrix& logits, const Matrix& gates, const Matrix& tally)
{
    Routed all;
    const Index sequences = logits.rows / r.length;
    each(tally, [&](Index row, Index col) { tally(row, col) = 0; });
    for (Index row = 0; row < logits.rows; ++row)
    {
        const Index sequence = row / r.length;
        double sum = 0;
        std::vector<Index> order;
        for (Index i = 0; i < logits.cols; ++i)
        {
            sum += std::exp(logits(row, i));
            order.push_back(i);
        }
        for (Index i = 0; i < logits.cols; ++i)
        {
            logits(row, i) = std::exp(logits(row, i)) / sum;
        }
        std::ranges::stable_sort(order, [&](Index a, Index b) { return logits(row, a) > logits(row, b); });
        order.resize(static_cast<std::size_t>(r.chosen));
        double whole = 0;
        for (const Index expert : order)
        {
            whole += r.chosen > 1 ? logits(row, expert) : 1 / static_cast<double>(r.chosen);
        }
        for (Index j = 0; j < r.chosen; ++j)
        {
            const Index expert = order[static_cast<std::size_t>(j)];
            gates(row, j) = logits(row, expert) / whole;
            tally(sequence, expert) += 1;
            double& taken = tally(sequence, logits.cols + expert);
            const bool room = taken < static_cast<double>(r.capacity);
            all.slots.push_back(static_cast<std::int32_t>(
                room ? (expert * sequences + sequence) * r.capacity + static_cast<Index>(taken)
                     : -1 - expert));
            taken += room ? 1 : 0;
        }
        all.experts.push_back(order);
    }
    for (Index row = 0; row < logits.rows; ++row)
    {
        const double tokens = static_cast<double>(r.length);
        for (Index i = 0; i < logits.cols; ++i)
        {
            tally(row / r.length, 2 * logits.cols) +=
                static_cast<double>(logits.cols) * tally(row / r.length, i) /
                (tokens * static_cast<double>(r.chosen)) * logits(row, i) / tokens;
        }
    }
    return all;
}
// The loss that the router sees, as a function of one token's logits: gradient . sum of gate x given, and
// balance x E sum f P; its slope by central differences.
inline void route_backward(const Routes& r, const Routed& routed, const Matrix& raw, const Matrix& gradient,
                           const Matrix& given, const Matrix& tally, double balance, const Matrix& dlogits)
{
    constexpr double kStep = 1e-5;
    const auto loss = [&](Index row, Index moved, double by)
    {
        std::vector<double> p;
        double sum = 0;
        for (Index i = 0; i < raw.cols; ++i)
        {
            p.push_back(std::exp(raw(row, i) + (i == moved ? by : 0)));
            sum += p.back();
        }
        double whole = 0;
        double value = 0;
        const auto& experts = routed.experts[static_cast<std::size_t>(row)];
        for (const Index expert : experts)
        {
            whole += p[static_cast<std::size_t>(expert)] / sum;
        }
        for (Index j = 0; j < r.chosen; ++j)
        {
            const Index slot = routed.slots[static_cast<std::size_t>(row * r.chosen + j)];
            const double gate = p[static_cast<std::size_t>(experts[static_cast<std::size_t>(j)])] / sum /
                                (r.chosen > 1 ? whole : 1);
            for (Index col = 0; slot >= 0 && col < given.cols; ++col)
            {
                value += gate * gradient(row, col) * given(slot, col);
            }
        }
        const auto tokens = static_cast<double>(r.length);
        for (Index i = 0; i < raw.cols; ++i)
        {
            value += balance * static_cast<double>(raw.cols) * tally(row / r.length, i) /
                     (tokens * static_cast<double>(r.chosen)) * p[static_cast<std::size_t>(i)] / sum / tokens;
        }
        return value;
    };
    each(dlogits, [&](Index row, Index i)
         { dlogits(row, i) = (loss(row, i, kStep) - loss(row, i, -kStep)) / (2 * kStep); });
}

// AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2) or SGD with momentum, on f32 weights or their
// copy.
struct Rule
{
    bool adamw = true;
    double factor = 1; // of gradients
    double rate = 0.01, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1, correction1 = 1,
           correction2 = 1;
    Index decayed = 0;
};
inline void update(const Rule& r, const Matrix& w, const Matrix& gradients, const Matrix& momentum,
                   const Matrix& variance)
{
    for (Index i = 0; i < w.cols; ++i)
    {
        const double g = gradients(0, i) * r.factor;
        double& m = momentum(0, i);
        m = r.adamw ? r.beta1 * m + (1 - r.beta1) * g : r.beta1 * m + g;
        double step = m;
        if (r.adamw)
        {
            double& v = variance(0, i);
            v = r.beta2 * v + (1 - r.beta2) * g * g;
            step = m / r.correction1 / (std::sqrt(v / r.correction2) + r.epsilon);
        }
        w(0, i) -= r.rate * (step + (i < r.decayed ? r.decay : 0) * w(0, i));
    }
}

} // namespace ringside::test::reference
