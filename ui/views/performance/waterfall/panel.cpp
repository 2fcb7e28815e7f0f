#include "ui/views/performance/waterfall/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

namespace
{

void draw_conventions(const Frame& frame, PanelColumn& column, Convention& convention)
{
    column.label("FLOP convention and peak");
    column.choice({"6N", "+ attn", "causal", "HFU"}, convention.numerator);
    const StepTime& step = frame.now.report.step;
    const double dense = step.peak_flops / static_cast<double>(frame.now.scenario.cluster.gpus) / 1e12;
    const std::string first = fmt::format("{:.0f} dense", dense);
    const std::string second = fmt::format("{:.0f} sparse", 2 * dense);
    column.choice({first, second}, convention.peak);
    column.figure(fmt::format("{:.1f}%", utilization(step, convention.numerator, convention.peak) * 100),
                  fmt::format("{} of {:.0f} TFLOP/s",
                              convention.numerator == Numerator::hardware ? "HFU" : "MFU",
                              dense * (convention.peak == PeakKind::sparse ? 2 : 1)));
}

// Goes there, and back from there.
void draw_turn(PanelColumn& column, const char* label, std::string_view key, WaterfallPicture to,
               WaterfallPicture& picture)
{
    const bool there = picture == to;
    const bool pressed = column.button(label, key, there ? ButtonStyle::primary : ButtonStyle::plain);
    picture = !pressed ? picture : there ? WaterfallPicture::rows : to;
}

} // namespace

void draw_waterfall_panel(const Frame& frame, const Painter& p, Rect area, const Sensitivity& all,
                          Convention& convention, WaterfallPicture& picture, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.heading("Convention");
    draw_conventions(frame, column, convention);
    column.label("What limits this?");
    column.note(say_limit(frame), false);
    column.label("Biggest lever");
    column.note(all.done() ? say_move(all, all.best()) : "\u2026", false);
    draw_turn(column, "What helps most?###tornado", "W", WaterfallPicture::tornado, picture);
    draw_turn(column, "Constants###constants", "C", WaterfallPicture::constants, picture);
}

} // namespace ringside
