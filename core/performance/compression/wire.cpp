#include "core/performance/compression/wire.h"

#include "core/memory/memory.h"
#include "core/model/weights.h"
#include "core/performance/step_life.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringside
{

namespace
{

double whole_bytes(double bits)
{
    return std::ceil(bits / 8);
}

void add_weights(GradientShape& shape, const std::vector<Weight>& weights)
{
    for (const Weight& w : weights)
    {
        shape.push_back({w.local_rows, w.local_cols, w.local_copies});
    }
}

std::int64_t power_sgd_elements(const GradientShape& shape, std::int64_t rank)
{
    std::int64_t elements = 0;
    for (const GradientBlock& b : shape)
    {
        const std::int64_t factors = rank * (b.rows + b.cols) * b.count;
        elements += b.cols > 1 ? std::min(factors, b.elements()) : b.elements();
    }
    return elements;
}

GradientShape stage_shape(const Scenario& s, std::size_t stage)
{
    const Placement placement = s.training.schedule->placement;
    const StagePart part = stage_parts(s.model, s.parallel, placement).at(stage);
    GradientShape shape;
    const bool embeds = part.embedding || part.embeds_again;
    if (embeds)
    {
        add_weights(shape, embedding_weights(s.model, s.parallel));
    }
    for (const LayerRange& range : part.ranges)
    {
        for (std::int64_t layer = range.first; layer < range.first + range.count; ++layer)
        {
            add_weights(shape, layer_weights(s.model, s.parallel, layer_kind(s.model, layer)));
        }
    }
    if (part.head)
    {
        add_weights(shape, head_weights(s.model, s.parallel, s.model.tied_embeddings && embeds));
    }
    return shape;
}

} // namespace

std::int64_t elements_of(const GradientShape& shape)
{
    std::int64_t count = 0;
    for (const GradientBlock& b : shape)
    {
        count += b.elements();
    }
    return count;
}

std::int64_t tensors_of(const GradientShape& shape)
{
    std::int64_t count = 0;
    for (const GradientBlock& b : shape)
    {
        count += b.count;
    }
    return count;
}

std::int64_t index_bits(std::int64_t elements)
{
    const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(1, elements) - 1);
    return static_cast<std::int64_t>(std::bit_width(last));
}

WireSize wire_size(const CompressionOptions& o, const GradientShape& shape)
{
    const std::int64_t n = elements_of(shape);
    const auto all = static_cast<double>(n);
    const auto k = static_cast<double>(kept_of(o.keep, n));
    const Bytes scales(4 * tensors_of(shape));
    switch (o.compressor)
    {
    case Compressor::none:
        break;
    case Compressor::fp16:
    case Compressor::bf16:
        return {Bytes(2 * all), {}, {}};
    case Compressor::fp8:
        return {Bytes(all), {}, scales};
    case Compressor::top_k:
        return {Bytes(4 * k),
                Bytes(o.packed_indices ? whole_bytes(k * static_cast<double>(index_bits(n))) : 4 * k),
                {}};
    case Compressor::random_k:
        return {Bytes(4 * k), {}, {}};
    case Compressor::sign:
        return {Bytes(whole_bytes(all)), {}, scales};
    case Compressor::vote:
        return {Bytes(whole_bytes(all)), {}, {}};
    case Compressor::power_sgd:
        return {Bytes(4 * power_sgd_elements(shape, o.rank)), {}, {}};
    }
    return {Bytes(4 * all), {}, {}};
}

WireRatio wire_ratio(const CompressionOptions& options, const GradientShape& shape)
{
    const double bytes = wire_size(options, shape).total().value;
    const auto n = static_cast<double>(elements_of(shape));
    return bytes > 0 ? WireRatio{4 * n / bytes, 2 * n / bytes} : WireRatio{};
}

Bytes sent_per_rank(Travel travel, Bytes part, std::int64_t ranks)
{
    const auto n = static_cast<double>(std::max<std::int64_t>(1, ranks));
    return part * (travel == Travel::all_gather ? n - 1 : 2 * (n - 1) / n);
}

Seconds wire_time(Travel travel, Bytes part, std::int64_t ranks, const Link& link)
{
    if (travel != Travel::all_gather)
    {
        return ring_all_reduce_cost(ranks, part, link).total();
    }
    const Bytes gathered = part * static_cast<double>(std::max<std::int64_t>(1, ranks));
    return estimate(CollectiveKind::all_gather, *find_algorithm("ring"), ranks, gathered, {link, link, ranks})
        .total();
}

double gather_crossover(Bytes part, Bytes dense)
{
    return part.value > 0 ? 2 * (dense / part) : 0;
}

Bytes GradientProjection::part(const CompressionOptions& options) const
{
    return wire_size(options, shape).total() * scale;
}

Bytes GradientProjection::sent(const CompressionOptions& options) const
{
    return sent_per_rank(info_of(options.compressor).travel, part(options), ranks);
}

Seconds GradientProjection::time(const CompressionOptions& options) const
{
    return wire_time(info_of(options.compressor).travel, part(options), ranks, link);
}

Seconds GradientProjection::exposed(const CompressionOptions& options) const
{
    return std::max(Seconds(0.0), time(options) - hides);
}

GradientProjection gradient_projection(const Scenario& s, std::size_t stage,
                                       const CollectiveReport& collective)
{
    GradientProjection p;
    p.shape = stage_shape(s, stage);
    p.ranks = collective.ranks;
    p.link = collective.link;
    p.own_bytes = state_bytes(s.training).gradient;
    p.scale = collective.message.value / (p.own_bytes * static_cast<double>(elements_of(p.shape)));
    const StepLife life = step_life(s, {});
    for (const StepTask& task : life.tasks)
    {
        p.hides += Seconds(task.kind == StepKind::backward ? task.end - task.start : 0);
    }
    return p;
}

} // namespace ringside
