#include "ui/views/training/formats/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/panel_column.h"

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

std::string say_addend(double value)
{
    return fmt::format("{:.4g}", value);
}

void draw_bits(PanelColumn& column, FormatsState& state, const NumberFormat& f)
{
    column.toggle("Saturating casts", state.saturate,
                  "Beyond the end: its largest number, as casts in training do; else infinity, or NaN in "
                  "E4M3 (O)");
    column.fact("Largest", exact_power(largest(f)));
    column.fact("Smallest normal", exact_power(smallest_normal(f)));
    column.fact("Smallest subnormal", exact_power(smallest_subnormal(f)));
    column.fact("Machine epsilon", exact_power(epsilon(f)));
    if (std::isfinite(state.value))
    {
        column.fact("Step at x", exact_power(step_at(f, state.value)));
    }
    column.gap();
    column.note(fmt::format("**{}** bits: 1 sign, {} exponent, {} mantissa. Press any bit to turn it over.",
                            f.bits(), f.exponent_bits, f.mantissa_bits));
}

void draw_sums(PanelColumn& column, FormatsState& state, const NumberFormat& f, const Frame& frame)
{
    Walk& walk = state.walk;
    column.slide("Weight", Track::at(kStarts, plain_number), walk.start);
    column.slide("Added each time", Track::at(kAddends, say_addend), walk.addend);
    if (column.button("Draw again", "R"))
    {
        state.seed += kFormats;
    }
    Walk each = walk;
    each.format = f.id;
    const std::size_t at = addition_at(state, frame);
    const double sum = walk_nearest(each)[at];
    column.fact("Sum, to nearest", short_figure(sum));
    column.fact("Sum, exact", short_figure(walk.start + walk.addend * static_cast<double>(at)));
    column.fact("Lost up to", short_figure(lost_addend(f, sum)));
    column.gap();
    column.label("At the end, to nearest");
    for (const NumberFormat& other : number_formats())
    {
        each.format = other.id;
        column.fact(other.name, short_figure(walk_nearest(each).back()));
    }
}

void draw_blocks(PanelColumn& column, FormatsState& state)
{
    if (column.button("Other numbers", "R"))
    {
        state.numbers = made_up_numbers(++state.seed);
    }
    if (column.button("Outlier away or back", "O"))
    {
        turn_outlier(state);
    }
    const BlockFormat& f = block_format(state.block);
    const NumberFormat& e = number_format(f.element);
    column.fact("Numbers are", e.name);
    column.fact("Their largest", exact_power(largest(e)));
    column.fact("Scales are", f.scale);
    column.fact("Bits a number", fmt::format("{:g}", f.bits_per_value()));
    column.gap();
    column.note("Drag a bar up: it takes its **own block** along, and no other.");
}

void draw_scale(const Painter& p, PanelColumn& column, FormatsState& state, FormatId shown,
                const Frame& frame, const LossScaleRuns& runs)
{
    column.label("Loss scale starts at");
    column.choice({"1", "2^16", "2^24"}, kFirstScales, state.run.start);
    column.toggle("It changes", state.run.rule.dynamic,
                  "Halved on overflow, doubled after a number of good steps (D)");
    column.slide("Good steps to double", Track::at(kIntervals, plain_number), state.run.rule.growth_interval);
    const auto& steps = runs.of(state, shown);
    const auto at = static_cast<std::ptrdiff_t>(std::min(loss_step_at(state, frame), steps.size() - 1));
    const auto here = steps.begin() + at;
    column.fact("Good in a row", std::to_string(here->good_steps));
    column.fact("Steps lost so far",
                std::to_string(std::count_if(steps.begin(), here + 1,
                                             [](const LossScaleStep& s) { return s.overflow; })));
    draw_range_table(p, column.rest(), state, shown, here->scale);
}

} // namespace

bool draw_formats_panel(const Painter& p, Rect area, FormatsState& state, const Frame& frame,
                        const LossScaleRuns& runs, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice(kFormatsPages, state.page);
    const NumberFormat& f = number_format(shown_format(state, frame));
    const bool asked = state.page != FormatsPage::blocks && column.dropdown("###choose a format", f.name);
    switch (state.page)
    {
    case FormatsPage::bits:
        draw_bits(column, state, f);
        break;
    case FormatsPage::sums:
        draw_sums(column, state, f, frame);
        break;
    case FormatsPage::blocks:
        draw_blocks(column, state);
        break;
    case FormatsPage::gradients:
        draw_scale(p, column, state, f.id, frame, runs);
        break;
    }
    return asked;
}

} // namespace ringside
