#include "ui/views/memory/activations/model.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/memory/activations/working.h"
#include "core/memory/context_length.h"
#include "core/memory/explain_memory.h"
#include "core/memory/memory.h"
#include "core/scenario/validate.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 15> kHeads{4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 112, 128, 256};
constexpr std::array<std::int64_t, 14> kWidths{768,  1024, 1536, 2048,  3072,  4096,  5120,
                                               6144, 7168, 8192, 10240, 12288, 16384, 20480};

void own_shape(Model& model)
{
    model.preset.clear();
    model.name.clear();
}

// `wide` times by / of, where that is whole; else 0, which is no shape.
std::int64_t scaled(std::int64_t wide, std::int64_t by, std::int64_t of)
{
    return wide * by % of == 0 ? wide * by / of : 0;
}

bool has_shape(const Model& m)
{
    return m.ffn > 0 && (m.attention == Attention::mla || m.head_dim > 0) &&
           (m.experts == 0 || m.expert_ffn > 0);
}

template <std::size_t N, class Change>
std::vector<double> stops_of(const Scenario& s, const std::array<std::int64_t, N>& candidates,
                             std::int64_t now, Change change)
{
    std::vector<double> stops{static_cast<double>(now)};
    for (const std::int64_t value : candidates)
    {
        const Scenario next = change(s, value);
        if (value != now && has_shape(next.model) && !has_errors(validate(next)))
        {
            stops.push_back(static_cast<double>(value));
        }
    }
    std::ranges::sort(stops);
    return stops;
}

} // namespace

const TensorRow* LayerTensors::find(std::string_view name) const
{
    const auto found = std::ranges::find(rows, name, [](const TensorRow& r) { return r.tensor.name; });
    return found == rows.end() ? nullptr : &*found;
}

const TensorRow& LayerTensors::most() const
{
    return *std::ranges::max_element(
        rows, {}, [](const TensorRow& r) { return r.keeping == Keeping::kept ? r.bytes : -1; });
}

LayerTensors layer_tensors(const Scenario& s, const ActivationsState& state)
{
    LayerTensors layer;
    bool dense = false;
    bool experts = false;
    for (std::int64_t i = 0; i < s.model.layers; ++i)
    {
        (has_experts(s.model, i) ? experts : dense) = true;
    }
    layer.both = dense && experts;
    layer.experts = experts && !(layer.both && state.other_kind);
    for (const ActivationTensor& t : activation_tensors(s.model, s.training, s.parallel, layer.experts))
    {
        const TensorRow row{t, keeping(t, s.training, s.training.recompute),
                            tensor_bytes(t, s.training, s.parallel)};
        if (t.unread && row.keeping == Keeping::never)
        {
            continue; // only alternate recomputation keeps it
        }
        (row.keeping == Keeping::kept    ? layer.kept
         : row.keeping == Keeping::again ? layer.again
                                         : layer.never) += row.bytes;
        layer.largest = std::max(layer.largest, row.keeping == Keeping::never ? 0 : row.bytes);
        layer.rows.push_back(row);
    }
    if (state.by_size)
    {
        std::ranges::stable_sort(layer.rows, std::ranges::greater{}, &TensorRow::bytes);
    }
    return layer;
}

LayerCuts layer_cuts(const Scenario& scenario, bool experts)
{
    Scenario s = scenario;
    const auto bytes = [&]
    { return layer_activations(s.model, s.training, s.parallel, experts, s.training.recompute); };
    LayerCuts cuts;
    for (const std::int64_t t : {std::int64_t{2}, std::int64_t{4}, std::int64_t{8}})
    {
        const bool fits = s.model.heads % t == 0 && s.model.ffn % t == 0;
        cuts.tensor = fits ? t : cuts.tensor;
    }
    cuts.tensor = scenario.parallel.tensor > 1 ? scenario.parallel.tensor : cuts.tensor;
    s.parallel.tensor = cuts.tensor;
    s.parallel.sequence_parallel = true;
    cuts.all = bytes();
    s.parallel.sequence_parallel = false;
    cuts.products = bytes();
    s.parallel.tensor = s.parallel.expert_tensor = 1;
    cuts.whole = bytes();
    return cuts;
}

ShapeStops shape_stops(const Scenario& s)
{
    const auto lengths = context_lengths(s);
    return {{lengths.begin(), lengths.end()},
            stops_of(s, kHeads, s.model.heads, with_heads),
            stops_of(s, kWidths, s.model.hidden, with_width)};
}

Scenario with_heads(Scenario s, std::int64_t heads)
{
    Model& m = s.model;
    if (m.attention != Attention::mla)
    {
        m.head_dim = scaled(m.head_dim, m.heads, heads);
        m.kv_heads = m.kv_heads == m.heads ? heads : std::gcd(m.kv_heads, heads);
    }
    m.heads = heads;
    own_shape(m);
    return s;
}

Scenario with_width(Scenario s, std::int64_t hidden)
{
    Model& m = s.model;
    m.ffn = scaled(m.ffn, hidden, m.hidden);
    m.head_dim = m.attention == Attention::mla ? m.head_dim : scaled(m.head_dim, hidden, m.hidden);
    if (m.experts > 0)
    {
        m.expert_ffn = scaled(m.expert_ffn, hidden, m.hidden);
    }
    m.hidden = hidden;
    own_shape(m);
    return s;
}

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
    const MemoryReport& memory = frame.now.report->memory;
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

namespace
{

// What of a layer is stored on one GPU, against the layer unsharded; the scenario's own way is strong.
void draw_sharding(const Painter& p, PanelColumn& column, std::string_view words, std::string_view tip,
                   double bytes, double whole, bool own)
{
    const Ink& ink = p.theme.of(Component::activations);
    column.fact(words, format_bytes(Bytes(bytes), p.look.unit), tip, own ? FactInk::strong : FactInk::plain);
    const BarPart bar{bytes, plain_fill(own ? ink.fill : dim(p.theme, ink.fill, 0.55F))};
    draw_stacked_bar(p, column.row(8), std::span(&bar, 1), {whole, false});
    column.gap();
}

Scenario with_length(Scenario s, std::int64_t tokens)
{
    s.training.sequence_length = tokens;
    return s;
}

void draw_shardings(const Painter& p, PanelColumn& column, const Scenario& s, bool experts)
{
    const std::int64_t t = s.parallel.tensor;
    const LayerCuts cuts = layer_cuts(s, experts);
    column.label(fmt::format("Per layer with TP = {}", cuts.tensor));
    const bool sequence = s.parallel.sequence_parallel;
    draw_sharding(p, column, "unsharded",
                  "One GPU without tensor parallelism. Korthikanti et al. 2022, equation 1", cuts.whole,
                  cuts.whole, t == 1);
    draw_sharding(p, column, "TP only",
                  "Tensor parallelism alone: inputs of norms and linear layers, and dropout masks outside of "
                  "them, stay "
                  "whole on every GPU: 10 + 24/t in place of 34. Korthikanti et al. 2022, equation 2",
                  cuts.products, cuts.whole, t > 1 && !sequence);
    draw_sharding(p, column, "TP + sequence parallel",
                  "With sequence parallelism everything is sharded by t, with the same traffic. Korthikanti "
                  "et al. 2022, "
                  "equation 4",
                  cuts.all, cuts.whole, t > 1 && sequence);
}

} // namespace

void draw_activations_panel(const Painter& p, Rect area, const Frame& frame, const ShapeStops& stops,
                            ActivationsState& state, Out& out)
{
    const Scenario& s = frame.now.scenario;
    const LayerTensors layer = layer_tensors(s, state);
    PanelColumn column(p, area, out.animating);
    column.choice({"In order", "Largest first"}, state.by_size);
    if (layer.both)
    {
        column.choice({"Experts", "Dense"}, state.other_kind);
    }
    // The scenario that `change` makes of a stop is asked for.
    const auto slide = [&](const char* label, std::int64_t value, std::span<const double> at, auto change)
    {
        if (column.slide(label, Track::at(at, say_whole), value))
        {
            out.push(ChangeScenario{change(s, value), ImGui::IsMouseDown(0)});
        }
    };
    slide("Sequence s", s.training.sequence_length, stops.lengths, with_length);
    slide("Heads a", s.model.heads, stops.heads, with_heads);
    slide("Width h", s.model.hidden, stops.widths, with_width);
    draw_shardings(p, column, s, layer.experts);
}

} // namespace ringside
