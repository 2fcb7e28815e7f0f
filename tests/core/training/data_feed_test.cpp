// Feeding the GPUs: what a step eats against what loaders supply, one reader batch by batch, the way from a
// crawl to tokens, and near duplicates found by MinHash.
#include "tests/core/random_scenarios.h"
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/scaling/repeats.h"
#include "core/training/data_feed/feed.h"
#include "core/training/data_feed/funnel.h"
#include "core/training/data_feed/simulation.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

// 64 GPUs, TP 8: 8 readers of 2 sequences of 4096 at a time; 128 a step.
Scenario small()
{
    return test::scenario(
        R"({"model": "llama-2-7b", "cluster": {"preset": "dgx-h100", "gpus": 64},
            "parallel": {"tensor": 8, "sequence_parallel": true},
            "training": {"sequence_length": 4096, "micro_batch": 2, "global_batch": 128}})");
}

FeedTimes steady(std::int64_t workers, double work)
{
    FeedTimes t;
    t.workers = workers;
    t.work_s = work;
    t.spread = 0;
    return t;
}

double of_kind(const std::vector<FeedSpan>& spans, FeedWork work)
{
    double sum = 0;
    for (const FeedSpan& span : spans)
    {
        sum += span.work == work ? span.to - span.from : 0;
    }
    return sum;
}

} // namespace

TEST_CASE("hand-worked: a step of 4 s with 128 sequences on 8 replicas eats 4 samples a second each")
{
    const FeedNeed need = feed_need(small(), Seconds(4.0));
    CHECK(need.readers == 8);
    CHECK(need.batch_samples == 2);
    CHECK(need.batches == 8); // 128 / 8 / 2
    CHECK(need.batch_s == Approx(0.5));
    CHECK(need.samples_per_s == Approx(32));
    CHECK(need.reader_samples_per_s() == Approx(4));
    CHECK(need.tokens_per_s == Approx(32 * 4096));
}

TEST_CASE("hand-worked: a batch of two samples of 0.7 s wants three workers at 0.5 s a batch")
{
    FeedPlan plan;
    plan.kind = DataKind::tokens;
    plan.sample_s = 0.7;
    plan.collate_s = 0;
    plan.storage_gb_per_s = 1; // 8 GB/s for the 8 GPUs of a reader
    const BatchCost cost = batch_cost(small(), plan);
    CHECK(cost.bytes == 2 * 4096 * 2); // a vocabulary of 32,000 is two bytes
    CHECK(cost.read_s == Approx(16384 / 8e9));
    CHECK(cost.work_s == Approx(1.4));
    const FeedNeed need = feed_need(small(), Seconds(4.0));
    CHECK(workers_needed(need, cost) == 3); // 1.4 / 0.5 = 2.8
    CHECK(workers_needed(need, cost, 0.25) == 4);
    plan.workers = 2;
    // Two workers bring a batch every 0.7 s: 1 - 0.5 / 0.7.
    CHECK(feed_supply(cost, plan).starved(need) == Approx(1 - 0.5 / 0.7).epsilon(1e-4));
    plan.workers = 3;
    CHECK(feed_supply(cost, plan).starved(need) == 0);
}

TEST_CASE("exactly enough workers are enough, whatever the products round to")
{
    FeedNeed need;
    need.batch_s = 0.1;
    BatchCost cost;
    cost.work_s = 0.7; // 0.7 / 0.1 is a little less than 7, 0.3 / 0.1 a little less than 3
    CHECK(workers_needed(need, cost) == 7);
    cost.work_s = 0.1 + 0.1 + 0.1; // a little more than 0.3
    CHECK(workers_needed(need, cost) == 3);
}

TEST_CASE(
    "hand-worked: a worker three times as slow triples them in order, and costs one and a bit out of it")
{
    FeedNeed need;
    need.batch_s = 0.5;
    BatchCost cost;
    cost.read_s = 0.1;
    cost.work_s = 0.8;
    CHECK(workers_needed(need, cost) == 2);                // 0.9 / 0.5
    CHECK(workers_needed(need, cost, 0, 3) == 5);          // 2.5 / 0.5, at the pace of the slow one
    CHECK(workers_needed(need, cost, 0, 3, false) == 3);   // 1 + 0.9 (2 - 0.4) = 2.44
    CHECK(workers_needed(need, cost, 0.5, 3, false) == 4); // 1 + 0.9 (3 - 0.4) = 3.34
    for (const bool in_order : {true, false})
    {
        FeedPlan plan;
        plan.in_order = in_order;
        plan.workers = *workers_needed(need, cost, 0, 3, in_order);
        CHECK(feed_supply(cost, plan, 3).starved(need) == 0);
        --plan.workers;
        CHECK(feed_supply(cost, plan, 3).starved(need) > 0);
    }
}

TEST_CASE("hand-worked: storage slower than the GPUs cannot be mended by workers")
{
    FeedPlan plan;
    plan.kind = DataKind::tokens;
    plan.storage_gb_per_s = 16384 / 8e9; // one batch a second
    const BatchCost cost = batch_cost(small(), plan);
    CHECK(cost.read_s == Approx(1));
    const FeedNeed need = feed_need(small(), Seconds(4.0));
    CHECK(!workers_needed(need, cost));
    plan.workers = 1000;
    CHECK(feed_supply(cost, plan).starved(need) == Approx(0.5));
}

TEST_CASE("hand-worked: one worker of four that takes three times as long")
{
    BatchCost cost;
    cost.work_s = 1;
    FeedPlan plan;
    plan.workers = 4;
    CHECK(feed_supply(cost, plan, 3).workers == Approx(4.0 / 3)); // in order all wait for it
    plan.in_order = false;
    CHECK(feed_supply(cost, plan, 3).workers == Approx(3 + 1.0 / 3));
}

TEST_CASE("tokens take two bytes below 65,500 rows and four above, as Megatron-LM writes them")
{
    CHECK(token_width(32000) == 2);
    CHECK(token_width(65499) == 2);
    CHECK(token_width(65500) == 4);
    CHECK(token_width(128256) == 4);
    Scenario s = small();
    s.training.tokens = 2e12;
    const DataSet set = data_set(s, Seconds(4.0));
    CHECK(set.bytes == 4e12);
    CHECK(set.read_bytes_per_s == Approx(32 * 4096 * 2));
    CHECK(set.cached == 1); // 8 nodes of 2 TB
    s.training.tokens = 16e12;
    CHECK(data_set(s, Seconds(4.0)).cached == Approx(0.5));
}

TEST_CASE("Llama 3.1 405B read its tokens at some 13 MB/s: 15.6 T in 54 days would be that")
{
    Scenario s = test::scenario(
        R"({"model": "llama-3.1-405b", "cluster": {"preset": "dgx-h100", "gpus": 16384},
            "parallel": {"tensor": 8, "sequence_parallel": true, "pipeline": 16},
            "training": {"sequence_length": 8192, "global_batch": 2048, "tokens": 15.6e12}})");
    const double step = 2048.0 * 8192 / (15.6e12 / (54 * 86400.0));
    CHECK(data_set(s, Seconds(step)).read_bytes_per_s / 1e6 == Approx(13.4).epsilon(0.01));
}

TEST_CASE("hand-worked: two workers of 1 s a batch feed a GPU of 0.5 s after the first second")
{
    FeedTimes t = steady(2, 1);
    t.gpu_s = 0.5;
    t.batches = 4;
    // Both end at 1: taken at 1 and 1.5. The next two end at 2: taken at 2 and 2.5. Never hungry.
    const FeedRun run = simulate_feed(t, 1);
    CHECK(run.filled == Approx(1));
    CHECK(run.starved == Approx(0));
    CHECK(run.length == Approx(3));
}

TEST_CASE("hand-worked: one worker of 1 s a batch leaves a GPU of 0.5 s hungry half the time")
{
    FeedTimes t = steady(1, 1);
    t.gpu_s = 0.5;
    t.batches = 5;
    const FeedRun run = simulate_feed(t, 1);
    CHECK(run.starved == Approx(4 * 0.5));
    CHECK(run.length == Approx(1 + 4 * 1 + 0.5));
    // Start 1, then 4 x (0.5 busy, 0.5 hungry), then 0.5.
    CHECK(run.starved_share() == Approx(2.0 / 4.5));
}

TEST_CASE("without jitter a long run starves as the closed form says, and never less")
{
    FeedTimes t;
    t.spread = 0;
    t.batches = 4096;
    t.gpu_s = 0.3;
    for (const double work : {0.2, 0.6, 0.9, 1.0, 2.0, 7.0})
    {
        for (const std::int64_t workers : {1, 2, 3, 8, 20})
        {
            for (const double read : {0.0, 0.1, 0.5})
            {
                for (const bool in_order : {true, false})
                {
                    for (const double slow : {1.0, 3.0})
                    {
                        t.work_s = work;
                        t.workers = workers;
                        t.read_s = read;
                        t.in_order = in_order;
                        t.slow = slow;
                        BatchCost cost;
                        cost.read_s = read;
                        cost.work_s = work;
                        FeedPlan plan;
                        plan.workers = workers;
                        plan.in_order = in_order;
                        FeedNeed need;
                        need.batch_s = t.gpu_s;
                        const double expected = feed_supply(cost, plan, slow).starved(need);
                        INFO(work << " s, " << workers << " workers, read " << read << ", order " << in_order
                                  << ", slow " << slow);
                        const double starved = simulate_feed(t, 1).starved_share();
                        CHECK(starved > expected - 0.012);
                        // Unlike workers that meet at the storage wait for each other there, too.
                        const bool meet = slow > 1 && read > 0 && !in_order;
                        CHECK((meet || starved < expected + 0.012));
                    }
                }
            }
        }
    }
}

TEST_CASE("spans of a reader fill every lane from start to end, and the times add up")
{
    for (std::uint64_t seed = 0; seed < 40; ++seed)
    {
        FeedTimes t;
        t.workers = 1 + static_cast<std::int64_t>(seed % 7);
        t.prefetch = 1 + static_cast<std::int64_t>(seed % 3);
        t.in_order = seed % 2 == 0;
        t.spread = 0.3;
        t.read_s = 0.1;
        t.work_s = 2.5;
        t.spike_s = seed % 4 == 0 ? 6 : 0;
        t.refill_s = seed % 5 == 0 ? 4 : 0;
        const FeedRun run = simulate_feed(t, seed);
        INFO("seed " << seed);
        for (const auto& lane : run.workers)
        {
            double at = 0;
            for (const FeedSpan& span : lane)
            {
                CHECK(span.from == Approx(at));
                CHECK(span.to > span.from);
                at = span.to;
            }
            CHECK(at == Approx(run.length));
        }
        CHECK(of_kind(run.gpu, FeedWork::starve) == Approx(run.starved + run.filled));
        CHECK(of_kind(run.gpu, FeedWork::compute) == Approx(64 * t.gpu_s));
        CHECK(run.length == Approx(run.starved + run.filled + 64 * t.gpu_s));
        const std::int64_t room = t.workers * t.prefetch;
        for (const QueuePoint& point : run.queue)
        {
            CHECK((point.usable >= 0 && point.usable <= point.ready && point.ready <= room));
        }
    }
}

TEST_CASE("every batch is computed once, in order where that is asked for")
{
    FeedTimes t;
    t.spread = 0.5;
    for (const bool in_order : {true, false})
    {
        t.in_order = in_order;
        const FeedRun run = simulate_feed(t, 3);
        std::set<std::int64_t> seen;
        std::int64_t next = 0;
        for (const FeedSpan& span : run.gpu)
        {
            if (span.work == FeedWork::compute)
            {
                CHECK((!in_order || span.batch == next));
                ++next;
                seen.insert(span.batch);
            }
        }
        CHECK(seen.size() == 64);
    }
}

TEST_CASE("the same seed draws the same run, another another")
{
    FeedTimes t;
    CHECK(simulate_feed(t, 5).length == simulate_feed(t, 5).length);
    CHECK(simulate_feed(t, 5).length != simulate_feed(t, 6).length);
}

TEST_CASE("a deeper queue hides hangs, but never a shortage of the mean")
{
    FeedTimes t = steady(4, 2);
    t.batches = 512;
    t.spike_s = 4;
    t.prefetch = 1;
    const double shallow = simulate_feed(t, 1).starved_share();
    t.prefetch = 8;
    const double deep = simulate_feed(t, 1).starved_share();
    CHECK(shallow > 0.02);
    CHECK(deep < shallow / 3);
    FeedTimes poor = steady(2, 4);
    poor.batches = 2048;
    poor.prefetch = 1;
    const double before = simulate_feed(poor, 1).starved_share();
    poor.prefetch = 16;
    CHECK(simulate_feed(poor, 1).starved_share() == Approx(before).margin(0.01));
    CHECK(before == Approx(0.5).margin(0.01));
}

TEST_CASE("any numbers give a run that ends, without a number that is none")
{
    const double nan = std::nan("");
    for (const double odd : {nan, -1.0, 0.0, 1e300, HUGE_VAL})
    {
        const FeedRun run = simulate_feed({-3, 1000000, 99999, false, odd, odd, odd, odd, odd, odd, odd}, 1);
        CHECK(std::isfinite(run.length));
        CHECK(run.gpu.size() >= 4096);
        CHECK((run.starved_share() >= 0 && run.starved_share() <= 1));
    }
}

TEST_CASE("RefinedWeb, DCLM and FineWeb leave what they published")
{
    const FunnelRecipe& refined = *find_recipe("refinedweb");
    const auto kept = kept_by_stage(refined);
    // Figure 2 also prints what each stage removes of its own input; the last pair of it does not multiply.
    const std::vector<double> removed{0.0224, 0.0149, 0.5066, 0.2428, 0.1619, 0.2259, 0.3788};
    for (std::size_t i = 0; i < removed.size(); ++i)
    {
        INFO(refined.stages[i].name);
        CHECK(1 - kept[i] == Approx(removed[i]).margin(0.0003));
    }
    CHECK(refined.left() == 0.1167);
    const FunnelRecipe& dclm = *find_recipe("dclm");
    double left = 1;
    const std::vector<double> percent{0.8, 50.8, 9.0, 7.9, 9.6, 2.0, 6.2, 12.3};
    for (std::size_t i = 0; i < percent.size(); ++i)
    {
        left -= percent[i] / 100;
        CHECK(dclm.stages[i].left == Approx(left));
    }
    CHECK(dclm.tokens / dclm.input_tokens == Approx(0.0158).margin(0.0001));
    const FunnelRecipe& fine = *find_recipe("fineweb");
    CHECK(fine.input_tokens * fine.stages[0].left == Approx(20e12));
    CHECK(fine.input_tokens * fine.left() == Approx(fine.tokens));
    const FunnelRecipe& edu = *find_recipe("fineweb-edu");
    CHECK(edu.input_tokens * edu.left() == Approx(1.3e12));
    CHECK(find_recipe("the pile") == nullptr);
}

TEST_CASE("every recipe only ever removes, and has its source")
{
    for (const FunnelRecipe& recipe : funnel_recipes())
    {
        INFO(recipe.name);
        double before = 1;
        for (const FunnelStage& stage : recipe.stages)
        {
            CHECK((stage.left > 0 && stage.left < before));
            before = stage.left;
        }
        CHECK(recipe.source.find("arXiv") != std::string_view::npos);
        const Funnel funnel = run_funnel(recipe, {}, recipe.tokens);
        CHECK(funnel.left.back() == Approx(recipe.left()));
        CHECK(funnel.passes == Approx(1));
        CHECK(funnel.worth == Approx(recipe.tokens));
    }
}

TEST_CASE("hand-worked: half the classifier's share is half the tokens and twice the passes")
{
    const FunnelRecipe& dclm = *find_recipe("dclm");
    auto kept = kept_by_stage(dclm);
    kept.back() /= 2;
    const Funnel funnel = run_funnel(dclm, kept, 15.2e12);
    CHECK(funnel.tokens == Approx(1.9e12));
    CHECK(funnel.passes == Approx(8));
    CHECK(funnel.worth == effective_tokens(funnel.tokens, 15.2e12));
    CHECK(funnel.worth < 15.2e12);
    kept.back() = 0;
    CHECK(run_funnel(dclm, kept, 1e12).passes == 0);
}

TEST_CASE("FineWeb's 14 bands of 8 find pairs of 70, 75, 80 and 85% as published")
{
    // Penedo et al. 2024, FineWeb's blog post: 56%, 77%, 92% and 98.8%.
    CHECK(duplicate_found(0.70, 8, 14) == Approx(0.56).margin(0.005));
    CHECK(duplicate_found(0.75, 8, 14) == Approx(0.77).margin(0.005));
    CHECK(duplicate_found(0.80, 8, 14) == Approx(0.92).margin(0.005));
    CHECK(duplicate_found(0.85, 8, 14) == Approx(0.988).margin(0.0005));
}

TEST_CASE("hand-worked: 20 bands of 5 have their threshold at 0.55, as in Mining of Massive Datasets")
{
    CHECK(duplicate_threshold(5, 20) == Approx(0.549).margin(0.001));
    // 1 - (1 - 0.8^5)^20, section 3.4.2: 0.9996.
    CHECK(duplicate_found(0.8, 5, 20) == Approx(0.9996).margin(0.00005));
    CHECK(duplicate_found(0.2, 5, 20) == Approx(0.006).margin(0.0005));
}

TEST_CASE("the chance of being found grows with similarity and bands, falls with rows, and turns round")
{
    for (double s = 0.05; s < 1; s += 0.05)
    {
        CHECK(duplicate_found(s, 8, 14) < duplicate_found(s + 0.02, 8, 14));
        CHECK(duplicate_found(s, 8, 14) < duplicate_found(s, 8, 15));
        CHECK(duplicate_found(s, 8, 14) > duplicate_found(s, 9, 14));
    }
    CHECK(duplicate_found(0, 8, 14) == 0);
    CHECK(duplicate_found(1, 8, 14) == 1);
    CHECK(bands_for(0.75, duplicate_found(0.75, 8, 14), 8) == Approx(14));
    CHECK(rows_for(0.75, duplicate_found(0.75, 8, 14), 14) == Approx(8));
}

TEST_CASE("metrics of feeding are finite and agree with each other for any scenario")
{
    test::ScenarioSource source(39);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        const auto report = evaluate(s);
        if (!report)
        {
            continue;
        }
        const auto value = [&](const char* name) { return find_metric(name)->value(s, *report); };
        for (const char* name : {"data.samples_per_s", "data.reader_samples_per_s", "data.read_bytes_per_s",
                                 "data.set_bytes", "data.text_workers", "data.picture_workers"})
        {
            INFO(name);
            CHECK((std::isfinite(value(name)) && value(name) > 0));
        }
        CHECK(value("data.read_bytes_per_s") ==
              Approx(value("step.tokens_per_s") * value("data.token_bytes")));
        CHECK(value("data.set_bytes") == Approx(s.training.tokens * value("data.token_bytes")));
        CHECK(value("data.text_workers") <= value("data.picture_workers"));
        CHECK(value("data.worth") <= s.training.tokens * (1 + 1e-9));
    }
}
