#include "ui/views/performance/measured/chart.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/plot.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

std::string seconds_words(double value)
{
    return format_seconds(Seconds(value));
}

std::string error_words(double value)
{
    return std::abs(value) < 1e-9 ? "0%" : fmt::format("{:+g}%", std::round(value * 1000) / 10);
}

PlotAxis times_of(const CalibrationFit& fit)
{
    double least = 1e300;
    double most = 0;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        least = std::min(least, row.seconds);
        most = std::max(most, row.seconds);
    }
    return {std::max(least / 1.25, 1e-9), std::max(most * 1.25, 2e-9), PlotScale::log, "measured step",
            seconds_words};
}

// As far up as down.
PlotAxis errors_of(const CalibrationFit& fit)
{
    double most = 0.15;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        most = std::max({most, std::abs(row.before) * 1.1, std::abs(row.after) * 1.1});
    }
    return {-most, most, PlotScale::linear, "computed / measured \u2212 1", error_words};
}

} // namespace

void draw_measured_chart(const Painter& p, Rect area, const MeasuredFrame& measured)
{
    const CalibrationFit& fit = measured.fit;
    const Theme& t = p.theme;
    Plot plot(p, area, times_of(fit), errors_of(fit),
              {.title = "Step time", .says = "ring: as it was, dot: fitted"});
    if (!plot)
    {
        return;
    }
    for (const double error : {0.1, -0.1})
    {
        plot.rule_y(error, {t.muted, 1, true});
    }
    plot.rule_y(0, {t.muted, 2});
    plot.band_y(0, plot.y.high, 0, "computed too slow");
    plot.band_y(plot.y.low, 0, 0, "computed too fast");
    std::vector<PlotPoint> after;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        after.push_back({row.seconds, row.after});
        plot.line({{row.seconds, row.before}, after.back()}, {t.line, 1});
        plot.dot({row.seconds, row.before}, {t.text, 4, PlotShape::ring});
        plot.dot(after.back(), {t.text, 4});
    }
    if (const PlotPick pick = plot.pick(after, "###measured runs"); pick.at)
    {
        const CalibrationFit::RowErrors& over = fit.rows[*pick.at];
        const std::array lines{TipLine{"measured", seconds_words(over.seconds)},
                               TipLine{"as it was", fmt::format("{:+.1f}%", over.before * 100)},
                               TipLine{"fitted", fmt::format("{:+.1f}%", over.after * 100)}};
        plot.tip(over.name, lines);
    }
}

std::string measured_example(const Scenario& s)
{
    std::string table = "name,gpus,tensor,pipeline,micro_batch,global_batch,step_time_s\n";
    table += fmt::format("as planned,{},{},{},{},{},0.00\n", s.cluster.gpus, s.parallel.tensor,
                         s.parallel.pipeline, s.training.micro_batch, s.training.global_batch);
    return table;
}

void draw_measured_empty(const Painter& p, Rect area, const Scenario& s, Out& out)
{
    area.w = std::min(area.w, p.px(640));
    const std::string example = measured_example(s);
    ScrolledSheet sheet(p, area, "###measured empty");
    sheet->say("Paste a table of runs you have measured (Ctrl V): a row for each, fields of the scenario as "
               "columns, and how long a step took.");
    sheet->gap(16);
    const auto table = [&](Sheet& in)
    {
        const std::size_t end = example.find('\n') + 1;
        in.figures(std::string_view(example).substr(0, end));
        in.figures(std::string_view(example).substr(end));
    };
    sheet->boxed(p.theme.control, p.theme.control, 0, 12, table);
    sheet->gap(16);
    const std::array copy{KeyButton{"Copy this table###measured copy", "", [&] {
                                        out.push(CopyText{example, "Copied a table to fill in"});
                                    }}};
    sheet->buttons(copy);
    sheet->gap(16);
    sheet->note("Any field may be a column, by its path or last name; tokens_per_s or step_time_ms do too. "
                "What a row leaves out is as in your scenario. A few constants of the accelerator are then "
                "fitted, and you see how far off every run was and is.");
}

} // namespace ringside
