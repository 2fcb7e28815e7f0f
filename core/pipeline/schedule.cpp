#include "core/pipeline/schedule.h"

#include <fmt/format.h>

#include "core/pipeline/families.h"

#include <algorithm>
#include <cassert>

namespace ringside
{

std::span<const ScheduleKind> schedules()
{
    static const std::vector<ScheduleKind> all = []
    {
        std::vector<ScheduleKind> found;
        for (const auto family : {classic_schedules(), split_schedules(), dual_schedules()})
        {
            for (const ScheduleInfo& info : family)
            {
                found.push_back(&info);
            }
        }
        return found;
    }();
    return all;
}

ScheduleKind find_schedule(std::string_view id)
{
    const auto all = schedules();
    const auto found = std::find_if(all.begin(), all.end(), [id](ScheduleKind s) { return s->id == id; });
    return found == all.end() ? nullptr : *found;
}

ScheduleKind schedule(std::string_view id)
{
    const ScheduleKind found = find_schedule(id);
    assert(found != nullptr);
    return found != nullptr ? found : schedules().front();
}

Issues check_shape(ScheduleKind kind, const ScheduleShape& s)
{
    Issues issues;
    if (s.stages < 1)
    {
        // DualPipe takes even numbers only.
        issues.push_back({"stages", fmt::format("{} is out of range", s.stages),
                          kind->placement == Placement::two_way ? "use 2" : "use 1 or more"});
    }
    if (s.micro_batches < 1)
    {
        const ScheduleShape least{std::max<std::int64_t>(1, s.stages), 1, kind->least_chunks};
        issues.push_back(
            {"micro_batches", fmt::format("{} is out of range", s.micro_batches),
             fmt::format("use {}", std::max<std::int64_t>(1, nearest_micro_batches(kind, least)))});
    }
    const std::int64_t least = s.stages > 1 || kind->placement == Placement::v ? kind->least_chunks : 1;
    if (s.chunks < least || s.chunks > kind->most_chunks)
    {
        issues.push_back(
            {"chunks", fmt::format("{} per stage does not suit the schedule {}", s.chunks, kind->id),
             least == kind->most_chunks ? fmt::format("use {}", least)
                                        : fmt::format("use {} to {}", least, kind->most_chunks)});
    }
    if (!issues.empty())
    {
        return issues;
    }
    return kind->check != nullptr ? kind->check(s) : issues;
}

std::int64_t nearest_micro_batches(ScheduleKind kind, ScheduleShape shape)
{
    const std::int64_t most = shape.micro_batches + 2 * shape.stages;
    for (; shape.micro_batches <= most; ++shape.micro_batches)
    {
        if (check_shape(kind, shape).empty())
        {
            return shape.micro_batches;
        }
    }
    return 0;
}

Result<Order> make_order(ScheduleKind kind, const ScheduleShape& shape, const Costs& costs)
{
    const Issues issues = check_shape(kind, shape);
    return issues.empty() ? Result<Order>(kind->make(shape, costs)) : Result<Order>(issues);
}

std::int64_t virtual_stages(ScheduleKind kind, const ScheduleShape& shape)
{
    return kind->placement == Placement::two_way ? shape.stages : shape.stages * shape.chunks;
}

std::int64_t rank_of(ScheduleKind kind, const ScheduleShape& shape, std::int64_t stage,
                     std::int64_t micro_batch)
{
    const std::int64_t p = shape.stages;
    assert(stage >= 0 && stage < virtual_stages(kind, shape) && micro_batch >= 0);
    switch (kind->placement)
    {
    case Placement::loop:
        break;
    case Placement::v:
        return stage / p % 2 == 0 ? stage % p : p - 1 - stage % p;
    case Placement::two_way:
        return micro_batch < shape.micro_batches / 2 ? stage : p - 1 - stage;
    }
    return stage % p;
}

std::vector<std::int64_t> stages_of(Placement placement, std::int64_t stages, std::int64_t chunks,
                                    std::int64_t rank)
{
    assert(rank >= 0 && rank < stages && chunks >= 1);
    if (placement == Placement::two_way)
    {
        return {rank, stages - 1 - rank};
    }
    std::vector<std::int64_t> found;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    {
        const bool back = placement == Placement::v && chunk % 2 == 1;
        found.push_back(chunk * stages + (back ? stages - 1 - rank : rank));
    }
    return found;
}

std::int64_t weight_copies(ScheduleKind kind)
{
    return kind->placement == Placement::two_way ? 2 : 1;
}

std::vector<std::int64_t> kept_at_peak(const std::vector<Operation>& rank_order,
                                       std::span<const std::int64_t> stages, std::span<const double> weights)
{
    std::vector<std::int64_t> kept(stages.size(), 0);
    std::vector<std::int64_t> peak = kept;
    double held = 0;
    double most = 0;
    for (const Operation& o : rank_order)
    {
        const auto chunk =
            static_cast<std::size_t>(std::find(stages.begin(), stages.end(), o.stage) - stages.begin());
        if (chunk == stages.size() || o.pass == Pass::input)
        {
            continue;
        }
        const int change = o.pass == Pass::forward ? 1 : -1;
        kept[chunk] += change;
        held += change * weights[chunk];
        if (held > most)
        {
            most = held;
            peak = kept;
        }
    }
    return peak;
}

Costs equal_costs(ScheduleKind kind, const ScheduleShape& shape, const StageTimes& times)
{
    const auto v = static_cast<double>(shape.chunks);
    Costs costs;
    costs.stages.assign(
        static_cast<std::size_t>(virtual_stages(kind, shape)),
        {times.forward / v, (times.backward_input + times.recompute) / v, times.backward_weight / v});
    costs.transfer = times.transfer;
    costs.blocking = times.blocking;
    costs.pair = times.pair;
    return costs;
}

char letter(Pass pass)
{
    return "FBIW"[static_cast<std::size_t>(pass)];
}

std::string to_text(const Operation& operation)
{
    return fmt::format("{}{}{}", operation.stage, letter(operation.pass), operation.micro_batch);
}

} // namespace ringside
