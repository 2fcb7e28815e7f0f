// Recipes of 16, 8 and 4 bits side by side, and how much faster a linear layer is in each by its rows.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/performance/low_precision.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

LinearShape shape_of(const Scenario& s, const FormatsState& state)
{
    return {state.rows.value_or(static_cast<double>(s.training.micro_batch * s.training.sequence_length)),
            static_cast<double>(s.model.hidden),
            static_cast<double>(s.model.ffn > 0 ? s.model.ffn : 4 * s.model.hidden)};
}

LowRecipe recipe_of(const Gpu& gpu, const FormatsState& state)
{
    LowRecipe lowest = LowRecipe::bf16;
    for (const LowRecipeInfo& each : low_recipes())
    {
        lowest = can_multiply(gpu, each.id) && each.bits < low_recipe(lowest).bits ? each.id : lowest;
    }
    return state.recipe.value_or(lowest);
}

double kept_of(const FormatsState& state, LowRecipe recipe)
{
    return state.kept.value_or(low_recipe(recipe).kept);
}

Ink recipe_ink(const Theme& t, LowRecipe recipe)
{
    const std::array inks{t.forward, t.backward_weight, t.data, t.backward_input, t.expert};
    return inks.at(static_cast<std::size_t>(recipe));
}

std::string times_words(double factor)
{
    return plain_number(factor) + "\u00d7";
}

void draw_recipe_table(const Painter& p, Rect area, const Gpu& gpu, FormatsState& state)
{
    using Info = LowRecipeInfo;
    const LowRecipe chosen = recipe_of(gpu, state);
    const auto words = [](std::string_view Info::*what)
    { return [what](const Info& r) { return std::string(r.*what); }; };
    const Table<Info> table(
        {{"Recipe", [&](const Info& r)
          { return Cell(std::string(r.name), can_multiply(gpu, r.id) ? p.theme.text : p.theme.muted); }},
         {"this GPU",
          [&](const Info& r)
          { return can_multiply(gpu, r.id) ? Cell("has it") : Cell("\u2715 lacks it", p.theme.muted); },
          7, fmt::format("Whether {} multiplies in this format: others are emulated at best", gpu.name)},
         {"bits", [](const Info& r) { return fmt::format("{:g}", r.bits); }, 6,
          "Per element, block scales included"},
         {"scales", words(&Info::scales), 5,
          "Of activations and gradients: the block, and the scale\u2019s format"},
         {"of weights", words(&Info::weights), 3},
         {"Hadamard", words(&Info::hadamard), 1, "A random transform that spreads outliers over 16 values"},
         {"gradients round", words(&Info::rounding), 2},
         {"BF16 layers",
          [](const Info& r) { return r.id == LowRecipe::bf16 ? "all" : format_percent(r.kept); }, 4,
          "Share of the linear layers that stay, as published"}},
        [](const Info& r) { return fmt::format("###recipe {}", r.name); },
        [chosen](const Info& r) { return r.id == chosen; }, kTablePitch,
        [](const Info& r) { return fmt::format("Stays in BF16 or FP32: {}. {}", r.says, r.source); });
    if (const TableEvent event = table.draw(p, area, low_recipes()); event.pressed)
    {
        state.recipe = low_recipes()[*event.pressed].id;
    }
}

void draw_gain(const FormatsRoom& r, Rect area)
{
    const Gpu& gpu = r.frame.now.scenario.cluster.gpu;
    const LinearShape here = shape_of(r.frame.now.scenario, r.state);
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, {64, 131072, PlotScale::log2, "tokens of a micro-batch on one GPU", count_words},
              {0, 3, PlotScale::linear, "", times_words},
              {.title = fmt::format("Speed-up of layers of {:.0f} \u00d7 {:.0f} on {}", here.in, here.out,
                                    gpu.name),
               .note = "forward and backward, casts included",
               .part = "gain",
               .names = 170});
    if (!plot)
    {
        return;
    }
    plot.rule_y(1, {t.muted, 1, true}, "BF16");
    for (const LowRecipeInfo& info : low_recipes())
    {
        if (info.id == LowRecipe::bf16 || !can_multiply(gpu, info.id))
        {
            continue;
        }
        const auto gain = [&](double tokens) {
            return low_gain(gpu, info.id, {tokens, here.in, here.out}, kept_of(r.state, info.id));
        };
        const bool chosen = info.id == recipe_of(gpu, r.state);
        plot.line(sampled(plot.x, gain, 90), {recipe_ink(t, info.id), chosen ? 3.0F : 1.5F},
                  std::string(info.name), chosen);
        plot.dot({plot.x.clamped(here.tokens), gain(here.tokens)},
                 {recipe_ink(t, info.id), chosen ? 5.0F : 3.5F});
    }
    if (const auto to = plot.rule_x(plot.x.clamped(here.tokens), {t.text, 1.5F, true}, "", "###rows").x(2))
    {
        r.state.rows = std::round(plot.x.clamped(*to));
        r.out.animating = true;
    }
}

void draw_recipes(const FormatsRoom& r)
{
    Rect area = r.area;
    const float table = table_height(r.p, kLowRecipes);
    if (area.h > table + r.p.px(170))
    {
        draw_recipe_table(r.p, area.cut_bottom(table), r.frame.now.scenario.cluster.gpu, r.state);
        area.cut_bottom(r.p.px(12));
    }
    draw_gain(r, area);
}

void panel_recipes(PanelColumn& column, const FormatsRoom& r)
{
    const Scenario& s = r.frame.now.scenario;
    const LowRecipeInfo& info = low_recipe(recipe_of(s.cluster.gpu, r.state));
    const LinearShape here = shape_of(s, r.state);
    column.slide("Kept in BF16", Track::even(0, 1, format_percent, 0.01), kept_of(r.state, info.id),
                 r.state.kept, "Share of the linear layers\u2019 work; first that of each recipe");
    column.heading(std::string(info.name));
    column.fact("Rows, tokens", grouped(std::llround(here.tokens)));
    if (!can_multiply(s.cluster.gpu, info.id))
    {
        column.note(
            fmt::format("{} does not multiply in this format. Choose a GPU that does, such as the GB200.",
                        s.cluster.gpu.name));
        return;
    }
    const LowCost plain = low_cost(s.cluster.gpu, LowRecipe::bf16, here);
    const LowCost cost = low_cost(s.cluster.gpu, info.id, here);
    column.fact("GEMMs in BF16", format_seconds(plain.products),
                "Forward, input and weight gradients of one layer");
    column.fact("GEMMs here", format_seconds(cost.products));
    column.fact("Casts", format_seconds(cost.casts), "Both copies of activations and gradients, not fused");
    column.fact("Casts, of both", format_percent(cost.casts / cost.total()));
    column.fact("Faster",
                three_digits(low_gain(s.cluster.gpu, info.id, here, kept_of(r.state, info.id))) + "\u00d7");
}

Caption caption_recipes(const Frame& frame, FormatsState& state)
{
    const Gpu& gpu = frame.now.scenario.cluster.gpu;
    const LowRecipeInfo& info = low_recipe(recipe_of(gpu, state));
    const LinearShape here = shape_of(frame.now.scenario, state);
    if (!can_multiply(gpu, info.id))
    {
        return {fmt::format("{} does **not multiply** in {}.", gpu.name, info.name), "",
                std::string(info.source)};
    }
    const double kept = kept_of(state, info.id);
    const double share = low_cost(gpu, info.id, here).total() / low_cost(gpu, LowRecipe::bf16, here).total();
    return {
        fmt::format(
            "{}: {} of the linear layers stay in BF16, all together are **{}\u00d7** as fast at {} tokens.",
            info.name, format_percent(kept), three_digits(low_gain(gpu, info.id, here, kept)),
            grouped(std::llround(here.tokens))),
        fmt::format(
            "1 / (kept + (1 \u2212 kept) (GEMMs + casts) / BF16) = 1 / ({:.3g} + {:.3g} \u00d7 {:.3g})", kept,
            1 - kept, share),
        fmt::format(
            "{}. Products as the roofline view has them; casts move {:g} bytes for each element, at the "
            "bandwidth that element-wise kernels reach.",
            info.source, 2 * info.reads + 2 * info.bits / 8)};
}

} // namespace

const Page<FormatsState> recipes_page{"Recipes",       draw_recipes, panel_recipes,
                                      caption_recipes, nullptr,      "Recipes"};

} // namespace ringside
