#include "ui/views/pipeline/pipelines/stash.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/stage_layers.h"
#include "ui/widgets/plot.h"

#include <algorithm>

namespace ringside
{

namespace
{

// As steps on the lanes' time axis: the last curve is filled, the others are lines, dashed differently.
void draw_stash(const Painter& p, Rect area, TimeWindow window, const std::vector<StashCurve>& curves)
{
    double most = 1;
    for (const StashCurve& curve : curves)
    {
        for (const StashStep& step : curve.steps)
        {
            most = std::max(most, step.held);
        }
    }
    const float left = p.px(56);
    Plot plot(p, {area.x - left, area.y, area.w + left + p.px(12), area.h}, {window.from, window.to},
              {0, most, PlotScale::linear, "", plain_number, {0, most / 2, most}}, {.left = left});
    if (!plot)
    {
        return;
    }
    const Colour filled = p.theme.of(Component::activations).fill;
    for (std::size_t i = curves.size(); i-- > 0;)
    {
        std::vector<PlotPoint> held;
        for (const StashStep& step : curves[i].steps)
        {
            held.push_back({step.t, step.held});
        }
        auto line = stairs(held);
        line.resize(line.empty() ? 0 : line.size() - 1);
        const std::string what = fmt::format("{} {}", curves[i].name, curves[i].holds);
        if (i + 1 == curves.size())
        {
            plot.fill_below(line, with_alpha(filled, 0.4F));
            plot.line(line, {filled, 2}, "filled: " + what, true);
            continue;
        }
        const PlotStroke stroke = i == 0   ? PlotStroke{p.theme.text, 1.5F, true}
                                  : i == 1 ? PlotStroke{p.theme.muted, 1.5F}
                                           : PlotStroke{p.theme.muted, 2.5F, true};
        plot.line(line, stroke, (i == 0 ? "dashed: " : i == 1 ? "line: " : "thick dashes: ") + what, true);
    }
}

} // namespace

void StashPart::find_curves(const Frame& frame, const std::vector<PipelineRow>& rows, std::size_t stage)
{
    // What the engine says a stage keeps of one micro-batch.
    const auto& stages = frame.now.report.memory.stages;
    const StageMemory& memory = stages[std::min(stage, stages.size() - 1)];
    const Scenario& s = frame.now.scenario;
    const double even = static_cast<double>(s.model.layers) / static_cast<double>(s.parallel.pipeline);
    curves_.clear();
    bytes_.clear();
    for (const PipelineRow& row : rows)
    {
        if (!row.runs() || stage >= row.timeline->ranks())
        {
            continue;
        }
        curves_.push_back({row.name, "", stash_over_time(*row.timeline, stage, row.weight)});
        // A cut of one's own is that of every schedule with as many virtual stages; an order of one's own has
        // stages of its own.
        const bool cut = !uneven_layers(s).empty() && row.shape.chunks == rows.front().shape.chunks;
        const double layers = cut ? static_cast<double>(memory.layers) : even;
        bytes_.push_back(row.kind == nullptr ? 0 : memory.layer_bytes.value * layers);
    }
}

void StashPart::draw(const Frame& frame, const Painter& painter, Rect area, TimeWindow window,
                     const std::vector<PipelineRow>& rows, int version, std::size_t stage)
{
    Rect head = area.cut_top(painter.px(28));
    painter.text(head.x, head.middle(), Type::body_strong, painter.theme.text, "Stash");
    head.cut_left(painter.px(72));
    painter.text_within(
        head.x, head.middle(), head.w, Type::small, painter.theme.muted,
        fmt::format(
            "micro-batches kept on stage {}, each until its weight gradient is done; how many at most",
            stage));
    area.cut_left(painter.px(72));
    area.cut_top(painter.px(14));
    area.cut_bottom(painter.px(10));
    if (of_ != std::pair{version, stage})
    {
        of_ = {version, stage};
        find_curves(frame, rows, stage);
    }
    const bool roomy = curves_.size() < 3;
    for (std::size_t i = 0; i < curves_.size(); ++i)
    {
        const auto& steps = curves_[i].steps;
        const double most =
            std::max_element(steps.begin(), steps.end(),
                             [](const StashStep& a, const StashStep& b) { return a.held < b.held; })
                ->held;
        curves_[i].holds = roomy && bytes_[i] > 0
                               ? fmt::format("{}, {}", plain_number(most),
                                             format_bytes(Bytes(most * bytes_[i]), frame.preferences.unit))
                               : plain_number(most);
    }
    draw_stash(painter, area, window, curves_);
}

} // namespace ringside
