// What to change first: every figure is evaluate()'s, nothing better is left out, and parts add up.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/planner/changes.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

std::vector<Change> changes_of(const Scenario& s, const SearchLimits& limits = {})
{
    ChangeSearch search(s, limits);
    while (search.advance(1e7))
    {
    }
    REQUIRE(search.done());
    return search.result();
}

double dollars(const Scenario& s, const Report& report)
{
    return find_metric("run.cost_usd")->value(s, report);
}

} // namespace

TEST_CASE("changes are what evaluate() says, save time, and their parts add up")
{
    for (const char* id : {"default", "gpt-3-175b-1024", "mixtral-8x7b-64"})
    {
        INFO(id);
        const Scenario s = test::presets().scenario(id)->scenario;
        const auto now = evaluate(s);
        REQUIRE(now);
        REQUIRE(now->memory.fits());
        for (const Change& change : changes_of(s))
        {
            INFO(sentence_of(change));
            const auto then = evaluate(change.after);
            REQUIRE(then);
            CHECK(then->memory.fits());
            CHECK(change.candidate.seconds == then->step.total());
            CHECK(change.candidate.bytes == then->memory.worst().total().value);
            CHECK(change.candidate.seconds < now->step.total());
            CHECK(change.usd == dollars(change.after, *then) - dollars(s, *now));
            double sum = 0;
            for (const PartChange& part : change.difference.parts)
            {
                sum += part.seconds;
            }
            CHECK(sum == Approx(change.difference.seconds()));
            CHECK_FALSE(change.difference.settings.empty());
            CHECK(change.after.training.global_batch == s.training.global_batch);
            CHECK(change.after.cluster == s.cluster);
        }
    }
}

TEST_CASE("the first change is the best of all single ones; double ones beat it")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const SearchLimits limits;
    const std::vector<Change> found = changes_of(s, limits);
    REQUIRE_FALSE(found.empty());
    REQUIRE(found.front().moves == 1);
    Sensitivity all(s, step_time(s));
    while (all.advance(1e9))
    {
    }
    for (const DialMove& move : all.found())
    {
        const MemoryReport memory = memory_report(move.after);
        if (!is_hardware(move.dial) && move.dial != Dial::micro_batches && faults(move.after).empty() &&
            memory.worst().total().value <= roomy_bytes(memory.capacity.value, limits))
        {
            CHECK(found.front().candidate.seconds <= move.step.total());
        }
    }
    for (const Change& change : found)
    {
        CHECK((change.moves == 1 || change.candidate.seconds < found.front().candidate.seconds));
    }
}

TEST_CASE("changes run on the framework that is asked for, and make what does not fit fit")
{
    SearchLimits limits;
    limits.framework = *test::presets().framework("megatron");
    Scenario s = test::presets().scenario("default")->scenario;
    for (const Change& change : changes_of(s, limits))
    {
        CHECK(runs(limits.framework, change.after));
    }
    s.training.recompute = Recompute::none;
    s.training.micro_batch = 4;
    REQUIRE(faults(s).empty());
    REQUIRE_FALSE(memory_report(s).fits());
    const std::vector<Change> found = changes_of(s);
    REQUIRE_FALSE(found.empty());
    for (const Change& change : found)
    {
        CHECK(memory_report(change.after).fits());
    }
}

TEST_CASE("the difference of two layouts names what changed and where the seconds went")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    CHECK(difference(s, s).settings.empty());
    CHECK(difference(s, s).parts.empty());
    Scenario other = s;
    other.training.recompute = Recompute::full;
    const LayoutDifference d = difference(s, other);
    CHECK(d.settings == "recompute selective \u2192 full");
    CHECK(d.seconds() == step_time(other).total() - step_time(s).total());
    CHECK(d.seconds() > 0);
    CHECK(d.bytes < 0);
    const LayoutDifference back = difference(other, s);
    CHECK(back.seconds() == -d.seconds());
    CHECK(back.bytes == -d.bytes);
}
