#include "ui/views/training/formats/sums.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/plot_series.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kReach = 2.6; // steps of the format on show above the sum

// Between the neighbours of the sum: where the addition leads to, the middle that decides, where it ends.
void draw_ladder(const Painter& p, Rect area, FormatsState& state, const NumberFormat& f, double sum,
                 std::size_t additions)
{
    const double step = step_at(f, sum);
    if (step <= 0)
    {
        return;
    }
    const double end = sum + kReach * step;
    const std::string title = fmt::format("After {} additions in {}", additions, f.name);
    const std::string says = fmt::format("{} between neighbours", exact_power(step));
    Plot plot(p, area,
              {sum - 0.6 * step, end, PlotScale::linear, "", short_figure, {sum, sum + step, sum + 2 * step}},
              {0, 1}, {.title = title, .says = says, .part = "addition"});
    if (!plot)
    {
        return;
    }
    const Theme& t = p.theme;
    for (double v = sum; v <= end; v += step)
    {
        plot.line({{v, 0}, {v, 0.35}}, {t.text, 2});
        plot.line({{v + step / 2, 0}, {v + step / 2, 0.28}}, {t.muted, 1, true});
    }
    plot.label({sum + step / 2, 0.28}, "half");
    const double exact = sum + state.walk.addend;
    const double held = round_to(f, exact, Overflow::saturate);
    plot.line({{sum, 0.8}, {exact, 0.8}}, {t.of(Component::gradients).fill, 4});
    const ImVec2 from = plot.at({exact, 0.55});
    const ImVec2 to = plot.at({held, 0.55});
    if (std::fabs(to.x - from.x) > p.px(6))
    {
        p.arrow(from, to, t.text, p.px(1.5F));
    }
    const PlotMove grip =
        plot.grip({exact, 0.8}, "###number that is added", held == sum ? "rounds back" : "rounds on");
    if (const auto moved = grip.x(step / 16))
    {
        state.walk.addend = std::clamp(*moved - sum, step / 256, kReach * step);
    }
}

static_assert(kDraws == 64, "the name of the curve says so");

void draw_walks(const Painter& p, Rect area, FormatsState& state, const Walk& walk, std::size_t at, Out& out)
{
    const std::vector<double> nearest = walk_nearest(walk);
    const std::vector<double> random = walk_at_random(walk, state.seed);
    const std::vector<double> mean = walk_mean(walk, state.seed, kDraws);
    const auto steps = static_cast<double>(walk.steps);
    const double exact = walk.start + walk.addend * steps;
    const double highest = std::max({exact, std::ranges::max(nearest), std::ranges::max(random)});
    const double room = std::max(highest - walk.start, step_at(number_format(FormatId::fp32), walk.start));
    const Theme& t = p.theme;
    std::vector<double> line;
    for (double i = 0; i <= steps; ++i)
    {
        line.push_back(walk.start + walk.addend * i);
    }
    const std::array curves{PlotSeries{"exact", line, {t.text, 1.5F, true}},
                            PlotSeries{"at random", random, {t.stage_ramp[1], 1.5F}},
                            PlotSeries{"mean of 64", mean, {t.stage_ramp[3], 2.5F}},
                            PlotSeries{"to nearest", nearest, {t.of(Component::weights).fill, 3}, true}};
    const std::string says = fmt::format("each rounded to {}", number_format(walk.format).name);
    if (const auto to = draw_series(
            p, area, {.title = "The sum, addition by addition", .says = says, .part = "sums", .names = 160},
            "###sum over additions",
            {walk.start - room * 0.06, walk.start + room * 1.08, PlotScale::linear, "",
             [](double v) { return fmt::format("{:.5g}", v); }},
            at, curves))
    {
        out.push(Seek{*to});
    }
}

} // namespace

void draw_sums_page(const Painter& p, Rect area, FormatsState& state, const Frame& frame, Out& out)
{
    Walk walk = state.walk;
    walk.format = shown_format(state, frame);
    const std::size_t at = addition_at(state, frame);
    const NumberFormat& f = number_format(walk.format);
    if (area.h > p.px(260))
    {
        draw_ladder(p, area.cut_top(p.px(128)), state, f, walk_nearest(walk)[at], at);
        area.cut_top(p.px(8));
    }
    draw_walks(p, area, state, walk, at, out);
}

} // namespace ringside
