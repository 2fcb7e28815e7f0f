#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/scaling_law/repeats.h"
#include "ui/views/laws/pictures.h"

#include <cmath>
#include <cstdlib>

namespace ringside
{

namespace
{

// Logarithmic; the number it was moved to.
std::optional<double> slide(const Painter& p, Rect& area, const char* label, const std::string& shown,
                            LawsRange range, double value, TypedEntry& entry)
{
    const double all = std::log(range.most / range.least);
    const double at = std::log(range.held(value) / range.least) / all;
    const SliderChange change =
        slider(p, area.cut_top(p.px(48)), {label, shown}, static_cast<float>(at), entry);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return range.held(range.least * std::exp(all * static_cast<double>(change.position)));
    case SliderChange::Kind::stepped:
        return range.held(value * std::pow(1.1, change.steps));
    case SliderChange::Kind::typed:
        if (const auto typed = parse_number(change.text); typed && *typed > 0)
        {
            return range.held(*typed);
        }
        break;
    case SliderChange::Kind::none:
        break;
    }
    return std::nullopt;
}

void repeat_facts(const Painter& p, Rect area, const LawsState& state, const LawsSplit& split)
{
    const double unique = unique_of(state, split);
    const double seen = unique * state.passes;
    fact_row(p, area, "Seen", format_count(seen));
    fact_row(p, area, "Worth, fresh", format_count(effective_tokens(unique, seen)));
    fact_row(p, area, "The next pass", format_percent(worth_of_next_pass(state.passes)));
    fact_row(p, area, "Fitted loss", fmt::format("{:.3f}", repeated_loss(split.parameters, unique, seen)));
    fact_row(p, area, "all fresh", fmt::format("{:.3f}", repeated_loss(split.parameters, seen, seen)));
}

void split_facts(const Painter& p, Rect area, const LawsSplit& split)
{
    const double ratio = split.tokens / split.parameters;
    fact_row(p, area, "Tokens D", format_count(split.tokens));
    fact_row(p, area, "Tokens a parameter", three_digits(ratio));
    fact_row(p, area, "of the rule of 20", three_digits(ratio / kTokensPerParameter) + "\u00d7");
    fact_row(p, area, "Loss, nats a token", fmt::format("{:.3f}", split.loss));
    fact_row(p, area, "the best split", fmt::format("{:.3f}", split.best_loss));
    fact_row(p, area, "Same loss needs", format_percent(1 / split.overspent));
}

} // namespace

void LawsPanel::draw_sliders(const Painter& p, Rect& area, LawsState& state, const LawsSplit& split)
{
    if (state.picture == LawsPicture::repeats)
    {
        const double unique = unique_of(state, split);
        if (const auto to =
                slide(p, area, "Unique tokens", format_count(unique), kLawsTokens, unique, entry_))
        {
            state.unique = to;
        }
        if (const auto to =
                slide(p, area, "Passes", three_digits(state.passes), kLawsPasses, state.passes, entry_))
        {
            state.passes = *to;
        }
        return;
    }
    if (const auto to =
            slide(p, area, "Compute, FLOP", three_digits(split.flops), kLawsCompute, split.flops, entry_))
    {
        // Both grow alike, so that the point keeps its tokens a parameter.
        const double grow = std::sqrt(*to / split.flops);
        move_to(state, split.parameters * grow, split.tokens * grow);
    }
    if (state.picture == LawsPicture::serving)
    {
        if (const auto to = slide(p, area, "Tokens served", format_count(state.served), kLawsServed,
                                  state.served, entry_))
        {
            state.served = *to;
        }
        return;
    }
    if (const auto to = slide(p, area, "Parameters", format_count(split.parameters), kLawsParameters,
                              split.parameters, entry_))
    {
        move_along(state, split, *to);
    }
}

void LawsPanel::draw(const Painter& p, Rect area, LawsState& state, const LawsSplit& split, Out& out)
{
    const LawsState before = state;
    constexpr std::array<std::string_view, kLawsPictures> kPictures{"Loss", "Runs", "Serve", "Repeat"};
    constexpr std::array<std::string_view, kFits> kNames{"Printed", "Exact", "Refit"};
    if (const auto to =
            segments(p, area.cut_top(p.px(32)), kPictures, static_cast<std::size_t>(state.picture)))
    {
        state.picture = static_cast<LawsPicture>(*to);
        out.animating = true;
    }
    area.cut_top(p.px(8));
    const bool repeats = before.picture == LawsPicture::repeats;
    if (!repeats)
    {
        if (const auto to = segments(p, area.cut_top(p.px(32)), kNames, static_cast<std::size_t>(state.kind)))
        {
            state.kind = static_cast<FitKind>(*to);
            out.animating = true;
        }
        area.cut_top(p.px(6));
    }
    if (before.picture == state.picture)
    {
        draw_sliders(p, area, state, split);
    }
    if (state.moved && button(p, area.cut_top(p.px(32)), "As the scenario###as scenario", "R"))
    {
        state.moved.reset();
        out.animating = true;
    }
    area.cut_top(p.px(6));
    repeats ? repeat_facts(p, area, state, split) : split_facts(p, area, split);
}

} // namespace ringside
