#include "core/engine/step_units.h"

#include "core/engine/compute.h"
#include "core/engine/traffic.h"
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
double products(const Weight& w)
{
    return w.matrix() ? 2 * static_cast<double>(w.rows * w.cols * w.active_copies) : 0;
}

// What is computed between two collectives of the tensor group. Either part may be empty.
struct Block
{
    double before = 0; // FLOPs a token: up to the scores, or up to the experts
    double middle = 0; // the scores themselves, or the experts
    double after = 0;
    bool scores = false;
    bool experts = false;
    // Its input and its output are where the tensor group communicates.
    bool enters = true;
    bool leaves = true;
};

// Writes the passes through one layer, piece by piece.
class Pieces
{
public:
    Pieces(const Scenario& s, double per_flop, bool communicate)
        : s_(s), per_flop_(per_flop), tensor_(communicate && s.parallel.tensor > 1),
          context_(communicate && s.parallel.context > 1), expert_(communicate && s.parallel.expert > 1)
    {
    }

    std::vector<StepPiece> take() { return std::move(list_); }

    void forward(const std::vector<Block>& blocks, StepKind kind)
    {
        for (const Block& b : blocks)
        {
            gather(b.enters, kind);
            compute(b.before);
            around(b, 1, b.middle, kind);
            compute(b.after);
            reduce(b.leaves, kind, false);
        }
        flush(kind);
    }

    // Input gradients first: with tensor parallelism they travel while the weights' gradients are computed.
    void backward(const std::vector<Block>& blocks)
    {
        const bool scores_again = s_.training.recompute == Recompute::selective;
        for (std::size_t i = blocks.size(); i-- > 0;)
        {
            const Block& b = blocks[i];
            const StepKind kind = StepKind::backward;
            const double now = tensor_ && b.enters ? 1 : 2; // the rest is computed beside the reduction
            // Scores have no weights: both their gradients are those of inputs.
            const double scores = scores_again ? 3 : 2;
            gather(b.leaves, kind);
            compute(now * b.after);
            around(b, 2, (b.scores ? scores : now) * b.middle, kind);
            compute(now * b.before);
            reduce(b.enters, kind, true);
            compute((2 - now) * (b.before + b.after + (b.scores ? 0 : b.middle)));
        }
        flush(StepKind::backward);
    }

private:
    void flush(StepKind kind)
    {
        if (pending_ > 0)
        {
            list_.push_back({pending_, kind, Axis::data, {}, false});
            pending_ = 0;
        }
    }

    void compute(double flops) { pending_ += flops * per_flop_; }

    // After what has been computed so far.
    void send(Axis axis, StepKind collective, Bytes message, bool beside, StepKind kind)
    {
        flush(kind);
        list_.push_back({0, collective, axis, message, beside});
    }

    void gather(bool here, StepKind kind)
    {
        if (tensor_ && here && s_.parallel.sequence_parallel)
        {
            send(Axis::tensor, StepKind::all_gather, tensor_message(s_), false, kind);
        }
    }

    void reduce(bool here, StepKind kind, bool beside)
    {
        if (tensor_ && here)
        {
            send(Axis::tensor,
                 s_.parallel.sequence_parallel ? StepKind::reduce_scatter : StepKind::all_reduce,
                 tensor_message(s_), beside, kind);
        }
    }

    // The middle of a block, with what context and expert parallelism send around it.
    void around(const Block& b, double rounds, double flops, StepKind kind)
    {
        const bool ring = context_ && b.scores;
        const bool dispatch = expert_ && b.experts;
        if (ring)
        {
            send(Axis::context, StepKind::ring,
                 rounds * static_cast<double>(s_.parallel.context) * context_message(s_), true, kind);
        }
        if (dispatch)
        {
            send(Axis::expert, StepKind::all_to_all, expert_message(s_), false, kind);
        }
        compute(flops);
        if (ring)
        {
            flush(kind);
        }
        if (dispatch)
        {
            send(Axis::expert, StepKind::all_to_all, expert_message(s_), false, kind);
        }
    }

    const Scenario& s_;
    double per_flop_;
    bool tensor_;
    bool context_;
    bool expert_;
    double pending_ = 0; // [s] of compute not yet written down
    std::vector<StepPiece> list_;
};

class Maker
{
public:
    Maker(const Scenario& s, bool communicate) : s_(s), communicate_(communicate), compute_(compute_report(s))
    {
        const Training& t = s.training;
        const double tokens = static_cast<double>(t.micro_batch * t.sequence_length) /
                              static_cast<double>(s.parallel.tensor * s.parallel.context);
        per_flop_ = tokens / (s.cluster.gpu.bf16_tflops * 1e12 * kStepEfficiency);
        for (const bool experts : {false, true})
        {
            if (!experts || s.model.experts > 0)
            {
                const std::size_t kind = experts ? 1 : 0;
                weights_[kind] = layer_weights(s.model, s.parallel, experts);
                const auto blocks = blocks_of(experts);
                forward_[kind] = forward_of(blocks);
                backward_[kind] = backward_of(blocks);
            }
        }
    }

    StepUnit layer(std::int64_t index) const
    {
        const std::size_t kind = has_experts(s_.model, index) ? 1 : 0;
        StepUnit unit;
        unit.layer = index;
        add_tensors(unit, weights_[kind]);
        unit.forward = forward_[kind];
        unit.backward = backward_[kind];
        return unit;
    }

    StepUnit embedding() const
    {
        StepUnit unit;
        unit.layer = kEmbeddingUnit;
        add_tensors(unit, embedding_weights(s_.model, s_.parallel));
        unit.forward = {{0, StepKind::forward, Axis::data, {}, false}};
        unit.backward = {{0, StepKind::backward, Axis::data, {}, false}};
        return unit;
    }

    StepUnit head(bool shares) const
    {
        StepUnit unit;
        unit.layer = kHeadUnit;
        add_tensors(unit, head_weights(s_.model, s_.parallel, shares));
        const double forward = compute_.head_token.value * per_flop_;
        unit.forward = {{forward, StepKind::forward, Axis::data, {}, false}};
        unit.backward = {{2 * forward, StepKind::backward, Axis::data, {}, false}};
        unit.needs_first = shares;
        return unit;
    }

private:
    std::vector<Block> blocks_of(bool experts) const
    {
        Block attention;
        attention.scores = true;
        attention.middle = compute_.attention_token.value / static_cast<double>(s_.model.layers);
        Block mlp;
        mlp.experts = experts;
        for (const Weight& w : layer_weights(s_.model, Parallel{}, experts))
        {
            const bool output = w.name == "attention output";
            (w.mlp    ? (w.expert ? mlp.middle : mlp.before)
             : output ? attention.after
                      : attention.before) += products(w);
        }
        if (s_.model.norms_per_layer == 1) // both read the same input and are summed behind
        {
            attention.leaves = mlp.enters = false;
        }
        else
        {
            mlp.enters = mlp.leaves = tensor_all_reduces(s_, experts) == 2;
        }
        return {attention, mlp};
    }

    std::vector<StepPiece> forward_of(const std::vector<Block>& blocks) const
    {
        Pieces pieces(s_, per_flop_, communicate_);
        pieces.forward(blocks, StepKind::forward);
        return pieces.take();
    }

    std::vector<StepPiece> backward_of(const std::vector<Block>& blocks) const
    {
        Pieces pieces(s_, per_flop_, communicate_);
        if (s_.training.recompute == Recompute::full)
        {
            pieces.forward(blocks, StepKind::backward);
        }
        pieces.backward(blocks);
        return pieces.take();
    }

    const Scenario& s_;
    bool communicate_;
    ComputeReport compute_;
    double per_flop_ = 0; // [s] for a FLOP of every token of a micro-batch
    std::array<std::vector<Weight>, 2> weights_;
    std::array<std::vector<StepPiece>, 2> forward_;
    std::array<std::vector<StepPiece>, 2> backward_;
};

} // namespace

double StepUnit::elements(std::size_t group) const
{
    return std::accumulate(tensors[group].begin(), tensors[group].end(), 0.0);
}

double StepUnit::seconds(bool of_backward) const
{
    double sum = 0;
    for (const StepPiece& piece : pieces(of_backward))
    {
        sum += piece.seconds;
    }
    return sum;
}

StepUnits step_units(const Scenario& s, bool communicate)
{
    const Placement placement = s.training.schedule->placement;
    const auto weights = stage_weights(s.model, s.parallel, placement);
    const auto largest =
        std::max_element(weights.begin(), weights.end(),
                         [](const StageWeights& a, const StageWeights& b) { return a.total() < b.total(); });
    StepUnits made;
    made.stage = largest - weights.begin();
    const StagePart part = stage_parts(s.model, s.parallel, placement)[static_cast<std::size_t>(made.stage)];
    const Maker maker(s, communicate);
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
