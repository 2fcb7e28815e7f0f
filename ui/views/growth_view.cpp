// Strong and weak scaling of the scenario's layout, from one replica to 16 384 GPUs.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/engine/explain.h"
#include "ui/shell/view.h"
#include "ui/views/growth/chart.h"
#include "ui/widgets/controls.h"

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
    void keys(const Frame& frame, Out& out) override;
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

// GPUs, step, share of the smallest size's speed.
void draw_line(const Painter& p, Rect row, const std::array<std::string, 3>& words, Type type, Colour colour)
{
    p.text_within(row.x, row.middle(), row.w - p.px(142), type, colour, words[0]);
    p.text(row.right() - p.px(66), row.middle(), Type::mono_small, colour, words[1], Align::right);
    p.text(row.right(), row.middle(), Type::mono_small, colour, words[2], Align::right);
}

void draw_table(const Painter& p, Rect& area, const ScalingSweep& all, Scaling scaling)
{
    const Theme& t = p.theme;
    const auto& points = all.of(scaling);
    const bool strong = scaling == Scaling::strong;
    draw_line(p, area.cut_top(p.px(26)), {strong ? "Strong" : "Weak", "step", "speed"}, Type::body_strong,
              t.text);
    const auto wanted = [&](std::size_t i)
    { return i == 0 || i + 1 == points.size() || points[i].scenario == all.scenario(); };
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        if (wanted(i))
        {
            const bool here = points[i].scenario == all.scenario();
            draw_line(p, area.cut_top(p.px(24)),
                      {grouped(points[i].gpus()), format_seconds(Seconds(points[i].step.total())),
                       format_percent(efficiency(points, i))},
                      here ? Type::small_strong : Type::small, here ? t.text : t.muted);
        }
    }
    area.cut_top(p.px(8));
}

bool GrowthView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const ScalingSweep& all = sweep(frame);
    constexpr std::array<std::string_view, 3> kNames{"MFU", "A GPU", "All"};
    Rect row = area.cut_top(p.px(24));
    p.text_within(row.x, row.middle(), row.w, Type::small, p.theme.muted, "Against GPUs");
    if (const auto chosen = segments(p, area.cut_top(p.px(32)), kNames, static_cast<std::size_t>(shows_)))
    {
        shows_ = static_cast<GrowthShows>(*chosen);
        out.animating = true;
    }
    area.cut_top(p.px(10));
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

void GrowthView::keys(const Frame&, Out& out)
{
    if (ImGui::IsKeyPressed(ImGuiKey_Y, false) && !ImGui::GetIO().KeyCtrl)
    {
        shows_ = static_cast<GrowthShows>((static_cast<int>(shows_) + 1) % 3);
        out.animating = true;
    }
}

constexpr std::array<std::string_view, 5> kControls{"model", "gpus", "tensor", "pipeline", "micro_batches"};
constexpr std::array kKeys{KeyHelp{"Y", "MFU, tokens a second and GPU, tokens a second"},
                           KeyHelp{"click", "On a point: train at that size"}};

} // namespace

extern const ViewInfo growth_view;
const ViewInfo growth_view{
    61,
    "growth",
    "Scaling",
    "More GPUs",
    "How far does it scale?",
    "Strong and weak scaling of the layout up to 16,384 GPUs, and where the batch runs out",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<GrowthView>()); },
    kPages};

} // namespace ringside
