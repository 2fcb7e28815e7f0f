#include "core/study/functions.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/collective/cost.h"
#include "core/engine/alignment.h"
#include "core/engine/block_format.h"
#include "core/engine/budget.h"
#include "core/engine/conventions.h"
#include "core/engine/critical_batch.h"
#include "core/engine/data_feed/feed.h"
#include "core/engine/data_feed/funnel.h"
#include "core/engine/goodput.h"
#include "core/engine/occupancy.h"
#include "core/engine/reliability.h"
#include "core/engine/scaling_law/kaplan.h"
#include "core/engine/scaling_law/law.h"
#include "core/engine/scaling_law/lifetime.h"
#include "core/engine/scaling_law/repeats.h"
#include "core/engine/serving/speculation.h"
#include "core/engine/step_life.h"
#include "core/engine/step_model/tiling.h"
#include "core/engine/straggler.h"
#include "core/schedule/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

using Arguments = std::span<const double>;
using Value = Result<double>;

// Simulated at most: what still answers at once however often an expression asks.
constexpr double kMostSimulated = 20'000;

Issue refuse(std::string_view what, double value, std::string hint)
{
    return {"", fmt::format("{} is {}", what, three_digits(value)), std::move(hint)};
}

// A whole number from `low` to `high`, or what is wrong with it.
Result<std::int64_t> whole(std::string_view what, double value, double low, double high)
{
    if (!(value >= low && value <= high) || value != std::floor(value))
    {
        return refuse(what, value, fmt::format("use a whole number from {} to {}", low, high));
    }
    return static_cast<std::int64_t>(value);
}

Result<std::int64_t> ranks(double n)
{
    return whole("the number of ranks", n, 1, 1e7);
}

bool any_below_zero(Arguments values)
{
    return std::any_of(values.begin(), values.end(), [](double v) { return !(v >= 0); });
}

// n ranks, S bytes, a seconds, B bytes/s
Result<CollectiveCost> cost(CollectiveKind kind, std::string_view algorithm, Arguments v)
{
    const auto n = ranks(v[0]);
    if (!n)
    {
        return n.issues();
    }
    if (any_below_zero(v))
    {
        return Issue{"", "a size, latency or rate is below 0", "use sizes and rates from 0"};
    }
    const double rate = v.size() > 3 ? v[3] : 1;
    const Link link{Seconds(v.size() > 2 ? v[2] : 0.0), BytesPerSecond(rate)};
    return estimate(kind, *find_algorithm(algorithm), *n, Bytes(v[1]), {link, link, *n});
}

template <CollectiveKind kind>
Value ring_seconds(Arguments v)
{
    const auto c = cost(kind, "ring", v);
    return c ? Value(c->total().value) : Value(c.issues());
}

template <CollectiveKind kind>
Value ring_bytes(Arguments v)
{
    const auto c = cost(kind, "ring", v);
    return c ? Value(c->sent_per_rank.value) : Value(c.issues());
}

Value double_tree_seconds(Arguments v)
{
    const auto c = cost(CollectiveKind::all_reduce, "double-tree", v);
    return c ? Value(c->total().value) : Value(c.issues());
}

Value naive_seconds(Arguments v)
{
    const auto c = cost(CollectiveKind::all_reduce, "naive", v);
    return c ? Value(c->total().value) : Value(c.issues());
}

Value broadcast_seconds(Arguments v)
{
    const auto c = cost(CollectiveKind::broadcast, "tree", v);
    return c ? Value(c->total().value) : Value(c.issues());
}

// Every rank sends every other its block directly.
Value exchange_seconds(Arguments v)
{
    const auto c = cost(CollectiveKind::all_to_all, "naive", v);
    return c ? Value(c->total().value) : Value(c.issues());
}

Value exchange_bytes(Arguments v)
{
    const auto c = cost(CollectiveKind::all_to_all, "naive", v);
    return c ? Value(c->sent_per_rank.value) : Value(c.issues());
}

Value ring_steps(Arguments v)
{
    const std::array<double, 2> asked{v[0], 0};
    const auto c = cost(CollectiveKind::all_reduce, "ring", asked);
    return c ? Value(static_cast<double>(c->steps)) : Value(c.issues());
}

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

Value fp4_round(Arguments v)
{
    return round_to(number_format(FormatId::e2m1), v[0], Overflow::saturate);
}

Value mxfp4_scale(Arguments v)
{
    return quantize(block_format(BlockId::mxfp4), v).scales.front();
}

// One tensor-parallel all-reduce of 16-bit activations: b s h elements over t ranks at BW bytes/s.
Value tensor_all_reduce(Arguments v)
{
    const std::array<double, 4> asked{v[3], 2 * v[0] * v[1] * v[2], 0, v[4]};
    return ring_seconds<CollectiveKind::all_reduce>(asked);
}

// p stages, m micro-batches, v chunks; F = 1 and B = 2, cut in two halves where the schedule splits it.
Result<Timeline> simulated(std::string_view id, Arguments v)
{
    const ScheduleKind kind = schedule(id);
    ScheduleShape shape;
    Issues issues;
    const auto take = [&](std::string_view what, double value, std::int64_t& target)
    {
        const auto n = whole(what, value, 1, kMostSimulated);
        target = n ? *n : 1;
        if (!n)
        {
            issues.push_back(n.issues().front());
        }
    };
    take("the number of stages", v[0], shape.stages);
    take("the number of micro-batches", v[1], shape.micro_batches);
    take("the number of chunks", v.size() > 2 ? v[2] : 1, shape.chunks);
    if (!issues.empty())
    {
        return issues;
    }
    if (operations_of(kind, shape) > kMostSimulated)
    {
        return Issue{
            "",
            fmt::format("{} operations are too many to simulate", three_digits(operations_of(kind, shape))),
            "use fewer stages or micro-batches"};
    }
    const Costs costs = equal_costs(kind, shape, {});
    const auto order = make_order(kind, shape, costs);
    return order ? simulate(*order, costs) : Result<Timeline>(order.issues());
}

constexpr std::string_view kGpipe = "gpipe";
constexpr std::string_view k1f1b = "1f1b";
constexpr std::string_view kInterleaved = "interleaved";
constexpr std::string_view kZbH1 = "zb-h1";

template <const std::string_view& id>
Value of_total(Arguments v)
{
    const auto t = simulated(id, v);
    return t ? Value(t->bubble_of_total()) : Value(t.issues());
}

template <const std::string_view& id>
Value over_ideal(Arguments v)
{
    const auto t = simulated(id, v);
    return t ? Value(t->bubble_over_ideal()) : Value(t.issues());
}

template <const std::string_view& id>
Value in_flight(Arguments v)
{
    const auto stage = whole("the stage", v[2], 0, v[0] - 1);
    const auto t = stage ? simulated(id, v.first(2)) : Result<Timeline>(stage.issues());
    return t ? Value(static_cast<double>(t->peak_in_flight[static_cast<std::size_t>(*stage)]))
             : Value(t.issues());
}

Value zero_state(Arguments v)
{
    const auto n = ranks(v[1]);
    const auto stage = whole("the ZeRO stage", v[2], 0, 3);
    if (!n || !stage)
    {
        return n ? stage.issues() : n.issues();
    }
    return zero_paper_bytes(v[0], *n, *stage).value;
}

// Elements a rank sends in one step of k micro-batches: (N-1)/N of every pass over the parameters.
Value zero_traffic(Arguments v)
{
    const auto n = ranks(v[1]);
    const auto stage = whole("the ZeRO stage", v[2], 0, 3);
    const auto k = whole("the number of micro-batches", v[3], 1, 1e7);
    if (!n || !stage || !k)
    {
        return n ? (stage ? k.issues() : stage.issues()) : n.issues();
    }
    StepOptions options;
    options.strategy = static_cast<StepStrategy>(*stage);
    options.accumulation = *k;
    return step_passes(options).all() * v[0] * (v[1] - 1) / v[1];
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

Value young(Arguments v)
{
    return young_interval(Seconds(v[0]), Seconds(v[1])).value;
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

// Of a reader whose storage is no limit.
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

template <double (*f)(double)>
Value plain(Arguments v)
{
    return f(v[0]);
}

Value smallest(Arguments v)
{
    return *std::min_element(v.begin(), v.end());
}

Value largest(Arguments v)
{
    return *std::max_element(v.begin(), v.end());
}

Value product_intensity(Arguments v)
{
    const Product p{v[0], v[1], v[2], 1};
    const double bytes = product_bytes(p, v[3]);
    if (!(bytes > 0))
    {
        return refuse("the bytes of the product", bytes, "use lengths and a width above 0");
    }
    return p.flops() / bytes;
}

// Tiles of 128 x 128; of the places in all waves on p multiprocessors, those with a tile.
Value tile_wave_use(Arguments v)
{
    if (!(v[0] > 0 && v[1] > 0 && v[2] >= 1))
    {
        return refuse("the number of multiprocessors", v[2], "use lengths and a number above 0");
    }
    const double tiles = std::ceil(v[0] / 128) * std::ceil(v[1] / 128);
    return tiles / (std::ceil(tiles / v[2]) * v[2]);
}

// Shared memory in KiB; on Hopper.
Value resident_blocks(Arguments v)
{
    const auto threads = whole("the number of threads", v[0], 1, 1024);
    const auto registers = whole("the number of registers", v[1], 0, 255);
    const auto shared = whole("KiB of shared memory", v[2], 0, 227);
    for (const auto* part : {&threads, &registers, &shared})
    {
        if (!*part)
        {
            return part->issues();
        }
    }
    return static_cast<double>(
        occupancy(multiprocessors()[1], {*threads, *registers, *shared * 1024}).blocks);
}

constexpr std::array kFunctions{
    StudyFunction{"min", "...", "the smallest", smallest},
    StudyFunction{"max", "...", "the largest", largest},
    StudyFunction{"sqrt", "x", "square root", plain<std::sqrt>},
    StudyFunction{"ln", "x", "natural logarithm", plain<std::log>},
    StudyFunction{"log2", "x", "logarithm to base 2", plain<std::log2>},
    StudyFunction{"log10", "x", "logarithm to base 10", plain<std::log10>},
    StudyFunction{"exp", "x", "e to the x", plain<std::exp>},
    StudyFunction{"abs", "x", "without its sign", plain<std::fabs>},
    StudyFunction{"ceil", "x", "rounded up", plain<std::ceil>},
    StudyFunction{"floor", "x", "rounded down", plain<std::floor>},
    StudyFunction{"round", "x", "rounded, halves away from 0", plain<std::round>},
    StudyFunction{"mod", "a, b", "what is left of a divided by b",
                  [](Arguments v) { return Value(std::fmod(v[0], v[1])); }},
    StudyFunction{"ring_all_reduce_s", "n, S, a, B", "[s] 2(n-1)a + 2(n-1)/n S/B",
                  ring_seconds<CollectiveKind::all_reduce>},
    StudyFunction{"tree_all_reduce_s", "n, S, a, B", "[s] double tree: 2 log2(n) a + 2 S/B",
                  double_tree_seconds},
    StudyFunction{"naive_all_reduce_s", "n, S, a, B", "[s] all to one rank and back: 2a + 2(n-1) S/B",
                  naive_seconds},
    StudyFunction{"all_gather_s", "n, S, a, B", "[s] ring; S is what a rank ends with: (n-1)a + (n-1)/n S/B",
                  ring_seconds<CollectiveKind::all_gather>},
    StudyFunction{"reduce_scatter_s", "n, S, a, B", "[s] ring; S is what a rank starts with",
                  ring_seconds<CollectiveKind::reduce_scatter>},
    StudyFunction{"all_to_all_s", "n, S, a, B",
                  "[s] direct; S is what a rank has for all: (n-1)a + (n-1)/n S/B", exchange_seconds},
    StudyFunction{"broadcast_s", "n, S, a, B", "[s] binary tree: log2(n) (a + S/B)", broadcast_seconds},
    StudyFunction{"ring_all_reduce_bytes", "n, S", "[B] sent by each rank: 2(n-1)/n S",
                  ring_bytes<CollectiveKind::all_reduce>},
    StudyFunction{"all_gather_bytes", "n, S", "[B] sent by each rank: (n-1)/n S",
                  ring_bytes<CollectiveKind::all_gather>},
    StudyFunction{"reduce_scatter_bytes", "n, S", "[B] sent by each rank: (n-1)/n S",
                  ring_bytes<CollectiveKind::reduce_scatter>},
    StudyFunction{"all_to_all_bytes", "n, S", "[B] sent by each rank: (n-1)/n S", exchange_bytes},
    StudyFunction{"ring_all_reduce_steps", "n", "2(n-1)", ring_steps},
    StudyFunction{"bubble_of_total_gpipe", "p, m", "share of all time, simulated", of_total<kGpipe>, true},
    StudyFunction{"bubble_of_total_1f1b", "p, m", "share of all time, simulated", of_total<k1f1b>, true},
    StudyFunction{"bubble_of_total_interleaved", "p, m, v", "share of all time, simulated",
                  of_total<kInterleaved>, true},
    StudyFunction{"bubble_of_total_zb_h1", "p, m", "share of all time, simulated with F = I = W",
                  of_total<kZbH1>, true},
    StudyFunction{"bubble_over_ideal_gpipe", "p, m", "over the ideal time, simulated", over_ideal<kGpipe>,
                  true},
    StudyFunction{"bubble_over_ideal_1f1b", "p, m", "over the ideal time, simulated", over_ideal<k1f1b>,
                  true},
    StudyFunction{"bubble_over_ideal_interleaved", "p, m, v", "over the ideal time, simulated",
                  over_ideal<kInterleaved>, true},
    StudyFunction{"in_flight_gpipe", "p, m, stage", "micro-batches a stage (from 0) keeps at most",
                  in_flight<kGpipe>, true},
    StudyFunction{"in_flight_1f1b", "p, m, stage", "micro-batches a stage (from 0) keeps at most",
                  in_flight<k1f1b>, true},
    StudyFunction{"zero_state_bytes", "P, N, stage", "[B] of a rank at 16 bytes a parameter", zero_state},
    StudyFunction{"zero_traffic_elements", "P, N, stage, k", "sent by a rank in a step of k micro-batches",
                  zero_traffic},
    StudyFunction{"training_flops", "N, D", "[FLOP] 6 N D", flops},
    StudyFunction{"training_seconds", "N, D, n, peak, mfu", "[s] 6 N D / (n peak mfu)", seconds},
    StudyFunction{"chinchilla_parameters", "C", "compute-optimal parameters at 20 tokens each",
                  [](Arguments v) { return Value(chinchilla_optimum(v[0]).parameters); }},
    StudyFunction{"chinchilla_tokens", "C", "compute-optimal tokens at 20 a parameter",
                  [](Arguments v) { return Value(chinchilla_optimum(v[0]).tokens); }},
    StudyFunction{"chinchilla_loss", "N, D", "nats a token, approach 3",
                  [](Arguments v) { return Value(chinchilla_loss(v[0], v[1])); }},
    StudyFunction{"refit_loss", "N, D", "nats a token, Besiroglu et al. 2024",
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
    StudyFunction{"product_intensity", "M, N, K, e", "[FLOP/B] e bytes an operand's number, 2 the result's",
                  product_intensity},
    StudyFunction{"tile_wave_use", "M, N, p", "tiles of 128 x 128 over the places of their waves",
                  tile_wave_use},
    StudyFunction{"resident_blocks", "threads, registers, shared_kib", "on one multiprocessor of Hopper",
                  resident_blocks},
    StudyFunction{"steps_over_least", "B, C", "steps to a loss over the fewest: 1 + C/B", steps_to_loss},
    StudyFunction{"measured_noise_scale", "b, g, B, G", "tr/|G|^2 from the norms over a part and a batch",
                  measured_noise},
    StudyFunction{"fp4_round", "x", "nearest number of E2M1, at most 6", fp4_round},
    StudyFunction{"mxfp4_scale", "A", "scale of an MXFP4 block whose largest magnitude is A", mxfp4_scale},
    StudyFunction{"tensor_all_reduce_s", "b, s, h, t, BW", "[s] ring, 2 bytes an element, no latency",
                  tensor_all_reduce},
};

} // namespace

std::size_t StudyFunction::count() const
{
    return arguments == "..."
               ? 0
               : static_cast<std::size_t>(std::count(arguments.begin(), arguments.end(), ',')) + 1;
}

std::span<const StudyFunction> study_functions()
{
    return kFunctions;
}

const StudyFunction* find_function(std::string_view name)
{
    const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [name](const StudyFunction& f) { return f.name == name; });
    return found == kFunctions.end() ? nullptr : &*found;
}

} // namespace ringside
