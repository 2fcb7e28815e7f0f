// What is kept, and the one improvement that both families share: the same skeleton again, with other demands
// on when ranks end.
#include "core/pipeline/zero_bubble/search.h"

#include <algorithm>
#include <utility>

namespace ringside::zero_bubble
{

Filling absolute(const Problem& problem, Filling filling)
{
    filling.finish_by += problem.first_pass + problem.busiest;
    filling.span += problem.busiest;
    return filling;
}

bool Search::consider(Attempt&& attempt, const Recipe& recipe)
{
    if (!attempt.score.better_than(best_.score))
    {
        return false;
    }
    best_ = std::move(attempt);
    recipe_ = recipe;
    return true;
}

bool refine(Search& search)
{
    const Problem& problem = search.problem();
    const Score& score = search.best().score;
    const double late = score.makespan - problem.first_pass - problem.busiest;
    const double over = score.span - problem.busiest;
    const double w = problem.mean_weight(); // the grain: a gap is worth a W or nothing
    const Steps skeleton = without_weights(search.best().plan);
    bool better = false;
    for (const double less : {0.0, 0.5, 2.0}) // finer steps found nothing more
    {
        for (const double finish_by : {late, 0.0, kNever})
        {
            if (!search.may_spend(problem.operations()))
            {
                return better;
            }
            Recipe recipe = search.recipe();
            recipe.filling.finish_by = finish_by;
            recipe.filling.span = std::max(0.0, over - less * w);
            search.spend(problem.operations());
            better =
                search.consider(fill(problem, skeleton, absolute(problem, recipe.filling)), recipe) || better;
        }
    }
    return better;
}

} // namespace ringside::zero_bubble
