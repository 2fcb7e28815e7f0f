// Two chunks placed as a V (arXiv 2405.15362): a few building blocks that suit the memory are filled,
// squeezed and filled again; then the settings around the best of them are varied.
#include "core/pipeline/zero_bubble/long_steps.h"
#include "core/pipeline/zero_bubble/search.h"

#include <algorithm>
#include <utility>

namespace ringside::zero_bubble
{

namespace
{

bool try_block(Search& search, const Recipe& recipe)
{
    const Problem& problem = search.problem();
    search.spend(kBlockEffort * problem.operations());
    const Filling filling = absolute(problem, recipe.filling);
    const Steps skeleton = recipe.block.skeleton(problem);
    Attempt plain = fill(problem, skeleton, filling);
    if (!plain.score.valid())
    {
        return false;
    }
    Attempt squeezed = squeeze(problem, skeleton, plain.ready, filling, recipe.squeezing);
    bool better = search.consider(std::move(plain), recipe);
    if (squeezed.score.valid())
    {
        const Steps again = without_weights(squeezed.plan);
        for (const double tighter : {1.0, 0.98}) // the span it has, and a little less
        {
            const Filling as_tight{kNever, squeezed.score.span * tighter, recipe.filling.most_pending};
            better = search.consider(fill(problem, again, as_tight), recipe) || better;
        }
        better = search.consider(std::move(squeezed), recipe) || better;
    }
    return better;
}

struct Start
{
    double above; // for memory of more than this, in micro-batches of one chunk and ranks
    BuildingBlock block;
    double span;     // Filling
    double patience; // Squeezing
    std::int32_t most_pending = kAny;
};

// Blocks that did well for many ranks, costs and transfers; without any of them some orders grow by several
// percent. What a little memory allows is near the shortest lifespans (V-min), what more allows takes its
// time in one direction (V-half), and with plenty gradients come back slowly between other work (V-ZB).
constexpr std::array kStarts = {Start{1.5, {{3, 3, 3, 3}, 0, 6, true}, 0, 0},
                                Start{1.5, {{2, 3, 3, 3}, 0, 6, true}, 0, 0},
                                Start{1, {{1, 2, 1, 2}, 3, 6, false}, kNever, 0.5},
                                Start{1, {{1, 2, 1, 2}, 4, 6, true}, kNever, 0.5, 1},
                                Start{1, {{1, 1, 2, 2}, 3, 6, false}, 0, 0.5},
                                Start{0, {{1, 1, 1, 1}, 2, 6, false}, kNever, 0.5, 1},
                                Start{0, {{1, 1, 1, 1}, 0, 6, false}, kNever, 0.5},
                                Start{0, {{1, 1, 1, 1}, 3, 6, false}, kNever, 0.5, 1},
                                Start{0, {{1, 1, 2, 1}, 0, 6, false}, 0, 0.5, 1},
                                Start{0, {{1, 1, 1, 1}, 4, 6, true}, kNever, 0.5, 1},
                                Start{0, {{1, 1, 1, 1}, 3, 6, false}, kNever, 0.5},
                                Start{0, {{1, 1, 1, 1}, 4, 6, false}, kNever, 0.5, 1}};

// Those without collisions first: with many ranks there is effort for a few only.
std::vector<Start> starts(const Problem& problem)
{
    std::vector<Start> some;
    for (const Start& start : kStarts)
    {
        if (problem.capacity > start.above * problem.ranks && start.block.fits(problem))
        {
            some.push_back(start);
        }
    }
    std::stable_partition(some.begin(), some.end(),
                          [&](const Start& start) { return start.block.collisions(problem.ranks) == 0; });
    return some;
}

// The settings around the best so far. Whether that was better.
bool vary(Search& search)
{
    std::array<Recipe, 4> recipes;
    recipes.fill(search.recipe());
    auto& [patience, spare, span, most_pending] = recipes;
    patience.squeezing.patience = patience.squeezing.patience > 0 ? 0 : 0.5;
    spare.squeezing.spare = spare.squeezing.spare > 0 ? 0 : 1;
    span.filling.span = span.filling.span > 0 ? 0 : kNever;
    most_pending.filling.most_pending = most_pending.filling.most_pending > 2 ? 2 : kAny;
    bool better = false;
    for (const Recipe& recipe : recipes)
    {
        if (search.may_spend(kBlockEffort * search.problem().operations()))
        {
            better = try_block(search, recipe) || better;
        }
    }
    return better;
}

void search_v(Search& search)
{
    const Problem& problem = search.problem();
    for (const Start& start : starts(problem))
    {
        if (search.may_spend(kBlockEffort * problem.operations()))
        {
            try_block(search, {.block = start.block,
                               .filling = {kNever, start.span, start.most_pending},
                               .squeezing = {start.patience, 0}});
        }
    }
    // Less memory than the shortest period needs: micro-batches follow each other more slowly. In the end
    // there is only one at a time, and that fits anywhere.
    for (std::int32_t period = BuildingBlock{}.period; !search.best().score.valid(); period += 1 + period / 8)
    {
        const BuildingBlock slower{.period = period};
        if (slower.fits(problem))
        {
            try_block(search, {.block = slower, .filling = {kNever, 0}, .squeezing = {0.5, 0}});
        }
    }
    while (vary(search) || refine(search))
    {
    }
}

// The recipe that was best for a part of the step, tried with more micro-batches than `tried` if one try can
// afford them.
Attempt try_longer(const Problem& problem, std::int32_t tried, const Recipe& recipe)
{
    const Problem longer = with_micro_batches(problem, sample_micro_batches(problem, 1));
    if (longer.micro_batches <= tried)
    {
        return {};
    }
    Search search(longer);
    try_block(search, recipe);
    return longer.micro_batches == problem.micro_batches ? search.take_best()
                                                         : lengthen(problem, longer, search.best().plan);
}

} // namespace

Attempt best_v(const Problem& problem)
{
    constexpr std::int32_t kTries = 8; // most of the starts that a memory allows
    const Problem sample = with_micro_batches(problem, sample_micro_batches(problem, kTries));
    Search search(sample);
    search_v(search);
    if (sample.micro_batches == problem.micro_batches)
    {
        return search.take_best();
    }
    const Recipe recipe = search.recipe();
    Search full(problem);
    full.consider(lengthen(problem, sample, search.best().plan), recipe);
    // What is left out should add the busiest rank's work and no more.
    constexpr double kTolerance = 1.01;
    const double ideal = search.best().score.makespan + problem.busiest - sample.busiest;
    if (!full.best().score.valid() || full.best().score.makespan > kTolerance * ideal)
    {
        full.consider(try_longer(problem, sample.micro_batches, recipe), recipe);
    }
    if (!full.best().score.valid())
    {
        full.consider(fill(problem, recipe.block.skeleton(problem), absolute(problem, recipe.filling)),
                      recipe);
    }
    return full.take_best();
}

} // namespace ringside::zero_bubble
