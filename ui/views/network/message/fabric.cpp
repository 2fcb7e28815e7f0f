#include "ui/views/network/message/fabric.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kDrawnNodes = 4;
constexpr std::int64_t kRails = 8;
constexpr std::int64_t kSpines = 4;
constexpr std::array<double, 5> kPorts{32, 48, 64, 72, 144};

// Spines above, a leaf for each rail below them, nodes at the bottom.
class FabricMap
{
public:
    FabricMap(const Painter& p, Rect area, FabricLook& look, Out& out)
        : p_(p), look_(look), out_(out), area_(area)
    {
        high_ = std::min(p.px(40), area.h / 7);
    }

    void draw()
    {
        draw_links();
        draw_way();
        for (std::int64_t s = 0; s < kSpines; ++s)
        {
            draw_switch(spine(s), "spine");
        }
        for (std::int64_t rail = 0; rail < kRails; ++rail)
        {
            draw_switch(leaf(rail), fmt::format("rail {}", rail));
        }
        for (std::int64_t node = 0; node < kDrawnNodes; ++node)
        {
            draw_node(node);
        }
    }

private:
    Rect box(std::int64_t index, std::int64_t count, float y) const
    {
        const float pitch = area_.w / static_cast<float>(count);
        const float wide = std::min(pitch * 0.8F, p_.px(96));
        return {area_.x + pitch * (static_cast<float>(index) + 0.5F) - wide / 2, y, wide, high_};
    }
    Rect spine(std::int64_t index) const { return box(index, kSpines, area_.y); }
    Rect leaf(std::int64_t rail) const { return box(rail, kRails, area_.y + (area_.h - high_) * 0.42F); }
    Rect gpu(const FabricPlace& place) const
    {
        const float pitch = area_.w / static_cast<float>(kDrawnNodes);
        const float cell = pitch * 0.9F / static_cast<float>(kRails);
        return {area_.x + pitch * (static_cast<float>(place.node) + 0.05F) +
                    cell * static_cast<float>(place.slot),
                area_.bottom() - high_, cell - p_.px(2), high_};
    }

    void link(Rect low, Rect high, Colour colour, float thickness) const
    {
        p_.line(low.centre(), low.y, high.centre(), high.bottom(), colour, thickness);
    }

    void draw_links() const
    {
        for (std::int64_t rail = 0; rail < kRails; ++rail)
        {
            for (std::int64_t s = 0; s < kSpines; ++s)
            {
                link(leaf(rail), spine(s), p_.theme.grid, 1);
            }
            for (std::int64_t node = 0; node < kDrawnNodes; ++node)
            {
                link(gpu({node, rail}), leaf(rail), p_.theme.grid, 1);
            }
        }
    }

    void draw_way() const
    {
        const Theme& t = p_.theme;
        const FabricWay way = fabric_way(look_.from, look_.to, look_.forwarding);
        const float thick = p_.px(3);
        if (way.network)
        {
            link(gpu({look_.from.node, way.rail}), leaf(way.rail), line_colour(t.data), thick);
            link(gpu(look_.to), leaf(look_.to.slot), line_colour(t.data), thick);
        }
        if (way.spine)
        {
            const Rect over = spine(look_.from.slot % kSpines);
            link(leaf(look_.from.slot), over, line_colour(t.data), thick);
            link(leaf(look_.to.slot), over, line_colour(t.data), thick);
        }
        if (way.nvlink)
        {
            const Rect a = gpu(look_.from);
            const Rect b = gpu(way.network ? FabricPlace{look_.from.node, way.rail} : look_.to);
            p_.line(a.centre(), a.y - p_.px(6), b.centre(), b.y - p_.px(6), line_colour(t.tensor), thick);
        }
    }

    void draw_switch(Rect r, std::string_view name) const
    {
        p_.fill(r, p_.theme.raised, p_.px(4));
        p_.outline(r, p_.theme.line, 1, p_.px(4));
        if (p_.width(Type::small, name) < r.w && p_.height(Type::small) <= r.h)
        {
            p_.text(r.centre(), r.middle(), Type::small, p_.theme.text, name, Align::centre);
        }
    }

    void draw_node(std::int64_t node)
    {
        for (std::int64_t slot = 0; slot < kRails; ++slot)
        {
            const FabricPlace place{node, slot};
            const Rect cell = gpu(place);
            const Press hit = press(p_, cell, fmt::format("###gpu {} {}", node, slot).c_str(), 3);
            tooltip(p_, fmt::format("GPU {} of node {}: press to send there", slot, node));
            const bool end = place == look_.from || place == look_.to;
            p_.fill(cell,
                    end           ? p_.theme.expert.fill
                    : hit.hovered ? p_.theme.raised
                                  : p_.theme.control,
                    p_.px(3));
            if (hit.clicked)
            {
                look_.to = place;
                out_.animating = true;
            }
        }
    }

    const Painter& p_;
    FabricLook& look_;
    Out& out_;
    Rect area_;
    float high_;
};

void draw_sizes(const Painter& p, Rect area, const FabricLook& look)
{
    const auto size = [&](FabricKind kind) { return fabric_size(kind, look.ports, look.planes); };
    const Table<FabricKind> table(
        {Column<FabricKind>(fmt::format("Switches with {} ports", look.ports),
                            [](FabricKind kind) { return capitalized(std::string(name_of(kind))); }),
         {"GPUs, at most", [&](FabricKind kind) { return grouped(size(kind).gpus); }, 4},
         {"switches", [&](FabricKind kind) { return grouped(size(kind).switches); }, 3},
         {"per 1,000 GPUs",
          [&](FabricKind kind)
          {
              return three_digits(1000.0 * static_cast<double>(size(kind).switches) /
                                  static_cast<double>(size(kind).gpus));
          },
          2},
         {"most hops", [&](FabricKind kind) { return grouped(size(kind).hops); }, 1,
          "Switches on the longest way"}});
    table.draw(p, area, every<FabricKind>());
}

std::string way_words(const FabricLook& look)
{
    const FabricWay way = fabric_way(look.from, look.to, look.forwarding);
    return !way.network
               ? (way.nvlink ? "**NVLink** inside the node, no network" : "nothing: it is the same GPU")
           : way.nvlink ? "**NVLink** to the GPU of the other rail, then **one leaf switch**"
           : way.spine  ? "**three switches**: leaf, spine, leaf"
                        : "**one leaf switch**, which is the same rail\u2019s";
}

} // namespace

void draw_fabric(const Painter& p, Rect area, FabricLook& look, Out& out)
{
    const float table = table_height(p, kNamesOf<FabricKind>.size());
    if (area.h > table + p.px(200))
    {
        draw_sizes(p, area.cut_bottom(table), look);
        area.cut_bottom(p.px(16));
    }
    draw_chart_title(p, area.cut_top(p.px(26)), "A rail-optimized fabric", "press a GPU to send there");
    p.part("fabric", area);
    FabricMap(p, area, look, out).draw();
}

void panel_fabric(PanelColumn& column, FabricLook& look)
{
    column.toggle("PXN", look.forwarding,
                  "A message for another rail goes over NVLink to that rail\u2019s GPU first");
    column.slide("Switch ports", Track::at(kPorts, say_whole), look.ports, "At the NIC\u2019s rate");
    column.slide("Planes", Track::even(1, 8, say_whole), look.planes,
                 "Separate networks; a node\u2019s NICs are spread over them");
    column.gap();
    const double planes = static_cast<double>(look.planes);
    column.fact("One plane lost", format_percent((planes - 1) / planes),
                "Of a node\u2019s bandwidth that is left");
    column.fact("Nodes of a leaf", grouped(look.ports / 2), "Half of its ports go down");
    column.gap();
    column.note("All-reduces of data parallelism run **rail by rail**; all-to-alls reach all rails, so they "
                "need PXN or "
                "the spine.");
}

Caption fabric_caption(const FabricLook& look)
{
    const auto size = [&](FabricKind kind) { return fabric_size(kind, look.ports, look.planes); };
    return {
        fmt::format("From GPU {} of node {} to GPU {} of node {}: {}.", look.from.slot, look.from.node,
                    look.to.slot, look.to.node, way_words(look)),
        fmt::format("two tiers k\u00b2/2 = {};  p planes p k\u00b2/2 = {};  three tiers k\u00b3/4 = {} GPUs",
                    grouped(size(FabricKind::two_tier).gpus), grouped(size(FabricKind::planes).gpus),
                    grouped(size(FabricKind::three_tier).gpus)),
        "Fat trees: Al-Fares et al., SIGCOMM 2008. Planes: Insights into DeepSeek-V3, arXiv 2505.09343, "
        "section 5.1 "
        "and table 3 (16,384 GPUs with 768 switches). PXN: NCCL 2.12."};
}

} // namespace ringside
