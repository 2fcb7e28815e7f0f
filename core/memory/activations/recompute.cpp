#include "core/memory/activations/recompute.h"

#include "core/model/compute.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class Stage
{
public:
    Stage(const Scenario& scenario, const MemoryReport& memory, std::size_t index)
        : s_(scenario), kept_(memory.stages.at(index).kept)
    {
        const Placement placement = s_.training.schedule->placement;
        auto parts = stage_parts(s_.model, s_.parallel, placement);
        weights_ = stage_weights(s_.model, s_.parallel, parts, s_.training.lora).at(index);
        part_ = std::move(parts.at(index));
        dense_ = layer_activations(s_.model, s_.training, s_.parallel, false, Recompute::none);
        experts_ = s_.model.experts > 0
                       ? layer_activations(s_.model, s_.training, s_.parallel, true, Recompute::none)
                       : 0;
        input_ = layer_activations(s_.model, s_.training, s_.parallel, false, Recompute::full);
        for (std::int64_t layer = 0; layer < all_layers(s_.model); ++layer)
        {
            experts_before_.push_back(experts_before_.back() + (has_experts(s_.model, layer) ? 1 : 0));
        }
    }

    RecomputePoint point(Recompute recompute) const
    {
        Scenario s = s_;
        s.training.recompute = recompute;
        s.training.recompute_layers = 0;
        const StageMemory memory = stage_memory(s, LayerKept(s), weights_, part_, kept_);
        const ComputeReport compute = compute_report(s);
        return {memory.of(Component::activations), memory.buffers.recomputed,
                compute.hardware_step.value / compute.model_step.value - 1};
    }

    // `full` less the inputs that fewer segments do not keep.
    RecomputePoint segments(std::int64_t k, const RecomputePoint& full) const
    {
        double dropped = 0;
        double whole = 0;
        for (std::size_t chunk = 0; chunk < part_.ranges.size(); ++chunk)
        {
            const LayerRange& range = part_.ranges[chunk];
            const std::int64_t cut = std::min(k, range.count);
            dropped += static_cast<double>(kept_[chunk] * (range.count - cut)) * input_;
            // Where all layers are alike, the last segment is as long as any.
            const bool alike = range.experts == 0 || range.experts == range.count;
            for (std::int64_t i = alike ? cut - 1 : 0; i < cut; ++i)
            {
                whole = std::max(whole, between(range.first + segment_start(range.count, cut, i),
                                                range.first + segment_start(range.count, cut, i + 1)));
            }
        }
        // The segment's own input is among those kept.
        return {Bytes(std::ceil(full.kept.value - dropped)), Bytes(std::ceil(std::max(0.0, whole - input_))),
                full.extra};
    }

    std::int64_t longest() const
    {
        std::int64_t most = 0;
        for (const LayerRange& range : part_.ranges)
        {
            most = std::max(most, range.count);
        }
        return most;
    }

    void describe(RecomputeChoices& choices) const
    {
        double all = 0;
        double layers = 0;
        for (std::size_t chunk = 0; chunk < part_.ranges.size(); ++chunk)
        {
            const LayerRange& range = part_.ranges[chunk];
            choices.in_flight += kept_[chunk];
            choices.layer =
                std::max(choices.layer,
                         Bytes(std::max(range.dense() > 0 ? dense_ : 0, range.experts > 0 ? experts_ : 0)));
            all += between(range.first, range.first + range.count);
            layers += static_cast<double>(range.count);
        }
        choices.input = Bytes(input_);
        choices.layers = longest();
        const auto n = static_cast<double>(choices.in_flight);
        const double mean = layers > 0 ? all / layers : 0;
        choices.root =
            n > 0 && input_ > 0 ? std::sqrt(static_cast<double>(choices.layers) * mean / (n * input_)) : 1;
    }

private:
    // All that layers from `first` to before `last` leave.
    double between(std::int64_t first, std::int64_t last) const
    {
        const std::int64_t experts = experts_before_[static_cast<std::size_t>(last)] -
                                     experts_before_[static_cast<std::size_t>(first)];
        return static_cast<double>(last - first - experts) * dense_ + static_cast<double>(experts) * experts_;
    }

    const Scenario& s_;
    std::vector<std::int64_t> kept_; // [chunk]
    StageWeights weights_;
    StagePart part_;
    std::vector<std::int64_t> experts_before_{0}; // [layer] layers with experts before it
    double dense_;                                // all that a layer leaves
    double experts_;                              // a layer with experts
    double input_;
};

} // namespace

std::int64_t segment_start(std::int64_t layers, std::int64_t segments, std::int64_t i)
{
    return i * layers / segments;
}

SegmentMoment segment_moment(std::int64_t layers, std::int64_t segments, double t)
{
    SegmentMoment m;
    m.held.assign(static_cast<std::size_t>(layers), Held::nothing);
    const auto at = [&](std::int64_t layer) -> Held& { return m.held[static_cast<std::size_t>(layer)]; };
    std::int64_t left = std::clamp(static_cast<std::int64_t>(t + 1e-9), std::int64_t{0}, 3 * layers);
    for (std::int64_t i = 0; i < segments; ++i)
    {
        const std::int64_t first = segment_start(layers, segments, i);
        at(first) = first <= left ? Held::input : Held::nothing;
    }
    if (left < layers)
    {
        m.layer = left;
        return m;
    }
    left -= layers;
    for (std::int64_t i = segments - 1; i >= 0; --i)
    {
        const std::int64_t first = segment_start(layers, segments, i);
        const std::int64_t end = segment_start(layers, segments, i + 1);
        const std::int64_t made = std::min(left, end - first);            // computed again
        const std::int64_t used = std::max<std::int64_t>(0, left - made); // by the backward pass
        const std::int64_t rest = end - std::min(used, end - first);
        at(first) = rest > first ? Held::input : Held::nothing;
        for (std::int64_t layer = first; layer < std::min(first + made, rest); ++layer)
        {
            at(layer) = Held::whole;
        }
        if (left < 2 * (end - first))
        {
            m.doing = made < end - first ? SegmentMoment::Doing::again : SegmentMoment::Doing::backward;
            m.layer = made < end - first ? first + made : rest - 1;
            return m;
        }
        left -= 2 * (end - first);
    }
    m.doing = SegmentMoment::Doing::done;
    return m;
}

RecomputeChoices recompute_choices(const Scenario& scenario, const MemoryReport& memory, std::size_t stage)
{
    const Stage it(scenario, memory, stage);
    RecomputeChoices choices;
    for (const Recompute recompute : every<Recompute>())
    {
        choices.settings[static_cast<std::size_t>(recompute)] = it.point(recompute);
    }
    it.describe(choices);
    const RecomputePoint& full = choices.settings[static_cast<std::size_t>(Recompute::full)];
    for (std::int64_t k = 1; k <= choices.layers; ++k)
    {
        choices.segments.push_back(it.segments(k, full));
        const auto at = static_cast<std::size_t>(choices.best - 1);
        choices.best = choices.segments.back().total() < choices.segments[at].total() ? k : choices.best;
    }
    return choices;
}

} // namespace ringside
