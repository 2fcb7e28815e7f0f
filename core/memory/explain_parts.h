// What formulas and workings of memory are made of: one stage, and the letters that most of them share.
//
// Symbols: s sequence, b micro-batch, h hidden, a heads, t tensor, cp context, V vocabulary, N replicas of
// the dense weights that share their state, N_e of the experts, c bytes per token and hidden unit that a
// layer keeps.
#pragma once

#include <fmt/format.h>

#include "core/memory/formula_text.h"
#include "core/memory/memory.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"

#include <vector>

namespace ringside::formula_text
{

// One stage and what the workings need of it.
struct Subject
{
    const Scenario& s;
    const StageMemory& memory;
    StateBytes bytes;
    StageWeights weights;
    StageWeights own; // of them, those that are trained
    StagePart part;
    std::size_t stage;

    Subject(const Scenario& scenario, const MemoryReport& report, std::size_t index)
        : s(scenario), memory(report.stages.at(index)), bytes(state_bytes(scenario)),
          weights(stage_weights(scenario.model, scenario.parallel, scenario.training.schedule->placement,
                                scenario.training.lora)
                      .at(index)),
          own(trained_weights(scenario.training, weights)),
          part(stage_parts(scenario.model, scenario.parallel, scenario.training.schedule->placement)
                   .at(index)),
          stage(index)
    {
    }

    double element() const { return element_bytes(s.training); }
    // Whether the tensors between the matrix products are cut by t as well.
    bool all_cut() const { return s.parallel.tensor == 1 || s.parallel.sequence_parallel; }
};

inline Text over_tensor(const Subject& x, bool cut = true)
{
    return cut && x.s.parallel.tensor > 1 ? Text{" / t", fmt::format(" / {}", x.s.parallel.tensor)} : Text{};
}

inline Text over_context(const Subject& x)
{
    return x.s.parallel.context > 1 ? Text{" / cp", fmt::format(" / {}", x.s.parallel.context)} : Text{};
}

// "heads × ": one output projection for each token that is predicted.
inline Text heads(const Subject& x)
{
    const std::int64_t count = 1 + x.s.model.mtp_layers;
    return count > 1 ? Text{"heads × ", fmt::format("{} × ", count)} : Text{};
}

// "s b": tokens of a micro-batch, before context parallelism.
inline Text tokens(const Subject& x)
{
    return {"s b",
            fmt::format("{} × {}", figure(x.s.training.sequence_length), figure(x.s.training.micro_batch))};
}

inline Text hidden(const Subject& x)
{
    return whole_number("h", x.s.model.hidden);
}

// What a layer keeps per token and hidden unit: Korthikanti's 34 + 5 a s / h when everything is cut by t,
// their 10 + 24 / t + 5 a s / (h t) when the sequence is not.
std::vector<Text> coefficient(const Subject& x, bool experts, Recompute recompute);
// "s b h / t / cp"
Text layer_tokens(const Subject& x);
// Elements of one GPU, cut over those that share them where `sharded`.
Text elements(const Subject& x, const std::string& what, std::int64_t dense, std::int64_t expert,
              bool sharded);
// Layers of both kinds and how often they are kept at the peak.
struct Kept
{
    double dense = 0;
    double experts = 0;
    double whole_dense = 0; // of them, those of which nothing is recomputed
    double whole_experts = 0;
    std::int64_t layers = 0;    // of each chunk, where all have as many
    std::int64_t in_flight = 0; // of all chunks
    bool even = true;
};
Kept kept_layers(const Subject& x);
Text logits_width(const Subject& x);
// Sum of the buffers that there are.
Text buffers(const BufferParts& parts);

} // namespace ringside::formula_text
