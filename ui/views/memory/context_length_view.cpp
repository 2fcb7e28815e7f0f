// When does attention dominate? FLOPs and memory against sequence length.
#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "ui/views/memory/context_length/pictures.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 2> kContextPages{"context-length/cost", "context-length/sparse"};

// For every length, so the scenario's own does not matter.
const ContextCurves& curves_of(const Frame& frame, const ContextState& state)
{
    Scenario of = frame.now.scenario;
    of.training.sequence_length = 1;
    return state.curves.of(of, [&](const Scenario&) { return context_curves(frame.now); });
}

ContextLook look_of(const Frame& frame, const ContextState& state)
{
    return {state.mask, frame.now.scenario.training.sequence_length, frame.preferences.unit};
}

// The nearest length that the layout can run.
void go_to(const Frame& frame, double tokens, Out& out)
{
    Scenario next = frame.now.scenario;
    const auto lengths = context_lengths(next);
    if (const auto best = nearest_by_ratio(lengths, tokens); best != lengths.end())
    {
        next.training.sequence_length = *best;
    }
    if (next.training.sequence_length != frame.now.scenario.training.sequence_length)
    {
        out.push(ChangeScenario{next, ImGui::IsMouseDown(0)});
    }
    out.animating = true;
}

void draw_costs_page(const ContextRoom& r)
{
    const Painter& painter = r.p;
    Rect area = r.area;
    const ContextCurves& curves = curves_of(r.frame, r.state);
    const ContextLook look = look_of(r.frame, r.state);
    const bool beside = area.w > painter.px(760);
    const bool both = beside || area.h > painter.px(440);
    const float gap = painter.px(16);
    Rect first = area;
    if (both)
    {
        first = beside ? area.cut_left((area.w - gap) / 2) : area.cut_top((area.h - gap) / 2);
        beside ? area.cut_left(gap) : area.cut_top(gap);
    }
    const auto moved = draw_context_flops(painter, first, curves, look, r.out);
    const auto other = both ? draw_context_memory(painter, area, curves, look, r.out) : std::nullopt;
    if (moved || other)
    {
        go_to(r.frame, moved ? *moved : *other, r.out);
    }
}

void panel_costs(PanelColumn& column, const ContextRoom& r)
{
    column.choice({"Full attention", "Causal"}, r.state.mask);
    draw_doubling(r.p, column, curves_of(r.frame, r.state), look_of(r.frame, r.state));
}

Caption costs_caption(const Frame& frame, ContextState& state)
{
    return context_caption(curves_of(frame, state), look_of(frame, state));
}

const Page<ContextState> kContextCosts{"Cost", draw_costs_page, panel_costs, costs_caption};

class ContextLengthView final : public PagedView<ContextState>
{
public:
    ContextLengthView() : PagedView(kContextPages, {&kContextCosts, &kContextSparse}) {}

    ViewKeys keys() override;
};

ViewKeys ContextLengthView::keys()
{
    return {{"M", "Full attention, or the causal half", turns(state_.mask, 2)},
            turn_key("Cost of a sequence; sparse attention"),
            {"F", "FlashAttention on and off",
             [](const KeyPress& k)
             {
                 Scenario next = k.frame.scenario;
                 bool& flash = next.training.flash_attention;
                 flash = !flash;
                 k.out.push(ChangeScenario{next, false,
                                           flash ? "FlashAttention: scores are never stored"
                                                 : "Attention scores are stored"});
             }},
            {"drag", "The marker: another sequence length"}};
}

} // namespace

extern const ViewInfo context_length_view{
    60,
    "context-length",
    ViewGroup::memory,
    "Context",
    "Context length",
    "FLOPs and memory against sequence length, with and without materialized attention scores; sparse "
    "attention",
    {"model", "training.sequence_length", "training.flash_attention", "training.recompute", "context"},
    make_view<ContextLengthView>,
    kContextPages};

} // namespace ringside
