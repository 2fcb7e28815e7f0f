// One chunk a rank (arXiv 2401.10241, sections 2 and 3): some forwards to warm up, then input gradients and
// forwards in turn. Only the number of warm-up forwards of each rank and the way of filling are searched.
#include "core/pipeline/zero_bubble/long_steps.h"
#include "core/pipeline/zero_bubble/search.h"

#include <algorithm>
#include <cmath>

namespace ringside::zero_bubble
{

namespace
{

using WarmUp = std::vector<std::int32_t>; // [rank] forwards before the first gradient

Steps warm_up_skeleton(const Problem& problem, const WarmUp& warm)
{
    Steps skeleton(warm.size());
    for (std::size_t r = 0; r < warm.size(); ++r)
    {
        auto& steps = skeleton[r];
        steps.reserve(index(2 * problem.micro_batches));
        const std::int32_t lead = std::min(warm[r], problem.micro_batches);
        for (std::int32_t i = 0; i < problem.micro_batches + lead; ++i)
        {
            if (i >= lead)
            {
                steps.push_back(make_step(kInput, i - lead));
            }
            if (i < problem.micro_batches)
            {
                steps.push_back(make_step(kForward, i));
            }
        }
    }
    return skeleton;
}

// As many forwards as memory takes, `slope` more for every rank before the last: 1 is 1F1B and ZB-H1, 2 is
// ZB-H2 (arXiv 2401.10241, section 2).
WarmUp sloped_warm_up(const Problem& problem, double slope)
{
    WarmUp warm;
    for (std::int32_t r = 0; r < problem.ranks; ++r)
    {
        const auto forwards = 1 + static_cast<std::int32_t>(slope * (problem.ranks - 1 - r) + kSame);
        warm.push_back(std::min(forwards, problem.capacity));
    }
    return warm;
}

// As many as fill the time until the first gradient can be back, whatever the costs.
WarmUp round_trip_warm_up(const Problem& problem)
{
    WarmUp warm(index(problem.ranks));
    double trip = 0;
    std::int32_t after = 1; // no rank warms up less than the one after it
    for (std::int32_t r = problem.ranks - 1; r >= 0; --r)
    {
        const double forward = problem.cost_of(r, kForward);
        const double most = problem.micro_batches;
        const double fits = std::ceil(trip / std::max(forward, kSame) - kSame);
        const auto forwards = 1 + static_cast<std::int32_t>(std::min(most, fits));
        after = std::max(after, std::min(forwards, problem.capacity));
        warm[index(r)] = after;
        trip += forward + problem.cost_of(r, kInput) + 2 * problem.transfer;
    }
    return warm;
}

Attempt fill_loop(const Problem& problem, const Recipe& recipe)
{
    return fill(problem, warm_up_skeleton(problem, recipe.warm), absolute(problem, recipe.filling));
}

void search_loop(Search& search)
{
    const Problem& problem = search.problem();
    std::vector<WarmUp> warm_ups = {sloped_warm_up(problem, 1), sloped_warm_up(problem, 2),
                                    round_trip_warm_up(problem)};
    for (const double slope : {1.5, 2.5, 3.0})
    {
        warm_ups.push_back(sloped_warm_up(problem, slope));
    }
    for (const WarmUp& warm : warm_ups)
    {
        for (const double span : {kNever, 0.0}) // idle whenever a W does not fit, or never
        {
            if (search.may_spend(problem.operations()))
            {
                search.spend(problem.operations());
                const Recipe recipe{.warm = warm, .filling = {kNever, span}};
                search.consider(fill_loop(problem, recipe), recipe);
            }
        }
    }
    while (refine(search))
    {
    }
}

// 1F1B with its backward split: every W right after its I.
Attempt split_one_f_one_b(const Problem& problem)
{
    const Steps plain = warm_up_skeleton(problem, sloped_warm_up(problem, 1));
    Steps skeleton(plain.size());
    for (std::size_t r = 0; r < plain.size(); ++r)
    {
        for (const Step step : plain[r])
        {
            skeleton[r].push_back(step);
            if (kind_of(step) == kInput)
            {
                skeleton[r].push_back(make_step(kWeight, 0));
            }
        }
    }
    return fill(problem, skeleton, {});
}

// No 1F1B ends sooner: its last rank works through every micro-batch, and the last gradient then goes all the
// way back.
double least_one_f_one_b(const Problem& problem)
{
    const std::int32_t last = problem.ranks - 1;
    double t = problem.first_pass + problem.work(last) - problem.cost_of(last, kWeight);
    for (std::int32_t r = 0; r < last; ++r)
    {
        t += problem.cost_of(r, kInput) + problem.transfer;
    }
    return t + problem.cost_of(0, kWeight);
}

} // namespace

Attempt best_loop(const Problem& problem)
{
    constexpr std::int32_t kTries = 24; // the first twelve, and as many to refine the best
    const Problem sample = with_micro_batches(problem, sample_micro_batches(problem, kTries));
    Search search(sample);
    search_loop(search);
    Attempt best = sample.micro_batches == problem.micro_batches ? search.take_best()
                                                                 : fill_loop(problem, search.recipe());
    // Some uneven stages suit none of these; even then zero bubble must not lose to 1F1B.
    if (best.score.makespan > least_one_f_one_b(problem) * (1 + kSame))
    {
        Attempt plain = split_one_f_one_b(problem);
        if (plain.score.makespan < best.score.makespan * (1 - kSame))
        {
            return plain;
        }
    }
    return best;
}

} // namespace ringside::zero_bubble
