#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/lab/words.h"
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

struct CardText
{
    std::string number;
    std::string unit;
    std::string first;
    std::string second;
};

// Speed over the last steps; what it measures is proportional to one over the seconds.
void draw_sparkline(const Painter& p, Rect r, std::span<const float> seconds)
{
    constexpr std::size_t kSteps = 120;
    seconds = seconds.last(std::min(kSteps, seconds.size()));
    if (seconds.size() < 2 || r.h < p.px(6))
    {
        return;
    }
    const auto speeds = list_of<float>(seconds, [](float s) { return s > 0 ? 1 / s : 0; });
    const float most = std::ranges::max(speeds);
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < speeds.size(); ++i)
    {
        const float share = static_cast<float>(i) / static_cast<float>(speeds.size() - 1);
        points.emplace_back(r.x + r.w * share, r.bottom() - r.h * speeds[i] / std::max(most, 1e-9F));
    }
    p.list.AddPolyline(points.data(), static_cast<int>(points.size()), p.theme.muted, 0, p.px(1.5F));
}

void draw_card(const Painter& p, Rect card, const CardText& words, std::span<const float> seconds)
{
    const Theme& t = p.theme;
    p.fill(card, t.panel, p.px(8));
    p.outline(card, t.grid, 1, p.px(8));
    Rect in = card.inset(p.px(12));
    const float line = p.px(22);
    const bool large = in.h > p.px(44) + line && in.w > p.width(Type::display, words.number);
    const Type type = large ? Type::display : Type::body_strong;
    const Rect head = in.cut_top(std::min(in.h, p.px(large ? 40 : 24)));
    const float w = p.text(head.x, head.middle(), type, t.text, p.shortened(type, words.number, head.w));
    if (head.w > w + p.px(12) + p.width(Type::body, words.unit))
    {
        p.text(head.x + w + p.px(12), head.middle() + p.px(large ? 4 : 0), Type::body, t.muted, words.unit);
    }
    for (const std::string& text : {words.first, words.second})
    {
        if (!text.empty() && in.h >= line)
        {
            const Rect row = in.cut_top(line);
            p.text_within(row.x, row.middle(), row.w, Type::small, t.muted, text);
        }
    }
    in.cut_top(p.px(4));
    if (in.h > p.px(10))
    {
        draw_sparkline(p, in.cut_bottom(std::min(in.h, p.px(24))), seconds);
    }
}

// From what the device sustained while it was measured to the best it did.
std::string range_words(double low, double high)
{
    const std::string from = format_rate(low);
    const std::string to = format_rate(high);
    return from == to ? to : fmt::format("{} to {}", from, to);
}

// Below the range on a CPU: the window draws on the same cores. Short: a card has no room for more.
std::string off_words(double measured, double low, double high, bool cpu)
{
    if (measured >= low && measured <= high)
    {
        return "within the predicted range";
    }
    const double off = 100 * (measured / (measured < low ? low : high) - 1);
    return off < 0 && cpu ? fmt::format("{:.0f}% below: drawing shares the cores", -off)
                          : fmt::format("{:.0f}% {} the range", std::abs(off), off < 0 ? "below" : "above");
}

// All from the same smoothed steps.
CardText speed_of(const LabFrame& lab)
{
    const TrainingSnapshot& s = *lab.a.snapshot;
    const LabPrediction& p = lab.a.predicted;
    const double high = p.tokens_per_second;
    const double low = high * (lab.rate ? lab.rate->sustained : 1);
    CardText card{s.tokens_per_second > 0 ? format_rate(s.tokens_per_second) : "\u2013", "tokens/s",
                  lab.measuring ? "predicted when the device has been measured" : "", ""};
    if (lab.b && lab.b->snapshot && lab.b->snapshot->tokens_per_second > 0)
    {
        card.second = fmt::format("{}: {}", lab.b->name, format_rate(lab.b->snapshot->tokens_per_second));
    }
    if (high > 0 && s.tokens_per_second > 0)
    {
        card.first = fmt::format("predicted {}", range_words(low, high));
        card.second =
            card.second.empty() ? off_words(s.tokens_per_second, low, high, !s.on_gpu) : card.second;
    }
    return card;
}

CardText utilization_of(const LabFrame& lab)
{
    const TrainingSnapshot& s = *lab.a.snapshot;
    if (!lab.rate || s.flops_per_second <= 0)
    {
        return {"\u2013", "MFU", lab.rate ? "" : "the peak has not been measured", ""};
    }
    const LabRate& r = *lab.rate;
    return {format_percent(s.flops_per_second / r.product_flops), "MFU",
            fmt::format("{} of {}", format_flops(s.flops_per_second), format_flops(r.product_flops)),
            r.nominal_flops > 0 ? fmt::format("{} of the data sheet\u2019s {}",
                                              format_percent(s.flops_per_second / r.nominal_flops),
                                              format_flops(r.nominal_flops))
                                : fmt::format("copies at {}/s", format_bytes(Bytes(r.copy_bytes)))};
}

} // namespace

void draw_cards(const Painter& p, Rect area, const LabFrame& lab)
{
    if (area.w < p.px(100) || area.h < p.px(40))
    {
        return;
    }
    p.part("speed", area);
    const float gap = p.px(8);
    const bool both = area.h >= p.px(136);
    const Rect first = area.cut_top(both ? (area.h - gap) / 2 : area.h);
    area.cut_top(gap);
    draw_card(p, first, speed_of(lab), lab.a.snapshot->seconds);
    if (both)
    {
        draw_card(p, area, utilization_of(lab), lab.a.snapshot->seconds);
    }
}

namespace
{

std::string bytes(const Painter& p, std::int64_t amount)
{
    return format_bytes(Bytes(amount), p.look.unit);
}

BarRow row_of(const Painter& p, std::string name, const MemoryUse& use, bool predicted)
{
    BarRow row{std::move(name), {{{}, {}, bytes(p, use.total())}}};
    row.chosen = !predicted;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        Ink ink = p.theme.component[i];
        ink.edge = predicted ? ink.fill : ink.edge;
        ink.fill = predicted ? dim(p.theme, ink.fill, 0.6F) : ink.fill;
        row.cells[0].parts.push_back({static_cast<double>(use.parts[i]), {ink}});
    }
    return row;
}

// On one scale.
void draw_rows(const Painter& p, Rect area, std::vector<BarRow> rows)
{
    const double most = largest_over(
        rows, [](const BarRow& row) { return sum_over(row.cells[0].parts, &BarPart::value); }, 1);
    draw_bar_rows(p, area, {{{"", "", most}}, std::move(rows)});
}

// Components that share a line of the table.
struct Line
{
    std::string_view name;
    std::array<int, 3> parts; // Component, -1: none
};
constexpr int of(Component c)
{
    return static_cast<int>(c);
}
constexpr std::array kLines{
    Line{"weights", {of(Component::weights), -1, -1}}, Line{"gradients", {of(Component::gradients), -1, -1}},
    Line{"master, momentum, variance",
         {of(Component::master_weights), of(Component::momentum), of(Component::variance)}},
    Line{"buffers", {of(Component::buffers), -1, -1}},
    Line{"activations", {of(Component::activations), -1, -1}}};

std::int64_t sum(const MemoryUse& use, const Line& line)
{
    return sum_over<std::int64_t>(line.parts, [&](int part)
                                  { return part < 0 ? 0 : use.parts.at(static_cast<std::size_t>(part)); });
}

void draw_swatches(const Painter& p, Rect cell, const Line& line)
{
    for (const int part : line.parts)
    {
        if (part >= 0)
        {
            p.fill({cell.x, cell.middle() - p.px(6), p.px(12), p.px(12)},
                   p.theme.component.at(static_cast<std::size_t>(part)).fill);
            cell.x += p.px(16);
        }
    }
}

void draw_table(const Painter& p, Rect area, const LabRun& run)
{
    const auto predicted = [&run](const Line& line) { return sum(run.predicted.memory, line); };
    const auto measured = [&run](const Line& line) { return sum(run.snapshot->peak, line); };
    const Table<Line> table(
        {Column<Line>("", [](const Line& line) { return line.name; })
             .with(56, [](const Painter& at, Rect r, const Line& line, bool) { draw_swatches(at, r, line); }),
         {"predicted", [&](const Line& line) { return Cell(bytes(p, predicted(line)), p.theme.muted); }, 1},
         {"measured", [&](const Line& line) { return bytes(p, measured(line)); }, 2},
         {"off by", [&](const Line& line) { return off_by(predicted(line), measured(line)); }}});
    table.draw(p, area, kLines);
}

} // namespace

void draw_peak(const Painter& p, Rect area, const LabFrame& lab)
{
    p.part("memory", area);
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, "Memory at the peak");
    const LabRun& run = lab.a;
    const bool second = lab.b && lab.b->snapshot && lab.b->snapshot->step > 0 &&
                        lab.b->snapshot->peak.total() != run.snapshot->peak.total();
    std::vector<BarRow> rows{row_of(p, "predicted", run.predicted.memory, true),
                             row_of(p, second ? run.name : "measured", run.snapshot->peak, false)};
    if (second)
    {
        rows.push_back(row_of(p, lab.b->name, lab.b->snapshot->peak, false));
    }
    const float each = p.px(second ? 28 : 36);
    if (area.h < each * 2)
    {
        return;
    }
    const Rect bars = area.cut_top(std::min(area.h, each * static_cast<float>(rows.size())));
    draw_rows(p, bars, std::move(rows));
    area.cut_top(p.px(6));
    draw_table(p, area, run);
}

void draw_predicted_bar(const Painter& p, Rect area, const LabRun& run)
{
    draw_rows(p, area, {row_of(p, "predicted", run.predicted.memory, true)});
}

} // namespace ringside
