#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "ui/views/context_length/pictures.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLeast = 512;
constexpr double kMost = 1 << 22;

// Powers of two in place of decades.
void draw_lengths(const Painter& p, const Chart& c)
{
    const Theme& t = p.theme;
    const float line = c.area.bottom() + p.height(Type::mono_small) / 2 + p.px(3);
    const float each = c.at_x(2048) - c.at_x(1024);
    const float wide = p.width(Type::mono_small, "512 Ki") + p.px(10);
    const int every = std::max(1, static_cast<int>(std::ceil(wide / std::max(1.0F, each))));
    for (int k = 10; std::exp2(k) <= c.x.high * 1.001; ++k)
    {
        const double s = std::exp2(k);
        p.line(c.at_x(s), c.area.y, c.at_x(s), c.area.bottom(), t.grid);
        const std::string words = length_words(s);
        const bool inside = c.at_x(s) + p.width(Type::mono_small, words) / 2 < c.area.right() + p.px(14);
        if ((k - 10) % every == 0 && s >= c.x.low && inside)
        {
            p.text(c.at_x(s), line, Type::mono_small, t.muted, words, Align::centre);
        }
    }
    p.line(c.area.x, c.area.bottom(), c.area.right(), c.area.bottom(), t.line);
    const float below = c.area.bottom() + p.height(Type::mono_small) + p.height(Type::small) / 2 + p.px(5);
    p.text_within(c.area.x, below, c.area.w, Type::small, t.muted, "tokens of one sequence");
}

ChartAxis lengths_axis(const ContextLook& look)
{
    const auto s = static_cast<double>(look.tokens);
    return {std::min(kLeast, s / 2), std::max(kMost, s * 2), true};
}

struct NamedLine
{
    std::vector<ChartPoint> points;
    Colour colour;
    float thickness;
    std::string_view name;
    Type type = Type::small;
};

void draw_lines(const Painter& p, const Chart& c, std::span<const NamedLine> lines, FreeLabels& labels)
{
    for (const NamedLine& line : lines)
    {
        draw_chart_line(p, c, line.points, line.colour, line.thickness);
        labels.avoid(c, line.points);
    }
}

void name_lines(const Painter& p, const Chart& c, std::span<const NamedLine> lines, FreeLabels& labels)
{
    for (const NamedLine& line : lines)
    {
        labels.put_along(p, c, line.points, line.type, p.theme.text, line.name);
    }
}

template <typename F>
std::vector<ChartPoint> sampled(const Chart& c, F value)
{
    std::vector<ChartPoint> points;
    points.reserve(101);
    for (int i = 0; i <= 100; ++i)
    {
        const double s = c.x.at(i / 100.0);
        const double v = value(s);
        points.push_back({s, v > 0 ? v : NAN});
    }
    return points;
}

std::optional<double> marker(const Painter& p, const Chart& c, ChartPoint here, const char* label,
                             FreeLabels& labels, const std::string& words)
{
    const ImVec2 at = c.at(here.x, here.y);
    labels.avoid({at.x, c.area.y}, {at.x, c.area.bottom()});
    p.line(at.x, c.area.y, at.x, c.area.bottom(), p.theme.text, 1);
    const ChartGrip grip = draw_chart_grip(p, at, label, p.theme.text);
    labels.take({at.x - p.px(12), at.y - p.px(12), p.px(24), p.px(24)});
    labels.put(p, at, p.px(16), Type::small_strong, p.theme.text, words);
    if (grip.to)
    {
        return c.x_of(grip.to->x);
    }
    return grip.steps != 0 ? std::optional(here.x * (grip.steps > 0 ? 2 : 0.5)) : std::nullopt;
}

void draw_crossover(const Painter& p, const Chart& c, const ContextCurves& curves, const ContextLook& look,
                    FreeLabels& labels)
{
    const double cross = crossover_tokens(curves.flops, look.mask);
    if (!(cross > c.x.low && cross < c.x.high))
    {
        return;
    }
    const ImVec2 at = c.at(cross, curves.flops.of_products(cross));
    p.dashed(at.x, c.area.y, at.x, c.area.bottom(), p.theme.muted);
    p.list.AddCircleFilled(at, p.px(5), p.theme.text);
    labels.take({at.x - p.px(6), at.y - p.px(6), p.px(12), p.px(12)});
    labels.put(p, {at.x, c.area.bottom() - p.px(14)}, p.px(6), Type::small_strong, p.theme.text,
               fmt::format("equal at {}", grouped(std::llround(cross))));
}

} // namespace

std::optional<double> draw_context_flops(const Painter& p, Rect area, const ContextCurves& curves,
                                         const ContextLook& look, Out&)
{
    Chart c = chart_in(p, area, p.px(60));
    if (!c.drawable(p))
    {
        return std::nullopt;
    }
    const ContextFlops& f = curves.flops;
    c.x = lengths_axis(look);
    c.y = {f.of_products(c.x.low) / 4, f.total(c.x.high, Mask::full) * 2, true};
    p.part("operations", c.area);
    draw_lengths(p, c);
    draw_chart_y(p, c, "FLOP of one sequence, forward", power_words);
    const Theme& t = p.theme;
    const std::array lines{
        NamedLine{sampled(c, [&](double n) { return f.total(n, look.mask); }), t.text, 3, "all",
                  Type::small_strong},
        NamedLine{sampled(c, [&](double n) { return f.of_products(n); }), line_colour(t.forward), 2.5F,
                  "matrices, like s"},
        NamedLine{sampled(c, [&](double n) { return f.of_scores(n, look.mask); }), line_colour(t.context),
                  2.5F, "scores, like s\u00b2"},
        NamedLine{sampled(c, [&](double n) { return f.of_head(n); }), t.muted, 1.5F, "head"}};
    FreeLabels labels(c.area);
    draw_lines(p, c, lines, labels);
    const auto s = static_cast<double>(look.tokens);
    const auto moved = marker(p, c, {s, f.total(s, look.mask)}, "###length, operations", labels,
                              figure(f.total(s, look.mask), 3) + " FLOP");
    draw_crossover(p, c, curves, look, labels);
    name_lines(p, c, lines, labels);
    return moved;
}

namespace
{

std::vector<ChartPoint> lengths_of(const std::vector<ContextMemory>& all, double ContextMemory::*value)
{
    std::vector<ChartPoint> points;
    points.reserve(all.size());
    for (const ContextMemory& m : all)
    {
        points.push_back({static_cast<double>(m.tokens), m.*value > 0 ? m.*value : NAN});
    }
    return points;
}

void draw_capacity(const Painter& p, const Chart& c, const ContextCurves& curves, const ContextLook& look)
{
    const float y = std::clamp(c.at_y(curves.capacity), c.area.y, c.area.bottom());
    p.hatch({c.area.x, c.area.y, c.area.w, y - c.area.y}, with_alpha(p.theme.warning, 0.14F), kOverflowHatch);
    p.line(c.area.x, y, c.area.right(), y, p.theme.warning, p.px(2));
    const std::string words = "GPU holds " + format_bytes(Bytes(curves.capacity), look.unit);
    const float high = p.height(Type::small);
    if (y - c.area.y > high && p.width(Type::small, words) + p.px(16) < c.area.w)
    {
        p.fill(
            {c.area.x + p.px(5), y - high - p.px(3), p.width(Type::small, words) + p.px(6), high + p.px(1)},
            with_alpha(p.theme.window, 0.8F));
        p.text(c.area.x + p.px(8), y - high / 2 - p.px(2), Type::small, p.theme.text, words);
    }
}

const ContextMemory& nearest(const std::vector<ContextMemory>& all, std::int64_t tokens)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ContextMemory& m) { return m.tokens >= tokens; });
    return found == all.end() ? all.back() : *found;
}

Chart memory_chart(const Painter& p, Rect area, const ContextCurves& curves, const ContextLook& look)
{
    Chart c = chart_in(p, area, p.px(72));
    c.x = lengths_axis(look);
    const double own = nearest(curves.memory, look.tokens).total;
    const double low = std::min(curves.memory.front().linear, curves.capacity / 10);
    c.y = {std::max(1e6, low / 2), std::max({curves.capacity * 30, own * 3, low * 100}), true};
    return c;
}

} // namespace

std::optional<double> draw_context_memory(const Painter& p, Rect area, const ContextCurves& curves,
                                          const ContextLook& look, Out&)
{
    const Chart c = memory_chart(p, area, curves, look);
    if (!c.drawable(p) || curves.memory.empty())
    {
        return std::nullopt;
    }
    p.part("memory", c.area);
    draw_capacity(p, c, curves, look);
    draw_lengths(p, c);
    draw_chart_y(p, c, "bytes on the fullest GPU", [](double v) { return format_bytes(Bytes(v)); });
    const Theme& t = p.theme;
    const ContextMemory& here = nearest(curves.memory, look.tokens);
    FreeLabels labels(c.area);
    labels.take({c.area.x, c.at_y(curves.capacity) - p.height(Type::small) - p.px(4), p.px(170),
                 p.height(Type::small) + p.px(4)});
    const Colour activations = line_colour(t.of(Component::activations));
    const std::array lines{
        NamedLine{lengths_of(curves.memory, &ContextMemory::total), t.text, 3, "all of it"},
        NamedLine{lengths_of(curves.memory, &ContextMemory::state), line_colour(t.of(Component::weights)), 2,
                  "model state"},
        NamedLine{lengths_of(curves.memory, &ContextMemory::linear), activations, 2.5F,
                  "activations, like s"},
        NamedLine{lengths_of(curves.stored_scores, &ContextMemory::scores), line_colour(t.context), 2.5F,
                  "scores if stored, like s\u00b2"},
        NamedLine{lengths_of(curves.memory, &ContextMemory::logits), t.muted, 1.5F, "logits"}};
    draw_lines(p, c, lines, labels);
    const auto moved = marker(p, c, {static_cast<double>(look.tokens), here.total}, "###length, memory",
                              labels, format_bytes(Bytes(here.total), look.unit));
    name_lines(p, c, lines, labels);
    return moved;
}

namespace
{

void row(const Painter& p, Rect& area, std::string_view label, const std::string& now, double before,
         double after)
{
    const Rect r = area.cut_top(p.px(24));
    const std::string factor = before > 0 ? three_digits(after / before) + "\u00d7" : "\u2013";
    p.text_within(r.x, r.middle(), r.w - p.px(150), Type::small, p.theme.muted, label);
    p.text(r.right() - p.px(62), r.middle(), Type::mono_small, p.theme.text, now, Align::right);
    p.text(r.right(), r.middle(), Type::mono_small, p.theme.text, factor, Align::right);
}

} // namespace

void draw_doubling(const Painter& p, Rect area, const ContextCurves& curves, const ContextLook& look)
{
    const auto s = static_cast<double>(look.tokens);
    const ContextFlops& f = curves.flops;
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w - p.px(60), Type::body_strong, p.theme.text, "Twice as long");
    const auto flop = [](double v) { return figure(v, 3); };
    row(p, area, "Matrices", flop(f.of_products(s)), 1, 2);
    row(p, area, "Scores", flop(f.of_scores(s, look.mask)), 1, 4);
    row(p, area, "All FLOP", flop(f.total(s, look.mask)), f.total(s, look.mask), f.total(2 * s, look.mask));
    if (curves.memory.empty())
    {
        return;
    }
    const ContextMemory& one = nearest(curves.memory, look.tokens);
    const ContextMemory& two = nearest(curves.memory, 2 * look.tokens);
    if (one.tokens != look.tokens || two.tokens != 2 * look.tokens)
    {
        return;
    }
    area.cut_top(p.px(6));
    const auto bytes = [&](double v) { return format_bytes(Bytes(v), look.unit); };
    row(p, area, "State", bytes(one.state), one.state, two.state);
    row(p, area, "Activations", bytes(one.linear), one.linear, two.linear);
    row(p, area, "Scores", bytes(one.scores), one.scores, two.scores);
    row(p, area, "Logits", bytes(one.logits), one.logits, two.logits);
    row(p, area, "All bytes", bytes(one.total), one.total, two.total);
}

} // namespace ringside
