#include "core/engine/step_units.h"

#include "core/engine/compute.h"
#include "core/engine/step_life.h"
#include "core/engine/weights.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

void add_tensors(StepUnit& unit, const std::vector<Weight>& weights)
{
    for (const Weight& w : weights)
    {
        unit.tensors[w.expert ? 1 : 0].push_back(static_cast<double>(w.local_elements()));
    }
}

// Two operations for every weight a token meets; vectors count as nothing, as in compute_report().
double products(const std::vector<Weight>& whole)
{
    double flops = 0;
    for (const Weight& w : whole)
    {
        flops += w.matrix() ? 2 * static_cast<double>(w.rows * w.cols * w.active_copies) : 0;
    }
    return flops;
}

class Maker
{
public:
    explicit Maker(const Scenario& s) : s_(s), compute_(compute_report(s))
    {
        const Training& t = s.training;
        const double tokens = static_cast<double>(t.micro_batch * t.sequence_length) /
                              static_cast<double>(s.parallel.tensor * s.parallel.context);
        per_flop_ = tokens / (s.cluster.gpu.bf16_tflops * 1e12 * kStepEfficiency);
        for (const bool experts : {false, true})
        {
            if (!experts || s.model.experts > 0)
            {
                products_[experts ? 1 : 0] = products(layer_weights(s.model, Parallel{}, experts));
                weights_[experts ? 1 : 0] = layer_weights(s.model, s.parallel, experts);
            }
        }
    }

    StepUnit layer(std::int64_t index) const
    {
        const std::size_t kind = has_experts(s_.model, index) ? 1 : 0;
        const double scores = compute_.attention_token.value / static_cast<double>(s_.model.layers);
        const double forward = products_[kind] + scores;
        const Recompute again = s_.training.recompute;
        StepUnit unit;
        unit.layer = index;
        add_tensors(unit, weights_[kind]);
        unit.forward = forward * per_flop_;
        unit.backward = (2 * forward + (again == Recompute::full        ? forward
                                        : again == Recompute::selective ? scores
                                                                        : 0)) *
                        per_flop_;
        return unit;
    }

    StepUnit embedding() const
    {
        StepUnit unit;
        unit.layer = kEmbeddingUnit;
        add_tensors(unit, embedding_weights(s_.model, s_.parallel));
        return unit;
    }

    StepUnit head(bool shares) const
    {
        StepUnit unit;
        unit.layer = kHeadUnit;
        add_tensors(unit, head_weights(s_.model, s_.parallel, shares));
        unit.forward = compute_.head_token.value * per_flop_;
        unit.backward = 2 * unit.forward;
        unit.needs_first = shares;
        return unit;
    }

private:
    const Scenario& s_;
    ComputeReport compute_;
    double per_flop_ = 0; // [s] for a FLOP of every token of a micro-batch
    std::array<double, 2> products_{};
    std::array<std::vector<Weight>, 2> weights_;
};

} // namespace

double StepUnit::elements(std::size_t group) const
{
    return std::accumulate(tensors[group].begin(), tensors[group].end(), 0.0);
}

StepUnits step_units(const Scenario& s)
{
    const Placement placement = s.training.schedule->placement;
    const auto weights = stage_weights(s.model, s.parallel, placement);
    const auto largest =
        std::max_element(weights.begin(), weights.end(),
                         [](const StageWeights& a, const StageWeights& b) { return a.total() < b.total(); });
    StepUnits made;
    made.stage = largest - weights.begin();
    const StagePart part = stage_parts(s.model, s.parallel, placement)[static_cast<std::size_t>(made.stage)];
    const Maker maker(s);
    if (part.embedding)
    {
        made.units.push_back(maker.embedding());
    }
    for (const LayerRange& range : part.ranges)
    {
        for (std::int64_t layer = range.first; layer < range.first + range.count; ++layer)
        {
            made.units.push_back(maker.layer(layer));
        }
    }
    if (part.head)
    {
        made.units.push_back(maker.head(s.model.tied_embeddings && part.embedding));
    }
    return made;
}

} // namespace ringside
