// Where the tokens come from: the filters from a crawl to what is trained on, near-duplicates found by
// hashes, and DataLoader workers that feed the GPUs or starve them.
#include "ui/views/training/data/pages.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 3> kPages{"data/funnel", "data/copies", "data/feed"};

class DataView final : public PagedView<DataState>
{
public:
    DataView() : PagedView(kPages, {&funnel_page, &copies_page, &feed_page}) {}

    ViewKeys keys() override;

private:
    void choose(std::size_t which);
    bool feeds() const { return shows(feed_page); }
};

void DataView::choose(std::size_t which)
{
    if (feeds() && which < kDataKinds)
    {
        state_.plan.kind = static_cast<DataKind>(which);
        state_.plan.sample_s = 0;
    }
    else if (shows(funnel_page) && which < funnel_recipes().size())
    {
        state_.recipe = which;
        state_.kept.clear();
    }
}

ViewKeys DataView::keys()
{
    return {
        turn_key("Filtering, near-duplicates, DataLoader"),
        {"1 \u2026 4", "Kind of data; filtering pipeline", [this](const KeyPress& k) { choose(k.which); }},
        {"W E", "One worker more, one less",
         [this](const KeyPress& k)
         {
             std::int64_t& workers = state_.plan.workers;
             const auto most = static_cast<std::int64_t>(kMostWorkers);
             workers =
                 feeds() ? std::clamp<std::int64_t>(workers + (k.which == 0 ? 1 : -1), 1, most) : workers;
         }},
        {"O", "Batches in order or not", [this] { state_.plan.in_order = state_.plan.in_order != feeds(); }},
        {"S H F", "A slow worker, I/O stalls, shuffle-buffer refills",
         [this](const KeyPress& k)
         {
             bool& on = k.which == 0 ? state_.slow : k.which == 1 ? state_.hangs : state_.refills;
             on = on != feeds();
         }},
        {"R", "Filtering as published",
         [this]
         {
             if (shows(funnel_page))
             {
                 state_.kept.clear();
             }
         }},
        {"N", "Another seed", [this] { state_.seed += feeds() ? 1U : 0U; }},
        {"drag", "Workers, prefetch factor, time per sample, stages, curves"}};
}

} // namespace

extern const ViewInfo data_view{
    40,
    "data",
    ViewGroup::training,
    "Data loading",
    "Data loading",
    "Filtering from a crawl to tokens; near-duplicates; DataLoader workers, their queue and the GPUs",
    {"model", "gpus"},
    make_view<DataView>,
    kPages};

} // namespace ringside
