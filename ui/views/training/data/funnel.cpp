// From a crawl to tokens: the published stages of one pipeline, and the run's epochs over what is left.
#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/scaling/repeats.h"
#include "ui/views/training/data/pages.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr const char* kTokensGrip = "###tokens of the run";

Colour colour_of(const Theme& t, FilterKind kind)
{
    return kind == FilterKind::address      ? t.pipeline.fill
           : kind == FilterKind::extraction ? t.data.fill
           : kind == FilterKind::language   ? t.context.fill
           : kind == FilterKind::rules      ? t.expert.fill
           : kind == FilterKind::duplicates ? t.of(Component::buffers).fill
                                            : t.forward.fill;
}

class FunnelPicture
{
public:
    explicit FunnelPicture(const DataRoom& room)
        : p_(room.p), state_(room.state), frame_(room.frame), out_(room.out), recipe_(room.state.funnel()),
          funnel_(run_funnel(recipe_, room.state.kept, room.frame.now.scenario.training.tokens))
    {
    }

    void draw(Rect area)
    {
        const float strip = p_.height(Type::small) * 2 + p_.px(46);
        const auto rows = static_cast<float>(recipe_.stages.size() + 2);
        Rect below{};
        if (area.h > strip + std::max(p_.px(90), p_.px(10) + p_.height(Type::small) * rows))
        {
            below = area.cut_bottom(strip);
            area.cut_bottom(p_.px(10));
        }
        p_.part("funnel", area);
        draw_stages(area);
        if (below.h > 0)
        {
            p_.part("passes", below);
            draw_epochs(below);
        }
    }

private:
    // 0 is what comes in, i is stage i - 1.
    double left(std::size_t row) const { return row == 0 ? 1 : funnel_.left[row - 1]; }

    void draw_stages(Rect area)
    {
        const auto kept = [this](std::size_t row) { return left(row) / std::max(left(row - 1), 1e-12); };
        const std::string title = recipe_.input_tokens > 0 ? fmt::format("{}: {} tokens", recipe_.input,
                                                                         format_count(recipe_.input_tokens))
                                                           : std::string(recipe_.input);
        std::vector<std::pair<std::size_t, Rect>> shapes;
        const Table<std::size_t> table(
            {{title,
              [this](std::size_t row)
              {
                  return row == 0 ? Cell("Input").strong()
                                  : Cell(recipe_.stages[row - 1].name, 0,
                                         std::string(recipe_.stages[row - 1].says))
                                        .strong();
              }},
             Column<std::size_t>("", nullptr, 0)
                 .wide(120,
                       [&](const Painter&, Rect cell, std::size_t row, bool)
                       {
                           draw_shape(row, cell);
                           shapes.emplace_back(row, cell);
                       }),
             {"keeps",
              [&](std::size_t row) { return Cell(row == 0 ? "" : share_words(kept(row)), p_.theme.muted); },
              1, "Of what this stage is given"},
             {"left", [&](std::size_t row) { return row == 0 ? "100%" : share_words(left(row)); }, kAlways,
              "Of the whole input"}},
            nullptr, nullptr, 92,
            [&](std::size_t row)
            {
                return row == 0 || !state_.hold.owner.empty() || ImGui::IsAnyItemHovered()
                           ? std::string()
                           : fmt::format("{}: {}. Keeps {} of its input, {} of everything.",
                                         recipe_.stages[row - 1].name, recipe_.stages[row - 1].says,
                                         share_words(kept(row)), share_words(left(row)));
            });
        draw_table(p_, area, table, recipe_.stages.size() + 1);
        for (const auto& [row, cell] : shapes)
        {
            if (row > 0)
            {
                grip_stage(row - 1, cell);
            }
        }
    }

    static float half(Rect cell, double share) { return cell.w / 2 * static_cast<float>(share); }

    // What comes, and what is kept of it.
    void draw_shape(std::size_t row, Rect cell) const
    {
        const float bottom = cell.bottom() - p_.px(3);
        const auto shape = [&](float top, float low, Colour colour)
        {
            const std::array corners{ImVec2{cell.centre() - top, cell.y}, ImVec2{cell.centre() + top, cell.y},
                                     ImVec2{cell.centre() + low, bottom},
                                     ImVec2{cell.centre() - low, bottom}};
            p_.list.AddConvexPolyFilled(corners.data(), 4, colour);
        };
        const float top = half(cell, row == 0 ? 1 : left(row - 1));
        shape(top, top, row == 0 ? p_.theme.raised : p_.theme.panel);
        if (row > 0)
        {
            shape(top, half(cell, left(row)), colour_of(p_.theme, recipe_.stages[row - 1].kind));
        }
    }

    void grip_stage(std::size_t i, Rect cell)
    {
        const std::string label = fmt::format("###stage {}", i + 1);
        const float x = cell.centre() + half(cell, funnel_.left[i]);
        const float bottom = cell.bottom() - p_.px(3);
        const float reach = std::min(p_.px(12), cell.h / 2);
        const Press pressed = press(p_, {x - reach, bottom - reach, 2 * reach, 2 * reach}, label.c_str(), 10);
        p_.list.AddCircleFilled({x, bottom}, p_.px(pressed.hovered || pressed.held ? 6.5F : 4.5F),
                                p_.theme.text);
        p_.list.AddCircleFilled({x, bottom}, p_.px(2), p_.theme.window);
        tooltip(p_, "Drag: what if this stage kept more, or less? R: as published.");
        PlotGrip grip;
        if (pressed.held && ImGui::IsMouseDragging(0, 1))
        {
            grip.to = ImGui::GetIO().MousePos;
        }
        const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
        const double reaches = std::max(static_cast<double>(half(cell, left(i))), 1e-6);
        double kept = funnel_.left[i] / std::max(left(i), 1e-12);
        const double had = kept;
        if (const auto by = pulled(state_.hold, grip, label.c_str(), kept, reaches))
        {
            kept = state_.hold.value + static_cast<double>(by->x) / state_.hold.scale;
        }
        kept = std::clamp(kept * std::pow(1.1, steps), 0.001, 1.0);
        if (std::abs(kept - had) > 1e-9)
        {
            state_.kept = state_.kept.empty() ? kept_by_stage(recipe_) : state_.kept;
            state_.kept[i] = kept;
            out_.animating = true;
        }
    }

    // The run's tokens, cut where an epoch ends; each epoch is paler by what it is worth less.
    void draw_epochs(Rect area)
    {
        const Theme& t = p_.theme;
        draw_chart_title(p_, area.cut_top(p_.height(Type::small) + p_.px(8)),
                         fmt::format("The run needs {} tokens: {} {} of {}", format_count(funnel_.wanted),
                                     format_count(funnel_.passes), funnel_.passes == 1 ? "epoch" : "epochs",
                                     format_count(funnel_.tokens)));
        draw_chart_title(
            p_, area.cut_bottom(p_.height(Type::small) + p_.px(4)), "",
            funnel_.passes > 1
                ? fmt::format("dashed: all unique tokens, once. The run is worth {} unique tokens",
                              format_count(funnel_.worth))
                : "dashed: all unique tokens; none is repeated");
        area.cut_right(p_.px(14));
        const double most = std::max({funnel_.wanted, funnel_.tokens, 1.0}) * 1.06;
        const Rect bar{area.x, area.y + p_.px(2), area.w, area.h - p_.px(4)};
        const auto x = [&](double tokens) { return bar.x + bar.w * static_cast<float>(tokens / most); };
        p_.fill(bar, t.panel);
        const float pass = x(funnel_.tokens) - bar.x;
        if (pass < p_.px(3))
        {
            p_.fill({bar.x, bar.y, x(funnel_.wanted) - bar.x, bar.h},
                    mix(t.panel, t.forward.fill, static_cast<float>(funnel_.worth / funnel_.wanted)));
        }
        for (int i = 0; pass >= p_.px(3) && i * funnel_.tokens < funnel_.wanted; ++i)
        {
            const float from = x(i * funnel_.tokens);
            const float to = x(std::min(funnel_.wanted, (i + 1) * funnel_.tokens));
            const auto worth = static_cast<float>(worth_of_next_pass(i + 1));
            p_.fill({from, bar.y, std::max(1.0F, to - from - 1), bar.h},
                    mix(t.panel, t.forward.fill, 0.25F + 0.75F * worth));
        }
        p_.dashed(x(funnel_.tokens), bar.y - p_.px(3), x(funnel_.tokens), bar.bottom() + p_.px(3), t.text, 1);
        grip_tokens({x(funnel_.wanted), bar.middle()}, most / static_cast<double>(bar.w));
    }

    void grip_tokens(ImVec2 at, double scale)
    {
        const PlotGrip grip = draw_grip(p_, at, kTokensGrip, p_.theme.text);
        tooltip(p_, "Drag: training tokens of the scenario");
        double wanted = funnel_.wanted;
        if (const auto by = pulled(state_.hold, grip, kTokensGrip, wanted, scale))
        {
            wanted = state_.hold.value + state_.hold.scale * static_cast<double>(by->x);
        }
        wanted = std::clamp(wanted * std::pow(1.1, grip.steps), 1e9, 1e16);
        // Three digits, so that what is said is what is set.
        wanted = rounded_to(wanted, 3);
        if ((grip.to || grip.steps != 0) && frame_.valid() && wanted != frame_.scenario.training.tokens)
        {
            Scenario changed = frame_.scenario;
            changed.training.tokens = wanted;
            out_.push(ChangeScenario{changed, true});
        }
    }

    const Painter& p_;
    DataState& state_;
    const Frame& frame_;
    Out& out_;
    const FunnelRecipe& recipe_;
    Funnel funnel_;
};

void draw_funnel(const DataRoom& r)
{
    FunnelPicture(r).draw(r.area);
}

void panel_funnel(PanelColumn& column, const DataRoom& r)
{
    DataState& state = r.state;
    for (std::size_t i = 0; i < funnel_recipes().size(); ++i)
    {
        const FunnelRecipe& recipe = funnel_recipes()[i];
        if (column.option(fmt::format("{}###recipe {}", recipe.name, recipe.id), std::to_string(i + 1),
                          state.recipe == i, recipe.source))
        {
            state.recipe = i;
            state.kept.clear();
        }
    }
    column.gap();
    if (!state.kept.empty() && column.button("As published", "R"))
    {
        state.kept.clear();
    }
    const Funnel funnel = run_funnel(state.funnel(), state.kept, r.frame.now.scenario.training.tokens);
    const FunnelRecipe& recipe = state.funnel();
    column.fact("Fraction kept", share_words(funnel.left.back()),
                fmt::format("Product of what the stages keep, in {}", recipe.counts));
    column.fact("Tokens after filtering", format_count(funnel.tokens),
                state.kept.empty() ? "As published"
                                   : "As published, times the change in what the stages keep");
    column.fact("Tokens of the run", format_count(funnel.wanted), "training.tokens");
    column.fact("Epochs", format_count(funnel.passes), "Tokens of the run / tokens after filtering");
    column.fact("Equivalent unique", format_count(funnel.worth),
                fmt::format("U + U R* (1 \u2212 e^(\u2212R/R*)), R = epochs \u2212 1, R* = {:.3g} "
                            "(Muennighoff et al. 2023, equation 5)",
                            kRepeatDecay));
    if (recipe.input_tokens > 0 && funnel.left.back() > 0)
    {
        column.fact("Crawl for one epoch", format_count(recipe.input_tokens * funnel.wanted / funnel.tokens),
                    "Input tokens needed so that none is repeated");
    }
}

Caption caption_funnel(const Frame& frame, DataState& state)
{
    const Funnel funnel = run_funnel(state.funnel(), state.kept, frame.now.scenario.training.tokens);
    const FunnelRecipe& recipe = state.funnel();
    Caption c;
    const std::string left = fmt::format("{} keeps **{}** of its input: **{} tokens**.",
                                         state.kept.empty() ? std::string(recipe.name) : "This pipeline",
                                         share_words(funnel.left.back()), format_count(funnel.tokens));
    c.sentence = funnel.passes > 1
                     ? fmt::format("{} The run\u2019s {} are **{} epochs**, worth {} unique tokens.", left,
                                   format_count(funnel.wanted), format_count(funnel.passes),
                                   format_count(funnel.worth))
                     : fmt::format("{} The run\u2019s {} need **{}** of them.", left,
                                   format_count(funnel.wanted), format_percent(funnel.passes));
    c.formula = "";
    double before = 1;
    for (const double share : funnel.left)
    {
        c.formula += fmt::format("{}{}", c.formula.empty() ? "" : " \u00d7 ",
                                 figure(before > 0 ? share / before : 0, 3));
        before = share;
    }
    c.formula += fmt::format(" = {}", figure(funnel.left.back(), 3));
    c.source =
        fmt::format("{}. Epochs: Muennighoff et al. 2023, arXiv 2305.16264, equation 5.", recipe.source);
    return c;
}

} // namespace

const Page<DataState> funnel_page{"Filtering",    draw_funnel, panel_funnel,
                                  caption_funnel, nullptr,     "Data filtering"};

} // namespace ringside
