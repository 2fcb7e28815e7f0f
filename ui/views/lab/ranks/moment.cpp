#include "ui/views/lab/ranks/moment.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/lab/team/team_traffic.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kMilli = 1e3; // of a second

struct Mean
{
    double sum = 0;
    double count = 0;

    void add(double value)
    {
        sum += value;
        count += 1;
    }
    double value() const { return count > 0 ? sum / count : 0; }
};

// What one micro-batch took one virtual stage.
struct StageMeans
{
    Mean forward, backward, input, weight;

    Mean& of(Pass pass)
    {
        switch (pass)
        {
        case Pass::forward:
            return forward;
        case Pass::backward:
            return backward;
        case Pass::input:
            return input;
        case Pass::weight:
            break;
        }
        return weight;
    }
    StageCost cost() const
    {
        const bool split = input.count > 0;
        return {forward.value(), split ? input.value() : backward.value() / 2,
                split ? weight.value() : backward.value() / 2};
    }
};

void finish(Timeline& timeline)
{
    timeline.first.push_back(timeline.events.size());
    timeline.peak_in_flight.resize(timeline.busy.size());
}

Timeline real_timeline(const TeamStepTrace& trace)
{
    Timeline timeline;
    for (const RankTrace& rank : trace.ranks)
    {
        timeline.first.push_back(timeline.events.size());
        double busy = 0;
        for (const RankTrace::Work& work : rank.work)
        {
            Event e;
            e.operation = work.operation;
            e.rank = static_cast<std::int32_t>(timeline.busy.size());
            e.start = e.ready = kMilli * work.start;
            e.end = kMilli * work.end;
            timeline.events.push_back(e);
            busy += e.end - e.start;
        }
        timeline.busy.push_back(busy);
    }
    timeline.makespan = kMilli * trace.seconds;
    finish(timeline);
    return timeline;
}

Costs mean_costs(const TeamStepTrace& trace)
{
    std::vector<StageMeans> means;
    for (const RankTrace& rank : trace.ranks)
    {
        for (const RankTrace::Work& work : rank.work)
        {
            const auto stage = static_cast<std::size_t>(work.operation.stage);
            means.resize(std::max(means.size(), stage + 1));
            means[stage].of(work.operation.pass).add(kMilli * (work.end - work.start));
        }
    }
    Costs costs;
    costs.stages = list_of<StageCost>(means, &StageMeans::cost);
    return costs;
}

// The order of one of the pipelines that are copies of each other.
Order order_of(const TeamStepTrace& trace, std::size_t stages)
{
    Order order(stages);
    for (const RankTrace& rank : trace.ranks)
    {
        if (rank.place.data != 0 || rank.place.tensor != 0)
        {
            continue;
        }
        for (const RankTrace::Work& work : rank.work)
        {
            order[static_cast<std::size_t>(rank.place.pipeline)].push_back(work.operation);
        }
    }
    return order;
}

// Every rank does what its stage of that pipeline does.
Timeline predicted_timeline(const TeamStepTrace& trace, std::size_t stages)
{
    Timeline all;
    const auto one = simulate(order_of(trace, stages), mean_costs(trace));
    if (!one)
    {
        return all;
    }
    for (const RankTrace& rank : trace.ranks)
    {
        const auto stage = static_cast<std::size_t>(rank.place.pipeline);
        all.first.push_back(all.events.size());
        for (Event e : one->rank(stage))
        {
            e.rank = static_cast<std::int32_t>(all.busy.size());
            e.waited_for = -1;
            all.events.push_back(e);
        }
        all.busy.push_back(one->busy[stage]);
    }
    all.makespan = one->makespan;
    finish(all);
    return all;
}

std::vector<std::string> axes_of(const TeamStepTrace& trace)
{
    std::vector<std::string> axes;
    for (const std::string_view axis : kTrafficAxes)
    {
        const bool used =
            std::ranges::any_of(trace.ranks,
                                [&](const RankTrace& r) {
                                    return std::ranges::any_of(r.messages, [&](const RankTrace::Message& m)
                                                               { return m.axis == axis; });
                                });
        if (used)
        {
            axes.emplace_back(axis);
        }
    }
    return axes;
}

double mean_of(const Timeline& timeline, bool forward)
{
    Mean mean;
    for (const Event& e : timeline.events)
    {
        if ((e.operation.pass == Pass::forward) == forward)
        {
            mean.add(e.end - e.start);
        }
    }
    return mean.value();
}

} // namespace

RankMoment::RankMoment(std::shared_ptr<const TeamStepTrace> of, const TeamConfig& a_config)
    : trace(std::move(of)), config(a_config), real(real_timeline(*trace)),
      stages(static_cast<std::size_t>(config.parallel.pipeline))
{
    predicted = predicted_timeline(*trace, stages);
    real_density = Density(real, 0.5);
    predicted_density = Density(predicted, 0.5);
    names = list_of<std::string>(trace->ranks.size(),
                                 [](std::size_t rank) { return fmt::format("rank {}", rank); });
    axes = axes_of(*trace);
    end = std::max({real.makespan, predicted.makespan, 1e-6});
    forward = mean_of(real, true);
    backward = mean_of(real, false);
}

double RankMoment::worked(const Timeline& timeline, double length) const
{
    const double busy = sum_over(timeline.busy);
    const double all = length * static_cast<double>(timeline.busy.size());
    return all > 0 ? busy / all : 0;
}

Colour colour_of_axis(const Theme& t, std::string_view axis)
{
    return axis == "data"        ? t.data.fill
           : axis == "tensor"    ? t.tensor.fill
           : axis == "context"   ? t.context.fill
           : axis == "expert"    ? t.expert.fill
           : axis == "pipeline"  ? t.pipeline.fill
           : axis == "embedding" ? mix(t.data.fill, t.pipeline.fill, 0.5F)
                                 : t.muted;
}

} // namespace ringside
