// DPO's loss over the two log-ratios, and over their difference.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/serving/alignment/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/cell_grid.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 7> kBetas{0.01, 0.03, 0.05, 0.1, 0.2, 0.5, 1};
constexpr double kReach = 20; // [nats] of the log-ratios on show
constexpr int kCells = 40;

// Loss as colour, half-way at ln 2; the line where both log-ratios are alike.
void draw_heat(const Painter& p, Plot& plot, double beta)
{
    const Theme& t = p.theme;
    const CellGrid cells{plot.area, kCells, kCells, -1}; // no line shows between them
    const auto middle = [](std::int64_t i) { return (static_cast<double>(i) + 0.5) / kCells; };
    for (std::int64_t row = 0; row < kCells; ++row)
    {
        for (std::int64_t column = 0; column < kCells; ++column)
        {
            const double loss =
                dpo_loss(beta, plot.x.at(middle(column)), plot.y.at(middle(kCells - 1 - row)));
            const double share = loss / (loss + std::log(2));
            p.fill(cells.cell(row, column),
                   mix(t.panel, t.of(Component::activations).fill, static_cast<float>(share)));
        }
    }
    plot.line({{-kReach, -kReach}, {kReach, kReach}}, {t.text, 1, true});
}

void draw_surface(const AlignmentRoom& r, Rect area)
{
    const Painter& p = r.p;
    AlignmentState& state = r.state;
    Plot plot(
        p, area,
        {-kReach, kReach, PlotScale::linear, "chosen: log-ratio to the reference, nats", signed_words},
        {-kReach, kReach, PlotScale::linear, "rejected: log-ratio to the reference, nats", signed_words},
        {.part = "surface"});
    if (!plot)
    {
        return;
    }
    draw_heat(p, plot, state.beta);
    const PlotField field = plot.field("###log-ratios");
    const ImVec2 at = plot.at({state.chosen, state.rejected});
    // The step that gradient descent takes: the chosen up, the rejected down.
    const auto reach = p.px(54) * static_cast<float>(dpo_weight(state.beta, state.chosen, state.rejected));
    if (reach > p.px(6))
    {
        p.arrow(at, {at.x + reach, at.y + reach}, p.theme.text);
    }
    plot.dot({state.chosen, state.rejected}, {p.theme.text, field.hovered || field.held ? 9.0F : 7.5F});
    if (!field.held)
    {
        tooltip(
            p,
            "Drag the pair. The arrow is the gradient step, as long as the pair\u2019s weight; on the dashed "
            "line both log-ratios are equal and the loss is ln 2");
        return;
    }
    state.chosen = std::round(field.at.x * 10) / 10;
    state.rejected = std::round(field.at.y * 10) / 10;
}

void draw_margin(const Painter& p, Rect area, const AlignmentState& settings)
{
    Plot plot(p, area,
              {-2 * kReach, 2 * kReach, PlotScale::linear, "chosen \u2212 rejected, nats", signed_words},
              {0, std::max(2.0, dpo_loss(settings.beta, -kReach, kReach)), PlotScale::linear,
               "loss in nats, and gradient weight", signed_words});
    if (!plot)
    {
        return;
    }
    plot.line(sampled(plot.x, [&](double m) { return dpo_weight(settings.beta, m, 0); }),
              {p.theme.of(Component::gradients), 2}, "gradient weight");
    plot.line(sampled(plot.x, [&](double m) { return dpo_loss(settings.beta, m, 0); }),
              {p.theme.of(Component::activations), 2.5F}, "loss");
    const PlotPoint now{settings.chosen - settings.rejected,
                        dpo_loss(settings.beta, settings.chosen, settings.rejected)};
    plot.dot(now, {p.theme.text, 7.5F});
    plot.label(now,
               fmt::format("loss {}, weight {}", three_digits(now.y),
                           format_percent(dpo_weight(settings.beta, settings.chosen, settings.rejected))),
               true, 12);
}

void draw_dpo(const AlignmentRoom& r)
{
    Rect area = r.area;
    if (area.w > r.p.px(460))
    {
        Rect right = area.cut_right(area.w * 0.52F);
        right.cut_left(r.p.px(28));
        draw_margin(r.p, right, r.state);
    }
    draw_surface(r, area);
}

void panel_dpo(PanelColumn& column, const AlignmentRoom& r)
{
    column.slide("DPO beta", Track::at(kBetas, three_digits), r.state.beta);
    column.fact("Log-ratio, chosen", signed_words(r.state.chosen));
    column.fact("Log-ratio, rejected", signed_words(r.state.rejected));
    column.fact("Loss, nats", three_digits(dpo_loss(r.state.beta, r.state.chosen, r.state.rejected)));
    column.fact("Gradient weight",
                format_percent(dpo_weight(r.state.beta, r.state.chosen, r.state.rejected)));
}

Caption caption_dpo(const Frame&, AlignmentState& s)
{
    const double margin = s.chosen - s.rejected;
    return {
        fmt::format("DPO raises the chosen response over the rejected one: the margin is **{} nats**, the "
                    "loss **{}**.",
                    signed_words(margin), three_digits(dpo_loss(s.beta, s.chosen, s.rejected))),
        fmt::format(
            "\u2212log \u03c3(\u03b2 (chosen \u2212 rejected)) = \u2212log \u03c3({:g} \u00d7 {}) = {}",
            s.beta, signed_words(margin), three_digits(dpo_loss(s.beta, s.chosen, s.rejected))),
        "Rafailov et al. 2023, arXiv 2305.18290, equation 7. Log-ratios are of the policy to the reference."};
}

} // namespace

const Page<AlignmentState> dpo_page{"DPO", draw_dpo, panel_dpo, caption_dpo, nullptr, "DPO loss"};

std::string signed_words(double v)
{
    const double rounded = std::round(v * 1e6) / 1e6;
    return fmt::format("{}{:g}", rounded < 0 ? "\u2212" : "", std::abs(rounded));
}

} // namespace ringside
