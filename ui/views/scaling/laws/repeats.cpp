#include "core/scaling/repeats.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/scaling/laws/pictures.h"
#include "ui/widgets/plot.h"

#include <cmath>

namespace ringside
{

void draw_repeats(const Painter& p, Rect area, LawsState& state, const LawsSplit&, Out& out)
{
    const Theme& t = p.theme;
    Plot plot(
        p, area,
        {kLawsPasses.least, kLawsPasses.most, PlotScale::log, "epochs over the same tokens", plain_number},
        {1, 60, PlotScale::log, "effective epochs of unique data", plain_number}, {.part = "repeats"});
    if (!plot)
    {
        return;
    }
    plot.line(sampled(plot.x, [](double passes) { return passes; }), {t.muted, 1.5F}, "all fresh");
    plot.line(sampled(plot.x, [](double passes) { return effective_tokens(1, passes); }),
              {line_colour(t.forward), 3});
    const double most = effective_tokens(1, 1e9);
    plot.rule_y(most, {t.muted, 1, true}, fmt::format("never more than {}", three_digits(most)));
    const double worth = effective_tokens(1, state.passes);
    plot.line({{state.passes, worth}, {state.passes, state.passes}}, {t.muted, 1, true});
    plot.line({{state.passes, plot.y.low}, {state.passes, worth}}, {t.text, 1});
    const PlotMove grip =
        plot.grip({state.passes, worth}, "###passes",
                  fmt::format("{} passes are worth {}", three_digits(state.passes), three_digits(worth)));
    if (const auto to = grip.x(1.1))
    {
        state.passes = kLawsPasses.held(*to);
        out.animating = true;
    }
}

} // namespace ringside
