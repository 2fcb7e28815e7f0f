// Strong and weak scaling: the scenario's layout on more and fewer GPUs. Tensor, context and pipeline
// parallelism stay, data parallelism grows. Says nothing about other layouts that might suit a size better.
//
// Work (core/base/work.h), so that a drag never waits.
#pragma once

#include "core/base/result.h"
#include "core/performance/step_time.h"

#include <vector>

namespace ringside
{

enum class Scaling : std::uint8_t
{
    strong, // the global batch stays, so every replica gets less
    weak    // the global batch grows with the GPUs, so every replica keeps its work
};

// The scenario with `data` replicas; global batches that do not divide are left to validate().
Scenario scaled(Scenario scenario, Scaling scaling, std::int64_t data);

struct ScalingPoint
{
    Scenario scenario;
    StepTime step;
    bool fits = false;

    std::int64_t gpus() const { return scenario.cluster.gpus; }
    double tokens_per_gpu() const // a second
    {
        return step.tokens_per_second() / static_cast<double>(scenario.cluster.gpus);
    }
};

class ScalingSweep
{
public:
    static constexpr std::int64_t kMostGpus = 16'384;

    using Request = Scenario;                // valid
    static constexpr double kSlice = 60'000; // operations

    explicit ScalingSweep(Scenario scenario);

    // Looks at sizes until about this many pipeline operations have run; false when none is left.
    bool advance(double operations);
    bool done() const { return next_ == wanted_.size(); }
    double progress() const
    {
        return wanted_.empty() ? 1 : static_cast<double>(next_) / static_cast<double>(wanted_.size());
    }

    const Scenario& scenario() const { return scenario_; }
    // Ascending GPUs, the scenario's own size always among them.
    const std::vector<ScalingPoint>& of(Scaling scaling) const
    {
        return scaling == Scaling::strong ? strong_ : weak_;
    }
    // GPUs of one replica: nothing smaller can hold the layout.
    std::int64_t replica() const { return replica_; }
    // The most GPUs that strong scaling can use: one micro-batch for each replica.
    std::int64_t strong_end() const;
    // Sizes that cannot run, with the fault; of weak scaling, which never runs out of batch.
    struct Refused
    {
        std::int64_t gpus;
        std::string message;
    };
    const std::vector<Refused>& refused() const { return refused_; }

private:
    struct Wanted
    {
        Scaling scaling;
        std::int64_t data;
    };

    void try_one(const Wanted& wanted);

    Scenario scenario_;
    std::int64_t replica_ = 1;
    std::vector<Wanted> wanted_;
    std::size_t next_ = 0;
    std::vector<ScalingPoint> strong_;
    std::vector<ScalingPoint> weak_;
    std::vector<Refused> refused_;
};

// Tokens a second and GPU against those of the smallest size; 1 where that is all there is.
double efficiency(const std::vector<ScalingPoint>& points, std::size_t at);

} // namespace ringside
