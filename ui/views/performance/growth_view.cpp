// Strong and weak scaling of the scenario's layout, from one replica to 16 384 GPUs.
#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/base/work.h"
#include "core/performance/scaling_curve.h"
#include "ui/shell/paged_view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 2> kPages{"growth/mfu", "growth/all"};

enum class GrowthShows : std::uint8_t
{
    mfu, // and tokens per second and GPU, which are the same curve
    all  // tokens per second
};

double growth_value(const ScalingPoint& point, GrowthShows shows)
{
    return shows == GrowthShows::mfu ? point.step.mfu() : point.step.tokens_per_second();
}

bool logarithmic(GrowthShows shows)
{
    return shows == GrowthShows::all;
}

// Without a power of ten, for a share as small as a toy's.
std::string percent_words(double share)
{
    const double percent = share * 100;
    return percent == 0 || percent >= 1e-4 ? fmt::format("{:.4g}%", percent)
                                           : fmt::format("{:.6f}%", percent);
}

std::string tokens_words(double value)
{
    return value >= 1000
               ? fmt::format("{:g}{}", value >= 1e6 ? value / 1e6 : value / 1e3, value >= 1e6 ? "M" : "k")
               : fmt::format("{:g}", value);
}

// Tokens per second and GPU at an MFU of one: its FLOP/s over the FLOPs of a token.
double tokens_at_peak(const ScalingPoint& point)
{
    return point.step.mfu() > 0 ? point.tokens_per_gpu() / point.step.mfu() : 0;
}

std::pair<PlotAxis, PlotAxis> axes_of(const ScalingSweep& sweep, GrowthShows shows)
{
    double gpus = ScalingSweep::kMostGpus;
    double most = 0;
    double least = 1e300;
    for (const Scaling scaling : {Scaling::strong, Scaling::weak})
    {
        for (const ScalingPoint& point : sweep.of(scaling))
        {
            most = std::max(most, growth_value(point, shows));
            least = std::min(least, growth_value(point, shows));
            gpus = std::max(gpus, static_cast<double>(point.gpus()));
        }
    }
    const double peak = tokens_at_peak(sweep.of(Scaling::strong).front());
    const auto share = [peak](double v)
    { return fmt::format("{} \u00b7 {}", three_digits(v * peak), percent_words(v)); };
    const bool mfu = shows == GrowthShows::mfu;
    PlotAxis y{0, most > 0 ? most * 1.12 : 1, PlotScale::linear,
               mfu ? "tokens/s/GPU \u00b7 MFU (attention counted)" : "tokens/s",
               mfu ? AxisWords(share) : AxisWords(tokens_words)};
    if (logarithmic(shows) && most > 0)
    {
        y.scale = PlotScale::log;
        y.low = decade_below(least);
        y.high = decade_above(most * 1.01);
    }
    return {{1, gpus, PlotScale::log2, "GPUs", [](double v) { return grouped(std::llround(v)); }}, y};
}

double ideal_at(const std::vector<ScalingPoint>& points, double gpus, GrowthShows shows)
{
    const double first = growth_value(points.front(), shows);
    return logarithmic(shows) ? first * gpus / static_cast<double>(points.front().gpus()) : first;
}

std::string point_tip(const ScalingPoint& point, const std::vector<ScalingPoint>& points, std::size_t at,
                      Scaling scaling)
{
    return fmt::format(
        "{} scaling, {}\n\nglobal batch {}, {} per replica\nstep {}, {} tokens/s\n"
        "MFU {}, scaling efficiency {}\n{}\n\nClick to use this size.",
        scaling == Scaling::strong ? "Strong" : "Weak", counted(point.gpus(), "GPU"),
        grouped(point.scenario.training.global_batch), counted(micro_batches(point.scenario), "micro-batch"),
        format_seconds(Seconds(point.step.total())), format_count(point.step.tokens_per_second()),
        format_percent(point.step.mfu()), format_percent(efficiency(points, at)),
        point.fits ? "fits in memory" : "does not fit in memory");
}

PlotPoint place_of(const ScalingPoint& point, GrowthShows shows)
{
    return {static_cast<double>(point.gpus()), growth_value(point, shows)};
}

void draw_line(const Painter& p, Plot& plot, const ScalingSweep& sweep, Scaling scaling, GrowthShows shows,
               Out& out)
{
    const auto& points = sweep.of(scaling);
    const bool strong = scaling == Scaling::strong;
    const Theme& t = p.theme;
    std::vector<PlotPoint> line;
    for (const ScalingPoint& point : points)
    {
        line.push_back(place_of(point, shows));
    }
    plot.line(line, strong ? PlotStroke{t.text, 2.5F} : PlotStroke{t.data, 2}, strong ? "strong" : "weak",
              true);
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const bool here = points[i].scenario == sweep.scenario();
        if (here && !strong)
        {
            continue; // the same point on both lines
        }
        if (!points[i].fits)
        {
            plot.speck(line[i], {t.warning, 3, PlotShape::cross});
        }
        const PlotDot look{points[i].fits ? t.text : t.warning, here ? 7.0F : 5.0F,
                           points[i].fits ? PlotShape::disc : PlotShape::ring, here};
        const Press pressed = plot.dot(
            line[i], look, fmt::format("###{} {} GPUs", strong ? "strong" : "weak", points[i].gpus()),
            point_tip(points[i], points, i, scaling));
        if (here)
        {
            plot.label(line[i], "now", true, 14);
        }
        else if (pressed.clicked)
        {
            out.push(ChangeScenario{points[i].scenario, false, grouped(points[i].gpus()) + " GPUs"});
        }
    }
}

// Too few for a replica, and where every replica has one micro-batch, so that no more can be used.
void draw_ends(const Painter& p, Plot& plot, const ScalingSweep& sweep)
{
    const auto least = static_cast<double>(
        std::min(sweep.of(Scaling::weak).front().gpus(), sweep.of(Scaling::strong).front().gpus()));
    plot.band_x(1, least, with_alpha(p.theme.idle_hatch, 0.35F),
                sweep.replica() > 1 ? fmt::format("one replica needs {} GPUs", grouped(sweep.replica())) : "",
                kIdleHatch);
    if (const auto end = static_cast<double>(sweep.strong_end()); end <= plot.x.high)
    {
        plot.rule_x(
            end, {p.theme.muted, 1, true},
            fmt::format("batch exhausted at {}", counted(sweep.strong_end() / sweep.replica(), "replica")));
    }
}

void draw_growth_chart(const Painter& p, Rect area, const ScalingSweep& sweep, GrowthShows shows, Out& out)
{
    const auto& weak = sweep.of(Scaling::weak);
    const auto& strong = sweep.of(Scaling::strong);
    if (weak.empty() || strong.empty())
    {
        return;
    }
    const auto [gpus, values] = axes_of(sweep, shows);
    const auto fits = [](const ScalingPoint& point) { return point.fits; };
    const bool all = std::ranges::all_of(weak, fits) && std::ranges::all_of(strong, fits);
    Plot plot(p, area, gpus, values, {.title = all ? "" : "\u2715 does not fit in memory", .names = 76});
    if (!plot)
    {
        return;
    }
    draw_ends(p, plot, sweep);
    const auto first = static_cast<double>(strong.front().gpus());
    const auto ideal = [&](double n) { return ideal_at(strong, n, shows); };
    plot.line({{first, ideal(first)}, {plot.x.high, ideal(plot.x.high)}}, {p.theme.muted, 1, true}, "ideal");
    draw_line(p, plot, sweep, Scaling::weak, shows, out);
    draw_line(p, plot, sweep, Scaling::strong, shows, out);
}

struct GrowthState
{
};
using GrowthRoom = PageRoom<GrowthState>;

WorkAnswer<ScalingSweep> sweep(const Frame& frame)
{
    return work_on<ScalingSweep>(frame.works, frame.now.scenario);
}

template <GrowthShows kShows>
void draw_growth(const GrowthRoom& r)
{
    const Painter& painter = r.p;
    Rect area = r.area;
    const auto all = sweep(r.frame);
    if (!draw_status(painter, area, all))
    {
        return;
    }
    if (!all->refused().empty() && all.done() && area.h > painter.px(200))
    {
        const ScalingSweep::Refused& last = all->refused().back();
        Rect row = area.cut_bottom(painter.px(30));
        row.cut_bottom(painter.px(10));
        painter.text_within(row.x, row.middle(), row.w, Type::small, painter.theme.muted,
                            fmt::format("{} left out, up to {}: {}",
                                        counted(std::ssize(all->refused()), "size"),
                                        counted(last.gpus, "GPU"), last.message));
    }
    draw_growth_chart(painter, area, *all, kShows, r.out);
}

// What takes most of the GPU time that the last size needs beyond the first; "" where nothing does.
std::string lost_to(const std::vector<ScalingPoint>& points)
{
    const StepTime& first = points.front().step;
    const StepTime& last = points.back().step;
    const double ratio = static_cast<double>(points.back().gpus()) /
                         static_cast<double>(points.front().gpus()) * first.tokens / last.tokens;
    Slice worst = Slice::model;
    double most = 0.01 * first.total();
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        const double more = last.slices[i] * ratio - first.slices[i];
        worst = more > most ? static_cast<Slice>(i) : worst;
        most = std::max(most, more);
    }
    if (worst == Slice::model)
    {
        return "";
    }
    const bool sends = worst >= Slice::tensor && worst <= Slice::data;
    const bool one = worst == Slice::bubble || worst == Slice::optimizer;
    return fmt::format(", lost to **{}{}{}**", one ? "the " : "", name_of(worst),
                       sends ? " communication" : "");
}

Caption growth_caption(const Frame& frame, GrowthState&)
{
    const auto all = sweep(frame);
    Caption caption;
    if (!all)
    {
        caption.sentence = fault_sentence(all);
        return caption;
    }
    const auto& strong = all->of(Scaling::strong);
    const auto& weak = all->of(Scaling::weak);
    if (!all.done() || strong.empty() || weak.empty())
    {
        caption.sentence = "Computing all sizes \u2026";
        return caption;
    }
    const auto kept = [](const std::vector<ScalingPoint>& points)
    { return format_percent(efficiency(points, points.size() - 1)); };
    caption.sentence = fmt::format("Strong scaling: **{}** efficiency on {}{}; weak: **{}** on {}.",
                                   kept(strong), counted(strong.back().gpus(), "GPU"), lost_to(strong),
                                   kept(weak), grouped(weak.back().gpus()));
    const ScalingPoint& first = strong.front();
    const ScalingPoint& last = strong.back();
    caption.formula =
        fmt::format("efficiency = tokens/s/GPU over that of the smallest = ({} / {}) / ({} / {}) = {}",
                    figure(last.step.tokens_per_second(), 4), last.gpus(),
                    figure(first.step.tokens_per_second(), 4), first.gpus(), kept(strong));
    caption.source =
        "Strong scaling: Amdahl 1967, doi 10.1145/1465482.1465560. Weak scaling: Gustafson 1988, doi "
        "10.1145/42411.42415. Tensor, context and pipeline parallelism stay; data parallelism grows.";
    return caption;
}

void draw_table(const Painter& p, Rect& area, const ScalingSweep& all, Scaling scaling)
{
    const auto& points = all.of(scaling);
    const auto here = [&](std::size_t i) { return points[i].scenario == all.scenario(); };
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        if (i == 0 || i + 1 == points.size() || here(i))
        {
            rows.push_back(i);
        }
    }
    const Table<std::size_t> table(
        {{scaling == Scaling::strong ? "Strong" : "Weak",
          [&](std::size_t i) { return grouped(points[i].gpus()); }},
         {"step", [&](std::size_t i) { return format_seconds(Seconds(points[i].step.total())); }},
         {"efficiency", [&](std::size_t i) { return format_percent(efficiency(points, i)); }}},
        nullptr, here);
    table.draw(p, area.cut_top(table_height(p, rows.size())), rows);
    area.cut_top(p.px(8));
}

void panel_growth(PanelColumn& column, const GrowthRoom& r)
{
    const auto answer = sweep(r.frame);
    if (!answer)
    {
        return;
    }
    const ScalingSweep& all = *answer;
    const Painter& p = r.p;
    Rect area = column.rest();
    draw_table(p, area, all, Scaling::strong);
    draw_table(p, area, all, Scaling::weak);
    const Scenario& s = all.scenario();
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           fmt::format(
               "Strong scaling ends at **{} GPU{}**: global batch {}, micro-batch {}, {} GPU{} per replica.",
               grouped(all.strong_end()), all.strong_end() == 1 ? "" : "s", grouped(s.training.global_batch),
               s.training.micro_batch, grouped(all.replica()), all.replica() == 1 ? "" : "s"));
}

constexpr Page<GrowthState> kMfuPage{"MFU", draw_growth<GrowthShows::mfu>, panel_growth, growth_caption};
constexpr Page<GrowthState> kTotalPage{
    "Total", draw_growth<GrowthShows::all>, panel_growth, growth_caption, nullptr, "Total throughput"};

class GrowthView final : public PagedView<GrowthState>
{
public:
    GrowthView() : PagedView(kPages, {&kMfuPage, &kTotalPage}) {}

    ViewKeys keys() override
    {
        return {turn_key("MFU and tokens/s/GPU, or tokens/s"), {"click", "On a point: use that size"}};
    }
};

} // namespace

extern const ViewInfo growth_view{
    30,
    "growth",
    ViewGroup::performance,
    "Strong scaling",
    "Strong and weak scaling",
    "Strong and weak scaling of the layout up to 16,384 GPUs, and where the batch runs out",
    {"model", "gpus", "tensor", "pipeline", "micro_batches"},
    make_view<GrowthView>,
    kPages};

} // namespace ringside
