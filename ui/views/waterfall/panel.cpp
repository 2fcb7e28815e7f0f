#include "ui/views/waterfall/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <array>

namespace ringside
{

namespace
{

// True when the constants are asked for.
bool draw_heading(const Painter& p, Rect row, bool constants)
{
    const Rect right = row.cut_right(p.px(112));
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, p.theme.text, "Convention");
    return button(p, right, "Constants###constants", "C",
                  constants ? ButtonStyle::primary : ButtonStyle::quiet);
}

void draw_conventions(const Frame& frame, const Painter& p, Rect& area, Convention& convention)
{
    const Theme& t = p.theme;
    Rect row = area.cut_top(p.px(20));
    p.text_within(row.x, row.middle(), row.w, Type::small, t.muted, "Arithmetic counted, and peak");
    constexpr std::array<std::string_view, 4> kNumerators{"6N", "+ attn", "causal", "HFU"};
    if (const auto chosen =
            segments(p, area.cut_top(p.px(32)), kNumerators, static_cast<std::size_t>(convention.numerator)))
    {
        convention.numerator = static_cast<Numerator>(*chosen);
    }
    area.cut_top(p.px(6));
    row = area.cut_top(p.px(32));
    const StepTime& step = frame.now.report.step;
    const double dense = step.peak_flops / static_cast<double>(frame.now.scenario.cluster.gpus) / 1e12;
    const std::string first = fmt::format("{:.0f} dense", dense);
    const std::string second = fmt::format("{:.0f} sparse", 2 * dense);
    const std::array<std::string_view, 2> peaks{first, second};
    if (const auto chosen = segments(p, row, peaks, static_cast<std::size_t>(convention.peak)))
    {
        convention.peak = static_cast<PeakKind>(*chosen);
    }
}

void draw_utilization(const Frame& frame, const Painter& p, Rect& area, Convention convention)
{
    const Theme& t = p.theme;
    const StepTime& step = frame.now.report.step;
    area.cut_top(p.px(6));
    const std::string_view name = convention.numerator == Numerator::hardware ? "HFU" : "MFU";
    Rect row = area.cut_top(p.px(18));
    p.text_within(row.x, row.middle(), row.w, Type::small, t.muted, name);
    row = area.cut_top(p.px(40));
    const std::string share =
        fmt::format("{:.1f}%", utilization(step, convention.numerator, convention.peak) * 100);
    const float used = p.text(row.x, row.middle(), Type::display, t.text, share);
    const double peak = step.peak_flops / static_cast<double>(frame.now.scenario.cluster.gpus) / 1e12 *
                        (convention.peak == PeakKind::sparse ? 2 : 1);
    const float x = row.x + used + p.px(12);
    p.text_within(x, row.middle() + p.px(2), row.right() - x, Type::small, t.muted,
                  fmt::format("of {:.0f} TFLOP/s", peak));
}

void draw_words(const Painter& p, Rect& area, std::string_view title, const std::string& says)
{
    area.cut_top(p.px(6));
    const Rect row = area.cut_top(p.px(20));
    p.text_within(row.x, row.middle(), row.w, Type::small, p.theme.muted, title);
    area.cut_top(p.rich(area, Type::small, Type::small_strong, p.theme.text, says));
}

} // namespace

void draw_waterfall_panel(const Frame& frame, const Painter& p, Rect area, const Sensitivity& all,
                          Convention& convention, WaterfallPicture& picture)
{
    const bool tornado = picture == WaterfallPicture::tornado;
    const bool constants = picture == WaterfallPicture::constants;
    if (draw_heading(p, area.cut_top(p.px(28)), constants))
    {
        picture = constants ? WaterfallPicture::rows : WaterfallPicture::constants;
    }
    draw_conventions(frame, p, area, convention);
    draw_utilization(frame, p, area, convention);
    draw_words(p, area, "What limits this?", say_limit(frame));
    draw_words(p, area, "Biggest lever", all.done() ? say_move(all, all.best()) : "\u2026");
    area.cut_top(p.px(8));
    if (button(p, area.cut_top(p.px(36)), "What helps most?###tornado", "W",
               tornado ? ButtonStyle::primary : ButtonStyle::plain))
    {
        picture = tornado ? WaterfallPicture::rows : WaterfallPicture::tornado;
    }
}

} // namespace ringside
