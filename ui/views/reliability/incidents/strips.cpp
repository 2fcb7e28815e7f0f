#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/reliability/incidents/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct Strip
{
    std::string_view name;
    double IncidentStep::*value;
    PlotAxis y;
    float share; // of the height
};

std::vector<Strip> strips_of(const IncidentDesk& desk)
{
    double high = 4;
    for (const IncidentStep& s : desk.run().steps)
    {
        high = std::isfinite(s.loss) ? std::max(high, s.loss) : high;
    }
    const auto axis = [](double low, double high_end, PlotScale scale) {
        return PlotAxis{low, high_end, scale, "", plain_number};
    };
    std::vector<Strip> strips{
        {"loss, nats per token", &IncidentStep::loss, axis(2, std::min(12.5, high * 1.03), PlotScale::log),
         3},
        {"gradient norm", &IncidentStep::norm, axis(0.1, 60, PlotScale::log), 2},
        {"learning rate, relative to peak", &IncidentStep::rate, axis(0, 2.6, PlotScale::linear), 1}};
    if (desk.run().steps.front().scale > 0)
    {
        strips.push_back({"loss scale, FP16",
                          &IncidentStep::scale,
                          {1,
                           524288,
                           PlotScale::log2,
                           "",
                           [](double v) { return two_to_the(std::log2(v)); },
                           {32, 1024, 32768}},
                          1.3F});
    }
    strips.push_back({"per-rank gradient norm, max over median", &IncidentStep::apart,
                      axis(0.8, 2.2, PlotScale::linear), 1});
    return strips;
}

// Until a step; what is not finite breaks the line.
std::vector<PlotPoint> values_of(const IncidentRun& run, double IncidentStep::*value, std::int64_t until)
{
    std::vector<PlotPoint> points;
    for (std::size_t k = 0; k < run.steps.size(); ++k)
    {
        const auto step = static_cast<double>(run.from) + static_cast<double>(k);
        if (step <= static_cast<double>(until))
        {
            points.push_back({step, run.steps[k].*value});
        }
    }
    return points;
}

void mark_not_finite(const Painter& p, Plot& plot, std::span<const PlotPoint> points)
{
    bool named = false;
    for (const PlotPoint& v : points)
    {
        if (std::isfinite(v.y))
        {
            continue;
        }
        const Rect r = plot.rect(v.x, v.x + 1, plot.y.low, plot.y.high);
        p.fill({r.x, r.y, std::max(1.0F, r.w), p.px(5)}, p.theme.warning);
        if (!named)
        {
            plot.label({v.x, plot.y.high}, "not finite");
            named = true;
        }
    }
}

void draw_strip(const Painter& p, Plot& plot, const Strip& strip, const IncidentDesk& desk,
                std::int64_t until, bool first)
{
    const Theme& t = p.theme;
    p.outline(plot.area, t.grid, 1);
    const bool treated = desk.treatment() != nullptr;
    if (strip.value == &IncidentStep::loss)
    {
        plot.line(values_of(desk.run(), &IncidentStep::held, until), {t.muted, 2});
    }
    const auto own = values_of(desk.run(), strip.value, until);
    plot.line(own, treated ? PlotStroke{t.muted, 1} : PlotStroke{line_colour(t.forward), 3});
    mark_not_finite(p, plot, own);
    if (treated)
    {
        plot.line(values_of(desk.treatment()->run, strip.value, kIncidentSteps), {line_colour(t.forward), 3});
    }
    for (const std::int64_t step : desk.run().restarts)
    {
        if (step <= until)
        {
            plot.rule_x(static_cast<double>(step), {t.muted, 1, true}, first ? "job restart" : "");
        }
    }
}

} // namespace

std::optional<std::int64_t> draw_strips(const Painter& p, Rect area, const IncidentDesk& desk,
                                        std::int64_t until)
{
    std::vector<Strip> strips = strips_of(desk);
    const float below = p.height(Type::mono_small) + p.height(Type::small) + p.px(8);
    // What follows from the others goes where there is no room for all.
    const auto each_of = [&]
    {
        float shares = 0;
        for (const Strip& s : strips)
        {
            shares += s.share;
        }
        return (area.h - below) / shares;
    };
    while (strips.size() > 1 && each_of() < p.px(42))
    {
        strips.pop_back();
    }
    const float each = each_of();
    p.part("strips", area);
    std::optional<std::int64_t> moved;
    for (std::size_t k = 0; k < strips.size(); ++k)
    {
        const bool last = k + 1 == strips.size();
        const AxisWords none = [](double) { return std::string(); };
        const AxisWords steps = [](double step) { return grouped(std::llround(step)); };
        const Rect row = area.cut_top(last ? area.h : each * strips[k].share);
        Plot plot(p, row,
                  {0, static_cast<double>(kIncidentSteps), PlotScale::linear,
                   last ? "step; a checkpoint every 100 steps" : "", last ? steps : none},
                  strips[k].y,
                  {.part = k == 0   ? "loss"
                           : k == 1 ? "norm"
                                    : "other strips",
                   .left = p.px(56)});
        if (!plot)
        {
            continue;
        }
        draw_strip(p, plot, strips[k], desk, until, k == 0);
        if (desk.answered())
        {
            // The flag of the checkpoint that a remedy goes back to.
            const auto at = static_cast<double>(desk.checkpoint());
            plot.rule_x(at, {p.theme.text, 2});
            const auto to =
                k > 0 ? std::nullopt
                      : plot.grip({at, plot.y_of(plot.area.y + p.px(26))}, "###checkpoint to go back to",
                                  fmt::format("rewind to {}", desk.checkpoint()))
                            .x(static_cast<double>(kCheckpointEvery));
            moved = to ? std::optional<std::int64_t>(std::llround(*to)) : moved;
        }
        plot.label({plot.x.high, strips[k].value == &IncidentStep::scale ? plot.y.low : plot.y.high},
                   std::string(strips[k].name), true);
    }
    return moved;
}

} // namespace ringside
