// The small network trained by four ranks with a compressor between them: what becomes of the loss, and what
// has not been delivered. Deterministic, a few milliseconds a run.
#pragma once

#include "core/network/compression/compressor.h"

#include <memory>
#include <utility>

namespace ringside
{

// A network small enough to train while a slider is dragged, and real: inputs, a hidden layer of ReLUs
// whose weights are trained, a fixed readout, cross-entropy, gradients by backpropagation. Four data-parallel
// ranks, each with examples of its own.
class SmallTask
{
public:
    static constexpr std::int64_t kInputs = 48; // rows of the gradient
    static constexpr std::int64_t kHidden = 32; // its columns
    static constexpr std::int64_t kClasses = 8;
    static constexpr std::size_t kRanks = 4;
    static constexpr std::int64_t kExamples = 64;              // of one rank
    static constexpr std::int64_t kBatch = 16;                 // of one rank and step
    static constexpr std::int64_t kEpoch = kExamples / kBatch; // [steps]

    SmallTask();

    Values start() const { return start_; } // kInputs x kHidden
    // The mean loss of the rank's mini-batch of this step, and its gradient.
    double gradient(std::size_t rank, std::int64_t step, const Values& weights, Values& out) const;

private:
    Values start_;
    Values readout_;                   // kHidden x kClasses
    std::vector<Values> inputs_;       // [rank] kExamples x kInputs
    std::vector<std::int64_t> labels_; // kRanks x kExamples
};

inline constexpr std::size_t kCompressionSteps = 120;

// What rank 0 does in one step: gradient + carried = sent + left.
struct CompressionMoment
{
    Values gradient; // kInputs x kHidden
    Values carried;  // left over from the step before; zeros without feedback
    Values sent;
    Values left; // for the next step, or lost
};

struct CompressionStep
{
    double loss = 0;     // mean over the last epoch of all ranks, before this step's update
    double gradient = 0; // norm, rank 0
    // Norm of all of rank 0's gradients so far less all it has sent. With feedback that is what is left now:
    // the sum of what was left without delivery telescopes (Karimireddy et al. 2019).
    double missing = 0;
};

struct CompressionRun
{
    CompressionOptions options;
    std::vector<CompressionStep> steps;     // kCompressionSteps
    std::vector<CompressionMoment> moments; // as many

    double final_loss() const { return steps.back().loss; }
};

// One run, step after step.
class CompressionTraining
{
public:
    explicit CompressionTraining(const CompressionOptions& options);

    void step();
    bool done() const { return run_.steps.size() == kCompressionSteps; }
    const CompressionRun& run() const { return run_; } // as far as it is
    CompressionRun take() { return std::move(run_); }

private:
    CompressedGroup group_;
    Values weights_;
    std::vector<Values> gradients_; // [rank]
    Values missing_;
    std::vector<double> losses_;
    CompressionRun run_;
};

CompressionRun run_compression(const CompressionOptions& options);

// ||g - C(g)|| / ||g|| for rank 0's gradients of another run, so that all compressors meet the same ones.
// Nothing is carried over but PowerSGD's factor. options.feedback only says whether random-k is rescaled.
class GradientError
{
public:
    explicit GradientError(const CompressionOptions& options);

    double of(const Values& gradient); // the next step's

private:
    CompressedGroup group_;
};

std::vector<double> gradient_errors(const CompressionOptions& options, const CompressionRun& gradients_of);

// A run without its moments.
struct CompressionSummary
{
    CompressionOptions options;
    std::vector<CompressionStep> steps;
    std::vector<double> errors; // gradient_errors() of the uncompressed run's gradients

    double final_loss() const { return steps.back().loss; }
};

// Work (core/base/work.h): a run, and its errors.
class CompressionWork
{
public:
    struct Request
    {
        CompressionOptions options;
        std::shared_ptr<const CompressionRun> uncompressed;

        bool operator==(const Request& other) const { return options == other.options; }
    };
    static constexpr std::size_t kSlice = 6; // steps
    static constexpr std::size_t kKept = 64;

    explicit CompressionWork(const Request& request);

    bool advance(std::size_t steps);
    double progress() const { return static_cast<double>(errors_.size()) / kCompressionSteps; }
    CompressionSummary result() const;

private:
    Request request_;
    CompressionTraining training_;
    GradientError error_;
    std::vector<double> errors_;
};

} // namespace ringside
