#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/activations/working.h"
#include "core/memory/memory.h"
#include "ui/views/memory/activations/model.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Heat: how much of the largest kept tensor's bytes. The root keeps small ones apart from the ground.
Colour heat_of(const Theme& t, const TensorRow& row, double largest)
{
    const auto share = static_cast<float>(std::sqrt(row.bytes / std::max(1.0, largest)));
    return mix(mix(t.window, t.of(Component::activations).fill, 0.22F), t.of(Component::activations).fill,
               share);
}

std::string_view fate_of(const TensorRow& row)
{
    return row.keeping == Keeping::never   ? "not stored (FlashAttention)"
           : row.keeping == Keeping::again ? "discarded and recomputed"
                                           : "stored for the backward pass";
}

std::string tip_of(const Frame& frame, const TensorRow& row)
{
    const Term term = explain_tensor(frame.now.scenario, row.tensor);
    return fmt::format("{}: {}\n{}\n\n{}\n= {}\n\n{}", row.tensor.name,
                       format_bytes(Bytes(row.bytes), frame.preferences.unit), fate_of(row), term.formula,
                       term.working, term.source);
}

// What is kept is filled in its heat; what is computed again hatched in the same colour, what is never
// written on the bare ground.
Fill fill_of(const Theme& t, const TensorRow& row, double largest)
{
    const Ink& ink = t.of(Component::activations);
    switch (row.keeping)
    {
    case Keeping::kept:
        return {{heat_of(t, row, largest), ink.label, ink.edge}};
    case Keeping::again:
        return {.ink = {dim(t, ink.fill, 0.75F)}, .lines = dim(t, ink.fill, 0.2F), .hatch = kExposedHatch};
    case Keeping::never:
        break;
    }
    return {.ink = {0, t.text, t.line}, .lines = t.idle_hatch};
}

// Where a bar is cut because what it stands for is longer.
void cut_off(const Painter& p, Rect r)
{
    draw_break(p, {r.right() - p.px(14), r.y - 1, p.px(8), r.h + 2});
}

void pick(std::string_view tensor, ActivationsState& state)
{
    state.picked = state.picked == tensor ? std::string_view() : tensor;
}

void react(const Painter& p, const Frame& frame, const Press& pressed, const TensorRow& row,
           ActivationsState& state)
{
    if (pressed.hovered || pressed.focused)
    {
        state.hovered = row.tensor.name;
    }
    if (pressed.clicked)
    {
        pick(row.tensor.name, state);
    }
    if (pressed.hovered)
    {
        tooltip(p, tip_of(frame, row));
    }
}

bool is_lit(const TensorRow& row, const ActivationsState& state)
{
    return row.tensor.name == state.hovered || row.tensor.name == state.picked;
}

// A tensor, or the heading of those of one half of the layer.
struct Line
{
    const TensorRow* row;
    LayerHalf half;
};

constexpr float kPitch = 56;

// All rows if they have room, with headings if these have too; else the largest.
std::vector<Line> lines_of(const LayerTensors& layer, std::size_t room, bool by_size)
{
    std::vector<Line> lines;
    const bool headings = !by_size && room >= layer.rows.size() + 2;
    for (const TensorRow& row : layer.rows)
    {
        if (headings && (lines.empty() || lines.back().half != row.tensor.half))
        {
            lines.push_back({nullptr, row.tensor.half});
        }
        lines.push_back({&row, row.tensor.half});
    }
    if (lines.size() > room)
    {
        std::vector<const TensorRow*> largest;
        std::ranges::transform(lines, std::back_inserter(largest), &Line::row);
        std::ranges::stable_sort(largest, std::ranges::greater{},
                                 [](const TensorRow* r)
                                 { return r->keeping == Keeping::kept ? r->bytes : r->bytes * 1e-12; });
        largest.resize(room > 0 ? room - 1 : 0);
        std::erase_if(lines, [&](const Line& line)
                      { return std::ranges::find(largest, line.row) == largest.end(); });
    }
    return lines;
}

double kept_in(const LayerTensors& layer, LayerHalf half)
{
    double bytes = 0;
    for (const TensorRow& row : layer.rows)
    {
        bytes += row.tensor.half == half && row.keeping == Keeping::kept ? row.bytes : 0;
    }
    return bytes;
}

void draw_row_bar(const Painter& p, Rect cell, const TensorRow& row, const LayerTensors& layer)
{
    const float inset = std::max(1.0F, std::round(cell.h * 0.16F));
    const double share = row.bytes / std::max(1.0, layer.largest);
    const float w = cell.w * static_cast<float>(std::min(1.0, share));
    const Rect bar{cell.x, cell.y + inset, std::max(2.0F, w), cell.h - 2 * inset};
    draw_fill(p, bar, fill_of(p.theme, row, layer.most().bytes));
    if (share > 1)
    {
        cut_off(p, bar);
    }
}

Table<Line> table_of(const Painter& p, const Frame& frame, const LayerTensors& layer,
                     const ActivationsState& state)
{
    const auto kept = [](const Line& line)
    { return line.row != nullptr && line.row->keeping == Keeping::kept; };
    const auto name = [&p, &layer, kept](const Line& line)
    {
        const Colour ink = kept(line) || line.row == nullptr ? p.theme.text : p.theme.muted;
        return line.row == nullptr ? Cell(line.half == LayerHalf::attention ? "Attention"
                                          : layer.experts                   ? "Experts"
                                                                            : "MLP",
                                          ink)
                                         .strong()
               : line.row == &layer.most() ? Cell(line.row->tensor.name, ink).strong()
                                           : Cell(line.row->tensor.name, ink);
    };
    const auto bytes = [&p, &layer, kept](const Line& line)
    {
        return Cell(format_bytes(Bytes(line.row == nullptr ? kept_in(layer, line.half) : line.row->bytes),
                                 p.look.unit),
                    kept(line) || line.row == nullptr ? p.theme.text : p.theme.muted);
    };
    const auto share = [&layer, kept](const Line& line)
    { return kept(line) ? format_percent(line.row->bytes / std::max(1.0, layer.kept)) : ""; };
    return {{{"", name},
             Column<Line>(
                 "",
                 [&frame](const Line& line) {
                     return line.row != nullptr ? explain_tensor(frame.now.scenario, line.row->tensor).formula
                                                : "";
                 },
                 1)
                 .words(),
             Column<Line>("", nullptr)
                 .wide(120,
                       [&layer](const Painter& at, Rect r, const Line& line, bool)
                       {
                           if (line.row != nullptr)
                           {
                               draw_row_bar(at, r, *line.row, layer);
                           }
                       }),
             {"", bytes},
             {"", share, 0}},
            [](const Line& line)
            { return line.row != nullptr ? fmt::format("###tensor {}", line.row->tensor.name) : ""; },
            [&state](const Line& line) { return line.row != nullptr && is_lit(*line.row, state); },
            kPitch,
            [&frame](const Line& line) { return line.row != nullptr ? tip_of(frame, *line.row) : ""; },
            [](const Line& line) { return line.row != nullptr ? std::string(line.row->tensor.name) : ""; }};
}

// All tensors side by side; those that are never written behind the others, cut where they would take more
// than their share.
void draw_strip(const Painter& p, Rect area, const Frame& frame, const LayerTensors& layer,
                ActivationsState& state)
{
    constexpr double kMostNever = 0.3;
    const double written = std::max(1.0, layer.kept + layer.again);
    const double share = std::min(kMostNever, layer.never / (written + layer.never));
    std::vector<BarPart> parts;
    std::vector<const TensorRow*> shown;
    for (const bool never : {false, true})
    {
        for (const TensorRow& row : layer.rows)
        {
            if ((row.keeping == Keeping::never) == never)
            {
                parts.push_back({row.bytes * (never ? share / layer.never : (1 - share) / written),
                                 fill_of(p.theme, row, layer.most().bytes), row.tensor.name});
                shown.push_back(&row);
            }
        }
    }
    const StackedBar bar = draw_stacked_bar(p, area, parts, {.most = 1, .up = false, .reads = false});
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        if (bar.parts[i].w >= 1)
        {
            const std::string label = fmt::format("###block {}", shown[i]->tensor.name);
            Press pressed = press(p, bar.parts[i], label.c_str(), 2);
            pressed.hovered = pressed.hovered || p.walks_in(bar.parts[i]);
            react(p, frame, pressed, *shown[i], state);
            if (is_lit(*shown[i], state))
            {
                p.outline(bar.parts[i], p.theme.text, p.px(2), p.px(2));
            }
        }
    }
    if (layer.never / (written + layer.never) > kMostNever)
    {
        cut_off(p, area);
    }
}

// Under the strip, what the parts of it come to.
void draw_sums(const Painter& p, Rect row, const LayerTensors& layer)
{
    for (const auto& [words, bytes] :
         std::array{std::pair{"stored", layer.kept}, std::pair{"recomputed", layer.again},
                    std::pair{"not stored (FlashAttention)", layer.never}})
    {
        const std::string says = fmt::format("{} {}", format_bytes(Bytes(bytes), p.look.unit), words);
        const bool strong = bytes == layer.kept;
        const Type type = strong ? Type::small_strong : Type::small;
        if (bytes > 0 && p.width(type, says) <= row.w)
        {
            row.cut_left(p.text(row.x, row.middle(), type, strong ? p.theme.text : p.theme.muted, says) +
                         p.px(20));
        }
    }
}

} // namespace

void draw_layer_strip(const Painter& p, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state)
{
    p.part("layer", area);
    draw_sums(p, area.cut_bottom(p.height(Type::small) + p.px(8)), layer);
    draw_strip(p, area, frame, layer, state);
}

void draw_tensor_rows(const Painter& painter, Rect area, const Frame& frame, const LayerTensors& layer,
                      ActivationsState& state)
{
    const Painter& p = painter;
    const float least = p.height(Type::small) + p.px(1);
    const auto room = static_cast<std::size_t>(std::max(0.0F, area.h / least));
    const std::vector<Line> lines = lines_of(layer, room, state.by_size);
    const std::size_t others =
        layer.rows.size() - static_cast<std::size_t>(
                                std::ranges::count_if(lines, [](const Line& l) { return l.row != nullptr; }));
    Rect rest = area;
    const Rect foot = others > 0 ? rest.cut_bottom(least) : Rect{};
    const TableEvent event = table_of(p, frame, layer, state).draw(p, rest, lines);
    p.part("tensors", area);
    if (event.hovered)
    {
        state.hovered = lines[*event.hovered].row->tensor.name;
    }
    if (event.pressed)
    {
        pick(lines[*event.pressed].row->tensor.name, state);
    }
    if (others > 0)
    {
        double bytes = layer.kept;
        for (const Line& line : lines)
        {
            bytes -= line.row != nullptr && line.row->keeping == Keeping::kept ? line.row->bytes : 0;
        }
        p.text_within(foot.x + p.px(4), foot.middle(), foot.w, Type::small, p.theme.muted,
                      fmt::format("and {} smaller, {} stored", others,
                                  format_bytes(Bytes(std::max(0.0, bytes)), p.look.unit)));
    }
}

} // namespace ringside
