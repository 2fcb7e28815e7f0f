// What happens around the steps of a run: data, failures, checkpoints; and after it: serving, alignment.
#include "core/reliability/straggler.h"
#include "core/serving/alignment.h"
#include "core/serving/speculation.h"
#include "core/study/questions/formula/functions/parts.h"
#include "core/training/data_feed/feed.h"
#include "core/training/data_feed/funnel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::study_function
{

namespace
{

Value young(Arguments v)
{
    return young_interval(Seconds(v[0]), Seconds(v[1])).value;
}

Value drafted_tokens(Arguments v)
{
    const auto drafts = whole("the number of drafts", v[1], 0, static_cast<double>(kMostDrafted));
    return drafts ? Value(expected_tokens(v[0], *drafts)) : Value(drafts.issues());
}

Value drafted_speedup(Arguments v)
{
    const auto drafts = whole("the number of drafts", v[1], 0, static_cast<double>(kMostDrafted));
    return drafts ? Value(speculative_speedup(v[0], *drafts, v[2])) : Value(drafts.issues());
}

template <Optimizing how>
Value gold(Arguments v)
{
    return gold_reward(how, v[0], v[1], v[2]);
}

template <Optimizing how>
Value furthest(Arguments v)
{
    return v[1] > 0 ? Value(gold_peak(how, v[0], v[1])) : Value(refuse("beta", v[1], "use a number above 0"));
}

Value daly(Arguments v)
{
    return daly_interval(Seconds(v[0]), Seconds(v[1])).value;
}

// Assumes a reader whose storage is no limit.
Value starved_share(Arguments v)
{
    if (!(v[0] >= 1 && v[0] <= 1e6) || !(v[1] > 0) || !(v[2] > 0))
    {
        return Issue{"", "workers begin at 1, and both times above 0", "use 1 to a million workers"};
    }
    FeedPlan plan;
    plan.workers = std::llround(v[0]);
    BatchCost cost;
    cost.work_s = v[1];
    FeedNeed need;
    need.batch_s = v[2];
    return feed_supply(cost, plan).starved(need);
}

// With everything in seconds, saves synchronous, and nodes enough.
Value goodput_share(Arguments v)
{
    if (!(v[0] > 0) || v[1] < 0 || v[2] < 0 || !(v[3] > 0))
    {
        return Issue{"", "the interval and the time between failures must be above 0",
                     "the others at least 0"};
    }
    RunRates rates;
    rates.interval_s = v[0];
    rates.save_s = v[1];
    rates.recover_s = v[2];
    rates.between_s = v[3];
    return goodput(rates, RunPlan{}).useful();
}

constexpr std::array kRunsFunctions{
    StudyFunction{"starved_share", "W, c, t",
                  "W workers of c seconds a batch for GPUs that take t: 1 - W t / c", starved_share},
    StudyFunction{"token_width", "V", "bytes of a stored token: 2 below 65,500 rows, else 4",
                  [](Arguments v)
                  { return Value(token_width(static_cast<std::int64_t>(std::clamp(v[0], 0.0, 1e15)))); }},
    StudyFunction{"duplicate_found", "s, r, b", "1 - (1 - s^r)^b, MinHash with b bands of r",
                  [](Arguments v) { return Value(duplicate_found(v[0], v[1], v[2])); }},
    StudyFunction{"speculative_tokens", "a, g", "of a pass that checks g drafts: (1 - a^(g+1)) / (1 - a)",
                  drafted_tokens},
    StudyFunction{"speculative_speedup", "a, g, c", "speculative_tokens / (g c + 1)", drafted_speedup},
    StudyFunction{"gold_best_of_n", "alpha, beta, d", "gold reward: d (alpha - beta d)",
                  gold<Optimizing::best_of_n>},
    StudyFunction{"gold_peak_best_of_n", "alpha, beta", "d of the largest gold reward: alpha / 2 beta",
                  furthest<Optimizing::best_of_n>},
    StudyFunction{"gold_peak_rl", "alpha, beta", "d of the largest gold reward: e^(alpha / beta - 1)",
                  furthest<Optimizing::reinforcement>},
    StudyFunction{"young_interval_s", "save_s, mtbf_s", "[s] between checkpoints: sqrt(2 d M)", young},
    StudyFunction{"daly_interval_s", "save_s, mtbf_s", "[s] to higher order", daly},
    StudyFunction{"goodput_share", "interval_s, save_s, recover_s, mtbf_s",
                  "t / (M e^(R/M) (e^((t+d)/M) - 1))", goodput_share},
    StudyFunction{"replicas_hit", "R, f", "R (1 - (1 - 1/R)^f)",
                  [](Arguments v) { return Value(replicas_hit(v[0], v[1])); }},
    StudyFunction{"largest_normal", "n", "mean of the largest of n standard normal draws",
                  [](Arguments v) { return Value(expected_largest_normal(v[0])); }},
};

} // namespace

std::span<const StudyFunction> run_functions()
{
    return kRunsFunctions;
}

} // namespace ringside::study_function
