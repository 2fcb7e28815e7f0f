#include "ui/views/compression/runs.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMostKnown = 64;
constexpr int kRunsAFrame = 1;

} // namespace

void CompressionRuns::keep(CompressionRun run) const
{
    known_.push_front({run.options, std::move(run.steps), gradient_errors(run.options, reference_)});
    if (known_.size() > kMostKnown)
    {
        known_.pop_back();
    }
}

const CompressionSummary* CompressionRuns::find(const CompressionOptions& options) const
{
    const CompressionOptions wanted = essential(options);
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const CompressionSummary& s) { return s.options == wanted; });
    return found == known_.end() ? nullptr : &*found;
}

const CompressionSummary& CompressionRuns::get(const CompressionOptions& options) const
{
    if (reference_.steps.empty())
    {
        reference_ = run_compression(essential({Compressor::none}));
        keep(reference_);
    }
    if (const CompressionSummary* found = find(options))
    {
        return *found;
    }
    keep(run_compression(essential(options)));
    return known_.front();
}

bool CompressionRuns::fill_some(std::span<const CompressionOptions> wanted) const
{
    int room = kRunsAFrame;
    for (const CompressionOptions& o : wanted)
    {
        if (find(o) == nullptr && room-- > 0)
        {
            get(o);
        }
    }
    return room < 0;
}

void CompressionRuns::update(const CompressionOptions& options) const
{
    const CompressionOptions wanted = essential(options);
    if (shown_.steps.empty() || shown_.options != wanted)
    {
        get({Compressor::none});
        shown_ = run_compression(wanted);
        if (find(wanted) == nullptr)
        {
            CompressionRun copy{shown_.options, shown_.steps, {}};
            keep(std::move(copy));
        }
    }
}

void CompressionRuns::project(const Scenario& scenario, const Report& report) const
{
    if (!scenario_ || !(*scenario_ == scenario))
    {
        scenario_ = scenario;
        projection_ = gradient_projection(scenario, report);
    }
}

GradientShape small_shape()
{
    return {{SmallTask::kInputs, SmallTask::kHidden, 1}};
}

std::string_view name_of(Travel travel)
{
    switch (travel)
    {
    case Travel::all_reduce:
        return "all-reduce";
    case Travel::owners:
        return "by owners";
    case Travel::all_gather:
        break;
    }
    return "all-gather";
}

} // namespace ringside
