#include "ui/views/training/data/state.h"

#include "core/base/text.h"

#include <algorithm>

namespace ringside
{

void FeedDesk::update(const Evaluated& now, const DataState& state)
{
    const Seconds step(now.report.step.total());
    need_ = feed_need(now.scenario, step);
    cost_ = batch_cost(now.scenario, state.plan);
    supply_ = feed_supply(cost_, state.plan, state.slow ? kSlowWorker : 1);
    set_ = data_set(now.scenario, step);
    gpus_ = std::max<std::int64_t>(1, now.scenario.cluster.gpus / need_.readers);
    times_ = FeedTimes{};
    times_.workers = state.plan.workers;
    times_.prefetch = state.plan.prefetch;
    times_.in_order = state.plan.in_order;
    times_.gpu_s = need_.batch_s;
    times_.read_s = cost_.read_s;
    times_.work_s = cost_.work_s;
    times_.spread = state.spread;
    times_.slow = state.slow ? kSlowWorker : 1;
    times_.spike_s = state.hangs ? kHangBatches * need_.batch_s : 0;
    times_.refill_s = state.refills ? kRefillBatches * need_.batch_s : 0;
    const std::pair asked{times_, state.seed};
    if (!made_ || *made_ != asked)
    {
        run_ = simulate_feed(times_, state.seed);
        made_ = asked;
    }
}

Funnel funnel_of(const DataState& state, const Evaluated& now)
{
    return run_funnel(state.funnel(), state.kept, now.scenario.training.tokens);
}

std::optional<ImVec2> pulled(DataHold& hold, const PlotGrip& grip, const char* label, double value,
                             double scale)
{
    if (!grip.to)
    {
        hold.owner = hold.owner == label ? std::string() : hold.owner;
        return std::nullopt;
    }
    if (hold.owner != label)
    {
        hold = {label, ImGui::GetIO().MouseClickedPos[0], value, scale};
    }
    return ImVec2{grip.to->x - hold.start.x, grip.to->y - hold.start.y};
}

std::string share_words(double share)
{
    return three_digits(share * 100) + "%";
}

} // namespace ringside
