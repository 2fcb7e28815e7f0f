#include "ui/views/pipeline/pipelines/rows.h"

#include "core/evaluate/report.h"

#include <algorithm>

namespace ringside
{

namespace
{

// 1F1B beside what splits its backward; everything else beside 1F1B.
ScheduleKind rival_of(ScheduleKind kind)
{
    return schedule(kind == schedule("1f1b") ? "zb-h1" : "1f1b");
}

std::vector<double> stash_weights(const Costs& costs, std::int64_t chunks)
{
    return std::vector<double>(costs.stages.size(), 1 / static_cast<double>(chunks));
}

PipelineRow row_of(Alternative a, double share)
{
    PipelineRow row;
    row.name = a.kind->name;
    row.kind = a.kind;
    row.shape = a.shape;
    row.copies = weight_copies(a.kind);
    row.weight = stash_weights(a.costs, a.shape.chunks);
    row.timeline = std::make_unique<Timeline>(std::move(a.timeline));
    row.density = Density(*row.timeline, share);
    return row;
}

} // namespace

double PipelineRow::most_kept() const
{
    const auto& peaks = timeline->peak_in_flight;
    return peaks.empty() ? 0
                         : static_cast<double>(*std::max_element(peaks.begin(), peaks.end())) *
                               (weight.empty() ? 1 : weight.front());
}

double bubble_of(const Timeline& t, BubbleKind kind)
{
    switch (kind)
    {
    case BubbleKind::of_total:
        return t.bubble_of_total();
    case BubbleKind::over_ideal:
        return t.bubble_over_ideal();
    case BubbleKind::of_span:
        return t.span_bubble_of_total();
    case BubbleKind::over_ideal_span:
        break;
    }
    return t.span_bubble_over_ideal();
}

std::string_view words_of(BubbleKind kind)
{
    switch (kind)
    {
    case BubbleKind::of_total:
        return "bubble of total";
    case BubbleKind::over_ideal:
        return "bubble over ideal";
    case BubbleKind::of_span:
        return "bubble of the longest stage span";
    case BubbleKind::over_ideal_span:
        break;
    }
    return "bubble over ideal, by stage span";
}

namespace
{

bool shows(std::span<const PipelineRow> rows, ScheduleKind kind)
{
    return std::ranges::find(rows, kind, &PipelineRow::kind) != rows.end();
}

std::vector<double> moments_of(std::span<const PipelineRow> rows)
{
    constexpr std::size_t kMostMoments = 20'000;
    std::vector<double> moments{0};
    std::size_t events = 0;
    double longest = 0;
    for (const PipelineRow& row : rows)
    {
        events += row.timeline->events.size();
        longest = std::max(longest, row.timeline->makespan);
    }
    for (std::size_t k = 1; events > kMostMoments && k <= kMostMoments; ++k)
    {
        moments.push_back(longest * static_cast<double>(k) / static_cast<double>(kMostMoments));
    }
    for (const PipelineRow& row : rows)
    {
        for (std::size_t k = 0; events <= kMostMoments && k < row.timeline->events.size(); ++k)
        {
            moments.push_back(row.timeline->events[k].end);
        }
    }
    std::sort(moments.begin(), moments.end());
    const auto same = [](double a, double b) { return b - a < 1e-9; };
    moments.erase(std::unique(moments.begin(), moments.end(), same), moments.end());
    return moments;
}

} // namespace

const PipelineRows::Runs& PipelineRows::runs(const Evaluated& now) const
{
    const auto make = [&](const auto&)
    {
        std::vector<PipelineRow> rows = rows_of(now);
        std::vector<double> moments = moments_of(rows);
        return Runs{std::move(rows), std::move(moments), runs_.made() + 1};
    };
    return runs_.of({now.scenario, changes_}, make);
}

std::vector<PipelineRow> PipelineRows::rows_of(const Evaluated& now) const
{
    const Scenario& s = now.scenario;
    const double share = input_share(s.stage_times);
    const ScheduleKind own = s.training.schedule;
    std::vector<PipelineRow> rows;
    rows.push_back(
        row_of({own, now.report->pipeline->shape, stage_costs(s), now.report->pipeline->timeline}, share));
    for (const ScheduleKind chosen : beside_)
    {
        const ScheduleKind kind = chosen != nullptr ? chosen : rival_of(own);
        if (kind == own || shows(rows, kind))
        {
            continue;
        }
        auto run = alternative(s, kind);
        if (run)
        {
            rows.push_back(row_of(std::move(*run), share));
            continue;
        }
        PipelineRow row;
        row.name = kind->name;
        row.kind = kind;
        row.timeline = std::make_unique<Timeline>();
        row.refused = run.issues();
        rows.push_back(std::move(row));
    }
    if (own_)
    {
        rows.push_back(own_row(s, rows.front().shape));
    }
    return rows;
}

// An order of one's own brings its stages and micro-batches; every virtual stage takes its share of an even
// one.
PipelineRow PipelineRows::own_row(const Scenario& s, const ScheduleShape& beside) const
{
    const auto ranks = static_cast<std::int64_t>(own_->order.size());
    PipelineRow row;
    row.name = "Own order";
    row.shape = {ranks, own_->micro_batches, std::max<std::int64_t>(1, own_->virtual_stages / ranks)};
    const Costs costs = equal_costs(schedule("interleaved"), row.shape, s.stage_times);
    Costs all = costs;
    all.stages.resize(static_cast<std::size_t>(own_->virtual_stages), costs.stages.front());
    row.weight = stash_weights(all, row.shape.chunks);
    auto timeline = simulate(own_->order, all);
    row.refused = timeline ? Issues{} : timeline.issues();
    row.timeline = std::make_unique<Timeline>(timeline ? std::move(*timeline) : Timeline{});
    row.same_work = row.shape.stages == beside.stages && row.shape.micro_batches == beside.micro_batches;
    row.density = Density(*row.timeline, input_share(s.stage_times));
    return row;
}

double PipelineRows::longest(const Evaluated& now) const
{
    double most = 0;
    for (const PipelineRow& row : of(now))
    {
        most = std::max(most, row.timeline->makespan);
    }
    return most;
}

// Those that do not stand there, because the scenario has taken them over, take no place.
void PipelineRows::forget_hidden(const Evaluated& now)
{
    const ScheduleKind own = now.scenario.training.schedule;
    const std::vector<PipelineRow>& rows = of(now);
    std::erase_if(beside_,
                  [&](ScheduleKind k)
                  {
                      const ScheduleKind kind = k != nullptr ? k : rival_of(own);
                      return kind == own || !shows(rows, kind);
                  });
}

void PipelineRows::add(const Evaluated& now, ScheduleKind kind)
{
    if (!full(now) && !shows(of(now), kind))
    {
        forget_hidden(now);
        beside_.push_back(kind);
        ++changes_;
    }
}

void PipelineRows::add_own(const Evaluated& now, WrittenOrder order)
{
    forget_hidden(now);
    if (!own_ && full(now) && !beside_.empty())
    {
        beside_.pop_back();
    }
    own_ = std::move(order);
    ++changes_;
}

void PipelineRows::remove(const Evaluated& now, std::size_t row)
{
    const std::vector<PipelineRow>& rows = of(now);
    if (row == 0 || row >= rows.size())
    {
        return;
    }
    const ScheduleKind kind = rows[row].kind;
    if (kind == nullptr)
    {
        own_.reset();
    }
    const ScheduleKind own = now.scenario.training.schedule;
    std::erase_if(beside_, [&](ScheduleKind k)
                  { return kind != nullptr && (k == kind || (k == nullptr && rival_of(own) == kind)); });
    ++changes_;
}

} // namespace ringside
