// What a search may move because it is freed: batch and length by powers of two at equal worth per token, and
// the fewest recomputed layers that fit.
#include "tests/core/support.h"

#include "core/performance/step_time.h"
#include "core/planner/search/layout_search.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace ringside;

namespace
{

// Few enough layouts to search them once for everything that is freed.
Scenario freed_small()
{
    Scenario s;
    Model& m = s.model;
    m.layers = 8;
    m.hidden = 256;
    m.heads = m.kv_heads = 4;
    m.head_dim = 64;
    m.ffn = 1024;
    m.vocab = 1000;
    s.cluster.gpus = 8;
    s.training.sequence_length = 512;
    s.training.global_batch = 16;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

SearchResult searched(const Scenario& s, const SearchLimits& limits)
{
    LayoutSearch search(s, limits);
    while (search.advance(1000))
    {
    }
    return search.result();
}

double best_pace(const SearchResult& r)
{
    REQUIRE_FALSE(r.best.empty());
    return r.best.front().pace();
}

// Every row is what the engine says of its layout.
void check_rows(const Scenario& s, const SearchResult& r)
{
    for (const Candidate& c : r.best)
    {
        Scenario row = s;
        apply(c.layout, row);
        CHECK(faults(row).empty());
        CHECK(layout_of(row) == c.layout);
        CHECK(step_time(row).total() == c.seconds);
        CHECK(memory_report(row).worst().total().value == c.bytes);
    }
}

// The best time of a million tokens that searches with everything fixed find, one for each batch and length.
double best_of_fixed(const Scenario& s, SearchLimits limits, std::int64_t* legal)
{
    const std::vector<StepWork> works = works_of(s, limits.freed);
    limits.freed = {};
    double best = 0;
    for (const StepWork& work : works)
    {
        Scenario fixed = s;
        apply(work, fixed);
        const SearchResult r = searched(fixed, limits);
        *legal += r.legal;
        const double tokens = static_cast<double>(work.global_batch * work.sequence_length);
        const double pace = best_pace(r) / tokens * 1e6;
        best = best == 0 ? pace : std::min(best, pace);
    }
    return best;
}

} // namespace

TEST_CASE("hand-worked: a freed value goes by powers of two through its range")
{
    using Values = std::vector<std::int64_t>;
    CHECK(range_around(256) == FreeRange{64, 1024});
    CHECK(values_in(range_around(256), 256) == Values{64, 128, 256, 512, 1024});
    CHECK(values_in({100, 500}, 96) == Values{192, 384});
    CHECK(values_in({1, 40}, 12) == Values{3, 6, 12, 24});
    CHECK(values_in({5, 7}, 512) == Values{512}); // 4 and 8 lie outside
    CHECK(values_in({}, 512) == Values{512});
}

TEST_CASE("hand-worked: a length freed alone keeps the tokens of a step; with the batch both go their ways")
{
    Scenario s = freed_small(); // 16 x 512
    using Works = std::vector<StepWork>;
    CHECK(works_of(s, {}) == Works{{16, 512}});
    CHECK(works_of(s, {{}, {256, 1024}, false}) == Works{{32, 256}, {16, 512}, {8, 1024}});
    CHECK(works_of(s, {{8, 16}, {512, 1024}, false}) == Works{{8, 512}, {16, 512}, {8, 1024}, {16, 1024}});
    CHECK(work_units(s, {}) == 1);
    CHECK(work_units(s, {{8, 16}, {}, false}) == 16 * 512 / 1e6);
}

TEST_CASE("a freed search starts from the same, whichever of its rows the scenario is")
{
    const Scenario s = freed_small();
    SearchLimits limits;
    limits.freed = {range_around(16), range_around(512), true};
    const Scenario from = searched_scenario(s, limits);
    for (const StepWork& work : works_of(s, limits.freed))
    {
        Scenario row = s;
        apply(work, row);
        row.training.recompute = Recompute::full;
        row.training.recompute_layers = 3;
        CHECK(searched_scenario(row, limits) == from);
    }
    CHECK(searched_scenario(s, {}) == without_layout(s));
}

TEST_CASE("a search with a freed batch or length finds the best of all searches with them fixed")
{
    const Scenario s = freed_small();
    for (const Freed& freed : {Freed{range_around(16), {}, false}, Freed{{}, range_around(512), false},
                               Freed{{8, 32}, {256, 1024}, false}})
    {
        SearchLimits limits;
        limits.freed = freed;
        // Of schedules without a closed form estimates choose which are kept.
        for (const char* framework : {"megatron", ""})
        {
            const bool exact = *framework != 0;
            limits.framework = exact ? *test::presets().framework(framework) : Framework();
            const SearchResult found = searched(s, limits);
            std::int64_t legal = 0;
            const double fixed = best_of_fixed(s, limits, &legal);
            CHECK(std::abs(best_pace(found) - fixed) <= (exact ? 1e-12 : 1e-3) * fixed);
            CHECK(found.legal == legal);
            CHECK(std::ranges::is_sorted(found.best, {},
                                         [](const Candidate& c) { return std::pair(c.tight, c.pace()); }));
            check_rows(s, found);
        }
    }
}

TEST_CASE("hand-worked: freed GPUs go by powers of two, and layouts rank by GPU-seconds of a million tokens")
{
    const Scenario s = freed_small(); // 8 GPUs
    using Values = std::vector<std::int64_t>;
    Freed freed;
    CHECK(gpus_of(s, freed) == Values{8});
    freed.gpus = {2, 40};
    CHECK(gpus_of(s, freed) == Values{2, 4, 8, 16, 32});
    freed.gpus = {9, 15}; // none of them is 8 times a power of two
    CHECK(gpus_of(s, freed) == Values{8});
    CHECK(work_units(s, freed) == 16 * 512 / 1e6);
    CHECK_FALSE(freed.tokens());

    Candidate c;
    c.layout.gpus = 16;
    c.seconds = 2;
    c.units = 0.5;
    CHECK(c.pace() == 4);
    CHECK(c.gpu_seconds() == 64);
}

TEST_CASE("a search with freed GPUs finds the cheapest of all searches with so many, and no more layouts")
{
    const Scenario s = freed_small();
    SearchLimits limits;
    limits.framework = *test::presets().framework("megatron");
    limits.objective = Objective::cost;
    limits.freed.gpus = {4, 16};
    const SearchResult found = searched(s, limits);
    REQUIRE_FALSE(found.best.empty());
    SearchLimits alone = limits;
    alone.freed = {};
    alone.objective = Objective::step_time; // no fewer GPUs
    std::int64_t legal = 0;
    double cheapest = 0;
    double fastest = 0;
    for (const std::int64_t gpus : gpus_of(s, limits.freed))
    {
        Scenario fixed = s;
        fixed.cluster.gpus = gpus;
        const SearchResult r = searched(fixed, alone);
        legal += r.legal;
        const double seconds = r.best.front().seconds;
        const double cost = seconds * static_cast<double>(gpus) / (16 * 512 / 1e6);
        cheapest = cheapest == 0 ? cost : std::min(cheapest, cost);
        fastest = fastest == 0 ? seconds : std::min(fastest, seconds);
    }
    CHECK(found.legal == legal);
    CHECK(std::abs(found.best.front().gpu_seconds() - cheapest) <= 1e-12 * cheapest);
    CHECK(std::ranges::is_sorted(found.best, {},
                                 [](const Candidate& c) { return std::pair(c.tight, c.gpu_seconds()); }));
    check_rows(s, found);
    // Ranked by time, the fastest of any number.
    limits.objective = Objective::step_time;
    CHECK(searched(s, limits).best.front().seconds == fastest);
    // The same, whichever of its rows the scenario is.
    Scenario row = s;
    apply(found.best.back().layout, row);
    CHECK(searched_scenario(row, limits) == searched_scenario(s, limits));
}

TEST_CASE("hand-worked: of the layers that may be recomputed the search takes the fewest that fit")
{
    Scenario s = freed_small();
    s.cluster.gpus = 1;
    s.training.global_batch = 4;
    s.training.micro_batch = 4;
    s.training.recompute = Recompute::full;
    const auto bytes = [&](std::int64_t layers)
    {
        Scenario some = s;
        some.training.recompute_layers = layers;
        return memory_report(some).worst().total().value;
    };
    REQUIRE(bytes(2) < bytes(1)); // 1 saves nothing: what it drops is there again while it is recomputed
    SearchLimits limits;
    limits.headroom = 0;
    limits.like = layout_of(s);
    limits.fixed = {"training.micro_batch"};
    limits.freed.recompute_layers = true;
    for (const std::int64_t layers : {std::int64_t{2}, std::int64_t{4}, std::int64_t{7}})
    {
        s.cluster.gpu.usable = 1;
        s.cluster.gpu.memory_gb = bytes(layers) / 1e9; // fits to the byte
        const SearchResult found = searched(s, limits);
        REQUIRE_FALSE(found.best.empty());
        CHECK(found.best.front().layout.recompute == Recompute::full);
        CHECK(found.best.front().layout.recompute_layers == layers);
        check_rows(s, found);
    }
}

TEST_CASE("trying every number of recomputed layers finds none faster than a search that frees it")
{
    Scenario s = freed_small();
    SearchLimits freed;
    freed.freed.recompute_layers = true;
    int some = 0;
    for (const double gigabytes : {0.035, 0.05, 0.07, 0.1, 0.15})
    {
        s.cluster.gpu.usable = 1;
        s.cluster.gpu.memory_gb = gigabytes;
        const SearchResult found = searched(s, freed);
        double fastest = 0;
        for (s.training.recompute_layers = 0; s.training.recompute_layers < 8; ++s.training.recompute_layers)
        {
            const SearchResult each = searched(s, {});
            for (const Candidate& c : each.best)
            {
                fastest = !c.tight && (fastest == 0 || c.seconds < fastest) ? c.seconds : fastest;
            }
        }
        s.training.recompute_layers = 0;
        if (fastest > 0)
        {
            REQUIRE_FALSE(found.best.empty());
            CHECK(found.best.front().seconds == fastest);
        }
        some += found.best.empty() || found.best.front().layout.recompute_layers == 0 ? 0 : 1;
        check_rows(s, found);
    }
    CHECK(some > 0);
}

TEST_CASE("a framework that recomputes all layers or none is offered no number of them")
{
    Scenario s = freed_small();
    s.cluster.gpu.usable = 1;
    s.cluster.gpu.memory_gb = 0.07;
    SearchLimits limits;
    limits.freed.recompute_layers = true;
    limits.framework = *test::presets().framework("maxtext");
    for (const Candidate& c : searched(s, limits).best)
    {
        CHECK(c.layout.recompute_layers == 0);
    }
}
