// The compression view's runs, worked out again only when what they depend on changes; those of the table a
// part a frame.
#pragma once

#include "core/network/compression/run.h"
#include "core/performance/compression/wire.h"

#include <list>
#include <optional>

namespace ringside
{

// What the table and the curves need of a run.
struct CompressionSummary
{
    CompressionOptions options;
    std::vector<CompressionStep> steps;
    std::vector<double> errors; // gradient_errors() of the uncompressed run's gradients

    double final_loss() const { return steps.back().loss; }
};

class CompressionRuns
{
public:
    // The run on show with what every step put in and sent, and the same with feedback the other way.
    void update(const CompressionOptions& options) const;
    const CompressionRun& shown() const { return shown_; }
    const CompressionSummary& uncompressed() const { return get({Compressor::none}); }
    const CompressionSummary& get(const CompressionOptions& options) const;

    // Null where it has not been worked out yet. fill_some() works on these in their order; true: more is
    // left.
    const CompressionSummary* find(const CompressionOptions& options) const;
    bool fill_some(std::span<const CompressionOptions> wanted) const;

    void project(const Scenario& scenario, const Report& report) const;
    const GradientProjection& projection() const { return projection_; }

private:
    // A run that is not needed before it is done.
    struct Pending
    {
        CompressionTraining training;
        GradientError error;
        std::vector<double> errors;

        explicit Pending(const CompressionOptions& options) : training(options), error(options) {}
    };

    void keep(CompressionSummary run) const;
    void work_out(const CompressionRun& run) const;
    void work_on(const CompressionOptions& options) const;

    mutable CompressionRun reference_; // uncompressed
    mutable std::optional<Pending> pending_;
    mutable CompressionRun shown_;
    mutable std::list<CompressionSummary> known_; // the newest first
    mutable std::optional<Scenario> scenario_;
    mutable GradientProjection projection_;
};

// The gradient that is trained, as one block.
GradientShape small_shape();

} // namespace ringside
