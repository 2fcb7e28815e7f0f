// Loss against size at fixed compute: isoFLOP curves, their minima, and where each rule puts the optimum.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "ui/views/scaling/laws/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array kBudgets{0.01, 0.1, 1.0, 10.0, 100.0}; // times the one on show
constexpr double kAside = 40;                               // how far from the outer optima the sizes go

PlotPoint bottom_of(const LossFit& fit, double flops)
{
    const ComputeOptimum best = optimum(fit, flops);
    return {best.parameters, loss(fit, best.parameters, best.tokens)};
}

std::pair<PlotAxis, PlotAxis> axes_of(const LossFit& fit, const LawsSplit& split)
{
    const PlotPoint small = bottom_of(fit, split.flops * kBudgets.front());
    const PlotPoint large = bottom_of(fit, split.flops * kBudgets.back());
    const double span = small.y - large.y;
    // Hardly differing budgets need more digits.
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(1.57 * span / 8))), 2, 5);
    return {{std::min(small.x / kAside, split.parameters / 2),
             std::max(large.x * kAside, split.parameters * 2), PlotScale::log,
             "parameters N; tokens are what the compute leaves, D = C / 6N", count_words},
            {large.y - 0.12 * span, small.y + 0.45 * span, PlotScale::linear, "loss, nats per token",
             [decimals](double v) { return fmt::format("{:.{}f}", v, decimals); }}};
}

// Where the same loss costs less than a tenth more than it need: how flat the curve is.
void draw_flat_part(const Painter& p, Plot& plot, const LossFit& fit, const LawsSplit& split)
{
    double low = split.best.parameters;
    double high = low;
    while (low > plot.x.low && overspending(fit, low, split.flops) < 1.1)
    {
        low /= 1.02;
    }
    while (high < plot.x.high && overspending(fit, high, split.flops) < 1.1)
    {
        high *= 1.02;
    }
    plot.band_x(low, high, with_alpha(p.theme.forward.fill, 0.13F));
}

// Each budget's curve and its minimum; pressing one takes its budget.
void draw_curves(const Painter& p, Plot& plot, LawsState& state, const LawsSplit& split, Out& out)
{
    const LossFit& fit = state.fit();
    std::vector<PlotPoint> bottoms;
    for (const double times : kBudgets)
    {
        const double flops = split.flops * times;
        const bool own = times == 1;
        bottoms.push_back(bottom_of(fit, flops));
        plot.line(sampled(plot.x, [&](double n) { return loss(fit, n, flops / training_flops(n, 1)); }),
                  own ? PlotStroke{p.theme.forward, 3} : PlotStroke{p.theme.line, 1.5F});
    }
    plot.line(bottoms, {p.theme.muted, 1, true});
    for (std::size_t i = 0; i < kBudgets.size(); ++i)
    {
        const double flops = split.flops * kBudgets.at(i);
        const ComputeOptimum best = optimum(fit, flops);
        const std::string tip =
            fmt::format("{}\n\noptimal: {} parameters on {} tokens, {} tokens per parameter\nloss {:.3f} "
                        "nats per token\n\nClick to go there.",
                        flop_words(flops), format_count(best.parameters), format_count(best.tokens),
                        three_digits(best.tokens / best.parameters), bottoms[i].y);
        const Press pressed = plot.dot(bottoms[i], {p.theme.text, 4},
                                       fmt::format("###optimum of {:g} of the budget", kBudgets.at(i)), tip);
        plot.label(bottoms[i], flop_words(flops), kBudgets.at(i) == 1, 12);
        if (pressed.clicked)
        {
            move_to(state, best.parameters, best.tokens);
            out.animating = true;
        }
    }
}

void draw_point(const Painter& p, Plot& plot, LawsState& state, const LawsSplit& split, Out& out)
{
    plot.line({{split.parameters, plot.y.low}, {split.parameters, split.loss}}, {p.theme.text, 1});
    const std::string words =
        fmt::format("{} on {}, {} tokens per parameter, loss {:.3f}", format_count(split.parameters),
                    format_count(split.tokens), three_digits(split.tokens / split.parameters), split.loss);
    if (const auto to = plot.grip({split.parameters, split.loss}, "###point in the valley", words).x(1.1))
    {
        move_along(state, split, *to);
        out.animating = true;
    }
}

// Where each rule puts the optimum of this budget, on the same axis of sizes.
void draw_rules(const Painter& p, Rect area, const Plot& plot, const LawsSplit& split)
{
    const Theme& t = p.theme;
    const float pitch = p.height(Type::small) + p.px(3);
    const auto rules = allocation_rules();
    Rect head = area.cut_top(pitch + p.px(2));
    p.text_within(head.x, head.middle(), head.w, Type::small, t.muted, "Compute-optimal size by each law");
    for (const AllocationRule& rule : rules)
    {
        const Rect row = area.cut_top(pitch);
        const ComputeOptimum best = rule.at(split.flops);
        const float x = plot.at({best.parameters, plot.y.low}).x;
        p.line(plot.area.x, row.middle(), plot.area.right(), row.middle(), t.grid);
        p.list.AddCircleFilled({x, row.middle()}, p.px(5), t.data.fill);
        const std::string words =
            fmt::format("{}: {} on {}", rule.name, format_count(best.parameters), format_count(best.tokens));
        const float w = p.width(Type::small, words);
        const bool left = x + p.px(10) + w > row.right();
        const float from = left ? std::max(row.x, x - p.px(10) - w) : x + p.px(10);
        p.fill({from - p.px(3), row.y + p.px(1), std::min(w, row.right() - from) + p.px(6), row.h - p.px(2)},
               t.window);
        p.text_within(from, row.middle(), row.right() - from, Type::small, t.text, words);
        p.mark({x - p.px(5), row.y, p.px(10), row.h});
        if (p.points_in(row))
        {
            tooltip_at_mouse(p, fmt::format("{}\nN grows as C^{:.2f}", rule.source, rule.exponent));
        }
    }
}

void draw_isoflop(const LawsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const LossFit& fit = r.state.fit();
    const LawsSplit split = split_of(r.frame, r.state);
    const float rows =
        (p.height(Type::small) + p.px(3)) * static_cast<float>(allocation_rules().size() + 1) + p.px(8);
    const bool has_rules = area.h > rows + p.px(220) && area.w > p.px(480);
    const Rect below = has_rules ? area.cut_bottom(rows) : Rect{};
    const auto [sizes, losses] = axes_of(fit, split);
    Plot plot(
        p, area, sizes, losses,
        {.title = "IsoFLOP curves", .note = "band: within 10% of the optimal compute", .part = "valleys"});
    if (!plot)
    {
        return;
    }
    draw_flat_part(p, plot, fit, split);
    draw_curves(p, plot, r.state, split, r.out);
    draw_point(p, plot, r.state, split, r.out);
    if (has_rules)
    {
        p.part("rules", below);
        draw_rules(p, below, plot, split);
    }
}

Caption caption_isoflop(const Frame& frame, LawsState& state)
{
    const LawsSplit s = split_of(frame, state);
    const LossFit& fit = state.fit();
    const std::string best =
        fmt::format("{} are best spent on **{} parameters and {} tokens**", flop_words(s.flops),
                    format_count(s.best.parameters), format_count(s.best.tokens));
    return split_caption(
        state, s,
        s.overspent < 1.005
            ? best + ": this point."
            : fmt::format("{}; this loss needs only **{}**.", best, format_percent(1 / s.overspent)),
        fmt::format("L = E + A/N^\u03b1 + B/D^\u03b2 = {} + {} + {} = {:.3f}", figure(fit.floor, 4),
                    figure(fit.of_parameters(s.parameters), 3), figure(fit.of_tokens(s.tokens), 3), s.loss));
}

} // namespace

void panel_parameters(PanelColumn& column, const LawsRoom& r)
{
    panel_split(column, r,
                [&](const LawsSplit& split)
                {
                    double parameters = split.parameters;
                    if (column.slide("Parameters", kLawsParameters, parameters))
                    {
                        move_along(r.state, split, parameters);
                    }
                });
}

const Page<LawsState> isoflop_page{"Loss", draw_isoflop, panel_parameters, caption_isoflop};

} // namespace ringside
