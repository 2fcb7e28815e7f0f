#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/views/memory/recompute/pictures.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double bytes_at(const RecomputeChoices& c, std::int64_t k)
{
    return c.segments[static_cast<std::size_t>(k - 1)].total().value;
}

// In the unit of the highest.
std::string tick_words(double bytes, const ByteScale& scale)
{
    return bytes == 0 ? "0" : fmt::format("{} {}", plain_number(bytes / scale.bytes), scale.name);
}

// From nothing to a little above what stands at both ends of the valley; a steep left side leaves at the top.
std::pair<PlotAxis, PlotAxis> axes_of(const RecomputeChoices& c, ByteUnit unit)
{
    const double valley = std::max(bytes_at(c, c.layers) * 1.4, bytes_at(c, c.best) * 2.6);
    const double both = std::max(bytes_at(c, c.layers) * 1.08, std::min(bytes_at(c, 1) * 1.08, valley));
    const ByteScale scale = byte_scale(Bytes(std::max(1.0, both)), unit);
    return {
        {1, static_cast<double>(std::max<std::int64_t>(2, c.layers)),
         c.layers > 12 ? PlotScale::log2 : PlotScale::linear,
         fmt::format("segments of {}; one per layer is full recomputation", counted(c.layers, "layer")),
         [](double v) { return v == std::floor(v) ? plain_number(v) : std::string(); }},
        {0, std::max(1.0, both), PlotScale::linear, "", [scale](double v) { return tick_words(v, scale); }}};
}

// Two layers of colour: the inputs stored, and above them the live segment. Segments of equal length are
// points joined by a line, the others specks: their longest one costs more.
void draw_stack(const Painter& p, Plot& plot, const RecomputeChoices& c)
{
    constexpr std::int64_t kMostSpecks = 200;
    const Ink& ink = p.theme.of(Component::activations);
    std::vector<PlotPoint> kept;
    std::vector<PlotPoint> total;
    for (std::int64_t k = 1; k <= c.layers; ++k)
    {
        const PlotPoint point{static_cast<double>(k), bytes_at(c, k)};
        if (c.layers % k == 0)
        {
            kept.push_back({point.x, c.segments[static_cast<std::size_t>(k - 1)].kept.value});
            total.push_back(point);
        }
        else if (c.layers <= kMostSpecks && plot.inside(point))
        {
            plot.speck(point, {dim(p.theme, line_colour(ink), 0.5F), 2});
        }
    }
    plot.fill_below(kept, with_alpha(ink.fill, 0.45F));
    plot.fill(kept, total, with_alpha(ink.fill, 0.16F));
    plot.line(total, {line_colour(ink), 2.5F});
    for (const PlotPoint& point : total)
    {
        if (plot.inside(point))
        {
            plot.speck(point, {line_colour(ink), 4});
        }
    }
}

// The engine's own settings, where they are within sight.
void draw_settings(const Painter& p, Plot& plot, const RecomputeChoices& c)
{
    const auto words = [&](const char* name, const RecomputePoint& point)
    { return fmt::format("{} {}", name, format_bytes(point.total(), p.look.unit)); };
    const bool same = c.settings[0].total() == c.settings[1].total();
    for (std::size_t i = 0; i < (same ? 1U : 2U); ++i)
    {
        const double bytes = c.settings[i].total().value;
        if (bytes <= plot.y.high)
        {
            plot.rule_y(bytes, {p.theme.muted, 1, true},
                        words(same     ? "none, selective"
                              : i == 0 ? "none"
                                       : "selective",
                              c.settings[i]));
        }
    }
    const PlotPoint full{static_cast<double>(c.layers), bytes_at(c, c.layers)};
    plot.dot(full, {p.theme.muted});
    plot.label(full, words("full", c.settings[2]), true);
    if (c.root >= 1 && c.root <= static_cast<double>(c.layers))
    {
        plot.rule_x(c.root, {p.theme.muted, 1, true},
                    fmt::format("\u221a(L A / n I) = {}", three_digits(c.root)));
    }
}

std::string tip_at(const RecomputeChoices& c, std::int64_t k, ByteUnit unit)
{
    const RecomputePoint& point = c.segments[static_cast<std::size_t>(k - 1)];
    return fmt::format("{}\nstored {}\nlive during recomputation {}\ntotal {}", segment_words(c, k),
                       format_bytes(point.kept, unit), format_bytes(point.again, unit),
                       format_bytes(point.total(), unit));
}

// Left to right with the arrow keys, to the mouse while it is held.
void draw_handle(const Painter& p, Plot& plot, const RecomputeDesk& desk, RecomputeState& state, Out& out)
{
    const RecomputeChoices& c = desk.choices;
    const std::int64_t k = desk.segments(state);
    const PlotPoint here{static_cast<double>(k), bytes_at(c, k)};
    plot.line({{here.x, 0}, here}, {p.theme.text, 1.5F});
    const PlotMove grip =
        plot.grip(here, "###segments of the curve",
                  fmt::format("{}: {}", k, format_bytes(desk.point(state).total(), p.look.unit)));
    const PlotField field = plot.field("###curve of segments");
    const auto under = std::clamp<std::int64_t>(std::llround(field.at.x), 1, c.layers);
    const std::int64_t next =
        grip.to || field.held ? under : std::clamp<std::int64_t>(k + grip.steps, 1, c.layers);
    if (next != k)
    {
        state.wished = next;
        out.animating = true;
    }
    if (field.hovered && !grip.to)
    {
        tooltip_at_mouse(p, tip_at(c, under, p.look.unit));
    }
}

} // namespace

void draw_segment_curve(const Painter& p, Rect area, const RecomputeDesk& desk, RecomputeState& state,
                        Out& out)
{
    const RecomputeChoices& c = desk.choices;
    if (c.layers < 2)
    {
        empty_state(p, area, "", "The stage\u2019s longest chunk is one layer: there is nothing to divide.");
        return;
    }
    const auto [segments, bytes] = axes_of(c, p.look.unit);
    Plot plot(p, area, segments, bytes,
              {.title = "Memory by number of segments",
               .says = "stored inputs, plus the live segment; points divide the layers evenly",
               .part = "curve"});
    if (!plot)
    {
        return;
    }
    draw_stack(p, plot, c);
    draw_settings(p, plot, c);
    draw_handle(p, plot, desk, state, out);
}

} // namespace ringside
