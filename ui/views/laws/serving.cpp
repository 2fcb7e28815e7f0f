#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/scaling_law/lifetime.h"
#include "ui/views/laws/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct Lives
{
    double least = 1;     // parameters that reach the loss at all
    ComputeOptimum plain; // without serving
    Lifetime best;        // over the life
    Lifetime chosen;      // of the point
    Lifetime plain_life;  // of the compute optimum
};

std::optional<Lives> lives_of(const LossFit& fit, const LawsSplit& split, double served)
{
    Lives l;
    l.least = least_parameters(fit, split.loss);
    l.plain = optimum(fit, compute_for_loss(fit, split.loss));
    const auto best = lifetime_optimum(fit, split.loss, served);
    const auto chosen = lifetime_at(fit, split.loss, split.parameters, served);
    const auto plain = lifetime_at(fit, split.loss, l.plain.parameters, served);
    if (!best || !chosen || !plain)
    {
        return std::nullopt;
    }
    l.best = *best;
    l.chosen = *chosen;
    l.plain_life = *plain;
    return l;
}

Chart chart_of(const Painter& p, Rect area, const Lives& l)
{
    Chart c = chart_in(p, area, p.px(60));
    c.x = {l.least * 1.02, std::max(l.plain.parameters * 12, l.chosen.parameters * 2), true};
    const double low = std::min({l.best.training, l.best.serving, l.plain_life.serving});
    const double high = l.plain_life.total();
    c.y = {std::max(low / 4, high * 1e-4), std::max(high, l.chosen.total()) * 20, true};
    return c;
}

enum class Part
{
    training,
    serving,
    total
};

double of(const Lifetime& life, Part part)
{
    return part == Part::training ? life.training : part == Part::serving ? life.serving : life.total();
}

void draw_curve(const Painter& p, const Chart& c, const LossFit& fit, double wanted, double served, Part part)
{
    std::vector<ChartPoint> points;
    for (int i = 0; i <= 200; ++i)
    {
        const double n = c.x.at(i / 200.0);
        const auto life = lifetime_at(fit, wanted, n, served);
        points.push_back({n, life && of(*life, part) > 0 ? of(*life, part) : NAN});
    }
    const Theme& t = p.theme;
    draw_chart_line(p, c, points,
                    part == Part::training  ? line_colour(t.forward)
                    : part == Part::serving ? line_colour(t.data)
                                            : t.text,
                    part == Part::total ? 3.0F : 2.0F);
}

void name_curves(const Painter& p, const Chart& c, const LossFit& fit, double wanted, double served,
                 FreeLabels& labels)
{
    const double n = c.x.at(0.88);
    const auto life = lifetime_at(fit, wanted, n, served);
    if (!life)
    {
        return;
    }
    labels.put(p, c.at(n, life->total()), p.px(6), Type::small_strong, p.theme.text, "whole life");
    labels.put(p, c.at(n, life->training), p.px(6), Type::small, p.theme.text, "training 6 N D");
    if (life->serving > 0)
    {
        labels.put(p, c.at(n, life->serving), p.px(6), Type::small, p.theme.text, "serving 2 N");
    }
}

void mark(const Painter& p, const Chart& c, const Lifetime& life, FreeLabels& labels,
          const std::string& words)
{
    const ImVec2 at = c.at(life.parameters, life.total());
    p.dashed(at.x, at.y, at.x, c.area.bottom(), p.theme.muted);
    p.list.AddCircleFilled(at, p.px(5), p.theme.text);
    labels.take({at.x - p.px(6), at.y - p.px(6), p.px(12), p.px(12)});
    labels.put(p, {at.x, at.y - p.px(4)}, p.px(10), Type::small_strong, p.theme.text, words);
}

} // namespace

void draw_serving(const Painter& p, Rect area, LawsState& state, const LawsSplit& split, Out& out)
{
    const LossFit& fit = state.fit();
    const auto lives = lives_of(fit, split, state.served);
    if (!lives)
    {
        p.text_within(area.x, area.middle(), area.w, Type::body, p.theme.text, "No size reaches this loss.");
        return;
    }
    const Chart c = chart_of(p, area, *lives);
    if (c.area.h <= 0)
    {
        return;
    }
    p.part("life", c.area);
    draw_chart_x(p, c, "parameters; each size is trained until it reaches the same loss", count_words);
    draw_chart_y(p, c, "FLOP", power_words);
    for (const Part part : {Part::serving, Part::training, Part::total})
    {
        draw_curve(p, c, fit, split.loss, state.served, part);
    }
    FreeLabels labels(c.area);
    const ImVec2 at = c.at(split.parameters, lives->chosen.total());
    labels.take({at.x - p.px(12), at.y - p.px(12), p.px(24), p.px(24)});
    mark(p, c, lives->best, labels, fmt::format("cheapest: {}", format_count(lives->best.parameters)));
    mark(p, c, lives->plain_life, labels,
         fmt::format("compute-optimal: {}", format_count(lives->plain.parameters)));
    name_curves(p, c, fit, split.loss, state.served, labels);
    const ChartGrip grip = draw_chart_grip(p, at, "###point of a life", p.theme.text);
    const double wish = grip.to ? c.x_of(grip.to->x) : split.parameters * std::pow(1.1, grip.steps);
    const double tokens = grip.to || grip.steps != 0 ? tokens_for_loss(fit, split.loss, wish) : 0;
    if (tokens >= kLawsTokens.least && tokens <= kLawsTokens.most)
    {
        move_to(state, wish, tokens);
        out.animating = true;
    }
}

} // namespace ringside
