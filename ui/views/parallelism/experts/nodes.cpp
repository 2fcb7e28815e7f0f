// One token on its way to experts on many nodes, packet by packet, for each way to send its copies; and what
// each costs all tokens.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/parallelism/experts/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/cell_grid.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kNodes{2, 4, 8, 12, 16, 18, 32, 64};
constexpr double kFlight = 1; // of a packet through the network, then as long inside its node

DispatchSetup setup_of(const ExpertsState& state, const Frame& frame)
{
    DispatchSetup setup = dispatch_setup(state.routed_of(frame).plan);
    setup.nodes = std::min(state.nodes.value_or(setup.nodes), setup.experts);
    setup.limit = std::min(state.limit.value_or(setup.limit), setup.nodes);
    setup.eight_bit = state.eight_bit;
    return setup;
}

bool crosses(const TokenPacket& packet)
{
    return packet.node != 0;
}

double length_of(const DispatchSetup& setup, std::uint64_t token)
{
    return largest_over(every<DispatchWay>(),
                        [&](DispatchWay way) {
                            return static_cast<double>(
                                std::ranges::count_if(token_packets(setup, way, token), crosses));
                        }) +
           kFlight;
}

// Nodes below each other, a cell for each GPU; the token comes from the first node.
class TokenMap
{
public:
    TokenMap(const Painter& p, Rect area, const DispatchSetup& setup, std::vector<TokenPacket> packets,
             double now)
        : p_(p), setup_(setup), packets_(std::move(packets)), now_(now), bus_(area.x + p.px(34))
    {
        area.cut_left(p.px(48));
        grid_ = {area, setup.nodes, setup.per_node,
                 area.h / static_cast<float>(setup.nodes) > p.px(6) ? 2.0F : 0.0F};
    }

    void draw() const
    {
        draw_ground();
        double sent = 0;
        for (const TokenPacket& packet : packets_)
        {
            const double left = crosses(packet) ? sent : -kFlight; // its own node has it at the start
            draw_packet(packet, static_cast<float>(std::clamp((now_ - left) / kFlight, 0.0, 1.0)),
                        static_cast<float>(std::clamp((now_ - left - kFlight) / kFlight, 0.0, 1.0)));
            sent += crosses(packet) ? 1 : 0;
        }
    }

private:
    float row(std::int64_t node) const { return grid_.cell(node, 0).middle(); }

    void draw_ground() const
    {
        const Theme& t = p_.theme;
        const bool named = grid_.cell(0, 0).h >= p_.height(Type::mono_small);
        for (std::int64_t n = 0; n < setup_.nodes; ++n)
        {
            for (std::int64_t g = 0; g < setup_.per_node; ++g)
            {
                p_.fill(grid_.cell(n, g), t.control);
            }
            if (named)
            {
                p_.text(bus_ - p_.px(10), row(n), Type::mono_small, t.muted, fmt::format("{}", n),
                        Align::right);
            }
        }
        p_.line(bus_, row(0), bus_, row(setup_.nodes - 1), t.line, p_.px(2));
    }

    void draw_packet(const TokenPacket& packet, float flown, float spread) const
    {
        const Theme& t = p_.theme;
        if (flown <= 0)
        {
            return;
        }
        const float y = row(0) + (row(packet.node) - row(0)) * ease(flown);
        for (const std::int64_t gpu : packet.gpus)
        {
            const Rect cell = grid_.cell(packet.node, gpu);
            if (spread >= 1)
            {
                p_.fill(cell, t.expert.fill);
            }
            if (spread > 0)
            {
                p_.line(bus_, y, bus_ + (cell.centre() - bus_) * ease(spread), y, t.tensor.fill, p_.px(1.5F));
            }
        }
        if (crosses(packet))
        {
            p_.line(bus_, row(0), bus_, y, line_colour(t.data), p_.px(2));
            p_.list.AddCircleFilled({bus_, y}, p_.px(4), line_colour(t.data));
        }
    }

    const Painter& p_;
    const DispatchSetup& setup_;
    std::vector<TokenPacket> packets_;
    double now_;
    float bus_;
    CellGrid grid_;
};

void draw_costs(const Painter& p, Rect area, const DispatchSetup& setup)
{
    const auto cost = [&](DispatchWay way) { return dispatch_cost(setup, way); };
    const auto bytes = [&p](Bytes b) { return format_bytes(b, p.look.unit); };
    const Table<DispatchWay> table(
        {Column<DispatchWay>("Dispatch and combine of a layer",
                             [](DispatchWay way) { return capitalized(std::string(name_of(way))); }),
         {"copies per token", [&](DispatchWay way) { return three_digits(cost(way).copies); }, 4,
          "Over the network, mean of all tokens"},
         {"network", [&](DispatchWay way) { return bytes(cost(way).network); }, 2, "Sent by one GPU"},
         {"NVLink", [&](DispatchWay way) { return bytes(cost(way).inside); }, 1,
          "Sent by one GPU inside its node, at most"},
         {"time", [&](DispatchWay way) { return format_seconds(cost(way).time()); }, 3,
          "At the full rate of the slower link; both run at the same time"}});
    table.draw(p, area, every<DispatchWay>());
}

void draw_nodes(const ExpertsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const DispatchSetup setup = setup_of(r.state, r.frame);
    const float table = table_height(p, kNamesOf<DispatchWay>.size());
    if (area.h > table + p.px(160))
    {
        draw_costs(p, area.cut_bottom(table), setup);
        area.cut_bottom(p.px(14));
    }
    p.part("packets", area);
    const auto ways = every<DispatchWay>();
    const float gap = p.px(22);
    const std::size_t columns = area.w > p.px(520) ? ways.size() : 1;
    const float width = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    for (std::size_t i = 0; i < columns; ++i)
    {
        const DispatchWay way = ways.at(ways.size() - columns + i);
        Rect column = area.cut_left(width);
        area.cut_left(gap);
        auto packets = token_packets(setup, way, r.state.token);
        const auto sent = std::ranges::count_if(packets, crosses);
        draw_chart_title(p, column.cut_top(p.px(24)), capitalized(std::string(name_of(way))), {},
                         fmt::format("{}", sent));
        column.cut_top(p.px(6));
        TokenMap(p, column, setup, std::move(packets), r.frame.playback.t).draw();
    }
}

Motion nodes_motion(const Frame& frame, ExpertsState& state)
{
    const double length = length_of(setup_of(state, frame), state.token);
    return {.duration = length,
            .per_second = 1.5,
            .label = fmt::format("{:.0f} sent", std::floor(std::min(frame.playback.t, length - kFlight))),
            .rest = length};
}

void panel_nodes(PanelColumn& column, const ExpertsRoom& r)
{
    const DispatchSetup setup = setup_of(r.state, r.frame);
    column.slide("Nodes", Track::at(kNodes, say_whole), setup.nodes, r.state.nodes,
                 "Over which the experts of a layer lie");
    column.slide("Node limit M", Track::even(1, static_cast<double>(setup.nodes), say_whole), setup.limit,
                 r.state.limit, "A token\u2019s experts lie on so many nodes at most. DeepSeek-V3: 4 of 8");
    column.toggle("FP8 dispatch", r.state.eight_bit,
                  "One byte per value and an FP32 scale for 128; combine stays BF16");
    if (column.button("Another token", "R"))
    {
        ++r.state.token;
    }
    column.gap();
    const ExpertPlan& plan = r.state.routed_of(r.frame).plan;
    column.fact("In this scenario", plan.leaves ? fmt::format("EP = {}", plan.ranks) : "one node",
                plan.leaves ? "Its expert group fills several nodes"
                            : "Its experts lie in one NVLink domain, so this page supposes more");
    column.fact("One copy, both ways", format_bytes(Bytes(copy_bytes(setup)), r.p.look.unit));
    column.fact("Tokens per GPU", grouped(std::llround(setup.tokens)));
    column.fact("Per GPU: network", fmt::format("{} GB/s", plain_number(setup.network_gb_per_s)));
    column.fact("Per GPU: NVLink", fmt::format("{} GB/s", plain_number(setup.node_gb_per_s)));
}

Caption nodes_caption(const Frame& frame, ExpertsState& state)
{
    const DispatchSetup s = setup_of(state, frame);
    const auto copies = [&](DispatchWay way) { return three_digits(network_copies(s, way)); };
    return {
        fmt::format(
            "A token crosses the network **{} times** with a copy per expert, **{}** with one per node, "
            "**{}** with at most {}.",
            copies(DispatchWay::experts), copies(DispatchWay::nodes), copies(DispatchWay::limited),
            counted(s.limit, "node")),
        fmt::format(
            "k (N\u22121)/N = {};  (N\u22121)(1 \u2212 (1\u22121/N)^k) = {};  M (N\u22121)/N \u2264 {};  "
            "k = {}, N = {}, M = {}",
            copies(DispatchWay::experts), copies(DispatchWay::nodes), copies(DispatchWay::limited), s.chosen,
            s.nodes, s.limit),
        "Node-limited routing: DeepSeek-V3, arXiv 2412.19437, section 2.1.2; copies over InfiniBand, then "
        "NVLink: section 3.2.2; FP8 dispatch: section 3.3.3. Experts are chosen independently and evenly."};
}

} // namespace

const Page<ExpertsState> kExpertNodes{"Nodes",       draw_nodes,   panel_nodes,
                                      nodes_caption, nodes_motion, "Dispatch over nodes"};

} // namespace ringside
