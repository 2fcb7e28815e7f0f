// Schedules whose backward is one operation: naive, GPipe, 1F1B, interleaved 1F1B, looped breadth-first.
#include <fmt/format.h>

#include "core/pipeline/families.h"

#include <algorithm>
#include <array>

namespace ringside
{

std::int64_t micro_batches_per_round(const ScheduleShape& s)
{
    const std::int64_t rounds = std::max<std::int64_t>(1, s.micro_batches / s.stages);
    return s.micro_batches % rounds == 0 ? s.micro_batches / rounds : 0;
}

Issues check_rounds(const ScheduleShape& s)
{
    if (micro_batches_per_round(s) > 0)
    {
        return {};
    }
    // A multiple of the stages is always legal; so is a smaller number that makes the same rounds.
    const std::int64_t rounds = s.micro_batches / s.stages;
    const std::int64_t fewer = s.micro_batches / rounds * rounds;
    return {{"micro_batches",
             fmt::format("{} micro-batches do not make {} equal rounds over {} stages", s.micro_batches,
                         rounds, s.stages),
             fmt::format("use {} or {}", fewer, std::min((rounds + 1) * s.stages, fewer + rounds))}};
}

namespace
{

// One micro-batch in the whole pipeline at a time.
Order make_naive(const ScheduleShape& s, const Costs&)
{
    Order order(static_cast<std::size_t>(s.stages));
    for (std::int64_t stage = 0; stage < s.stages; ++stage)
    {
        for (std::int64_t i = 0; i < s.micro_batches; ++i)
        {
            order[static_cast<std::size_t>(stage)].push_back(op(Pass::forward, stage, i));
            order[static_cast<std::size_t>(stage)].push_back(op(Pass::backward, stage, i));
        }
    }
    return order;
}

Order make_gpipe(const ScheduleShape& s, const Costs&)
{
    Order order(static_cast<std::size_t>(s.stages));
    for (std::int64_t stage = 0; stage < s.stages; ++stage)
    {
        auto& ops = order[static_cast<std::size_t>(stage)];
        for (const Pass pass : {Pass::forward, Pass::backward})
        {
            for (std::int64_t i = 0; i < s.micro_batches; ++i)
            {
                ops.push_back(op(pass, stage, i));
            }
        }
    }
    return order;
}

// All forwards of a chunk, then of the next; backwards from the last chunk and the last micro-batch.
Order make_looped_bfs(const ScheduleShape& s, const Costs&)
{
    Order order(static_cast<std::size_t>(s.stages));
    for (std::int64_t rank = 0; rank < s.stages; ++rank)
    {
        auto& ops = order[static_cast<std::size_t>(rank)];
        for (std::int64_t chunk = 0; chunk < s.chunks; ++chunk)
        {
            for (std::int64_t i = 0; i < s.micro_batches; ++i)
            {
                ops.push_back(op(Pass::forward, chunk * s.stages + rank, i));
            }
        }
        for (std::int64_t chunk = s.chunks - 1; chunk >= 0; --chunk)
        {
            for (std::int64_t i = s.micro_batches - 1; i >= 0; --i)
            {
                ops.push_back(op(Pass::backward, chunk * s.stages + rank, i));
            }
        }
    }
    return order;
}

// `warmup` forwards, then one forward and one backward in turn, then the backwards that are left.
template <class Nth>
std::vector<Operation> alternate(std::int64_t warmup, std::int64_t total, const Nth& nth)
{
    std::vector<Operation> ops;
    ops.reserve(static_cast<std::size_t>(2 * total));
    for (std::int64_t k = 0; k < warmup; ++k)
    {
        ops.push_back(nth(Pass::forward, k));
    }
    for (std::int64_t k = 0; k < total; ++k)
    {
        if (warmup + k < total)
        {
            ops.push_back(nth(Pass::forward, warmup + k));
        }
        ops.push_back(nth(Pass::backward, k));
    }
    return ops;
}

Order make_1f1b(const ScheduleShape& s, const Costs&)
{
    Order order;
    for (std::int64_t stage = 0; stage < s.stages; ++stage)
    {
        order.push_back(alternate(std::min(s.micro_batches, s.stages - stage - 1), s.micro_batches,
                                  [stage](Pass pass, std::int64_t k) { return op(pass, stage, k); }));
    }
    return order;
}

std::int64_t interleaved_warmup(const ScheduleShape& s, std::int64_t rank)
{
    return std::min(s.micro_batches * s.chunks,
                    2 * (s.stages - rank - 1) + (s.chunks - 1) * micro_batches_per_round(s));
}

// Each rank holds v chunks and goes through them in rounds of micro-batches.
Order make_interleaved(const ScheduleShape& s, const Costs&)
{
    const std::int64_t p = s.stages;
    const std::int64_t v = s.chunks;
    const std::int64_t round = micro_batches_per_round(s);
    Order order;
    for (std::int64_t rank = 0; rank < p; ++rank)
    {
        const auto nth = [=](Pass pass, std::int64_t k)
        {
            const std::int64_t chunk = k / round % v;
            const std::int64_t micro_batch = k / (round * v) * round + k % round;
            return op(pass, (pass == Pass::forward ? chunk : v - 1 - chunk) * p + rank, micro_batch);
        };
        order.push_back(alternate(interleaved_warmup(s, rank), s.micro_batches * v, nth));
    }
    return order;
}

using Kept = std::vector<std::int64_t>;

Kept kept_naive(const ScheduleShape&, std::int64_t)
{
    return {1};
}

Kept kept_all(const ScheduleShape& s, std::int64_t)
{
    return Kept(static_cast<std::size_t>(s.chunks), s.micro_batches);
}

Kept kept_1f1b(const ScheduleShape& s, std::int64_t rank)
{
    return {std::min(s.micro_batches, s.stages - rank)};
}

// After the forwards of the warm-up and one more.
Kept kept_interleaved(const ScheduleShape& s, std::int64_t rank)
{
    const std::int64_t round = micro_batches_per_round(s);
    const std::int64_t forwards = std::min(s.micro_batches * s.chunks, interleaved_warmup(s, rank) + 1);
    Kept kept(static_cast<std::size_t>(s.chunks), 0);
    for (std::int64_t k = 0; k < forwards; ++k)
    {
        ++kept[static_cast<std::size_t>(k / round % s.chunks)];
    }
    return kept;
}

double stage_time(const StageTimes& t)
{
    return t.forward + t.backward_input + t.recompute + t.backward_weight;
}

double idle_naive(const ScheduleShape& s, const StageTimes& t)
{
    return other_stages(s) * static_cast<double>(s.micro_batches) * stage_time(t);
}

double idle_plain(const ScheduleShape& s, const StageTimes& t)
{
    return other_stages(s) * stage_time(t);
}

// Fewer micro-batches than stages leave gaps between the chunks, too: the last one's way through a chunk is
// longer than what there is to do meanwhile.
double idle_interleaved(const ScheduleShape& s, const StageTimes& t)
{
    const auto missing = static_cast<double>(std::max<std::int64_t>(0, s.stages - s.micro_batches));
    const auto chunks = static_cast<double>(s.chunks);
    return stage_time(t) / chunks * (other_stages(s) + (chunks - 1) * missing);
}

constexpr std::int64_t kAnyChunks = 1024;

constexpr std::array kClassicSchedules{
    ScheduleInfo{.id = "naive",
                 .name = "Naive",
                 .says = "one micro-batch in the pipeline at a time",
                 .source = "Huang et al., arXiv 1811.06965, figure 2b",
                 .make = make_naive,
                 .kept = kept_naive,
                 .idle = idle_naive,
                 .over_ideal = "p − 1",
                 .of_total = "(p − 1) / p"},
    ScheduleInfo{.id = "gpipe",
                 .name = "GPipe",
                 .says = "all forwards, then all backwards",
                 .source = "Huang et al., arXiv 1811.06965, figure 2c",
                 .make = make_gpipe,
                 .kept = kept_all,
                 .idle = idle_plain,
                 .over_ideal = "(p − 1) / m",
                 .of_total = "(p − 1) / (m + p − 1)"},
    ScheduleInfo{.id = "1f1b",
                 .name = "1F1B",
                 .says = "alternates one forward and one backward, so less is kept",
                 .source = "Narayanan et al., arXiv 2006.09503 (PipeDream-Flush)",
                 .make = make_1f1b,
                 .kept = kept_1f1b,
                 .idle = idle_plain,
                 .over_ideal = "(p − 1) / m",
                 .of_total = "(p − 1) / (m + p − 1)"},
    ScheduleInfo{.id = "interleaved",
                 .name = "Interleaved",
                 .says = "several model chunks per stage, so the pipeline fills sooner",
                 .source = "Narayanan et al., arXiv 2104.04473, section 2.2.2",
                 .least_chunks = 2,
                 .most_chunks = kAnyChunks,
                 .check = check_rounds,
                 .make = make_interleaved,
                 .kept = kept_interleaved,
                 .idle = idle_interleaved,
                 .over_ideal = "(p − 1) / (m × v)",
                 .of_total = "(p − 1) / (m × v + p − 1)"},
    ScheduleInfo{.id = "looped-bfs",
                 .name = "Looped BFS",
                 .says = "all micro-batches through one chunk, then the next: breadth first",
                 .source = "Lamy-Poirier, arXiv 2211.05953",
                 .least_chunks = 1,
                 .most_chunks = kAnyChunks,
                 .make = make_looped_bfs,
                 .kept = kept_all,
                 .idle = idle_interleaved,
                 .over_ideal = "(p − 1) / (m × v)",
                 .of_total = "(p − 1) / (m × v + p − 1)"},
};

} // namespace

std::span<const ScheduleInfo> classic_schedules()
{
    return kClassicSchedules;
}

} // namespace ringside
