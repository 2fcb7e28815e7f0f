#include "core/performance/step_units.h"

#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/network/traffic.h"
#include "core/performance/step_model/profile.h"
#include "core/scenario/stage_layers.h"

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
    double before = 0; // FLOPs: up to the scores, or up to the experts
    double middle = 0; // the scores themselves, or the experts
    double after = 0;
    bool scores = false;
    bool experts = false;
    // Its input and its output are where the tensor group communicates.
    bool enters = true;
    bool leaves = true;
};

double forward_flops(const std::vector<Block>& blocks)
{
    double sum = 0;
    for (const Block& b : blocks)
    {
        sum += b.before + b.middle + b.after;
    }
    return sum;
}

// Scores have no weights: both their gradients are those of inputs. Selective recomputation makes them again,
// with keys and values that come round again.
double score_rounds(const Scenario& s)
{
    return s.training.recompute == Recompute::selective ? 3 : 2;
}

double backward_flops(const Scenario& s, const std::vector<Block>& blocks)
{
    double sum = 0;
    for (const Block& b : blocks)
    {
        sum += 2 * (b.before + b.after) + (b.scores ? score_rounds(s) : 2) * b.middle;
    }
    return sum;
}

// Writes the passes through one layer, piece by piece. A pass's time is the step model's, shared out over its
// pieces by their FLOPs.
class Pieces
{
public:
    Pieces(const Scenario& s, bool communicate)
        : s_(s), tensor_(communicate && s.parallel.tensor > 1),
          context_(communicate && s.parallel.context > 1), expert_(communicate && s.parallel.expert > 1),
          beside_(communicate && s.parallel.overlap_tensor && possible_overlaps(s).tensor),
          piece_(1 / static_cast<double>(s.parallel.tensor))
    {
    }

    std::vector<StepPiece> take() { return std::move(list_); }

    void forward(const std::vector<Block>& blocks, StepKind kind, double seconds)
    {
        per_flop_ = seconds / forward_flops(blocks);
        for (const Block& b : blocks)
        {
            gathered(b, b.before, b.enters, kind);
            around(b, 1, b.middle, kind);
            reduced(b, b.after, b.leaves, kind);
        }
        flush(kind);
    }

    // Input gradients first: with tensor parallelism they travel while the weights' gradients are computed.
    void backward(const std::vector<Block>& blocks, double seconds)
    {
        per_flop_ = seconds / backward_flops(s_, blocks);
        for (std::size_t i = blocks.size(); i-- > 0;)
        {
            const Block& b = blocks[i];
            const StepKind kind = StepKind::backward;
            const double now = tensor_ && b.enters ? 1 : 2; // the rest is computed beside the reduction
            gathered(b, now * b.after, b.leaves, kind);
            around(b, b.scores ? score_rounds(s_) : 2, (b.scores ? score_rounds(s_) : now) * b.middle, kind);
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

    void gather(bool here, StepKind kind, bool beside)
    {
        if (tensor_ && here && s_.parallel.sequence_parallel)
        {
            send(Axis::tensor, StepKind::all_gather, tensor_message(s_), beside, kind);
        }
    }

    // The product that a gather feeds: where they overlap, all but the piece that comes last.
    void gathered(const Block& b, double flops, bool here, StepKind kind)
    {
        const bool beside = beside_ && here && !b.experts && flops > 0;
        gather(here, kind, beside);
        compute(beside ? flops * (1 - piece_) : flops);
        if (beside)
        {
            flush(kind);
            compute(flops * piece_);
        }
    }

    // The product whose sums are scattered: where they overlap, beside all but its first piece.
    void reduced(const Block& b, double flops, bool here, StepKind kind)
    {
        const bool beside = beside_ && here && !b.experts && flops > 0;
        compute(beside ? flops * piece_ : flops);
        reduce(here, kind, beside);
        if (beside)
        {
            compute(flops * (1 - piece_));
            flush(kind);
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
    double per_flop_ = 0; // [s]
    bool tensor_;
    bool context_;
    bool expert_;
    bool beside_;        // gathers and scatters of the tensor group overlap their products, but experts
    double piece_;       // share of a product that has nothing to overlap
    double pending_ = 0; // [s] of compute not yet written down
    std::vector<StepPiece> list_;
};

class Maker
{
public:
    Maker(const Scenario& s, bool communicate)
        : s_(s), communicate_(communicate), compute_(compute_report(s)), profile_(step_profile(s)),
          tokens_(static_cast<double>(s.training.micro_batch * s.training.sequence_length) /
                  static_cast<double>(s.parallel.tensor * s.parallel.context))
    {
        for (const LayersOfKind& alike : layers_by_kind(s.model, all_layers(s.model)))
        {
            layers_.emplace_back(alike.kind, made(alike.kind));
        }
    }

    StepUnit layer(std::int64_t index) const
    {
        const auto known =
            std::find_if(layers_.begin(), layers_.end(),
                         [&](const auto& layer) { return layer.first == layer_kind(s_.model, index); });
        StepUnit unit = known->second;
        unit.layer = index;
        return unit;
    }

    StepUnit embedding() const
    {
        StepUnit unit;
        unit.layer = kEmbeddingUnit;
        add_tensors(unit, embedding_weights(s_.model, s_.parallel));
        in_one_piece(unit, profile_.of(Unit::embedding));
        return unit;
    }

    StepUnit head(bool shares) const
    {
        StepUnit unit;
        unit.layer = kHeadUnit;
        add_tensors(unit, head_weights(s_.model, s_.parallel, shares));
        in_one_piece(unit, profile_.of(Unit::head));
        unit.flops = 3 * compute_.head_token.value * tokens_;
        unit.needs_first = shares;
        return unit;
    }

private:
    static void in_one_piece(StepUnit& unit, const UnitProfile& profile)
    {
        unit.forward = {{profile.forward.alone(), StepKind::forward, Axis::data, {}, false}};
        unit.backward = {{profile.again.alone() + profile.input.alone() + profile.weight.alone(),
                          StepKind::backward,
                          Axis::data,
                          {},
                          false}};
    }

    // Its tensors are the layer's own, its times those of a mean layer.
    StepUnit made(LayerKind kind) const
    {
        const bool experts = kind.experts;
        const UnitProfile& profile = profile_.of(experts ? Unit::experts : Unit::dense);
        const std::vector<Block> blocks = blocks_of(kind);
        // Where only some layers are recomputed each is taken for the mean of them, without their traffic.
        const bool twice = s_.training.recompute == Recompute::full && recomputed_share(s_) == 1;
        StepUnit unit;
        add_tensors(unit, layer_weights(s_.model, s_.parallel, kind));
        Pieces forward(s_, communicate_);
        forward.forward(blocks, StepKind::forward, profile.forward.alone());
        unit.forward = forward.take();
        Pieces backward(s_, communicate_);
        if (twice)
        {
            backward.forward(blocks, StepKind::backward, profile.again.alone());
        }
        backward.backward(blocks, profile.input.alone() + profile.weight.alone() +
                                      (twice ? 0 : profile.again.alone()));
        unit.backward = backward.take();
        const double again = s_.training.recompute == Recompute::full ? recomputed_share(s_)
                             : s_.training.recompute == Recompute::alternate
                                 ? compute_.again_token / compute_.products_token
                                 : 0; // selective: in the backward's
        unit.flops = (1 + again) * forward_flops(blocks) + backward_flops(s_, blocks);
        return unit;
    }

    std::vector<Block> blocks_of(LayerKind kind) const
    {
        const bool experts = kind.experts;
        Block attention;
        attention.scores = true;
        attention.middle =
            compute_.attention_token.value * tokens_ / static_cast<double>(all_layers(s_.model));
        Block mlp;
        mlp.experts = experts;
        for (const Weight& w : layer_weights(s_.model, Parallel{}, kind))
        {
            const bool output = w.name == "attention output";
            const bool down = w.name == "MLP down" && !experts;
            Block& block = w.mlp ? mlp : attention;
            (w.expert ? block.middle : output || down ? block.after : block.before) += products(w) * tokens_;
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

    const Scenario& s_;
    bool communicate_;
    ComputeReport compute_;
    StepProfile profile_;
    double tokens_; // of a micro-batch, whose FLOPs this GPU makes
    std::vector<std::pair<LayerKind, StepUnit>> layers_;
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
    const bool embeds = part.embedding || part.embeds_again;
    if (embeds)
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
        made.units.push_back(maker.head(s.model.tied_embeddings && embeds));
    }
    return made;
}

} // namespace ringside
