// Compute budgets, scaling laws and the critical batch.
#include "core/scaling/budget.h"
#include "core/scaling/kaplan.h"
#include "core/scaling/lifetime.h"
#include "core/scaling/repeats.h"
#include "core/study/questions/formula/functions/parts.h"
#include "core/training/critical_batch.h"

#include <array>

namespace ringside::study_function
{

namespace
{

Value steps_to_loss(Arguments v)
{
    return v[0] > 0 ? Value(steps_over_least(v[0], v[1])) : refuse("the batch", v[0], "use one above 0");
}

// Norms, not their squares.
Value measured_noise(Arguments v)
{
    if (!(v[0] > 0 && v[0] < v[2]))
    {
        return refuse("the part", v[0], "use one above 0 and below the batch");
    }
    const GradientNoise n = gradient_noise({v[0], v[1] * v[1], v[2], v[3] * v[3]});
    return n.squared_gradient > 0 ? Value(noise_scale(n.trace, n.squared_gradient))
                                  : refuse("the part's norm", v[1], "use one nearer to the batch's");
}

Budget budget(double n, double d)
{
    Budget b;
    b.parameters = n;
    b.tokens = d;
    return b;
}

Value flops(Arguments v)
{
    return budget(v[0], v[1]).flops();
}

// N parameters, D tokens, n GPUs of `peak` FLOP/s at `mfu`
Value seconds(Arguments v)
{
    Budget b = budget(v[0], v[1]);
    b.gpus = v[2];
    b.peak_tflops = v[3] / 1e12;
    b.mfu = v[4];
    return solved(b, BudgetUnknown::days).days * 86400;
}

// N, D at the start, then the tokens that will be served: the size of equal loss that is cheapest over its
// life.
Value lifetime_size(Arguments v)
{
    const LossFit& fit = loss_fit(FitKind::refit);
    const auto best = lifetime_optimum(fit, loss(fit, v[0], v[1]), v[2]);
    return best ? Value(best->parameters)
                : Value(refuse("the model's size", v[0], "use parameters and tokens above 0"));
}

constexpr std::array kScalingFunctions{
    StudyFunction{"training_flops", "N, D", "[FLOP] 6 N D", flops},
    StudyFunction{"training_seconds", "N, D, n, peak, mfu", "[s] 6 N D / (n peak mfu)", seconds},
    StudyFunction{"chinchilla_parameters", "C", "compute-optimal parameters at 20 tokens each",
                  [](Arguments v) { return Value(chinchilla_optimum(v[0]).parameters); }},
    StudyFunction{"chinchilla_tokens", "C", "compute-optimal tokens at 20 per parameter",
                  [](Arguments v) { return Value(chinchilla_optimum(v[0]).tokens); }},
    StudyFunction{"chinchilla_loss", "N, D", "nats per token, approach 3",
                  [](Arguments v) { return Value(chinchilla_loss(v[0], v[1])); }},
    StudyFunction{"refit_loss", "N, D", "nats per token, Besiroglu et al. 2024",
                  [](Arguments v) { return Value(loss(loss_fit(FitKind::refit), v[0], v[1])); }},
    StudyFunction{"refit_parameters", "C", "compute-optimal parameters, Besiroglu et al. 2024",
                  [](Arguments v) { return Value(optimum(loss_fit(FitKind::refit), v[0]).parameters); }},
    StudyFunction{"printed_parameters", "C", "compute-optimal parameters, approach 3 as printed",
                  [](Arguments v) { return Value(optimum(loss_fit(FitKind::printed), v[0]).parameters); }},
    StudyFunction{"kaplan_parameters", "C", "Kaplan et al. 2020, without embeddings",
                  [](Arguments v) { return Value(kaplan_optimum(v[0]).parameters); }},
    StudyFunction{"kaplan_tokens", "C", "Kaplan et al. 2020",
                  [](Arguments v) { return Value(kaplan_optimum(v[0]).tokens); }},
    StudyFunction{"lifetime_parameters", "N, D, served", "cheapest size of N on D's loss over its life",
                  lifetime_size},
    StudyFunction{"equal_loss_tokens", "N, D, n", "tokens that bring n to the loss of N on D",
                  [](Arguments v)
                  {
                      const LossFit& fit = loss_fit(FitKind::refit);
                      return Value(tokens_for_loss(fit, loss(fit, v[0], v[1]), v[2]));
                  }},
    StudyFunction{"effective_tokens", "U, seen", "tokens of one pass worth as much, Muennighoff et al. 2023",
                  [](Arguments v) { return Value(effective_tokens(v[0], v[1])); }},
    StudyFunction{"steps_over_least", "B, C", "steps to a loss over the fewest: 1 + C/B", steps_to_loss},
    StudyFunction{"measured_noise_scale", "b, g, B, G", "tr/|G|^2 from the norms over a part and a batch",
                  measured_noise},
};

} // namespace

std::span<const StudyFunction> scaling_functions()
{
    return kScalingFunctions;
}

} // namespace ringside::study_function
