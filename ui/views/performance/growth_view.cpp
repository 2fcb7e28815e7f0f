// Strong and weak scaling of the scenario's layout, from one replica to 16 384 GPUs.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/term.h"
#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/performance/growth/chart.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ringside
{

namespace
{

constexpr double kOperationsAFrame = 60'000; // a few milliseconds

constexpr std::array<std::string_view, 3> kPages{"growth/mfu", "growth/gpu", "growth/all"};

class GrowthView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(shows_, kPages, page); }

private:
    // Of the scenario on show; begun anew when that changes.
    ScalingSweep& sweep(const Frame& frame) const;

    GrowthShows shows_ = GrowthShows::mfu;
    mutable std::optional<ScalingSweep> sweep_;
};

ScalingSweep& GrowthView::sweep(const Frame& frame) const
{
    if (!sweep_ || sweep_->scenario() != frame.now.scenario)
    {
        sweep_.emplace(frame.now.scenario);
        sweep_->advance(kOperationsAFrame);
    }
    return *sweep_;
}

void GrowthView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    ScalingSweep& all = sweep(frame);
    if (!all.done())
    {
        all.advance(kOperationsAFrame);
        out.animating = true;
    }
    if (!all.refused().empty() && all.done() && area.h > painter.px(200))
    {
        const ScalingSweep::Refused& last = all.refused().back();
        Rect row = area.cut_bottom(painter.px(30));
        row.cut_bottom(painter.px(10));
        painter.text_within(row.x, row.middle(), row.w, Type::small, painter.theme.muted,
                            fmt::format("{} size{} left out, up to {}: {}", all.refused().size(),
                                        all.refused().size() == 1 ? "" : "s", counted(last.gpus, "GPU"),
                                        last.message));
    }
    draw_growth_chart(painter, area, all, shows_, out);
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
    const bool wire = worst >= Slice::tensor && worst <= Slice::data;
    const bool one = worst == Slice::bubble || worst == Slice::optimizer;
    return fmt::format(", lost to **{}{}{}**", one ? "the " : "", name_of(worst), wire ? " traffic" : "");
}

Caption GrowthView::caption(const Frame& frame) const
{
    const ScalingSweep& all = sweep(frame);
    const auto& strong = all.of(Scaling::strong);
    const auto& weak = all.of(Scaling::weak);
    Caption caption;
    if (!all.done() || strong.empty() || weak.empty())
    {
        caption.sentence = "Working through the sizes.";
        return caption;
    }
    const auto kept = [](const std::vector<ScalingPoint>& points)
    { return format_percent(efficiency(points, points.size() - 1)); };
    caption.sentence =
        fmt::format("Fixed batch: {} keep{} **{}** of {}\u2019s speed{}; growing: **{}** at {}.",
                    counted(strong.back().gpus(), "GPU"), strong.back().gpus() == 1 ? "s" : "", kept(strong),
                    grouped(strong.front().gpus()), lost_to(strong), kept(weak), grouped(weak.back().gpus()));
    const ScalingPoint& first = strong.front();
    const ScalingPoint& last = strong.back();
    caption.formula = fmt::format("tokens/s a GPU against the smallest = ({} / {}) / ({} / {}) = {}",
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
         {"speed", [&](std::size_t i) { return format_percent(efficiency(points, i)); }}},
        nullptr, here);
    table.draw(p, area.cut_top(table_height(p, rows.size())), rows);
    area.cut_top(p.px(8));
}

bool GrowthView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const ScalingSweep& all = sweep(frame);
    PanelColumn column(p, area, out.animating);
    column.label("Against GPUs");
    column.choice({"MFU", "A GPU", "All"}, shows_);
    area = column.rest();
    draw_table(p, area, all, Scaling::strong);
    draw_table(p, area, all, Scaling::weak);
    const Scenario& s = all.scenario();
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           fmt::format(
               "Strong scaling ends at **{} GPU{}**: a batch of {} in micro-batches of {}, replicas of "
               "{} GPU{}.",
               grouped(all.strong_end()), all.strong_end() == 1 ? "" : "s", grouped(s.training.global_batch),
               s.training.micro_batch, grouped(all.replica()), all.replica() == 1 ? "" : "s"));
    return true;
}

ViewKeys GrowthView::keys()
{
    return {{"Y", "MFU, tokens/s/GPU, tokens/s", turns(shows_, kPages.size())},
            {"click", "On a point: train at that size"}};
}

constexpr std::array<std::string_view, 5> kControls{"model", "gpus", "tensor", "pipeline", "micro_batches"};

} // namespace

extern const ViewInfo growth_view;
const ViewInfo growth_view{
    20,
    "growth",
    "Performance",
    "Strong scaling",
    "Strong and weak scaling",
    "Strong and weak scaling of the layout up to 16,384 GPUs, and where the batch runs out",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<GrowthView>()); },
    kPages};

} // namespace ringside
