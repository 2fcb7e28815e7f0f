#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/scaling_law/lifetime.h"
#include "ui/views/laws/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

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
constexpr std::array kParts{Part::training, Part::serving, Part::total};

double of(const Lifetime& life, Part part)
{
    return part == Part::training ? life.training : part == Part::serving ? life.serving : life.total();
}

using Curves = std::array<std::vector<ChartPoint>, 3>; // by Part, at the same sizes

Curves curves_of(const Chart& c, const LossFit& fit, double wanted, double served)
{
    Curves curves;
    for (int i = 0; i <= 200; ++i)
    {
        const double n = c.x.at(i / 200.0);
        const auto life = lifetime_at(fit, wanted, n, served);
        for (const Part part : kParts)
        {
            const double flops = life ? of(*life, part) : 0;
            curves.at(static_cast<std::size_t>(part)).push_back({n, flops > 0 ? flops : NAN});
        }
    }
    return curves;
}

Colour colour_of(const Theme& t, Part part)
{
    return part == Part::training  ? line_colour(t.forward)
           : part == Part::serving ? line_colour(t.data)
                                   : t.text;
}

// The highest and the lowest pixel of a curve above a label's width; nothing where it has no points there.
std::optional<std::pair<float, float>> span_over(const Chart& c, const std::vector<ChartPoint>& curve,
                                                 float from, float to)
{
    std::optional<std::pair<float, float>> span;
    for (const ChartPoint& point : curve)
    {
        const float x = c.at_x(point.x);
        if (x < from || x > to || !std::isfinite(point.y))
        {
            continue;
        }
        const float y = c.at_y(point.y);
        span = span ? std::pair{std::min(span->first, y), std::max(span->second, y)} : std::pair{y, y};
    }
    return span;
}

// Close above or below its own line, where no other line comes as near; from the right, where they part.
void name_curve(const Painter& p, const Chart& c, const Curves& curves, Part part, std::string_view name,
                FreeLabels& labels)
{
    const Type type = part == Part::total ? Type::small_strong : Type::small;
    const float half = p.height(type) / 2 + p.px(2);
    const float w = p.width(type, name) + p.px(8);
    for (float to = c.area.right() - p.px(8); to - w > c.area.x; to -= p.px(12))
    {
        const auto own = span_over(c, curves.at(static_cast<std::size_t>(part)), to - w, to);
        for (const bool above : {true, false})
        {
            const float middle = !own ? 0 : above ? own->first - half : own->second + half;
            const auto near = [&](Part other)
            {
                const auto o = span_over(c, curves.at(static_cast<std::size_t>(other)), to - w, to);
                return other != part && o && o->first < middle + 1.6F * half &&
                       o->second > middle - 1.6F * half;
            };
            const bool inside = own && own->second - own->first < 5 * half && middle - half > c.area.y &&
                                middle + half < c.area.bottom();
            if (inside && std::none_of(kParts.begin(), kParts.end(), near) &&
                labels.put_inside(p, to - w / 2, middle, type, colour_of(p.theme, part), name, Align::centre))
            {
                return;
            }
        }
    }
}

// Named at the foot of its dashed line, where no curve runs: away from the other's.
void mark(const Painter& p, const Chart& c, const Lifetime& life, FreeLabels& labels,
          const std::string& words, Align align)
{
    const ImVec2 at = c.at(life.parameters, life.total());
    p.dashed(at.x, at.y, at.x, c.area.bottom(), p.theme.muted);
    p.list.AddCircleFilled(at, p.px(5), p.theme.text);
    labels.put_inside(p, at.x + p.px(align == Align::left ? 8.0F : -8.0F),
                      c.area.bottom() - p.height(Type::small_strong) / 2 - p.px(4), Type::small_strong,
                      p.theme.text, words, align);
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
    if (!c.drawable(p))
    {
        return;
    }
    p.part("life", c.area);
    draw_chart_x(p, c, "parameters; each size is trained until it reaches the same loss", count_words);
    draw_chart_y(p, c, "FLOP", power_words);
    const Curves curves = curves_of(c, fit, split.loss, state.served);
    for (const Part part : {Part::serving, Part::training, Part::total})
    {
        draw_chart_line(p, c, curves.at(static_cast<std::size_t>(part)), colour_of(p.theme, part),
                        part == Part::total ? 3.0F : 2.0F);
    }
    FreeLabels labels(c.area);
    const ImVec2 at = c.at(split.parameters, lives->chosen.total());
    labels.take({at.x - p.px(12), at.y - p.px(12), p.px(24), p.px(24)});
    // Both before the first name, or a name would lie on a dot.
    for (const Lifetime& life : {lives->best, lives->plain_life})
    {
        const ImVec2 dot = c.at(life.parameters, life.total());
        labels.take({dot.x - p.px(6), dot.y - p.px(6), p.px(12), p.px(12)});
    }
    mark(p, c, lives->best, labels, fmt::format("cheapest: {}", format_count(lives->best.parameters)),
         Align::right);
    mark(p, c, lives->plain_life, labels,
         fmt::format("compute-optimal: {}", format_count(lives->plain.parameters)), Align::left);
    name_curve(p, c, curves, Part::total, "whole life", labels);
    name_curve(p, c, curves, Part::training, "training 6 N D", labels);
    name_curve(p, c, curves, Part::serving, "serving 2 N", labels);
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
