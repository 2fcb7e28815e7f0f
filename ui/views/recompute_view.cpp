// Why compute it twice? None, selective and full recomputation by bytes and work, and a stage cut into
// segments that keep only their inputs.
#include <fmt/format.h>

#include "ui/views/recompute/pictures.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kSeconds = 12; // playing takes

class RecomputeView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override
    {
        return recompute_caption(frame, desk(frame), state_);
    }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        draw_recompute_panel(painter, area, desk(frame), state_, out);
        return true;
    }
    void keys(const Frame& frame, Out& out) override;

private:
    const RecomputeDesk& desk(const Frame& frame) const
    {
        desk_.update(frame.now);
        return desk_;
    }

    RecomputeState state_;
    mutable RecomputeDesk desk_;
};

Motion RecomputeView::motion(const Frame& frame) const
{
    const auto layers = static_cast<double>(desk(frame).choices().layers);
    Motion motion;
    motion.duration = 3 * layers;
    motion.per_second = motion.duration / kSeconds;
    // At its fullest: the last segment is whole again.
    const RecomputeChoices& c = desk(frame).choices();
    const std::int64_t k = desk(frame).segments(state_);
    motion.rest = layers + static_cast<double>(c.layers - segment_start(c.layers, k, k - 1));
    const SegmentMoment m = segment_moment(c.layers, k, frame.playback.t);
    motion.label =
        m.doing == SegmentMoment::Doing::done ? "done" : fmt::format("layer {}/{}", m.layer + 1, c.layers);
    return motion;
}

void RecomputeView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const RecomputeDesk& d = desk(frame);
    const float row = std::max(p.height(Type::small) + p.px(4), std::min(p.px(34), area.h * 0.065F));
    draw_choices(p, area.cut_top(std::min(area.h, row * 4 + p.px(24))), frame, d, state_, out);
    area.cut_top(std::min(area.h, p.px(12)));
    const float strip = p.height(Type::small) + p.px(56);
    if (area.h > strip + p.px(60))
    {
        draw_segment_strip(p, area.cut_top(strip), frame, d, state_);
        area.cut_top(p.px(12));
    }
    draw_segment_curve(p, area, d, state_, out);
}

void RecomputeView::keys(const Frame& frame, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, true) && !ImGui::GetIO().KeyCtrl; };
    Scenario next = frame.now.scenario;
    for (int i = 0; i < 3; ++i)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + i)))
        {
            next.training.recompute = static_cast<Recompute>(i);
        }
    }
    next.training.flash_attention = next.training.flash_attention != pressed(ImGuiKey_F);
    if (next != frame.now.scenario)
    {
        out.push(ChangeScenario{next, false});
    }
    const RecomputeDesk& d = desk(frame);
    const std::int64_t before = state_.wished;
    const int steps = (pressed(ImGuiKey_K) ? 1 : 0) - (pressed(ImGuiKey_J) ? 1 : 0);
    if (steps != 0)
    {
        state_.wished = std::clamp<std::int64_t>(d.segments(state_) + steps, 1, d.choices().layers);
    }
    state_.wished = pressed(ImGuiKey_M) ? 0 : state_.wished;
    out.animating = out.animating || before != state_.wished;
}

constexpr std::array<std::string_view, 5> kControls{"model", "pipeline", "micro_batch",
                                                    "training.sequence_length", "training.flash_attention"};
constexpr std::array kKeys{
    KeyHelp{"1 2 3", "None, selective, full"}, KeyHelp{"J K", "A segment fewer, one more"},
    KeyHelp{"M", "As many segments as take the least"}, KeyHelp{"F", "Flash attention on and off"},
    KeyHelp{"drag", "Along the curve: the number of segments"}};

} // namespace

extern const ViewInfo recompute_view;
const ViewInfo recompute_view{15,
                              "recompute",
                              "Memory",
                              "Recompute",
                              "Why compute it twice?",
                              "None, selective, full, or segments: bytes kept against work done twice",
                              kControls,
                              kKeys,
                              [] { return std::unique_ptr<View>(std::make_unique<RecomputeView>()); }};

} // namespace ringside
