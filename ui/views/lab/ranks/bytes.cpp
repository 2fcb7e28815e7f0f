#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/ranks/bars.h"
#include "ui/widgets/table.h"

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
    std::vector<PlotPoint> points;
    Colour colour = 0;
    bool now = false;
    std::int64_t steps = 0;
    double in_step = 0;
    double dense = 0;
};

std::vector<PlotPoint> points_of(const std::vector<float>& losses, const std::vector<double>& sent)
{
    std::vector<PlotPoint> points;
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

void draw_lines(const Painter& p, Rect area, const std::vector<Line>& lines)
{
    PlotAxis x{1e300, 0, PlotScale::log, "sent by a rank", bytes_words};
    PlotAxis y{1e300, -1e300, PlotScale::linear, "nats per token, mean of 10 steps", plain_number};
    for (const Line& line : lines)
    {
        x.low = std::min(x.low, line.points.front().x);
        x.high = std::max(x.high, line.points.back().x);
        for (const PlotPoint& point : line.points)
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
    Plot plot(p, area, x, y);
    for (std::size_t i = 0; plot && i < lines.size(); ++i)
    {
        const Line& line = lines[i];
        plot.line(line.points, {line.colour, line.now ? 3.0F : 2.0F});
        plot.dot(line.points.back(), {line.colour, 3});
        plot.label(line.points.back(), fmt::format("{}", i + 1), true);
    }
}

constexpr float kPitch = 28;

void draw_table(const Painter& p, Rect area, const std::vector<Line>& lines)
{
    const Table<Line> table(
        {Column<Line>("", [](const Line& line) { return line.name; })
             .with(34,
                   [&lines](const Painter& at, Rect r, const Line& line, bool) {
                       draw_number(at, {r.x + at.px(12), r.middle()}, line,
                                   static_cast<std::size_t>(&line - lines.data()));
                   }),
         {"sent per step", [](const Line& line) { return bytes_words(line.in_step); }, 2},
         {"ratio",
          [](const Line& line) {
              return line.in_step > 0 ? fmt::format("{:.3g}\u00d7", line.dense / line.in_step)
                                      : std::string("\u2013");
          },
          3},
         {"steps", [](const Line& line) { return grouped(line.steps); }, 1},
         {"loss", [](const Line& line) { return fmt::format("{:.3f}", line.points.back().y); }}},
        nullptr, [](const Line& line) { return line.now; }, kPitch);
    table.draw(p, area, lines);
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
    const float table = table_height(p, lines.size(), kPitch);
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
    Caption caption{"Smaller gradients cost less bandwidth. **What do they cost in loss?**",
                    "bytes per step = what the compressor keeps of 2 (n-1)/n \u00d7 gradients", ""};
    const std::vector<Line> lines = lines_of(team);
    if (lines.empty())
    {
        return caption;
    }
    const Line& now = lines.back();
    caption.sentence = fmt::format("{}: loss **{:.3f}** after **{}** sent per rank.", now.name,
                                   now.points.back().y, bytes_words(now.points.back().x));
    if (lines.size() > 1)
    {
        const Line& best =
            *std::ranges::min_element(lines, {}, [](const Line& l) { return l.points.back().y; });
        const Line& least = *std::ranges::min_element(lines, {}, &Line::in_step);
        caption.sentence = fmt::format(
            "Of {} runs, {} has the lowest loss, **{:.3f}**, sending {} per step; {} sends least, "
            "**{}**, and is at {:.3f}.",
            lines.size(), best.name, best.points.back().y, bytes_words(best.in_step), least.name,
            bytes_words(least.in_step), least.points.back().y);
    }
    if (now.in_step > 0)
    {
        caption.formula =
            fmt::format("uncompressed / sent per step = {} / {} = {:.3g}", bytes_words(now.dense),
                        bytes_words(now.in_step), now.dense / now.in_step);
    }
    if (team.started() && team.snapshot->config.compression.compressor != Compressor::none)
    {
        caption.source = std::string(info_of(team.snapshot->config.compression.compressor).source) + ".";
    }
    return caption;
}

} // namespace ringside
