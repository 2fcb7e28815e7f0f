// The search: the same memory as the report, nothing legal left out, parts that add up, and step times that
// hold when the winners are worked out in full.
#include "tests/core/random_scenarios.h"
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/performance/step_time.h"
#include "core/planner/current_layout.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/near_misses.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <numeric>

using namespace ringside;
using Catch::Approx;

namespace
{

// 4 layers, 4 heads, 8 GPUs, 8 sequences: few enough layouts to try them all by hand.
Scenario small(std::int64_t experts)
{
    Scenario s;
    Model& m = s.model;
    m.layers = 4;
    m.hidden = 256;
    m.heads = m.kv_heads = 4;
    m.head_dim = 64;
    m.ffn = 1024;
    m.vocab = 1000;
    m.experts = experts;
    m.experts_per_token = experts > 0 ? 1 : 0;
    m.expert_ffn = experts > 0 ? 512 : 0;
    s.cluster.gpus = 8;
    s.training.sequence_length = 96;
    s.training.global_batch = 8;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

SearchLimits everything()
{
    SearchLimits limits;
    limits.tensor_across_nodes = limits.zero_with_stages = true;
    return limits;
}

SearchResult all_of(const Scenario& s, const SearchLimits& limits, std::size_t parts = 1)
{
    SearchResult all;
    for (std::size_t part = 0; part < parts; ++part)
    {
        LayoutSearch search(s, limits, part, parts);
        while (search.advance(100))
        {
        }
        CHECK(search.progress() == 1);
        all = part == 0 ? search.result() : merged(all, search.result(), limits.objective);
    }
    return parts == 1 ? all : timed(s, all, limits.objective);
}

// Sets `s` to the combination of small numbers of this index, as digits of changing base; what is left of
// the index is not 0 behind the last.
std::size_t set_combination(Scenario& s, std::size_t index)
{
    const auto digit = [&index](const auto& values)
    {
        const auto value = std::data(values)[index % std::size(values)];
        index /= std::size(values);
        return value;
    };
    const std::array<std::int64_t, 4> sizes{1, 2, 4, 8};
    s.parallel.tensor = digit(sizes);
    s.parallel.context = digit(sizes);
    s.parallel.pipeline = digit(sizes);
    s.training.micro_batch = digit(sizes);
    s.parallel.expert = digit(std::array<std::int64_t, 3>{1, 2, 4});
    s.parallel.sequence_parallel = digit(std::array{false, true});
    s.training.recompute = digit(std::array{Recompute::none, Recompute::full, Recompute::alternate});
    s.training.schedule = digit(schedules());
    s.parallel.chunks = digit(std::array<std::int64_t, 4>{1, 2, 3, 4});
    s.parallel.zero = digit(std::array<std::int64_t, 4>{0, 1, 2, 3});
    return index;
}

// What a search does, by trying everything.
struct ByHand
{
    std::int64_t legal = 0;
    double fastest = 0; // [s] of what fits; 0: nothing
};

// Every combination that validate() has nothing against, and that the framework runs where there is one.
ByHand tried_by_hand(const Scenario& from, const Framework* framework, bool with_time)
{
    ByHand found;
    Scenario s = from;
    for (std::size_t i = 0; set_combination(s, i) == 0; ++i)
    {
        const Parallel& p = s.parallel;
        if (8 % (p.tensor * p.context * p.pipeline) != 0)
        {
            continue;
        }
        // Uneven stages are tried with as few chunks as the schedule takes.
        const std::int64_t stages = virtual_stages(s.training.schedule, pipeline_shape(s));
        const bool pointless =
            (s.model.layers % stages != 0 && p.chunks > s.training.schedule->least_chunks) ||
            (p.sequence_parallel && p.tensor == 1) || (p.zero > 0 && dense_replicas(s) == 1) ||
            (p.pipeline == 1 && (s.training.schedule->id != "1f1b" || p.chunks > 1)) ||
            (s.model.experts == 0 && p.expert > 1) ||
            (s.training.recompute == Recompute::alternate && framework == nullptr);
        const bool refused = pointless || (framework != nullptr && !runs(*framework, s));
        if (refused || !faults(s).empty())
        {
            continue;
        }
        ++found.legal;
        if (with_time && memory_report(s).fits())
        {
            const double seconds = step_time(s).total();
            found.fastest = found.fastest == 0 ? seconds : std::min(found.fastest, seconds);
        }
    }
    return found;
}

std::int64_t legal_by_hand(const Scenario& from)
{
    return tried_by_hand(from, nullptr, false).legal;
}

} // namespace

TEST_CASE("the search's memory is the report's for any layout whose schedule has a closed form")
{
    test::ScenarioSource source(301);
    int seen = 0;
    for (int i = 0; i < 400; ++i)
    {
        Scenario s = source.next();
        s.parallel.stage_layers.clear();
        if (has_errors(validate(s)) || s.training.schedule->kept == nullptr)
        {
            continue;
        }
        ++seen;
        MemoryModel model;
        INFO(s.model.name << ", pipeline " << s.parallel.pipeline << ", " << s.training.schedule->id);
        REQUIRE(model.fullest(s) == memory_report(s).worst().total());
        REQUIRE(model.fullest(s) == memory_report(s).worst().total()); // and from what it kept
    }
    CHECK(seen > 100);
}

TEST_CASE("parts of a search find together what one finds alone")
{
    for (const std::int64_t experts : {0, 4})
    {
        const Scenario s = small(experts);
        const SearchResult one = all_of(s, everything());
        const SearchResult three = all_of(s, everything(), 3);
        CHECK(one.legal == three.legal);
        CHECK(one.tried == three.tried);
        CHECK(one.fit == three.fit);
        CHECK(one.rejected == three.rejected);
        CHECK(one.best.front() == three.best.front());
        CHECK(one.cuts == three.cuts);
        CHECK(one.legal + std::accumulate(one.rejected.begin(), one.rejected.end(), std::int64_t{0}) -
                  one.count(Rejection::memory) ==
              one.tried);
    }
}

TEST_CASE("the chart has the same points, however many threads share a search")
{
    Scenario s = small(4);
    s.cluster.gpus = 64;
    s.training.global_batch = 256;
    const SearchResult one = all_of(s, everything());
    REQUIRE(one.legal > static_cast<std::int64_t>(kMostSampled));
    CHECK(one.sample.size() == kMostSampled);
    for (const std::size_t parts : {2U, 3U, 8U})
    {
        const SearchResult several = all_of(s, everything(), parts);
        CHECK(one.sample == several.sample);
        CHECK(one.best == several.best);
        CHECK(one.frontier == several.frontier);
        CHECK(one.nearest_miss == several.nearest_miss);
    }
}

TEST_CASE("what is kept and what is drawn has the time of its own layout, whichever came before it")
{
    Scenario s = small(0);
    s.cluster.gpus = 64;
    s.training.global_batch = 64;
    s.parallel.shard_group = 4;
    const SearchResult found = all_of(s, everything());
    std::size_t grouped = 0;
    for (const std::vector<Candidate>* list : {&found.best, &found.sample})
    {
        for (const Candidate& c : *list)
        {
            Scenario laid = s;
            apply(c.layout, laid);
            grouped += laid.parallel.shard_group > 0 ? 1U : 0U;
            const bool simulated = c.layout.schedule->kept == nullptr && c.layout.pipeline > 1;
            CHECK((simulated || c.seconds == Approx(step_time(laid).total())));
        }
    }
    CHECK(grouped > 100);
}

TEST_CASE("limits take layouts away and say so; nothing found breaks them")
{
    const Scenario s = small(0);
    const SearchResult all = all_of(s, everything());
    SearchLimits limits;
    limits.full_recompute = limits.zero3 = false;
    const SearchResult some = all_of(s, limits);
    CHECK(some.legal < all.legal);
    CHECK(some.count(Rejection::allowed) > 0);
    for (const Candidate& c : some.best)
    {
        CHECK(c.layout.recompute != Recompute::full);
        CHECK(c.layout.zero < 3);
        CHECK((c.layout.zero < 2 || c.layout.pipeline == 1));
    }
}

TEST_CASE("best first by every objective, the frontier falls, and every candidate is a valid scenario")
{
    const Scenario s = small(4);
    for (const Objective objective : {Objective::step_time, Objective::memory, Objective::cost})
    {
        SearchLimits limits = everything();
        limits.objective = objective;
        const SearchResult found = all_of(s, limits);
        const auto before = [&](const Candidate& a, const Candidate& b) { return better(objective, a, b); };
        CHECK(std::is_sorted(found.best.begin(), found.best.end(), before));
        CHECK(std::is_sorted(found.cuts.begin(), found.cuts.end(), before));
        REQUIRE(found.frontier.size() > 1);
        for (std::size_t i = 1; i < found.frontier.size(); ++i)
        {
            CHECK(found.frontier[i - 1].bytes < found.frontier[i].bytes);
            CHECK(found.frontier[i - 1].seconds > found.frontier[i].seconds);
        }
        for (const Candidate& c : found.best)
        {
            Scenario other = s;
            apply(c.layout, other);
            CHECK(!has_errors(validate(other)));
            CHECK(layout_of(other) == c.layout);
        }
    }
}

TEST_CASE("what the search says of its winners holds when they are worked out in full")
{
    const Presets& presets = test::presets();
    Scenario s = presets.scenario("default")->scenario;
    s.cluster.gpus = 64;
    s.training.global_batch = 64;
    const SearchResult found = all_of(s, {});
    REQUIRE(!found.cuts.empty());
    double worst = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.cuts.size(), 40); ++i)
    {
        Scenario other = s;
        apply(found.cuts[i].layout, other);
        const auto report = evaluate(other);
        REQUIRE(report);
        INFO(found.cuts[i].layout.schedule->id << ", pipeline " << found.cuts[i].layout.pipeline);
        CHECK(report->memory.worst().total().value == Approx(found.cuts[i].bytes).epsilon(0.03));
        const double error = std::abs(found.cuts[i].seconds / step_time(other).total() - 1);
        CHECK(error < 0.06);
        worst = std::max(worst, error);
    }
    CHECK(worst < 0.06);
}

TEST_CASE("where nothing fits the nearest miss is named")
{
    Scenario s = small(0);
    s.cluster.gpu.usable = 1;
    s.cluster.gpu.memory_gb = 0.001;
    const SearchResult found = all_of(s, everything());
    CHECK(found.fit == 0);
    CHECK(found.best.empty());
    REQUIRE(found.nearest_miss);
    CHECK(found.nearest_miss->bytes > found.capacity);
    CHECK(found.count(Rejection::memory) == found.legal);
}

TEST_CASE("nothing legal is left out: all layouts of a small model, counted by trying them")
{
    CHECK(all_of(small(0), everything()).legal == legal_by_hand(small(0)));
    Scenario uneven = small(0);
    uneven.model.layers = 11;
    CHECK(all_of(uneven, everything()).legal == legal_by_hand(uneven));
}

TEST_CASE(
    "every row of a search is what evaluate() says, the first is the least, and no two are one timeline")
{
    test::ScenarioSource source(1301);
    int rows = 0;
    for (int round = 0; round < 40; ++round)
    {
        Scenario s = source.next();
        s.cluster.gpus = 1 << (round % 6);
        s.training.global_batch = 4 << (round % 5);
        s.training.schedule = schedule("1f1b");
        if (!search_faults(s).empty())
        {
            continue;
        }
        INFO("round " << round << ": " << to_json(s, test::presets()).dump());
        const SearchResult found = all_of(without_layout(s), everything());
        for (std::size_t i = 0; i < found.best.size(); ++i)
        {
            const Candidate& c = found.best[i];
            Scenario at = s;
            apply(c.layout, at);
            const auto report = evaluate(at);
            REQUIRE(report);
            REQUIRE(c.seconds == report->step.total());
            REQUIRE(c.mfu == report->step.mfu());
            // The tight stand behind those that fit, both by time.
            REQUIRE(c.tight == (c.bytes > roomy_bytes(found.capacity, everything())));
            REQUIRE((i == 0 || c.tight >= found.best[i - 1].tight));
            REQUIRE((i == 0 || c.tight != found.best[i - 1].tight || c.seconds >= found.best[i - 1].seconds));
            for (std::size_t k = 0; k < i; ++k)
            {
                Layout other = found.best[k].layout;
                other.schedule = c.layout.schedule;
                other.chunks = c.layout.chunks;
                REQUIRE(
                    (other != c.layout || std::abs(found.best[k].seconds - c.seconds) > 1e-9 * c.seconds));
            }
            ++rows;
        }
    }
    CHECK(rows > 300);
}

TEST_CASE("a search needs no layout of its own")
{
    Scenario s = test::presets().scenario("default")->scenario;
    s.parallel.tensor = 7;
    s.parallel.pipeline = 3;
    s.parallel.stage_layers = {1, 2};
    s.training.micro_batch = 5;
    REQUIRE_FALSE(faults(s).empty());
    CHECK(search_faults(s).empty());
    s.model.kv_heads = 7;
    CHECK_FALSE(search_faults(s).empty());
}

TEST_CASE("a search keeps the overlap settings of its scenario and says which they are")
{
    Scenario s = small(4);
    CHECK(overlap_words(s) == "overlap of tensor off, expert off, pipeline off");
    const SearchResult plain = all_of(s, {});
    s.parallel.overlap_tensor = true;
    s.parallel.overlap_expert = true;
    CHECK(overlap_words(s) == "overlap of tensor on, expert on, pipeline off");
    const SearchResult found = all_of(s, {});
    CHECK(found.legal == plain.legal);
    for (const Candidate& c : found.best)
    {
        Scenario at = s;
        apply(c.layout, at);
        CHECK(at.parallel.overlap_tensor);
        CHECK(at.parallel.overlap_expert);
        CHECK_FALSE(at.parallel.overlap_pipeline);
        CHECK(c.seconds == step_time(at).total());
    }
}

TEST_CASE("layouts above the headroom are tight and stand behind those below it")
{
    Scenario s = small(0);
    s.cluster.gpu.workspace_mb = 0; // every layout's alike, and more than all of a small model
    SearchLimits limits = everything();
    limits.headroom = 0;
    const SearchResult roomy = all_of(s, limits);
    CHECK(roomy.tight == 0);
    // A card that the fastest layout fills to the last byte.
    const Candidate fastest = roomy.best.front();
    s.cluster.gpu.usable = 1;
    s.cluster.gpu.memory_gb = fastest.bytes / 1e9 + 1e-6;
    const SearchResult full = all_of(s, limits);
    CHECK(full.best.front().layout == fastest.layout);
    CHECK(full.tight == 0);
    limits.headroom = 0.08;
    const SearchResult found = all_of(s, limits);
    CHECK(found.fit == full.fit);
    CHECK(found.tight > 0);
    CHECK(found.tight < found.fit);
    CHECK_FALSE(found.best.front().tight);
    CHECK(found.best.front().bytes <= 0.92 * found.capacity);
    CHECK(found.best.front().seconds > fastest.seconds);
    for (std::size_t i = 1; i < found.best.size(); ++i)
    {
        CHECK(found.best[i].tight >= found.best[i - 1].tight);
    }
}

TEST_CASE("a row's nearest misses are faster, do not fit, and are what evaluate() says")
{
    // Llama 3.1 8B on 8 GPUs: recomputation costs time, and going without it costs memory.
    Scenario s = test::presets().scenario("default")->scenario;
    s.model = test::presets().model("llama-3.1-8b")->model;
    s.cluster.gpus = 8;
    s.training.sequence_length = 8192;
    s.training.global_batch = 64;
    s.training.micro_batch = 8;
    s.training.recompute = Recompute::full;
    s.training.schedule = schedule("1f1b");
    s.parallel = {};
    s.parallel.zero = 3;
    REQUIRE(faults(s).empty());
    const auto report = evaluate(s);
    REQUIRE(report);
    Candidate row;
    row.layout = layout_of(s);
    row.seconds = report->step.total();
    row.bytes = report->memory.worst().total().value;
    // No more memory than it needs itself, so whatever is faster misses.
    s.cluster.gpu.usable = 1;
    s.cluster.gpu.memory_gb = row.bytes / 1e9 / 0.92;
    const std::vector<NearMiss> misses = near_misses(s, row, {});
    REQUIRE_FALSE(misses.empty());
    CHECK(std::ranges::any_of(misses, [](const NearMiss& m) { return m.change == "recompute none"; }));
    CHECK(std::ranges::is_sorted(misses, {}, [](const NearMiss& m) { return m.candidate.bytes; }));
    for (const NearMiss& miss : misses)
    {
        INFO(miss.change);
        Scenario at = s;
        apply(miss.candidate.layout, at);
        const auto other = evaluate(at);
        REQUIRE(other);
        CHECK(miss.candidate.seconds == other->step.total());
        CHECK(miss.candidate.bytes == other->memory.worst().total().value);
        CHECK(miss.candidate.seconds < row.seconds);
        CHECK(miss.candidate.bytes > row.bytes);
    }
    s.cluster.gpu.memory_gb = 1e6;
    CHECK(near_misses(s, row, {}).empty());
}

TEST_CASE("the current layout is a row of a search, also where it is invalid")
{
    Scenario s = test::presets().scenario("default")->scenario;
    const auto report = evaluate(s);
    REQUIRE(report);
    const CurrentLayout valid = current_layout(s, {});
    CHECK(valid.valid());
    CHECK(valid.scenario == s);
    CHECK(valid.candidate.layout == layout_of(s));
    CHECK(valid.candidate.seconds == report->step.total());
    CHECK(valid.candidate.bytes == report->memory.worst().total().value);

    s.parallel.tensor = 7; // of 64 heads
    const CurrentLayout invalid = current_layout(s, {});
    CHECK_FALSE(invalid.valid());
    CHECK(invalid.layout.tensor == 7);
    CHECK(invalid.settings.find("parallel.tensor=") != std::string::npos);
    REQUIRE(invalid.runs());
    CHECK(invalid.scenario.parallel.tensor < 7); // sizes of groups only become smaller
    CHECK(faults(invalid.scenario).empty());
    const auto nearest = evaluate(invalid.scenario);
    REQUIRE(nearest);
    CHECK(invalid.candidate.seconds == nearest->step.total());
    CHECK(invalid.candidate.bytes == nearest->memory.worst().total().value);
}

TEST_CASE("a search for a framework leaves out nothing that it runs, and trying them all finds none faster")
{
    for (const char* id : {"megatron", "deepspeed", "torchtitan", "fsdp", "maxtext"})
    {
        INFO(id);
        SearchLimits limits = everything();
        limits.framework = *test::presets().framework(id);
        const ByHand by_hand = tried_by_hand(small(0), &limits.framework, true);
        CHECK(by_hand.legal > 0);
        const SearchResult found = all_of(small(0), limits);
        CHECK(found.legal == by_hand.legal);
        REQUIRE_FALSE(found.best.empty());
        CHECK(found.best.front().seconds <= by_hand.fastest * (1 + 1e-12));
    }
}
