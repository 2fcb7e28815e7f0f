// Compute of training and inference together against size, at equal loss.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/scaling/lifetime.h"
#include "ui/views/scaling/laws/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <optional>

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

// Points of a life at every size that reaches the loss at all.
template <typename Part>
std::vector<PlotPoint> curve_of(const PlotAxis& sizes, const LossFit& fit, double wanted, double served,
                                Part part)
{
    const auto flops = [&](double n)
    {
        const auto life = lifetime_at(fit, wanted, n, served);
        const double value = life ? part(*life) : 0;
        return value > 0 ? value : NAN;
    };
    return sampled(sizes, flops, 200);
}

void mark(const Painter& p, Plot& plot, const Lifetime& life, std::string words)
{
    plot.rule_x(life.parameters, {p.theme.muted, 1, true}, std::move(words));
    plot.dot({life.parameters, life.total()}, {p.theme.text});
}

void draw_inference(const LawsRoom& r)
{
    const Painter& p = r.p;
    const Rect area = r.area;
    LawsState& state = r.state;
    const LawsSplit split = split_of(r.frame, state);
    const Theme& t = p.theme;
    const LossFit& fit = state.fit();
    const auto lives = lives_of(fit, split, state.served);
    if (!lives)
    {
        empty_state(p, area, "No model size reaches this loss.");
        return;
    }
    const Lives& l = *lives;
    const double low = std::min({l.best.training, l.best.serving, l.plain_life.serving});
    const double high = l.plain_life.total();
    Plot plot(p, area,
              {l.least * 1.02, std::max(l.plain.parameters * 12, l.chosen.parameters * 2), PlotScale::log,
               "parameters; each size is trained to the same loss", count_words},
              {std::max(low / 4, high * 1e-4), std::max(high, l.chosen.total()) * 20, PlotScale::log, "FLOPs",
               power_words},
              {.part = "life", .names = 140});
    if (!plot)
    {
        return;
    }
    const auto curve = [&](auto part) { return curve_of(plot.x, fit, split.loss, state.served, part); };
    plot.line(curve([](const Lifetime& life) { return life.serving; }), {t.data}, "inference 2 N D");
    plot.line(curve([](const Lifetime& life) { return life.training; }), {t.forward}, "training 6 N D");
    plot.line(curve([](const Lifetime& life) { return life.total(); }), {t.text, 3}, "training + inference",
              true);
    mark(p, plot, l.best, fmt::format("cheapest: {}", format_count(l.best.parameters)));
    mark(p, plot, l.plain_life, fmt::format("compute-optimal: {}", format_count(l.plain.parameters)));
    const auto to = plot.grip({split.parameters, l.chosen.total()}, "###point of a life").x(1.1);
    const double tokens = to ? tokens_for_loss(fit, split.loss, *to) : 0;
    if (tokens == kLawsTokens.clamped(tokens))
    {
        move_to(state, *to, tokens);
        r.out.animating = true;
    }
}

void panel_inference(PanelColumn& column, const LawsRoom& r)
{
    panel_split(column, r,
                [&](const LawsSplit&) { column.slide("Inference tokens", kLawsServed, r.state.served); });
}

Caption caption_inference(const Frame& frame, LawsState& state)
{
    const LawsSplit s = split_of(frame, state);
    const auto lives = lives_of(state.fit(), s, state.served);
    if (!lives)
    {
        return split_caption(state, s, "No model size reaches this loss.", "");
    }
    const Lifetime& best = lives->best;
    Caption c = split_caption(
        state, s,
        fmt::format(
            "For {} inference tokens, **{} on {}** is cheapest: **{} less** than the compute-optimal {}.",
            format_count(state.served), format_count(best.parameters), format_count(best.tokens),
            format_percent(1 - best.total() / lives->plain_life.total()),
            format_count(lives->plain.parameters)),
        fmt::format("6 N D + 2 N D_inference = {} + {} = {}", figure(best.training, 3),
                    figure(best.serving, 3), flop_words(best.total())));
    c.source = "Sardana et al. 2024, arXiv 2401.00448: the minimum at equal loss.\n" + c.source;
    return c;
}

} // namespace

const Page<LawsState> inference_page{"Serve",           draw_inference, panel_inference,
                                     caption_inference, nullptr,        "Cost with inference"};

} // namespace ringside
