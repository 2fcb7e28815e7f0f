#include "core/planner/rent.h"

#include "core/evaluate/report.h"
#include "core/reliability/goodput.h"
#include "core/training/critical_batch.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// The best of those that count, by an order.
template <class Counts, class Before>
const RentOffer* best_of(const std::vector<RentOffer>& offers, Counts counts, Before before)
{
    const RentOffer* best = nullptr;
    for (const RentOffer& offer : offers)
    {
        if (counts(offer) && (best == nullptr || before(offer, *best)))
        {
            best = &offer;
        }
    }
    return best;
}

bool cheaper(const RentOffer& a, const RentOffer& b)
{
    return a.usd < b.usd;
}

bool quicker(const RentOffer& a, const RentOffer& b)
{
    return a.days < b.days;
}

double metric(const char* name, const Scenario& scenario, const Report& report)
{
    return find_metric(name)->value(scenario, report);
}

} // namespace

std::vector<RentType> rent_types(const Presets& presets)
{
    std::vector<RentType> types;
    for (const ClusterPreset& preset : presets.clusters)
    {
        if (preset.rent)
        {
            RentType type{preset.id, preset.name, preset.cluster, preset.rent->source};
            type.cluster.usd_per_gpu_hour = preset.rent->usd_per_gpu_hour;
            types.push_back(std::move(type));
        }
    }
    return types;
}

std::int64_t grown_batch(const Scenario& s)
{
    const double critical = critical_batch_tokens(kUsualLoss);
    std::int64_t batch = s.training.global_batch;
    while (static_cast<double>(2 * batch * s.training.sequence_length) <= critical)
    {
        batch *= 2;
    }
    return batch;
}

RentSearch::RentSearch(const Scenario& scenario, RentRequest request, const Presets& presets)
    : scenario_(scenario), request_(std::move(request)), presets_(presets), refused_(request_.types.size())
{
    request_.limits.objective = Objective::step_time;
    for (std::size_t type = 0; type < request_.types.size(); ++type)
    {
        const std::int64_t node = request_.types[type].cluster.gpus_per_node;
        const Issues faults = search_faults(on(scenario_, {type, node}));
        if (!faults.empty())
        {
            refused_[type] = to_line(faults.front());
            continue;
        }
        for (std::int64_t gpus = node; gpus <= request_.most_gpus; gpus *= 2)
        {
            wanted_.push_back({type, gpus});
        }
    }
    std::stable_sort(wanted_.begin(), wanted_.end(),
                     [](const Wanted& a, const Wanted& b) { return a.gpus < b.gpus; });
}

// Software that the scenario named stays; else the accelerator's usual one.
Scenario RentSearch::on(const Scenario& scenario, const Wanted& wanted) const
{
    const Cluster& cluster = request_.types[wanted.type].cluster;
    Scenario s = with_gpu(scenario, cluster.gpu, presets_);
    s.cluster = cluster;
    s.cluster.gpus = wanted.gpus;
    s.cluster.network_gb_per_s *= request_.network;
    s.training.global_batch = request_.keep_batch ? s.training.global_batch : grown_batch(s);
    return without_layout(s);
}

bool RentSearch::answers(const Scenario& other) const
{
    return request_.types.empty() || on(scenario_, {0, 1}) == on(other, {0, 1});
}

double RentSearch::usd(const RentOffer& offer)
{
    return static_cast<double>(offer.paid()) * offer.days * 24 * offer.scenario.cluster.usd_per_gpu_hour;
}

void RentSearch::set_price(std::size_t type, double usd_per_gpu_hour)
{
    request_.types[type].cluster.usd_per_gpu_hour = usd_per_gpu_hour;
    for (RentOffer& offer : offers_)
    {
        if (offer.type == type)
        {
            offer.scenario.cluster.usd_per_gpu_hour = usd_per_gpu_hour;
            offer.usd = usd(offer);
        }
    }
    mark_frontier();
}

bool RentSearch::advance(std::int64_t layouts)
{
    if (done())
    {
        return false;
    }
    const Wanted& wanted = wanted_[next_];
    if (!search_)
    {
        search_.emplace(on(scenario_, wanted), request_.limits);
    }
    if (search_->advance(layouts))
    {
        return true;
    }
    take(wanted, search_->result());
    search_.reset();
    next_ += 1;
    return !done();
}

double RentSearch::progress() const
{
    return wanted_.empty() ? 1 : static_cast<double>(next_) / static_cast<double>(wanted_.size());
}

void RentSearch::take(const Wanted& wanted, const SearchResult& result)
{
    if (result.best.empty())
    {
        return;
    }
    RentOffer offer{.type = wanted.type, .gpus = wanted.gpus, .scenario = on(scenario_, wanted)};
    apply(result.best.front().layout, offer.scenario);
    const auto report = evaluate(offer.scenario);
    if (!report)
    {
        return;
    }
    const Scenario& s = offer.scenario;
    const Seconds step(report->step.total());
    const RunRates rates = run_rates(s, checkpoint_size(s, report->memory), step, RunPlan{});
    offer.spares = rates.spares * s.cluster.gpus_per_node;
    offer.step_s = step.value;
    offer.mfu = report->step.mfu();
    offer.goodput = metric("run.goodput", s, *report);
    offer.days = metric("run.wall_days", s, *report);
    if (offer.days <= 0) // fails faster than it recovers
    {
        return;
    }
    offer.usd = usd(offer);
    offers_.push_back(std::move(offer));
    mark_frontier();
}

void RentSearch::mark_frontier()
{
    for (RentOffer& one : offers_)
    {
        one.frontier = std::none_of(offers_.begin(), offers_.end(),
                                    [&](const RentOffer& other) {
                                        return other.usd <= one.usd && other.days <= one.days &&
                                               (other.usd < one.usd || other.days < one.days);
                                    });
    }
}

const RentOffer* RentSearch::cheapest_within(double days) const
{
    return best_of(
        offers_, [days](const RentOffer& o) { return o.days <= days; }, cheaper);
}

const RentOffer* RentSearch::fastest_within(double usd) const
{
    return best_of(
        offers_, [usd](const RentOffer& o) { return o.usd <= usd; }, quicker);
}

const RentOffer* RentSearch::fewest_gpus_within(double days) const
{
    return best_of(
        offers_, [days](const RentOffer& o) { return o.days <= days; },
        [](const RentOffer& a, const RentOffer& b)
        { return a.gpus != b.gpus ? a.gpus < b.gpus : cheaper(a, b); });
}

const RentOffer* RentSearch::fastest_with(std::int64_t gpus) const
{
    return best_of(
        offers_, [gpus](const RentOffer& o) { return o.gpus == gpus; }, quicker);
}

} // namespace ringside
