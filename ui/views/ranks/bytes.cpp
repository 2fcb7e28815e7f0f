#include "ui/views/ranks/bytes.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/lab/plot.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kMean = 10; // steps
constexpr std::array kInks{Component::weights,  Component::gradients,      Component::activations,
                           Component::variance, Component::master_weights, Component::momentum};

// One run on show; the one that goes on is the last.
struct Line
{
    std::string name;
    std::vector<ChartPoint> points;
    Colour colour = 0;
    bool now = false;
    std::int64_t steps = 0;
    double in_step = 0;
    double dense = 0;
};

std::vector<ChartPoint> points_of(const std::vector<float>& losses, const std::vector<double>& sent)
{
    std::vector<ChartPoint> points;
    for (std::size_t i = 0; i < losses.size() && i < sent.size(); ++i)
    {
        const std::size_t first = i < kMean ? 0 : i - kMean + 1;
        double sum = 0;
        for (std::size_t k = first; k <= i; ++k)
        {
            sum += static_cast<double>(losses[k]);
        }
        const double mean = sum / static_cast<double>(i - first + 1);
        if (std::isfinite(mean) && sent[i] > 0)
        {
            points.push_back({sent[i], mean});
        }
    }
    return points;
}

// Without their colours.
std::vector<Line> lines_of(const TeamFrame& team)
{
    std::vector<Line> lines;
    for (const TeamCurve& c : team.earlier)
    {
        lines.push_back({c.name, points_of(c.losses, c.sent_until), 0, false,
                         static_cast<std::int64_t>(c.losses.size()) * c.stride, c.sent_in_step, c.dense});
    }
    if (team.started())
    {
        const TeamSnapshot& s = *team.snapshot;
        const double in_step = s.trace ? static_cast<double>(most_sent(*s.trace)) : 0;
        lines.push_back({run_name(s.config), points_of(s.losses, s.sent_until), 0, true, s.step, in_step,
                         team.predicted.dense});
    }
    std::erase_if(lines, [](const Line& line) { return line.points.empty(); });
    return lines;
}

std::vector<Line> coloured(const Theme& t, std::vector<Line> lines)
{
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        const Ink& ink = t.of(kInks.at(i % kInks.size()));
        lines[i].colour = lines[i].now ? t.text : ink.edge != 0 ? ink.edge : ink.fill;
    }
    return lines;
}

float radius_of(const Painter& p)
{
    return p.height(Type::small) * 0.62F;
}

// A number tells the lines apart where colours do not.
void draw_number(const Painter& p, ImVec2 at, const Line& line, std::size_t number)
{
    const float radius = radius_of(p);
    p.list.AddCircleFilled(at, radius, p.theme.window);
    p.list.AddCircle(at, radius, line.colour, 0, p.px(2));
    p.text(at.x, at.y, Type::small, p.theme.text, fmt::format("{}", number + 1), Align::centre);
}

std::string bytes_words(double value)
{
    return format_bytes(Bytes(value));
}

using Strokes = std::vector<std::vector<ImVec2>>;

// Of all lines in pixels, without the points that add nothing.
Strokes strokes_of(const Painter& p, const Chart& c, const std::vector<Line>& lines)
{
    Strokes strokes;
    for (const Line& line : lines)
    {
        std::vector<ImVec2>& stroke = strokes.emplace_back();
        for (const ChartPoint& point : line.points)
        {
            const ImVec2 at = c.at(point.x, point.y);
            if (stroke.empty() || std::hypot(at.x - stroke.back().x, at.y - stroke.back().y) >= p.px(4))
            {
                stroke.push_back(at);
            }
        }
        stroke.push_back(c.at(line.points.back().x, line.points.back().y));
    }
    return strokes;
}

float distance(ImVec2 at, ImVec2 from, ImVec2 to)
{
    const float x = to.x - from.x;
    const float y = to.y - from.y;
    const float length = x * x + y * y;
    const float share =
        length > 0 ? std::clamp(((at.x - from.x) * x + (at.y - from.y) * y) / length, 0.0F, 1.0F) : 0.0F;
    return std::hypot(at.x - from.x - share * x, at.y - from.y - share * y);
}

bool is_free(ImVec2 at, float radius, const Strokes& strokes, const std::vector<ImVec2>& taken)
{
    const auto close = [&](const ImVec2& other)
    { return std::hypot(other.x - at.x, other.y - at.y) < 2.3F * radius; };
    const auto under = [&](const std::vector<ImVec2>& stroke)
    {
        for (std::size_t i = 1; i < stroke.size(); ++i)
        {
            if (distance(at, stroke[i - 1], stroke[i]) < radius * 1.25F)
            {
                return true;
            }
        }
        return false;
    };
    return std::ranges::none_of(taken, close) && std::ranges::none_of(strokes, under);
}

// The nearest place round a line's end that is on no line and no other number, to the right first.
ImVec2 free_place(const Chart& c, ImVec2 end, float radius, const Strokes& strokes,
                  const std::vector<ImVec2>& taken)
{
    constexpr std::array<float, 8> kTurns{0, -0.125F, 0.125F, -0.25F, 0.25F, -0.375F, 0.375F, 0.5F};
    for (const float far : {1.6F, 2.4F, 3.4F, 4.6F, 6.0F})
    {
        for (const float turn : kTurns)
        {
            const float angle = turn * 6.2831853F;
            const ImVec2 at{end.x + far * radius * std::cos(angle), end.y + far * radius * std::sin(angle)};
            const Rect inside = c.area.inset(radius * 0.8F);
            if (inside.contains(at) && is_free(at, radius, strokes, taken))
            {
                return at;
            }
        }
    }
    // No place is free of lines: at least of numbers.
    ImVec2 at{end.x + 1.2F * radius, end.y};
    while (!is_free(at, radius, {}, taken))
    {
        at.x += radius / 2;
    }
    return at;
}

// Beside the lines' ends, with a thin line to the end.
void draw_numbers(const Painter& p, const Chart& c, const std::vector<Line>& lines)
{
    const float radius = radius_of(p);
    const Strokes strokes = strokes_of(p, c, lines);
    std::vector<ImVec2> taken;
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        const ImVec2 end = strokes[i].back();
        const ImVec2 at = free_place(c, end, radius, strokes, taken);
        taken.push_back(at);
        p.line(end.x, end.y, at.x, at.y, lines[i].colour, 1);
        p.list.AddCircleFilled(end, p.px(3), lines[i].colour);
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        draw_number(p, taken[i], lines[i], i);
    }
}

void draw_lines(const Painter& p, Rect area, const std::vector<Line>& lines)
{
    ChartAxis x{1e300, 0, true};
    ChartAxis y{1e300, -1e300, false};
    for (const Line& line : lines)
    {
        x.low = std::min(x.low, line.points.front().x);
        x.high = std::max(x.high, line.points.back().x);
        for (const ChartPoint& point : line.points)
        {
            y.low = std::min(y.low, point.y);
            y.high = std::max(y.high, point.y);
        }
    }
    x.low /= 1.25;
    x.high *= 3; // room for numbers beside the ends
    const double spare = std::max(0.05, 0.06 * (y.high - y.low));
    y.low -= spare;
    y.high += spare;
    const Chart c = chart_in(p, area, chart_left(p, y, plain_number), x, y);
    if (!c.drawable(p))
    {
        return;
    }
    draw_chart_y(p, c, "nats a token, mean of 10 steps", plain_number);
    draw_chart_x(p, c, "sent by a rank", bytes_words);
    for (const Line& line : lines)
    {
        draw_chart_line(p, c, line.points, line.colour, line.now ? 3.0F : 2.0F);
    }
    draw_numbers(p, c, lines);
}

struct Column
{
    std::string_view title;
    float right; // share of the width
};
constexpr std::array kColumns{Column{"sent in a step", 0.64F}, Column{"smaller", 0.76F},
                              Column{"steps", 0.86F}, Column{"loss", 0.97F}};

void draw_table(const Painter& p, Rect area, const std::vector<Line>& lines)
{
    const Theme& t = p.theme;
    const float row = std::max(p.px(26), p.height(Type::body) * 1.3F);
    const Rect head = area.cut_top(row);
    for (const Column& c : kColumns)
    {
        p.text(head.x + head.w * c.right, head.middle(), Type::small, t.muted, c.title, Align::right);
    }
    for (std::size_t i = 0; i < lines.size() && area.h > row * 0.9F; ++i)
    {
        const Line& line = lines[i];
        const Rect r = area.cut_top(row);
        draw_number(p, {r.x + p.px(12), r.middle()}, line, i);
        p.text_within(r.x + p.px(34), r.middle(), r.w * 0.48F - p.px(34),
                      line.now ? Type::body_strong : Type::body, t.text, line.name);
        const std::array<std::string, 4> words{
            bytes_words(line.in_step),
            line.in_step > 0 ? fmt::format("{:.3g}\u00d7", line.dense / line.in_step) : std::string("\u2013"),
            grouped(line.steps), fmt::format("{:.3f}", line.points.back().y)};
        for (std::size_t c = 0; c < kColumns.size(); ++c)
        {
            p.text(r.x + r.w * kColumns.at(c).right, r.middle(), Type::mono, t.text, words.at(c),
                   Align::right);
        }
    }
}

float key_row(const Painter& p)
{
    return radius_of(p) * 2 + p.px(5);
}

// Without what it has in common with the first.
std::string_view short_name(const std::vector<Line>& lines, std::size_t i)
{
    const std::string& first = lines.front().name;
    const std::string_view name = lines[i].name;
    return name.starts_with(first + ", ") ? name.substr(first.size() + 2) : name;
}

// What the numbers are, where there is no room for the table. Returns the height used; `draw` it, or measure.
float draw_key(const Painter& p, Rect area, const std::vector<Line>& lines, bool draw)
{
    const float radius = radius_of(p);
    float x = area.x;
    float y = area.y + key_row(p) / 2;
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        const std::string_view name = short_name(lines, i);
        const float w = 2 * radius + p.px(6) + p.width(Type::small, name);
        if (x > area.x && x + w > area.right())
        {
            x = area.x;
            y += key_row(p);
        }
        if (draw)
        {
            draw_number(p, {x + radius, y}, lines[i], i);
            p.text(x + 2 * radius + p.px(6), y, Type::small, p.theme.text, name);
        }
        x += w + p.px(16);
    }
    return y + key_row(p) / 2 - area.y;
}

} // namespace

void draw_bytes_page(const Painter& p, Rect area, const TeamFrame& team)
{
    const std::vector<Line> lines = coloured(p.theme, lines_of(team));
    if (lines.empty())
    {
        return;
    }
    const std::string says =
        team.comparing ? fmt::format("run {} of {}", compared_compressions().size() - team.to_compare,
                                     compared_compressions().size())
                       : std::string("further left at the same height is cheaper");
    draw_head(p, area.cut_top(p.px(28)), "Loss against bytes sent", says);
    const float row = std::max(p.px(26), p.height(Type::body) * 1.3F);
    const float table = row * static_cast<float>(lines.size() + 1);
    if (area.h > table + p.px(150))
    {
        area.cut_bottom(p.px(8));
        draw_table(p, area.cut_bottom(table), lines);
        area.cut_bottom(p.px(10));
    }
    else if (const float key = draw_key(p, area, lines, false); area.h > key + p.px(90))
    {
        draw_key(p, area.cut_top(key), lines, true);
    }
    draw_lines(p, area, lines);
}

Caption bytes_caption(const TeamFrame& team)
{
    Caption caption{"Smaller gradients cost less on the wire. **What do they cost in loss?**",
                    "bytes of a step = what the compressor keeps of 2 (n-1)/n \u00d7 gradients", ""};
    const std::vector<Line> lines = lines_of(team);
    if (lines.empty())
    {
        return caption;
    }
    const Line& now = lines.back();
    caption.sentence = fmt::format("{}: loss **{:.3f}** after **{}** from a rank.", now.name,
                                   now.points.back().y, bytes_words(now.points.back().x));
    if (lines.size() > 1)
    {
        const Line& best =
            *std::ranges::min_element(lines, {}, [](const Line& l) { return l.points.back().y; });
        const Line& least = *std::ranges::min_element(lines, {}, &Line::in_step);
        caption.sentence =
            fmt::format("Of {} runs, {} has the lowest loss, **{:.3f}**, sending {} a step; {} sends least, "
                        "**{}**, and is at {:.3f}.",
                        lines.size(), best.name, best.points.back().y, bytes_words(best.in_step), least.name,
                        bytes_words(least.in_step), least.points.back().y);
    }
    if (now.in_step > 0)
    {
        caption.formula =
            fmt::format("uncompressed / sent in a step = {} / {} = {:.3g}", bytes_words(now.dense),
                        bytes_words(now.in_step), now.dense / now.in_step);
    }
    if (team.started() && team.snapshot->config.compression.compressor != Compressor::none)
    {
        caption.source = std::string(info_of(team.snapshot->config.compression.compressor).source) + ".";
    }
    return caption;
}

} // namespace ringside
