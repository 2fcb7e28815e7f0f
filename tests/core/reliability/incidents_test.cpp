// Runs that go wrong: every fault shows what it should, and what cures it cures it.
#include "core/lab/demos.h"
#include "core/reliability/incidents/run.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr std::uint64_t kSeeds = 40;

const std::map<Fault, std::set<Remedy>>& cures()
{
    static const std::map<Fault, std::set<Remedy>> table{
        {Fault::bad_batch, {Remedy::skip_batches, Remedy::clip}},
        {Fault::rate_too_high, {Remedy::lower_rate}},
        {Fault::no_warmup, {Remedy::warm_up}},
        {Fault::overflow, {Remedy::use_bf16}},
        {Fault::fixed_scale, {Remedy::adapt_scale, Remedy::use_bf16}},
        {Fault::bad_memory, {Remedy::isolate}},
        {Fault::wrong_rank, {Remedy::isolate}},
        {Fault::repeated_data, {Remedy::fix_data}},
        {Fault::optimizer_lost, {Remedy::load_all, Remedy::warm_up}}};
    return table;
}

template <typename F>
void each_incident(F look)
{
    for (std::size_t f = 0; f < kFaults; ++f)
    {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
        {
            const Incident i = make_incident(seed, static_cast<Fault>(f));
            INFO(info_of(i.fault).id << ", seed " << seed);
            look(i);
        }
    }
}

double mean_of(const IncidentRun& run, std::int64_t from, std::int64_t to, double IncidentStep::*value)
{
    double sum = 0;
    for (std::int64_t k = from; k < to; ++k)
    {
        sum += run.steps.at(static_cast<std::size_t>(k)).*value;
    }
    return sum / static_cast<double>(to - from);
}

} // namespace

TEST_CASE("the textbook's remedy cures every fault from the last good checkpoint, whatever the seed")
{
    each_incident(
        [](const Incident& i)
        {
            for (const Remedy remedy : cures().at(i.fault))
            {
                INFO(info_of(remedy).id);
                const Treatment t = treat(i, remedy, last_good_checkpoint(i));
                CHECK(t.outcome == Outcome::cured);
                CHECK(t.end < t.healthy + 0.1);
                CHECK(t.lost == i.noticed - last_good_checkpoint(i));
            }
        });
}

TEST_CASE("no other remedy cures")
{
    each_incident(
        [](const Incident& i)
        {
            for (std::size_t r = 0; r < kRemedies; ++r)
            {
                const auto remedy = static_cast<Remedy>(r);
                if (i.fault == Fault::bad_batch && remedy == Remedy::warm_up)
                {
                    continue; // does where the rate happens to be low when the batches come
                }
                if (!cures().at(i.fault).contains(remedy))
                {
                    INFO(info_of(remedy).id);
                    CHECK(treat(i, remedy, last_good_checkpoint(i)).outcome != Outcome::cured);
                }
            }
        });
}

TEST_CASE("an untreated fault ends worse than a healthy run")
{
    each_incident(
        [](const Incident& i)
        {
            const Treatment t = treat(i, Remedy::fix_data, last_good_checkpoint(i));
            CHECK_FALSE(t.untreated < t.healthy + 0.1);
        });
}

TEST_CASE("a run is the same up to the fault as without it, where the fault lies in no setting")
{
    each_incident(
        [](const Incident& i)
        {
            if (i.fault == Fault::rate_too_high || i.fault == Fault::no_warmup)
            {
                return;
            }
            const IncidentRun run = run_untreated(i);
            const IncidentRun healthy = run_healthy(i);
            CHECK(mean_of(run, i.at - 150, i.at - 50, &IncidentStep::held) ==
                  Approx(mean_of(healthy, i.at - 150, i.at - 50, &IncidentStep::held)).margin(0.03));
        });
}

TEST_CASE("what tells the faults apart is in the strips")
{
    each_incident(
        [](const Incident& i)
        {
            const IncidentRun run = run_untreated(i);
            const auto at = [&](std::int64_t k) -> const IncidentStep&
            { return run.steps.at(static_cast<std::size_t>(k)); };
            const double usual = mean_of(run, 200, 210, &IncidentStep::norm);
            switch (i.fault)
            {
            case Fault::bad_batch:
                CHECK(at(i.at).norm > 10 * usual);
                CHECK(at(i.at + 4).loss > at(i.at - 1).loss + 0.7);
                CHECK(at(i.at + 200).loss < at(i.at + 4).loss - 0.5); // heals
                break;
            case Fault::rate_too_high:
                CHECK(mean_of(run, 350, 360, &IncidentStep::norm) > 3 * at(110).norm);
                CHECK(at(350).loss > at(110).loss);
                break;
            case Fault::no_warmup:
                CHECK(at(0).rate > 0.99);
                CHECK(at(60).loss > run_healthy(i).steps.at(60).loss);
                break;
            case Fault::overflow:
                CHECK(std::isnan(at(i.at + 60).loss));
                CHECK(at(i.at + 60).scale < 0.01 * at(i.at - 1).scale);
                break;
            case Fault::fixed_scale:
                CHECK(at(1000).scale == at(0).scale);
                CHECK(std::count_if(run.steps.begin() + i.at + 200, run.steps.end(),
                                    [](const IncidentStep& s) { return s.skipped; }) > 200);
                CHECK(std::isfinite(at(1000).loss));
                break;
            case Fault::bad_memory:
                CHECK(std::isfinite(at(i.at - 1).loss));
                CHECK(std::isnan(at(i.at).loss));
                CHECK(at(i.at - 1).norm < 3 * usual);
                CHECK(std::isnan(at(i.at).apart));
                break;
            case Fault::wrong_rank:
                CHECK(mean_of(run, i.at + 10, i.at + 60, &IncidentStep::apart) > 1.5);
                CHECK(mean_of(run, i.at - 60, i.at - 10, &IncidentStep::apart) < 1.3);
                break;
            case Fault::repeated_data:
                CHECK(at(i.at + 200).held - at(i.at + 200).loss > 0.3);
                break;
            case Fault::optimizer_lost:
                CHECK(run.restarts == std::vector<std::int64_t>{i.at});
                CHECK(at(i.at).norm > 2 * mean_of(run, i.at - 20, i.at, &IncidentStep::norm));
                CHECK(at(i.at + 24).loss > at(i.at - 1).loss + 0.5);
                break;
            }
        });
}

TEST_CASE("going back too little keeps the scar, going back too far costs steps")
{
    const Incident i = make_incident(3, Fault::bad_batch);
    const std::int64_t good = last_good_checkpoint(i);
    CHECK(treat(i, Remedy::skip_batches, good + kCheckpointEvery).outcome != Outcome::cured);
    const Treatment early = treat(i, Remedy::skip_batches, good - 2 * kCheckpointEvery);
    CHECK(early.lost == treat(i, Remedy::skip_batches, good).lost + 2 * kCheckpointEvery);
}

TEST_CASE("the same seed is the same incident, and seeds bring every fault")
{
    std::set<Fault> seen;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
    {
        const Incident i = make_incident(seed);
        const Incident again = make_incident(seed);
        CHECK(i.fault == again.fault);
        CHECK(i.at == again.at);
        CHECK(last_good_checkpoint(i) <= i.at);
        CHECK(i.noticed > i.at);
        CHECK(i.noticed < kIncidentSteps);
        seen.insert(i.fault);
        const IncidentRun one = run_untreated(i);
        const IncidentRun two = run_untreated(i);
        REQUIRE(one.steps.size() == static_cast<std::size_t>(kIncidentSteps));
        CHECK(std::equal(one.steps.begin(), one.steps.end(), two.steps.begin(),
                         [](const IncidentStep& a, const IncidentStep& b)
                         { return a.loss == b.loss || (std::isnan(a.loss) && std::isnan(b.loss)); }));
    }
    CHECK(seen.size() == kFaults);
}

TEST_CASE("every fault and remedy has words and a source, and the demonstrations named are the lab's")
{
    std::set<std::string_view> ids;
    for (std::size_t f = 0; f < kFaults; ++f)
    {
        const FaultInfo& info = info_of(static_cast<Fault>(f));
        CHECK(ids.insert(info.id).second);
        CHECK(info.tells.size() > 20);
        CHECK(info.source.size() > 20);
        const auto demos = lab_demos();
        CHECK((info.demo.empty() ||
               std::any_of(demos.begin(), demos.end(), [&](const LabDemo& d) { return d.id == info.demo; })));
    }
    for (std::size_t r = 0; r < kRemedies; ++r)
    {
        CHECK(info_of(static_cast<Remedy>(r)).source.size() > 10);
    }
}
