// A router at work on synthetic tokens: experts popular by Zipf's law, noise of each token, top-k, and what
// is done to keep experts evenly busy. Not a network: all that learns is how popular each expert is.
//
// Gumbel noise on Zipf popularities: with one expert per token the loads follow Zipf's law exactly, and any
// k is sampling without replacement. The auxiliary loss moves one logit per expert by Switch's gradient (f
// of the step before held fixed), multiplied by E as an optimizer that scales gradients would; a weak pull
// leads back to what the task wants. The bias changes only the choice (affinities are sigmoids, as in
// DeepSeek-V3), so its drift is zero by construction.
//
// Capacity is for all ranks together, ceil(CF k T / E); real systems often count it over each rank's tokens,
// which drops more. Which token of an expert is dropped is left open. Rows of the all-to-all matrix are
// scaled to add up to `expert_message` of their GPUs; at most 16 columns are drawn, each of equal,
// neighbouring GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Balance : std::uint8_t
{
    none,
    auxiliary, // a loss: E sum f_i P_i (Fedus et al., Switch, arXiv 2101.03961, equations 4 to 6)
    bias       // an offset for choosing only (Wang et al., arXiv 2408.15664, Algorithm 1; DeepSeek-V3)
};
inline constexpr std::size_t kBalances = 3;
inline constexpr std::size_t kRouterSteps = 91;
inline constexpr std::int64_t kMostRouted = 1024; // experts

struct RouterOptions
{
    std::int64_t experts = 8; // E, 1 to kMostRouted
    std::int64_t chosen = 2;  // k, 1 to E
    std::int64_t ranks = 8;   // hold tokens and experts in equal, neighbouring parts; divides E
    double skew = 1;          // Zipf's exponent, 0: all equally popular
    Balance balance = Balance::none;
    double strength = 0.01; // the loss's coefficient alpha, or the bias's step gamma

    bool operator==(const RouterOptions&) const = default;
};

// T, what all ranks together route in a step: enough for some 32 an expert, a multiple of the ranks.
std::int64_t routed_tokens(const RouterOptions& options);
// What an expert takes at most: ceil(CF k T / E) (Lepikhin et al., GShard, arXiv 2006.16668, section 2.2;
// Switch, equation 3, for k = 1). More is dropped, and passes the layer by on the residual stream.
std::int64_t expert_capacity(double factor, std::int64_t chosen, std::int64_t tokens, std::int64_t experts);
// The number of (token, expert) pairs above the capacity.
std::int64_t dropped_pairs(std::span<const std::int64_t> load, std::int64_t capacity);
// MaxVio: the largest load over the mean, less 1 (Wang et al., equation 4). 0 for no load.
double max_violation(std::span<const std::int64_t> load);
// MaxVio of ranks that hold equal, neighbouring shares of the experts; `ranks` divides their number. What all
// others wait for.
double rank_violation(std::span<const std::int64_t> load, std::int64_t ranks);

// What tokens think of experts, drawn once for a number of experts: e to the power of Gumbel noise, so that
// with k = 1 and no balancing an expert is chosen in proportion to its popularity, exactly (Gumbel 1954;
// top-k: without replacement, Kool et al. 2019, arXiv 1903.06059, section 2).
class TokenPool
{
public:
    explicit TokenPool(std::int64_t experts, std::uint64_t seed = 1);

    std::int64_t experts() const { return experts_; }
    // Place of an expert in the order of popularity, from 0.
    std::int64_t place(std::int64_t expert) const { return places_[static_cast<std::size_t>(expert)]; }
    // Token `number` of the run; after the pool's end tokens come again with their experts turned round.
    void read(std::int64_t number, std::span<double> out) const;

private:
    std::int64_t experts_;
    std::vector<std::int64_t> places_;
    std::vector<float> weights_; // [token][expert]
};

struct RouterStep
{
    std::vector<std::int64_t> load; // [expert] tokens that want it; the sum is k T
    std::vector<std::int64_t> sent; // [from x ranks + to] (token, expert) pairs
    std::vector<std::int64_t> seen; // [rank][token][choice] experts of the first kSeen tokens of each rank
    double loss = 1;                // E sum f_i P_i: 1 when even
    // How far the router's own probabilities are from what they would be without balancing: half the sum of
    // their differences, 0 to 1, mean over tokens.
    double drift = 0;
};
inline constexpr std::int64_t kSeen = 6;

// Steps of training. Deterministic; a step costs T x E operations. Work (core/base/work.h).
class RouterRun
{
public:
    struct Request
    {
        RouterOptions options;
        std::shared_ptr<const TokenPool> pool; // of as many experts; null: its own

        bool operator==(const Request& other) const { return options == other.options; }
    };
    static constexpr double kSlice = 2.5e5; // (token, expert) pairs
    static constexpr std::size_t kKept = 2 * kBalances;

    explicit RouterRun(const Request& request) : RouterRun(request.options, request.pool) {}
    explicit RouterRun(const RouterOptions& options, std::shared_ptr<const TokenPool> pool = nullptr);

    const RouterOptions& options() const { return options_; }
    std::int64_t tokens() const { return tokens_; }
    const std::vector<RouterStep>& steps() const { return steps_; }
    bool done() const { return steps_.size() == kRouterSteps; }
    // Until `steps` are there.
    void advance_to(std::size_t steps);
    // Looks at about so many (token, expert) pairs; false when no step is left.
    bool advance(double pairs);
    double progress() const { return static_cast<double>(steps_.size()) / static_cast<double>(kRouterSteps); }
    double pairs_of_step() const;

private:
    struct Sums;
    void step();
    void choose();
    void route(std::int64_t token, Sums& sums, RouterStep& out);
    void learn(const Sums& sums, const RouterStep& done);

    RouterOptions options_;
    std::int64_t tokens_;
    std::shared_ptr<const TokenPool> pool_;
    std::vector<double> wanted_; // e^logit by popularity alone, [expert]
    std::vector<double> learnt_; // what the loss has multiplied that by
    std::vector<double> offset_; // b_i
    std::vector<double> odds_, noise_, keys_;
    std::vector<std::int64_t> order_;
    std::vector<RouterStep> steps_;
};

} // namespace ringside
