#include <fmt/format.h>

#include "core/base/text.h"
#include "core/training/critical_batch.h"
#include "ui/views/training/batch/pictures.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 14> kLosses{1.5, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.4, 2.6, 3, 3.5, 4, 5, 6};
constexpr double kMostTyped = 1e9;

// The known part in which they differ.
BatchPart moved_part(const BatchSplit& split, const BatchSplit& near, BatchPart unknown)
{
    for (std::size_t i = 0; i < kBatchParts; ++i)
    {
        const auto part = static_cast<BatchPart>(i);
        if (part != unknown && near.of(part) != split.of(part))
        {
            return part;
        }
    }
    return unknown;
}

class Solver
{
public:
    Solver(const Painter& painter, PanelColumn& column, const Frame& frame, BatchState& state, Out& out)
        : p_(painter), column_(column), s_(frame.now.scenario), state_(state), out_(out)
    {
    }

    void draw()
    {
        column_.label("Solve for");
        if (column_.choice({"B", "DP", "accum", "mb"}, state_.unknown))
        {
            state_.draft.reset();
        }
        const BatchSplit split = shown_split(state_, s_);
        const auto solved = solve_batch(split, state_.unknown);
        for (std::size_t i = 0; i < kBatchParts; ++i)
        {
            draw_part(static_cast<BatchPart>(i), split, static_cast<bool>(solved));
        }
        if (!solved)
        {
            column_.fault(solved.issues().front().message);
            draw_nearest(split);
        }
    }

private:
    void draw_part(BatchPart part, const BatchSplit& split, bool solved)
    {
        const std::string name(name_of(part));
        if (part == state_.unknown)
        {
            column_.fact(name + " follows", solved ? grouped(split.of(part)) : "?");
            return;
        }
        const std::string label = fmt::format("{}###known {}", name, name);
        const SliderChange c = typed_number(p_, column_.row(28), {label.c_str(), grouped(split.of(part))});
        const auto typed = c.kind == SliderChange::Kind::typed ? parse_number(c.text) : std::nullopt;
        if (typed)
        {
            give_part(state_, s_, part, std::llround(std::clamp(*typed, -kMostTyped, kMostTyped)), out_);
        }
    }

    // Two in a row, each with the part that it moves.
    void draw_nearest(const BatchSplit& split)
    {
        const auto near = nearest_batches(split, state_.unknown);
        std::vector<std::string> labels;
        for (const BatchSplit& each : near)
        {
            const BatchPart moved = moved_part(split, each, state_.unknown);
            labels.push_back(fmt::format("{} {}###near {}", symbol_of(moved), each.of(moved), labels.size()));
        }
        for (std::size_t i = 0; i < near.size(); i += 2)
        {
            const bool two = i + 1 < near.size();
            const auto pressed = two ? column_.buttons({{labels[i].c_str()}, {labels[i + 1].c_str()}})
                                     : column_.buttons({{labels[i].c_str()}});
            if (pressed)
            {
                state_.draft.reset();
                out_.push(ChangeScenario{with_batch(s_, near[i + *pressed]), false});
            }
        }
    }

    const Painter& p_;
    PanelColumn& column_;
    const Scenario& s_;
    BatchState& state_;
    Out& out_;
};

} // namespace

void draw_batch_panel(const Painter& p, Rect area, const Frame& frame, BatchState& state, Out& out)
{
    const Scenario& s = frame.now.scenario;
    PanelColumn column(p, area, out.animating);
    Solver(p, column, frame, state, out).draw();
    column.gap();
    column.fact("Tokens per step", format_count(batch_tokens(s)));
    column.fact("Steps of the run", steps_words(run_steps(s)));
    column.fact("GPUs a replica", grouped(s.parallel.tensor * s.parallel.context * s.parallel.pipeline));
    column.gap();
    column.slide("At a loss of, nats per token", Track::at(kLosses, plain_number), state.loss);
    const double critical = critical_batch_tokens(state.loss);
    column.fact("a batch is critical from", format_count(critical));
    column.fact("A step learns", format_percent(step_progress(batch_tokens(s), critical)),
                "Of what a step would learn without noise: McCandlish et al. 2018, arXiv 1812.06162; the "
                "critical batch of a loss: Kaplan et al. 2020, arXiv 2001.08361. The Optimizer view has its "
                "curves.");
}

} // namespace ringside
