// How large a model and how many tokens a compute budget buys, and the loss that makes. One pass over the
// data, training only: what serving costs is in lifetime.h, repeated data in repeats.h.
//
// The refit is the default and the one metrics use: of the three fits of approach 3 only it agrees with
// approaches 1 and 2, which are lines through one row of their table with the published exponent and have no
// loss of their own. N counts the parameters a token passes through: unused experts count nothing, although
// the laws were fitted on dense models.
#pragma once

#include <cmath>
#include <span>
#include <string_view>

namespace ringside
{

struct ComputeOptimum
{
    double parameters = 0; // N
    double tokens = 0;     // D
};

// Training takes 6 floating-point operations for every parameter and token (Kaplan et al. 2020, section 2.1).
constexpr double training_flops(double parameters, double tokens)
{
    return 6 * parameters * tokens;
}

// Tokens for every parameter at the optimum: the round figure of approaches 1 and 2 of Hoffmann et al. 2022
// (arXiv 2203.15556, "Chinchilla", Table 3: 67 B and 1.5 T tokens for Gopher's budget), in which N and D grow
// alike with the budget.
inline constexpr double kTokensPerParameter = 20;

// C = 6 N D with D = 20 N, so N = sqrt(C / 120). 0 where the budget is not above 0. [FLOP]
ComputeOptimum chinchilla_optimum(double flops);

// L(N, D) = E + A / N^alpha + B / D^beta, in nats per token (Hoffmann et al. 2022, equation 2). N counts all
// parameters, embeddings too.
struct LossFit
{
    std::string_view id;
    std::string_view name;
    std::string_view source;
    double floor = 0; // E: what no model can remove
    double a = 0;
    double b = 0;
    double alpha = 0;
    double beta = 0;

    double of_parameters(double n) const { return a / std::pow(n, alpha); }
    double of_tokens(double d) const { return b / std::pow(d, beta); }
};

// One set of runs, fitted three times, the first as printed.
enum class FitKind
{
    printed,   // Hoffmann et al. 2022, equation 10, to the digits of the paper
    unrounded, // the same fit with the digits of the paper's TeX source, by Besiroglu et al. 2024
    refit      // the runs read off the paper's figure and fitted anew: Besiroglu et al. 2024
};
inline constexpr std::size_t kFits = 3;
std::span<const LossFit> loss_fits(); // by FitKind
const LossFit& loss_fit(FitKind kind);

// N and D above 0; otherwise infinite.
double loss(const LossFit& fit, double parameters, double tokens);
// The printed one: 1.69 + 406.4 / N^0.34 + 410.7 / D^0.28.
double chinchilla_loss(double parameters, double tokens);
// The least loss at 6 N D = C, in closed form (Hoffmann et al. 2022, equation 4): N = G (C/6)^(beta / (alpha
// + beta)) with G = (alpha A / (beta B))^(1 / (alpha + beta)). 0 where the budget is not above 0.
ComputeOptimum optimum(const LossFit& fit, double flops);
// Tokens that bring a model of N to this loss; 0 where none do.
double tokens_for_loss(const LossFit& fit, double loss, double parameters);
// [FLOP] The least compute that reaches this loss; 0 where none does.
double compute_for_loss(const LossFit& fit, double loss);
// How many times the compute an optimal split would need for what N makes of the budget: 1 at the optimum.
double overspending(const LossFit& fit, double parameters, double flops);

// A published rule for splitting a budget.
struct AllocationRule
{
    std::string_view id;
    std::string_view name;
    std::string_view source;
    double exponent = 0; // of N in C, as published
    ComputeOptimum (*at)(double flops);
};
// Kaplan et al., approaches 1 and 2 of Hoffmann et al., then the fits in the order of FitKind.
std::span<const AllocationRule> allocation_rules();

} // namespace ringside
