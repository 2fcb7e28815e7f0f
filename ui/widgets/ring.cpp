#include "ui/widgets/ring.h"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace ringside
{

namespace
{

constexpr float kTurn = 2 * std::numbers::pi_v<float>;
constexpr int kSegments = 10; // of one sector's arc

ImVec2 on_circle(ImVec2 centre, float radius, float turn)
{
    return {centre.x + radius * std::sin(turn * kTurn), centre.y - radius * std::cos(turn * kTurn)};
}

// Brighter with every summand.
Colour sum_colour(const Theme& theme, Contributors held, std::size_t ranks)
{
    const int summands = std::popcount(held);
    if (summands <= 1)
    {
        return theme.raised;
    }
    const float share = ranks < 2 ? 1 : static_cast<float>(summands - 1) / static_cast<float>(ranks - 1);
    return mix(theme.window, theme.of(Component::gradients).fill, 0.25F + 0.75F * share);
}

void sector(const Painter& p, ImVec2 centre, float inner, float outer, float from, float to, Colour colour)
{
    // Quads side by side show seams when each edge is smoothed, so only the outline is.
    const ImDrawListFlags flags = p.list.Flags;
    p.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (int i = 0; i < kSegments; ++i)
    {
        const float a = from + (to - from) * static_cast<float>(i) / kSegments;
        const float b = from + (to - from) * static_cast<float>(i + 1) / kSegments;
        p.list.AddQuadFilled(on_circle(centre, inner, a), on_circle(centre, outer, a),
                             on_circle(centre, outer, b), on_circle(centre, inner, b), colour);
    }
    p.list.Flags = flags;
    std::array<ImVec2, 2 * (kSegments + 1)> outline;
    for (int i = 0; i <= kSegments; ++i)
    {
        const float turn = from + (to - from) * static_cast<float>(i) / kSegments;
        outline[static_cast<std::size_t>(i)] = on_circle(centre, outer, turn);
        outline[static_cast<std::size_t>(2 * kSegments + 1 - i)] = on_circle(centre, inner, turn);
    }
    p.list.AddPolyline(outline.data(), static_cast<int>(outline.size()), colour, ImDrawFlags_Closed, 1);
}

void doughnut(const Painter& p, ImVec2 centre, float radius, const std::vector<Contributors>& held,
              std::size_t rank, std::size_t ranks, bool letters)
{
    const float inner = radius * 0.44F;
    const std::size_t chunks = held.size();
    const float gap = chunks > 1 ? 0.006F : 0;
    for (std::size_t c = 0; c < chunks; ++c)
    {
        const float from = (static_cast<float>(c) - 0.5F) / static_cast<float>(chunks) + gap;
        const float to = (static_cast<float>(c) + 0.5F) / static_cast<float>(chunks) - gap;
        const Colour colour = sum_colour(p.theme, held[c], ranks);
        sector(p, centre, inner, radius, from, to, colour);
        const bool room =
            radius * 0.72F * kTurn / static_cast<float>(chunks) > p.px(14) && radius - inner > p.px(16);
        if (letters && room)
        {
            const bool bright = std::popcount(held[c]) * 2 > static_cast<int>(ranks);
            const Colour ink = bright                       ? p.theme.of(Component::gradients).label
                               : std::popcount(held[c]) > 1 ? p.theme.text
                                                            : p.theme.muted;
            const ImVec2 at = on_circle(centre, (inner + radius) / 2, (from + to) / 2);
            p.text(at.x, at.y, Type::mono_small, ink, chunk_name(c), Align::centre);
        }
    }
    p.text(centre.x, centre.y, inner > p.px(14) ? Type::body_strong : Type::small_strong, p.theme.text,
           std::to_string(rank), Align::centre);
}

void packet(const Painter& p, ImVec2 at, float radius, std::size_t chunk, Contributors sum, std::size_t ranks,
            bool dots)
{
    p.list.AddCircleFilled(at, radius, mix(p.theme.window, p.theme.of(Component::gradients).fill, 0.75F));
    p.list.AddCircle(at, radius, p.theme.text, 0, p.px(2));
    if (radius > p.px(8))
    {
        p.text(at.x, at.y, Type::mono_small, p.theme.of(Component::gradients).label, chunk_name(chunk),
               Align::centre);
    }
    for (std::size_t r = 0; dots && r < ranks; ++r)
    {
        const bool in = (sum >> r & 1U) != 0;
        p.list.AddCircleFilled(
            on_circle(at, radius + p.px(6), static_cast<float>(r) / static_cast<float>(ranks)), p.px(2.8F),
            in ? p.theme.of(Component::gradients).fill : p.theme.line);
    }
}

} // namespace

std::string chunk_name(std::size_t chunk)
{
    return chunk < 26 ? std::string(1, static_cast<char>('a' + chunk)) : std::to_string(chunk);
}

std::optional<std::size_t> draw_ring(const Painter& p, Rect area, const Collective& collective, double t,
                                     const RingStyle& style)
{
    const auto ranks = static_cast<std::size_t>(collective.ranks);
    const ImVec2 centre{area.centre(), area.middle()};
    const float outer = std::min(area.w, area.h) / 2;
    // Doughnuts as large as their neighbours allow.
    const float apart = ranks < 2 ? 1 : std::sin(kTurn / 2 / static_cast<float>(ranks));
    const float share = style.letters ? 0.72F : 0.58F;
    const float radius =
        ranks < 2 ? outer * 0.4F : std::min(p.px(46), outer * apart * share / (1 + apart * share));
    const float circle = ranks < 2 ? 0 : outer - radius - p.px(4);
    const auto steps = collective.steps.size();
    const auto step = std::min(static_cast<std::size_t>(std::max(0.0, t)), steps);
    const float part = static_cast<float>(t - static_cast<double>(step));
    const Holdings held = holdings_after(collective, step);
    const auto place = [&](std::size_t r)
    { return on_circle(centre, circle, ranks < 2 ? 0 : static_cast<float>(r) / static_cast<float>(ranks)); };
    std::optional<std::size_t> hovered;
    for (std::size_t r = 0; r < ranks && ranks > 1; ++r)
    {
        const ImVec2 a = place(r);
        const ImVec2 b = place((r + 1) % ranks);
        p.list.AddLine(a, b, p.theme.grid, p.px(2));
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (std::size_t r = 0; r < ranks; ++r)
    {
        const ImVec2 at = place(r);
        p.list.AddCircleFilled(at, radius + p.px(3), p.theme.window);
        doughnut(p, at, radius, held[r], r, ranks, style.letters);
        if (std::hypot(mouse.x - at.x, mouse.y - at.y) < radius && ImGui::IsWindowHovered())
        {
            hovered = r;
        }
        if (style.selected == r || hovered == r)
        {
            p.list.AddCircle(at, radius + p.px(4), p.theme.text, 0, p.px(style.selected == r ? 3.0F : 1.5F));
        }
    }
    if (step < steps)
    {
        const float size = std::min(p.px(15), radius * 0.36F);
        for (const Transfer& move : collective.steps[step].transfers)
        {
            const auto from = static_cast<std::size_t>(move.from);
            const auto chunk = static_cast<std::size_t>(move.chunk);
            const ImVec2 a = place(from);
            const ImVec2 b = place(static_cast<std::size_t>(move.to));
            const float apart_px = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
            const float start = std::min(0.5F, (radius + size * 0.6F) / apart_px);
            const float k = start + (1 - 2 * start) * ease(part);
            const ImVec2 at{a.x + (b.x - a.x) * k, a.y + (b.y - a.y) * k};
            packet(p, at, size, chunk, held[from][chunk], ranks, style.dots && ranks <= 12);
        }
    }
    return hovered;
}

void draw_holdings(const Painter& p, Rect area, const Collective& collective, double t, std::size_t rank)
{
    const auto ranks = static_cast<std::size_t>(collective.ranks);
    const auto steps = collective.steps.size();
    const auto step = std::min(static_cast<std::size_t>(std::max(0.0, t)), steps);
    const Holdings held = holdings_after(collective, step);
    const Colour gold = p.theme.of(Component::gradients).fill;
    const float label = p.px(36);
    const float pitch = std::min(p.px(20), (area.w - label) / static_cast<float>(ranks));
    const float row_height = std::min(p.px(32), (area.h - p.px(24)) / static_cast<float>(collective.chunks));
    const float square = std::min(pitch - p.px(3), row_height - p.px(2));
    p.text(area.x, area.y + p.px(10), Type::small, p.theme.muted, "from");
    for (std::size_t r = 0; r < ranks; ++r)
    {
        if (ranks <= 10 || r % (ranks <= 12 ? 2 : 4) == 0)
        {
            p.text(area.x + label + pitch * (static_cast<float>(r) + 0.5F), area.y + p.px(10),
                   Type::mono_small, p.theme.muted, std::to_string(r), Align::centre);
        }
    }
    std::optional<Transfer> leaving;
    std::optional<Transfer> arriving;
    if (step < steps)
    {
        for (const Transfer& move : collective.steps[step].transfers)
        {
            leaving = static_cast<std::size_t>(move.from) == rank ? move : leaving;
            arriving = static_cast<std::size_t>(move.to) == rank ? move : arriving;
        }
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(collective.chunks); ++c)
    {
        const Rect row{area.x - p.px(8), area.y + p.px(24) + row_height * static_cast<float>(c),
                       area.w + p.px(16), row_height};
        const bool moves = (leaving && static_cast<std::size_t>(leaving->chunk) == c) ||
                           (arriving && static_cast<std::size_t>(arriving->chunk) == c);
        if (moves)
        {
            p.fill({row.x, row.y + 1, row.w, row.h - 2}, p.theme.raised, p.px(2));
        }
        p.text(area.x, row.middle(), row_height > p.px(20) ? Type::mono : Type::mono_small, p.theme.text,
               chunk_name(c));
        const Contributors coming = arriving && static_cast<std::size_t>(arriving->chunk) == c
                                        ? held[static_cast<std::size_t>(arriving->from)][c]
                                        : 0;
        for (std::size_t r = 0; r < ranks; ++r)
        {
            const Rect box{area.x + label + pitch * static_cast<float>(r) + (pitch - square) / 2,
                           row.middle() - square / 2, square, square};
            const bool in = (held[rank][c] >> r & 1U) != 0;
            const bool soon = !in && (coming >> r & 1U) != 0;
            if (in)
            {
                p.fill(box, gold, p.px(2));
            }
            else
            {
                p.outline(box, soon ? gold : p.theme.line, soon ? p.px(2) : 1, p.px(2));
            }
        }
    }
}

} // namespace ringside
