// Size against tokens, with models that were trained and the rules by which to choose.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/scaling/trained.h"
#include "ui/views/scaling/laws/pages.h"
#include "ui/widgets/charts/plot.h"

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
        plot.line(points, chosen ? PlotStroke{p.theme.forward, 3} : PlotStroke{p.theme.muted, 1.5F},
                  std::string(rule.name), chosen);
    }
}

std::string tip_of(const TrainedModel& m, const LossFit& fit)
{
    const ComputeOptimum best = optimum(fit, m.flops());
    return fmt::format("{}, {}\n\n{} parameters on {} tokens, {} per parameter\n{}; compute-optimal: {} on "
                       "{}\npredicted loss "
                       "{:.3f}, compute-optimal {:.3f}\n{}\n\nClick to go there.",
                       m.name, m.year, format_count(m.parameters), format_count(m.tokens),
                       three_digits(m.ratio()), flop_words(m.flops()), format_count(best.parameters),
                       format_count(best.tokens), loss(fit, m.parameters, m.tokens),
                       loss(fit, best.parameters, best.tokens), m.source);
}

void draw_models(const LawsRoom& r)
{
    const Painter& p = r.p;
    const Rect area = r.area;
    LawsState& state = r.state;
    const LawsSplit split = split_of(r.frame, state);
    Plot plot(p, area,
              {std::min(5e8, split.parameters / 2), std::max(2e12, split.parameters * 2), PlotScale::log,
               "active parameters", count_words},
              {std::min(5e10, split.tokens / 2), std::max(1e14, split.tokens * 2), PlotScale::log,
               "training tokens", count_words},
              {.part = "models", .names = area.w > p.px(560) ? 158.0F : 0});
    if (!plot)
    {
        return;
    }
    draw_rules(p, plot, state);
    for (const TrainedModel& m : trained_models())
    {
        const PlotPoint place{m.parameters, m.tokens};
        const Press pressed =
            plot.dot(place, {p.theme.data}, fmt::format("###trained {}", m.name), tip_of(m, state.fit()));
        plot.label(place, std::string(m.name));
        if (pressed.clicked)
        {
            move_to(state, m.parameters, m.tokens);
            r.out.animating = true;
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
    r.out.animating = r.out.animating || grip.x(1.1);
}

Caption caption_models(const Frame& frame, LawsState& state)
{
    const LawsSplit s = split_of(frame, state);
    const double times = s.parameters / s.best.parameters;
    return split_caption(
        state, s,
        fmt::format("{} on {}: **{} tokens per parameter**, {}\u00d7 {} than optimal by {}.",
                    format_count(s.parameters), format_count(s.tokens), three_digits(s.tokens / s.parameters),
                    three_digits(times > 1 ? times : 1 / times), times > 1 ? "larger" : "smaller",
                    state.fit().name),
        fmt::format("D / N = {} / {} = {};  C = 6 N D = {}", figure(s.tokens, 3), figure(s.parameters, 3),
                    figure(s.tokens / s.parameters, 3), flop_words(s.flops)));
}

} // namespace

const Page<LawsState> models_page{"Models",       draw_models, panel_parameters,
                                  caption_models, nullptr,     "Published models"};

} // namespace ringside
