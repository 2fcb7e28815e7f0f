// None, selective and full recomputation by bytes and FLOPs, and a stage in segments that store only their
// inputs.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "ui/views/memory/recompute/pictures.h"

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
    ViewKeys keys() override;

private:
    const RecomputeDesk& desk(const Frame& frame) const
    {
        const auto make = [&](const Scenario& s)
        {
            const MemoryReport& memory = frame.now.report.memory;
            return RecomputeDesk{recompute_choices(s, memory, memory.fullest), memory.fullest};
        };
        return desk_.of(frame.now.scenario, make);
    }

    RecomputeState state_;
    Derived<Scenario, RecomputeDesk> desk_;
};

Motion RecomputeView::motion(const Frame& frame) const
{
    const auto layers = static_cast<double>(desk(frame).choices.layers);
    Motion motion;
    motion.duration = 3 * layers;
    motion.per_second = motion.duration / kSeconds;
    // At its fullest: the last segment is whole again.
    const RecomputeChoices& c = desk(frame).choices;
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

ViewKeys RecomputeView::keys()
{
    return {{"1 2 3", "None, selective, full",
             [](const KeyPress& k)
             { change_training(k, [&](Training& t) { t.recompute = static_cast<Recompute>(k.which); }); }},
            {"J K", "One segment fewer, one more",
             [this](const KeyPress& k)
             {
                 const RecomputeDesk& d = desk(k.frame);
                 state_.wished = std::clamp<std::int64_t>(d.segments(state_) + (k.which == 0 ? -1 : 1), 1,
                                                          d.choices.layers);
             },
             true},
            {"M", "The number of segments that needs the least", [this] { state_.wished = 0; }},
            {"F", "FlashAttention on and off",
             [](const KeyPress& k)
             { change_training(k, [](Training& t) { t.flash_attention = !t.flash_attention; }); }},
            {"drag", "Along the curve: the number of segments"}};
}

} // namespace

extern const ViewInfo recompute_view{
    5,
    "recompute",
    "Memory",
    "Recomputation",
    "Activation recomputation",
    "None, selective, full or segments: memory vs recomputed FLOPs",
    {"model", "pipeline", "micro_batch", "training.sequence_length", "training.flash_attention"},
    make_view<RecomputeView>};

} // namespace ringside
