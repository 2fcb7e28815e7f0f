// A small number added again and again: one addition between two neighbours, and the sum over all of them
// rounded to nearest, stochastically, and exactly.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot_series.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kDraws = 64; // of which the mean is shown
constexpr std::array<double, 12> kAddends{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.003,
                                          0.004,  0.005,  0.01,   0.02,  0.05,  0.1};
constexpr std::array<double, 9> kStarts{0.001, 0.01, 0.1, 0.5, 1, 2, 10, 100, 1000};
constexpr double kReach = 2.6; // steps of the format on show above the sum

std::string say_addend(double value)
{
    return fmt::format("{:.4g}", value);
}

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
    const std::string says = fmt::format("spacing {}", exact_power(step));
    Plot plot(p, area,
              {sum - 0.6 * step, end, PlotScale::linear, "", short_figure, {sum, sum + step, sum + 2 * step}},
              {0, 1}, {.title = title, .note = says, .part = "addition"});
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
    plot.label({sum + step / 2, 0.28}, "midpoint");
    const double exact = sum + state.walk.addend;
    const double held = round_to(f, exact, Overflow::saturate);
    plot.line({{sum, 0.8}, {exact, 0.8}}, {t.of(Component::gradients), 4});
    const ImVec2 from = plot.at({exact, 0.55});
    const ImVec2 to = plot.at({held, 0.55});
    if (std::fabs(to.x - from.x) > p.px(6))
    {
        p.arrow(from, to, t.text, p.px(1.5F));
    }
    const PlotMove grip =
        plot.grip({exact, 0.8}, "###number that is added", held == sum ? "rounds back" : "rounds up");
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
                            PlotSeries{"stochastic rounding", random, {t.stage_ramp[1], 1.5F}},
                            PlotSeries{"mean of 64 draws", mean, {t.stage_ramp[3], 2.5F}},
                            PlotSeries{"round to nearest", nearest, {t.of(Component::weights), 3}, true}};
    const std::string says = fmt::format("each rounded to {}", number_format(walk.format).name);
    if (const auto to =
            draw_series(p, area, {.title = "Running sum", .note = says, .part = "sums", .names = 190},
                        "###sum over additions",
                        {walk.start - room * 0.06, walk.start + room * 1.08, PlotScale::linear, "",
                         [](double v) { return fmt::format("{:.5g}", v); }},
                        at, curves))
    {
        out.push(Seek{*to});
    }
}

void draw_sums(const FormatsRoom& r)
{
    Rect area = r.area;
    Walk walk = r.state.walk;
    walk.format = shown_format(r.state, r.frame);
    const std::size_t at = moment_of(r.frame, walk.steps);
    if (area.h > r.p.px(260))
    {
        draw_ladder(r.p, area.cut_top(r.p.px(128)), r.state, number_format(walk.format),
                    walk_nearest(walk)[at], at);
        area.cut_top(r.p.px(8));
    }
    draw_walks(r.p, area, r.state, walk, at, r.out);
}

void panel_sums(PanelColumn& column, const FormatsRoom& r)
{
    choose_format(column, r);
    Walk& walk = r.state.walk;
    column.slide("Initial value", Track::at(kStarts, plain_number), walk.start);
    column.slide("Increment", Track::at(kAddends, say_addend), walk.addend);
    if (column.button("New random draw", "R"))
    {
        r.state.seed += kFormats;
    }
    Walk each = walk;
    each.format = shown_format(r.state, r.frame);
    const std::size_t at = moment_of(r.frame, walk.steps);
    const double sum = walk_nearest(each)[at];
    column.fact("Sum, round to nearest", short_figure(sum));
    column.fact("Sum, exact", short_figure(walk.start + walk.addend * static_cast<double>(at)));
    column.fact("Increments lost up to", exact_power(lost_addend(number_format(each.format), sum)));
    column.gap();
    column.label("Final sum, round to nearest");
    for (const NumberFormat& other : number_formats())
    {
        each.format = other.id;
        column.fact(other.name, short_figure(walk_nearest(each).back()));
    }
}

Caption caption_sums(const Frame& frame, FormatsState& state)
{
    Walk walk = state.walk;
    walk.format = shown_format(state, frame);
    const NumberFormat& f = number_format(walk.format);
    const std::vector<double> sums = walk_nearest(walk);
    const std::size_t at = moment_of(frame, state.walk.steps);
    const bool lost = round_to(f, sums[at] + walk.addend, Overflow::saturate) == sums[at];
    const double exact = walk.start + walk.addend * static_cast<double>(walk.steps);
    Caption c;
    c.sentence =
        lost ? fmt::format(
                   "{} + {} is **still {}** in {}: an increment below half the spacing is lost every time.",
                   short_figure(sums[at]), fmt::format("{:.4g}", walk.addend), short_figure(sums[at]), f.name)
             : fmt::format("After {} additions, {} has reached **{}**; the exact sum is {}.", walk.steps,
                           f.name, short_figure(sums.back()), short_figure(exact));
    c.formula =
        fmt::format("lost up to half the spacing = {} / 2 = {};  increment {:.4g}",
                    exact_power(step_at(f, sums[at])), exact_power(lost_addend(f, sums[at])), walk.addend);
    c.source =
        "Round to nearest, ties to even. Stochastic rounding rounds up with a probability equal to the "
        "fraction of the spacing, so that the mean is exact (Gupta et al. 2015, arXiv 1502.02551, section "
        "3). This is why an FP32 master copy is "
        "kept (Micikevicius et al. 2018, arXiv 1710.03740, section 3.1).";
    return c;
}

Motion motion_sums(const Frame& frame, FormatsState& state)
{
    Motion motion;
    motion.duration = static_cast<double>(state.walk.steps);
    motion.per_second = 24;
    motion.rest = motion.duration;
    motion.label = fmt::format("{}/{}", moment_of(frame, state.walk.steps), state.walk.steps);
    return motion;
}

} // namespace

const Page<FormatsState> sums_page{"Sums",       draw_sums,   panel_sums,
                                   caption_sums, motion_sums, "Sums in few bits"};

} // namespace ringside
