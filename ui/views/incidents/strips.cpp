#include "ui/views/incidents/strips.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

struct Strip
{
    std::string_view name;
    double IncidentStep::*value;
    ChartAxis y;
    float share; // of the height
};

Strip loss_strip(const IncidentDesk& desk)
{
    double high = 4;
    for (const IncidentStep& s : desk.run().steps)
    {
        high = std::isfinite(s.loss) ? std::max(high, s.loss) : high;
    }
    return {"loss, nats a token", &IncidentStep::loss, {2, std::min(12.5, high * 1.03), true}, 3};
}

std::vector<Strip> strips_of(const IncidentDesk& desk)
{
    std::vector<Strip> strips{loss_strip(desk)};
    strips.push_back({"gradient norm", &IncidentStep::norm, {0.1, 60, true}, 2});
    strips.push_back({"learning rate, of a healthy peak", &IncidentStep::rate, {0, 2.6, false}, 1});
    if (desk.run().steps.front().scale > 0)
    {
        strips.push_back({"loss scale, fp16", &IncidentStep::scale, {1, 524288, true}, 1.3F});
    }
    strips.push_back({"ranks apart, largest norm over median", &IncidentStep::apart, {0.8, 2.2, false}, 1});
    return strips;
}

// Loss scales are powers of two.
std::vector<double> ticks_of(const Strip& strip, const Chart& c, int most)
{
    return strip.value == &IncidentStep::scale ? std::vector<double>{32, 1024, 32768}
                                               : chart_ticks(c.y, most);
}

std::string tick_words(const Strip& strip, double v)
{
    return strip.value == &IncidentStep::scale ? fmt::format("2^{}", std::lround(std::log2(v)))
                                               : plain_number(v);
}

struct Line
{
    const IncidentRun* run;
    double IncidentStep::*value;
    Colour colour;
    float thickness;
    std::int64_t until;
};

// What is not finite breaks the line, and is marked at the top.
void draw_line(const Painter& p, const Chart& c, const Line& line)
{
    std::vector<ChartPoint> points;
    for (std::size_t k = 0; k < line.run->steps.size(); ++k)
    {
        const auto step = static_cast<double>(line.run->from) + static_cast<double>(k);
        if (step > static_cast<double>(line.until))
        {
            break;
        }
        points.push_back({step, line.run->steps[k].*line.value});
    }
    draw_chart_line(p, c, points, line.colour, line.thickness);
}

void mark_not_finite(const Painter& p, const Chart& c, const IncidentDesk& desk, double IncidentStep::*value,
                     std::int64_t until)
{
    const auto& steps = desk.run().steps;
    const std::size_t end = std::min<std::size_t>(steps.size(), static_cast<std::size_t>(until));
    std::size_t first = end;
    for (std::size_t k = 0; k < end; ++k)
    {
        if (!std::isfinite(steps[k].*value))
        {
            first = std::min(first, k);
            const float x = c.at_x(static_cast<double>(k));
            p.fill({x, c.area.y, std::max(1.0F, c.at_x(static_cast<double>(k + 1)) - x), p.px(5)},
                   p.theme.warning);
        }
    }
    if (first < end)
    {
        const std::string_view words = "not finite";
        const float w = p.width(Type::small, words);
        const float x = std::clamp(c.at_x(static_cast<double>(first)) - w - p.px(6), c.area.x + p.px(2),
                                   c.area.right() - w);
        p.text(x, c.area.y + p.height(Type::small) / 2, Type::small, p.theme.text, words);
    }
}

void draw_strip(const Painter& p, const Chart& c, const Strip& strip, const IncidentDesk& desk,
                std::int64_t until)
{
    const Theme& t = p.theme;
    p.outline(c.area, t.grid, 1);
    float last = 1e9F;
    for (const double v : ticks_of(strip, c, std::max(2, static_cast<int>(c.area.h / p.px(30)))))
    {
        p.line(c.area.x, c.at_y(v), c.area.right(), c.at_y(v), t.grid);
        if (c.at_y(v) < last - p.height(Type::mono_small) && c.at_y(v) < c.area.bottom() - p.px(4))
        {
            p.text(c.area.x - p.px(8), c.at_y(v), Type::mono_small, t.muted, tick_words(strip, v),
                   Align::right);
            last = c.at_y(v);
        }
    }
    const bool treated = desk.treatment() != nullptr;
    const Colour own = treated ? t.muted : line_colour(t.forward);
    if (strip.value == &IncidentStep::loss)
    {
        draw_line(p, c, {&desk.run(), &IncidentStep::held, t.muted, 1.5F, until});
    }
    draw_line(p, c, {&desk.run(), strip.value, own, treated ? 1.0F : 2.0F, until});
    mark_not_finite(p, c, desk, strip.value, until);
    if (treated)
    {
        draw_line(p, c, {&desk.treatment()->run, strip.value, line_colour(t.forward), 2, kIncidentSteps});
    }
    const float w = p.width(Type::small_strong, strip.name);
    if (w + p.px(16) < c.area.w && c.area.h > p.height(Type::small))
    {
        // Where the lines are not.
        const bool low = strip.value == &IncidentStep::scale;
        const float high = p.height(Type::small);
        const Rect ground{c.area.right() - w - p.px(12),
                          low ? c.area.bottom() - high - p.px(3) : c.area.y + p.px(7), w + p.px(8), high};
        p.fill(ground, with_alpha(t.window, 0.85F));
        p.text(ground.x + p.px(4), ground.middle(), Type::small_strong, t.text, strip.name);
    }
}

void draw_restarts(const Painter& p, const Chart& c, const IncidentDesk& desk, std::int64_t until, bool first)
{
    for (const std::int64_t step : desk.run().restarts)
    {
        if (step > until)
        {
            continue;
        }
        const float x = c.at_x(static_cast<double>(step));
        p.dashed(x, c.area.y, x, c.area.bottom(), p.theme.muted);
        const std::string_view words = "restart";
        if (first && x + p.width(Type::small, words) + p.px(8) < c.area.right())
        {
            p.text(x + p.px(5), c.area.y + p.height(Type::small), Type::small, p.theme.muted, words);
        }
    }
}

void draw_axis(const Painter& p, const Chart& c)
{
    const float below = c.area.bottom() + p.height(Type::mono_small) / 2 + p.px(4);
    float taken = -1e9F;
    for (std::int64_t step = 0; step <= kIncidentSteps; step += 200)
    {
        const std::string words = grouped(step);
        const float half = p.width(Type::mono_small, words) / 2;
        const float x = c.at_x(static_cast<double>(step));
        if (x - half > taken && x + half < c.area.right() + p.px(16))
        {
            p.text(x, below, Type::mono_small, p.theme.muted, words, Align::centre);
            taken = x + half + p.px(8);
        }
    }
    p.text_within(c.area.x, below + p.height(Type::mono_small) / 2 + p.height(Type::small) / 2, c.area.w,
                  Type::small, p.theme.muted, "step; a checkpoint every 100");
}

// The flag of the checkpoint that a remedy goes back to.
std::optional<std::int64_t> draw_checkpoint(const Painter& p, const Chart& top, float bottom,
                                            const IncidentDesk& desk)
{
    const float x = top.at_x(static_cast<double>(desk.checkpoint()));
    p.line(x, top.area.y, x, bottom, p.theme.text, p.px(2));
    const ChartGrip grip =
        draw_chart_grip(p, {x, top.area.y + p.px(26)}, "###checkpoint to go back to", p.theme.text);
    const std::string words = fmt::format("back to {}", desk.checkpoint());
    const float w = p.width(Type::small_strong, words);
    const bool left = x + w + p.px(24) > top.area.right();
    const float from = left ? x - p.px(16) - w : x + p.px(16);
    p.fill({from - p.px(3), top.area.y + p.px(26) - p.height(Type::small) / 2, w + p.px(6),
            p.height(Type::small)},
           with_alpha(p.theme.window, 0.85F));
    p.text(from, top.area.y + p.px(26), Type::small_strong, p.theme.text, words);
    if (grip.to)
    {
        return std::llround(top.x_of(grip.to->x));
    }
    return grip.steps != 0 ? std::optional(desk.checkpoint() + grip.steps * kCheckpointEvery) : std::nullopt;
}

} // namespace

std::optional<std::int64_t> draw_strips(const Painter& p, Rect area, const IncidentDesk& desk,
                                        std::int64_t until)
{
    const std::vector<Strip> strips = strips_of(desk);
    area.cut_left(p.px(56));
    area.cut_right(p.px(12));
    area.cut_bottom(p.height(Type::mono_small) + p.height(Type::small) + p.px(8));
    float shares = 0;
    for (const Strip& s : strips)
    {
        shares += s.share;
    }
    const float gap = p.px(8);
    const float each = (area.h - gap * static_cast<float>(strips.size() - 1)) / shares;
    if (each < p.px(14) || area.w < p.px(120))
    {
        return std::nullopt;
    }
    p.part("strips", area);
    Chart chart;
    chart.x = {0, static_cast<double>(kIncidentSteps), false};
    Chart top;
    for (std::size_t k = 0; k < strips.size(); ++k)
    {
        chart.area = area.cut_top(each * strips[k].share);
        chart.y = strips[k].y;
        area.cut_top(gap);
        top = k == 0 ? chart : top;
        p.part(k == 0 ? "loss" : k == 1 ? "norm" : "other strips", chart.area);
        draw_strip(p, chart, strips[k], desk, until);
        draw_restarts(p, chart, desk, until, k == 0);
    }
    draw_axis(p, chart);
    return desk.answered() ? draw_checkpoint(p, top, chart.area.bottom(), desk) : std::nullopt;
}

} // namespace ringside
