// What to rent: each offer is the fastest layout of its cluster, its days and dollars follow from it by hand,
// and the questions are answered by the offers there are.
#include "tests/core/support.h"

#include "core/base/work.h"
#include "core/evaluate/report.h"
#include "core/planner/rent.h"
#include "core/reliability/goodput.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario model_8b()
{
    Scenario s = test::presets().scenario("default")->scenario;
    s.model = test::presets().model("llama-3.1-8b")->model;
    s.training.global_batch = 512;
    s.training.sequence_length = 4096;
    s.training.tokens = 1e12;
    return s;
}

RentRequest small_request()
{
    RentRequest request;
    request.types = rent_types(test::presets());
    request.limits.framework = *test::presets().framework("megatron");
    request.most_gpus = 64;
    return request;
}

RentSearch::Request asked(const Scenario& s, RentRequest rent)
{
    return {s, std::move(rent), &test::presets()};
}

RentOffers searched(const Scenario& s, RentRequest rent)
{
    return *finished_work<RentSearch>(asked(s, std::move(rent)));
}

} // namespace

TEST_CASE("clusters with a price say whose it is")
{
    const std::vector<RentType> types = rent_types(test::presets());
    CHECK(types.size() >= 5);
    for (const RentType& type : types)
    {
        CHECK(type.cluster.usd_per_gpu_hour > 0);
        CHECK(type.price.find("20") != std::string::npos); // of which year
    }
}

TEST_CASE("hand-worked: days and dollars of an offer follow from its step")
{
    const RentOffers search = searched(model_8b(), small_request());
    REQUIRE(search.offers.size() > 10);
    for (const RentOffer& o : search.offers)
    {
        INFO(search.types[o.type].name << " " << o.gpus);
        const auto report = evaluate(o.scenario);
        REQUIRE(report);
        CHECK(o.step_s == report->step.total());
        CHECK(o.scenario.training.global_batch == 1024); // 4.19 M tokens of the critical 4.68 M
        const double steps = 1e12 / (1024 * 4096);
        CHECK(o.days == Approx(steps * o.step_s / o.goodput / 86400));
        const double price = search.types[o.type].cluster.usd_per_gpu_hour;
        CHECK(o.usd == Approx(static_cast<double>(o.gpus + o.spares) * o.days * 24 * price));
        CHECK(o.spares % o.scenario.cluster.gpus_per_node == 0);
        CHECK(o.scenario.cluster.gpus == o.gpus);
    }
}

TEST_CASE("an offer is the fastest layout that a search of its cluster finds")
{
    const RentRequest request = small_request();
    const RentOffers search = searched(model_8b(), request);
    for (const RentOffer& o : search.offers)
    {
        LayoutSearch own(without_layout(o.scenario), request.limits);
        while (own.advance(100'000))
        {
        }
        CHECK(layout_of(o.scenario) == own.result().best.front().layout);
    }
}

TEST_CASE("hand-worked: the batch goes up to the critical one in powers of two, and never down")
{
    Scenario s = model_8b();
    s.training.sequence_length = 8192;
    s.training.global_batch = 128;
    CHECK(grown_batch(s) == 512); // 4.19 M tokens; 8.39 M are more than 2e8 / 2.2^(1 / 0.21) = 4.68 M
    s.training.global_batch = 96;
    CHECK(grown_batch(s) == 384);
    s.training.global_batch = 4096;
    CHECK(grown_batch(s) == 4096);
}

TEST_CASE("a batch that is kept stays, and asks for context parallelism where the grown one needs none")
{
    RentRequest request = small_request();
    std::erase_if(request.types, [](const RentType& type) { return type.id != "mi300x-8"; });
    REQUIRE(request.types.size() == 1);
    request.most_gpus = 512;
    Scenario s = model_8b();
    s.training.global_batch = 64;
    const RentOffers grown = searched(s, request);
    request.keep_batch = true;
    const RentOffers kept = searched(s, request);
    const RentOffer* most = grown.fastest_with(512);
    const RentOffer* few = kept.fastest_with(512);
    REQUIRE(most != nullptr);
    REQUIRE(few != nullptr);
    CHECK(few->scenario.training.global_batch == 64);
    CHECK(most->scenario.parallel.context == 1);
    CHECK(few->scenario.parallel.tensor * few->scenario.parallel.context * few->scenario.parallel.pipeline >=
          8);
    CHECK(most->days < few->days);
}

TEST_CASE("nothing on the frontier is beaten, and what is off it is")
{
    const RentOffers search = searched(model_8b(), small_request());
    const auto& offers = search.offers;
    for (const RentOffer& a : offers)
    {
        const bool beaten = std::ranges::any_of(
            offers, [&](const RentOffer& b)
            { return b.usd <= a.usd && b.days <= a.days && (b.usd < a.usd || b.days < a.days); });
        CHECK(a.frontier == !beaten);
    }
}

TEST_CASE("the questions are answered by the offers there are, or not at all")
{
    RentOffers search = searched(model_8b(), small_request());
    const auto& offers = search.offers;
    const double days = std::ranges::max_element(offers, {}, &RentOffer::days)->days / 2;
    const RentOffer* cheapest = search.cheapest_within(days);
    const RentOffer* fewest = search.fewest_gpus_within(days);
    REQUIRE(cheapest != nullptr);
    REQUIRE(fewest != nullptr);
    for (const RentOffer& o : offers)
    {
        CHECK((o.days > days || o.usd >= cheapest->usd));
        CHECK((o.days > days || o.gpus >= fewest->gpus));
    }
    CHECK(search.cheapest_within(0) == nullptr);
    CHECK(search.fastest_within(1) == nullptr);
    CHECK(search.fastest_with(3) == nullptr);
    CHECK(search.fastest_with(64)->gpus == 64);

    // Another price moves dollars only.
    const RentOffer before = *cheapest;
    search.set_price(before.type, 1000);
    CHECK(search.cheapest_within(days)->type != before.type);
    search.set_price(before.type, before.scenario.cluster.usd_per_gpu_hour);
    CHECK(search.cheapest_within(days)->usd == before.usd);
}

TEST_CASE("offers stay true for a scenario that opened one, and no longer for another model")
{
    const RentOffers search = searched(model_8b(), small_request());
    const RentSearch::Request first = asked(model_8b(), small_request());
    CHECK(first == asked(search.offers.back().scenario, small_request()));
    Scenario other = model_8b();
    other.training.tokens *= 2;
    CHECK_FALSE(first == asked(other, small_request()));
    RentRequest dearer = small_request();
    dearer.types.front().cluster.usd_per_gpu_hour *= 2;
    CHECK(first == asked(model_8b(), dearer));
}

TEST_CASE("a faster network lengthens no run")
{
    RentRequest request = small_request();
    const RentOffers once = searched(model_8b(), request);
    request.network = 2;
    const RentOffers twice = searched(model_8b(), request);
    REQUIRE(once.offers.size() == twice.offers.size());
    for (std::size_t i = 0; i < once.offers.size(); ++i)
    {
        CHECK(twice.offers[i].days <= once.offers[i].days * (1 + 1e-9));
    }
}

TEST_CASE("what no cluster can run is refused with its fault, and nothing is offered")
{
    Scenario s = model_8b();
    s.model.kv_heads = 3; // of 32 heads
    const RentOffers search = searched(s, small_request());
    CHECK(search.offers.empty());
    for (const std::string& why : search.refused)
    {
        CHECK(why.find("kv_heads") != std::string::npos);
    }
}

TEST_CASE(
    "hand-worked: offers are told apart by more than 8% on one type of cluster, and by their ranges else")
{
    const auto offer = [](std::size_t type, double days)
    {
        RentOffer o{.type = type, .gpus = 64};
        o.days = days;
        o.low = 0.8;
        o.high = 1.25;
        return o;
    };
    CHECK(told_apart(offer(0, 10), offer(0, 10.9)));       // 9% more
    CHECK_FALSE(told_apart(offer(0, 10), offer(0, 10.7))); // 7% more
    CHECK_FALSE(told_apart(offer(0, 10), offer(1, 12.4))); // inside 8 to 12.5
    CHECK(told_apart(offer(0, 10), offer(1, 12.6)));
    RentOffers offers;
    offers.types.resize(2);
    offers.offers = {offer(0, 10), offer(0, 10.1), offer(1, 12), offer(1, 20)};
    const auto equal = offers.as_good_as(offers.offers.front(), &RentOffer::days);
    REQUIRE(equal.size() == 1); // the other type of cluster alone: one's own sizes are a choice, not a doubt
    CHECK(equal.front()->days == 12);
}

TEST_CASE("an offer's days and dollars have the range of its step")
{
    const RentOffers found = searched(model_8b(), small_request());
    REQUIRE_FALSE(found.offers.empty());
    for (const RentOffer& offer : found.offers)
    {
        const Band band = step_band(offer.scenario, offer.step_s);
        CHECK(offer.low == band.low);
        CHECK(offer.high == band.high);
        CHECK(offer.low < 1);
        CHECK(offer.high > 1);
    }
}
