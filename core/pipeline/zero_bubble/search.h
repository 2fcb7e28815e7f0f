// Keeps the best of the orders tried, and how it was made. Effort is counted in placed operations and never
// by the clock, so that the same problem has the same order everywhere.
#pragma once

#include "core/pipeline/zero_bubble/building_block.h"
#include "core/pipeline/zero_bubble/fill.h"
#include "core/pipeline/zero_bubble/squeeze.h"

#include <utility>

namespace ringside::zero_bubble
{

// Operations that may be placed while searching: a few milliseconds.
constexpr std::int64_t kEffort = 140'000;

// What a plan was made of, enough to make one again with another number of micro-batches. Times of the
// filling are what it allows beyond the least that any order needs: see absolute().
struct Recipe
{
    std::vector<std::int32_t> warm = {}; // one chunk: [rank] forwards before the first gradient
    BuildingBlock block = {};            // two chunks
    Filling filling = {};
    Squeezing squeezing = {};
};

// No rank is done before the busiest rank's work, and the last cannot start before the first forward is
// there.
Filling absolute(const Problem& problem, Filling filling);

class Search
{
public:
    explicit Search(const Problem& problem) : problem_(problem) {}

    // Keeps the attempt if it is better than the best so far.
    bool consider(Attempt&& attempt, const Recipe& recipe);
    void spend(std::int64_t operations) { spent_ += operations; }
    // Something has to be found in any case.
    bool may_spend(std::int64_t operations) const
    {
        return !best_.score.valid() || spent_ + operations <= kEffort;
    }
    const Problem& problem() const { return problem_; }
    const Attempt& best() const { return best_; }
    const Recipe& recipe() const { return recipe_; }
    Attempt take_best() { return std::move(best_); }

private:
    const Problem& problem_;
    Attempt best_;
    Recipe recipe_;
    std::int64_t spent_ = 0;
};

// Fills the best skeleton again, asking for spans and an end around those it has. Whether that was better.
bool refine(Search& search);

// The best order found, for one chunk (search_loop.cpp) and for two in a V (search_v.cpp).
Attempt best_loop(const Problem& problem);
Attempt best_v(const Problem& problem);

} // namespace ringside::zero_bubble
