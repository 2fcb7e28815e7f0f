#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/laws/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array kBudgets{0.01, 0.1, 1.0, 10.0, 100.0}; // times the one on show
constexpr double kAside = 40;                               // how far from the outer optima the sizes go

double lowest(const LossFit& fit, double flops)
{
    const ComputeOptimum best = optimum(fit, flops);
    return loss(fit, best.parameters, best.tokens);
}

Chart chart_of(const Painter& p, Rect area, const LossFit& fit, const LawsSplit& split)
{
    Chart c = chart_in(p, area, p.px(60));
    const double small = split.flops * kBudgets.front();
    const double large = split.flops * kBudgets.back();
    c.x = {std::min(optimum(fit, small).parameters / kAside, split.parameters / 2),
           std::max(optimum(fit, large).parameters * kAside, split.parameters * 2), true};
    const double bottom = lowest(fit, large);
    const double top = lowest(fit, small);
    c.y = {bottom - 0.12 * (top - bottom), top + 0.45 * (top - bottom), false};
    return c;
}

// Where the same loss costs less than a tenth more than it need: how flat the valley is.
Rect draw_flat_part(const Painter& p, const Chart& c, const LossFit& fit, const LawsSplit& split)
{
    double low = split.best.parameters;
    double high = low;
    while (low > c.x.low && overspending(fit, low, split.flops) < 1.1)
    {
        low /= 1.02;
    }
    while (high < c.x.high && overspending(fit, high, split.flops) < 1.1)
    {
        high *= 1.02;
    }
    const Rect band{c.at_x(low), c.area.y, c.at_x(high) - c.at_x(low), c.area.h};
    p.fill(band, with_alpha(p.theme.forward.fill, 0.13F));
    return band;
}

void name_flat_part(const Painter& p, Rect band, FreeLabels& labels)
{
    const std::string_view words = "within 10% of the compute";
    if (p.width(Type::small, words) + p.px(12) < band.w)
    {
        labels.put_inside(p, band.centre(), band.y + p.height(Type::small), Type::small, p.theme.muted, words,
                          Align::centre);
    }
}

void draw_valley(const Painter& p, const Chart& c, const LossFit& fit, double flops, bool chosen)
{
    std::vector<ChartPoint> points;
    for (int i = 0; i <= 160; ++i)
    {
        const double n = c.x.at(i / 160.0);
        points.push_back({n, loss(fit, n, flops / training_flops(n, 1))});
    }
    draw_chart_line(p, c, points, chosen ? line_colour(p.theme.forward) : p.theme.line, chosen ? 3.0F : 1.5F);
}

// The bottom of every valley; pressing one takes its budget.
void draw_bottoms(const Painter& p, const Chart& c, LawsState& state, const LawsSplit& split,
                  FreeLabels& labels, Out& out)
{
    const LossFit& fit = state.fit();
    std::vector<ImVec2> frontier;
    for (const double times : kBudgets)
    {
        const ComputeOptimum best = optimum(fit, split.flops * times);
        frontier.push_back(c.at(best.parameters, loss(fit, best.parameters, best.tokens)));
    }
    for (std::size_t i = 0; i + 1 < frontier.size(); ++i)
    {
        p.dashed(frontier[i].x, frontier[i].y, frontier[i + 1].x, frontier[i + 1].y, p.theme.muted);
    }
    for (std::size_t i = 0; i < kBudgets.size(); ++i)
    {
        const double flops = split.flops * kBudgets.at(i);
        const ComputeOptimum best = optimum(fit, flops);
        const float reach = p.px(9);
        const Press pressed =
            press(p, {frontier[i].x - reach, frontier[i].y - reach, 2 * reach, 2 * reach},
                  fmt::format("###optimum of {:g} of the budget", kBudgets.at(i)).c_str(), 9);
        tooltip(p, fmt::format(
                       "{}\n\nbest: {} parameters on {} tokens, {} each\nloss {:.3f} nats a token\n\nPress "
                       "to go there.",
                       flop_words(flops), format_count(best.parameters), format_count(best.tokens),
                       three_digits(best.tokens / best.parameters), lowest(fit, flops)));
        p.list.AddCircleFilled(frontier[i], p.px(pressed.hovered ? 6 : 4), p.theme.text);
        labels.take({frontier[i].x - reach, frontier[i].y - reach, 2 * reach, 2 * reach});
        if (pressed.clicked)
        {
            move_to(state, best.parameters, best.tokens);
            out.animating = true;
        }
    }
}

void draw_point(const Painter& p, const Chart& c, LawsState& state, const LawsSplit& split,
                FreeLabels& labels, Out& out)
{
    const ImVec2 at = c.at(split.parameters, split.loss);
    p.line(at.x, at.y, at.x, c.area.bottom(), p.theme.text, 1);
    const ChartGrip grip = draw_chart_grip(p, at, "###point in the valley", p.theme.text);
    labels.take({at.x - p.px(12), at.y - p.px(12), p.px(24), p.px(24)});
    labels.put(p, at, p.px(16), Type::small_strong, p.theme.text,
               fmt::format("{} on {}, {} each", format_count(split.parameters), format_count(split.tokens),
                           three_digits(split.tokens / split.parameters)));
    if (grip.to)
    {
        move_along(state, split, c.x_of(grip.to->x));
        out.animating = true;
    }
    else if (grip.steps != 0)
    {
        move_along(state, split, split.parameters * std::pow(1.1, grip.steps));
        out.animating = true;
    }
}

void draw_budget_names(const Painter& p, const Chart& c, const LossFit& fit, const LawsSplit& split,
                       FreeLabels& labels)
{
    for (const double times : kBudgets)
    {
        const double flops = split.flops * times;
        const ComputeOptimum best = optimum(fit, flops);
        labels.put(p, c.at(best.parameters, loss(fit, best.parameters, best.tokens)), p.px(12),
                   times == 1 ? Type::small_strong : Type::small, times == 1 ? p.theme.text : p.theme.muted,
                   flop_words(flops));
    }
}

// Where each rule puts the optimum of this budget, on the same axis of sizes.
void draw_rules(const Painter& p, Rect area, const Chart& c, const LawsSplit& split)
{
    const Theme& t = p.theme;
    const float pitch = p.height(Type::small) + p.px(3);
    const auto rules = allocation_rules();
    Rect head = area.cut_top(pitch + p.px(2));
    p.text_within(head.x, head.middle(), head.w, Type::small, t.muted,
                  "Where they put the optimum of this budget");
    for (const AllocationRule& rule : rules)
    {
        const Rect row = area.cut_top(pitch);
        const ComputeOptimum best = rule.at(split.flops);
        const float x = std::clamp(c.at_x(best.parameters), c.area.x, c.area.right());
        p.line(c.area.x, row.middle(), c.area.right(), row.middle(), t.grid);
        p.list.AddCircleFilled({x, row.middle()}, p.px(5), line_colour(t.data));
        const std::string words =
            fmt::format("{}: {} on {}", rule.name, format_count(best.parameters), format_count(best.tokens));
        const float w = p.width(Type::small, words);
        const bool left = x + p.px(10) + w > row.right();
        const float from = left ? std::max(row.x, x - p.px(10) - w) : x + p.px(10);
        p.fill({from - p.px(3), row.y + p.px(1), std::min(w, row.right() - from) + p.px(6), row.h - p.px(2)},
               t.window);
        p.text_within(from, row.middle(), row.right() - from, Type::small, t.text, words);
        if (row.contains(ImGui::GetIO().MousePos))
        {
            tooltip_at_mouse(p, fmt::format("{}\nN grows as C^{:.2f}", rule.source, rule.exponent));
        }
    }
}

} // namespace

void draw_valleys(const Painter& p, Rect area, LawsState& state, const LawsSplit& split, Out& out)
{
    const LossFit& fit = state.fit();
    const float rows =
        (p.height(Type::small) + p.px(3)) * static_cast<float>(allocation_rules().size() + 1) + p.px(8);
    const bool has_rules = area.h > rows + p.px(220) && area.w > p.px(480);
    const Rect below = has_rules ? area.cut_bottom(rows) : Rect{};
    const Chart c = chart_of(p, area, fit, split);
    if (!c.drawable(p))
    {
        return;
    }
    p.part("valleys", c.area);
    const Rect flat = draw_flat_part(p, c, fit, split);
    draw_chart_x(p, c, "parameters N; tokens are what the compute leaves, D = C / 6N", count_words);
    // Hardly differing budgets need more digits.
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10((c.y.high - c.y.low) / 8))), 2, 5);
    draw_chart_y(p, c, "loss, nats a token",
                 [decimals](double v) { return fmt::format("{:.{}f}", v, decimals); });
    for (const double times : kBudgets)
    {
        draw_valley(p, c, fit, split.flops * times, times == 1);
    }
    FreeLabels labels(c.area);
    draw_bottoms(p, c, state, split, labels, out);
    draw_point(p, c, state, split, labels, out);
    name_flat_part(p, flat, labels);
    draw_budget_names(p, c, fit, split, labels);
    if (has_rules)
    {
        p.part("rules", below);
        draw_rules(p, below, c, split);
    }
}

} // namespace ringside
