#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/study/drill/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

struct Range
{
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();

    void add(double v)
    {
        low = std::isfinite(v) ? std::min(low, v) : low;
        high = std::isfinite(v) ? std::max(high, v) : high;
    }
    double span() const { return high > low ? high - low : 1; }
};

Range range_of(const std::vector<double>& values, bool log_scale)
{
    Range r;
    for (const double v : values)
    {
        r.add(log_scale ? std::log10(std::max(v, 1e-12)) : v);
    }
    return r.high < r.low ? Range{0, 1} : r;
}

// Lines between what is there; a gap or the end of the line where nothing is, with a cross at a last point.
void draw_curve(const Painter& p, Rect plot, const EvidenceSeries& s, const Range& x, const Range& y)
{
    std::vector<ImVec2> part;
    const auto flush = [&]
    {
        p.list.AddPolyline(part.data(), static_cast<int>(part.size()), p.theme.text, 0, p.px(1.6F));
        part.clear();
    };
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
    {
        const double v = s.log_scale ? std::log10(std::max(s.y[i], 1e-12)) : s.y[i];
        if (!std::isfinite(v))
        {
            flush();
            continue;
        }
        const auto at = static_cast<float>((s.x[i] - x.low) / x.span());
        const auto up = static_cast<float>((v - y.low) / y.span());
        part.push_back({plot.x + at * plot.w, plot.bottom() - up * plot.h});
    }
    flush();
}

// A few values over ranks are bars, a course over time is a line.
void draw_bars(const Painter& p, Rect plot, const EvidenceSeries& s, const Range& y)
{
    const float step = plot.w / static_cast<float>(std::max<std::size_t>(1, s.y.size()));
    for (std::size_t i = 0; i < s.y.size(); ++i)
    {
        const double share = std::isfinite(s.y[i]) && y.high > 0 ? s.y[i] / y.high : 0;
        const float h = plot.h * static_cast<float>(std::clamp(share, 0.0, 1.0));
        p.fill({plot.x + step * static_cast<float>(i), plot.bottom() - h, std::max(1.0F, step - p.px(2)), h},
               mix(p.theme.text, p.theme.window, 0.3F));
    }
}

void draw_series(Sheet& sheet, const EvidenceSeries& s, const std::string& x_unit, float height)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const Range x = range_of(s.x, false);
    const Range y = range_of(s.y, s.log_scale);
    const bool bars = s.y.size() <= 64 && x_unit.find("rank") != std::string::npos;
    const auto value = [&](double v) { return three_digits(s.log_scale ? std::pow(10.0, v) : v); };
    Rect head = sheet.row(24);
    p.text_within(
        head.x, head.middle(), head.w, Type::small, t.muted,
        fmt::format("{}{}{}", s.name, s.y_unit.empty() ? "" : ", " + s.y_unit, s.log_scale ? ", log" : ""));
    Rect plot = sheet.row(height);
    const std::string top = value(y.high);
    const std::string low = bars ? "0" : value(y.low);
    const Rect labels =
        plot.cut_left(std::max(p.width(Type::mono_small, top), p.width(Type::mono_small, low)) + p.px(10));
    const float half = p.height(Type::mono_small) / 2;
    p.text(labels.right() - p.px(8), plot.y + half, Type::mono_small, t.muted, top, Align::right);
    p.text(labels.right() - p.px(8), plot.bottom() - half, Type::mono_small, t.muted, low, Align::right);
    p.line(plot.x, plot.y, plot.right(), plot.y, t.grid);
    p.line(plot.x, plot.bottom(), plot.right(), plot.bottom(), t.line);
    if (bars)
    {
        draw_bars(p, plot, s, y);
    }
    else
    {
        draw_curve(p, plot, s, x, y);
    }
    const Rect foot = sheet.row(22);
    const std::string from = three_digits(x.low);
    const std::string to = fmt::format("{} {}", three_digits(x.high), x_unit);
    p.text(plot.x, foot.middle(), Type::mono_small, t.muted, from);
    if (p.width(Type::mono_small, from + to) + p.px(16) < plot.w)
    {
        p.text(plot.right(), foot.middle(), Type::mono_small, t.muted, to, Align::right);
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
