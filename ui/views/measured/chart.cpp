#include "ui/views/measured/chart.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/controls.h"

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

ChartAxis times_of(const CalibrationFit& fit)
{
    double least = 1e300;
    double most = 0;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        least = std::min(least, row.seconds);
        most = std::max(most, row.seconds);
    }
    return {std::max(least / 1.25, 1e-9), std::max(most * 1.25, 2e-9), true};
}

// As far up as down.
ChartAxis errors_of(const CalibrationFit& fit)
{
    double most = 0.15;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        most = std::max({most, std::abs(row.before) * 1.1, std::abs(row.after) * 1.1});
    }
    return {-most, most, false};
}

void draw_error_lines(const Painter& p, const Chart& c)
{
    for (const double error : {0.1, -0.1})
    {
        p.dashed(c.area.x, c.at_y(error), c.area.right(), c.at_y(error), p.theme.muted, p.px(1));
    }
    p.line(c.area.x, c.at_y(0), c.area.right(), c.at_y(0), p.theme.muted, p.px(2));
    const float inside = p.px(14);
    FreeLabels labels(c.area);
    labels.put_inside(p, c.area.x + inside, c.area.y + inside, Type::small, p.theme.muted,
                      "computed too slow");
    labels.put_inside(p, c.area.x + inside, c.area.bottom() - inside, Type::small, p.theme.muted,
                      "computed too fast");
}

// The row whose point after fitting is nearest to the mouse, where it is near at all.
const CalibrationFit::RowErrors* pointed_at(const Painter& p, const Chart& c, const CalibrationFit& fit)
{
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const CalibrationFit::RowErrors* nearest = nullptr;
    float best = p.px(14);
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        const ImVec2 at = c.at(row.seconds, row.after);
        if (const float far = std::hypot(at.x - mouse.x, at.y - mouse.y); far < best)
        {
            best = far;
            nearest = &row;
        }
    }
    return nearest;
}

void draw_key(const Painter& p, Rect row)
{
    const float dot = p.px(4);
    float x = row.x + dot;
    const auto entry = [&](bool filled, std::string_view words)
    {
        if (x + dot + p.px(20) + p.width(Type::small, words) > row.right())
        {
            return;
        }
        filled ? p.list.AddCircleFilled({x, row.middle()}, dot, p.theme.text)
               : p.list.AddCircle({x, row.middle()}, dot, p.theme.text, 0, p.px(1.5F));
        x += p.text(x + dot + p.px(6), row.middle(), Type::small, p.theme.text, words) + dot + p.px(24);
    };
    entry(false, "as it was");
    entry(true, "fitted");
}

} // namespace

void draw_measured_chart(const Painter& p, Rect area, const MeasuredFrame& measured)
{
    const CalibrationFit& fit = measured.fit;
    draw_key(p, area.cut_top(p.px(28)));
    const ChartAxis errors = errors_of(fit);
    const Chart c = chart_in(p, area, chart_left(p, errors, error_words), times_of(fit), errors);
    if (!c.drawable(p))
    {
        return;
    }
    draw_chart_y(p, c, "computed / measured \u2212 1", error_words);
    draw_chart_x(p, c, "measured step", seconds_words);
    draw_error_lines(p, c);
    const CalibrationFit::RowErrors* over = pointed_at(p, c, fit);
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        const ImVec2 before = c.at(row.seconds, row.before);
        const ImVec2 after = c.at(row.seconds, row.after);
        const float dot = p.px(&row == over ? 6.0F : 4.0F);
        p.line(before.x, before.y, after.x, after.y, p.theme.line);
        p.list.AddCircle(before, dot, p.theme.text, 0, p.px(1.5F));
        p.list.AddCircleFilled(after, dot, p.theme.text);
    }
    if (over != nullptr)
    {
        const std::array lines{TipLine{"measured", seconds_words(over->seconds)},
                               TipLine{"as it was", fmt::format("{:+.1f}%", over->before * 100)},
                               TipLine{"fitted", fmt::format("{:+.1f}%", over->after * 100)}};
        tip_card(p, c.area, ImGui::GetIO().MousePos, over->name, lines);
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
    const Theme& t = p.theme;
    area.w = std::min(area.w, p.px(640));
    const bool roomy = area.h > p.px(280);
    area.cut_top(
        p.paragraph(area, Type::body, t.text,
                    roomy ? "Paste a table of runs you have measured (Ctrl V): a row for each, fields of the "
                            "scenario as columns, and how long a step took."
                          : "Paste a table of runs you have measured (Ctrl V).") +
        p.px(16));
    if (!roomy)
    {
        return;
    }
    const std::string example = measured_example(s);
    const float line = p.height(Type::mono_small) * 1.4F;
    Rect card = area.cut_top(line * 2 + p.px(24));
    p.fill(card, t.control, p.px(6));
    card = card.inset(p.px(12));
    for (std::size_t at = 0; at < example.size();)
    {
        const std::size_t end = example.find('\n', at);
        const Rect row = card.cut_top(line);
        p.text_within(row.x, row.middle(), row.w, Type::mono_small, t.text, example.substr(at, end - at));
        at = end + 1;
    }
    area.cut_top(p.px(16));
    const Rect row = area.cut_top(p.px(36));
    const float w = std::min(row.w, p.width(Type::small_strong, "Copy this table") + p.px(48));
    if (button(p, {row.x, row.y, w, row.h}, "Copy this table###measured copy"))
    {
        out.push(CopyText{example, "Copied a table to fill in"});
    }
    area.cut_top(p.px(16));
    p.paragraph(area, Type::small, t.muted,
                "Any field may be a column, by its path or last name; tokens_per_s or step_time_ms do too. "
                "What a row leaves out is as in your scenario. A few constants of the accelerator are then "
                "fitted, and you see how far off every run was and is.");
}

} // namespace ringside
