// Paths of four optimizers down a quadratic loss.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/model/weights.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr double kReach = 3;
constexpr int kRings = 9;
constexpr int kCorners = 72;
constexpr auto kSteppersAll = rows_of<Stepper, kSteppers>();
constexpr std::array<double, 13> kRates{0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.2, 0.3, 0.5, 1, 2};
constexpr std::array<double, 10> kDecayed{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2};
constexpr std::array<double, 9> kAcross{1, 2, 5, 10, 25, 50, 100, 300, 1000};
constexpr std::array<double, 8> kNoise{0, 0.1, 0.3, 0.5, 1, 2, 5, 10};

std::size_t descent_step_at(const OptimizerState& state, const Frame& frame)
{
    return static_cast<std::size_t>(
        std::clamp(frame.playback.t + 1e-9, 0.0, static_cast<double>(state.descent.steps)));
}

// With this optimizer and its rate: one rate for all favours whom it happens to suit.
DescentOptions options_of(const OptimizerState& state, Stepper stepper)
{
    DescentOptions o = state.descent;
    o.stepper = stepper;
    if (!state.best_rates)
    {
        return o;
    }
    const auto loss_at = [&](double rate)
    {
        DescentOptions at = o;
        at.rate = rate;
        const auto path = descend(state.valley, at);
        return diverged(path) ? std::numeric_limits<double>::infinity() : path.back().loss;
    };
    o.rate = *std::ranges::min_element(kRates, {}, loss_at);
    return o;
}

// Lines of equal loss, each a quarter of the one outside it.
void draw_valley(const Painter& p, Plot& plot, const Valley& v)
{
    const double c = std::cos(v.angle);
    const double s = std::sin(v.angle);
    double loss = v.across * 12;
    for (int ring = 0; ring < kRings; ++ring, loss /= 4)
    {
        const double a = std::sqrt(2 * loss / v.along);
        const double b = std::sqrt(2 * loss / v.across);
        std::vector<PlotPoint> points;
        for (int i = 0; i <= kCorners; ++i)
        {
            const double t = 2 * 3.14159265358979 * i / kCorners;
            const double along = a * std::cos(t);
            const double across = b * std::sin(t);
            points.push_back({v.x + c * along - s * across, v.y + s * along + c * across});
        }
        plot.line(points, {mix(p.theme.grid, p.theme.line, 0.1F * static_cast<float>(ring)), 1});
    }
    plot.speck({v.x, v.y}, {p.theme.text, 5, PlotShape::cross});
}

Colour colour_of(const Theme& t, Stepper stepper)
{
    switch (stepper)
    {
    case Stepper::sgd:
        return t.of(Component::activations).fill;
    case Stepper::momentum:
        return t.of(Component::momentum).fill;
    case Stepper::adam_l2:
        return t.of(Component::variance).fill;
    case Stepper::adamw:
        break;
    }
    return t.of(Component::weights).fill;
}

void draw_path(const Painter& p, Plot& plot, const std::vector<DescentPoint>& path, std::size_t at,
               Colour colour, bool chosen)
{
    const float thickness = p.px(chosen ? 3 : 1.5F);
    const std::size_t last = std::min(at, path.size() - 1);
    // Line by line: a polyline's joints grow spikes where a path turns back on itself.
    for (std::size_t i = 0; i < last; ++i)
    {
        const ImVec2 from = plot.at({path[i].x, path[i].y});
        const ImVec2 to = plot.at({path[i + 1].x, path[i + 1].y});
        p.line(from.x, from.y, to.x, to.y, colour, thickness);
        p.list.AddCircleFilled(to, thickness / 2, colour);
    }
    plot.speck({path[last].x, path[last].y}, {colour, chosen ? 6.0F : 4.0F});
}

// Each optimizer's loss and last update, or, where there is no room, only whose path is whose.
void draw_optimizers(const OptimizerRoom& r, Rect area, std::size_t at)
{
    struct Row
    {
        Stepper stepper;
        bool gone;
        double rate;
        DescentPoint now;
    };
    std::vector<Row> rows;
    for (const Stepper stepper : kSteppersAll)
    {
        const DescentOptions o = options_of(r.state, stepper);
        const auto path = descend(r.state.valley, o);
        rows.push_back(
            {stepper, diverged(path) && at + 1 >= path.size(), o.rate, path[std::min(at, path.size() - 1)]});
    }
    const Theme& t = r.p.theme;
    const Table<Row> table(
        {Column<Row>("Optimizer", [](const Row& row) { return name_of(row.stepper); })
             .with(kSwatchRoom, [](const Painter& p, Rect cell, const Row& row, bool)
                   { draw_swatch(p, cell, plain_fill(colour_of(p.theme, row.stepper))); }),
         {"loss", [&](const Row& row)
          { return row.gone ? Cell("\u2715 diverged", t.warning) : Cell(figure(row.now.loss, 3)); }},
         {"learning rate", [](const Row& row) { return plain_number(row.rate); }, 2},
         {"update", [](const Row& row) { return row.gone ? "" : figure(row.now.update, 3); }, 1,
          "Length of the last step"}},
        [](const Row& row) { return fmt::format("###optimizer {}", name_of(row.stepper)); },
        [&](const Row& row) { return row.stepper == r.state.descent.stepper; });
    if (const TableEvent event = table.draw(r.p, area, rows); event.pressed)
    {
        r.state.descent.stepper = rows[*event.pressed].stepper;
    }
}

void draw_descent(const OptimizerRoom& r)
{
    const Painter& p = r.p;
    OptimizerState& state = r.state;
    Rect area = r.area;
    const std::size_t at = descent_step_at(state, r.frame);
    if (const float table = table_height(p, kSteppers); area.h > table + p.px(210))
    {
        draw_optimizers(r, area.cut_bottom(table), at);
        area.cut_bottom(p.px(10));
    }
    else if (area.h > p.px(120))
    {
        std::vector<LegendItem> names;
        for (const Stepper stepper : kSteppersAll)
        {
            names.push_back({std::string(name_of(stepper)), plain_fill(colour_of(p.theme, stepper))});
        }
        draw_legend(p, area.cut_top(p.px(22)), names);
    }
    const double wide = kReach * static_cast<double>(area.w / std::max(1.0F, area.h - p.px(52)));
    const auto number = [](double v) { return fmt::format("{:g}", v); };
    const std::string says = fmt::format("condition number {}; drag the starting point",
                                         three_digits(state.valley.across / state.valley.along));
    Plot plot(p, area, {-wide, wide, PlotScale::linear, "", number},
              {-kReach, kReach, PlotScale::linear, "", number},
              {.title = "2-D quadratic loss", .note = says, .part = "descent"});
    if (!plot)
    {
        return;
    }
    draw_valley(p, plot, state.valley);
    for (const bool chosen : {false, true})
    {
        for (const Stepper stepper : kSteppersAll)
        {
            if ((stepper == state.descent.stepper) == chosen)
            {
                draw_path(p, plot, descend(state.valley, options_of(state, stepper)), at,
                          colour_of(p.theme, stepper), chosen);
            }
        }
    }
    const PlotMove start = plot.grip({state.descent.x, state.descent.y}, "###start of the paths");
    if (start.to)
    {
        state.descent.x = std::round(start.to->x * 20) / 20;
        state.descent.y = std::round(start.to->y * 20) / 20;
    }
    state.descent.x = plot.x.clamped(state.descent.x + 0.1 * start.steps);
}

void panel_descent(PanelColumn& column, const OptimizerRoom& r)
{
    DescentOptions& o = r.state.descent;
    double rate = options_of(r.state, o.stepper).rate;
    if (column.slide("Learning rate", Track::at(kRates, plain_number), rate, "One for all optimizers"))
    {
        o.rate = rate;
        r.state.best_rates = false;
    }
    column.toggle("Best rate for each", r.state.best_rates,
                  "Of the slider\u2019s stops the one with the lowest loss after the last step");
    column.slide("Weight decay", Track::at(kDecayed, plain_number), o.weight_decay);
    column.slide("Condition number", Track::at(kAcross, plain_number), r.state.valley.across);
    column.slide("Gradient noise", Track::at(kNoise, plain_number), r.state.valley.noise);
    column.toggle("Bias correction", o.bias_correction,
                  "Adam divides its averages by 1 \u2212 beta^t, since they start at 0 (I)");
    if (column.button("New noise", "R"))
    {
        ++o.seed;
    }
    column.fact("SGD is stable below", three_digits(largest_stable_rate(r.state.valley)));
    column.fact("Betas", fmt::format("{:g}, {:g}", o.beta1, o.beta2));
}

std::string update_formula(const DescentOptions& o)
{
    const std::string rate = plain_number(o.rate);
    const std::string decay = o.weight_decay > 0 ? fmt::format(" + {} w", plain_number(o.weight_decay)) : "";
    const std::string inside = decay.empty() ? "" : fmt::format("g +={};  ", decay.substr(2));
    switch (o.stepper)
    {
    case Stepper::sgd:
        return decay.empty() ? fmt::format("w \u2212= {} g", rate)
                             : fmt::format("w \u2212= {} (g{})", rate, decay);
    case Stepper::momentum:
        return fmt::format("u = {:g} u + g{};  w \u2212= {} u", o.momentum, decay, rate);
    case Stepper::adam_l2:
        return fmt::format("{}w \u2212= {} m / (sqrt(v) + {:g})", inside, rate, o.epsilon);
    case Stepper::adamw:
        break;
    }
    return decay.empty() ? fmt::format("w \u2212= {} m / (sqrt(v) + {:g})", rate, o.epsilon)
                         : fmt::format("w \u2212= {} (m / (sqrt(v) + {:g}){})", rate, o.epsilon, decay);
}

std::string_view source_of(Stepper stepper)
{
    switch (stepper)
    {
    case Stepper::sgd:
        return "Diverges above 2 / the largest curvature";
    case Stepper::momentum:
        return "Sutskever et al. 2013; PyTorch\u2019s form";
    case Stepper::adam_l2:
        return "Kingma and Ba 2015, arXiv 1412.6980, algorithm 1. The decay is divided by sqrt(v) like the "
               "gradient, so weights with steep gradients hardly decay";
    case Stepper::adamw:
        break;
    }
    return "Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2";
}

// Why an optimizer that adapts its rate can end above one that does not; empty where it does not.
std::string behind_momentum(const OptimizerState& state, const DescentOptions& o, double loss)
{
    const bool adapts = o.stepper == Stepper::adam_l2 || o.stepper == Stepper::adamw;
    const auto momentum = descend(state.valley, options_of(state, Stepper::momentum));
    if (!adapts || diverged(momentum) || momentum.back().loss >= loss)
    {
        return {};
    }
    return " Momentum is lower: its updates shrink with the gradient, " + std::string(name_of(o.stepper)) +
           "\u2019s keep about the size of the learning rate.";
}

Caption caption_descent(const Frame& frame, OptimizerState& state)
{
    const DescentOptions o = options_of(state, state.descent.stepper);
    const auto path = descend(state.valley, o);
    const std::size_t at = std::min(descent_step_at(state, frame), path.size() - 1);
    return {diverged(path)
                ? fmt::format("{} !!diverges!!: a learning rate of {} is too large for this curvature.",
                              name_of(o.stepper), plain_number(o.rate))
                : fmt::format("After {} step{}, {} is at a loss of **{}**; it started at {}.", at,
                              at == 1 ? "" : "s", name_of(o.stepper), figure(path[at].loss, 3),
                              figure(path.front().loss, 3)) +
                      (at + 1 == path.size() ? behind_momentum(state, o, path.back().loss) : ""),
            update_formula(o), std::string(source_of(o.stepper))};
}

Motion motion_descent(const Frame& frame, OptimizerState& state)
{
    Motion motion;
    motion.duration = static_cast<double>(state.descent.steps);
    motion.per_second = 12;
    motion.rest = motion.duration;
    motion.label = fmt::format("step {}/{}", descent_step_at(state, frame), state.descent.steps);
    return motion;
}

} // namespace

const Page<OptimizerState> descent_page{"Descent",       draw_descent,   panel_descent,
                                        caption_descent, motion_descent, "Optimizers"};

} // namespace ringside
