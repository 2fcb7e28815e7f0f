// Which algorithm is fastest at which message size? Time against bytes on two logarithmic axes, the fastest
// at every size marked, and where a collective turns from latency-bound to bandwidth-bound.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/network/collective/cost.h"
#include "ui/shell/frame/run_frame.h"
#include "ui/shell/paged_view.h"
#include "ui/views/network/kinds.h"
#include "ui/views/network/message/fabric.h"
#include "ui/views/network/message/measured.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

constexpr double kLeast = 1e3; // [B]
constexpr double kMost = 1e11; // [B], or the decade above the message
constexpr int kSteps = 160;    // of a curve
constexpr std::size_t kSamples = kSteps + 1;
constexpr const char* kTimedPopup = "choose a collective to time";

// One algorithm's time, or bus bandwidth, at every sample.
struct Line
{
    const CollectiveAlgorithm* algorithm = nullptr;
    std::vector<double> time; // [s]
    std::vector<bool> waits;  // latency is the larger part
};

// What every size takes; found anew when scenario or kind change.
struct Sizes
{
    std::int64_t ranks = 1;
    Bytes message;
    Links links;
    std::vector<Line> lines;
    std::vector<std::size_t> fastest; // [sample] line
    std::vector<double> bytes;        // [sample]
};

constexpr std::array<std::string_view, 5> kPages{"message/time", "message/bandwidth", "message/ranks",
                                                 "message/measured", "message/fabric"};

std::vector<const CollectiveAlgorithm*> algorithms_for(CollectiveKind kind, bool in_network)
{
    std::vector<const CollectiveAlgorithm*> all;
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        if (algorithm->can(kind) && (in_network || algorithm->id != "in-switch"))
        {
            all.push_back(algorithm);
        }
    }
    return all;
}

Sizes sizes_of(const Scenario& s, const CollectiveReport& c, CollectiveKind kind, bool in_network)
{
    Sizes sizes;
    sizes.ranks = c.ranks;
    sizes.message = c.message;
    sizes.bytes = even_ratios(kLeast, std::max(kMost, decade_above(std::max(1.0, c.message.value))), kSteps);
    sizes.links = links_of(s, c);
    for (const CollectiveAlgorithm* algorithm : algorithms_for(kind, in_network))
    {
        if (algorithm->id == "hierarchical" && c.ranks <= sizes.links.per_node)
        {
            continue;
        }
        Line line{algorithm, {}, {}};
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            const CollectiveCost cost =
                estimate(kind, *algorithm, c.ranks, Bytes(sizes.bytes[i]), sizes.links);
            line.time.push_back(cost.total().value);
            line.waits.push_back(cost.latency > cost.transfer);
        }
        sizes.lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < kSamples; ++i)
    {
        std::size_t best = 0;
        for (std::size_t k = 1; k < sizes.lines.size(); ++k)
        {
            best = sizes.lines[k].time[i] < sizes.lines[best].time[i] * (1 - 1e-9) ? k : best;
        }
        sizes.fastest.push_back(best);
    }
    return sizes;
}

struct MessageState
{
    CollectiveKind kind = CollectiveKind::all_reduce;
    bool in_network = false; // reduction by the switches
    bool choosing = false;
    MeasuredLook measured;
    FabricLook fabric;
    Derived<std::tuple<Scenario, CollectiveKind, bool>, Sizes> made;

    const Sizes& sizes(const Frame& frame) const
    {
        const auto make = [&](const auto&)
        { return sizes_of(frame.now.scenario, *frame.now.report->collective, kind, in_network); };
        return made.of({frame.now.scenario, kind, in_network}, make);
    }
};
using MessageRoom = PageRoom<MessageState>;

// What is drawn of the lines: times, or the bus bandwidths that they make.
struct Drawn
{
    const Sizes& c;
    CollectiveKind kind;
    bool rate;

    double value(const Line& line, std::size_t sample) const
    {
        const double time = line.time[sample];
        return rate ? bus_bandwidth(kind, c.ranks, Bytes(c.bytes[sample]), Seconds(time)).value / 1e9 : time;
    }
};

PlotAxis values_of(const Drawn& drawn)
{
    double low = 1e300;
    double high = 0;
    for (const Line& line : drawn.c.lines)
    {
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            const double v = drawn.value(line, i);
            low = v > 0 ? std::min(low, v) : low;
            high = std::max(high, v);
        }
    }
    low = decade_below(std::max(low, 1e-12));
    high = decade_above(std::max(high, low * 10));
    return {low, high, PlotScale::log, drawn.rate ? "bus bandwidth, GB/s" : "time",
            drawn.rate ? AxisWords(plain_number) : AxisWords(tick_seconds)};
}

// Draws a line for every algorithm, the fastest at each size marked, and where it waits more than it sends.
void draw_lines(const Painter& painter, Plot& plot, const Drawn& drawn)
{
    const Sizes& c = drawn.c;
    const Theme& t = painter.theme;
    std::size_t end = 0;
    while (end < kSamples && c.lines[c.fastest[end]].waits[end])
    {
        ++end;
    }
    if (end > 0 && end < kSamples)
    {
        plot.band_x(kLeast, c.bytes[end], with_alpha(t.muted, 0.18F), "latency-bound", kIdleHatch);
        plot.band_x(c.bytes[end], c.bytes.back(), 0, "bandwidth-bound");
    }
    const auto place = [&](const Line& line, std::size_t i) {
        return PlotPoint{c.bytes[i], drawn.value(line, i)};
    };
    std::size_t coloured = 0;
    for (std::size_t k = 0; k < c.lines.size(); ++k)
    {
        // What is never the fastest is pale; the others are thick where they are.
        const bool leads = std::ranges::find(c.fastest, k) != c.fastest.end();
        const Mark mark = leads ? Mark(t.series.at(coloured++ % t.series.size())) : Mark(t.line);
        std::vector<PlotPoint> points;
        std::vector<PlotPoint> fastest;
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            points.push_back(place(c.lines[k], i));
            const bool here = c.fastest[i] == k || (i > 0 && c.fastest[i - 1] == k);
            fastest.push_back({c.bytes[i], here ? points.back().y : NAN});
        }
        plot.line(points, {mark, leads ? 1.5F : 1.0F}, std::string(c.lines[k].algorithm->name), leads);
        plot.line(fastest, {mark, 4});
    }
    for (std::size_t i = 1; i < kSamples; ++i)
    {
        if (c.fastest[i - 1] != c.fastest[i])
        {
            plot.dot(place(c.lines[c.fastest[i]], i),
                     {t.text, 5, PlotShape::disc, false,
                      fmt::format("{} from here", c.lines[c.fastest[i]].algorithm->name)});
        }
    }
}

// What grows with the number of ranks and what does not: bytes each sends, and steps, for every algorithm.
constexpr int kDoublings = 14;  // up to 16,384 ranks
constexpr double kMostSent = 4; // messages; what sends more leaves the picture

struct RankCosts
{
    const CollectiveAlgorithm* algorithm;
    std::vector<CollectiveCost> costs; // [doubling - 1]
};

std::vector<RankCosts> rank_costs(CollectiveKind kind, bool in_network)
{
    // Bytes and steps do not depend on the links.
    const Link link{Seconds(1e-6), BytesPerSecond(1e9)};
    std::vector<RankCosts> rows;
    for (const CollectiveAlgorithm* a : algorithms_for(kind, in_network))
    {
        RankCosts row{a, {}};
        for (int k = 1; k <= kDoublings; ++k)
        {
            row.costs.push_back(estimate(kind, *a, std::int64_t{1} << k, Bytes(1.0), {link, link, 8}));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

template <typename Value>
void draw_costs(const Painter& p, Rect area, const std::vector<RankCosts>& rows, std::int64_t ranks,
                PlotAxis y, std::string_view title, Value value)
{
    Plot plot(
        p, area,
        {2, std::exp2(kDoublings), PlotScale::log2, "ranks N", [](double n) { return plain_number(n); }},
        std::move(y), {.title = title, .names = 168});
    if (!plot)
    {
        return;
    }
    for (const RankCosts& row : rows)
    {
        std::vector<PlotPoint> points;
        for (const CollectiveCost& cost : row.costs)
        {
            points.push_back({std::exp2(static_cast<double>(points.size() + 1)), value(cost)});
        }
        const bool ring = row.algorithm->id == "ring";
        plot.line(points, ring ? PlotStroke{p.theme.text, 3} : PlotStroke{p.theme.muted, 1.5F},
                  std::string(row.algorithm->name), ring);
    }
    plot.rule_x(plot.x.clamped(static_cast<double>(ranks)), {p.theme.text, 1, true});
}

void draw_ranks_chart(const Painter& p, Rect area, CollectiveKind kind, std::int64_t ranks, bool in_network)
{
    const std::vector<RankCosts> rows = rank_costs(kind, in_network);
    const float half = (area.h - p.px(20)) / 2;
    // Where two have no room for the names of their lines, there is one.
    if (half >= p.px(80) + p.height(Type::small) * static_cast<float>(rows.size() - 1))
    {
        draw_costs(p, area.cut_bottom(half), rows, ranks,
                   {1, 2.0 * (1 << kDoublings), PlotScale::log, "", format_count}, "Sequential steps",
                   [](const CollectiveCost& c)
                   { return static_cast<double>(std::max<std::int64_t>(1, c.steps)); });
        area.cut_bottom(p.px(20));
    }
    draw_costs(p, area, rows, ranks, {0, kMostSent, PlotScale::linear, "", plain_number},
               "Sent by the busiest rank, in multiples of the message",
               [](const CollectiveCost& c) { return c.sent_per_rank.value; });
}

// The sizes where there is something to send; null, and said: where there is not.
const Sizes* sent_sizes(const MessageRoom& r)
{
    MessageState& state = r.state;
    if (std::exchange(state.choosing, false))
    {
        ImGui::OpenPopup(kTimedPopup);
    }
    state.kind = kind_popup(r.p, kTimedPopup).value_or(state.kind);
    const Sizes& c = state.sizes(r.frame);
    if (c.ranks < 2)
    {
        empty_state(r.p, r.area, "One rank: nothing to send.");
        return nullptr;
    }
    return &c;
}

// What a user's nccl-tests measured, as points; the axis reaches to them.
std::vector<PlotPoint> measured_points(const Frame& frame, bool rate)
{
    std::vector<PlotPoint> points;
    if (frame.run != nullptr && frame.run->run.nccl)
    {
        for (const NcclTestRow& row : frame.run->run.nccl->rows)
        {
            points.push_back(
                {static_cast<double>(row.bytes), rate ? row.bus_bytes_per_second / 1e9 : row.seconds});
        }
        std::erase_if(points, [](const PlotPoint& point) { return point.y <= 0 || point.x < kLeast; });
    }
    return points;
}

PlotAxis values_with(PlotAxis axis, const std::vector<PlotPoint>& points)
{
    for (const PlotPoint& point : points)
    {
        axis.low = std::min(axis.low, decade_below(point.y));
        axis.high = std::max(axis.high, decade_above(point.y));
    }
    return axis;
}

template <bool kRate>
void draw_by_size(const MessageRoom& r)
{
    const Sizes* c = sent_sizes(r);
    if (c == nullptr)
    {
        return;
    }
    const Drawn drawn{*c, r.state.kind, kRate};
    const std::vector<PlotPoint> measured = measured_points(r.frame, kRate);
    Plot plot(r.p, r.area,
              {kLeast, c->bytes.back(), PlotScale::log, "message size",
               [](double v) { return format_bytes(Bytes(v)); }},
              values_with(values_of(drawn), measured),
              {.title = measured.empty() ? "" : "dots: your nccl-tests", .names = 168});
    if (!plot)
    {
        return;
    }
    draw_lines(r.p, plot, drawn);
    for (const PlotPoint& point : measured)
    {
        plot.dot(point, {r.p.theme.text, 4, PlotShape::disc, false, "measured by nccl-tests"});
    }
    plot.rule_x(c->message.value, {r.p.theme.text, 1, true},
                "gradients, " + format_bytes(c->message, r.frame.preferences.unit));
}

void draw_by_ranks(const MessageRoom& r)
{
    if (const Sizes* c = sent_sizes(r))
    {
        draw_ranks_chart(r.p, r.area, r.state.kind, c->ranks, r.state.in_network);
    }
}

const Line& ring_or_first(const Sizes& c)
{
    const auto ring =
        std::find_if(c.lines.begin(), c.lines.end(), [](const Line& l) { return l.algorithm->id == "ring"; });
    return ring == c.lines.end() ? c.lines.front() : *ring;
}

Caption nothing_sent()
{
    return {"With one rank there is nothing to send.", "", ""};
}

Caption ranks_caption(const Frame& frame, MessageState& state)
{
    const Sizes& c = state.sizes(frame);
    const CollectiveKind kind = state.kind;
    const ByteUnit unit = frame.preferences.unit;
    if (c.ranks < 2)
    {
        return nothing_sent();
    }
    Caption caption;
    const CollectiveCost cost = estimate(kind, *ring_or_first(c).algorithm, c.ranks, c.message, c.links);
    caption.sentence =
        fmt::format("{} of {} over {} ranks: each sends **{}**, nearly independent of N, in **{} steps**.",
                    ring_or_first(c).algorithm->name, format_bytes(c.message, unit), grouped(c.ranks),
                    format_bytes(cost.sent_per_rank, unit), grouped(cost.steps));
    if (kind == CollectiveKind::all_reduce)
    {
        caption.formula = "Ring all-reduce: 2 (N \u2212 1) chunks of S / N, one per step: 2 (N \u2212 1) / N "
                          "\u00d7 S < 2 S";
    }
    caption.source = ring_or_first(c).algorithm->source;
    return caption;
}

Caption sizes_caption(const Frame& frame, MessageState& state)
{
    const Sizes& c = state.sizes(frame);
    Caption caption;
    if (c.ranks < 2)
    {
        return nothing_sent();
    }
    std::string turns;
    for (std::size_t i = 0; i + 1 < kSamples; ++i)
    {
        if (c.fastest[i] != c.fastest[i + 1])
        {
            turns += fmt::format("{} up to {}, then ", c.lines[c.fastest[i]].algorithm->name,
                                 format_bytes(Bytes(c.bytes[i + 1]), frame.preferences.unit));
        }
    }
    caption.sentence = fmt::format("For {} over {} ranks the fastest is **{}{}**.", name_of(state.kind),
                                   grouped(c.ranks), turns, c.lines[c.fastest.back()].algorithm->name);
    const Line& last = c.lines[c.fastest.back()];
    const CollectiveCost cost = estimate(state.kind, *last.algorithm, c.ranks, c.message, c.links);
    caption.formula =
        fmt::format("T = steps \u00d7 \u03b1 + bytes / B = {} + {} = {} for {}", format_seconds(cost.latency),
                    format_seconds(cost.transfer), format_seconds(cost.total()),
                    format_bytes(c.message, frame.preferences.unit));
    caption.source = last.algorithm->source;
    return caption;
}

void panel_message(PanelColumn& column, const MessageRoom& r)
{
    MessageState& state = r.state;
    const Sizes& c = state.sizes(r.frame);
    const CollectiveKind kind = state.kind;
    state.choosing = column.dropdown("###kind to time", name_of(kind)) || state.choosing;
    bool in_network = state.in_network;
    column.toggle("NVLS / SHARP###adding", in_network);
    column.heading(fmt::format("At {}", format_bytes(c.message, r.frame.preferences.unit)));
    for (const Line& line : c.lines)
    {
        const CollectiveCost cost = estimate(kind, *line.algorithm, c.ranks, c.message, c.links);
        column.fact(line.algorithm->name, format_seconds(cost.total()));
    }
    state.in_network = in_network; // from the next frame on, with the sizes
}

constexpr Page<MessageState> kTimePage{"Time",  draw_by_size<false>, panel_message, sizes_caption,
                                       nullptr, "Message size"};
constexpr Page<MessageState> kBandwidthPage{"busbw", draw_by_size<true>, panel_message, sizes_caption,
                                            nullptr, "Bus bandwidth"};
constexpr Page<MessageState> kMoreRanksPage{"Scaling",     draw_by_ranks, panel_message,
                                            ranks_caption, nullptr,       "More ranks"};
constexpr Page<MessageState> kMeasuredPage{
    "NCCL",
    [](const MessageRoom& r) { draw_measured_bus(r.p, r.area, r.state.measured, r.out); },
    [](PanelColumn& column, const MessageRoom& r) { panel_measured_bus(column, r.state.measured); },
    [](const Frame&, MessageState& state) { return measured_bus_caption(state.measured); },
    nullptr,
    "Measured all-reduce"};
constexpr Page<MessageState> kFabricPage{
    "Fabric",
    [](const MessageRoom& r) { draw_fabric(r.p, r.area, r.state.fabric, r.out); },
    [](PanelColumn& column, const MessageRoom& r) { panel_fabric(column, r.state.fabric); },
    [](const Frame&, MessageState& state) { return fabric_caption(state.fabric); },
    nullptr,
    "Fabric"};

class MessageView final : public PagedView<MessageState>
{
public:
    MessageView()
        : PagedView(kPages, {&kTimePage, &kBandwidthPage, &kMoreRanksPage, &kMeasuredPage, &kFabricPage})
    {
    }

    ViewKeys keys() override
    {
        return {{"C", "Choose the collective", [this] { state_.choosing = true; }},
                turn_key("Time, bus bandwidth, scaling with ranks, measured, fabric"),
                {"H", "In-network reduction (NVLS, SHARP) on and off", flips(state_.in_network)}};
    }
};

} // namespace

extern const ViewInfo message_view{
    30,
    "message",
    ViewGroup::network,
    "Message",
    "Message size",
    "Time and bus bandwidth of every algorithm against message size, and where they cross; measured "
    "all-reduces, in-network reduction (NVLS, SHARP); rails and planes",
    {"collective.ranks", "collective.message_gb", "cluster.node_link_gb_per_s", "cluster.network_gb_per_s",
     "collective.latency_us"},
    make_view<MessageView>,
    kPages,
    ViewRole::message};

} // namespace ringside
