#include "ui/views/network/compression/runs.h"

#include <algorithm>

namespace ringside
{

CompressionShown compression_shown(const CompressionOptions& options, const CompressionRun& uncompressed)
{
    CompressionRun run = run_compression(options);
    CompressionSummary summary{options, run.steps, gradient_errors(options, uncompressed)};
    return {std::move(run), std::move(summary)};
}

const CompressionSummary* CompressionRuns::find(const CompressionOptions& options) const
{
    const CompressionOptions wanted = essential(options);
    for (const CompressionSummary* known : {&summary(), uncompressed_})
    {
        if (known->options == wanted)
        {
            return known;
        }
    }
    const auto found = std::ranges::find_if(others_, [&](const auto& other)
                                            { return other && other.done() && other->options == wanted; });
    return found == others_.end() ? nullptr : found->result.get();
}

const WorkStatus* CompressionRuns::failed() const
{
    const auto found = std::ranges::find_if(others_, [](const auto& other) { return !other; });
    return found == others_.end() ? nullptr : &*found;
}

GradientShape small_shape()
{
    return {{SmallTask::kInputs, SmallTask::kHidden, 1}};
}

} // namespace ringside
