// Where a longer context becomes quadratic: operations and memory against the length of the sequence.
#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/context_length/pictures.h"
#include "ui/widgets/controls.h"

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
    void keys(const Frame& frame, Out& out) override;

private:
    const ContextCurves& curves(const Frame& frame) const;
    ContextLook look(const Frame& frame) const;
    static void go_to(const Frame& frame, double tokens, Out& out);

    Mask mask_ = Mask::full;
    mutable ContextCurves curves_;
};

const ContextCurves& ContextLengthView::curves(const Frame& frame) const
{
    Scenario of = frame.now.scenario;
    of.training.sequence_length = 1;
    if (curves_.memory.empty() || curves_.of != of)
    {
        curves_ = context_curves(frame.now);
    }
    return curves_;
}

ContextLook ContextLengthView::look(const Frame& frame) const
{
    return {mask_, frame.now.scenario.training.sequence_length, frame.preferences.unit};
}

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
    constexpr std::array<std::string_view, 2> kMasks{"All scores", "Causal half"};
    if (const auto to =
            segments(painter, area.cut_top(painter.px(32)), kMasks, static_cast<std::size_t>(mask_)))
    {
        mask_ = static_cast<Mask>(*to);
        out.animating = true;
    }
    area.cut_top(painter.px(8));
    draw_doubling(painter, area, curves(frame), look(frame));
    return true;
}

void ContextLengthView::keys(const Frame& frame, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    if (pressed(ImGuiKey_M))
    {
        mask_ = mask_ == Mask::full ? Mask::causal : Mask::full;
        out.animating = true;
    }
    if (pressed(ImGuiKey_F))
    {
        Scenario next = frame.scenario;
        next.training.flash_attention = !next.training.flash_attention;
        out.push(ChangeScenario{next, false,
                                next.training.flash_attention ? "Flash attention: scores are never stored"
                                                              : "Scores are stored"});
    }
}

constexpr std::array<std::string_view, 5> kControls{
    "model", "training.sequence_length", "training.flash_attention", "training.recompute", "context"};
constexpr std::array kKeys{KeyHelp{"M", "All scores, or the causal half"},
                           KeyHelp{"F", "Flash attention on and off"},
                           KeyHelp{"drag", "The marker: another length of the sequence"}};

} // namespace

extern const ViewInfo context_length_view;
const ViewInfo context_length_view{
    13,
    "context-length",
    "Memory",
    "Length",
    "Quadratic from where?",
    "Operations and memory against the length of the sequence, with and without stored scores",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<ContextLengthView>()); }};

} // namespace ringside
