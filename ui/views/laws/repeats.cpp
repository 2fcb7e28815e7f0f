#include "core/engine/scaling_law/repeats.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/laws/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

void draw_worth(const Painter& p, const Chart& c, FreeLabels& labels)
{
    std::vector<ChartPoint> worth;
    std::vector<ChartPoint> fresh;
    for (int i = 0; i <= 160; ++i)
    {
        const double passes = c.x.at(i / 160.0);
        worth.push_back({passes, effective_tokens(1, passes)});
        fresh.push_back({passes, passes});
    }
    draw_chart_line(p, c, fresh, p.theme.muted, 1.5F);
    draw_chart_line(p, c, worth, line_colour(p.theme.forward), 3);
    labels.avoid(c, fresh);
    labels.avoid(c, worth);
    const double most = effective_tokens(1, 1e9);
    p.dashed(c.area.x, c.at_y(most), c.area.right(), c.at_y(most), p.theme.muted);
}

} // namespace

void draw_repeats(const Painter& p, Rect area, LawsState& state, const LawsSplit&, Out& out)
{
    const Chart c = chart_in(p, area, p.px(60), {kLawsPasses.least, kLawsPasses.most, true}, {1, 60, true});
    if (!c.drawable(p))
    {
        return;
    }
    p.part("repeats", c.area);
    draw_chart_x(p, c, "passes over the same tokens", plain_number);
    draw_chart_y(p, c, "worth, in passes of fresh tokens", plain_number);
    FreeLabels labels(c.area);
    draw_worth(p, c, labels);
    const double worth = effective_tokens(1, state.passes);
    const ImVec2 at = c.at(state.passes, worth);
    labels.take({at.x - p.px(12), at.y - p.px(12), p.px(24), p.px(24)});
    p.dashed(at.x, at.y, at.x, c.at_y(state.passes), p.theme.muted);
    labels.avoid({at.x, c.at_y(state.passes)}, {at.x, c.area.bottom()});
    p.line(at.x, at.y, at.x, c.area.bottom(), p.theme.text, 1);
    const ChartGrip grip = draw_chart_grip(p, at, "###passes", p.theme.text);
    labels.put(p, at, p.px(16), Type::small_strong, p.theme.text,
               fmt::format("{} passes are worth {}", three_digits(state.passes), three_digits(worth)));
    labels.put(p, c.at(24, 24), p.px(6), Type::small, p.theme.muted, "all fresh");
    const double most = effective_tokens(1, 1e9);
    labels.put(p, c.at(1.6, most), p.px(4), Type::small, p.theme.muted,
               fmt::format("never more than {}", three_digits(most)));
    if (grip.to || grip.steps != 0)
    {
        state.passes =
            kLawsPasses.held(grip.to ? c.x_of(grip.to->x) : state.passes * std::pow(1.1, grip.steps));
        out.animating = true;
    }
}

} // namespace ringside
