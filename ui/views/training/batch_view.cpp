// What a batch is made of: replicas across, accumulation steps down, a micro-batch in each cell; played, one
// optimizer step.
#include <fmt/format.h>

#include "ui/views/training/batch/pictures.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kLongest = 12; // seconds that playing takes at most
constexpr std::int64_t kMostStops = 256;

class BatchView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return batch_caption(frame, state_); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        draw_batch_panel(painter, area, frame, state_, out);
        return true;
    }
    ViewKeys keys() override;

private:
    BatchState state_;
};

Motion BatchView::motion(const Frame& frame) const
{
    const std::int64_t rounds = micro_batches(frame.now.scenario);
    const BatchMoment m = batch_moment(rounds, frame.playback.t);
    Motion motion;
    motion.duration = m.duration();
    motion.per_second = std::max(1.0, motion.duration / kLongest);
    const auto last = static_cast<double>(rounds);
    const std::int64_t each = (rounds + kMostStops - 1) / kMostStops;
    for (std::int64_t round = 0; round < rounds; round += each)
    {
        motion.stops.push_back(static_cast<double>(round));
    }
    motion.stops.insert(motion.stops.end(), {last, last + m.tail, motion.duration});
    // Some rounds are done, and one is at work.
    motion.rest = rounds == 1 ? 0.5 : last * 0.5 + 0.5;
    // No wider than the strip keeps free for it, or the track would move under the mouse.
    motion.label = m.updated > 0 ? "update"
                   : m.summed > 0
                       ? "gradient sum"
                       : fmt::format("{}{}/{}", rounds < 1000 ? "accum " : "",
                                     std::min(rounds, static_cast<std::int64_t>(m.rounds) + 1), rounds);
    return motion;
}

void BatchView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    draw_equation(p, area, frame, state_, out);
    area.cut_top(p.px(6));
    const Scenario& s = frame.now.scenario;
    draw_batch_grid(p, area, s, batch_moment(micro_batches(s), frame.playback.t));
}

ViewKeys BatchView::keys()
{
    return {{"1 \u2026 4", "Solve for the batch, replicas, accumulation, micro-batch",
             [this](const KeyPress& k)
             {
                 state_.unknown = static_cast<BatchPart>(k.which);
                 state_.draft.reset();
             }},
            {"click", "A part of the equation: solve for it"}};
}

} // namespace

extern const ViewInfo batch_view{
    28,
    "batch",
    "Training",
    "Batch",
    "Batch size",
    "Replicas, accumulation and micro-batches as a grid; one optimizer step, solved for any part",
    {"gpus", "micro_batch", "micro_batches", "training.sequence_length", "training.tokens"},
    make_view<BatchView>};

} // namespace ringside
