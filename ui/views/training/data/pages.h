// The pages of data loading, what a user has set in them, and the reader's run that follows from it.
#pragma once

#include "core/training/data_feed/feed.h"
#include "core/training/data_feed/funnel.h"
#include "core/training/data_feed/simulation.h"
#include "ui/shell/paged_view.h"
#include "ui/widgets/charts/plot.h"

namespace ringside
{

// A grip that is being pulled. Its axis may change while it is, so it counts from where it was taken hold of.
struct DataHold
{
    std::string owner; // label of the grip; empty: none
    ImVec2 start;
    double value = 0; // when it was taken hold of
    double scale = 1; // of its axis then
};

// What goes wrong, in batches of the GPUs and shares, so that it means the same for any scenario.
inline constexpr double kSlowWorker = 3;     // times as long
inline constexpr double kHangBatches = 8;    // a read hangs
inline constexpr double kRefillBatches = 10; // a shuffle buffer fills
inline constexpr double kMostWorkers = 64;
inline constexpr double kMostPrefetch = 16;

struct DataState;

// Worked out again only when something it follows from has changed.
class FeedModel
{
public:
    void update(const Evaluated& now, const DataState& state);

    const FeedNeed& need() const { return need_; }
    const BatchCost& cost() const { return cost_; }
    const FeedSupply& supply() const { return supply_; }
    const FeedTimes& times() const { return times_; }
    const DataSet& set() const { return set_; }
    const FeedRun& run() const { return run_; }
    std::int64_t gpus() const { return gpus_; } // that one reader feeds
    // Workers for this plan, the slow one among them; nothing where storage is too slow.
    std::optional<std::int64_t> wanted(double margin = 0) const
    {
        return workers_needed(need_, cost_, margin, times_.slow, times_.in_order);
    }

private:
    FeedNeed need_;
    BatchCost cost_;
    FeedSupply supply_;
    DataSet set_;
    FeedTimes times_;
    std::optional<std::pair<FeedTimes, std::uint64_t>> made_;
    FeedRun run_;
    std::int64_t gpus_ = 1;
};

struct DataState
{
    FeedPlan plan;        // images, which need more workers than it begins with: of tokens one is enough
    double spread = 0.15; // of the time a batch takes a worker
    bool slow = false;
    bool hangs = false;
    bool refills = false;
    std::uint64_t seed = 1;
    FeedModel model;

    std::size_t recipe = 3;   // DCLM-Baseline, which the metrics are of
    std::vector<double> kept; // by stage, moved by hand; empty: as published

    double rows = 8;
    double bands = 14;

    DataHold hold;

    const FunnelRecipe& funnel() const { return funnel_recipes()[recipe]; }
    const FeedModel& reader(const Frame& frame)
    {
        model.update(frame.now, *this);
        return model;
    }
};
using DataRoom = PageRoom<DataState>;

extern const Page<DataState> feed_page, funnel_page, copies_page;

// The reader, its queue and its GPUs up to `now` [s].
void draw_feed_lanes(const DataRoom& room, const FeedModel& model, double now);
// How far the mouse is from where it took hold of this grip [px]; nothing when it does not hold it.
// `value` and `scale` are kept for the time it does.
std::optional<ImVec2> pulled(DataHold& hold, const PlotGrip& grip, const char* label, double value,
                             double scale);

// "12.5%", "1.40%": three digits.
std::string share_words(double share);
// "12.5", "0.00046": of samples per second, without powers of ten.
std::string rate_words(double per_second);

} // namespace ringside
