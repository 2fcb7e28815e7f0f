#include "ui/views/formats/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 12> kAddends{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.003,
                                          0.004,  0.005,  0.01,   0.02,  0.05,  0.1};
constexpr std::array<double, 9> kStarts{0.001, 0.01, 0.1, 0.5, 1, 2, 10, 100, 1000};
constexpr std::array<double, 8> kIntervals{5, 10, 20, 50, 100, 200, 1000, 2000};
constexpr std::array<double, 3> kFirstScales{1, 65536, 16777216};

void draw_bits(const Painter& p, Rect area, FormatsState& state, const NumberFormat& f)
{
    if (toggle(p, area.cut_top(p.px(30)), "8 bits saturate", state.saturate))
    {
        state.saturate = !state.saturate;
    }
    tooltip(p,
            "Beyond the end: its largest number, as casts in training do; else infinity, or NaN in E4M3 (O)");
    area.cut_top(p.px(6));
    fact_row(p, area, "Largest", exact_power(largest(f)));
    fact_row(p, area, "Smallest normal", exact_power(smallest_normal(f)));
    fact_row(p, area, "Smallest above 0", exact_power(smallest_subnormal(f)));
    fact_row(p, area, "From 1 to the next", exact_power(epsilon(f)));
    if (std::isfinite(state.value))
    {
        fact_row(p, area, "Step at x", exact_power(step_at(f, state.value)));
    }
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           fmt::format("**{}** bits: 1 sign, {} exponent, {} mantissa. Press any bit to turn it over.",
                       f.bits(), f.exponent_bits, f.mantissa_bits));
}

void draw_sums(const Painter& p, Rect area, FormatsState& state, const NumberFormat& f, const Frame& frame)
{
    Walk& walk = state.walk;
    walk.start = stop_slider(p, area.cut_top(p.px(44)), {"Weight", plain_number(walk.start), kStarts},
                             walk.start, state.entry);
    walk.addend = stop_slider(p, area.cut_top(p.px(44)),
                              {"Added each time", fmt::format("{:.4g}", walk.addend), kAddends}, walk.addend,
                              state.entry);
    if (button(p, area.cut_top(p.px(32)), "Draw again", "R"))
    {
        state.seed += kFormats;
    }
    area.cut_top(p.px(8));
    Walk each = walk;
    each.format = f.id;
    const std::size_t at = addition_at(state, frame);
    const double sum = walk_nearest(each)[at];
    fact_row(p, area, "Sum, to nearest", short_figure(sum));
    fact_row(p, area, "Sum, exact", short_figure(walk.start + walk.addend * static_cast<double>(at)));
    fact_row(p, area, "Lost up to", short_figure(lost_addend(f, sum)));
    area.cut_top(p.px(6));
    p.text_within(area.x, area.y + p.px(10), area.w, Type::small, p.theme.muted, "At the end, to nearest");
    area.cut_top(p.px(24));
    for (const NumberFormat& other : number_formats())
    {
        if (area.h < p.px(24))
        {
            return;
        }
        each.format = other.id;
        fact_row(p, area, other.name, short_figure(walk_nearest(each).back()));
    }
}

void draw_blocks(const Painter& p, Rect area, FormatsState& state)
{
    if (button(p, area.cut_top(p.px(32)), "Other numbers", "R"))
    {
        state.numbers = made_up_numbers(++state.seed);
    }
    area.cut_top(p.px(6));
    if (button(p, area.cut_top(p.px(32)), "Outlier away or back", "O"))
    {
        turn_outlier(state);
    }
    area.cut_top(p.px(10));
    const BlockFormat& f = block_format(state.block);
    const NumberFormat& e = number_format(f.element);
    fact_row(p, area, "Numbers are", e.name);
    fact_row(p, area, "Their largest", exact_power(largest(e)));
    fact_row(p, area, "Scales are", f.scale);
    fact_row(p, area, "Bits a number", fmt::format("{:g}", f.bits_per_value()));
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           "Drag a bar up: it takes its **own block** along, and no other.");
}

void draw_scale(const Painter& p, Rect area, FormatsState& state, FormatId shown, const Frame& frame,
                const LossScaleRuns& runs)
{
    constexpr std::array<std::string_view, 3> kNames{"1", "2^16", "2^24"};
    p.text_within(area.x, area.y + p.px(10), area.w, Type::small, p.theme.muted, "Loss scale starts at");
    area.cut_top(p.px(22));
    const auto now =
        std::find(kFirstScales.begin(), kFirstScales.end(), state.run.start) - kFirstScales.begin();
    if (const auto chosen = segments(p, area.cut_top(p.px(32)), kNames, static_cast<std::size_t>(now)))
    {
        state.run.start = kFirstScales.at(*chosen);
    }
    area.cut_top(p.px(6));
    if (toggle(p, area.cut_top(p.px(30)), "It changes", state.run.rule.dynamic))
    {
        state.run.rule.dynamic = !state.run.rule.dynamic;
    }
    tooltip(p, "Halved on overflow, doubled after a number of good steps (D)");
    state.run.rule.growth_interval = std::llround(
        stop_slider(p, area.cut_top(p.px(44)),
                    {"Good steps to double", std::to_string(state.run.rule.growth_interval), kIntervals},
                    static_cast<double>(state.run.rule.growth_interval), state.entry));
    const auto& steps = runs.of(state, shown);
    const LossScaleStep& step = steps[std::min(loss_step_at(state, frame), steps.size() - 1)];
    fact_row(p, area, "Good in a row", std::to_string(step.good_steps));
    fact_row(p, area, "Steps lost so far",
             std::to_string(std::count_if(steps.begin(), steps.begin() + (&step - steps.data()) + 1,
                                          [](const LossScaleStep& s) { return s.overflow; })));
    draw_range_table(p, area, state, shown, step.scale);
}

} // namespace

bool draw_formats_panel(const Painter& p, Rect area, FormatsState& state, const Frame& frame,
                        const LossScaleRuns& runs)
{
    if (const auto chosen =
            segments(p, area.cut_top(p.px(32)), kFormatsPages, static_cast<std::size_t>(state.page)))
    {
        state.page = static_cast<FormatsPage>(*chosen);
    }
    area.cut_top(p.px(8));
    const NumberFormat& f = number_format(shown_format(state, frame));
    bool asked = false;
    if (state.page != FormatsPage::blocks)
    {
        asked = dropdown(p, area.cut_top(p.px(34)), "###choose a format", f.name);
        area.cut_top(p.px(8));
    }
    switch (state.page)
    {
    case FormatsPage::bits:
        draw_bits(p, area, state, f);
        break;
    case FormatsPage::sums:
        draw_sums(p, area, state, f, frame);
        break;
    case FormatsPage::blocks:
        draw_blocks(p, area, state);
        break;
    case FormatsPage::gradients:
        draw_scale(p, area, state, f.id, frame, runs);
        break;
    }
    return asked;
}

} // namespace ringside
