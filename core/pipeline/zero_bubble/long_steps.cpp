// Finds a middle that repeats, probes what repeating it costs, and copies the one that costs least as often
// as there are micro-batches left out.
#include "core/pipeline/zero_bubble/long_steps.h"

#include "core/pipeline/zero_bubble/search.h"

#include <algorithm>

namespace ringside::zero_bubble
{

namespace
{

// A multiple of every round that lengthen() tries, so that any of them can be repeated to fill what is left
// out.
constexpr std::int32_t kRounds = 12;

// What is repeated: `round` micro-batches, from forward `from` on.
struct Middle
{
    std::int32_t from = 0;
    std::int32_t round = 1;
};

std::size_t place_of_forward(const std::vector<Step>& steps, std::int32_t micro_batch)
{
    const auto place = std::find(steps.begin(), steps.end(), make_step(kForward, micro_batch));
    return static_cast<std::size_t>(place - steps.begin());
}

// Whether every rank does the same things there equally often, so that repeating them leaves nothing out.
bool can_repeat(const Steps& plan, const Middle& middle)
{
    for (const auto& steps : plan)
    {
        std::array<std::int32_t, kKinds> count{};
        const std::size_t end = place_of_forward(steps, middle.from + middle.round);
        for (std::size_t i = place_of_forward(steps, middle.from); i < end; ++i)
        {
            ++count[index(kind_of(steps[i]))];
        }
        if (std::any_of(count.begin(), count.begin() + kWeight,
                        [&](std::int32_t n) { return n != middle.round; }))
        {
            return false;
        }
    }
    return true;
}

// `more` must be a multiple of the middle's round.
Steps stretched(const Steps& plan, const Middle& middle, std::int32_t more)
{
    Steps longer(plan.size());
    for (std::size_t r = 0; r < plan.size(); ++r)
    {
        const auto& steps = plan[r];
        const std::size_t begin = place_of_forward(steps, middle.from);
        const std::size_t end = place_of_forward(steps, middle.from + middle.round);
        auto& out = longer[r];
        out.reserve(steps.size() + index(more / middle.round) * (end - begin));
        out.insert(out.end(), steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(begin));
        for (std::int32_t shift = 0; shift < more; shift += middle.round)
        {
            for (std::size_t i = begin; i < end; ++i)
            {
                out.push_back(steps[i] + make_step(0, shift));
            }
        }
        for (std::size_t i = begin; i < steps.size(); ++i)
        {
            out.push_back(steps[i] + make_step(0, more));
        }
    }
    return longer;
}

} // namespace

std::int32_t sample_micro_batches(const Problem& problem, std::int32_t tries)
{
    const bool loop = problem.chunks == 1;
    const std::int64_t effort = (loop ? 1 : kBlockEffort) * tries * 3 * problem.ranks * problem.chunks;
    // A loop warms up with 2p forwards at most (ZB-H2). A V is full after p micro-batches, and half as many
    // show how it goes on; with a few ranks, less than 16 would leave no middle.
    const std::int64_t needed = loop ? 2 * problem.ranks : std::max(16, problem.ranks + problem.ranks / 2);
    const std::int64_t sample = std::max(kEffort / effort, needed);
    const std::int64_t left_out = std::max<std::int64_t>(0, problem.micro_batches - sample);
    return problem.micro_batches - static_cast<std::int32_t>(left_out / kRounds * kRounds);
}

Attempt lengthen(const Problem& problem, const Problem& sample, const Steps& plan)
{
    const Problem probe = with_micro_batches(problem, sample.micro_batches + kRounds);
    const std::int32_t first = sample.micro_batches / 2 - 2; // a sample has at least 16
    Middle best;
    double soonest = kNever;
    std::int64_t spent = 0;
    for (const std::int32_t round : {1, 2, 3, 4}) // not every plan repeats after one micro-batch
    {
        for (std::int32_t from = first; from < first + 4 && (spent < kEffort || soonest == kNever); ++from)
        {
            const Middle middle{from, round};
            if (from + round >= sample.micro_batches || !can_repeat(plan, middle))
            {
                continue;
            }
            spent += probe.operations();
            const double t = fill(probe, stretched(plan, middle, kRounds), {}).score.makespan;
            if (t < soonest * (1 - kSame))
            {
                soonest = t;
                best = middle;
            }
        }
    }
    if (soonest == kNever)
    {
        return {};
    }
    const std::int32_t more = problem.micro_batches - sample.micro_batches;
    return fill(problem, stretched(plan, best, more), {});
}

} // namespace ringside::zero_bubble
