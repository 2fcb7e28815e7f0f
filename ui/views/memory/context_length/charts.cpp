#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "ui/views/memory/context_length/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

PlotAxis lengths_axis(const ContextLook& look)
{
    const auto s = static_cast<double>(look.tokens);
    return {std::min(512.0, s / 2), std::max(static_cast<double>(1 << 22), s * 2), PlotScale::log2,
            "sequence length s, tokens", length_words};
}

// Points where the function is above zero: nothing is drawn of what is not there.
template <typename F>
std::vector<PlotPoint> above_zero(const PlotAxis& lengths, F value)
{
    return sampled(
        lengths, [&](double s) { return value(s) > 0 ? value(s) : NAN; }, 100);
}

// Names what is right of half the length on show, so that a lesson covers the answer and leaves the beginning
// of every curve to predict it from.
void name_longer(const Painter& p, const Plot& plot, Rect whole, const ContextLook& look,
                 std::string_view name)
{
    const float x = plot.at_x(static_cast<double>(look.tokens) / 2);
    p.part(name, {x, plot.area.y, whole.right() - x, plot.area.h});
}

// Where the length stands that is on show; the length it is moved to.
std::optional<double> draw_length(const Painter& p, Plot& plot, PlotPoint here, const char* id,
                                  std::string words)
{
    plot.rule_x(here.x, {p.theme.text, 1});
    return plot.grip(here, id, std::move(words)).x(2);
}

} // namespace

std::optional<double> draw_context_flops(const Painter& p, Rect area, const ContextCurves& curves,
                                         const ContextLook& look, Out&)
{
    const ContextFlops& f = curves.flops;
    const PlotAxis lengths = lengths_axis(look);
    Plot plot(p, area, lengths,
              {f.of_products(lengths.low) / 4, f.total(lengths.high, Mask::full) * 2, PlotScale::log,
               "forward FLOPs of one sequence", power_words},
              {.part = "operations"});
    if (!plot)
    {
        return std::nullopt;
    }
    name_longer(p, plot, area, look, "longer operations");
    const Theme& t = p.theme;
    const auto curve = [&](auto value) { return above_zero(lengths, value); };
    plot.line(curve([&](double n) { return f.total(n, look.mask); }), {t.text, 3}, "total", true);
    plot.line(curve([&](double n) { return f.of_products(n); }), {t.forward, 2.5F}, "linear \u221d s");
    plot.line(curve([&](double n) { return f.of_scores(n, look.mask); }), {t.context, 2.5F},
              "attention \u221d s\u00b2");
    plot.line(curve([&](double n) { return f.of_head(n); }), {t.muted, 1.5F}, "head \u221d s");
    const double cross = crossover_tokens(f, look.mask);
    if (cross > lengths.low && cross < lengths.high)
    {
        plot.rule_x(cross, {t.muted, 1, true},
                    fmt::format("equal at {} tokens", grouped(std::llround(cross))));
        plot.dot({cross, f.of_products(cross)}, {t.text});
    }
    const auto s = static_cast<double>(look.tokens);
    return draw_length(p, plot, {s, f.total(s, look.mask)}, "###length, operations",
                       figure(f.total(s, look.mask), 3) + " FLOPs");
}

namespace
{

std::vector<PlotPoint> lengths_of(const std::vector<ContextMemory>& all, double ContextMemory::*value)
{
    std::vector<PlotPoint> points;
    points.reserve(all.size());
    for (const ContextMemory& m : all)
    {
        points.push_back({static_cast<double>(m.tokens), m.*value > 0 ? m.*value : NAN});
    }
    return points;
}

const ContextMemory* exactly(const std::vector<ContextMemory>& all, std::int64_t tokens)
{
    return find_by(all, tokens, &ContextMemory::tokens);
}

const ContextMemory& nearest(const std::vector<ContextMemory>& all, std::int64_t tokens)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ContextMemory& m) { return m.tokens >= tokens; });
    return found == all.end() ? all.back() : *found;
}

} // namespace

std::optional<double> draw_context_memory(const Painter& p, Rect area, const ContextCurves& curves,
                                          const ContextLook& look, Out&)
{
    if (curves.memory.empty())
    {
        return std::nullopt;
    }
    const ContextMemory& here = nearest(curves.memory, look.tokens);
    const double low = std::min(curves.memory.front().linear, curves.capacity / 10);
    Plot plot(p, area, lengths_axis(look),
              {std::max(1e6, low / 2), std::max({curves.capacity * 30, here.total * 3, low * 100}),
               PlotScale::log, "memory of the peak-memory GPU",
               [](double v) { return format_bytes(Bytes(v)); }},
              {.part = "memory"});
    if (!plot)
    {
        return std::nullopt;
    }
    name_longer(p, plot, area, look, "longer memory");
    const Theme& t = p.theme;
    plot.limit_y(curves.capacity, "GPU memory " + format_bytes(Bytes(curves.capacity), look.unit));
    const auto line = [&](const std::vector<ContextMemory>& all, double ContextMemory::*value,
                          PlotStroke stroke, const char* name)
    { plot.line(lengths_of(all, value), stroke, name); };
    line(curves.memory, &ContextMemory::total, {t.text, 3}, "total");
    line(curves.memory, &ContextMemory::state, {t.of(Component::weights), 2}, "model state");
    line(curves.memory, &ContextMemory::linear, {t.of(Component::activations), 2.5F}, "activations \u221d s");
    line(curves.stored_scores, &ContextMemory::scores, {t.context, 2.5F}, "scores if stored \u221d s\u00b2");
    line(curves.memory, &ContextMemory::logits, {t.muted, 1.5F}, "logits \u221d s");
    return draw_length(p, plot, {static_cast<double>(look.tokens), here.total}, "###length, memory",
                       format_bytes(Bytes(here.total), look.unit));
}

void draw_doubling(const Painter& p, PanelColumn& column, const ContextCurves& curves,
                   const ContextLook& look)
{
    struct Part
    {
        std::string_view name;
        std::string now;
        double factor;
    };
    const auto s = static_cast<double>(look.tokens);
    const ContextFlops& f = curves.flops;
    const auto flops = [](double v) { return figure(v, 3); };
    std::vector<Part> parts{
        {"linear layers", flops(f.of_products(s)), 2},
        {"attention scores", flops(f.of_scores(s, look.mask)), 4},
        {"total FLOPs", flops(f.total(s, look.mask)), f.total(2 * s, look.mask) / f.total(s, look.mask)}};
    const auto add = [&](std::string_view name, double one, double two) {
        parts.push_back({name, format_bytes(Bytes(one), look.unit), one > 0 ? two / one : 0});
    };
    const ContextMemory* one = exactly(curves.memory, look.tokens);
    const ContextMemory* two = exactly(curves.memory, 2 * look.tokens);
    if (one != nullptr && two != nullptr)
    {
        add("model state", one->state, two->state);
        add("activations", one->linear, two->linear);
        add("scores", one->scores, two->scores);
        add("logits", one->logits, two->logits);
        add("total memory", one->total, two->total);
    }
    const Table<Part> table{{{"Doubling s", [](const Part& part) { return part.name; }},
                             {"now", [](const Part& part) { return part.now; }},
                             {"at 2s", [](const Part& part) {
                                  return part.factor > 0 ? three_digits(part.factor) + "\u00d7" : "\u2013";
                              }}}};
    table.draw(p, column.row(kTablePitch * static_cast<float>(parts.size() + 1)), parts);
}

} // namespace ringside
