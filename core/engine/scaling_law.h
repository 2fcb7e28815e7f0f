// How large a model and how many tokens a compute budget buys (Hoffmann et al. 2022, arXiv 2203.15556,
// "Chinchilla"). Training compute is 6 N D throughout; nothing about inference or repeated data.
#pragma once

namespace ringside
{

struct ComputeOptimum
{
    double parameters = 0; // N
    double tokens = 0;     // D
};

// Tokens for every parameter at the optimum: the round figure of the paper's approaches 1 and 2 (Table 3: 67
// B and 1.5 T tokens for Gopher's budget), in which N and D grow alike with the budget.
inline constexpr double kTokensPerParameter = 20;

// C = 6 N D with D = 20 N, so N = sqrt(C / 120). 0 where the budget is not above 0. [FLOP]
ComputeOptimum chinchilla_optimum(double flops);

// The loss fitted by approach 3 (equation 10): 1.69 + 406.4 / N^0.34 + 410.7 / D^0.28, in nats a token, as
// published. Its own optimum asks for more tokens than approaches 1 and 2; Besiroglu et al. 2024 (arXiv
// 2404.10102) fit the same points anew. N and D must be above 0.
double chinchilla_loss(double parameters, double tokens);

} // namespace ringside
