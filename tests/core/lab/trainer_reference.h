// The same transformer written plainly in double precision, loops and nothing else: what the trainer's
// forward is compared with, and by finite differences its backward.
#pragma once

#include "core/lab/corpus.h"
#include "core/lab/trainer/network/parameters.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::test
{

class Reference
{
public:
    using Matrix = std::vector<std::vector<double>>;

    // `capacity`: rows that an expert has for a sequence; `balance`: what E sum f_i P_i counts in each layer.
    Reference(const Model& model, std::int64_t length, std::int64_t capacity = 0, double balance = 0)
        : m_(model), table_(model), length_(length), capacity_(capacity), balance_(balance)
    {
    }

    const trainer::ParameterTable& table() const { return table_; }

    // From now on every token goes where it goes with these weights: what is chosen has no gradient.
    void hold_routes(const std::vector<double>& weights, const Batch& batch)
    {
        held_.clear();
        hold_ = true;
        loss(weights, batch);
        hold_ = false;
    }
    // Of all (token, choice) pairs that were held, those dropped.
    double dropped() const
    {
        double pairs = 0;
        double dropped = 0;
        for (const Routes& routes : held_)
        {
            for (const Choice& choice : routes)
            {
                pairs += 1;
                dropped += choice.taken ? 0 : 1;
            }
        }
        return dropped / pairs;
    }

    // Mean loss over all targets that ask something, without what balance counts.
    double loss(const std::vector<double>& weights, const Batch& batch)
    {
        return whole_loss(weights, batch, 0);
    }
    double loss_and_balance(const std::vector<double>& weights, const Batch& batch)
    {
        return whole_loss(weights, batch, balance_);
    }

private:
    struct Choice
    {
        std::size_t expert = 0;
        bool taken = true;
    };
    using Routes = std::vector<Choice>; // [token][choice], of one layer and sequence

    double whole_loss(const std::vector<double>& weights, const Batch& batch, double balance)
    {
        double sum = 0;
        int asked = 0;
        uneven_ = 0;
        next_ = 0;
        const auto n = static_cast<std::size_t>(length_);
        for (std::size_t first = 0; first < batch.tokens.size(); first += n)
        {
            const Matrix logits =
                forward(weights, {batch.tokens.begin() + static_cast<std::ptrdiff_t>(first),
                                  batch.tokens.begin() + static_cast<std::ptrdiff_t>(first + n)});
            for (std::size_t t = 0; t < n; ++t)
            {
                const std::int32_t target = batch.targets[first + t];
                if (target < 0)
                {
                    continue;
                }
                double total = 0;
                for (const double logit : logits[t])
                {
                    total += std::exp(logit);
                }
                sum += std::log(total) - logits[t][static_cast<std::size_t>(target)];
                ++asked;
            }
        }
        return sum / asked +
               balance * uneven_ / (static_cast<double>(batch.tokens.size()) / static_cast<double>(n));
    }

    double at(const std::vector<double>& w, int place, std::int64_t row, std::int64_t col) const
    {
        const auto& p = table_.list[static_cast<std::size_t>(place)];
        return w[static_cast<std::size_t>(p.offset + row * p.cols + col)];
    }

    Matrix linear(const std::vector<double>& w, const Matrix& x, int weight, int bias) const
    {
        const auto& p = table_.list[static_cast<std::size_t>(weight)];
        Matrix y(x.size(), std::vector<double>(static_cast<std::size_t>(p.cols)));
        for (std::size_t t = 0; t < x.size(); ++t)
        {
            for (std::int64_t j = 0; j < p.cols; ++j)
            {
                double sum = bias < 0 ? 0 : at(w, bias, 0, j);
                for (std::int64_t i = 0; i < p.rows; ++i)
                {
                    sum += x[t][static_cast<std::size_t>(i)] * at(w, weight, i, j);
                }
                y[t][static_cast<std::size_t>(j)] = sum;
            }
        }
        return y;
    }

    Matrix norm(const std::vector<double>& w, Matrix x, int gain, int bias) const
    {
        for (auto& row : x)
        {
            double mean = 0;
            double square = 0;
            for (const double v : row)
            {
                mean += bias < 0 ? 0 : v / static_cast<double>(row.size());
            }
            for (const double v : row)
            {
                square += (v - mean) * (v - mean) / static_cast<double>(row.size());
            }
            for (std::size_t i = 0; i < row.size(); ++i)
            {
                const auto col = static_cast<std::int64_t>(i);
                row[i] = (row[i] - mean) / std::sqrt(square + 1e-5) * at(w, gain, 0, col) +
                         (bias < 0 ? 0 : at(w, bias, 0, col));
            }
        }
        return x;
    }

    void turn(std::vector<double>& row, std::size_t first, std::size_t place) const
    {
        const auto half = static_cast<std::size_t>(m_.head_dim / 2);
        for (std::size_t i = 0; i < half; ++i)
        {
            const double angle =
                static_cast<double>(place) *
                std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(m_.head_dim));
            const double a = row[first + i];
            const double b = row[first + half + i];
            row[first + i] = a * std::cos(angle) - b * std::sin(angle);
            row[first + half + i] = a * std::sin(angle) + b * std::cos(angle);
        }
    }

    Matrix attention(Matrix qkv) const
    {
        const auto d = static_cast<std::size_t>(m_.head_dim);
        const auto heads = static_cast<std::size_t>(m_.heads);
        const auto kv_heads = static_cast<std::size_t>(m_.kv_heads);
        Matrix out(qkv.size(), std::vector<double>(heads * d));
        for (std::size_t t = 0; m_.positions == Positions::rope && t < qkv.size(); ++t)
        {
            for (std::size_t head = 0; head < heads + kv_heads; ++head)
            {
                turn(qkv[t], head * d, t);
            }
        }
        for (std::size_t head = 0; head < heads; ++head)
        {
            const std::size_t kv = head / (heads / kv_heads);
            for (std::size_t t = 0; t < qkv.size(); ++t)
            {
                std::vector<double> score(t + 1);
                double total = 0;
                for (std::size_t s = 0; s <= t; ++s)
                {
                    double sum = 0;
                    for (std::size_t i = 0; i < d; ++i)
                    {
                        sum += qkv[t][head * d + i] * qkv[s][(heads + kv) * d + i];
                    }
                    score[s] = std::exp(sum / std::sqrt(static_cast<double>(d)));
                    total += score[s];
                }
                for (std::size_t s = 0; s <= t; ++s)
                {
                    for (std::size_t i = 0; i < d; ++i)
                    {
                        out[t][head * d + i] += score[s] / total * qkv[s][(heads + kv_heads + kv) * d + i];
                    }
                }
            }
        }
        return out;
    }

    Matrix activation(const Matrix& pre) const
    {
        const auto f = static_cast<std::size_t>(m_.experts > 0 ? m_.expert_ffn : m_.ffn);
        Matrix out(pre.size(), std::vector<double>(f));
        for (std::size_t t = 0; t < pre.size(); ++t)
        {
            for (std::size_t i = 0; i < f; ++i)
            {
                const double x = pre[t][i];
                out[t][i] = m_.gated_mlp
                                ? x / (1 + std::exp(-x)) * pre[t][f + i]
                                : 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
            }
        }
        return out;
    }

    // Places in order, token after token.
    Routes choose(const Matrix& probabilities) const
    {
        const auto k = static_cast<std::size_t>(m_.experts_per_token);
        Routes routes;
        std::vector<std::int64_t> full(static_cast<std::size_t>(m_.experts));
        for (std::vector<double> left : probabilities)
        {
            for (std::size_t j = 0; j < k; ++j)
            {
                const auto best =
                    static_cast<std::size_t>(std::max_element(left.begin(), left.end()) - left.begin());
                left[best] = -1;
                routes.push_back({best, full[best]++ < capacity_});
            }
        }
        return routes;
    }

    Matrix softmax(Matrix logits) const
    {
        for (auto& row : logits)
        {
            double total = 0;
            for (double& v : row)
            {
                v = std::exp(v);
                total += v;
            }
            for (double& v : row)
            {
                v /= total;
            }
        }
        return logits;
    }

    void add_balance(const Matrix& probabilities, const Routes& routes)
    {
        const auto tokens = static_cast<double>(probabilities.size());
        const auto pairs = static_cast<double>(routes.size());
        for (const Choice& choice : routes)
        {
            for (const auto& row : probabilities)
            {
                uneven_ += static_cast<double>(m_.experts) / pairs * row[choice.expert] / tokens;
            }
        }
    }

    // One token after the other through its experts.
    Matrix experts(const std::vector<double>& w, const Matrix& x, const trainer::LayerPlaces& p)
    {
        const auto k = static_cast<std::size_t>(m_.experts_per_token);
        const Matrix probabilities = softmax(linear(w, x, p.router, p.router_bias));
        if (hold_)
        {
            held_.push_back(choose(probabilities));
        }
        const Routes routes = held_.empty() ? choose(probabilities) : held_[next_++];
        add_balance(probabilities, routes);
        Matrix out(x.size(), std::vector<double>(static_cast<std::size_t>(m_.hidden)));
        for (std::size_t t = 0; t < x.size(); ++t)
        {
            double whole = 0;
            for (std::size_t j = 0; j < k; ++j)
            {
                whole += probabilities[t][routes[t * k + j].expert];
            }
            for (std::size_t j = 0; j < k; ++j)
            {
                const auto [expert, taken] = routes[t * k + j];
                const auto e = static_cast<int>(expert);
                const auto bias = [e](int first) { return first < 0 ? -1 : first + e; };
                const Matrix inner = activation(linear(w, {x[t]}, p.expert_up + e, bias(p.expert_up_bias)));
                const Matrix given = linear(w, inner, p.expert_down + e, bias(p.expert_down_bias));
                const double gate = probabilities[t][expert] / (k > 1 ? whole : 1);
                for (std::size_t i = 0; taken && i < out[t].size(); ++i)
                {
                    out[t][i] += gate * given[0][i];
                }
            }
        }
        return out;
    }

    static void add(Matrix& x, const Matrix& y)
    {
        for (std::size_t t = 0; t < x.size(); ++t)
        {
            for (std::size_t i = 0; i < x[t].size(); ++i)
            {
                x[t][i] += y[t][i];
            }
        }
    }

    Matrix forward(const std::vector<double>& w, const std::vector<std::int32_t>& tokens)
    {
        Matrix x(tokens.size(), std::vector<double>(static_cast<std::size_t>(m_.hidden)));
        for (std::size_t t = 0; t < tokens.size(); ++t)
        {
            for (std::int64_t i = 0; i < m_.hidden; ++i)
            {
                x[t][static_cast<std::size_t>(i)] =
                    at(w, table_.embedding, tokens[t], i) +
                    (table_.positions < 0 ? 0 : at(w, table_.positions, static_cast<std::int64_t>(t), i));
            }
        }
        for (const trainer::LayerPlaces& p : table_.layers)
        {
            const Matrix qkv = linear(w, norm(w, x, p.gain1, p.bias1), p.qkv, p.qkv_bias);
            add(x, linear(w, attention(qkv), p.out, p.out_bias));
            const Matrix normed = norm(w, x, p.gain2, p.bias2);
            if (m_.experts > 0)
            {
                add(x, experts(w, normed, p));
                continue;
            }
            add(x, linear(w, activation(linear(w, normed, p.up, p.up_bias)), p.down, p.down_bias));
        }
        x = norm(w, x, table_.final_gain, table_.final_bias);
        Matrix logits(x.size(), std::vector<double>(static_cast<std::size_t>(m_.vocab)));
        for (std::size_t t = 0; t < x.size(); ++t)
        {
            for (std::int64_t v = 0; v < m_.vocab; ++v)
            {
                for (std::int64_t i = 0; i < m_.hidden; ++i)
                {
                    logits[t][static_cast<std::size_t>(v)] +=
                        x[t][static_cast<std::size_t>(i)] * at(w, table_.head, v, i);
                }
            }
        }
        return logits;
    }

    Model m_;
    trainer::ParameterTable table_;
    std::int64_t length_;
    std::int64_t capacity_;
    double balance_;
    bool hold_ = false;
    std::vector<Routes> held_; // sequence by sequence, layer by layer
    std::size_t next_ = 0;
    double uneven_ = 0; // E sum f_i P_i over all layers and sequences
};

} // namespace ringside::test
