// When does attention dominate? FLOPs and memory against sequence length.
#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/view.h"
#include "ui/views/memory/context_length/pictures.h"
#include "ui/widgets/panel_column.h"

#include <array>
#include <cmath>

namespace ringside
{

namespace
{

class ContextLengthView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return context_caption(curves(frame), look(frame)); }
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    // For every length, so the scenario's own does not matter.
    const ContextCurves& curves(const Frame& frame) const
    {
        Scenario of = frame.now.scenario;
        of.training.sequence_length = 1;
        return curves_.of(of, [&](const Scenario&) { return context_curves(frame.now); });
    }
    ContextLook look(const Frame& frame) const
    {
        return {mask_, frame.now.scenario.training.sequence_length, frame.preferences.unit};
    }
    static void go_to(const Frame& frame, double tokens, Out& out);

    Mask mask_ = Mask::full;
    Derived<Scenario, ContextCurves> curves_;
};

// The nearest length that the layout can run.
void ContextLengthView::go_to(const Frame& frame, double tokens, Out& out)
{
    Scenario next = frame.now.scenario;
    double best = 1e300;
    for (const std::int64_t length : context_lengths(frame.now.scenario))
    {
        const double off = std::fabs(std::log(static_cast<double>(length) / tokens));
        if (off < best)
        {
            best = off;
            next.training.sequence_length = length;
        }
    }
    if (next.training.sequence_length != frame.now.scenario.training.sequence_length)
    {
        out.push(ChangeScenario{next, ImGui::IsMouseDown(0)});
    }
    out.animating = true;
}

void ContextLengthView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const bool beside = area.w > painter.px(760);
    const bool both = beside || area.h > painter.px(440);
    const float gap = painter.px(16);
    Rect first = area;
    if (both)
    {
        first = beside ? area.cut_left((area.w - gap) / 2) : area.cut_top((area.h - gap) / 2);
        beside ? area.cut_left(gap) : area.cut_top(gap);
    }
    const auto moved = draw_context_flops(painter, first, curves(frame), look(frame), out);
    const auto other =
        both ? draw_context_memory(painter, area, curves(frame), look(frame), out) : std::nullopt;
    if (moved || other)
    {
        go_to(frame, moved ? *moved : *other, out);
    }
}

bool ContextLengthView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    PanelColumn column(painter, area, out.animating);
    column.choice({"Full attention", "Causal"}, mask_);
    draw_doubling(painter, column, curves(frame), look(frame));
    return true;
}

ViewKeys ContextLengthView::keys()
{
    return {{"M", "Full attention, or the causal half", turns(mask_, 2)},
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
    7,
    "context-length",
    "Memory",
    "Context length",
    "Context length",
    "FLOPs and memory against sequence length, with and without materialized attention scores",
    {"model", "training.sequence_length", "training.flash_attention", "training.recompute", "context"},
    make_view<ContextLengthView>};

} // namespace ringside
