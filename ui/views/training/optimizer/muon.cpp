// Muon: what Newton-Schulz iterations do to singular values, and the FLOPs they add to a step by its batch.
#include "core/training/muon.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

double state_total(const Scenario& scenario, Optimizer optimizer)
{
    Training t = scenario.training;
    t.optimizer = optimizer;
    const StateBytes bytes = state_bytes(t);
    return bytes.total() - (optimizer == Optimizer::muon ? bytes.variance : 0);
}

void draw_singular(const OptimizerRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    Plot plot(r.p, area,
              {1e-3, 1, PlotScale::log, "singular value of the momentum, largest = 1", plain_number},
              {0, 1.3, PlotScale::linear, "", plain_number},
              {.title = "After Newton-Schulz iterations", .part = "singular values", .names = 100});
    if (!plot)
    {
        return;
    }
    plot.rule_y(1, {t.muted, 1, true});
    for (std::int64_t step = 0; step <= r.state.muon_steps; ++step)
    {
        const bool last = step == r.state.muon_steps;
        plot.line(sampled(
                      plot.x, [step](double s) { return newton_schulz(s, step); }, 240),
                  last ? PlotStroke{t.forward, 3} : PlotStroke{t.muted, 1.5F},
                  step == 0 ? "momentum" : fmt::format("step {}", step), last);
    }
    const PlotPoint small{0.01, newton_schulz(0.01, r.state.muon_steps)};
    plot.dot(small, {t.forward});
    plot.label(small, three_digits(small.y), true);
}

void draw_overhead(const OptimizerRoom& r, Rect area)
{
    const Scenario& s = r.frame.now.scenario;
    const MuonCost cost = muon_cost(s.model, r.state.muon_steps);
    const double batch = batch_tokens(s);
    const double low = std::min(1e5, batch / 2);
    const double high = std::max(1e8, batch * 2);
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, {low, high, PlotScale::log, "batch size, tokens", format_count},
              {cost.overhead(high) / 2, cost.overhead(low) * 2, PlotScale::log, "", format_percent},
              {.title = "FLOPs of Newton-Schulz over those of training", .part = "overhead"});
    if (!plot)
    {
        return;
    }
    plot.line(sampled(plot.x, [&](double tokens) { return cost.overhead(tokens); }), {t.text, 2.5F});
    plot.dot({batch, cost.overhead(batch)}, {t.forward});
    plot.label({batch, cost.overhead(batch)}, format_percent(cost.overhead(batch)), true);
    plot.rule_x(batch, {t.text, 1, true});
}

void draw_muon(const OptimizerRoom& r)
{
    Rect area = r.area;
    if (area.h > r.p.px(400))
    {
        draw_overhead(r, area.cut_bottom(std::floor(area.h * 0.42F)));
        area.cut_bottom(r.p.px(14));
    }
    draw_singular(r, area);
}

void panel_muon(PanelColumn& column, const OptimizerRoom& r)
{
    const Scenario& s = r.frame.now.scenario;
    column.slide("Newton-Schulz steps", Track::even(1, 10, say_whole), r.state.muon_steps);
    const MuonCost cost = muon_cost(s.model, r.state.muon_steps);
    column.gap();
    column.fact("Parameters in matrices", format_count(cost.matrices),
                "Of all layers; embeddings, output head and vectors stay with AdamW");
    column.fact("FLOPs per update", format_count(cost.flops), "Where every matrix is done once, by one GPU");
    column.fact("Batch size, tokens", format_count(batch_tokens(s)));
    column.fact("Of the training FLOPs", format_percent(cost.overhead(batch_tokens(s))));
    column.rule();
    column.fact("State, AdamW", fmt::format("{:g} B/param", state_total(s, Optimizer::adamw)));
    column.fact("State, Muon", fmt::format("{:g} B/param", state_total(s, Optimizer::muon)),
                "No second moment");
    column.fact("Exchanged, AdamW", fmt::format("{:g} B/param", adamw_exchanged()),
                "Gradients reduced, weights gathered, both in FP32");
    column.fact("Exchanged, Muon", fmt::format("{:g} B/param", muon_exchanged()),
                "Also the momentum of sharded matrices, gathered in 16 bits: at most 1.25 times as much");
    column.gap();
    column.note(
        "An iteration needs the **whole** matrix: ranks that hold shards gather it first, and each does its "
        "products again.");
}

Caption caption_muon(const Frame& frame, OptimizerState& state)
{
    const Scenario& s = frame.now.scenario;
    const MuonCost cost = muon_cost(s.model, state.muon_steps);
    const double tokens = batch_tokens(s);
    return {
        fmt::format(
            "{} Newton-Schulz steps take **{}** of the FLOPs of a step of {} tokens, and bring singular "
            "values of 0.01 to **{}**.",
            state.muon_steps, format_percent(cost.overhead(tokens)), format_count(tokens),
            three_digits(newton_schulz(0.01, state.muon_steps))),
        fmt::format(
            "steps (4 m\u00b2 n + 2 m\u00b3) of every matrix / (6 \u00d7 active \u00d7 tokens) = {} / {}",
            format_count(cost.flops), format_count(cost.token_flops * tokens)),
        "Jordan et al. 2024, kellerjordan.github.io/posts/muon: s \u2192 3.4445 s \u2212 4.7750 s\u00b3 + "
        "2.0315 "
        "s\u2075. Sharded: Liu et al. 2025, arXiv 2502.16982, section 2.3. Experts are all updated, but each "
        "token trains some, so their overhead is larger."};
}

} // namespace

const Page<OptimizerState> muon_page{"Muon", draw_muon, panel_muon, caption_muon, nullptr, "Muon"};

} // namespace ringside
