// Schedules that split the backward: the input gradient at once, because the stage before waits for it, the
// weight gradient when there is nothing better to do.
#include <fmt/format.h>

#include "core/pipeline/families.h"
#include "core/pipeline/zero_bubble.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ringside
{

namespace
{

// Interleaved with weight gradients put off: rank r owes r of them through the steady part, which fills the
// gaps of the end (ZB-H1 over several chunks, as PyTorch's runtime orders it).
Order make_interleaved_zb(const ScheduleShape& s, const Costs&)
{
    const std::int64_t p = s.stages;
    const std::int64_t v = s.chunks;
    const std::int64_t round = micro_batches_per_round(s);
    const std::int64_t total = s.micro_batches * v;
    Order order(static_cast<std::size_t>(p));
    for (std::int64_t rank = 0; rank < p; ++rank)
    {
        auto& ops = order[static_cast<std::size_t>(rank)];
        ops.reserve(static_cast<std::size_t>(3 * total));
        const auto nth = [=](Pass pass, std::int64_t k)
        {
            const std::int64_t chunk = k / round % v;
            const std::int64_t micro_batch = k / (round * v) * round + k % round;
            return op(pass, (pass == Pass::forward ? chunk : v - 1 - chunk) * p + rank, micro_batch);
        };
        const std::int64_t warmup = std::min(total, p - rank - 1 + (v - 1) * round);
        std::int64_t forwards = 0;
        while (forwards < warmup)
        {
            ops.push_back(nth(Pass::forward, forwards++));
        }
        std::int64_t weights = 0;
        for (std::int64_t k = 0; k < total; ++k)
        {
            if (forwards < total)
            {
                ops.push_back(nth(Pass::forward, forwards++));
            }
            ops.push_back(nth(Pass::input, k));
            if (k >= rank)
            {
                ops.push_back(nth(Pass::weight, weights++));
            }
        }
        while (weights < total)
        {
            ops.push_back(nth(Pass::weight, weights++));
        }
    }
    return order;
}

// ZB-V as PyTorch's runtime orders it: made for F = I = W. Fewer micro-batches than fill the pipeline are
// taken out of the order for as many as do.
class ZbvRank
{
public:
    ZbvRank(const ScheduleShape& s, std::int64_t rank)
        : micro_batches_(s.micro_batches), filled_(std::max(2 * s.stages - 1, s.micro_batches)),
          ranks_(s.stages), rank_(rank), stage_{rank, 2 * s.stages - 1 - rank}
    {
    }

    std::vector<Operation> run()
    {
        forwards(2 * (ranks_ - rank_) - 1);
        for (std::int64_t i = 0; i < rank_; ++i)
        {
            add(Pass::forward, 1);
            add(Pass::forward, 0);
        }
        for (std::int64_t i = 0; i < ranks_ - rank_; ++i)
        {
            cycle(1);
        }
        while (count(Pass::forward, 1) < count(Pass::forward, 0) || count(Pass::forward, 0) < filled_)
        {
            if (count(Pass::forward, 0) < filled_)
            {
                add(Pass::forward, 0);
            }
            add(Pass::input, 0);
            add(Pass::weight, 0);
            cycle(1);
        }
        for (std::int64_t i = 0; i < rank_; ++i)
        {
            add(Pass::input, 0);
            add(Pass::input, 1);
        }
        for (std::int64_t i = 0; i < ranks_ - rank_; ++i)
        {
            add(Pass::input, 0);
            add(Pass::weight, 0);
        }
        for (const std::size_t chunk : {std::size_t{1}, std::size_t{0}})
        {
            while (count(Pass::weight, chunk) < count(Pass::input, chunk))
            {
                add(Pass::weight, chunk);
            }
        }
        return std::move(ops_);
    }

private:
    void forwards(std::int64_t times)
    {
        for (std::int64_t i = 0; i < times; ++i)
        {
            add(Pass::forward, 0);
        }
    }

    void cycle(std::size_t chunk)
    {
        add(Pass::forward, chunk);
        add(Pass::input, chunk);
        add(Pass::weight, chunk);
    }

    std::int64_t& count(Pass pass, std::size_t chunk)
    {
        return (pass == Pass::forward ? forwards_ : pass == Pass::input ? inputs_ : weights_).at(chunk);
    }

    void add(Pass pass, std::size_t chunk)
    {
        const std::int64_t micro_batch = count(pass, chunk)++;
        if (micro_batch < micro_batches_)
        {
            ops_.push_back(op(pass, stage_.at(chunk), micro_batch));
        }
    }

    std::int64_t micro_batches_;
    std::int64_t filled_;
    std::int64_t ranks_;
    std::int64_t rank_;
    std::array<std::int64_t, 2> stage_;
    std::array<std::int64_t, 2> forwards_{};
    std::array<std::int64_t, 2> inputs_{};
    std::array<std::int64_t, 2> weights_{};
    std::vector<Operation> ops_;
};

// What the runtimes' ZB-V is made for: all three times equal on every stage, transfers free.
bool equal_times(const Costs& c)
{
    return c.transfer == 0 && std::all_of(c.stages.begin(), c.stages.end(),
                                          [&](const StageCost& s)
                                          {
                                              const double f = c.stages.front().forward;
                                              return s.forward == f && s.backward_input == f &&
                                                     s.backward_weight == f;
                                          });
}

Order make_zb_h1(const ScheduleShape& s, const Costs& c)
{
    return zero_bubble_order(s, c, {Placement::loop, zb_h1_limit(s.stages)});
}

Order make_zb_h2(const ScheduleShape& s, const Costs& c)
{
    return zero_bubble_order(s, c, {Placement::loop, zb_h2_limit(s.stages)});
}

Order make_zb_v(const ScheduleShape& s, const Costs& c)
{
    if (!equal_times(c))
    {
        return zero_bubble_order(s, c, {Placement::v, zb_v_limit(s.stages)});
    }
    Order order;
    for (std::int64_t rank = 0; rank < s.stages; ++rank)
    {
        order.push_back(ZbvRank(s, rank).run());
    }
    return order;
}

Order make_v_half(const ScheduleShape& s, const Costs& c)
{
    return zero_bubble_order(s, c, {Placement::v, v_half_limit(s.stages)});
}

Order make_v_min(const ScheduleShape& s, const Costs& c)
{
    return zero_bubble_order(s, c, {Placement::v, v_min_limit(s.stages)});
}

double whole_input(const StageTimes& t)
{
    return t.backward_input + t.recompute;
}

constexpr double kNoForm = std::numeric_limits<double>::infinity();

// (p - 1)(F + I - W) (Qi et al., arXiv 2401.10241, table 2, which writes B for I), once there are
// micro-batches enough to fill the pipeline, and while a W fits where an F or an I does.
double idle_zb_h1(const ScheduleShape& s, const StageTimes& t)
{
    const bool holds =
        s.micro_batches >= s.stages && t.backward_weight <= t.forward && t.backward_weight <= whole_input(t);
    return holds ? other_stages(s) * (t.forward + whole_input(t) - t.backward_weight) : kNoForm;
}

double idle_interleaved_zb(const ScheduleShape& s, const StageTimes& t)
{
    return idle_zb_h1(s, t) / static_cast<double>(s.chunks);
}

// The last rank cannot start before p - 1 forwards have passed, and no rank waits after that: makespan, not
// span. An I longer than the others would let the weight gradients run out.
double idle_zb_h2(const ScheduleShape& s, const StageTimes& t)
{
    const bool holds = s.micro_batches >= 2 * s.stages - 1 && whole_input(t) <= t.forward &&
                       whole_input(t) <= t.backward_weight;
    return holds ? other_stages(s) * t.forward : kNoForm;
}

// Made for equal times.
double idle_zb_v(const ScheduleShape& s, const StageTimes& t)
{
    const bool equal = t.forward == whole_input(t) && t.forward == t.backward_weight;
    return equal ? idle_zb_h2(s, t) / 2 : kNoForm;
}

constexpr std::array kSplitSchedules{
    ScheduleInfo{.id = "interleaved-zb",
                 .name = "Interleaved ZB",
                 .says = "interleaved, and weight gradients fill the gaps of the end",
                 .source = "Qi et al., arXiv 2401.10241, section 2.1; PyTorch's InterleavedZeroBubble",
                 .least_chunks = 1,
                 .most_chunks = 1024,
                 .splits_backward = true,
                 .check = check_rounds,
                 .make = make_interleaved_zb,
                 .idle = idle_interleaved_zb,
                 .over_ideal = "(p − 1) × (F + I − W) / (m × v × (F + I + W))",
                 .of_total = "(p − 1) × (F + I − W) / (m × v × (F + I + W) + (p − 1) × (F + I − W))"},
    ScheduleInfo{.id = "zb-h1",
                 .name = "ZB-H1",
                 .says = "weight gradients fill the gaps; keeps no more than 1F1B's first stage",
                 .source = "Qi et al., arXiv 2401.10241, section 2.1 (ZB-1p with its times)",
                 .splits_backward = true,
                 .make = make_zb_h1,
                 .idle = idle_zb_h1,
                 .over_ideal = "(p − 1) × (F + I − W) / (m × (F + I + W))",
                 .of_total = "(p − 1) × (F + I − W) / (m × (F + I + W) + (p − 1) × (F + I − W))"},
    ScheduleInfo{.id = "zb-h2",
                 .name = "ZB-H2",
                 .says = "twice the memory of 1F1B, so that no stage waits once it has begun",
                 .source = "Qi et al., arXiv 2401.10241, section 2.2 (ZB-2p with its times)",
                 .splits_backward = true,
                 .make = make_zb_h2,
                 .idle = idle_zb_h2,
                 .over_ideal = "(p − 1) × F / (m × (F + I + W))",
                 .of_total = "(p − 1) × F / (m × (F + I + W) + (p − 1) × F)"},
    ScheduleInfo{.id = "zb-v",
                 .name = "ZB-V",
                 .says = "chunks in a V: no waiting at the memory of 1F1B",
                 .source = "Qi et al., arXiv 2401.10241, section 6",
                 .placement = Placement::v,
                 .least_chunks = 2,
                 .most_chunks = 2,
                 .splits_backward = true,
                 .make = make_zb_v,
                 .idle = idle_zb_v,
                 .over_ideal = "(p − 1) × F / (2 × m × (F + I + W))",
                 .of_total = "(p − 1) × F / (2 × m × (F + I + W) + (p − 1) × F)"},
    ScheduleInfo{.id = "v-half",
                 .name = "V-half",
                 .says = "chunks in a V, in about half the memory of 1F1B",
                 .source = "Qi et al., arXiv 2405.15362, section 3",
                 .placement = Placement::v,
                 .least_chunks = 2,
                 .most_chunks = 2,
                 .splits_backward = true,
                 .make = make_v_half},
    ScheduleInfo{.id = "v-min",
                 .name = "V-min",
                 .says = "chunks in a V, in about a third of the memory of 1F1B",
                 .source = "Qi et al., arXiv 2405.15362, section 3",
                 .placement = Placement::v,
                 .least_chunks = 2,
                 .most_chunks = 2,
                 .splits_backward = true,
                 .make = make_v_min},
};

} // namespace

std::span<const ScheduleInfo> split_schedules()
{
    return kSplitSchedules;
}

} // namespace ringside
