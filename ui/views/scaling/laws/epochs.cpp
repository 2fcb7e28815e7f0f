// What tokens are worth that are repeated.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/scaling/repeats.h"
#include "ui/views/scaling/laws/pages.h"
#include "ui/widgets/charts/plot.h"

namespace ringside
{

namespace
{

double unique_of(const LawsState& state, const LawsSplit& split)
{
    return kLawsTokens.clamped(state.unique.value_or(split.tokens / 4));
}

void draw_epochs(const LawsRoom& r)
{
    const Painter& p = r.p;
    LawsState& state = r.state;
    const Theme& t = p.theme;
    Plot plot(
        p, r.area,
        {kLawsPasses.low, kLawsPasses.high, PlotScale::log, "epochs over the same tokens", plain_number},
        {1, 60, PlotScale::log, "effective epochs of unique data", plain_number}, {.part = "repeats"});
    if (!plot)
    {
        return;
    }
    plot.line(sampled(plot.x, [](double passes) { return passes; }), {t.muted, 1.5F}, "all unique");
    plot.line(sampled(plot.x, [](double passes) { return effective_tokens(1, passes); }), {t.forward, 3});
    const double most = effective_tokens(1, 1e9);
    plot.rule_y(most, {t.muted, 1, true}, fmt::format("limit: {}", three_digits(most)));
    const double worth = effective_tokens(1, state.passes);
    plot.line({{state.passes, worth}, {state.passes, state.passes}}, {t.muted, 1, true});
    plot.line({{state.passes, plot.y.low}, {state.passes, worth}}, {t.text, 1});
    const PlotMove grip =
        plot.grip({state.passes, worth}, "###passes",
                  fmt::format("{} epochs are worth {}", three_digits(state.passes), three_digits(worth)));
    if (const auto to = grip.x(1.1))
    {
        state.passes = kLawsPasses.clamped(*to);
        r.out.animating = true;
    }
}

void panel_epochs(PanelColumn& column, const LawsRoom& r)
{
    LawsState& state = r.state;
    const LawsSplit split = split_of(r.frame, state);
    const auto say_loss = [](double nats) { return fmt::format("{:.3f}", nats); };
    column.slide("Unique tokens", kLawsTokens, unique_of(state, split), state.unique);
    column.slide("Epochs", kLawsPasses, state.passes);
    const double unique = unique_of(state, split);
    const double seen = unique * state.passes;
    column.fact("Tokens seen", format_count(seen));
    column.fact("Equivalent unique", format_count(effective_tokens(unique, seen)));
    column.fact("Value of next epoch", format_percent(worth_of_next_pass(state.passes)));
    column.fact("Predicted loss", say_loss(repeated_loss(split.parameters, unique, seen)));
    column.fact("Loss if all unique", say_loss(repeated_loss(split.parameters, seen, seen)));
}

Caption caption_epochs(const Frame& frame, LawsState& state)
{
    const double unique = unique_of(state, split_of(frame, state));
    const double worth = effective_tokens(unique, unique * state.passes);
    return {
        fmt::format("{} epochs over {} tokens are worth **{} unique tokens**; the next epoch is worth **{}** "
                    "of a first one.",
                    three_digits(state.passes), format_count(unique), format_count(worth),
                    format_percent(worth_of_next_pass(state.passes))),
        fmt::format(
            "D\u2032 = U + U R* (1 \u2212 e^(\u2212R/R*)), R* = {:.4g}, R = {} \u2212 1; D\u2032 = {}",
            kRepeatDecay, figure(state.passes, 3), figure(worth, 3)),
        "Muennighoff et al. 2023, arXiv 2305.16264, equation 5 and appendix A. Repetition cannot hurt in "
        "this "
        "fit; beyond a few dozen epochs it does."};
}

} // namespace

const Page<LawsState> epochs_page{"Epochs",       draw_epochs, panel_epochs,
                                  caption_epochs, nullptr,     "Repeated data"};

} // namespace ringside
