#include "ui/widgets/ring.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

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

// How much of what a chunk is to be is there, 0 to 1. A rank's own part of a sum is where everybody starts,
// so that is 0; where nothing is added, a chunk is there or not.
float filled(Contributors held, std::size_t ranks, bool sums)
{
    const int summands = std::popcount(held);
    if (!sums)
    {
        return summands > 0 ? 1.0F : 0.0F;
    }
    return ranks < 2 ? 1 : static_cast<float>(std::max(0, summands - 1)) / static_cast<float>(ranks - 1);
}

Colour filled_colour(const Theme& theme, float share)
{
    return share > 0 ? mix(theme.window, theme.of(Component::gradients).fill, 0.25F + 0.75F * share)
                     : theme.raised;
}

bool adds_up(CollectiveKind kind)
{
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
           kind == CollectiveKind::reduce;
}

// A piece of a doughnut; turns are shares of the full circle, clockwise from the top.
struct Sector
{
    ImVec2 centre;
    float inner;
    float outer;
    float from;
    float to;

    float turn(int step) const { return from + (to - from) * static_cast<float>(step) / kSegments; }
};

void draw_sector(const Painter& p, const Sector& s, Colour colour)
{
    // Quads side by side show seams when each edge is smoothed, so only the outline is.
    const ImDrawListFlags flags = p.list.Flags;
    p.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (int i = 0; i < kSegments; ++i)
    {
        const float a = s.turn(i);
        const float b = s.turn(i + 1);
        p.list.AddQuadFilled(on_circle(s.centre, s.inner, a), on_circle(s.centre, s.outer, a),
                             on_circle(s.centre, s.outer, b), on_circle(s.centre, s.inner, b), colour);
    }
    p.list.Flags = flags;
    std::array<ImVec2, 2UL * (kSegments + 1)> outline;
    for (int i = 0; i <= kSegments; ++i)
    {
        outline[static_cast<std::size_t>(i)] = on_circle(s.centre, s.outer, s.turn(i));
        outline[static_cast<std::size_t>(2 * kSegments + 1 - i)] = on_circle(s.centre, s.inner, s.turn(i));
    }
    p.list.AddPolyline(outline.data(), static_cast<int>(outline.size()), colour, ImDrawFlags_Closed, 1);
}

// Where the ranks stand and how large they are drawn.
struct Circle
{
    ImVec2 centre;
    float radius; // of the circle they stand on
    float rank_radius;
    std::size_t ranks;

    // The one beyond the ranks is the switch.
    ImVec2 place(std::size_t rank) const
    {
        return on_circle(centre, rank < ranks ? radius : 0,
                         ranks < 2 ? 0 : static_cast<float>(rank) / static_cast<float>(ranks));
    }
};

// Doughnuts as large as their neighbours allow.
Circle circle_in(const Painter& p, Rect area, std::size_t ranks, const RingStyle& style)
{
    const float outer = std::min(area.w, area.h) / 2;
    const float apart = ranks < 2 ? 1 : std::sin(kTurn / 2 / static_cast<float>(ranks));
    const float share = style.letters ? 0.72F : 0.58F;
    const float radius =
        ranks < 2 ? outer * 0.4F : std::min(p.px(46), outer * apart * share / (1 + apart * share));
    return {{area.centre(), area.middle()}, ranks < 2 ? 0 : outer - radius - p.px(4), radius, ranks};
}

void draw_doughnut(const Painter& p, const Circle& circle, std::size_t rank, const std::vector<float>& share,
                   bool letters)
{
    const ImVec2 centre = circle.place(rank);
    const float radius = circle.rank_radius;
    const float inner = radius * 0.44F;
    const std::size_t chunks = share.size();
    const float gap = chunks > 1 ? 0.006F : 0;
    const bool room =
        radius * 0.72F * kTurn / static_cast<float>(chunks) > p.px(14) && radius - inner > p.px(16);
    for (std::size_t c = 0; c < chunks; ++c)
    {
        const float from = (static_cast<float>(c) - 0.5F) / static_cast<float>(chunks) + gap;
        const float to = (static_cast<float>(c) + 0.5F) / static_cast<float>(chunks) - gap;
        const Colour colour = filled_colour(p.theme, share[c]);
        draw_sector(p, {centre, inner, radius, from, to}, colour);
        if (letters && room)
        {
            const Colour ink = share[c] > 0.4F ? p.theme.of(Component::gradients).label
                               : share[c] > 0  ? p.theme.text
                                               : p.theme.muted;
            const ImVec2 at = on_circle(centre, (inner + radius) / 2, (from + to) / 2);
            p.text(at.x, at.y, Type::mono_small, ink, chunk_name(c), Align::centre);
        }
    }
    p.text(centre.x, centre.y, inner > p.px(14) ? Type::body_strong : Type::small_strong, p.theme.text,
           std::to_string(rank), Align::centre);
}

// A chunk on its way, or several together.
struct Packet
{
    ImVec2 at;
    float radius;
    std::string label;
    Contributors sum;
};

void draw_packet(const Painter& p, const Packet& packet, std::size_t ranks, bool dots)
{
    const Ink& gold = p.theme.of(Component::gradients);
    p.list.AddCircleFilled(packet.at, packet.radius, mix(p.theme.window, gold.fill, 0.75F));
    p.list.AddCircle(packet.at, packet.radius, p.theme.text, 0, p.px(2));
    if (packet.radius > p.px(8))
    {
        p.text(packet.at.x, packet.at.y, Type::mono_small, gold.label, packet.label, Align::centre);
    }
    for (std::size_t r = 0; dots && r < ranks; ++r)
    {
        const bool in = (packet.sum >> r & 1U) != 0;
        const float turn = static_cast<float>(r) / static_cast<float>(ranks);
        p.list.AddCircleFilled(on_circle(packet.at, packet.radius + p.px(6), turn), p.px(2.8F),
                               in ? gold.fill : p.theme.line);
    }
}

// The transfers of a step, `part` of the way from rank to rank.
void draw_packets(const Painter& p, const Circle& circle, const std::vector<Transfer>& transfers,
                  const Holdings& held, float part, bool dots)
{
    const float size = std::min(p.px(15), circle.rank_radius * 0.36F);
    // What goes the same way goes in one packet, and stands for all of it.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<const Transfer*>> ways;
    for (const Transfer& move : transfers)
    {
        ways[{static_cast<std::size_t>(move.from), static_cast<std::size_t>(move.to)}].push_back(&move);
    }
    for (const auto& [way, moves] : ways)
    {
        const auto chunk = static_cast<std::size_t>(moves.front()->chunk);
        const ImVec2 a = circle.place(way.first);
        const ImVec2 b = circle.place(way.second);
        const std::string label = moves.size() > 1
                                      ? std::to_string(moves.size())
                                      : chunk_name(chunk % std::max<std::size_t>(1, circle.ranks));
        const float apart = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
        const float start = std::min(0.5F, (circle.rank_radius + size * 0.6F) / apart);
        const float k = start + (1 - 2 * start) * ease(part);
        const ImVec2 at{a.x + (b.x - a.x) * k, a.y + (b.y - a.y) * k};
        draw_packet(p, {at, size, label, held[way.first][chunk]}, circle.ranks, dots && moves.size() == 1);
    }
}

std::size_t step_at(const Collective& collective, double t)
{
    return std::min(static_cast<std::size_t>(std::max(0.0, t)), collective.steps.size());
}

// Every way that is used at all, and the switch.
void draw_ways(const Painter& p, const Circle& circle, const Collective& c)
{
    std::set<std::pair<std::int32_t, std::int32_t>> ways;
    for (const Step& step : c.steps)
    {
        for (const Transfer& t : step.transfers)
        {
            ways.insert(std::minmax(t.from, t.to));
        }
    }
    for (const auto& [a, b] : ways)
    {
        p.list.AddLine(circle.place(static_cast<std::size_t>(a)), circle.place(static_cast<std::size_t>(b)),
                       p.theme.grid, p.px(2));
    }
    if (c.in_switch)
    {
        const float half = p.px(44);
        const Rect box{circle.centre.x - half, circle.centre.y - half * 0.6F, 2 * half, half * 1.2F};
        p.fill(box, p.theme.control, p.px(8));
        p.outline(box, p.theme.line, p.px(1.5F), p.px(8));
        p.text(box.centre(), box.middle(), Type::body_strong, p.theme.text, "switch", Align::centre);
    }
}

// One row of the table: which ranks' summands this chunk has, and which arrive now.
void draw_summands(const Painter& p, Rect row, Contributors held, Contributors coming, std::size_t ranks)
{
    const Colour gold = p.theme.of(Component::gradients).fill;
    const float pitch = std::min(p.px(20), row.w / static_cast<float>(ranks));
    const float square = std::min(pitch - p.px(3), row.h - p.px(2));
    for (std::size_t r = 0; r < ranks; ++r)
    {
        const Rect box{row.x + pitch * static_cast<float>(r) + (pitch - square) / 2,
                       row.middle() - square / 2, square, square};
        const bool in = (held >> r & 1U) != 0;
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

} // namespace

std::string chunk_name(std::size_t chunk)
{
    return chunk < 26 ? std::string(1, static_cast<char>('a' + chunk)) : std::to_string(chunk);
}

std::vector<Contributors> shown_of(const Collective& c, const Holdings& held, std::size_t rank)
{
    if (c.kind != CollectiveKind::all_to_all)
    {
        return held[rank];
    }
    const auto n = static_cast<std::size_t>(c.ranks);
    std::vector<Contributors> blocks(n);
    for (std::size_t from = 0; from < n; ++from)
    {
        blocks[from] = held[rank][from * n + rank];
    }
    return blocks;
}

std::optional<std::size_t> draw_ring(const Painter& p, Rect area, const Collective& collective, double t,
                                     const RingStyle& style)
{
    const auto ranks = static_cast<std::size_t>(collective.ranks);
    const Circle circle = circle_in(p, area, ranks, style);
    const std::size_t step = step_at(collective, t);
    const Holdings held = holdings_after(collective, step);
    draw_ways(p, circle, collective);
    std::optional<std::size_t> hovered;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (std::size_t r = 0; r < ranks; ++r)
    {
        const ImVec2 at = circle.place(r);
        p.list.AddCircleFilled(at, circle.rank_radius + p.px(3), p.theme.window);
        std::vector<float> share;
        for (const Contributors chunk : shown_of(collective, held, r))
        {
            share.push_back(filled(chunk, ranks, adds_up(collective.kind)));
        }
        draw_doughnut(p, circle, r, share, style.letters);
        if (std::hypot(mouse.x - at.x, mouse.y - at.y) < circle.rank_radius && ImGui::IsWindowHovered())
        {
            hovered = r;
        }
        if (style.selected == r || hovered == r)
        {
            p.list.AddCircle(at, circle.rank_radius + p.px(4), p.theme.text, 0,
                             p.px(style.selected == r ? 3.0F : 1.5F));
        }
    }
    if (step < collective.steps.size())
    {
        const auto part = static_cast<float>(t - static_cast<double>(step));
        draw_packets(p, circle, collective.steps[step].transfers, held, part,
                     style.dots && ranks <= 12 && circle.rank_radius > p.px(22));
    }
    return hovered;
}

void draw_holdings(const Painter& p, Rect area, const Collective& collective, double t, std::size_t rank)
{
    const auto ranks = static_cast<std::size_t>(collective.ranks);
    const std::size_t step = step_at(collective, t);
    const Holdings held = holdings_after(collective, step);
    const float label = p.px(36);
    const float pitch = std::min(p.px(20), (area.w - label) / static_cast<float>(ranks));
    const float row_height = std::min(
        p.px(32), (area.h - p.px(24)) /
                      static_cast<float>(std::max<std::size_t>(1, shown_of(collective, held, rank).size())));
    p.text(area.x, area.y + p.px(10), Type::small, p.theme.muted, "from");
    for (std::size_t r = 0; r < ranks; ++r)
    {
        if (ranks <= 10 || r % (ranks <= 12 ? 2 : 4) == 0)
        {
            p.text(area.x + label + pitch * (static_cast<float>(r) + 0.5F), area.y + p.px(10),
                   Type::mono_small, p.theme.muted, std::to_string(r), Align::centre);
        }
    }
    const std::vector<Contributors> now = shown_of(collective, held, rank);
    const std::vector<Contributors> next = shown_of(collective, holdings_after(collective, step + 1), rank);
    for (std::size_t c = 0; c < now.size(); ++c)
    {
        const Rect row{area.x - p.px(8), area.y + p.px(24) + row_height * static_cast<float>(c),
                       area.w + p.px(16), row_height};
        if (now[c] != next[c])
        {
            p.fill({row.x, row.y + 1, row.w, row.h - 2}, p.theme.raised, p.px(2));
        }
        p.text(area.x, row.middle(), row_height > p.px(20) ? Type::mono : Type::mono_small, p.theme.text,
               chunk_name(c));
        draw_summands(p, {area.x + label, row.y, area.w - label, row.h}, now[c], next[c], ranks);
    }
}

} // namespace ringside
