#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/recompute/pictures.h"
#include "ui/widgets/chart.h"

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
Chart chart_of(const Painter& p, Rect area, const RecomputeChoices& c)
{
    Chart g;
    g.area = area;
    g.area.cut_top(p.height(Type::small) + p.px(16));
    g.area.cut_right(p.width(Type::small_strong, "full 00.0 GB") + p.px(20));
    g.area.cut_bottom(p.height(Type::mono_small) + p.height(Type::small) + p.px(12));
    const auto last = static_cast<double>(std::max<std::int64_t>(2, c.layers));
    g.x = {1, last, c.layers > 12, 2};
    const double valley = std::max(bytes_at(c, c.layers) * 1.4, bytes_at(c, c.best) * 2.6);
    const double both = std::max(bytes_at(c, c.layers) * 1.08, std::min(bytes_at(c, 1) * 1.08, valley));
    g.y = {0, std::max(1.0, both)};
    const ByteScale scale = byte_scale(Bytes(g.y.high), p.look.unit);
    g.cut_left(chart_left(p, g.y, [&](double v) { return tick_words(v, scale); }));
    return g;
}

// Unlike Chart::at_y() it goes as far beyond the area as the value does, so that what is clipped keeps its
// slope.
ImVec2 far_at(const Chart& g, std::int64_t k, double bytes)
{
    return {g.at_x(static_cast<double>(k)),
            g.area.bottom() - g.area.h * static_cast<float>(std::min(1e4, bytes / g.y.high))};
}

// Every number of segments, or so many of them that neighbours are a pixel or two apart.
std::vector<std::int64_t> counts_to_draw(const Chart& g, std::int64_t layers)
{
    std::vector<std::int64_t> counts{1};
    while (counts.back() < layers)
    {
        const double next = g.x_of(g.at_x(static_cast<double>(counts.back())) + 1.5F);
        counts.push_back(std::clamp<std::int64_t>(std::llround(next), counts.back() + 1, layers));
    }
    return counts;
}

// Two layers of colour: the inputs kept, and above them the segment at work.
void draw_stack(const Painter& p, const Chart& g, const RecomputeChoices& c, FreeLabels& labels)
{
    const Ink& ink = p.theme.of(Component::activations);
    const auto floor = [&](std::int64_t k) { return far_at(g, k, 0); };
    const auto inputs = [&](std::int64_t k)
    { return far_at(g, k, c.segments[static_cast<std::size_t>(k - 1)].kept.value); };
    const auto total = [&](std::int64_t k) { return far_at(g, k, bytes_at(c, k)); };
    const auto counts = counts_to_draw(g, c.layers);
    const auto band = [&](auto low, auto high, Colour colour)
    {
        for (std::size_t i = 0; i + 1 < counts.size(); ++i)
        {
            p.list.AddQuadFilled(low(counts[i]), high(counts[i]), high(counts[i + 1]), low(counts[i + 1]),
                                 colour);
        }
    };
    p.list.PushClipRect(g.area.min(), g.area.max(), true);
    const ImDrawListFlags flags = p.list.raw.Flags;
    p.list.raw.Flags &= ~ImDrawListFlags_AntiAliasedFill; // or the seams between the pieces would show
    band(floor, inputs, with_alpha(ink.fill, 0.45F));
    band(inputs, total, with_alpha(ink.fill, 0.16F));
    p.list.raw.Flags = flags;
    std::vector<ImVec2> line;
    line.reserve(counts.size());
    for (const std::int64_t k : counts)
    {
        line.push_back(total(k));
        if (line.size() > 1)
        {
            labels.avoid(line[line.size() - 2], line.back());
        }
    }
    p.list.AddPolyline(line.data(), static_cast<int>(line.size()), line_colour(ink), 0, p.px(2.5F));
    p.list.PopClipRect();
}

// The engine's own settings, where they are within sight.
void draw_settings(const Painter& p, const Chart& g, const RecomputeChoices& c, FreeLabels& labels)
{
    constexpr std::array<std::string_view, 2> kNames{"none", "selective"};
    for (std::size_t i = 0; i < kNames.size(); ++i)
    {
        const double bytes = c.settings[i].total().value;
        const bool twice = i == 1 && c.settings[0].total() == c.settings[1].total();
        if (bytes > g.y.high || twice)
        {
            continue;
        }
        const float y = g.at_y(bytes);
        p.dashed(g.area.x, y, g.area.right(), y, p.theme.muted, p.px(1));
        const bool both = i == 0 && c.settings[0].total() == c.settings[1].total();
        labels.put(p, {g.area.x + g.area.w * 0.6F, y}, p.px(4), Type::small, p.theme.muted,
                   fmt::format("{} {}", both ? "none, selective" : kNames[i],
                               format_bytes(c.settings[i].total(), p.look.unit)));
    }
    const ImVec2 full = g.at(static_cast<double>(c.layers), bytes_at(c, c.layers));
    p.list.AddCircleFilled(full, p.px(5), p.theme.muted);
    labels.put(p, full, p.px(8), Type::small_strong, p.theme.text,
               fmt::format("full {}", format_bytes(c.settings[2].total(), p.look.unit)));
}

void draw_root(const Painter& p, const Chart& g, const RecomputeChoices& c, FreeLabels& labels)
{
    if (c.root < 1 || c.root > static_cast<double>(c.layers))
    {
        return;
    }
    const float x = g.at_x(c.root);
    labels.avoid({x, g.area.y}, {x, g.area.bottom()});
    p.dashed(x, g.area.y, x, g.area.bottom(), p.theme.muted, p.px(1));
    labels.put(p, {x, g.area.bottom() - p.px(14)}, p.px(6), Type::small, p.theme.muted,
               fmt::format("\u221a(L A / n I) = {}", three_digits(c.root)));
}

std::string tip_at(const RecomputeChoices& c, std::int64_t k, ByteUnit unit)
{
    const RecomputePoint& point = c.segments[static_cast<std::size_t>(k - 1)];
    return fmt::format("{}\nkept {}\nalive while computing again {}\ntogether {}", segment_words(c, k),
                       format_bytes(point.kept, unit), format_bytes(point.again, unit),
                       format_bytes(point.total(), unit));
}

// Left to right with the arrow keys, to the mouse while it is held.
void draw_handle(const Painter& p, const Chart& g, const RecomputeDesk& desk, RecomputeState& state,
                 FreeLabels& labels, Out& out)
{
    const RecomputeChoices& c = desk.choices();
    const std::int64_t k = desk.segments(state);
    const ImVec2 at = g.at(static_cast<double>(k), g.y.held(bytes_at(c, k)));
    p.line(at.x, at.y, at.x, g.area.bottom(), p.theme.text, p.px(1.5F));
    labels.avoid(at, {at.x, g.area.bottom()});
    labels.take({at.x - p.px(12), at.y - p.px(12), p.px(24), p.px(24)});
    labels.put(p, at, p.px(14), Type::small_strong, p.theme.text,
               fmt::format("{}: {}", k, format_bytes(desk.point(state).total(), p.look.unit)));
    const ChartGrip grip = draw_chart_grip(p, at, "###segments of the curve", p.theme.text);
    const Press over = press(p, g.area, "###curve of segments", 3);
    const auto under = std::clamp<std::int64_t>(std::llround(g.x_of(ImGui::GetIO().MousePos.x)), 1, c.layers);
    std::int64_t next = std::clamp<std::int64_t>(k + grip.steps, 1, c.layers);
    next = grip.to || (over.held && ImGui::IsMouseDown(0)) ? under : next;
    if (next != k)
    {
        state.wished = next;
        out.animating = true;
    }
    if (over.hovered && !grip.to)
    {
        tooltip_at_mouse(p, tip_at(c, under, p.look.unit));
    }
}

} // namespace

void draw_segment_curve(const Painter& p, Rect area, const RecomputeDesk& desk, RecomputeState& state,
                        Out& out)
{
    const RecomputeChoices& c = desk.choices();
    const Chart g = chart_of(p, area, c);
    if (!g.drawable(p))
    {
        return;
    }
    draw_chart_title(p, {area.x, area.y, area.w, p.height(Type::small) + p.px(4)}, "Bytes over segments",
                     "inputs kept, and above them the segment at work");
    p.part("curve", area);
    const ByteScale scale = byte_scale(Bytes(g.y.high), p.look.unit);
    draw_chart_y(p, g, "", [&](double v) { return tick_words(v, scale); });
    draw_chart_x(p, g, "", [](double v) { return v == std::floor(v) ? plain_number(v) : std::string(); });
    p.text_within(g.area.x,
                  g.area.bottom() + p.height(Type::mono_small) + p.height(Type::small) / 2 + p.px(6),
                  g.area.w, Type::small, p.theme.muted,
                  fmt::format("segments of {} layers; as many as layers is full", c.layers));
    FreeLabels labels({g.area.x, g.area.y, area.right() - g.area.x, g.area.h});
    draw_stack(p, g, c, labels);
    draw_handle(p, g, desk, state, labels, out);
    draw_settings(p, g, c, labels);
    draw_root(p, g, c, labels);
}

} // namespace ringside
