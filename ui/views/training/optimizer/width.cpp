// muP: how far a step of Adam moves a layer by its width, and what a learning rate that was tuned on a narrow
// model becomes on the scenario's.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/training/mup.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 6> kNarrow{64, 128, 256, 512, 1024, 2048};

double width_of(const OptimizerRoom& r)
{
    return static_cast<double>(r.frame.now.scenario.model.hidden);
}

std::string times_words(double factor)
{
    return three_digits(factor) + "\u00d7";
}

void draw_moves(const OptimizerRoom& r, Rect area)
{
    const double narrow = r.state.narrow;
    const double width = width_of(r);
    const double low = std::min(narrow, width) / 2;
    const double high = std::max(narrow, width) * 2;
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, {low, high, PlotScale::log, "width (hidden size)", plain_number},
              {std::min(0.5, width / narrow / 2), 2 * high / narrow, PlotScale::log, "", times_words},
              {.title = "How far one step of Adam moves a hidden layer\u2019s output",
               .note = fmt::format("width of the tuned model = 1; it takes {} of the FLOPs",
                                   format_percent(proxy_flops_share(narrow, width))),
               .part = "moves",
               .names = 150});
    if (!plot)
    {
        return;
    }
    for (const bool mup : {false, true})
    {
        plot.line(sampled(plot.x, [&](double n) { return output_move(narrow, n, mup); }),
                  mup ? PlotStroke{t.forward, 3} : PlotStroke{t.text, 2}, mup ? "muP" : "same learning rate");
        const PlotPoint at{width, output_move(narrow, width, mup)};
        plot.dot(at, mup ? PlotDot{t.forward} : PlotDot{t.text});
        plot.label(at, times_words(at.y), true);
    }
    plot.rule_x(narrow, {t.muted, 1, true}, "tuned");
    plot.rule_x(width, {t.text, 1, true});
}

void draw_scalings(const OptimizerRoom& r, Rect area)
{
    const double narrow = r.state.narrow;
    const double width = width_of(r);
    const auto column = [&](double WidthScaling::*of)
    {
        return [narrow, width, of](WidthRole role)
        { return Cell(times_words(mup_scaling(role, narrow, width).*of)); };
    };
    const Table<WidthRole> table(
        {Column<WidthRole>(fmt::format("From width {} to {}", say_whole(narrow), say_whole(width)),
                           [](WidthRole role) { return capitalized(std::string(name_of(role))); }),
         {"init std", column(&WidthScaling::deviation), 2},
         {"output", column(&WidthScaling::multiplier), 3},
         {"learning rate", column(&WidthScaling::rate)}});
    r.p.part("scalings", area);
    table.draw(r.p, area, every<WidthRole>());
}

void draw_width(const OptimizerRoom& r)
{
    Rect area = r.area;
    const float table = table_height(r.p, kNamesOf<WidthRole>.size());
    if (area.h > table + r.p.px(150))
    {
        draw_scalings(r, area.cut_bottom(table));
        area.cut_bottom(r.p.px(14));
    }
    draw_moves(r, area);
}

void panel_width(PanelColumn& column, const OptimizerRoom& r)
{
    column.slide("Width of the tuned model", Track::at(kNarrow, say_whole), r.state.narrow);
    const double width = width_of(r);
    const double peak = r.state.rate.peak;
    column.gap();
    column.fact("Width", grouped(r.frame.now.scenario.model.hidden), "Of the scenario\u2019s model");
    column.fact("Tuned learning rate", learning_rate_words(peak), "The schedule\u2019s peak");
    column.fact("For hidden matrices",
                learning_rate_words(peak * mup_scaling(WidthRole::hidden, r.state.narrow, width).rate),
                "In the wide model");
    column.fact("A run of the tuned model", format_percent(proxy_flops_share(r.state.narrow, width)),
                "Of the wide run\u2019s FLOPs in hidden matrices, at the same depth and tokens");
    column.gap();
    column.note("Width is all that transfers: depth, batch size and tokens have to be alike, or be tuned.");
}

Caption caption_width(const Frame& frame, OptimizerState& state)
{
    const auto width = static_cast<double>(frame.now.scenario.model.hidden);
    const double rate = mup_scaling(WidthRole::hidden, state.narrow, width).rate;
    return {
        fmt::format("At width {} a learning rate tuned at {} moves layers **{}** as far per step; "
                    "muP multiplies it by **{}**.",
                    say_whole(width), say_whole(state.narrow),
                    times_words(output_move(state.narrow, width, false)), three_digits(rate)),
        fmt::format("rate of hidden matrices = tuned \u00d7 {} / {} = {}", say_whole(state.narrow),
                    say_whole(width), three_digits(rate)),
        "Yang et al. 2022, Tensor Programs V, arXiv 2203.03466, Table 8, Adam. Attention logits: 1/d instead "
        "of 1/\u221ad where heads grow with the width."};
}

} // namespace

const Page<OptimizerState> width_page{"Width", draw_width, panel_width, caption_width, nullptr, "muP: width"};

} // namespace ringside
