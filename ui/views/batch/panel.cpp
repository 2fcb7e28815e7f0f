#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/critical_batch.h"
#include "ui/views/batch/pictures.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kBatchParts> kParts{"B", "DP", "accum", "mb"};
constexpr std::array<double, 14> kLosses{1.5, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.4, 2.6, 3, 3.5, 4, 5, 6};
constexpr double kMostTyped = 1e9;

void say_row(const Painter& p, Rect& area, std::string_view name, std::string_view value, float height = 24)
{
    const Rect row = area.cut_top(p.px(height));
    const float w = p.width(Type::mono_small, value);
    p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, value, Align::right);
    p.text_within(row.x, row.middle(), row.w - w - p.px(8), Type::small, p.theme.muted, name);
}

class Solver
{
public:
    Solver(const Painter& painter, Rect& area, const Frame& frame, BatchState& state, Out& out)
        : p_(painter), area_(area), s_(frame.now.scenario), state_(state), out_(out)
    {
    }

    void draw()
    {
        p_.text_within(area_.x, area_.y + p_.px(12), area_.w, Type::small_strong, p_.theme.text, "Solve for");
        area_.cut_top(p_.px(26));
        if (const auto chosen =
                segments(p_, area_.cut_top(p_.px(32)), kParts, static_cast<std::size_t>(state_.unknown)))
        {
            state_.unknown = static_cast<BatchPart>(*chosen);
            state_.draft.reset();
            out_.animating = true;
        }
        area_.cut_top(p_.px(6));
        const BatchSplit split = shown_split(state_, s_);
        const auto solved = solve_batch(split, state_.unknown);
        for (std::size_t i = 0; i < kBatchParts; ++i)
        {
            draw_part(static_cast<BatchPart>(i), split, static_cast<bool>(solved));
        }
        if (!solved)
        {
            draw_issue(solved.issues().front());
            draw_nearest(split);
        }
    }

private:
    void draw_part(BatchPart part, const BatchSplit& split, bool solved)
    {
        const std::string name(name_of(part));
        if (part == state_.unknown)
        {
            say_row(p_, area_, name + " follows", solved ? grouped(split.of(part)) : "?", 28);
            return;
        }
        const std::string label = fmt::format("{}###known {}", name, name);
        const SliderChange c = typed_number(p_, area_.cut_top(p_.px(28)),
                                            {label.c_str(), grouped(split.of(part))}, state_.entry);
        const auto typed = c.kind == SliderChange::Kind::typed ? parse_number(c.text) : std::nullopt;
        if (typed)
        {
            give_part(state_, s_, part, std::llround(std::clamp(*typed, -kMostTyped, kMostTyped)), out_);
        }
    }

    void draw_issue(const Issue& issue)
    {
        area_.cut_top(p_.px(4));
        p_.triangle(area_.x, area_.y + p_.height(Type::small) / 2, p_.theme.warning);
        const float left = p_.px(20);
        area_.cut_top(p_.paragraph({area_.x + left, area_.y, area_.w - left, 0}, Type::small,
                                   p_.theme.warning, issue.message));
        area_.cut_top(p_.px(6));
    }

    // Two in a row, each with the part that it moves.
    void draw_nearest(const BatchSplit& split)
    {
        const auto near = nearest_batches(split, state_.unknown);
        const float w = (area_.w - p_.px(8)) / 2;
        Rect row{};
        for (std::size_t i = 0; i < near.size(); ++i)
        {
            if (i % 2 == 0)
            {
                row = area_.cut_top(p_.px(32));
                area_.cut_top(p_.px(6));
            }
            const BatchPart moved = moved_part(split, near[i]);
            const std::string label = fmt::format("{} {}###near {}", symbol_of(moved), near[i].of(moved), i);
            if (button(p_, {row.x + (i % 2 == 0 ? 0 : w + p_.px(8)), row.y, w, row.h}, label.c_str()))
            {
                state_.draft.reset();
                out_.push(ChangeScenario{with_batch(s_, near[i]), false});
            }
        }
    }

    // The known part in which they differ.
    BatchPart moved_part(const BatchSplit& split, const BatchSplit& near) const
    {
        for (std::size_t i = 0; i < kBatchParts; ++i)
        {
            const auto part = static_cast<BatchPart>(i);
            if (part != state_.unknown && near.of(part) != split.of(part))
            {
                return part;
            }
        }
        return state_.unknown;
    }

    const Painter& p_;
    Rect& area_;
    const Scenario& s_;
    BatchState& state_;
    Out& out_;
};

} // namespace

void draw_batch_panel(const Painter& p, Rect area, const Frame& frame, BatchState& state, Out& out)
{
    const Scenario& s = frame.now.scenario;
    Solver(p, area, frame, state, out).draw();
    area.cut_top(p.px(8));
    say_row(p, area, "Tokens a step", format_count(batch_tokens(s)));
    say_row(p, area, "Steps of the run", steps_words(run_steps(s)));
    say_row(p, area, "GPUs a replica", grouped(s.parallel.tensor * s.parallel.context * s.parallel.pipeline));
    area.cut_top(p.px(8));
    state.loss = stop_slider(p, area.cut_top(p.px(44)),
                             {"At a loss of, nats a token", plain_number(state.loss), kLosses}, state.loss,
                             state.entry);
    const double critical = critical_batch_tokens(state.loss);
    say_row(p, area, "a batch is critical from", format_count(critical));
    say_row(p, area, "A step learns", format_percent(step_progress(batch_tokens(s), critical)));
    tooltip(p, "Of what a step would learn without noise: McCandlish et al. 2018, arXiv 1812.06162; the "
               "critical batch of a loss: Kaplan et al. 2020, arXiv 2001.08361. The Optimizer view has its "
               "curves.");
}

} // namespace ringside
