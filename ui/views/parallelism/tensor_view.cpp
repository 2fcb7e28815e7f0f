// Tensor parallelism on real numbers: a layer's matrices sharded over two or four ranks, step by step,
// forward and backward; why column-parallel comes before row-parallel; what sequence parallelism shards.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/shell/view.h"
#include "ui/views/parallelism/tensor/pictures.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

class TensorView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    const TensorAlgebra& algebra(const Frame& frame) const
    {
        TensorOptions wanted = options_;
        wanted.sequence_parallel =
            frame.now.scenario.parallel.sequence_parallel && wanted.cut == TensorCut::column_first;
        return algebra_.of(wanted, [](const TensorOptions& of) { return TensorAlgebra(of); });
    }
    const TensorPlan& plan(const Frame& frame) const { return plan_.of(frame.now.scenario, tensor_plan); }
    ChainMoment moment(const Frame& frame) const
    {
        const TensorAlgebra& all = algebra(frame);
        return {all, std::clamp(frame.playback.t, 0.0, static_cast<double>(all.stages().size()))};
    }
    std::string sentence(const ChainMoment& moment) const;

    TensorOptions options_;
    std::optional<HeldCell> held_;
    Derived<TensorOptions, TensorAlgebra> algebra_;
    Derived<Scenario, TensorPlan> plan_;
};

Motion TensorView::motion(const Frame& frame) const
{
    const ChainMoment m = moment(frame);
    const std::size_t all = m.algebra.stages().size();
    Motion motion;
    motion.duration = static_cast<double>(all);
    motion.per_second = 0.5;
    // Where ranks have summands.
    const auto& stages = m.algebra.stages();
    const auto second = std::find(stages.begin(), stages.end(), TensorStage::second);
    motion.rest = second == stages.end() ? motion.duration : static_cast<double>(second - stages.begin() + 1);
    motion.label = fmt::format("step {}/{}", std::min(m.done() + (m.part() > 0 ? 1 : 0), all), all);
    return motion;
}

void TensorView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const ChainMoment m = moment(frame);
    const float heads = heads_height(painter);
    if (area.h >= heads + painter.px(200))
    {
        const Rect strip = area.cut_bottom(heads);
        painter.part("heads", strip);
        draw_heads(painter, strip, plan(frame));
        area.cut_bottom(painter.px(16));
    }
    painter.part("matrices", area);
    if (const auto request = draw_chain(painter, area, m, held_))
    {
        options_.x = *request;
        out.animating = true;
    }
}

std::string TensorView::sentence(const ChainMoment& m) const
{
    const bool split = m.algebra.options().sequence_parallel;
    const std::size_t begun = m.done() + (m.part() > 0 ? 1 : 0);
    if (begun == 0)
    {
        return "Every rank has its shard of both weights, A and B; nothing is replicated.";
    }
    switch (m.algebra.stages()[begun - 1])
    {
    case TensorStage::input:
        return options_.cut == TensorCut::row_first ? "Rows of A need columns of X: each rank takes its own."
               : split                              ? "Between blocks each rank keeps **its tokens only**."
                                                    : "Every rank has the **whole input**.";
    case TensorStage::gather:
        return "An **all-gather** collects all tokens before the first matmul.";
    case TensorStage::first:
        return options_.cut == TensorCut::row_first
                   ? "Each rank has a **partial sum of H = X A**, not a shard of it."
                   : "Each rank computes **whole columns of H = X A**: nothing to send.";
    case TensorStage::activation:
        return options_.cut == TensorCut::row_first
                   ? "!!Wrong!!: GeLU of a partial sum. GeLU of a sum is not the sum of GeLUs."
                   : "GeLU works on each number of H alone, so **columns are enough** for Y = GeLU(H).";
    case TensorStage::second:
        return "Columns of Y = GeLU(H) times rows of B: each rank has a **partial sum of Z**.";
    case TensorStage::reduce:
        return options_.cut == TensorCut::row_first
                   ? fmt::format("!!Wrong by up to {:.2f}!!: all-reduce H first, or shard A by columns.",
                                 m.algebra.difference(TensorStage::reduce))
               : split ? "A **reduce-scatter** sums Z and leaves each rank its tokens."
                       : fmt::format("One **all-reduce** sums Z: the unsharded result within {:.0e}.",
                                     m.algebra.difference(TensorStage::reduce));
    case TensorStage::loss:
        return split ? "Backward: each rank has the gradient of **its tokens**."
                     : "Backward: every rank has **all of dZ**.";
    case TensorStage::loss_gather:
        return "The reduce-scatter of the forward pass becomes an **all-gather** backward.";
    case TensorStage::second_back:
        return "dZ times the rank\u2019s rows of B, transposed: **its columns of dY**.";
    case TensorStage::slope:
        return "GeLU\u2019s derivative at the rank\u2019s own H: nothing to send.";
    case TensorStage::first_back:
        return "Every rank has a **partial sum of dX**.";
    case TensorStage::input_reduce:
        return split ? "A **reduce-scatter** sums dX: four collectives with the bytes of two all-reduces."
                     : "One **all-reduce** sums dX: one forward and one backward per block.";
    }
    return {};
}

Caption TensorView::caption(const Frame& frame) const
{
    const TensorPlan& all = plan(frame);
    const Term term = explain_tensor_sent(all);
    Caption caption;
    caption.sentence = sentence(moment(frame));
    caption.formula = fmt::format("sent = {} = {} = {}", term.formula, term.working,
                                  format_bytes(all.sent, frame.preferences.unit));
    caption.source = term.source +
                     "\nGeLU: Hendrycks and Gimpel 2016, arXiv 1606.08415. The matrices are a 4 \u00d7 4 "
                     "example; bytes are the scenario\u2019s.";
    return caption;
}

bool TensorView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    constexpr std::array<std::int64_t, 2> kCounts{2, 4};
    PanelColumn column(p, area, out.animating);
    column.heading("Sharding of A");
    column.choice({"Column-parallel", "Row-parallel"}, options_.cut);
    column.choice({"2 ranks", "4 ranks"}, kCounts, options_.ranks);
    const TensorPlan& all = plan(frame);
    column.heading(all.supposed && all.ranks > 1 ? fmt::format("With TP = {}", all.ranks)
                                                 : "In this scenario");
    const auto bytes = [&](Bytes b) { return format_bytes(b, p.look.unit); };
    const Term term = explain_tensor_sent(all);
    const bool split = frame.now.scenario.parallel.sequence_parallel;
    column.fact("All-reduce message", bytes(all.message), "b s h elements: the hidden state of every token");
    column.fact(split ? "AG + reduce-scatter" : "One all-reduce", bytes(all.sent),
                fmt::format("{}{} = {}\n{}", split ? "An all-gather and a reduce-scatter\n" : "",
                            term.formula, term.working, term.source));
    column.fact(all.passes == 6   ? "\u00d7 6 per layer"
                : all.passes == 4 ? "\u00d7 4 per layer"
                                  : "per layer",
                bytes(all.sent * static_cast<double>(all.passes)),
                "After attention and after the MLP, forward and backward; once more with full recomputation");
    column.fact("Layer activations", bytes(all.kept),
                "Activations of one micro-batch, without sequence parallelism");
    column.fact("with seq. parallel", bytes(all.kept_split),
                "The same with sequence parallelism: what each rank stored whole is sharded too");
    if (!all.supposed)
    {
        const StepTime& step = frame.now.report->step;
        column.fact("Fraction of the step", format_percent(step.tensor_comm / step.total()),
                    "Collectives of tensor parallelism");
    }
    return true;
}

ViewKeys TensorView::keys()
{
    return {{"C", "Column-parallel A, or row-parallel (wrong)", turns(options_.cut, 2)},
            {"N", "2 or 4 ranks", [this] { options_.ranks = options_.ranks == 2 ? 4 : 2; }},
            {"drag", "A number of rank 0\u2019s X, up and down"},
            {"0", "The original numbers", [this] { options_.x = {}; }},
            {"hover", "How a number is computed"}};
}

} // namespace

extern const ViewInfo tensor_view{
    10,
    "tensor",
    ViewGroup::parallelism,
    "Tensor",
    "Tensor parallelism (TP)",
    "Column- and row-parallel linear layers on 4 x 4 matrices: partial sums, collectives, heads",
    {"model", "tensor", "parallel.sequence_parallel"},
    make_view<TensorView>};

} // namespace ringside
