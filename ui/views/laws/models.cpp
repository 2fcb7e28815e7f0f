#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/scaling_law/trained.h"
#include "ui/views/laws/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kNames = 140; // [design px] of the rules' names at the right, where there is room

Chart chart_of(const Painter& p, Rect area, const LawsSplit& split, bool named)
{
    area.cut_right(named ? p.px(kNames) : 0);
    return chart_in(p, area, p.px(60),
                    {std::min(5e8, split.parameters / 2), std::max(2e12, split.parameters * 2), true},
                    {std::min(5e10, split.tokens / 2), std::max(1e14, split.tokens * 2), true});
}

// Falling diagonals: the same compute everywhere.
void draw_compute(const Painter& p, const Chart& c, FreeLabels& labels)
{
    for (double flops = 1e20; flops < 1e29; flops *= 100)
    {
        const std::array line{ChartPoint{c.x.low, flops / training_flops(c.x.low, 1)},
                              ChartPoint{c.x.high, flops / training_flops(c.x.high, 1)}};
        draw_chart_line(p, c, line, with_alpha(p.theme.line, 0.8F), 1);
        const double n = std::sqrt(c.x.low * c.x.high) / 14;
        const double d = flops / training_flops(n, 1);
        if (d > c.y.low * 1.2 && d < c.y.high / 1.2)
        {
            labels.put(p, c.at(n, d), p.px(4), Type::small, p.theme.muted, flop_words(flops));
        }
    }
}

struct Line
{
    const AllocationRule* rule;
    std::vector<ChartPoint> points;
    float end = 0;
};

// Along a rule the compute grows; what leaves the chart at the right or the top ends there.
Line line_of(const Chart& c, const AllocationRule& rule)
{
    Line line{&rule, {}, 0};
    for (double flops = 1e17; flops < 1e31; flops *= 2)
    {
        const ComputeOptimum best = rule.at(flops);
        const ImVec2 at{c.at_x(best.parameters), c.at_y(best.tokens)};
        line.points.push_back({best.parameters, best.tokens});
        if (at.x <= c.area.right() && at.y >= c.area.y)
        {
            line.end = at.y;
        }
    }
    return line;
}

void draw_rules(const Painter& p, const Chart& c, const LawsState& state, bool named)
{
    std::vector<Line> lines;
    for (const AllocationRule& rule : allocation_rules())
    {
        lines.push_back(line_of(c, rule));
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.end < b.end; });
    float free = c.area.y - p.px(20);
    for (const Line& line : lines)
    {
        const bool chosen = line.rule->id == state.fit().id;
        draw_chart_line(p, c, line.points, chosen ? line_colour(p.theme.forward) : p.theme.muted,
                        chosen ? 3.0F : 1.5F);
        const float at = std::max(line.end, free + p.height(Type::small) + p.px(1));
        if (named && at < c.area.bottom())
        {
            p.text_within(c.area.right() + p.px(8), at, p.px(kNames + 4),
                          chosen ? Type::small_strong : Type::small, chosen ? p.theme.text : p.theme.muted,
                          line.rule->name);
            free = at;
        }
    }
}

std::string tip_of(const TrainedModel& m, const LossFit& fit)
{
    const ComputeOptimum best = optimum(fit, m.flops());
    return fmt::format(
        "{}, {}\n\n{} parameters on {} tokens, {} each\n{}; best spent on {} and {}\nfitted loss "
        "{:.3f}, at best {:.3f}\n{}\n\nPress to stand there.",
        m.name, m.year, format_count(m.parameters), format_count(m.tokens), three_digits(m.ratio()),
        flop_words(m.flops()), format_count(best.parameters), format_count(best.tokens),
        loss(fit, m.parameters, m.tokens), loss(fit, best.parameters, best.tokens), m.source);
}

void draw_models(const Painter& p, const Chart& c, LawsState& state, FreeLabels& labels, Out& out)
{
    const float reach = p.px(7);
    for (const TrainedModel& m : trained_models())
    {
        const ImVec2 at = c.at(m.parameters, m.tokens);
        labels.take({at.x - reach, at.y - reach, 2 * reach, 2 * reach});
    }
    for (const TrainedModel& m : trained_models())
    {
        const ImVec2 at = c.at(m.parameters, m.tokens);
        const Press pressed = press(p, {at.x - reach, at.y - reach, 2 * reach, 2 * reach},
                                    fmt::format("###trained {}", m.name).c_str(), 7);
        tooltip(p, tip_of(m, state.fit()));
        p.list.AddCircleFilled(at, p.px(pressed.hovered ? 7 : 5), line_colour(p.theme.data));
        p.list.AddCircle(at, p.px(pressed.hovered ? 7 : 5), p.theme.window);
        labels.put(p, at, p.px(8), Type::small, p.theme.text, m.name);
        if (pressed.clicked)
        {
            move_to(state, m.parameters, m.tokens);
            out.animating = true;
        }
    }
}

} // namespace

void draw_trained_models(const Painter& p, Rect area, LawsState& state, const LawsSplit& split, Out& out)
{
    const bool named = area.w > p.px(560);
    const Chart c = chart_of(p, area, split, named);
    if (!c.drawable(p))
    {
        return;
    }
    p.part("models", c.area);
    draw_chart_x(p, c, "parameters that a token passes through", count_words);
    draw_chart_y(p, c, "tokens seen", count_words);
    FreeLabels labels(c.area);
    const ImVec2 at = c.at(split.parameters, split.tokens);
    labels.take({at.x - p.px(14), at.y - p.px(14), p.px(28), p.px(28)});
    draw_rules(p, c, state, named);
    draw_models(p, c, state, labels, out);
    draw_compute(p, c, labels);
    const ChartGrip grip = draw_chart_grip(p, at, "###point among the models", p.theme.text);
    if (grip.to)
    {
        move_to(state, c.x_of(grip.to->x), c.y_of(grip.to->y));
        out.animating = true;
    }
    else if (grip.steps != 0)
    {
        move_along(state, split, split.parameters * std::pow(1.1, grip.steps));
        out.animating = true;
    }
}

} // namespace ringside
