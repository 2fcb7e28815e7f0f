#include "ui/views/network/compression/runs.h"

#include "core/base/text/find_by.h"

#include <algorithm>
#include <chrono>

namespace ringside
{

namespace
{

constexpr std::size_t kMostKnown = 64;
// What a frame spends on the runs: steps differ tenfold between compressors, and machines between each other.
constexpr std::chrono::microseconds kWorkPerFrame{250};

} // namespace

void CompressionRuns::keep(CompressionSummary run) const
{
    known_.push_front(std::move(run));
    if (known_.size() > kMostKnown)
    {
        known_.pop_back();
    }
}

void CompressionRuns::work_out(const CompressionRun& run) const
{
    keep({run.options, run.steps, gradient_errors(run.options, reference_)});
}

const CompressionSummary* CompressionRuns::find(const CompressionOptions& options) const
{
    const CompressionOptions wanted = essential(options);
    return find_by(known_, wanted, &CompressionSummary::options);
}

const CompressionSummary& CompressionRuns::get(const CompressionOptions& options) const
{
    if (reference_.steps.empty())
    {
        reference_ = run_compression(essential({Compressor::none}));
        work_out(reference_);
    }
    if (const CompressionSummary* found = find(options))
    {
        return *found;
    }
    work_out(run_compression(essential(options)));
    return known_.front();
}

bool CompressionRuns::fill_some(std::span<const CompressionOptions> wanted) const
{
    const auto next = std::find_if(wanted.begin(), wanted.end(),
                                   [&](const CompressionOptions& o) { return find(o) == nullptr; });
    if (next == wanted.end())
    {
        pending_.reset();
        return false;
    }
    work_on(essential(*next));
    return true;
}

void CompressionRuns::work_on(const CompressionOptions& options) const
{
    if (!pending_ || pending_->training.run().options != options)
    {
        pending_.emplace(options);
    }
    const auto start = std::chrono::steady_clock::now();
    while (!pending_->training.done() && std::chrono::steady_clock::now() - start < kWorkPerFrame)
    {
        pending_->errors.push_back(pending_->error.of(reference_.moments[pending_->errors.size()].gradient));
        pending_->training.step();
    }
    if (pending_->training.done())
    {
        keep({options, pending_->training.take().steps, std::move(pending_->errors)});
        pending_.reset();
    }
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
            work_out(shown_);
        }
    }
}

void CompressionRuns::project(const Scenario& scenario, const Report& report) const
{
    if (!scenario_ || !(*scenario_ == scenario))
    {
        scenario_ = scenario;
        projection_ = gradient_projection(scenario, report.memory.fullest, report.collective);
    }
}

GradientShape small_shape()
{
    return {{SmallTask::kInputs, SmallTask::kHidden, 1}};
}

} // namespace ringside
