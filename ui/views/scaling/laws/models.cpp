#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scaling/trained.h"
#include "ui/views/scaling/laws/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// Falling diagonals: the same compute everywhere.
void draw_compute(const Painter& p, Plot& plot)
{
    for (double flops = 1e20; flops < 1e29; flops *= 100)
    {
        const auto tokens = [&](double n) { return flops / training_flops(n, 1); };
        plot.line({{plot.x.low, tokens(plot.x.low)}, {plot.x.high, tokens(plot.x.high)}},
                  {with_alpha(p.theme.line, 0.8F), 1});
        const double n = std::sqrt(plot.x.low * plot.x.high) / 14;
        if (plot.inside({n, tokens(n)}))
        {
            plot.label({n, tokens(n)}, flop_words(flops), false, 4);
        }
    }
}

// Along a rule the compute grows.
void draw_rules(const Painter& p, Plot& plot, const LawsState& state)
{
    for (const AllocationRule& rule : allocation_rules())
    {
        std::vector<PlotPoint> points;
        for (double flops = 1e17; flops < 1e31; flops *= 2)
        {
            const ComputeOptimum best = rule.at(flops);
            points.push_back({best.parameters, best.tokens});
        }
        const bool chosen = rule.id == state.fit().id;
        plot.line(points,
                  chosen ? PlotStroke{line_colour(p.theme.forward), 3} : PlotStroke{p.theme.muted, 1.5F},
                  std::string(rule.name), chosen);
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

} // namespace

void draw_trained_models(const Painter& p, Rect area, LawsState& state, const LawsSplit& split, Out& out)
{
    Plot plot(p, area,
              {std::min(5e8, split.parameters / 2), std::max(2e12, split.parameters * 2), PlotScale::log,
               "parameters that a token passes through", count_words},
              {std::min(5e10, split.tokens / 2), std::max(1e14, split.tokens * 2), PlotScale::log,
               "tokens seen", count_words},
              {.part = "models", .names = area.w > p.px(560) ? 158.0F : 0});
    if (!plot)
    {
        return;
    }
    draw_rules(p, plot, state);
    for (const TrainedModel& m : trained_models())
    {
        const PlotPoint place{m.parameters, m.tokens};
        const Press pressed = plot.dot(place, {line_colour(p.theme.data)},
                                       fmt::format("###trained {}", m.name), tip_of(m, state.fit()));
        plot.label(place, std::string(m.name));
        if (pressed.clicked)
        {
            move_to(state, m.parameters, m.tokens);
            out.animating = true;
        }
    }
    draw_compute(p, plot);
    const PlotMove grip = plot.grip({split.parameters, split.tokens}, "###point among the models");
    if (grip.to)
    {
        move_to(state, grip.to->x, grip.to->y);
    }
    else if (const auto to = grip.x(1.1))
    {
        move_along(state, split, *to);
    }
    out.animating = out.animating || grip.x(1.1);
}

} // namespace ringside
