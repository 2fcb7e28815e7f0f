// Numbers that share a scale: magnitudes as bars that are dragged, what a block format leaves of each, and
// all block formats compared.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kLeast = 0x1p-8; // at the bottom of the bars
constexpr double kMost = 0x1p10;

void draw_scales(const Painter& p, const Plot& g, const BlockFormat& f, const Quantized& q, std::size_t count)
{
    const std::size_t size = f.block == 0 ? count : static_cast<std::size_t>(f.block);
    for (std::size_t b = 0; b < q.scales.size(); ++b)
    {
        const float left = g.at_x(static_cast<double>(b * size)) + p.px(2);
        const float right = g.at_x(static_cast<double>(std::min(count, (b + 1) * size))) - p.px(2);
        const float y = g.area.y - p.px(8);
        p.line(left, y, right, y, p.theme.text, p.px(1.5F));
        p.line(left, y, left, y + p.px(5), p.theme.text, p.px(1.5F));
        p.line(right, y, right, y + p.px(5), p.theme.text, p.px(1.5F));
        const std::string whole = fmt::format("{} scale {}", f.scale, exact_power(q.scales[b]));
        const std::string brief = exact_power(q.scales[b]);
        const bool fits = p.width(Type::small, whole) < right - left;
        p.text(left, y - p.px(12), Type::small, p.theme.muted,
               p.shortened(Type::small, fits ? whole : brief, right - left));
    }
}

// The number that was dragged and where to.
void draw_bars(const Painter& p, const Plot& g, FormatsState& state, const Quantized& q)
{
    const Theme& t = p.theme;
    const float base = g.area.bottom();
    for (std::size_t i = 0; i < state.numbers.size(); ++i)
    {
        const float left = g.at_x(static_cast<double>(i));
        const float w = g.at_x(static_cast<double>(i) + 1) - left;
        const Rect slot{left, g.area.y, w, g.area.h};
        const Press hit = press(p, slot, fmt::format("###number {}", i + 1).c_str(), 2);
        tooltip(p, fmt::format("Number {}: {}\n\nstored as {}\n\nDrag it up or down.", i + 1,
                               short_figure(state.numbers[i]), short_figure(q.values[i])));
        if (hit.held && ImGui::IsMouseDown(0))
        {
            state.numbers[i] = g.y_of(ImGui::GetIO().MousePos.y);
        }
        const float gap = w > p.px(6) ? p.px(1.5F) : 0;
        const float kept = g.at_y(std::max(q.values[i], kLeast));
        const float true_top = g.at_y(std::max(state.numbers[i], kLeast));
        if (q.values[i] > 0)
        {
            p.fill({left + gap, kept, w - 2 * gap, base - kept}, t.of(Component::weights).fill);
        }
        else
        {
            const float u = std::min(w * 0.3F, p.px(4));
            const float y = base + p.px(9);
            p.line(left + w / 2 - u, y - u, left + w / 2 + u, y + u, t.warning, p.px(1.5F));
            p.line(left + w / 2 - u, y + u, left + w / 2 + u, y - u, t.warning, p.px(1.5F));
        }
        p.outline({left + gap, true_top, w - 2 * gap, base - true_top}, hit.hovered ? t.text : t.muted,
                  p.px(hit.hovered ? 2 : 1));
    }
}

constexpr float kPitch = 28;

void draw_table(const Painter& p, Rect area, FormatsState& state)
{
    using Format = BlockFormat;
    const std::vector<double>& numbers = state.numbers;
    const auto kept = [&numbers](auto share)
    {
        return [&numbers, share](const Format& f)
        { return format_percent(share(numbers, quantize(f, numbers).values)); };
    };
    const Table<Format> table(
        {{"", [](const Format& f) { return f.name; }},
         {"bits per number", [](const Format& f) { return fmt::format("{:g}", f.bits_per_value()); }, 2},
         {"RMS error", kept(relative_error), 3},
         {"flushed to 0", kept(flushed_share), 1},
         {"block size", [](const Format& f) { return f.block == 0 ? "all" : std::to_string(f.block); }, 0}},
        [](const Format& f) { return fmt::format("###block format {}", f.name); },
        [&state](const Format& f) { return f.id == state.block; }, kPitch,
        [](const Format& f) { return std::string(f.source); });
    if (const TableEvent event = table.draw(p, area, block_formats()); event.pressed)
    {
        state.block = block_formats()[*event.pressed].id;
    }
}

void draw_blocks(const FormatsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    FormatsState& state = r.state;
    const BlockFormat& f = block_format(state.block);
    const Quantized q = quantize(f, state.numbers);
    const float table = table_height(p, block_formats().size(), kPitch);
    if (area.h > table + p.px(180))
    {
        draw_table(p, area.cut_bottom(table), state);
        area.cut_bottom(p.px(12));
    }
    const std::string title = fmt::format("{} numbers in {}", state.numbers.size(), f.name);
    area.cut_bottom(p.px(16)); // for crosses
    Plot plot(p, area, {0, static_cast<double>(state.numbers.size())},
              {kLeast, kMost, PlotScale::log2, "", exact_power},
              {.title = title,
               .note = "outline: original magnitude; filled: stored; cross: flushed to 0",
               .part = "blocks",
               .above = p.height(Type::small) + p.px(8)});
    if (plot)
    {
        draw_bars(p, plot, state, q);
        draw_scales(p, plot, f, q, state.numbers.size());
    }
}

void panel_blocks(PanelColumn& column, const FormatsRoom& r)
{
    if (column.button("New numbers", "R"))
    {
        r.state.numbers = made_up_numbers(++r.state.seed);
    }
    if (column.button("Outlier on or off", "O"))
    {
        turn_outlier(r.state);
    }
    const BlockFormat& f = block_format(r.state.block);
    const NumberFormat& e = number_format(f.element);
    column.fact("Element format", e.name);
    column.fact("Largest element", exact_power(largest(e)));
    column.fact("Scale format", f.scale);
    column.fact("Bits per number", fmt::format("{:g}", f.bits_per_value()));
    column.gap();
    column.note("Drag a bar up: it changes the scale of its **own block**, and no other.");
}

Caption caption_blocks(const Frame&, FormatsState& state)
{
    const BlockFormat& f = block_format(state.block);
    const Quantized q = quantize(f, state.numbers);
    const NumberFormat& e = number_format(f.element);
    Caption c;
    c.sentence =
        fmt::format("{}: **{:g} bits** per number, RMS error **{}**, {} of the numbers flushed to 0.", f.name,
                    f.bits_per_value(), format_percent(relative_error(state.numbers, q.values)),
                    format_percent(flushed_share(state.numbers, q.values)));
    switch (f.id)
    {
    case BlockId::tensor_fp8:
        c.formula =
            fmt::format("scale = max|v| / {} = {}", exact_power(largest(e)), exact_power(q.scales[0]));
        break;
    case BlockId::mxfp8:
    case BlockId::mxfp4:
        c.formula =
            fmt::format("scale = 2^(floor(log2 max|v|) \u2212 {}) = {};  {} + 8/{} = {:g} bits",
                        e.most_exponent(), exact_power(q.scales[0]), e.bits(), f.block, f.bits_per_value());
        break;
    case BlockId::nvfp4:
        c.formula = fmt::format(
            "scale = E4M3(max|v| / 6 / s) \u00d7 s, s = max / (6 \u00d7 448) = {:.4g};  4 + 8/16 = {:g} bits",
            q.tensor_scale, f.bits_per_value());
        break;
    }
    c.source = f.source;
    return c;
}

} // namespace

const Page<FormatsState> blocks_page{"Blocks",       draw_blocks, panel_blocks,
                                     caption_blocks, nullptr,     "Block formats"};

} // namespace ringside
