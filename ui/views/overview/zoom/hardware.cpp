// From the cluster to a GPU: every GPU a box in the colour of its pipeline stage, in the card of what its
// fast links join; inside it its memory, its processors and what it does in a step.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/overview/zoom/sight.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/pictures/cluster_map.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kLeastZoomCell = 3.2F; // [px] below it a card is one patch
constexpr float kOpened = 46;          // [design px] from which a GPU shows what is in it
constexpr float kNextNamed = 90;       // [design px] from which the GPU that is next has a ring
constexpr float kLegible = 250;        // [design px] from which its memory is named

Colour colour_of_gpu(const ZoomSight& sight, std::int64_t rank)
{
    const std::int64_t stages = sight.h.grid.size(Axis::pipeline);
    return stages > 1 ? coordinate_colour(sight.p.theme, sight.h.grid.coordinates(rank).pipeline, stages)
                      : mix(sight.p.theme.muted, sight.p.theme.window, 0.45F);
}

// A GPU's cell round its frame, which has its own ratio of width and height.
ZoomArea cell_round(const ZoomLayout& layout)
{
    return ZoomArea{0, 0, 1, layout.ratio()}.inset(-0.03 * std::min(1.0, layout.ratio()));
}

const StageMemory& memory_of(const ZoomSight& sight, std::int64_t rank)
{
    const auto& stages = sight.scenario.report->memory.stages;
    const auto stage = static_cast<std::size_t>(sight.h.grid.coordinates(rank).pipeline);
    return stages[std::min(stage, stages.size() - 1)];
}

void draw_memory(ZoomSight& sight, Rect r, const StageMemory& memory, bool named)
{
    const MemoryReport& report = sight.scenario.report->memory;
    const ByteScale scale = byte_scale(memory.total(), sight.frame.preferences.unit);
    std::vector<BarPart> parts;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const auto component = static_cast<Component>(i);
        parts.push_back({memory.parts.at(i).value,
                         {sight.p.theme.of(component)},
                         named ? name_of(component) : std::string_view(),
                         named ? scale.words(memory.parts.at(i)) + " " + std::string(scale.name) : ""});
    }
    BarStyle style;
    style.most = std::max(report.capacity.value, memory.total().value);
    style.limit = report.capacity.value;
    style.walls = named;
    sight.fill(r, sight.p.theme.control);
    draw_stacked_bar(sight.p, r, parts, style);
}

} // namespace

void ZoomSight::draw_cluster(const ZoomFrame& f)
{
    const ZoomGrid cards = layout.domains();
    const ZoomGrid cells = layout.gpus();
    const float pitch = size(inside(f, cards.box(0))) * static_cast<float>(cells.box(0).w);
    for (std::int64_t domain = 0; domain < h.grid.domains(); ++domain)
    {
        const ZoomArea card = cards.box(domain);
        if (!sees(on(f, card)))
        {
            continue;
        }
        const ZoomFrame own = inside(f, card);
        const Rect shown = on(own);
        p.fill(shown, p.theme.panel, shown.w > p.px(60) ? p.px(4) : 0);
        outline(shown, with_alpha(p.theme.line, grown(shown.w, p.px(16), p.px(40))), 1);
        // Small cells are one patch, out of which they come as they grow.
        const float cells_shown = grown(pitch, kLeastZoomCell, 2 * kLeastZoomCell);
        if (cells_shown < 1)
        {
            fill(on(own, cells.area),
                 with_alpha(colour_of_gpu(*this, domain * h.grid.per_domain()), 1 - cells_shown));
        }
        if (cells_shown > 0)
        {
            draw_domain(own, domain);
        }
    }
    frame_next(on(inside(f, cards.box(h.grid.domain(h.rank)))));
}

void ZoomSight::draw_domain(const ZoomFrame& f, std::int64_t domain)
{
    const ZoomGrid cells = layout.gpus();
    const std::int64_t first = domain * h.grid.per_domain();
    const std::int64_t end = std::min(first + h.grid.per_domain(), h.grid.gpus());
    const bool followed = domain == h.grid.domain(h.rank);
    for (std::int64_t rank = first; rank < end; ++rank)
    {
        const ZoomArea box = cells.box(h.grid.slot(rank));
        const ZoomFrame own = inside(f, box);
        const Rect r = on(own, cell_round(layout));
        if (!sees(r))
        {
            continue;
        }
        p.fill(r, colour_of_gpu(*this, rank), r.w > p.px(10) ? p.px(2) : 0);
        if (r.w > p.px(kOpened))
        {
            draw_gpu(own, rank);
        }
    }
    if (followed && size(f) > p.px(kNextNamed))
    {
        frame_next(on(inside(f, cells.box(h.grid.slot(h.rank))), cell_round(layout)));
    }
    const float shown = grown(size(f), p.px(120), p.px(240));
    if (shown <= 0 || end - first < 2)
    {
        return;
    }
    // A bar of fast links below the GPUs, and a line up to each column of them.
    const Rect links = on(f, layout.links());
    const Colour ink = with_alpha(axis_ink(p.theme, Axis::tensor).fill, shown);
    fill(links, with_alpha(p.theme.control, shown), p.px(3));
    outline(links, ink, p.px(2));
    for (std::int64_t column = 0; column < std::min(cells.columns, end - first); ++column)
    {
        const Rect above = on(inside(f, cells.box(cells.rows - 1, column)), cell_round(layout));
        fill({above.centre() - p.px(1), above.bottom(), p.px(2), links.y - above.bottom()}, ink);
    }
    const Cluster& cluster = frame.now.scenario.cluster;
    const double rate =
        cluster.node_link_gb_per_s > 0 ? cluster.node_link_gb_per_s : cluster.gpu.link_gb_per_s;
    note(Height::domain, links,
         rate > 0 ? fmt::format("fast links: {} GB/s one-way per GPU", three_digits(rate))
                  : fmt::format("PCIe: {} GB/s one-way per GPU", three_digits(cluster.gpu.pcie_gb_per_s)),
         followed);
    const Rect all = on(f);
    note(Height::cluster, {all.x, links.bottom(), all.w, all.bottom() - links.bottom()},
         fmt::format("{} {}", h.name_of(Height::domain), grouped(domain)), followed);
}

void ZoomSight::draw_gpu(const ZoomFrame& f, std::int64_t rank)
{
    ground(f);
    const bool named = size(f) > p.px(kLegible);
    const StageMemory& memory = memory_of(*this, rank);
    const Rect bar = on(f, layout.memory());
    const bool whole = bar.x >= window.x && bar.right() <= window.right() && bar.y >= window.y &&
                       bar.bottom() <= window.bottom();
    draw_memory(*this, bar, memory, named && whole);
    const Rect time = on(f, layout.time());
    fill(time, p.theme.control);
    const bool followed = rank == h.rank;
    if (const ZoomGrid grid = layout.processors(); size(f) > p.px(140))
    {
        const auto count = static_cast<std::int64_t>(h.processors);
        const Colour ink = mix(p.theme.forward.fill, p.theme.window, 0.45F);
        const bool single = on(f, grid.box(0)).w >= 2;
        for (std::int64_t i = 0; single && i < count; ++i)
        {
            fill(on(f, grid.box(i)), ink);
        }
        fill(on(f, grid.area), single ? 0 : ink);
        note(Height::gpu, on(f, grid.area), fmt::format("{} multiprocessors", plain_number(h.processors)),
             false, 0.9F);
    }
    if (followed)
    {
        frame_next(time);
    }
    const Rect head = on(f, {layout.time().x, layout.time().y, layout.time().w, 0.1 * layout.ratio()});
    if (followed)
    {
        note(Height::gpu, head, "one step of its pipeline, from left to right");
    }
    else
    {
        note(Height::domain, time, fmt::format("GPU {}", grouped(rank)));
    }
}

} // namespace ringside
