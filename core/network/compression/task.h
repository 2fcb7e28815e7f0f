// A network small enough to train while somebody drags a slider, and real: inputs, a hidden layer of ReLUs
// whose weights are trained, a fixed readout, cross-entropy, gradients by backpropagation. Four data-parallel
// ranks, each with examples of its own.
#pragma once

#include "core/network/compression/compressor.h"

namespace ringside
{

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

} // namespace ringside
