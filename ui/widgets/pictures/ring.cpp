#include "ui/widgets/pictures/ring.h"

#include "core/memory/memory.h"

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
constexpr int kSegments = 48; // of a whole circle; a sector has some of them

ImVec2 on_circle(ImVec2 centre, float radius, float turn)
{
    return {centre.x + radius * std::sin(turn * kTurn), centre.y - radius * std::cos(turn * kTurn)};
}

// How much of what a chunk is to be is there, 0 to 1. A rank's own part of a sum is where every rank starts,
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

    int steps() const { return std::max(6, static_cast<int>((to - from) * kSegments)); }
    float turn(int step) const
    {
        return from + (to - from) * static_cast<float>(step) / static_cast<float>(steps());
    }
};

void draw_sector(const Painter& p, const Sector& s, Colour colour)
{
    // Quads side by side show seams when each edge is smoothed, so only the outline is.
    const ImDrawListFlags flags = p.list.raw.Flags;
    p.list.raw.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    const int steps = s.steps();
    for (int i = 0; i < steps; ++i)
    {
        const float a = s.turn(i);
        const float b = s.turn(i + 1);
        p.list.AddQuadFilled(on_circle(s.centre, s.inner, a), on_circle(s.centre, s.outer, a),
                             on_circle(s.centre, s.outer, b), on_circle(s.centre, s.inner, b), colour);
    }
    p.list.raw.Flags = flags;
    std::array<ImVec2, 2UL * (kSegments + 1)> outline;
    for (int i = 0; i <= steps; ++i)
    {
        outline[static_cast<std::size_t>(i)] = on_circle(s.centre, s.outer, s.turn(i));
        outline[static_cast<std::size_t>(2 * steps + 1 - i)] = on_circle(s.centre, s.inner, s.turn(i));
    }
    p.list.AddPolyline(outline.data(), 2 * (steps + 1), colour, ImDrawFlags_Closed, 1);
}

// Where the ranks stand and how large they are drawn. In two trees every rank stands twice.
struct Places
{
    std::vector<std::vector<ImVec2>> sites; // [tree][rank]; a single circle without trees
    ImVec2 centre;                          // of the switch
    float rank_radius = 0;

    std::size_t ranks() const { return sites.front().size(); }
    std::size_t site_of(std::size_t chunk) const { return chunk % sites.size(); }
    // The one beyond the ranks is the switch.
    ImVec2 place(std::size_t rank, std::size_t chunk) const
    {
        return rank < ranks() ? sites[site_of(chunk)][rank] : centre;
    }
};

// Doughnuts as large as their neighbours allow.
Places circle_in(const Painter& p, Rect area, std::size_t ranks, const RingStyle& style)
{
    const float outer = std::min(area.w, area.h) / 2;
    const float apart = ranks < 2 ? 1 : std::sin(kTurn / 2 / static_cast<float>(ranks));
    const float share = style.letters ? 0.72F : 0.58F;
    Places places;
    places.rank_radius =
        ranks < 2 ? outer * 0.4F : std::min(p.px(46), outer * apart * share / (1 + apart * share));
    places.centre = {area.centre(), area.middle()};
    const float radius = ranks < 2 ? 0 : outer - places.rank_radius - p.px(4);
    places.sites.emplace_back();
    for (std::size_t r = 0; r < ranks; ++r)
    {
        places.sites[0].push_back(
            on_circle(places.centre, radius, static_cast<float>(r) / static_cast<float>(ranks)));
    }
    return places;
}

// Leaves side by side from the left, parents above the middle of their children, in units of a leaf and of a
// level.
struct TidyTree
{
    explicit TidyTree(const std::vector<std::int64_t>& of) : parents(of), at(of.size())
    {
        for (std::size_t r = 0; r < parents.size(); ++r)
        {
            if (parents[r] < 0)
            {
                lay(r, 0);
            }
        }
    }

    float lay(std::size_t rank, int level)
    {
        float first = -1;
        float last = -1;
        for (std::size_t child = 0; child < parents.size(); ++child)
        {
            if (parents[child] == static_cast<std::int64_t>(rank))
            {
                last = lay(child, level + 1);
                first = first < 0 ? last : first;
            }
        }
        const float x = first < 0 ? leaves++ : (first + last) / 2;
        at[rank] = {x, static_cast<float>(level)};
        levels = std::max(levels, static_cast<float>(level + 1));
        return x;
    }

    const std::vector<std::int64_t>& parents;
    std::vector<ImVec2> at; // [rank]
    float leaves = 0;
    float levels = 1;
};

Places trees_in(const Painter& p, Rect area, const Collective& c)
{
    Places places;
    places.centre = {area.centre(), area.middle()};
    places.rank_radius = p.px(46);
    const float gap = c.trees.size() > 1 ? p.px(26) : 0;
    const float height = (area.h - gap) / static_cast<float>(c.trees.size());
    std::vector<TidyTree> trees(c.trees.begin(), c.trees.end());
    for (const TidyTree& tree : trees)
    {
        places.rank_radius = std::min({places.rank_radius, area.w / tree.leaves * 0.45F,
                                       height / tree.levels * (trees.size() > 1 ? 0.46F : 0.36F)});
    }
    const float r = places.rank_radius;
    for (std::size_t k = 0; k < trees.size(); ++k)
    {
        const TidyTree& tree = trees[k];
        const float top = area.y + (height + gap) * static_cast<float>(k) + r;
        const float down = tree.levels > 1 ? (height - 2 * r) / (tree.levels - 1) : 0;
        const float across = area.w / tree.leaves;
        places.sites.emplace_back();
        for (const ImVec2 at : tree.at)
        {
            places.sites[k].push_back({area.x + across * (at.x + 0.5F), top + down * at.y});
        }
    }
    return places;
}

// Chunks as sectors: their names and how much of each is there.
using Sectors = std::vector<std::pair<std::size_t, float>>;

void draw_doughnut(const Painter& p, ImVec2 centre, float radius, std::size_t rank, const Sectors& share,
                   bool letters)
{
    const float inner = radius * 0.44F;
    const std::size_t chunks = share.size();
    const float gap = chunks > 1 ? 0.006F : 0;
    const bool room =
        radius * 0.72F * kTurn / static_cast<float>(chunks) > p.px(14) && radius - inner > p.px(16);
    for (std::size_t c = 0; c < chunks; ++c)
    {
        const float from = (static_cast<float>(c) - 0.5F) / static_cast<float>(chunks) + gap;
        const float to = (static_cast<float>(c) + 0.5F) / static_cast<float>(chunks) - gap;
        const auto [chunk, part] = share[c];
        const Colour colour = filled_colour(p.theme, part);
        draw_sector(p, {centre, inner, radius, from, to}, colour);
        if (letters && room)
        {
            const Colour ink = part > 0 ? ink_on(colour) : p.theme.muted;
            const ImVec2 at = on_circle(centre, (inner + radius) / 2, (from + to) / 2);
            p.text(at.x, at.y, Type::mono_small, ink, chunk_name(chunk), Align::centre);
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
void draw_packets(const Painter& p, const Places& places, const std::vector<Transfer>& transfers,
                  const Holdings& held, float part, bool dots)
{
    const float size = std::min(p.px(15), places.rank_radius * 0.36F);
    // What goes the same way goes in one packet, and stands for all of it.
    std::map<std::array<std::size_t, 3>, std::vector<const Transfer*>> ways;
    for (const Transfer& move : transfers)
    {
        ways[{static_cast<std::size_t>(move.from), static_cast<std::size_t>(move.to),
              places.site_of(static_cast<std::size_t>(move.chunk))}]
            .push_back(&move);
    }
    for (const auto& [way, moves] : ways)
    {
        const auto chunk = static_cast<std::size_t>(moves.front()->chunk);
        const ImVec2 a = places.place(way[0], chunk);
        const ImVec2 b = places.place(way[1], chunk);
        const std::string label = moves.size() > 1
                                      ? std::to_string(moves.size())
                                      : chunk_name(chunk % std::max<std::size_t>(1, places.ranks()));
        const float apart = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
        const float start = std::min(0.5F, (places.rank_radius + size * 0.6F) / apart);
        const float k = start + (1 - 2 * start) * ease(part);
        const ImVec2 at{a.x + (b.x - a.x) * k, a.y + (b.y - a.y) * k};
        draw_packet(p, {at, size, label, held[way[0]][chunk]}, places.ranks(), dots && moves.size() == 1);
    }
}

std::size_t step_at(const Collective& collective, double t)
{
    return std::min(static_cast<std::size_t>(std::max(0.0, t)), collective.steps.size());
}

// Every way that is used at all, and the switch.
void draw_ways(const Painter& p, const Places& places, const Collective& c)
{
    std::set<std::array<std::size_t, 3>> ways;
    for (const Step& step : c.steps)
    {
        for (const Transfer& t : step.transfers)
        {
            const auto [a, b] = std::minmax(t.from, t.to);
            ways.insert({static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                         places.site_of(static_cast<std::size_t>(t.chunk))});
        }
    }
    for (const auto& [a, b, site] : ways)
    {
        p.list.AddLine(places.place(a, site), places.place(b, site), p.theme.grid, p.px(2));
    }
    if (c.in_switch)
    {
        const float half = p.px(44);
        const Rect box{places.centre.x - half, places.centre.y - half * 0.6F, 2 * half, half * 1.2F};
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

float room_in_ring(const Painter& p, Rect area, std::size_t ranks)
{
    const Places places = circle_in(p, area, ranks, {});
    const float radius = places.centre.y - places.sites[0].front().y;
    const float packets = radius * std::cos(kTurn / 2 / static_cast<float>(ranks)) - p.px(24);
    return std::min(radius - places.rank_radius, packets);
}

std::optional<std::size_t> draw_ring(const Painter& p, Rect area, const Collective& collective, double t,
                                     const RingStyle& style)
{
    const auto ranks = static_cast<std::size_t>(collective.ranks);
    const Places places =
        collective.trees.empty() ? circle_in(p, area, ranks, style) : trees_in(p, area, collective);
    const std::size_t step = step_at(collective, t);
    const Holdings held = holdings_after(collective, step);
    draw_ways(p, places, collective);
    std::optional<std::size_t> hovered;
    for (std::size_t site = 0; site < places.sites.size(); ++site)
    {
        for (std::size_t r = 0; r < ranks; ++r)
        {
            const std::vector<Contributors> chunks = shown_of(collective, held, r);
            Sectors share;
            for (std::size_t c = site; c < chunks.size(); c += places.sites.size())
            {
                share.emplace_back(c, filled(chunks[c], ranks, adds_up(collective.kind)));
            }
            const ImVec2 at = places.place(r, site);
            p.list.AddCircleFilled(at, places.rank_radius + p.px(3), p.theme.window);
            draw_doughnut(p, at, places.rank_radius, r, share, style.letters);
            const float reach = places.rank_radius;
            if (p.points_in({at.x - reach, at.y - reach, 2 * reach, 2 * reach}))
            {
                hovered = r;
            }
        }
    }
    for (const std::vector<ImVec2>& site : places.sites)
    {
        for (std::size_t r = 0; r < ranks; ++r)
        {
            if (style.selected == r || hovered == r)
            {
                p.list.AddCircle(site[r], places.rank_radius + p.px(4), p.theme.text, 0,
                                 p.px(style.selected == r ? 3.0F : 1.5F));
            }
        }
    }
    if (step < collective.steps.size())
    {
        const auto part = static_cast<float>(t - static_cast<double>(step));
        draw_packets(p, places, collective.steps[step].transfers, held, part,
                     style.dots && ranks <= 12 && places.rank_radius > p.px(22));
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
