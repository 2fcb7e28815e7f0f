#include "core/parallelism/experts/router.h"

#include "core/base/index.h"
#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::int64_t kPool = 2048; // tokens
constexpr double kRate = 2;          // of the popularity's learning, made for coefficients about 0.01
constexpr double kPull = 0.002;      // of the task, back to what it prefers

// Largest over mean, less 1.
double over_mean(std::span<const std::int64_t> parts)
{
    const std::int64_t sum = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    if (sum == 0)
    {
        return 0;
    }
    const auto most = static_cast<double>(*std::max_element(parts.begin(), parts.end()));
    return most * static_cast<double>(parts.size()) / static_cast<double>(sum) - 1;
}

} // namespace

std::int64_t routed_tokens(const RouterOptions& o)
{
    const std::int64_t wanted = std::clamp<std::int64_t>(32 * o.experts / o.chosen, 512, 1024);
    return (wanted + o.ranks - 1) / o.ranks * o.ranks;
}

std::int64_t expert_capacity(double factor, std::int64_t chosen, std::int64_t tokens, std::int64_t experts)
{
    assert(factor > 0 && experts > 0 && chosen <= experts);
    const auto k = static_cast<double>(chosen);
    const double even = k * static_cast<double>(tokens) / static_cast<double>(experts);
    // A product that is whole must not be rounded up for its last bit.
    return static_cast<std::int64_t>(std::ceil(factor * even * (1 - 1e-12)));
}

std::int64_t dropped_pairs(std::span<const std::int64_t> load, std::int64_t capacity)
{
    assert(capacity >= 0);
    return std::accumulate(load.begin(), load.end(), std::int64_t{0},
                           [capacity](std::int64_t sum, std::int64_t c)
                           { return sum + std::max<std::int64_t>(0, c - capacity); });
}

double max_violation(std::span<const std::int64_t> load)
{
    return over_mean(load);
}

double rank_violation(std::span<const std::int64_t> load, std::int64_t ranks)
{
    assert(ranks > 0 && load.size() % at(ranks) == 0);
    std::vector<std::int64_t> sums(at(ranks), 0);
    const std::size_t each = load.size() / sums.size();
    for (std::size_t i = 0; i < load.size(); ++i)
    {
        sums[i / each] += load[i];
    }
    return over_mean(sums);
}

TokenPool::TokenPool(std::int64_t experts, std::uint64_t seed) : experts_(experts), places_(at(experts))
{
    SplitMix random(seed);
    std::iota(places_.begin(), places_.end(), std::int64_t{0});
    shuffle(places_, random);
    weights_.resize(at(kPool * experts));
    for (float& w : weights_)
    {
        w = static_cast<float>(1 / std::max(-std::log(1 - random.uniform()), 1e-12));
    }
}

void TokenPool::read(std::int64_t number, std::span<double> out) const
{
    constexpr std::int64_t kTurn = 37;
    const float* row = weights_.data() + number % kPool * experts_;
    const std::int64_t turn = number / kPool * kTurn % experts_;
    for (std::int64_t i = 0; i < experts_; ++i)
    {
        const std::int64_t from = i + turn < experts_ ? i + turn : i + turn - experts_;
        out[at(i)] = static_cast<double>(row[from]);
    }
}

// Over the tokens of one step.
struct RouterRun::Sums
{
    std::vector<double> shares;   // [expert] of softmax
    std::vector<double> products; // [expert] sum over tokens of p_i sum_j f_j p_j, with f of the step before
    std::vector<double> loads;    // f of the step before, which the loss multiplies
    double apart = 0;
};

RouterRun::RouterRun(const RouterOptions& options, std::shared_ptr<const TokenPool> pool)
    : options_(options), tokens_(routed_tokens(options)), pool_(std::move(pool))
{
    if (!pool_ || pool_->experts() != options_.experts)
    {
        pool_ = std::make_shared<const TokenPool>(options_.experts);
    }
    const std::size_t experts = at(options_.experts);
    wanted_.resize(experts);
    const double mean =
        sum_over(experts, [&](std::size_t i)
                 { return std::log(static_cast<double>(i + 1)) / static_cast<double>(experts); });
    for (std::size_t i = 0; i < experts; ++i)
    {
        const auto place = static_cast<double>(pool_->place(static_cast<std::int64_t>(i)) + 1);
        wanted_[i] = std::exp(options_.skew * (mean - std::log(place)));
    }
    learnt_.assign(experts, 1);
    offset_.assign(experts, 0);
    odds_.resize(experts);
    noise_.resize(experts);
    keys_.resize(experts);
    order_.resize(experts);
}

// The k largest keys, the first of equal ones, by number at the front of order_. Few of many are wanted, so
// nearly every key is done with once it is compared to the least that is kept.
void RouterRun::choose()
{
    const auto better = [this](std::int64_t a, std::int64_t b)
    { return keys_[at(a)] != keys_[at(b)] ? keys_[at(a)] > keys_[at(b)] : a < b; };
    const auto end = order_.begin() + options_.chosen;
    std::iota(order_.begin(), end, std::int64_t{0});
    std::make_heap(order_.begin(), end, better);
    for (std::int64_t i = options_.chosen; i < options_.experts; ++i)
    {
        if (keys_[at(i)] > keys_[at(order_.front())])
        {
            std::pop_heap(order_.begin(), end, better);
            *(end - 1) = i;
            std::push_heap(order_.begin(), end, better);
        }
    }
    std::sort(order_.begin(), end);
}

void RouterRun::route(std::int64_t token, Sums& sums, RouterStep& out)
{
    const std::size_t experts = odds_.size();
    pool_->read(static_cast<std::int64_t>(steps_.size()) * tokens_ + token, noise_);
    double all = 0;
    double all_wanted = 0;
    double met = 0;
    for (std::size_t i = 0; i < experts; ++i)
    {
        const double wanted = wanted_[i] * noise_[i];
        odds_[i] = wanted * learnt_[i];
        noise_[i] = wanted;
        all += odds_[i];
        all_wanted += wanted;
        met += sums.loads[i] * odds_[i];
        // Affinities of DeepSeek-V3 are sigmoids of the logits (arXiv 2412.19437, equation 15); the offset
        // counts for the choice only (equation 16).
        keys_[i] = options_.balance == Balance::bias ? odds_[i] / (1 + odds_[i]) + offset_[i] : odds_[i];
    }
    const double norm = 1 / all;
    const double wanted_norm = 1 / all_wanted;
    const double mean_load = met / all;
    double apart = 0;
    for (std::size_t i = 0; i < experts; ++i)
    {
        const double p = odds_[i] * norm;
        sums.shares[i] += p;
        sums.products[i] += p * mean_load;
        apart += std::abs(p - noise_[i] * wanted_norm);
    }
    sums.apart += apart / 2;
    choose();
    const std::int64_t each = tokens_ / options_.ranks;
    for (auto e = order_.begin(); e != order_.begin() + options_.chosen; ++e)
    {
        ++out.load[at(*e)];
        ++out.sent[at(token / each * options_.ranks + *e / (options_.experts / options_.ranks))];
        if (token % each < kSeen)
        {
            out.seen.push_back(*e);
        }
    }
}

// The gradient of E sum f_i P_i with f held fast, as in Switch: dP_j / dz_i = mean of p_j (delta_ij - p_i).
// It is multiplied by E once more, as an optimizer that scales gradients evens out their size.
void RouterRun::learn(const Sums& sums, const RouterStep& done)
{
    const auto e = static_cast<double>(options_.experts);
    const auto t = static_cast<double>(tokens_);
    const double even = static_cast<double>(options_.chosen) * t / e;
    for (std::size_t i = 0; i < learnt_.size(); ++i)
    {
        if (options_.balance == Balance::auxiliary)
        {
            const double gradient = e * e * (sums.loads[i] * sums.shares[i] - sums.products[i]) / t;
            const double logit = std::log(learnt_[i]);
            learnt_[i] = std::exp(
                std::clamp(logit - kRate * options_.strength * gradient - kPull * logit, -30.0, 30.0));
        }
        if (options_.balance == Balance::bias)
        {
            const double error = even - static_cast<double>(done.load[i]);
            offset_[i] += error > 0 ? options_.strength : error < 0 ? -options_.strength : 0;
        }
    }
}

void RouterRun::step()
{
    const std::size_t experts = odds_.size();
    const auto pairs = static_cast<double>(options_.chosen * tokens_);
    RouterStep done;
    done.load.assign(experts, 0);
    done.sent.assign(at(options_.ranks * options_.ranks), 0);
    Sums sums;
    sums.shares.assign(experts, 0);
    sums.products.assign(experts, 0);
    sums.loads.assign(experts, 0);
    for (std::size_t i = 0; !steps_.empty() && i < experts; ++i)
    {
        sums.loads[i] = static_cast<double>(steps_.back().load[i]) / pairs;
    }
    for (std::int64_t token = 0; token < tokens_; ++token)
    {
        route(token, sums, done);
    }
    const double loss = sum_over(experts,
                                 [&](std::size_t i) {
                                     return static_cast<double>(done.load[i]) / pairs * sums.shares[i] /
                                            static_cast<double>(tokens_);
                                 });
    done.loss = static_cast<double>(experts) * loss;
    done.drift = sums.apart / static_cast<double>(tokens_);
    learn(sums, done);
    steps_.push_back(std::move(done));
}

void RouterRun::advance_to(std::size_t steps)
{
    while (steps_.size() < std::min(steps, kRouterSteps))
    {
        step();
    }
}

double RouterRun::pairs_of_step() const
{
    return static_cast<double>(tokens_) * static_cast<double>(options_.experts);
}

bool RouterRun::advance(double pairs)
{
    advance_to(steps_.size() + static_cast<std::size_t>(std::max(1.0, pairs / pairs_of_step())));
    return !done();
}

} // namespace ringside
