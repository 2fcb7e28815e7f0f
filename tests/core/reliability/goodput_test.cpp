// Failures and goodput: intervals, closed form and simulation against each other, published runs, stragglers.
#include "tests/core/random_scenarios.h"
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/reliability/run_simulation.h"
#include "core/reliability/straggler.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace ringside;
using Catch::Approx;

namespace
{

RunRates rates_of(const std::string& text, const RunPlan& plan = {})
{
    const Scenario s = test::scenario(text);
    const auto report = evaluate(s);
    REQUIRE(report);
    return run_rates(s, checkpoint_size(s, report->memory), Seconds(report->step.total()), plan);
}

// Everything by hand, nothing from a scenario.
RunRates plain_rates(double between, double save, double recover, double interval)
{
    RunRates r;
    r.between_s = between;
    r.save_s = save;
    r.recover_s = recover;
    r.interval_s = interval;
    r.best_s = interval;
    return r;
}

double sum(const Goodput& g)
{
    return std::accumulate(g.share.begin(), g.share.end(), 0.0);
}

} // namespace

TEST_CASE("hand-worked: a save of 50 s and a failure every 10,000 s want a checkpoint every 1,000 s")
{
    CHECK(young_interval(Seconds(50.0), Seconds(10000.0)).value == Approx(1000));
    // 1000 (1 + sqrt(0.0025) / 3 + 0.0025 / 9) - 50 = 1000 x 1.016944 - 50
    CHECK(daly_interval(Seconds(50.0), Seconds(10000.0)).value == Approx(966.944).epsilon(1e-6));
    CHECK(daly_interval(Seconds(30.0), Seconds(10.0)).value == 10); // beyond 2 M it is M
    CHECK(daly_interval(Seconds(0.0), Seconds(10.0)).value == 0);
    CHECK(daly_interval(Seconds(1.0), Seconds(-1.0)).value == 0);
    // 50/1000 + (500 + 900) / 10000
    CHECK(first_order_waste(plain_rates(10000, 50, 900, 1000)) == Approx(0.19));
}

TEST_CASE("published: Daly's three worked optima, 117, 57 and 9.1 minutes")
{
    const auto minutes = [](double mean_minutes)
    { return daly_interval(Seconds(300.0), Seconds(mean_minutes * 60)).value / 60; };
    CHECK(minutes(24 * 60) == Approx(117).margin(0.5)); // Figure 3
    CHECK(minutes(6 * 60) == Approx(57).margin(0.5));   // Figure 4
    CHECK(minutes(15) == Approx(9.1).margin(0.05));     // Figure 5
}

TEST_CASE("hand-worked: four replicas lose 1.75 to two random failures")
{
    CHECK(replicas_hit(4, 1) == Approx(1));
    CHECK(replicas_hit(4, 2) == Approx(1.75)); // 4 (1 - 9/16)
    CHECK(replicas_hit(1, 3) == 1);
    CHECK(replicas_hit(64, 0) == 0);
    CHECK(replicas_hit(0, 3) == 0);
    CHECK(replicas_hit(1e6, 10) == Approx(10).epsilon(1e-4));
}

TEST_CASE("published: fleets fail every few hours at their size")
{
    const auto fleets = fleet_records();
    const auto hours = [&](std::string_view id, double gpus)
    {
        const auto found =
            std::find_if(fleets.begin(), fleets.end(), [&](const auto& f) { return f.id == id; });
        REQUIRE(found != fleets.end());
        CHECK(!found->source.empty());
        return found->gpu_hours() / gpus;
    };
    CHECK(hours("llama-3-405b", 16384) == Approx(2.78).margin(0.01)); // 54 x 24 / 466
    // Kokolis et al. project 1.80 h for 16,384 GPUs and 0.23 h for 131,072 from RSC-1.
    CHECK(hours("rsc-1", 16384) == Approx(1.80).margin(0.01));
    CHECK(hours("rsc-1", 131072) == Approx(0.23).margin(0.01));
    CHECK(hours("bloom", 384) == Approx(112));
}

TEST_CASE("hand-worked: without failures in recovery one segment is M e^(R/M) (e^((t+d)/M) - 1)")
{
    const RunRates r = plain_rates(1000, 10, 100, 200);
    // 1000 e^0.1 (e^0.21 - 1) = 258.25 s for 200 s of work
    const Goodput g = goodput(r, {});
    CHECK(g.useful() == Approx(200 / (1000 * std::exp(0.1) * (std::exp(0.21) - 1))));
    CHECK(g.useful() == Approx(0.7744).margin(0.0005));
    CHECK(g.of(RunPart::saving) == Approx(g.useful() / 20));
    CHECK(sum(g) == 1);
}

TEST_CASE("published: Llama 3 405B on 16,384 GPUs keeps about 90% with a ten-minute watchdog")
{
    // "more than 90% effective training time" (arXiv 2407.21783, section 3.3.4).
    const RunPlan plan;
    const RunRates r =
        rates_of(R"({"model": "llama-3.1-405b", "cluster": {"preset": "dgx-h100", "gpus": 16384},
        "parallel": {"tensor": 8, "sequence_parallel": true, "pipeline": 2, "zero": 1},
        "training": {"sequence_length": 8192, "global_batch": 2048}})",
                 plan);
    CHECK(r.between_s == Approx(54 * 86400.0 / 466));
    CHECK(r.save_s == Approx(14 * 405.85e9 / 2e12).epsilon(0.01)); // 2 TB/s: 2.84 s
    CHECK(goodput(r, plan).useful() == Approx(0.90).margin(0.03));
}

TEST_CASE("hand-worked: 70 B parameters are 988 GB, cut over one replica's ranks or over all with ZeRO-1")
{
    const auto size = [](int zero)
    {
        const Scenario s =
            test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"preset": "dgx-h100", "gpus": 256},
            "parallel": {"tensor": 8, "sequence_parallel": true, "pipeline": 4, "zero": )" +
                           std::to_string(zero) + "}}");
        return checkpoint_size(s, evaluate(s)->memory);
    };
    const double p = 70553706496.0;
    CHECK(size(0).total().value == 14 * p);
    CHECK(size(0).without_rounded().value == 12 * p);
    CHECK(size(0).writers == 32);
    CHECK(size(1).writers == 256);
    CHECK(size(1).largest.value == Approx(size(0).largest.value / 8));
    CHECK(size(0).largest.value >= 14 * p / 32);
}

TEST_CASE(
    "an asynchronous save stops training for the copy only, and what is on its way is lost with the job")
{
    const std::string text = R"({"model": "llama-3.1-70b", "cluster": {"preset": "dgx-h100", "gpus": 256},
        "parallel": {"tensor": 8, "sequence_parallel": true, "pipeline": 4, "zero": 1}})";
    RunPlan plan;
    const RunRates sync = rates_of(text, plan);
    plan.asynchronous = true;
    const RunRates async = rates_of(text, plan);
    CHECK(sync.lag_s == 0);
    CHECK(async.save_s < 0.01 * sync.save_s);
    CHECK(async.save_s + async.lag_s == Approx(sync.save_s));
    CHECK(async.best_s >= async.lag_s - async.save_s); // the last one has to be away first
    CHECK(goodput(async, plan).useful() > goodput(sync, {}).useful());
    plan.interval_s = 1e-3;
    CHECK(rates_of(text, plan).stretched);
    // Nearer tiers are quicker.
    plan = {};
    plan.tier = CheckpointTier::host;
    CHECK(rates_of(text, plan).save_s < sync.save_s);
}

TEST_CASE("the best interval is Daly's: no other one keeps more")
{
    for (const double save : {0.5, 5.0, 60.0, 600.0})
    {
        for (const double between : {1800.0, 10000.0, 1e6})
        {
            RunRates r = plain_rates(between, save, 900, 1);
            r.interval_s = daly_interval(Seconds(save), Seconds(between)).value;
            const double best = goodput(r, {}).useful();
            for (double factor = 0.25; factor < 4.1; factor *= 1.25)
            {
                CHECK(goodput_at(r, {}, r.interval_s * factor).useful() <= best + 2e-4);
            }
        }
    }
}

TEST_CASE("a simulated run of many failures agrees with the closed form, part by part")
{
    for (const int variant : {0, 1, 2, 3, 4})
    {
        RunPlan plan;
        plan.hardware_share = 0.5;
        plan.detect_s = 300;
        RunRates r = plain_rates(20000, 120, 900, variant == 1 ? 6000 : 2000);
        r.load_s = 300;
        r.lag_s = variant == 2 ? 900 : 0;
        r.nodes = 128;
        r.replicas = 32;
        r.away = plan.hardware_share / r.between_s * plan.repair_hours * 3600;
        r.spares = variant >= 3 ? 2 : 40;
        plan.elastic = variant == 4;
        const Goodput expected = goodput(r, plan);
        std::array<double, kRunParts> seen{};
        double time = 0;
        for (std::uint64_t seed = 0; seed < 12; ++seed)
        {
            const RunStory story = simulate_run(r, plan, 1e12, seed);
            time += story.horizon;
            for (std::size_t i = 0; i < kRunParts; ++i)
            {
                seen[i] += story.seconds[i];
            }
        }
        for (std::size_t i = 0; i < kRunParts; ++i)
        {
            INFO(variant << " " << name_of(static_cast<RunPart>(i)));
            CHECK(seen[i] / time == Approx(expected.share[i]).margin(0.01));
        }
    }
}

TEST_CASE("a simulated run covers its horizon without a gap, and its parts add up to it")
{
    RunPlan plan;
    plan.spares = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
    {
        RunRates r = plain_rates(seed % 2 == 0 ? 3000 : 40000, 30, 900, 500);
        r.away = plan.hardware_share / r.between_s * plan.repair_hours * 3600;
        r.spares = static_cast<std::int64_t>(seed);
        plan.elastic = seed % 3 == 0;
        r.replicas = 16;
        r.nodes = 64;
        const RunStory story = simulate_run(r, plan, 30 * 86400.0, seed, {1000, 5e5, 1e12, -4});
        double at = 0;
        for (const RunSpan& span : story.spans)
        {
            CHECK(span.start == Approx(at).margin(1e-6));
            CHECK(span.end > span.start);
            at = span.end;
        }
        CHECK(at == Approx(story.horizon));
        CHECK(std::accumulate(story.seconds.begin(), story.seconds.end(), 0.0) == Approx(story.horizon));
        const auto parts = parts_until(story, story.horizon);
        for (std::size_t i = 0; i < kRunParts; ++i)
        {
            CHECK(parts[i] == Approx(story.seconds[i]).margin(1e-3));
        }
        CHECK(std::count_if(story.failures.begin(), story.failures.end(),
                            [](const RunFailure& f) { return f.by_hand; }) == 2);
    }
}

TEST_CASE("hand-worked: a plug pulled after 1,300 s loses what was done since the checkpoint at 1,020 s")
{
    RunPlan plan;
    RunRates r = plain_rates(1e9, 20, 1000, 1000);
    r.load_s = 100;
    r.spares = 1;
    const RunStory story = simulate_run(r, plan, 10000, 1, {1300});
    REQUIRE(story.failures.size() == 1);
    CHECK(story.of(RunPart::lost) == Approx(280));
    CHECK(story.of(RunPart::detect) == Approx(600));
    CHECK(story.of(RunPart::restart) == Approx(400));
    // Then 7,700 s: seven cycles of 1,020 s and 560 s more.
    CHECK(story.of(RunPart::saving) == Approx(8 * 20));
    CHECK(story.of(RunPart::useful) == Approx(1000 + 7 * 1000 + 560));
    CHECK(story.spans[span_at(story, 1350)].part == RunPart::detect);
    CHECK(span_at(story, 10001) == story.spans.size());
}

TEST_CASE("shares of any legal plan are shares, add up to 1 exactly, and a shorter recovery never hurts")
{
    test::ScenarioSource random(5);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = random.next();
        const auto report = evaluate(s);
        if (!report)
        {
            continue;
        }
        RunPlan plan;
        plan.gpu_hours = i % 3 == 0 ? 45000 : i % 3 == 1 ? 0.1 : 1e9;
        plan.tier = static_cast<CheckpointTier>(i % 3);
        plan.asynchronous = i % 2 == 0;
        plan.elastic = i % 4 == 1;
        plan.spares = i % 5 - 1;
        plan.interval_s = i % 7 == 0 ? 3600 : 0;
        const RunRates r =
            run_rates(s, checkpoint_size(s, report->memory), Seconds(report->step.total()), plan);
        const Goodput g = goodput(r, plan);
        CHECK(sum(g) == 1);
        for (const double share : g.share)
        {
            CHECK(share >= 0);
            CHECK(share <= 1);
        }
        RunRates slower = r;
        slower.recover_s += 600;
        CHECK(goodput(slower, plan).useful() <= g.useful());
    }
}

TEST_CASE("the metrics of the run follow from the scenario alone")
{
    const Scenario s =
        test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"preset": "dgx-h100", "gpus": 256}})");
    const auto report = evaluate(s);
    REQUIRE(report);
    const auto value = [&](const char* name) { return find_metric(name)->value(s, *report); };
    CHECK(value("run.mtbf_s") == Approx(16384 * 54 * 86400.0 / 466 / 256));
    CHECK(value("run.goodput") > 0.9);
    CHECK(value("run.goodput") < 1);
    CHECK(value("run.wall_days") == Approx(value("run.days") / value("run.goodput")));
    CHECK(value("run.failures") == Approx(value("run.wall_days") * 86400 / value("run.mtbf_s")));
    CHECK(value("checkpoint.bytes") == 14 * 70553706496.0);
    CHECK(value("run.interval_s") > value("checkpoint.save_s"));
}

TEST_CASE("published: the largest of n normal draws lies 0.564, 1.539, 2.508 and 3.241 deviations out")
{
    // Tippett 1925; the first is 1 / sqrt(pi).
    CHECK(expected_largest_normal(1) == 0);
    CHECK(expected_largest_normal(2) == Approx(0.56419).epsilon(1e-4));
    CHECK(expected_largest_normal(10) == Approx(1.53875).epsilon(1e-4));
    CHECK(expected_largest_normal(100) == Approx(2.50759).epsilon(1e-4));
    CHECK(expected_largest_normal(1000) == Approx(3.24144).epsilon(1e-4));
}

TEST_CASE("hand-worked: one rank of any number that takes a quarter longer costs a fifth of the throughput")
{
    CHECK(one_slow_loss(0.25) == Approx(0.2));
    CHECK(straggler_loss({1000, 1, 0, 1, 0.25}) == Approx(0.2));
    CHECK(straggler_loss({1000, 1, 0, 7, 0.25}) == Approx(0.2));
    CHECK(straggler_loss({1000, 1, 0, 0, 0.25}) == 0);
    CHECK(straggler_loss({1, 1, 0.1, 0, 0}) == Approx(0).margin(1e-9));
    // 1% of spread over 1,000 ranks: 3.24% longer
    CHECK(expected_step({1000, 2, 0.01, 0, 0}) == Approx(2 * 1.0324144).epsilon(1e-5));
}

TEST_CASE("stragglers: drawn steps have the expected length, and more ranks never make it shorter")
{
    for (const RankTimes times : {RankTimes{256, 1, 0.02, 0, 0.2}, RankTimes{256, 1, 0.02, 4, 0.05},
                                  RankTimes{64, 3, 0.05, 64, 0.3}, RankTimes{2048, 1, 0.01, 1, 0.5}})
    {
        double total = 0;
        constexpr int kSteps = 300;
        for (int step = 0; step < kSteps; ++step)
        {
            const auto drawn = draw_rank_times(times, 9, static_cast<std::uint64_t>(step));
            total += *std::max_element(drawn.begin(), drawn.end());
        }
        CHECK(total / kSteps == Approx(expected_step(times)).epsilon(0.01));
    }
    double before = 0;
    for (std::int64_t n = 1; n <= 1 << 20; n *= 4)
    {
        const double step = expected_step({n, 1, 0.02, 0, 0});
        CHECK(step >= before);
        before = step;
    }
}

TEST_CASE("a histogram has every rank once")
{
    const RankTimes times{500, 1, 0.02, 20, 0.3};
    const auto bins = histogram(draw_rank_times(times, 1, 1), times.slow, 40, 0.9, 1.5);
    CHECK(bins.size() == 40);
    std::int64_t healthy = 0;
    std::int64_t slow = 0;
    for (const Bin& bin : bins)
    {
        healthy += bin.healthy;
        slow += bin.slow;
    }
    CHECK(healthy == 480);
    CHECK(slow == 20);
    // Hand-worked: quarters of 0 to 4, what is outside in the first and the last.
    const auto quarters = histogram({-1, 0.5, 1.5, 4, 9}, 1, 4, 0, 4);
    CHECK(quarters[0].slow == 1);
    CHECK(quarters[0].healthy == 1);
    CHECK(quarters[1].healthy == 1);
    CHECK(quarters[2].healthy == 0);
    CHECK(quarters[3].healthy == 2);
}
