// Where the tokens come from: loader workers that feed the GPUs or starve them, the filters from a crawl to
// what is trained on, and near duplicates found by hashes.
#include "core/base/text.h"
#include "ui/shell/view.h"
#include "ui/views/data/copies.h"
#include "ui/views/data/funnel.h"
#include "ui/views/data/lanes.h"
#include "ui/views/data/panel.h"
#include "ui/views/data/words.h"

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
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override { turn_to(state_.page, kPages, page); }

private:
    const FeedDesk& desk(const Frame& frame) const
    {
        desk_.update(frame.now, state_);
        return desk_;
    }
    static bool pressed(ImGuiKey key, Out& out);
    void feed_keys(Out& out);
    void funnel_keys(Out& out);

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
    const DataPage page = state_.page;
    const FeedPlan plan = state_.plan;
    draw_data_panel(painter, area, state_, desk(frame), frame);
    // The picture was drawn with what stood there before.
    out.animating = out.animating || page != state_.page || !(plan == state_.plan);
    return true;
}

bool DataView::pressed(ImGuiKey key, Out& out)
{
    const bool now = ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl;
    out.animating = out.animating || now;
    return now;
}

void DataView::feed_keys(Out& out)
{
    FeedPlan& plan = state_.plan;
    const int more = (pressed(ImGuiKey_W, out) ? 1 : 0) - (pressed(ImGuiKey_E, out) ? 1 : 0);
    plan.workers = std::clamp<std::int64_t>(plan.workers + more, 1, static_cast<std::int64_t>(kMostWorkers));
    plan.in_order = plan.in_order != pressed(ImGuiKey_O, out);
    state_.slow = state_.slow != pressed(ImGuiKey_S, out);
    state_.hangs = state_.hangs != pressed(ImGuiKey_H, out);
    state_.refills = state_.refills != pressed(ImGuiKey_F, out);
    state_.seed += pressed(ImGuiKey_N, out) ? 1U : 0U;
    for (std::size_t i = 0; i < kDataKinds; ++i)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), out))
        {
            plan.kind = static_cast<DataKind>(i);
            plan.sample_s = 0;
        }
    }
}

void DataView::funnel_keys(Out& out)
{
    for (std::size_t i = 0; i < funnel_recipes().size(); ++i)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), out))
        {
            state_.recipe = i;
            state_.kept.clear();
        }
    }
    if (pressed(ImGuiKey_R, out))
    {
        state_.kept.clear();
    }
}

void DataView::keys(const Frame&, Out& out)
{
    if (pressed(ImGuiKey_Y, out))
    {
        state_.page = static_cast<DataPage>((static_cast<std::size_t>(state_.page) + 1) % kDataPages.size());
    }
    else if (state_.page == DataPage::feed)
    {
        feed_keys(out);
    }
    else if (state_.page == DataPage::funnel)
    {
        funnel_keys(out);
    }
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpus"};
constexpr std::array kKeys{KeyHelp{"Y", "Feed, funnel, copies"},
                           KeyHelp{"1 \u2026 4", "What is fed; whose funnel"},
                           KeyHelp{"W E", "One worker more, one less"},
                           KeyHelp{"O", "Batches in order or not"},
                           KeyHelp{"S H F", "A slow worker, reads that hang, buffers that refill"},
                           KeyHelp{"R", "The funnel as published"},
                           KeyHelp{"N", "Another seed"},
                           KeyHelp{"drag", "Workers, batches ahead, time a sample, stages, curves"}};

} // namespace

extern const ViewInfo data_view;
const ViewInfo data_view{
    47,
    "data",
    "Training",
    "Data feed",
    "Is there enough data, in time?",
    "Loader workers, their queue and the GPUs; filters from a crawl to tokens; near copies",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<DataView>()); },
    kPages};

} // namespace ringside
