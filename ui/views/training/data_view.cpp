// Where the tokens come from: loader workers that feed the GPUs or starve them, the filters from a crawl to
// what is trained on, and near duplicates found by hashes.
#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/training/data/copies.h"
#include "ui/views/training/data/funnel.h"
#include "ui/views/training/data/lanes.h"
#include "ui/views/training/data/panel.h"
#include "ui/views/training/data/words.h"

#include <algorithm>
#include <array>
#include <memory>

namespace ringside
{

namespace
{

constexpr double kSeconds = 20; // playing takes

constexpr std::array<std::string_view, 3> kPages{"data/feed", "data/funnel", "data/copies"};

class DataView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return data_caption(state_, desk(frame), frame); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(state_.page, kPages, page); }

private:
    bool feeds() const { return state_.page == DataPage::feed; }
    const FeedDesk& desk(const Frame& frame) const
    {
        desk_.update(frame.now, state_);
        return desk_;
    }

    DataState state_;
    mutable FeedDesk desk_;
};

Motion DataView::motion(const Frame& frame) const
{
    Motion motion;
    if (state_.page != DataPage::feed)
    {
        return motion;
    }
    const FeedRun& run = desk(frame).run();
    motion.duration = run.length;
    motion.per_second = run.length / kSeconds;
    motion.rest = run.length;
    motion.label = format_seconds(Seconds(std::min(frame.playback.t, run.length)));
    for (const FeedSpan& span : run.gpu)
    {
        motion.stops.push_back(span.from);
    }
    motion.stops.push_back(run.length);
    return motion;
}

void DataView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    switch (state_.page)
    {
    case DataPage::feed:
        draw_feed(painter, area, state_, desk(frame), frame.playback.t, out);
        break;
    case DataPage::funnel:
        draw_funnel(painter, area, state_, frame, out);
        break;
    case DataPage::copies:
        draw_copies(painter, area, state_, out);
        break;
    }
}

bool DataView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_data_panel(painter, area, state_, desk(frame), frame, out);
    return true;
}

ViewKeys DataView::keys()
{
    return {
        {"Y", "Feed, funnel, copies", turns(state_.page, kDataPages.size())},
        {"1 \u2026 4", "What is fed; whose funnel",
         [this](const KeyPress& k)
         {
             if (feeds() && k.which < kDataKinds)
             {
                 state_.plan.kind = static_cast<DataKind>(k.which);
                 state_.plan.sample_s = 0;
             }
             else if (state_.page == DataPage::funnel && k.which < funnel_recipes().size())
             {
                 state_.recipe = k.which;
                 state_.kept.clear();
             }
         }},
        {"W E", "One worker more, one less",
         [this](const KeyPress& k)
         {
             std::int64_t& workers = state_.plan.workers;
             const auto most = static_cast<std::int64_t>(kMostWorkers);
             workers =
                 feeds() ? std::clamp<std::int64_t>(workers + (k.which == 0 ? 1 : -1), 1, most) : workers;
         }},
        {"O", "Batches in order or not", [this] { state_.plan.in_order = state_.plan.in_order != feeds(); }},
        {"S H F", "A slow worker, reads that hang, buffers that refill",
         [this](const KeyPress& k)
         {
             bool& on = k.which == 0 ? state_.slow : k.which == 1 ? state_.hangs : state_.refills;
             on = on != feeds();
         }},
        {"R", "The funnel as published",
         [this]
         {
             if (state_.page == DataPage::funnel)
             {
                 state_.kept.clear();
             }
         }},
        {"N", "Another seed", [this] { state_.seed += feeds() ? 1U : 0U; }},
        {"drag", "Workers, batches ahead, time a sample, stages, curves"}};
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpus"};

} // namespace

extern const ViewInfo data_view;
const ViewInfo data_view{
    29,
    "data",
    "Training",
    "Data loading",
    "Data loading",
    "DataLoader workers, their queue and the GPUs; filtering from a crawl to tokens; near-duplicates",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<DataView>()); },
    kPages};

} // namespace ringside
