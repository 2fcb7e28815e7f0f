#include "ui/widgets/link_table.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/scenario.h"
#include "ui/widgets/pictures/cluster_map.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array kDrawnAxes{Axis::tensor, Axis::pipeline, Axis::data, Axis::context, Axis::expert};
constexpr float kPitch = 30;

struct Line
{
    std::string name;
    Bytes bytes;
    Seconds busy;
    LinkClass link;
    bool spine = false;
};

class LinkBars
{
public:
    LinkBars(const Painter& painter, const Topology& topology, const Scenario& scenario)
        : p_(painter), t_(painter.theme), topology_(topology), s_(scenario)
    {
    }

    void draw(Rect cell, const Line& line) const
    {
        const Rect bar{cell.x, cell.middle() - p_.px(8), cell.w, p_.px(16)};
        const bool hottest = !line.spine && line.link == topology_.hottest && line.busy.value > 0;
        p_.fill(bar, t_.control);
        bars(bar, line.link, line.spine, hottest);
        if (line.bytes.value == 0)
        {
            const std::string_view why = line.spine && topology_.per_gpu.between().value == 0 ? "idle"
                                         : line.spine ? "idle: rail-aligned, no spine traffic"
                                         : line.link == LinkClass::network
                                             ? "idle: every group stays inside its node"
                                             : "idle: every peer is in another node";
            p_.text_within(bar.x + p_.px(10), bar.middle(), bar.w - p_.px(16), Type::small, t_.muted, why);
        }
    }

private:
    Bytes part(const AxisLoad& load, LinkClass link, bool spine) const
    {
        return spine                       ? load.per_gpu.spine
               : link == LinkClass::inside ? load.per_gpu.inside
                                           : load.per_gpu.between();
    }

    void bars(Rect bar, LinkClass link, bool spine, bool hottest) const
    {
        const double rate =
            (link == LinkClass::inside && node_link(s_.cluster) > 0 ? node_link(s_.cluster)
                                                                    : s_.cluster.network_gb_per_s) *
            1e9;
        const double most = std::max({topology_.inside.value, topology_.between.value, 1e-12});
        const float room =
            bar.w - p_.px(bar.w > p_.px(240) ? 96.0F : 0.0F); // for the word behind the longest
        float x = bar.x;
        std::vector<std::pair<Axis, Bytes>> unlabelled;
        for (const Axis axis : kDrawnAxes)
        {
            const Bytes bytes = part(topology_.of(axis), link, spine);
            const auto w = static_cast<float>(bytes.value / rate / most) * room;
            if (w <= 0)
            {
                continue;
            }
            const Ink& ink = axis_ink(t_, axis);
            const Rect block{x, bar.y, std::max(w, 1.0F), bar.h};
            p_.fill(block, ink.fill);
            if (p_.width(Type::small, name_of(axis)) + p_.px(12) <= block.w)
            {
                p_.text(block.x + p_.px(8), bar.middle(), Type::small, ink.label, name_of(axis));
            }
            else
            {
                unlabelled.emplace_back(axis, bytes);
            }
            x += block.w;
        }
        x += p_.px(10);
        if (hottest)
        {
            const std::string_view word = "busiest";
            if (x + p_.px(18) + p_.width(Type::small_strong, word) <= bar.right())
            {
                const float u = p_.px(5);
                const ImVec2 c{x + u, bar.middle()};
                p_.list.AddQuadFilled({c.x, c.y - u}, {c.x + u, c.y}, {c.x, c.y + u}, {c.x - u, c.y},
                                      t_.text);
                x += p_.px(16);
                x += p_.text(x, bar.middle(), Type::small_strong, t_.text, word) + p_.px(12);
            }
        }
        for (const auto& [axis, bytes] : unlabelled)
        {
            const std::string words = fmt::format("{} {}", name_of(axis), format_bytes(bytes, p_.look.unit));
            if (x + p_.width(Type::small, words) + p_.px(18) > bar.right())
            {
                return;
            }
            p_.fill({x, bar.middle() - p_.px(4), p_.px(8), p_.px(8)}, axis_ink(t_, axis).fill);
            x += p_.px(14) + p_.text(x + p_.px(14), bar.middle(), Type::small, t_.text, words) + p_.px(14);
        }
    }

    const Painter& p_;
    const Theme& t_;
    const Topology& topology_;
    const Scenario& s_;
};

} // namespace

float link_table_height(const Painter& painter)
{
    return table_height(painter, 3, kPitch);
}

void draw_link_table(const Painter& painter, Rect area, const Topology& topology, const Scenario& scenario,
                     std::string_view domain)
{
    const Cluster& c = scenario.cluster;
    const Bytes spine = topology.per_gpu.spine;
    const std::array lines{Line{fmt::format("Inside the {}, {} GB/s", domain, plain_number(node_link(c))),
                                topology.per_gpu.inside, topology.inside, LinkClass::inside},
                           Line{fmt::format("NIC, {} GB/s", plain_number(c.network_gb_per_s)),
                                topology.per_gpu.between(), topology.between, LinkClass::network},
                           Line{"\u21b3 of which over the spine", spine,
                                Seconds(spine.value / (c.network_gb_per_s * 1e9)), LinkClass::network, true}};
    const LinkBars bars(painter, topology, scenario);
    const Table<Line> table(
        {{"Per GPU and step", [&](const Line& line)
          { return Cell(line.name, line.spine ? painter.theme.muted : painter.theme.text); }},
         {"bytes", [&](const Line& line) { return format_bytes(line.bytes, painter.look.unit); }, 1},
         Column<Line>("", nullptr, 2)
             .wide(40, [&bars](const Painter&, Rect r, const Line& line, bool) { bars.draw(r, line); }),
         {"busy at full rate",
          [](const Line& line) { return line.busy.value > 0 ? format_seconds(line.busy) : "0 s"; }}},
        nullptr, nullptr, kPitch);
    table.draw(painter, area, lines);
}

} // namespace ringside
