// What a batch is made of: replicas across, accumulation steps down, a micro-batch in each cell; played, one
// optimizer step.
#include <fmt/format.h>

#include "ui/views/training/batch/pictures.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kLongest = 12; // seconds that playing takes at most
constexpr std::int64_t kMostStops = 256;

// A run of more optimizer steps than anybody makes, in batches as large as Llama 3's: 16 M tokens for most of
// its 15.6 T (Llama Team 2024, arXiv 2407.21783, section 3.4.1 and table 4).
std::optional<Scenario> in_batches_of_16_m(const Scenario& own, const Presets&)
{
    constexpr std::int64_t kMostSteps = 2'000'000;
    constexpr double kTokens = 16 * 1024 * 1024;
    const BatchSplit split = batch_split(own);
    const double tokens_per_round =
        batch_tokens(own) / static_cast<double>(split.of(BatchPart::accumulation));
    const std::int64_t rounds = std::llround(kTokens / tokens_per_round);
    if (run_steps(own) <= kMostSteps || rounds <= split.of(BatchPart::accumulation))
    {
        return std::nullopt;
    }
    const auto solved = solve_batch(split.with(BatchPart::accumulation, rounds), BatchPart::global);
    return solved ? std::optional(with_batch(own, *solved)) : std::nullopt;
}

constexpr std::array kOpenings{Opening{"batch", "Llama 3\u2019s batch", in_batches_of_16_m}};

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
    10,
    "batch",
    ViewGroup::training,
    "Batch",
    "Batch size",
    "Replicas, accumulation and micro-batches as a grid; one optimizer step, solved for any part",
    {"gpus", "micro_batch", "micro_batches", "training.sequence_length", "training.tokens"},
    make_view<BatchView>,
    {},
    ViewRole::other,
    kOpenings};

} // namespace ringside
