#include "ui/views/pipeline/pipelines/rows.h"

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

const std::vector<PipelineRow>& PipelineRows::of(const Evaluated& now) const
{
    if (!stale_ && of_ == now.scenario)
    {
        return rows_;
    }
    stale_ = false;
    of_ = now.scenario;
    rows_.clear();
    const Scenario& s = now.scenario;
    const double share = input_share(s.stage_times);
    const ScheduleKind own = s.training.schedule;
    rows_.push_back(
        row_of({own, now.report.pipeline.shape, stage_costs(s), now.report.pipeline.timeline}, share));
    for (const ScheduleKind chosen : beside_)
    {
        const ScheduleKind kind = chosen != nullptr ? chosen : rival_of(own);
        if (kind == own || shows(kind))
        {
            continue;
        }
        auto run = alternative(s, kind);
        if (run)
        {
            rows_.push_back(row_of(std::move(*run), share));
            continue;
        }
        PipelineRow row;
        row.name = kind->name;
        row.kind = kind;
        row.timeline = std::make_unique<Timeline>();
        row.refused = run.issues();
        rows_.push_back(std::move(row));
    }
    if (own_)
    {
        run_own(s);
    }
    find_moments();
    return rows_;
}

void PipelineRows::find_moments() const
{
    constexpr std::size_t kMostMoments = 20'000;
    ++version_;
    moments_.assign(1, 0);
    std::size_t events = 0;
    double longest = 0;
    for (const PipelineRow& row : rows_)
    {
        events += row.timeline->events.size();
        longest = std::max(longest, row.timeline->makespan);
    }
    for (std::size_t k = 1; events > kMostMoments && k <= kMostMoments; ++k)
    {
        moments_.push_back(longest * static_cast<double>(k) / static_cast<double>(kMostMoments));
    }
    for (const PipelineRow& row : rows_)
    {
        for (std::size_t k = 0; events <= kMostMoments && k < row.timeline->events.size(); ++k)
        {
            moments_.push_back(row.timeline->events[k].end);
        }
    }
    std::sort(moments_.begin(), moments_.end());
    const auto same = [](double a, double b) { return b - a < 1e-9; };
    moments_.erase(std::unique(moments_.begin(), moments_.end(), same), moments_.end());
}

const std::vector<double>& PipelineRows::moments(const Evaluated& now) const
{
    of(now);
    return moments_;
}

// An order of one's own brings its stages and micro-batches; every virtual stage takes its share of an even
// one.
void PipelineRows::run_own(const Scenario& s) const
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
    row.same_work = row.shape.stages == rows_.front().shape.stages &&
                    row.shape.micro_batches == rows_.front().shape.micro_batches;
    row.density = Density(*row.timeline, input_share(s.stage_times));
    rows_.push_back(std::move(row));
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

bool PipelineRows::shows(ScheduleKind kind) const
{
    return std::any_of(rows_.begin(), rows_.end(), [&](const PipelineRow& r) { return r.kind == kind; });
}

// Those that do not stand there, because the scenario has taken them over, take no place.
void PipelineRows::forget_hidden()
{
    const ScheduleKind own = of_.training.schedule;
    std::erase_if(
        beside_, [&](ScheduleKind k)
        { return (k != nullptr ? k : rival_of(own)) == own || !shows(k != nullptr ? k : rival_of(own)); });
}

void PipelineRows::add(ScheduleKind kind)
{
    if (!full() && !shows(kind))
    {
        forget_hidden();
        beside_.push_back(kind);
        stale_ = true;
    }
}

void PipelineRows::add_own(WrittenOrder order)
{
    forget_hidden();
    if (!own_ && full() && !beside_.empty())
    {
        beside_.pop_back();
    }
    own_ = std::move(order);
    stale_ = true;
}

void PipelineRows::remove(std::size_t row)
{
    if (row == 0 || row >= rows_.size())
    {
        return;
    }
    const ScheduleKind kind = rows_[row].kind;
    if (kind == nullptr)
    {
        own_.reset();
    }
    const ScheduleKind own = of_.training.schedule;
    std::erase_if(beside_, [&](ScheduleKind k)
                  { return kind != nullptr && (k == kind || (k == nullptr && rival_of(own) == kind)); });
    stale_ = true;
}

} // namespace ringside
