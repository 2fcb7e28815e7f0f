// Che's approximation against an LRU cache that is simulated, and its limits.
#include "core/base/random.h"
#include "core/serving/prefix_cache.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <list>
#include <unordered_map>

using namespace ringside;
using Catch::Approx;

namespace
{

double simulated(const PrefixTraffic& traffic, std::size_t room)
{
    std::vector<double> upto;
    double sum = 0;
    for (std::int64_t i = 0; i < traffic.prefixes; ++i)
    {
        sum += std::pow(static_cast<double>(i + 1), -traffic.skew);
        upto.push_back(sum);
    }
    SplitMix random(3);
    std::list<std::size_t> used; // the latest first
    std::unordered_map<std::size_t, std::list<std::size_t>::iterator> at;
    constexpr int kRequests = 200000;
    constexpr int kWarm = 50000;
    int hits = 0;
    for (int i = 0; i < kRequests; ++i)
    {
        const auto id =
            static_cast<std::size_t>(std::ranges::lower_bound(upto, random.uniform() * sum) - upto.begin());
        if (const auto found = at.find(id); found != at.end())
        {
            hits += i >= kWarm ? 1 : 0;
            used.erase(found->second);
        }
        else if (used.size() == room)
        {
            at.erase(used.back());
            used.pop_back();
        }
        used.push_front(id);
        at[id] = used.begin();
    }
    return static_cast<double>(hits) / (kRequests - kWarm);
}

} // namespace

TEST_CASE("an LRU cache that is simulated hits as often as Che's approximation says, within a point")
{
    for (const double skew : {0.6, 1.0})
    {
        const PrefixTraffic traffic{2000, skew};
        for (const std::size_t room : {20U, 200U, 1000U})
        {
            INFO(skew << " " << room);
            CHECK(simulated(traffic, room) ==
                  Approx(prefix_hits(traffic, static_cast<double>(room))).margin(0.01));
        }
    }
}

TEST_CASE(
    "no room hits nothing, all of it everything; without skew the share that fits, and more skew hits more")
{
    CHECK(prefix_hits({1000, 0.8}, 0) == 0);
    CHECK(prefix_hits({1000, 0.8}, 1000) == 1);
    CHECK(prefix_hits({1000, 0}, 250) == Approx(0.25));
    double last = 0;
    for (const double skew : {0.0, 0.4, 0.8, 1.2})
    {
        const double hits = prefix_hits({1000, skew}, 100);
        CHECK(hits > last);
        last = hits;
    }
    for (double room = 1; room < 1000; room *= 2)
    {
        CHECK(prefix_hits({1000, 0.8}, 2 * room) > prefix_hits({1000, 0.8}, room));
    }
}

TEST_CASE("the curve is that of single sizes, and goes from almost nothing to all")
{
    const PrefixTraffic traffic{3000, 0.9};
    const auto curve = prefix_curve(traffic);
    CHECK(curve.front().room < 1);
    CHECK(curve.back().room == Approx(3000));
    CHECK(curve.back().hits == Approx(1));
    for (std::size_t i = 0; i < curve.size(); i += 7)
    {
        CHECK(curve[i].hits == Approx(prefix_hits(traffic, curve[i].room)).margin(1e-6));
    }
}
