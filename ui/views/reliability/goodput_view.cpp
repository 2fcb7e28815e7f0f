// Goodput: what failures and checkpoints leave of the wall clock, over months of a run and up to 100,000
// GPUs.
#include "ui/views/reliability/goodput/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 2> kGoodputPages{"goodput/run", "goodput/fleet"};

class GoodputView final : public PagedView<GoodputState>
{
public:
    GoodputView() : PagedView(kGoodputPages, {&kGoodputMonths, &kGoodputFleet}) {}

    ViewKeys keys() override
    {
        RunModel& model = state_.model;
        return {{"click K", "Inject a failure: on the calendar, or now",
                 [&model](const KeyPress& k)
                 {
                     const double all = day_of(model.story());
                     model.kills.push_back((k.frame.playback.t < all ? k.frame.playback.t : all / 2) * 86400);
                     k.out.animating = true;
                 }},
                turn_key("Months of a run; fleets of up to 100,000 GPUs"),
                {"drag", "The point on the curve: the interval; on fleets: the GPUs"},
                {"O", "The best interval", [&model] { model.plan.interval_s = 0; }},
                {"A E", "Asynchronous saves; elastic training",
                 [&model](const KeyPress& k)
                 {
                     bool& on = k.which == 0 ? model.plan.asynchronous : model.plan.elastic;
                     on = !on;
                 }},
                {"N", "Another seed",
                 [&model]
                 {
                     ++model.seed;
                     model.kills.clear();
                 }}};
    }
};

} // namespace

extern const ViewInfo goodput_view{10,
                                   "goodput",
                                   ViewGroup::reliability,
                                   "Goodput",
                                   "Goodput",
                                   "Failures and checkpoints over months of a run, and the goodput they "
                                   "leave; effective training time on up "
                                   "to 100,000 GPUs by how a job recovers",
                                   {"model", "gpus", "parallel.zero"},
                                   make_view<GoodputView>,
                                   kGoodputPages};

} // namespace ringside
