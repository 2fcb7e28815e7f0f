#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scaling/repeats.h"
#include "ui/views/scaling/laws/pictures.h"
#include "ui/widgets/panel_column.h"

#include <cmath>

namespace ringside
{

namespace
{

constexpr Track track_of(LawsRange range, SayNumber says)
{
    return Track::log(range.least, range.most, says);
}
constexpr Track kUniqueTrack = track_of(kLawsTokens, format_count);
constexpr Track kPassesTrack = track_of(kLawsPasses, three_digits);
constexpr Track kComputeTrack = track_of(kLawsCompute, three_digits);
constexpr Track kServedTrack = track_of(kLawsServed, format_count);
constexpr Track kSizeTrack = track_of(kLawsParameters, format_count);

std::string say_loss(double nats)
{
    return fmt::format("{:.3f}", nats);
}

void draw_repeated(PanelColumn& column, LawsState& state, const LawsSplit& split)
{
    column.slide("Unique tokens", kUniqueTrack, unique_of(state, split), state.unique);
    column.slide("Epochs", kPassesTrack, state.passes);
    const double unique = unique_of(state, split);
    const double seen = unique * state.passes;
    column.fact("Seen", format_count(seen));
    column.fact("Worth, fresh", format_count(effective_tokens(unique, seen)));
    column.fact("The next pass", format_percent(worth_of_next_pass(state.passes)));
    column.fact("Fitted loss", say_loss(repeated_loss(split.parameters, unique, seen)));
    column.fact("all fresh", say_loss(repeated_loss(split.parameters, seen, seen)));
}

void draw_split(PanelColumn& column, LawsState& state, const LawsSplit& split)
{
    column.choice({"Printed", "Exact", "Refit"}, state.kind);
    double flops = split.flops;
    if (column.slide("Compute, FLOP", kComputeTrack, flops))
    {
        // Both grow alike, so that the point keeps its tokens a parameter.
        const double grow = std::sqrt(flops / split.flops);
        move_to(state, split.parameters * grow, split.tokens * grow);
    }
    double parameters = split.parameters;
    if (state.picture == LawsPicture::serving)
    {
        column.slide("Tokens served", kServedTrack, state.served);
    }
    else if (column.slide("Parameters", kSizeTrack, parameters))
    {
        move_along(state, split, parameters);
    }
    if (state.moved && column.button("As the scenario###as scenario", "R"))
    {
        state.moved.reset();
    }
    const double ratio = split.tokens / split.parameters;
    column.fact("Tokens D", format_count(split.tokens));
    column.fact("Tokens per parameter", three_digits(ratio));
    column.fact("of the rule of 20", three_digits(ratio / kTokensPerParameter) + "\u00d7");
    column.fact("Loss, nats per token", say_loss(split.loss));
    column.fact("the best split", say_loss(split.best_loss));
    column.fact("Same loss needs", format_percent(1 / split.overspent));
}

} // namespace

void draw_laws_panel(const Painter& p, Rect area, LawsState& state, const LawsSplit& split, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice({"Loss", "Runs", "Serve", "Repeat"}, state.picture);
    state.picture == LawsPicture::repeats ? draw_repeated(column, state, split)
                                          : draw_split(column, state, split);
}

} // namespace ringside
