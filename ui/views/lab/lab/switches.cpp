#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/lab/words.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::string_view kNone = "\u2013";

// A line of what a switch has done.
struct Figure
{
    std::string_view name;
    std::string before;
    std::string predicted;
    std::string measured;
    std::string off;
};

std::string seconds_words(double seconds)
{
    return seconds > 0 ? format_seconds(Seconds(seconds)) : std::string(kNone);
}
std::string bytes_words(std::int64_t bytes)
{
    return bytes > 0 ? format_bytes(Bytes(bytes)) : std::string(kNone);
}
std::string share_words(const std::optional<double>& share)
{
    return share ? format_percent(*share) : std::string(kNone);
}
std::string loss_words(const LabFigures& f)
{
    return f.steps == 0            ? std::string(kNone)
           : std::isfinite(f.loss) ? fmt::format("{:.3f}", f.loss)
                                   : std::string("not finite");
}

Figure memory_figure(const LabTrial& trial, const LabFigures& now)
{
    return {"State and activations", bytes_words(trial.before.memory), bytes_words(trial.forecast.memory),
            bytes_words(now.memory), now.memory > 0 ? off_by(trial.forecast.memory, now.memory) : ""};
}

Figure peak_figure(const LabTrial& trial, const LabFigures& now)
{
    return {"Peak, with buffers", bytes_words(trial.before.peak), bytes_words(trial.forecast.peak),
            bytes_words(now.peak), now.peak > 0 ? off_by(trial.forecast.peak, now.peak) : ""};
}

Figure time_figure(const LabTrial& trial, const LabFigures& now)
{
    const double predicted = trial.before.seconds * trial.forecast.ratio();
    Figure f{"Time per step", seconds_words(trial.before.seconds), seconds_words(predicted),
             seconds_words(now.seconds), ""};
    if (predicted > 0 && now.seconds > 0)
    {
        const double off = now.seconds / predicted - 1;
        f.off = fmt::format("{}{:.1f}%", off < 0 ? "\u2212" : "+", std::abs(100 * off));
    }
    return f;
}

std::string skipped_forecast(const LabTrial& trial, const TrainerConfig& config)
{
    const SwitchForecast& f = trial.forecast;
    return !f.zeros                      ? std::string(kNone)
           : !f.overflows                ? std::string("none")
           : config.recipe.dynamic_scale ? fmt::format("{} steps", f.halvings)
                                         : std::string("every step");
}

std::vector<Figure> figures(const LabFrame& lab)
{
    const LabTrial& trial = *lab.trial;
    const LabSwitch& s = lab_switches()[trial.which];
    const LabFigures now = figures_after(trial, *lab.a.snapshot);
    std::vector<Figure> all{memory_figure(trial, now), peak_figure(trial, now), time_figure(trial, now)};
    if (s.loss)
    {
        all.push_back({"Loss", loss_words(trial.before), "not predictable", loss_words(now), ""});
    }
    if (s.zeros)
    {
        all.push_back({"Gradients below fp16", share_words(trial.before.zeros),
                       share_words(trial.forecast.zeros), share_words(now.zeros), ""});
        all.push_back({"Steps skipped", "", skipped_forecast(trial, lab.a.snapshot->config),
                       fmt::format("{} of {}", now.skipped - trial.before.skipped, now.steps), ""});
    }
    return all;
}

} // namespace

void draw_switch_card(const Painter& p, Rect area, const LabFrame& lab)
{
    p.part("switch", area);
    const LabTrial& trial = *lab.trial;
    const LabSwitch& s = lab_switches()[trial.which];
    draw_head(p, area.cut_top(p.px(28)), fmt::format("{}: {} \u2192 {}", s.title, trial.from, trial.to),
              fmt::format("step {}", grouped(trial.step)));
    area.cut_top(p.px(4));
    const Colour muted = p.theme.muted;
    const Table<Figure> table({Column<Figure>("", [](const Figure& f) { return f.name; }),
                               {"before", [&](const Figure& f) { return Cell(f.before, muted); }, 1},
                               {"predicted", [&](const Figure& f) { return Cell(f.predicted, muted); }, 3},
                               {"measured", [](const Figure& f) { return f.measured; }, 4},
                               {"off by", [](const Figure& f) { return f.off; }, 2}});
    const auto rows = figures(lab);
    table.draw(p, area.cut_top(std::min(area.h, p.px(kTablePitch) * static_cast<float>(rows.size() + 1))),
               rows);
}

std::string forecast_words(const LabSwitchFrame& shown, const LabSwitch& s)
{
    const SwitchForecast& f = shown.forecast;
    if (f.memory == f.memory_now && s.loss)
    {
        return !s.zeros      ? "the loss: not predictable"
               : !f.zeros    ? "not known before it has run"
               : f.overflows ? "gradients overflow: steps skipped"
                             : fmt::format("{} of the gradients at zero", format_percent(*f.zeros));
    }
    const bool buffers = f.memory == f.memory_now; // nothing but them changes
    const std::int64_t from = buffers ? f.peak_now : f.memory_now;
    const std::int64_t to = buffers ? f.peak : f.memory;
    const std::string memory = from == to ? "same memory"
                                          : fmt::format("{}{} \u2192 {}", buffers ? "peak " : "",
                                                        format_bytes(Bytes(from)), format_bytes(Bytes(to)));
    return f.ratio() > 0 ? fmt::format("{}, time \u00d7 {:.2f}", memory, f.ratio()) : memory;
}

std::string trial_formula(const LabTrial& trial)
{
    const double ratio = trial.forecast.ratio();
    return ratio > 0 && trial.before.seconds > 0
               ? fmt::format(
                     "predicted time = measured before \u00d7 ratio of predicted times = {} \u00d7 {}",
                     format_seconds(Seconds(trial.before.seconds)), three_digits(ratio))
               : "";
}

namespace
{

// [FLOP/s] of a step that takes so long.
double rate_of(const BatchForecast& all, double batch, double seconds)
{
    return all.points.front().flops * batch / seconds;
}

std::vector<PlotPoint> line_of(const BatchForecast& all, double BatchForecast::Point::*seconds)
{
    return list_of<PlotPoint>(
        all.points,
        [&](const BatchForecast::Point& at) {
            return PlotPoint{static_cast<double>(at.batch), at.flops / std::max(at.*seconds, 1e-12)};
        });
}

std::vector<PlotPoint> measured_batches(const LabFrame& lab)
{
    return list_of<PlotPoint>(batch_points(*lab.a.snapshot),
                              [&](const BatchPoint& at)
                              {
                                  const auto batch = static_cast<double>(at.batch);
                                  return PlotPoint{batch, rate_of(*lab.batches, batch, at.seconds)};
                              });
}

} // namespace

void draw_batches(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    if (lab.batches->points.empty() || !lab.rate)
    {
        draw_head(p, head, "Speed by batch", "");
        empty_state(p, area, "", "This device has not been measured: leave the lab and come back.");
        return;
    }
    const auto measured = measured_batches(lab);
    const auto predicted = line_of(*lab.batches, &BatchForecast::Point::seconds);
    const double peak = lab.rate->product_flops;
    draw_head(p, head, "Speed by batch", batch_words(lab));
    const auto launches = line_of(*lab.batches, &BatchForecast::Point::fixed);
    constexpr double kFarthest = 20; // times the peak; beyond that launches do not matter
    double low = predicted.front().y;
    double high = std::max({peak, predicted.back().y, std::min(launches.front().y, kFarthest * peak)});
    for (const PlotPoint& at : measured)
    {
        low = std::min(low, at.y);
        high = std::max(high, at.y);
    }
    Plot plot(p, area, {0.8, 80, PlotScale::log2, "sequences in a micro-batch", plain_number},
              {low / 2, high * 1.6, PlotScale::log, "", format_flops}, {.part = "batches"});
    if (!plot)
    {
        return;
    }
    const Theme& t = p.theme;
    plot.line(launches, {t.muted, 2}, "launches and optimizer alone");
    plot.line({{0.8, peak}, {80, peak}}, {t.muted, 2}, "peak: large GEMM");
    plot.line(predicted, {t.text, 2, true}, "predicted");
    plot.line(measured, {t.ok, 1.5F}, measured.empty() ? "" : "measured", true);
    const auto now = static_cast<double>(lab.a.snapshot->config.training.micro_batch);
    for (const PlotPoint& at : measured)
    {
        plot.dot(at, {.colour = t.ok, .radius = 5, .circled = at.x == now});
    }
}

std::string batch_words(const LabFrame& lab)
{
    const auto measured = measured_batches(lab);
    const auto now = static_cast<double>(lab.a.snapshot->config.training.micro_batch);
    const auto at = std::ranges::find(measured, now, &PlotPoint::x);
    return at == measured.end()
               ? fmt::format("{}: measuring", plain_number(now))
               : fmt::format("{}: {}, {} of the peak", plain_number(now), format_flops(at->y),
                             format_percent(at->y / lab.rate->product_flops));
}

} // namespace ringside
