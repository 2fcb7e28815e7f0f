#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/memory/activations/working.h"
#include "core/memory/explain_memory.h"
#include "ui/views/memory/activations/desk.h"

namespace ringside
{

namespace
{

Caption of_tensor(const Frame& frame, const LayerTensors& layer, const TensorRow& row)
{
    const Term term = explain_tensor(frame.now.scenario, row.tensor);
    const std::string bytes = format_bytes(Bytes(row.bytes), frame.preferences.unit);
    Caption caption;
    switch (row.keeping)
    {
    case Keeping::kept:
        caption.sentence = fmt::format("**{}**: {}, **{}** of what the layer stores.", row.tensor.name, bytes,
                                       format_percent(row.bytes / layer.kept));
        break;
    case Keeping::again:
        caption.sentence =
            fmt::format("**{}**: {} discarded, recomputed in the backward pass.", row.tensor.name, bytes);
        break;
    case Keeping::never:
        caption.sentence =
            fmt::format("**{}** would take {}: FlashAttention **never stores it**.", row.tensor.name, bytes);
        break;
    }
    caption.formula = fmt::format("{} = {} = {} = {}", row.tensor.name, term.formula, term.working, bytes);
    caption.source = term.source;
    return caption;
}

// A = L s b h (34 + 5 a s / h), with today's coefficient.
Caption of_stage(const Frame& frame, const LayerTensors& layer)
{
    const ByteUnit unit = frame.preferences.unit;
    const MemoryReport& memory = frame.now.report.memory;
    const StageMemory& stage = memory.worst();
    const Term term = explain(frame.now.scenario, memory, memory.fullest, Component::activations);
    Caption caption;
    caption.sentence =
        fmt::format("A layer stores **{}** per micro-batch; stage {}, {} with {} in flight, stores **{}**.",
                    format_bytes(Bytes(layer.kept), unit), memory.fullest, counted(stage.layers, "layer"),
                    stage.in_flight, format_bytes(stage.of(Component::activations), unit));
    caption.formula = fmt::format("activations = {} = {} = {}", term.formula, term.working,
                                  format_bytes(Bytes(term.value), unit));
    caption.source = term.source + ". There it is s b h (34 + 5 a s / h) per layer: 34 for the tensors of a "
                                   "plain GPT, 5 a s / h for its attention scores, which FlashAttention does "
                                   "not store.";
    return caption;
}

} // namespace

Caption activations_caption(const Frame& frame, const ActivationsState& state)
{
    const LayerTensors layer = layer_tensors(frame.now.scenario, state);
    const TensorRow* row = layer.find(state.hovered.empty() ? state.picked : state.hovered);
    return row != nullptr ? of_tensor(frame, layer, *row) : of_stage(frame, layer);
}

} // namespace ringside
