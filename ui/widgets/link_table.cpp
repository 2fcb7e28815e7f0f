#include "ui/widgets/link_table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/cluster_map.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array kDrawnAxes{Axis::tensor, Axis::pipeline, Axis::data, Axis::context, Axis::expert};
constexpr float kHead = 26;
constexpr float kRow = 30;

class LinkTable
{
public:
    LinkTable(const Painter& painter, const Topology& topology, const Scenario& scenario, Rect area)
        : p_(painter), t_(painter.theme), topology_(topology), s_(scenario), area_(area)
    {
        name_ =
            std::min(area.w * 0.3F, p_.width(Type::small_strong, "Inside the domain, 1800 GB/s") + p_.px(4));
        bytes_ = area.w > p_.px(360) ? p_.px(96) : 0;
        time_ = p_.px(88);
    }

    void draw(std::string_view domain)
    {
        Rect head = area_.cut_top(p_.px(kHead));
        p_.text_within(head.x, head.middle(), name_ - p_.px(8), Type::small, t_.muted, "Per GPU and step");
        if (bytes_ > 0)
        {
            p_.text(head.x + name_ + bytes_ - p_.px(24), head.middle(), Type::small, t_.muted, "bytes",
                    Align::right);
        }
        p_.text(head.right(), head.middle(), Type::small, t_.muted, "busy at full rate", Align::right);
        const double fast = node_link(s_.cluster);
        row(fmt::format("Inside the {}, {} GB/s", domain, plain_number(fast)), topology_.per_gpu.inside,
            topology_.inside, LinkClass::inside, false);
        row(fmt::format("NIC, {} GB/s", plain_number(s_.cluster.network_gb_per_s)),
            topology_.per_gpu.between(), topology_.between, LinkClass::network, false);
        const double network = s_.cluster.network_gb_per_s * 1e9;
        row("of it over the spine", topology_.per_gpu.spine, Seconds(topology_.per_gpu.spine.value / network),
            LinkClass::network, true);
    }

private:
    void row(const std::string& name, Bytes bytes, Seconds busy, LinkClass link, bool spine)
    {
        const Rect r = area_.cut_top(p_.px(kRow));
        const bool hottest = !spine && link == topology_.hottest && busy.value > 0;
        p_.line(r.x, r.y, r.right(), r.y, t_.grid);
        const float indent = spine ? p_.px(16) : 0;
        p_.text_within(r.x + indent, r.middle(), name_ - indent - p_.px(8),
                       spine ? Type::small : Type::small_strong, spine ? t_.muted : t_.text, name);
        if (bytes_ > 0)
        {
            p_.text(r.x + name_ + bytes_ - p_.px(24), r.middle(), Type::mono_small, t_.text,
                    format_bytes(bytes, p_.look.unit), Align::right);
        }
        p_.text(r.right(), r.middle(), Type::mono_small, t_.text,
                busy.value > 0 ? format_seconds(busy) : "0 s", Align::right);
        Rect bar{r.x + name_ + bytes_, r.middle() - p_.px(8), r.w - name_ - bytes_ - time_, p_.px(16)};
        if (bar.w < p_.px(40))
        {
            return;
        }
        p_.fill(bar, t_.control);
        bars(bar, link, spine, hottest);
        if (bytes.value == 0)
        {
            const std::string_view why = spine && topology_.per_gpu.between().value == 0 ? "idle"
                                         : spine ? "idle: partners share a slot, so a rail"
                                         : link == LinkClass::network ? "idle: every group stays inside"
                                                                      : "idle: every partner is elsewhere";
            p_.text_within(bar.x + p_.px(10), r.middle(), bar.w - p_.px(16), Type::small, t_.muted, why);
        }
    }

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
            const std::string_view word = "hottest";
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
    Rect area_;
    float name_;
    float bytes_;
    float time_;
};

} // namespace

float link_table_height(const Painter& painter)
{
    return painter.px(kHead + 3 * kRow + 4);
}

void draw_link_table(const Painter& painter, Rect area, const Topology& topology, const Scenario& scenario,
                     std::string_view domain)
{
    LinkTable(painter, topology, scenario, area).draw(domain);
}

} // namespace ringside
