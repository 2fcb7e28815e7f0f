#include "ui/views/growth/chart.h"

#include <fmt/format.h>

#include "core/base/counted.h"
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

struct Plot
{
    Rect area;
    double most_gpus = ScalingSweep::kMostGpus;
    double least = 0; // at the bottom; above 0: logarithmic
    double most = 1;

    float x(double gpus) const
    {
        return area.x + area.w * static_cast<float>(std::log2(std::max(1.0, gpus)) / std::log2(most_gpus));
    }
    float y(double value) const
    {
        const double share =
            least > 0 ? std::log(std::max(value, least) / least) / std::log(most / least) : value / most;
        return area.bottom() - area.h * static_cast<float>(std::clamp(share, 0.0, 1.0));
    }
};

bool logarithmic(GrowthShows shows)
{
    return shows == GrowthShows::all;
}

Plot plot_of(const Painter& p, Rect area, const ScalingSweep& sweep, GrowthShows shows)
{
    Plot plot;
    plot.area = area;
    plot.area.cut_left(p.px(64));
    plot.area.cut_right(p.px(area.w > p.px(560) ? 96 : 64));
    plot.area.cut_top(p.px(36));
    plot.area.cut_bottom(p.px(48));
    double most = 0;
    double least = 1e300;
    for (const Scaling scaling : {Scaling::strong, Scaling::weak})
    {
        for (const ScalingPoint& point : sweep.of(scaling))
        {
            most = std::max(most, growth_value(point, shows));
            least = std::min(least, growth_value(point, shows));
            plot.most_gpus = std::max(plot.most_gpus, static_cast<double>(point.gpus()));
        }
    }
    plot.most = most > 0 ? most * 1.12 : 1;
    plot.area.cut_left(p.px(shows == GrowthShows::mfu && plot.most < 1e-5 ? 20.0F : 0.0F));
    if (logarithmic(shows) && most > 0)
    {
        plot.least = std::pow(10, std::floor(std::log10(least)));
        plot.most = std::pow(10, std::ceil(std::log10(most * 1.01)));
    }
    return plot;
}

// Without a power of ten, for a share as small as a toy's.
std::string percent_words(double share)
{
    const double percent = share * 100;
    return percent == 0 || percent >= 1e-4 ? fmt::format("{:.4g}%", percent)
                                           : fmt::format("{:.6f}%", percent);
}

std::string axis_words(double value, GrowthShows shows)
{
    return shows == GrowthShows::mfu ? percent_words(value)
           : value >= 1000
               ? fmt::format("{:g}{}", value >= 1e6 ? value / 1e6 : value / 1e3, value >= 1e6 ? "M" : "k")
               : fmt::format("{:g}", value);
}

void draw_axes(const Painter& p, const Plot& plot, GrowthShows shows)
{
    const Theme& t = p.theme;
    const bool log = plot.least > 0;
    const int wanted = std::clamp(static_cast<int>(plot.area.h / p.px(44)), 3, 6); // less can be none but 0
    float taken = plot.area.bottom() + p.px(1000);
    for (const double v : chart_ticks({log ? plot.least : 0, plot.most, log}, wanted))
    {
        p.line(plot.area.x, plot.y(v), plot.area.right(), plot.y(v), t.grid);
        if (plot.y(v) < taken - p.height(Type::mono_small))
        {
            taken = plot.y(v);
            p.text(plot.area.x - p.px(10), taken, Type::mono_small, t.muted, axis_words(v, shows),
                   Align::right);
        }
    }
    const int every = plot.area.w > p.px(640) ? 1 : plot.area.w > p.px(300) ? 2 : 4;
    const auto doublings = static_cast<int>(std::floor(std::log2(plot.most_gpus) + 1e-9));
    for (int k = 0; k <= doublings; k += every)
    {
        const float x = plot.x(std::exp2(k));
        p.line(x, plot.area.bottom(), x, plot.area.bottom() + p.px(4), t.line);
        p.text(x, plot.area.bottom() + p.px(16), Type::small, t.muted, grouped(std::int64_t{1} << k),
               Align::centre);
    }
    p.line(plot.area.x, plot.area.bottom(), plot.area.right(), plot.area.bottom(), t.line);
    constexpr std::array<std::string_view, 3> kNames{"MFU, attention counted", "tokens a second and GPU",
                                                     "tokens a second"};
    p.text_within(plot.area.x - p.px(64), plot.area.y - p.px(22), plot.area.w, Type::small, t.muted,
                  kNames.at(static_cast<std::size_t>(shows)));
    p.text(plot.area.right(), plot.area.bottom() + p.px(36), Type::small, t.muted, "GPUs", Align::right);
}

// Hatched, with words where they fit.
void draw_out_of_reach(const Painter& p, const Plot& plot, const ScalingSweep& sweep)
{
    const Theme& t = p.theme;
    const auto least = static_cast<double>(
        std::min(sweep.of(Scaling::weak).front().gpus(), sweep.of(Scaling::strong).front().gpus()));
    const Rect left{plot.area.x, plot.area.y, plot.x(least) - plot.area.x, plot.area.h};
    p.hatch(left, with_alpha(t.idle_hatch, 0.35F), kIdleHatch);
    if (sweep.replica() > 1)
    {
        const std::string words = fmt::format("one replica needs {} GPUs", grouped(sweep.replica()));
        const Rect room{left.x + p.px(10), left.y + p.px(8), left.w - p.px(20), left.h};
        if (room.w > p.px(96))
        {
            const float wide = std::min(room.w, p.width(Type::small, words));
            const float high = p.height(Type::small) * (p.width(Type::small, words) > room.w ? 2.4F : 1.3F);
            p.fill({room.x - p.px(4), room.y - p.px(2), wide + p.px(8), high}, with_alpha(t.window, 0.85F));
            p.paragraph(room, Type::small, t.muted, words);
        }
    }
}

// Where every replica has one micro-batch, and no more can be used.
void draw_strong_end(const Painter& p, const Plot& plot, const ScalingSweep& sweep)
{
    const auto end = static_cast<double>(sweep.strong_end());
    if (end > plot.most_gpus)
    {
        return;
    }
    const Theme& t = p.theme;
    const float x = plot.x(end);
    p.dashed(x, plot.area.y, x, plot.area.bottom(), t.muted);
    const std::string words = fmt::format("batch used up: {}, 1 micro-batch each",
                                          counted(sweep.strong_end() / sweep.replica(), "replica"));
    const float w = p.width(Type::small, words);
    const float left = plot.area.x + p.px(8);
    const float from = std::clamp(x + p.px(8), left, std::max(left, plot.area.right() - w));
    const bool beside = from >= x + p.px(4);
    const float room = plot.area.right() - from;
    const float at = plot.area.bottom() - p.px(16);
    const float start = beside ? from : std::max(left, x - p.px(8) - w);
    const float most = beside ? room : x - p.px(8) - start;
    p.fill({start - p.px(4), at - p.px(10), std::min(w, most) + p.px(8), p.px(20)},
           with_alpha(t.window, 0.85F));
    p.text_within(start, at, most, Type::small, t.muted, words);
}

double ideal_at(const std::vector<ScalingPoint>& points, double gpus, GrowthShows shows)
{
    const double first = growth_value(points.front(), shows);
    return logarithmic(shows) ? first * gpus / static_cast<double>(points.front().gpus()) : first;
}

// GPUs at which it leaves the picture: at the right, or at the top.
double ideal_end(const Plot& plot, const std::vector<ScalingPoint>& points, GrowthShows shows)
{
    const double beyond = ideal_at(points, plot.most_gpus, shows) / plot.most;
    return logarithmic(shows) && beyond > 1 ? plot.most_gpus / beyond : plot.most_gpus;
}

void draw_ideal(const Painter& p, const Plot& plot, const std::vector<ScalingPoint>& points,
                GrowthShows shows)
{
    const auto first = static_cast<double>(points.front().gpus());
    const double last = ideal_end(plot, points, shows);
    p.dashed(plot.x(first), plot.y(ideal_at(points, first, shows)), plot.x(last),
             plot.y(ideal_at(points, last, shows)), p.theme.muted, 1);
}

// On a ground of its own, so that no line crosses it.
void draw_name(const Painter& p, ImVec2 at, std::string_view name)
{
    const float w = p.width(Type::small_strong, name);
    p.fill({at.x - p.px(3), at.y - p.px(9), w + p.px(6), p.px(18)}, with_alpha(p.theme.window, 0.85F));
    p.text(at.x, at.y, Type::small_strong, p.theme.text, name);
}

// "x does not fit", where something does not; and which point is the scenario's.
void draw_marks(const Painter& p, const Plot& plot, const ScalingSweep& sweep, GrowthShows shows)
{
    const Theme& t = p.theme;
    for (const ScalingPoint& point : sweep.of(Scaling::strong))
    {
        const ImVec2 at{plot.x(static_cast<double>(point.gpus())), plot.y(growth_value(point, shows))};
        if (point.scenario == sweep.scenario() && at.x + p.px(96) < plot.area.right() &&
            &point != &sweep.of(Scaling::strong).back())
        {
            draw_name(p, {at.x + p.px(14), at.y - p.px(16)}, "now");
        }
    }
    const auto fits = [](const ScalingPoint& point) { return point.fits; };
    const auto& weak = sweep.of(Scaling::weak);
    const auto& strong = sweep.of(Scaling::strong);
    const bool all =
        std::all_of(weak.begin(), weak.end(), fits) && std::all_of(strong.begin(), strong.end(), fits);
    const std::string_view words = "does not fit in memory";
    const float w = p.width(Type::small, words);
    if (!all && w + p.px(220) < plot.area.w)
    {
        const float middle = plot.area.y - p.px(22);
        p.text(plot.area.right(), middle, Type::small, t.muted, words, Align::right);
        p.text(plot.area.right() - w - p.px(8), middle, Type::small, t.warning, "\u2715", Align::right);
    }
}

struct End
{
    float y;
    std::string_view name;
    bool strong;
};

void draw_names(const Painter& p, const Plot& plot, std::vector<End> ends)
{
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y < b.y; });
    float free = plot.area.y - p.px(20);
    for (const End& end : ends)
    {
        const float at = std::max(end.y, free + p.px(18));
        p.text_within(plot.area.right() + p.px(10), at, p.px(86),
                      end.strong ? Type::small_strong : Type::small,
                      end.strong ? p.theme.text : p.theme.muted, end.name);
        free = at;
    }
}

std::string point_tip(const ScalingPoint& point, const std::vector<ScalingPoint>& points, std::size_t at,
                      Scaling scaling)
{
    return fmt::format(
        "{} scaling, {}\n\nglobal batch {}, {} a replica\nstep {}, {} tokens/s\n"
        "MFU {}, {} of the smallest size\n{}\n\nPress to train there.",
        scaling == Scaling::strong ? "Strong" : "Weak", counted(point.gpus(), "GPU"),
        grouped(point.scenario.training.global_batch), counted(micro_batches(point.scenario), "micro-batch"),
        format_seconds(Seconds(point.step.total())), format_count(point.step.tokens_per_second()),
        format_percent(point.step.mfu()), format_percent(efficiency(points, at)),
        point.fits ? "fits in memory" : "does not fit in memory");
}

void draw_point(const Painter& p, ImVec2 at, const ScalingPoint& point, bool here, bool lit)
{
    const Theme& t = p.theme;
    const float radius = p.px(here ? 7 : 5);
    if (point.fits)
    {
        p.list.AddCircleFilled(at, radius, t.text);
        p.list.AddCircle(at, radius, t.window);
    }
    else
    {
        p.list.AddCircleFilled(at, radius, t.window);
        p.list.AddCircle(at, radius, t.warning, 0, p.px(2));
        const float u = radius * 0.5F;
        p.line(at.x - u, at.y - u, at.x + u, at.y + u, t.warning, p.px(1.5F));
        p.line(at.x - u, at.y + u, at.x + u, at.y - u, t.warning, p.px(1.5F));
    }
    if (here || lit)
    {
        p.list.AddCircle(at, radius + p.px(4), t.text, 0, p.px(2));
    }
}

void draw_line(const Painter& p, const Plot& plot, const ScalingSweep& sweep, Scaling scaling,
               GrowthShows shows, Out& out)
{
    const auto& points = sweep.of(scaling);
    const bool strong = scaling == Scaling::strong;
    std::vector<ImVec2> line;
    line.reserve(points.size());
    for (const ScalingPoint& point : points)
    {
        line.emplace_back(plot.x(static_cast<double>(point.gpus())), plot.y(growth_value(point, shows)));
    }
    const Theme& t = p.theme;
    p.list.AddPolyline(line.data(), static_cast<int>(line.size()), strong ? t.text : t.data.fill, 0,
                       p.px(strong ? 2.5F : 2));
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const bool here = points[i].scenario == sweep.scenario();
        if (here && !strong)
        {
            continue; // the same point on both lines
        }
        const float reach = p.px(9);
        const std::string id = fmt::format("###{} {} GPUs", strong ? "strong" : "weak", points[i].gpus());
        const Press pressed =
            press(p, {line[i].x - reach, line[i].y - reach, 2 * reach, 2 * reach}, id.c_str(), 9);
        tooltip(p, point_tip(points[i], points, i, scaling));
        draw_point(p, line[i], points[i], here, pressed.hovered);
        if (pressed.clicked && !here)
        {
            out.push(ChangeScenario{points[i].scenario, false, grouped(points[i].gpus()) + " GPUs"});
        }
    }
}

} // namespace

double growth_value(const ScalingPoint& point, GrowthShows shows)
{
    switch (shows)
    {
    case GrowthShows::mfu:
        return point.step.mfu();
    case GrowthShows::per_gpu:
        return point.tokens_per_gpu();
    case GrowthShows::all:
        break;
    }
    return point.step.tokens_per_second();
}

void draw_growth_chart(const Painter& p, Rect area, const ScalingSweep& sweep, GrowthShows shows, Out& out)
{
    const Plot plot = plot_of(p, area, sweep, shows);
    if (plot.area.w < p.px(40) || plot.area.h < p.px(40) || sweep.of(Scaling::weak).empty() ||
        sweep.of(Scaling::strong).empty())
    {
        return;
    }
    draw_axes(p, plot, shows);
    draw_out_of_reach(p, plot, sweep);
    draw_strong_end(p, plot, sweep);
    draw_marks(p, plot, sweep, shows);
    std::vector<End> ends;
    const auto& weak = sweep.of(Scaling::weak);
    const auto& strong = sweep.of(Scaling::strong);
    draw_ideal(p, plot, strong, shows);
    if (const double end = ideal_end(plot, strong, shows); end < plot.most_gpus)
    {
        p.text(plot.x(end) + p.px(6), plot.area.y + p.px(8), Type::small, p.theme.muted, "ideal");
    }
    else
    {
        ends.push_back({plot.y(ideal_at(strong, end, shows)), "ideal", false});
    }
    ends.push_back({plot.y(growth_value(weak.back(), shows)), "weak", true});
    draw_line(p, plot, sweep, Scaling::weak, shows, out);
    draw_line(p, plot, sweep, Scaling::strong, shows, out);
    const ScalingPoint& last = strong.back();
    const ImVec2 at{plot.x(static_cast<double>(last.gpus())), plot.y(growth_value(last, shows))};
    if (at.x + p.px(80) > plot.area.right())
    {
        ends.push_back({at.y, "strong", true});
    }
    else
    {
        draw_name(p, {at.x + p.px(14), at.y}, "strong");
    }
    draw_names(p, plot, std::move(ends));
}

} // namespace ringside
