// Time: what a micro-batch takes in each recipe, and how much longer by its tokens.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/serving/finetune_time.h"
#include "ui/views/serving/finetune/pages.h"
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kAccumulated{1, 2, 4, 8, 16, 32, 64, 128};

FinetuneTime time_of(const Scenario& scenario, const FinetuneState& state, FinetuneRecipe recipe,
                     std::optional<double> tokens = {})
{
    FinetuneSetup setup = state.settings.setup;
    setup.sequence = tokens ? std::llround(*tokens) : scenario.training.sequence_length;
    setup.micro_batch = tokens ? 1 : scenario.training.micro_batch;
    return finetune_time(scenario, recipe, setup, state.accumulation);
}

Fill phase_fill(const Theme& t, FinetunePhase phase)
{
    switch (phase)
    {
    case FinetunePhase::forward:
        return {t.forward};
    case FinetunePhase::again:
        return {.ink = t.forward, .lines = t.forward.label, .hatch = kCoveredHatch};
    case FinetunePhase::inputs:
        return {t.backward_input};
    case FinetunePhase::weights:
        return {t.backward_weight};
    case FinetunePhase::adapters:
        return {t.context};
    case FinetunePhase::dequantize:
        return {t.of(Component::weights)};
    case FinetunePhase::norms:
        return {t.expert};
    case FinetunePhase::optimizer:
        return {t.of(Component::momentum)};
    case FinetunePhase::gather:
        break;
    }
    return waiting_fill(t);
}

Ink recipe_line(const Theme& t, FinetuneRecipe recipe)
{
    const std::array inks{t.backward_weight, t.context, t.expert, t.of(Component::weights)};
    return inks.at(static_cast<std::size_t>(recipe));
}

void draw_time_bars(const FinetuneRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    BarRows rows{{{"", "", 1, 1}, {"tokens/s per GPU", "", 1, 0}}, {}, 64};
    for (const FinetuneRecipe recipe : kRecipes)
    {
        const FinetuneTime time = time_of(r.frame.now.scenario, r.state, recipe);
        std::vector<BarPart> parts;
        for (const FinetunePhase phase : every<FinetunePhase>())
        {
            parts.push_back({time.of(phase), phase_fill(t, phase), name_of(phase)});
        }
        rows.columns[0].most = std::max(rows.columns[0].most * (rows.rows.empty() ? 0 : 1), time.total());
        rows.rows.push_back({std::string(name_of(recipe)),
                             {{std::move(parts), {}, format_seconds(Seconds(time.total()))},
                              {{}, {}, three_digits(time.tokens_per_second())}},
                             "",
                             fmt::format("###timed {}", name_of(recipe)),
                             "",
                             recipe == r.state.settings.recipe});
    }
    r.p.part("recipes", area);
    const DrawnRows drawn = draw_bar_rows(r.p, area, rows);
    if (drawn.pressed)
    {
        r.state.settings.recipe = kRecipes.at(*drawn.pressed);
        r.out.animating = true;
    }
}

void draw_relative(const FinetuneRoom& r, Rect area)
{
    const Scenario& s = r.frame.now.scenario;
    const Theme& t = r.p.theme;
    Plot plot(r.p, area, {128, 65536, PlotScale::log2, "tokens of a micro-batch", count_words},
              {0.5, 3, PlotScale::linear, "", [](double v) { return plain_number(v) + "\u00d7"; }},
              {.title = "Time per token, LoRA = 1", .part = "relative", .names = 90});
    if (!plot)
    {
        return;
    }
    const auto time = [&](FinetuneRecipe recipe)
    {
        return sampled(
            plot.x, [&](double tokens) { return time_of(s, r.state, recipe, tokens).total(); }, 32);
    };
    const std::vector<PlotPoint> lora = time(FinetuneRecipe::lora);
    for (const FinetuneRecipe recipe : kRecipes)
    {
        std::vector<PlotPoint> line = time(recipe);
        for (std::size_t i = 0; i < line.size(); ++i)
        {
            line[i].y /= lora[i].y;
        }
        plot.line(line, {recipe_line(t, recipe), 2.5F}, std::string(name_of(recipe)),
                  recipe == r.state.settings.recipe);
    }
    plot.rule_x(plot.x.clamped(static_cast<double>(s.training.sequence_length * s.training.micro_batch)),
                {t.text, 1, true});
}

void draw_time(const FinetuneRoom& r)
{
    const Theme& t = r.p.theme;
    Rect area = r.area;
    draw_legend(r.p, area.cut_top(r.p.px(48)),
                list_of<LegendItem>(every<FinetunePhase>(),
                                    [&](FinetunePhase phase) {
                                        return LegendItem{std::string(name_of(phase)), phase_fill(t, phase)};
                                    }),
                2);
    if (area.h > r.p.px(380))
    {
        draw_relative(r, area.cut_bottom(std::floor(area.h * 0.45F)));
        area.cut_bottom(r.p.px(14));
    }
    draw_time_bars(r, area);
}

void panel_time(PanelColumn& column, const FinetuneRoom& r)
{
    panel_finetune(column, r);
    column.slide("Micro-batches per update", Track::at(kAccumulated, say_whole), r.state.accumulation,
                 "Gradient accumulation: the optimizer\u2019s time is shared among them");
    const FinetuneTime time = time_of(r.frame.now.scenario, r.state, r.state.settings.recipe);
    column.gap();
    column.fact("Micro-batch", format_seconds(Seconds(time.total())));
    column.fact("Dequantization", format_percent(time.of(FinetunePhase::dequantize) / time.total()));
    column.fact("Optimizer", format_percent(time.of(FinetunePhase::optimizer) / time.total()));
}

Caption time_caption(const Frame& frame, FinetuneState& state)
{
    const auto total = [&](FinetuneRecipe recipe)
    { return time_of(frame.now.scenario, state, recipe).total(); };
    const double lora = total(FinetuneRecipe::lora);
    const std::string again = state.settings.setup.checkpointing ? "8" : "6";
    const std::string frozen = state.settings.setup.checkpointing ? "6" : "4";
    return {
        fmt::format(
            "Full fine-tuning takes **{}\u00d7** as long as LoRA, QLoRA **{}\u00d7**: a frozen base has no "
            "weight gradients, a 4-bit one is dequantized in every pass.",
            three_digits(total(FinetuneRecipe::full) / lora),
            three_digits(total(FinetuneRecipe::qlora) / lora)),
        fmt::format(
            "full {} P \u00d7 tokens, LoRA {} P;  dequantization = passes \u00d7 (0.5 + 2) P / bandwidth",
            again, frozen),
        "LoRA\u2019s GPT-3 175B trained at 43.1 tokens/s per GPU instead of 32.5 (Hu et al., arXiv "
        "2106.09685, "
        "section 4.2), which this meets within 5%. QLoRA: arXiv 2305.14314, section 3; DoRA: arXiv "
        "2402.09353. A "
        "roofline over 60% of the peak and 95% of the bandwidth."};
}

} // namespace

const Page<FinetuneState> kFinetuneTime{"Time",       draw_time, panel_time,
                                        time_caption, nullptr,   "Fine-tuning time"};

} // namespace ringside
