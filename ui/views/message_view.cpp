// Which algorithm wins at which message size: time against bytes on two logarithmic axes, the fastest at
// every size marked, and where latency ends and bandwidth begins.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/collective/cost.h"
#include "ui/shell/view.h"
#include "ui/views/message/line_ends.h"
#include "ui/views/message/ranks_chart.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr double kLeast = 1e3; // [B]
constexpr double kMost = 1e11; // [B], or the decade above the message
constexpr std::size_t kSamples = 161;
// What the picture is of: the first two against the message, the last against the ranks.
enum class Shows : std::uint8_t
{
    time,
    bandwidth,
    ranks
};
constexpr std::size_t kShown = 3;

constexpr const char* kKindPopup = "choose a collective to time";

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
    double most = kMost;              // [B] at the right

    double size_at(std::size_t sample) const
    {
        return kLeast *
               std::pow(most / kLeast, static_cast<double>(sample) / static_cast<double>(kSamples - 1));
    }
};

constexpr std::array<std::string_view, 3> kPages{"message/time", "message/bandwidth", "message/ranks"};

class MessageView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override { turn_to(shows_, kPages, page); }

private:
    const Sizes& sizes(const Frame& frame) const;
    // What is drawn of a line at a sample: its time, or the bus bandwidth that makes.
    double value(const Sizes& c, const Line& line, std::size_t sample) const;
    Chart axes(const Sizes& c, const Painter& painter, Rect area) const;
    AxisWords words() const;
    void draw_lines(const Painter& painter, const Chart& a, const Sizes& c) const;
    void draw_regimes(const Painter& painter, const Chart& a, const Sizes& c) const;
    bool clear(const Painter& painter, const Chart& a, const Sizes& c, Rect r) const;
    void draw_message(const Frame& frame, const Painter& painter, const Chart& a, const Sizes& c) const;

    CollectiveKind kind_ = CollectiveKind::all_reduce;
    Shows shows_ = Shows::time;
    bool adding_ = false; // the switches can add up; most networks' cannot
    bool choosing_ = false;
    mutable Scenario of_;
    mutable std::pair<CollectiveKind, bool> of_choice_{CollectiveKind::send_recv, false};
    mutable Sizes sizes_;
};

const Sizes& MessageView::sizes(const Frame& frame) const
{
    const Scenario& s = frame.now.scenario;
    if (of_choice_ == std::pair{kind_, adding_} && of_ == s)
    {
        return sizes_;
    }
    of_ = s;
    of_choice_ = {kind_, adding_};
    const CollectiveReport& c = frame.now.report.collective;
    sizes_ = {};
    sizes_.ranks = c.ranks;
    sizes_.message = c.message;
    sizes_.most = std::max(kMost, std::pow(10, std::ceil(std::log10(std::max(1.0, c.message.value)))));
    sizes_.links = {{c.link.latency, BytesPerSecond(node_link(s.cluster) * 1e9)},
                    {c.link.latency, BytesPerSecond(s.cluster.network_gb_per_s * 1e9)},
                    std::max<std::int64_t>(1, s.cluster.gpus_per_node / s.parallel.tensor)};
    for (const CollectiveAlgorithm* algorithm : collective_algorithms())
    {
        const bool levels = algorithm->id == "hierarchical" && c.ranks <= sizes_.links.per_node;
        if (!algorithm->can(kind_) || levels || (algorithm->id == "in-switch" && !adding_))
        {
            continue;
        }
        Line line{algorithm, {}, {}};
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            const CollectiveCost cost =
                estimate(kind_, *algorithm, c.ranks, Bytes(sizes_.size_at(i)), sizes_.links);
            line.time.push_back(cost.total().value);
            line.waits.push_back(cost.latency > cost.transfer);
        }
        sizes_.lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < kSamples; ++i)
    {
        std::size_t best = 0;
        for (std::size_t k = 1; k < sizes_.lines.size(); ++k)
        {
            best = sizes_.lines[k].time[i] < sizes_.lines[best].time[i] * (1 - 1e-9) ? k : best;
        }
        sizes_.fastest.push_back(best);
    }
    return sizes_;
}

double MessageView::value(const Sizes& c, const Line& line, std::size_t sample) const
{
    if (shows_ != Shows::bandwidth)
    {
        return line.time[sample];
    }
    return bus_bandwidth(kind_, c.ranks, Bytes(c.size_at(sample)), Seconds(line.time[sample])).value / 1e9;
}

Chart MessageView::axes(const Sizes& c, const Painter& painter, Rect area) const
{
    double low = 1e300;
    double high = 0;
    for (const Line& line : c.lines)
    {
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            const double v = value(c, line, i);
            low = v > 0 ? std::min(low, v) : low;
            high = std::max(high, v);
        }
    }
    low = std::pow(10, std::floor(std::log10(std::max(low, 1e-12))));
    high = std::pow(10, std::ceil(std::log10(std::max(high, low * 10))));
    area.cut_right(painter.px(kLineEndsRoom - 12)); // beside what a chart leaves
    const ChartAxis y{low, high, true};
    return chart_in(painter, area, chart_left(painter, y, words()), {kLeast, c.most, true}, y);
}

AxisWords MessageView::words() const
{
    return shows_ == Shows::bandwidth ? plain_number : [](double v) { return format_seconds(Seconds(v)); };
}

// Where the fastest waits more than it sends.
void MessageView::draw_regimes(const Painter& painter, const Chart& a, const Sizes& c) const
{
    std::size_t end = 0;
    while (end < kSamples && c.lines[c.fastest[end]].waits[end])
    {
        ++end;
    }
    if (end == 0 || end == kSamples)
    {
        return;
    }
    const float x = a.at_x(c.size_at(end));
    painter.hatch({a.area.x, a.area.y, x - a.area.x, a.area.h}, with_alpha(painter.theme.muted, 0.18F),
                  kIdleHatch);
    // Whole words, fewer of them where there is little room.
    const auto say = [&](float from, float to, std::string_view brief, std::string_view all)
    {
        for (const std::string_view words : {all, brief})
        {
            if (painter.width(Type::small, words) <= to - from - painter.px(16))
            {
                painter.text(from + painter.px(8), a.area.y + painter.px(12), Type::small,
                             painter.theme.muted, words);
                return;
            }
        }
    };
    say(a.area.x, x, "latency", "latency rules");
    say(x, a.area.right(), "bandwidth", "bandwidth rules");
}

void MessageView::draw_lines(const Painter& painter, const Chart& a, const Sizes& c) const
{
    const Theme& t = painter.theme;
    std::vector<LineEnd> ends;
    for (std::size_t k = 0; k < c.lines.size(); ++k)
    {
        std::vector<ImVec2> points;
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            points.emplace_back(a.at_x(c.size_at(i)), a.at_y(value(c, c.lines[k], i)));
        }
        painter.list.AddPolyline(points.data(), static_cast<int>(points.size()), t.line, 0, painter.px(1.5F));
        const bool wins = std::find(c.fastest.begin(), c.fastest.end(), k) != c.fastest.end();
        ends.push_back({points.back().y, c.lines[k].algorithm->name, wins});
    }
    for (std::size_t i = 0; i + 1 < kSamples; ++i)
    {
        const Line& best = c.lines[c.fastest[i]];
        painter.line(a.at_x(c.size_at(i)), a.at_y(value(c, best, i)), a.at_x(c.size_at(i + 1)),
                     a.at_y(value(c, best, i + 1)), t.text, painter.px(3));
        if (c.fastest[i] != c.fastest[i + 1])
        {
            painter.list.AddCircleFilled({a.at_x(c.size_at(i + 1)), a.at_y(value(c, best, i + 1))},
                                         painter.px(5), t.text);
        }
    }
    draw_line_ends(painter, a.area, std::move(ends));
}

// No line passes there, and no dot.
bool MessageView::clear(const Painter& painter, const Chart& a, const Sizes& c, Rect r) const
{
    const Rect near = r.inset(-painter.px(3));
    for (const Line& line : c.lines)
    {
        for (std::size_t i = 0; i < kSamples; ++i)
        {
            if (near.contains({a.at_x(c.size_at(i)), a.at_y(value(c, line, i))}))
            {
                return false;
            }
        }
    }
    return a.area.contains(r.min()) && a.area.contains({r.right() - 1, r.bottom() - 1});
}

void MessageView::draw_message(const Frame& frame, const Painter& painter, const Chart& a,
                               const Sizes& c) const
{
    const double bytes = std::clamp(c.message.value, kLeast, c.most);
    const float x = a.at_x(bytes);
    painter.dashed(x, a.area.y, x, a.area.bottom(), painter.theme.text, 1);
    const std::string size = format_bytes(c.message, frame.preferences.unit);
    const float high = painter.height(Type::small_strong);
    const float lowest = a.area.bottom() - painter.px(14) - high / 2;
    // As low as it is clear of the lines, at either side; the size alone where all the words never are.
    for (const std::string& words : {"the gradients, " + size, size})
    {
        const float w = painter.width(Type::small_strong, words);
        for (float y = lowest; y > a.area.y + painter.px(20); y -= high)
        {
            const float right = x + painter.px(8);
            const float left = x - painter.px(8) - w;
            const bool at_right = clear(painter, a, c, {right, y, w, high});
            if (at_right || clear(painter, a, c, {left, y, w, high}))
            {
                painter.text(at_right ? right : left, y + high / 2, Type::small_strong, painter.theme.text,
                             words);
                return;
            }
        }
    }
}

void MessageView::draw(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    std::vector<Choosable> kinds;
    for (std::size_t k = 0; k < kCollectiveKinds; ++k)
    {
        const std::string_view name = name_of(static_cast<CollectiveKind>(k));
        kinds.push_back({name, name, ""});
    }
    if (std::exchange(choosing_, false))
    {
        ImGui::OpenPopup(kKindPopup);
    }
    if (const auto chosen = choice_popup(painter, kKindPopup, kinds))
    {
        kind_ = static_cast<CollectiveKind>(*chosen);
    }
    const Sizes& c = sizes(frame);
    if (c.ranks < 2)
    {
        painter.text(area.centre(), area.middle(), Type::title, painter.theme.text,
                     "One rank: nothing to send.", Align::centre);
        return;
    }
    if (shows_ == Shows::ranks)
    {
        draw_ranks_chart(painter, area, kind_, c.ranks, adding_);
        return;
    }
    const Chart a = axes(c, painter, area);
    draw_regimes(painter, a, c);
    draw_chart_x(painter, a, "message", [](double v) { return format_bytes(Bytes(v)); });
    draw_chart_y(painter, a, shows_ == Shows::bandwidth ? "bus bandwidth, GB/s" : "time", words());
    draw_lines(painter, a, c);
    draw_message(frame, painter, a, c);
}

const Line& ring_or_first(const Sizes& c)
{
    const auto ring =
        std::find_if(c.lines.begin(), c.lines.end(), [](const Line& l) { return l.algorithm->id == "ring"; });
    return ring == c.lines.end() ? c.lines.front() : *ring;
}

Caption MessageView::caption(const Frame& frame) const
{
    const Sizes& c = sizes(frame);
    Caption caption;
    if (c.ranks < 2)
    {
        caption.sentence = "With one rank there is nothing to send.";
        return caption;
    }
    if (shows_ == Shows::ranks)
    {
        const CollectiveCost cost = estimate(kind_, *ring_or_first(c).algorithm, c.ranks, c.message, c.links);
        caption.sentence = fmt::format(
            "{} of {} over {} ranks: each sends **{}**, hardly more with more ranks, in **{} steps**, which "
            "grow with them.",
            ring_or_first(c).algorithm->name, format_bytes(c.message, frame.preferences.unit),
            grouped(c.ranks), format_bytes(cost.sent_per_rank, frame.preferences.unit), grouped(cost.steps));
        caption.formula = "Ring all-reduce: 2 (N \u2212 1) chunks of S / N make 2 (N \u2212 1) / N \u00d7 S "
                          "< 2 S, one a step";
        caption.source = ring_or_first(c).algorithm->source;
        return caption;
    }
    std::string turns;
    for (std::size_t i = 0; i + 1 < kSamples; ++i)
    {
        if (c.fastest[i] != c.fastest[i + 1])
        {
            turns += fmt::format("{} up to {}, then ", c.lines[c.fastest[i]].algorithm->name,
                                 format_bytes(Bytes(c.size_at(i + 1)), frame.preferences.unit));
        }
    }
    caption.sentence = fmt::format("For {} over {} ranks the fastest is **{}{}**.", name_of(kind_),
                                   grouped(c.ranks), turns, c.lines[c.fastest.back()].algorithm->name);
    const Line& last = c.lines[c.fastest.back()];
    const CollectiveCost cost = estimate(kind_, *last.algorithm, c.ranks, c.message, c.links);
    caption.formula =
        fmt::format("T = steps \u00d7 \u03b1 + bytes / B = {} + {} = {} for {}", format_seconds(cost.latency),
                    format_seconds(cost.transfer), format_seconds(cost.total()),
                    format_bytes(c.message, frame.preferences.unit));
    caption.source = last.algorithm->source;
    return caption;
}

bool MessageView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    const Sizes& c = sizes(frame);
    if (dropdown(painter, area.cut_top(painter.px(34)), "###kind to time", name_of(kind_)))
    {
        choosing_ = true;
    }
    area.cut_top(painter.px(8));
    constexpr std::array<std::string_view, kShown> kNames{"Time", "Bus rate", "By ranks"};
    if (const auto chosen =
            segments(painter, area.cut_top(painter.px(32)), kNames, static_cast<std::size_t>(shows_)))
    {
        shows_ = static_cast<Shows>(*chosen);
    }
    area.cut_top(painter.px(4));
    if (toggle(painter, area.cut_top(painter.px(34)), "Switches can add up###adding", adding_))
    {
        adding_ = !adding_;
    }
    Rect row = area.cut_top(painter.px(28));
    painter.text_within(row.x, row.middle(), row.w, Type::body_strong, painter.theme.text,
                        fmt::format("At {}", format_bytes(c.message, frame.preferences.unit)));
    for (const Line& line : c.lines)
    {
        row = area.cut_top(painter.px(26));
        painter.line(row.x, row.bottom(), row.right(), row.bottom(), painter.theme.grid);
        const CollectiveCost cost = estimate(kind_, *line.algorithm, c.ranks, c.message, c.links);
        painter.text_within(row.x, row.middle(), row.w - painter.px(72), Type::small, painter.theme.muted,
                            line.algorithm->name);
        painter.text(row.right(), row.middle(), Type::mono_small, painter.theme.text,
                     format_seconds(cost.total()), Align::right);
    }
    return true;
}

void MessageView::keys(const Frame&, Out& out)
{
    if (ImGui::IsKeyPressed(ImGuiKey_C, false))
    {
        choosing_ = true;
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_H, false))
    {
        adding_ = !adding_;
        out.animating = true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Y, false))
    {
        shows_ = static_cast<Shows>((static_cast<std::size_t>(shows_) + 1) % kShown);
        out.animating = true;
    }
}

constexpr std::array<std::string_view, 5> kControls{"collective.ranks", "collective.message_gb",
                                                    "cluster.node_link_gb_per_s", "cluster.network_gb_per_s",
                                                    "collective.latency_us"};
constexpr std::array kKeys{KeyHelp{"C", "Choose the collective"},
                           KeyHelp{"Y", "Time, bus bandwidth, or what grows with the ranks"},
                           KeyHelp{"H", "Switches that can add up, or not"}};

} // namespace

extern const ViewInfo message_view;
const ViewInfo message_view{
    32,
    "message",
    "Network",
    "Sizes",
    "Which algorithm wins at which size?",
    "Time and bus bandwidth of every algorithm against the message, and where they cross",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<MessageView>()); },
    kPages};

} // namespace ringside
