#include "ui/views/formats/blocks.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLeast = 0x1p-8; // at the bottom of the bars
constexpr double kMost = 0x1p10;

Chart bars_of(const Painter& p, Rect area, std::size_t count)
{
    Chart g;
    g.area = area;
    g.cut_left(p.px(52));
    g.area.cut_top(p.px(52));
    g.area.cut_bottom(p.px(22));
    g.x = {0, static_cast<double>(count)};
    g.y = {kLeast, kMost, true, 2};
    return g;
}

void draw_scales(const Painter& p, const Chart& g, const BlockFormat& f, const Quantized& q,
                 std::size_t count)
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
void draw_bars(const Painter& p, const Chart& g, FormatsState& state, const Quantized& q)
{
    const Theme& t = p.theme;
    const float base = g.area.bottom();
    for (std::size_t i = 0; i < state.numbers.size(); ++i)
    {
        const float left = g.at_x(static_cast<double>(i));
        const float w = g.at_x(static_cast<double>(i) + 1) - left;
        const Rect slot{left, g.area.y, w, g.area.h};
        const Press hit = press(p, slot, fmt::format("###number {}", i + 1).c_str(), 2);
        tooltip(p, fmt::format("Number {}: {}\n\nkept as {}\n\nDrag it up or down.", i + 1,
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

void draw_cell(const Painter& p, Rect row, float x, std::string_view words, bool strong)
{
    p.text(row.x + x, row.middle(), Type::mono_small, strong ? p.theme.text : p.theme.muted, words,
           Align::right);
}

void draw_table(const Painter& p, Rect area, FormatsState& state)
{
    const std::array<float, 4> columns{0.42F, 0.60F, 0.80F, 0.99F};
    const std::array<std::string_view, 4> heads{"bits a number", "RMS error", "became 0", "scale of"};
    Rect head = area.cut_top(p.px(24));
    for (std::size_t i = 0; i < heads.size(); ++i)
    {
        p.text(head.x + head.w * columns.at(i), head.middle(), Type::small, p.theme.muted,
               p.shortened(Type::small, heads.at(i), head.w * 0.19F), Align::right);
    }
    for (const BlockFormat& f : block_formats())
    {
        const Rect row = area.cut_top(p.px(28));
        const bool strong = f.id == state.block;
        const Press hit = press(p, row, fmt::format("###block format {}", f.name).c_str());
        tooltip(p, std::string(f.source));
        if (strong || hit.hovered)
        {
            p.fill(row, p.theme.control, p.px(4));
        }
        state.block = hit.clicked ? f.id : state.block;
        const Quantized q = quantize(f, state.numbers);
        p.text_within(row.x + p.px(8), row.middle(), row.w * 0.25F, strong ? Type::small_strong : Type::small,
                      p.theme.text, f.name);
        draw_cell(p, row, row.w * columns[0], fmt::format("{:g}", f.bits_per_value()), strong);
        draw_cell(p, row, row.w * columns[1], format_percent(relative_error(state.numbers, q.values)),
                  strong);
        draw_cell(p, row, row.w * columns[2], format_percent(flushed_share(state.numbers, q.values)), strong);
        draw_cell(p, row, row.w * columns[3], f.block == 0 ? "all" : std::to_string(f.block), strong);
    }
}

} // namespace

void draw_blocks_page(const Painter& p, Rect area, FormatsState& state)
{
    const BlockFormat& f = block_format(state.block);
    const Quantized q = quantize(f, state.numbers);
    const float table = p.px(24 + 28 * 4 + 4);
    if (area.h > table + p.px(180))
    {
        draw_table(p, area.cut_bottom(table), state);
        area.cut_bottom(p.px(12));
    }
    const Chart g = bars_of(p, area, state.numbers.size());
    draw_chart_title(p, {area.x, area.y, area.w, p.px(20)},
                     fmt::format("{} numbers in {}", state.numbers.size(), f.name),
                     "magnitudes; outlined as they were, filled as kept, crossed where 0 is left");
    if (!g.drawable(p))
    {
        return;
    }
    draw_chart_y(p, g, "", exact_power);
    draw_bars(p, g, state, q);
    p.line(g.area.x, g.area.bottom(), g.area.right(), g.area.bottom(), p.theme.line);
    draw_scales(p, g, f, q, state.numbers.size());
    p.part("blocks", area);
}

} // namespace ringside
