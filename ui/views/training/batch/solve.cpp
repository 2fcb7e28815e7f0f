// The batch as an equation whose parts can each be solved for, and what follows from it.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/model/sizes.h"
#include "core/training/critical_batch.h"
#include "ui/views/training/batch/pictures.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/quantities.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 14> kLosses{1.5, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.4, 2.6, 3, 3.5, 4, 5, 6};
constexpr double kMostTyped = 1e9;

constexpr std::array kOrder{BatchPart::global, BatchPart::replicas, BatchPart::accumulation,
                            BatchPart::micro};
constexpr std::array<std::string_view, kBatchParts> kSigns{"", "=", "\u00d7", "\u00d7"};

std::string_view says_of(BatchPart part)
{
    switch (part)
    {
    case BatchPart::global:
        return "sequences per optimizer step, over all ranks";
    case BatchPart::replicas:
        return "copies of the model, each on its own share of the batch";
    case BatchPart::accumulation:
        return "micro-batches that each replica runs before the update";
    case BatchPart::micro:
        break;
    }
    return "sequences that run through forward and backward together; activation memory is counted for them";
}

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

// The split on show: the draft while the scenario is the one it was typed for.
BatchSplit shown_split(const BatchState& state, const Scenario& scenario)
{
    const BatchSplit own = batch_split(scenario);
    return state.draft && state.of == own ? *state.draft : own;
}

// A known part is given; the scenario follows where it can be solved, else the draft stays.
void give_part(BatchState& state, const Scenario& scenario, BatchPart part, std::int64_t value, Out& out)
{
    const BatchSplit wanted = shown_split(state, scenario).with(part, value);
    const auto solved = solve_batch(wanted, state.unknown);
    if (solved)
    {
        state.draft.reset();
        if (*solved != batch_split(scenario))
        {
            out.push(ChangeScenario{with_batch(scenario, *solved), false});
        }
    }
    else
    {
        state.of = batch_split(scenario);
        state.draft = wanted;
    }
    out.animating = true;
}

std::string steps_words(std::int64_t steps)
{
    return steps < 10'000'000 ? grouped(steps) : format_count(static_cast<double>(steps));
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
        column_.label(fmt::format("Known; {} follows", name_of(state_.unknown)));
        const BatchSplit split = shown_split(state_, s_);
        const auto solved = solve_batch(split, state_.unknown);
        for (std::size_t i = 0; i < kBatchParts; ++i)
        {
            draw_part(static_cast<BatchPart>(i), split);
        }
        if (!solved)
        {
            column_.fault(solved.issues().front().message);
            draw_nearest(split);
        }
    }

private:
    void draw_part(BatchPart part, const BatchSplit& split)
    {
        if (part == state_.unknown)
        {
            return;
        }
        const std::string_view name = name_of(part);
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

void draw_equation(const Painter& p, Rect& area, const Frame& frame, BatchState& state, Out& out)
{
    const BatchSplit split = shown_split(state, frame.now.scenario);
    const auto solved = static_cast<bool>(solve_batch(split, state.unknown));
    std::vector<Solvable> all;
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < kBatchParts; ++i)
    {
        const BatchPart part = kOrder[i];
        const bool lost = part == state.unknown && !solved;
        unknown = part == state.unknown ? i : unknown;
        all.push_back({name_of(part), symbol_of(part), lost ? "?" : grouped(split.of(part)),
                       fmt::format("{}: {}\n\nClick to solve for it.", name_of(part), says_of(part)),
                       kSigns[i], lost});
    }
    const Rect whole = area;
    const auto pressed = draw_quantities(p, area, all, unknown, area.h * 0.5F);
    p.part("equation", {whole.x, whole.y, whole.w, area.y - whole.y});
    if (pressed)
    {
        state.unknown = kOrder.at(*pressed);
        state.draft.reset();
        out.animating = true;
    }
}

void draw_batch_panel(const Painter& p, Rect area, const Frame& frame, BatchState& state, Out& out)
{
    const Scenario& s = frame.now.scenario;
    PanelColumn column(p, area, out.animating);
    Solver(p, column, frame, state, out).draw();
    column.gap();
    column.fact("Tokens per step", format_count(batch_tokens(s)));
    column.fact("Steps in the run", steps_words(run_steps(s)));
    column.fact("GPUs per replica", grouped(replica_gpus(s.parallel)));
    column.gap();
    column.slide("Loss, nats per token", Track::at(kLosses, plain_number), state.loss);
    const double critical = critical_batch_tokens(state.loss);
    column.fact("Critical batch size", format_count(critical));
    column.fact(
        "Noise efficiency", format_percent(step_progress(batch_tokens(s), critical)),
        "Progress per step relative to a step without gradient noise: McCandlish et al. 2018, arXiv "
        "1812.06162; the "
        "critical batch size at a loss: Kaplan et al. 2020, arXiv 2001.08361. The Optimizer view plots "
        "both.");
}

Caption batch_caption(const Frame& frame, const BatchState& state)
{
    const Scenario& s = frame.now.scenario;
    const BatchSplit split = shown_split(state, s);
    const auto solved = solve_batch(split, state.unknown);
    const std::string source =
        "B is what one optimizer step averages over: replicas \u00d7 gradient accumulation steps "
        "\u00d7 micro-batch. Micro-batch \u00d7 accumulation alone is one replica\u2019s share.";
    if (!solved)
    {
        const Issue& issue = solved.issues().front();
        return {fmt::format("!!{}!!: {}.", issue.message, issue.hint), "B = DP \u00d7 accum \u00d7 mb",
                source};
    }
    const auto of = [&](BatchPart part) { return split.of(part); };
    return {fmt::format(
                "One optimizer step: **{}, {} tokens**, in {} with {} of micro-batch {}. The run takes **{} "
                "steps**.",
                counted(of(BatchPart::global), "sequence"), format_count(batch_tokens(s)),
                counted(of(BatchPart::replicas), "replica"),
                counted(of(BatchPart::accumulation), "accumulation step"), grouped(of(BatchPart::micro)),
                steps_words(run_steps(s))),
            fmt::format(
                "B = DP \u00d7 accum \u00d7 mb = {} \u00d7 {} \u00d7 {} = {};  tokens = B s = {} \u00d7 {}",
                grouped(of(BatchPart::replicas)), grouped(of(BatchPart::accumulation)),
                grouped(of(BatchPart::micro)), grouped(of(BatchPart::global)), grouped(of(BatchPart::global)),
                grouped(s.training.sequence_length)),
            source};
}

} // namespace ringside
