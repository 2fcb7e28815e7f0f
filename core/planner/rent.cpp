#include "core/planner/rent.h"

#include "core/evaluate/report.h"
#include "core/planner/search/told_apart.h"
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

// Whether days or dollars differ: the same factors hold for both.
bool apart(const RentOffer& a, const RentOffer& b, double RentOffer::*by)
{
    const double ratio = a.*by / b.*by;
    const bool one_type = a.type == b.type;
    const double low = one_type ? 1 / (1 + kToldApart) : std::min(b.low, 1 / a.high);
    const double high = one_type ? 1 + kToldApart : std::max(b.high, 1 / a.low);
    return ratio < low || ratio > high;
}

} // namespace

bool told_apart(const RentOffer& a, const RentOffer& b)
{
    return apart(a, b, &RentOffer::days);
}

std::vector<const RentOffer*> RentOffers::as_good_as(const RentOffer& offer, double RentOffer::*by) const
{
    const auto aside = by == &RentOffer::usd ? &RentOffer::days : &RentOffer::usd;
    std::vector<const RentOffer*> equal;
    for (const RentOffer& other : offers)
    {
        const bool no_worse = other.*aside <= offer.*aside || !apart(other, offer, aside);
        if (other.type != offer.type && no_worse && !apart(other, offer, by))
        {
            equal.push_back(&other);
        }
    }
    return equal;
}

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

namespace
{

double usd_of(const RentOffer& offer)
{
    return static_cast<double>(offer.paid()) * offer.days * 24 * offer.scenario.cluster.usd_per_gpu_hour;
}

} // namespace

void RentOffers::set_price(std::size_t type, double usd_per_gpu_hour)
{
    types[type].cluster.usd_per_gpu_hour = usd_per_gpu_hour;
    for (RentOffer& offer : offers)
    {
        if (offer.type == type)
        {
            offer.scenario.cluster.usd_per_gpu_hour = usd_per_gpu_hour;
            offer.usd = usd_of(offer);
        }
    }
    mark_frontier();
}

void RentOffers::add(RentOffer offer)
{
    offer.usd = usd_of(offer);
    offers.push_back(std::move(offer));
    mark_frontier();
}

void RentOffers::mark_frontier()
{
    for (RentOffer& one : offers)
    {
        one.frontier = std::none_of(offers.begin(), offers.end(),
                                    [&](const RentOffer& other) {
                                        return other.usd <= one.usd && other.days <= one.days &&
                                               (other.usd < one.usd || other.days < one.days);
                                    });
    }
}

bool RentSearch::Request::operator==(const Request& other) const
{
    const RentRequest& a = rent;
    const RentRequest& b = other.rent;
    const bool same = presets == other.presets && a.limits == b.limits && a.network == b.network &&
                      a.keep_batch == b.keep_batch && a.most_gpus == b.most_gpus &&
                      std::ranges::equal(a.types, b.types, {}, &RentType::id, &RentType::id);
    if (!same || a.types.empty())
    {
        return same;
    }
    Scenario on_first = on(other, {0, 1});
    on_first.cluster.usd_per_gpu_hour = a.types.front().cluster.usd_per_gpu_hour;
    return on(*this, {0, 1}) == on_first;
}

RentSearch::RentSearch(const Request& request)
    : request_(request), found_{request.rent.types, {}, std::vector<std::string>(request.rent.types.size())}
{
    RentRequest& rent = request_.rent;
    rent.limits.objective = Objective::step_time;
    for (std::size_t type = 0; type < rent.types.size(); ++type)
    {
        const std::int64_t node = rent.types[type].cluster.gpus_per_node;
        const Issues faults = search_faults(on(request_, {type, node}));
        if (!faults.empty())
        {
            found_.refused[type] = to_line(faults.front());
            continue;
        }
        for (std::int64_t gpus = node; gpus <= rent.most_gpus; gpus *= 2)
        {
            wanted_.push_back({type, gpus});
        }
    }
    std::stable_sort(wanted_.begin(), wanted_.end(),
                     [](const Wanted& a, const Wanted& b) { return a.gpus < b.gpus; });
}

// Software that the scenario named stays; else the accelerator's usual one.
Scenario RentSearch::on(const Request& request, const Wanted& wanted)
{
    const Cluster& cluster = request.rent.types[wanted.type].cluster;
    Scenario s = with_gpu(request.scenario, cluster.gpu, *request.presets);
    s.cluster = cluster;
    s.cluster.gpus = wanted.gpus;
    s.cluster.network_gb_per_s *= request.rent.network;
    s.training.global_batch = request.rent.keep_batch ? s.training.global_batch : grown_batch(s);
    return without_layout(s);
}

bool RentSearch::advance(std::int64_t layouts)
{
    if (next_ == wanted_.size())
    {
        return false;
    }
    const Wanted& wanted = wanted_[next_];
    if (!search_)
    {
        search_.emplace(on(request_, wanted), request_.rent.limits);
    }
    if (search_->advance(layouts))
    {
        return true;
    }
    take(wanted, search_->result());
    search_.reset();
    next_ += 1;
    return next_ < wanted_.size();
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
    RentOffer offer{.type = wanted.type, .gpus = wanted.gpus, .scenario = on(request_, wanted)};
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
    const Band band = step_band(s, *report);
    offer.low = band.low;
    offer.high = band.high;
    if (offer.days > 0) // else it fails faster than it recovers
    {
        found_.add(std::move(offer));
    }
}

const RentOffer* RentOffers::cheapest_within(double days) const
{
    return best_of(
        offers, [days](const RentOffer& o) { return o.days <= days; }, cheaper);
}

const RentOffer* RentOffers::fastest_within(double usd) const
{
    return best_of(
        offers, [usd](const RentOffer& o) { return o.usd <= usd; }, quicker);
}

const RentOffer* RentOffers::fewest_gpus_within(double days) const
{
    return best_of(
        offers, [days](const RentOffer& o) { return o.days <= days; },
        [](const RentOffer& a, const RentOffer& b)
        { return a.gpus != b.gpus ? a.gpus < b.gpus : cheaper(a, b); });
}

const RentOffer* RentOffers::fastest_with(std::int64_t gpus) const
{
    return best_of(
        offers, [gpus](const RentOffer& o) { return o.gpus == gpus; }, quicker);
}

} // namespace ringside
