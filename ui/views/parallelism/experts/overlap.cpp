// One batch that waits for its all-to-alls, and two half batches that fill each other's gaps.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/parallelism/experts/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::int64_t kLayersDrawn = 3;
constexpr std::int64_t kLayersRun = 8; // until both lanes have their rhythm

Fill fill_of(const Theme& t, const MoeTask& task)
{
    const bool computes = task.part == MoePart::attention || task.part == MoePart::experts;
    const Ink& ink = task.part == MoePart::attention ? t.forward : computes ? t.expert : t.data;
    // The second half batch is dimmed towards the ground.
    const Colour fill = mix(ink.fill, t.window, task.batch == 0 ? 0.0F : 0.45F);
    return {.ink = {fill, ink_on(fill), ink.edge}};
}

void draw_run(const Painter& p, Rect area, const MoeRun& run, double length, std::string_view title)
{
    draw_chart_title(p, area.cut_top(p.px(24)), title, {},
                     fmt::format("{} per layer", three_digits(run.each)));
    const std::array names{LaneName{.words = "compute", .strong = true},
                           LaneName{.words = "network", .strong = true}};
    const float pitch = lane_pitch(p, area.h, names.size(), 120);
    TimeLanes lanes(p, area, {0, length}, {pitch, p.px(88)}, names);
    for (const MoeTask& task : run.tasks)
    {
        const std::size_t lane = task.part == MoePart::attention || task.part == MoePart::experts ? 0 : 1;
        if (const auto block = lanes.block(lane, task.time.start, task.time.end, fill_of(p.theme, task)))
        {
            lanes.label(*block, fill_of(p.theme, task).ink.label,
                        {name_of(task.part), name_of(task.part).substr(0, 1)});
        }
        const double from = task.time.start;
        const double to = task.time.end;
        lanes.read_out(lane, from, to, capitalized(std::string(name_of(task.part))),
                       std::array{TipLine{"layer", std::to_string(task.layer + 1)},
                                  TipLine{"from, to", three_digits(from) + " \u2026 " + three_digits(to)},
                                  TipLine{"takes", three_digits(to - from)}});
    }
}

void draw_overlap(const ExpertsRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    const MoeTimes& times = r.state.overlap;
    const MoeRun one = moe_run(times, kLayersRun, 1);
    const MoeRun two = moe_run(times, kLayersRun, 2);
    const double length = one.each * static_cast<double>(kLayersDrawn);
    const Theme& t = p.theme;
    const std::vector<LegendItem> items{{"attention", {t.forward}},
                                        {"experts", {t.expert}},
                                        {"dispatch, combine", {t.data}},
                                        {"dimmed: second half batch", {{t.muted}}}};
    draw_legend(p, area.cut_top(p.px(24)), items);
    area.cut_top(p.px(10));
    p.part("overlap", area);
    const float half = (area.h - p.px(20)) / 2;
    if (half > p.px(24) + 2.5F * p.height(Type::small))
    {
        draw_run(p, area.cut_top(half), one, length, "One batch");
        area.cut_top(p.px(20));
    }
    draw_run(p, area, two, length, "Two-batch overlap");
}

void panel_overlap(PanelColumn& column, const ExpertsRoom& r)
{
    const MoeTimes& times = r.state.overlap;
    column.slide("Network / compute", Track::log(0.05, 3, three_digits), r.state.overlap.network,
                 "All-to-alls of a layer over its compute. DeepSeek-V3 over 8 nodes: about 1");
    column.slide("Attention\u2019s part", Track::even(0.05, 0.95, format_percent, 0.01),
                 r.state.overlap.attention, "Of a layer\u2019s compute; the experts have the rest");
    column.gap();
    const double one = moe_run(times, kLayersRun, 1).each;
    const double two = moe_run(times, kLayersRun, 2).each;
    column.fact("One batch", three_digits(one),
                "Compute and network, one after the other; compute of a layer = 1");
    column.fact("Two-batch overlap", three_digits(two));
    column.fact("Faster", three_digits(one / two) + "\u00d7");
    column.gap();
    column.note(
        "Both halves are in flight: their activations are kept **side by side**, and every GEMM has half "
        "the rows.");
}

Caption overlap_caption(const Frame&, ExpertsState& state)
{
    const MoeTimes& times = state.overlap;
    const double one = moe_run(times, kLayersRun, 1).each;
    const double two = moe_run(times, kLayersRun, 2).each;
    return {fmt::format(
                "A layer takes **{}** with one batch and **{}** with two that take turns: {}\u00d7 as fast.",
                three_digits(one), three_digits(two), three_digits(one / two)),
            fmt::format("compute + network = 1 + {} = {};  two: max(compute, network) \u2265 {}",
                        three_digits(times.network), three_digits(one),
                        three_digits(std::max(1.0, times.network))),
            "Dual-batch overlap: DeepSeek-V3, arXiv 2412.19437, section 3.4; DualPipe does the same with a "
            "forward and a backward pass, section 3.2.1, which also has the ratio of about 1. A half batch "
            "takes half as long here, and communication needs no processors of the GPU."};
}

} // namespace

const Page<ExpertsState> kExpertOverlap{"Overlap",       draw_overlap, panel_overlap,
                                        overlap_caption, nullptr,      "Overlap of two batches"};

} // namespace ringside
