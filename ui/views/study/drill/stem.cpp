#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/study/drill/parts.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside
{

namespace
{

// From the least to the most that is drawn, with both written at its ends; a single value gets room above it.
PlotAxis axis_over(std::vector<double> values, bool log_scale)
{
    std::erase_if(values, [=](double v) { return !std::isfinite(v) || (log_scale && v <= 0); });
    const auto [least, most] =
        values.empty() ? std::ranges::minmax_result<double>{1.0, 1.0} : std::ranges::minmax(values);
    const double high = most > least ? most : log_scale ? least * 10 : least + 1;
    return {least, high, log_scale ? PlotScale::log : PlotScale::linear, "", three_digits, {least, high}};
}

// A few values over ranks are bars, a course over time is a line.
void draw_series(Sheet& sheet, const EvidenceSeries& s, const std::string& x_unit, float height)
{
    const Painter& p = sheet.p;
    const bool bars = s.y.size() <= 64 && x_unit.find("rank") != std::string::npos;
    PlotAxis x = axis_over(s.x, false);
    PlotAxis y = axis_over(s.y, s.log_scale);
    x.title = x_unit;
    if (bars)
    {
        const double most = std::max(y.high, 1e-12);
        x = {x.low - 0.5, x.high + 0.5, x.scale, x_unit, x.words, x.ticks};
        y = {0, most, PlotScale::linear, "", y.words, {0, most}};
    }
    const std::string title =
        fmt::format("{}{}{}", s.name, s.y_unit.empty() ? "" : ", " + s.y_unit, s.log_scale ? ", log" : "");
    Plot plot(p, sheet.row(height + 76), x, y, {.title = title});
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; plot && i < std::min(s.x.size(), s.y.size()); ++i)
    {
        points.push_back({s.x[i], s.log_scale ? std::max(s.y[i], y.low) : s.y[i]});
        if (bars && std::isfinite(s.y[i]))
        {
            p.fill(plot.rect(s.x[i] - 0.4, s.x[i] + 0.4, 0, s.y[i]), mix(p.theme.text, p.theme.window, 0.3F));
        }
    }
    if (!bars)
    {
        plot.line(points, {p.theme.text, 1.6F});
    }
    sheet.gap(4);
}

} // namespace

std::string kind_of_question(const Question& question)
{
    return fmt::format("{}, {}", name_of(question.kind), name_of(question.difficulty));
}

void draw_stem(Sheet& sheet, const Question& q, std::string_view lead, bool quiet)
{
    constexpr std::size_t kLong = 220; // characters
    sheet.words(Type::small_strong, sheet.p.theme.muted, lead);
    sheet.gap(lead.empty() ? 0 : 6);
    quiet || q.stem.size() > kLong ? sheet.name(q.stem) : sheet.title(q.stem);
    sheet.gap(q.note.empty() ? 0 : quiet ? 6 : 10);
    sheet.note(q.note);
    sheet.gap(quiet ? 12 : 16);
    draw_evidence(sheet, q.evidence);
}

void draw_evidence(Sheet& sheet, const Evidence& evidence)
{
    const float height = evidence.series.size() > 1 ? 84 : 120;
    for (const EvidenceSeries& s : evidence.series)
    {
        draw_series(sheet, s, evidence.x_unit, height);
    }
    if (!evidence.lines.empty())
    {
        const auto log = [&](Sheet& in)
        { std::ranges::for_each(evidence.lines, [&](auto& line) { in.figures(line); }); };
        sheet.boxed(sheet.p.theme.panel, sheet.p.theme.line, 1, 12, log);
    }
    sheet.gap(evidence.series.empty() && evidence.lines.empty() ? 0 : 12);
}

} // namespace ringside
