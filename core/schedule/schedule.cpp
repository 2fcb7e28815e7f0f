#include "core/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

Operation op(Pass pass, std::int64_t stage, std::int64_t micro_batch)
{
    return {pass, static_cast<std::int32_t>(stage), static_cast<std::int32_t>(micro_batch)};
}

Issues check_counts(const ScheduleShape& s)
{
    Issues issues;
    if (s.stages < 1)
    {
        issues.push_back({"stages", fmt::format("{} is out of range", s.stages), "use 1 or more"});
    }
    if (s.micro_batches < 1)
    {
        issues.push_back(
            {"micro_batches", fmt::format("{} is out of range", s.micro_batches), "use 1 or more"});
    }
    return issues;
}

Issues check_plain(const ScheduleShape& s)
{
    Issues issues = check_counts(s);
    if (s.chunks != 1)
    {
        issues.push_back({"chunks", fmt::format("{} chunks on a schedule without interleaving", s.chunks),
                          "use 1, or the schedule interleaved"});
    }
    return issues;
}

Issues check_interleaved(const ScheduleShape& s)
{
    Issues issues = check_counts(s);
    if (s.chunks < 1 || (s.chunks < 2 && s.stages > 1))
    {
        issues.push_back({"chunks", fmt::format("{} chunk a stage is not interleaved", s.chunks),
                          "use 2 or more, or the schedule 1f1b"});
    }
    if (s.stages > 0 && s.micro_batches % s.stages != 0)
    {
        issues.push_back({"micro_batches",
                          fmt::format("{} is not a multiple of {} stages", s.micro_batches, s.stages),
                          fmt::format("use {}", (s.micro_batches / s.stages + 1) * s.stages)});
    }
    return issues;
}

// One micro-batch in the whole pipeline at a time.
Order make_naive(const ScheduleShape& s)
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

Order make_gpipe(const ScheduleShape& s)
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

// Stage i starts with p - i - 1 forwards, then alternates one forward and one backward, then drains.
Order make_1f1b(const ScheduleShape& s)
{
    Order order(static_cast<std::size_t>(s.stages));
    for (std::int64_t stage = 0; stage < s.stages; ++stage)
    {
        auto& ops = order[static_cast<std::size_t>(stage)];
        const std::int64_t warmup = std::min(s.micro_batches, s.stages - stage - 1);
        for (std::int64_t i = 0; i < warmup; ++i)
        {
            ops.push_back(op(Pass::forward, stage, i));
        }
        for (std::int64_t i = 0; i < s.micro_batches; ++i)
        {
            if (warmup + i < s.micro_batches)
            {
                ops.push_back(op(Pass::forward, stage, warmup + i));
            }
            ops.push_back(op(Pass::backward, stage, i));
        }
    }
    return order;
}

// Each rank holds v chunks and goes through them in groups of p micro-batches.
Order make_interleaved(const ScheduleShape& s)
{
    const std::int64_t p = s.stages;
    const std::int64_t v = s.chunks;
    const std::int64_t total = s.micro_batches * v;
    Order order(static_cast<std::size_t>(p));
    for (std::int64_t rank = 0; rank < p; ++rank)
    {
        auto& ops = order[static_cast<std::size_t>(rank)];
        const auto nth = [&](Pass pass, std::int64_t k)
        {
            const std::int64_t group = k / (p * v);
            const std::int64_t chunk = k % (p * v) / p;
            const std::int64_t micro_batch = group * p + k % p;
            return op(pass, (pass == Pass::forward ? chunk : v - 1 - chunk) * p + rank, micro_batch);
        };
        const std::int64_t warmup = std::min(total, 2 * (p - rank - 1) + (v - 1) * p);
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
    }
    return order;
}

constexpr std::array kSchedules{
    ScheduleInfo{ScheduleKind::naive, "naive", "Naive", "one micro-batch in the pipeline at a time",
                 "Huang et al., arXiv 1811.06965, figure 2b", check_plain, make_naive},
    ScheduleInfo{ScheduleKind::gpipe, "gpipe", "GPipe", "all forwards, then all backwards",
                 "Huang et al., arXiv 1811.06965, figure 2c", check_plain, make_gpipe},
    ScheduleInfo{ScheduleKind::one_f_one_b, "1f1b", "1F1B",
                 "alternates one forward and one backward, so less is kept",
                 "Narayanan et al., arXiv 2006.09503 (PipeDream-Flush)", check_plain, make_1f1b},
    ScheduleInfo{ScheduleKind::interleaved, "interleaved", "Interleaved",
                 "several model chunks per stage, so the pipeline fills sooner",
                 "Narayanan et al., arXiv 2104.04473, section 2.2", check_interleaved, make_interleaved},
};

} // namespace

std::span<const ScheduleInfo> schedules()
{
    return kSchedules;
}

const ScheduleInfo& schedule_info(ScheduleKind kind)
{
    return kSchedules.at(static_cast<std::size_t>(kind));
}

Result<Order> make_order(ScheduleKind kind, const ScheduleShape& shape)
{
    const ScheduleInfo& info = schedule_info(kind);
    const Issues issues = info.check(shape);
    return issues.empty() ? Result<Order>(info.make(shape)) : Result<Order>(issues);
}

std::string to_text(const Operation& operation)
{
    return fmt::format("{}{}{}", operation.stage, operation.pass == Pass::forward ? 'F' : 'B',
                       operation.micro_batch);
}

} // namespace ringside
