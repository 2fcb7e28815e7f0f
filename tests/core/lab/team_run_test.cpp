// A team on a thread of its own: strategies for the same weights, faults and what comes after them; and that
// what each strategy sends is what was predicted, to the byte.
#include "core/lab/ranks/team_run.h"
#include "core/lab/team/team_request.h"
#include "core/lab/team/team_traffic.h"
#include "core/lab/trainer/checkpoint.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <thread>

using namespace ringside;
using namespace ringside::parallel;

namespace
{

constexpr double kPatience = 60; // [s]

// Small, so that a step takes milliseconds.
TrainerConfig small()
{
    TrainerConfig c = team_trainer_config();
    c.model.hidden = 32;
    c.model.head_dim = 4;
    c.model.ffn = 64;
    c.training.sequence_length = 16;
    return c;
}

TeamConfig team(std::string_view strategy, std::int64_t ranks)
{
    TeamRequest request;
    const auto all = team_strategies();
    const auto found = std::ranges::find(all, strategy, &TeamStrategy::id);
    REQUIRE(found != all.end());
    request.strategy = static_cast<std::size_t>(found - all.begin());
    request.ranks = ranks;
    const auto config = config_of(small(), request);
    REQUIRE(config);
    return *config;
}

TeamRunSettings until(std::int64_t step)
{
    TeamRunSettings s;
    s.last_step = step;
    s.patience = 3;
    return s;
}

TeamSnapshot settled(const TeamRun& run)
{
    REQUIRE(run.wait_until_idle(kPatience));
    return *run.snapshot();
}

std::size_t threads_of_this_process()
{
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

} // namespace

TEST_CASE("a run of a team makes its steps, publishes the last one and adds up what was sent")
{
    TeamRun run(team("ddp", 2), until(3));
    const TeamSnapshot s = settled(run);
    CHECK(s.state == TeamState::paused);
    CHECK(s.step == 3);
    CHECK(s.losses.size() == 3);
    REQUIRE(s.trace);
    CHECK(s.trace->step == 3);
    REQUIRE(s.sent.size() == 2);
    const auto bytes = [](const std::vector<RankTrace::Sent>& all)
    { return std::ranges::find(all, "data", &RankTrace::Sent::axis)->bytes; };
    CHECK(bytes(s.sent[0]) == 3 * bytes(s.trace->ranks[0].sent));
    run.step_once();
    CHECK(settled(run).step == 4);
}

TEST_CASE("another strategy goes on from the same weights, so the losses are those of one strategy")
{
    TeamRun one(team("ddp", 4), until(6));
    const auto straight = settled(one).losses;
    TeamRun run(team("ddp", 4), until(2));
    settled(run);
    run.change(team("zero3", 4));
    run.change(until(4));
    run.resume();
    const TeamSnapshot middle = settled(run);
    CHECK(strategy_name(middle.config) == "dp4-zero3");
    run.change(team("dp-tp-pp", 8));
    run.change(until(6));
    run.resume();
    const TeamSnapshot s = settled(run);
    REQUIRE(s.losses.size() == straight.size());
    for (std::size_t i = 0; i < straight.size(); ++i)
    {
        INFO(i);
        CHECK(s.losses[i] == Catch::Approx(straight[i]).epsilon(1e-4));
    }
    REQUIRE(s.marks.size() == 3);
    CHECK(s.marks[1] == TeamMark{2, "dp4-zero3", false});
    CHECK(s.marks[2] == TeamMark{4, "dp2-tp2-pp2", false});
}

TEST_CASE("every strategy sends what was predicted of each rank, to the byte")
{
    for (const TeamStrategy& strategy : team_strategies())
    {
        for (const std::int64_t ranks : {4, 8})
        {
            const TeamConfig config = team(strategy.id, ranks);
            TeamRun run(config, until(1));
            const TeamSnapshot s = settled(run);
            INFO(strategy.id << " on " << ranks << ": " << s.message);
            REQUIRE(s.trace);
            for (const RankTrace& rank : s.trace->ranks)
            {
                std::vector<RankTrace::Sent> sent = rank.sent;
                std::erase_if(sent, [](const RankTrace::Sent& a) { return a.axis == "control"; });
                auto predicted = predicted_traffic(s.config, rank.place);
                const auto axis = [](const RankTrace::Sent& a) { return a.axis; };
                std::ranges::sort(sent, {}, axis);
                std::ranges::sort(predicted, {}, axis);
                REQUIRE(predicted.size() == sent.size());
                for (std::size_t i = 0; i < sent.size(); ++i)
                {
                    INFO(sent[i].axis << " at stage " << rank.place.pipeline);
                    CHECK(predicted[i].axis == sent[i].axis);
                    CHECK(predicted[i].bytes == sent[i].bytes);
                }
            }
        }
    }
}

TEST_CASE("a dead rank breaks the team with a diagnosis, and it goes on from the state that was kept")
{
    TeamRunSettings settings = until(7);
    TeamRun run(team("ddp", 4), settings);
    const auto before = settled(run).losses;
    run.plan({RankFault::dead, 2, 0});
    run.step_once();
    const TeamSnapshot broken = settled(run);
    CHECK(broken.state == TeamState::broken);
    CHECK(broken.message.find("rank 2") != std::string::npos);
    CHECK(broken.kept == 5);
    CHECK(broken.marks.back() == TeamMark{7, "dead rank 2", true});
    run.change(until(8));
    run.resume();
    const TeamSnapshot s = settled(run);
    CHECK(s.state == TeamState::paused);
    CHECK(s.message.empty());
    REQUIRE(s.losses.size() == 8);
    CHECK(std::equal(before.begin(), before.end(), s.losses.begin()));
}

TEST_CASE("a data-parallel team goes on without the rank that is missing, and shares the batch out anew")
{
    TeamRun run(team("zero1", 4), until(5));
    settled(run);
    run.plan({RankFault::left_out, 1, 0});
    run.step_once();
    REQUIRE(settled(run).state == TeamState::broken);
    run.change(until(7));
    run.go_on_without();
    const TeamSnapshot s = settled(run);
    CHECK(s.step == 7);
    CHECK(s.config.ranks == 3);
    CHECK(s.trace->ranks.size() == 3);
    CHECK(s.config.trainer.accumulation() == 9); // eight do not divide by three
    CHECK(s.losses.back() < s.losses.front());
}

TEST_CASE("no rank can be spared where the others have not what it had")
{
    TeamRun run(team("pp", 4), until(2));
    settled(run);
    run.plan({RankFault::dead, 0, 0});
    run.step_once();
    REQUIRE(settled(run).state == TeamState::broken);
    run.go_on_without();
    const TeamSnapshot s = settled(run);
    CHECK(s.state == TeamState::broken);
    CHECK(s.message.find("no other rank has what the missing one had") != std::string::npos);
}

TEST_CASE("a NaN is marked and changes no weight; the next step is finite again")
{
    TeamRun run(team("ddp", 2), until(2));
    settled(run);
    run.plan({RankFault::not_a_number, 1, 0});
    run.step_once();
    const TeamSnapshot nan = settled(run);
    CHECK(nan.state == TeamState::paused);
    REQUIRE(nan.trace);
    CHECK(nan.trace->skipped);
    CHECK(nan.happened.kind == RankFault::not_a_number);
    run.step_once();
    const TeamSnapshot next = settled(run);
    CHECK_FALSE(next.trace->skipped);
    CHECK(std::isfinite(next.trace->gradient_norm));
}

TEST_CASE("what cannot be trained is refused in words, and the team goes on as it was")
{
    TeamRun run(team("ddp", 2), until(1));
    settled(run);
    TeamConfig odd = team("ddp", 2);
    odd.parallel.tensor = 3;
    odd.ranks = 3;
    run.change(odd);
    run.step_once();
    const TeamSnapshot s = settled(run);
    CHECK(s.step == 2);
    CHECK(s.config.ranks == 2);

    TeamRun never(odd, until(1));
    const TeamSnapshot failed = settled(never);
    CHECK(failed.state == TeamState::failed);
    CHECK(failed.message.find("parallel.tensor") != std::string::npos);
    never.step_once();
    CHECK(settled(never).state == TeamState::failed);
}

TEST_CASE("runs of teams end in the middle of steps and faults, and leave no thread behind")
{
    const std::size_t before = threads_of_this_process();
    for (int i = 0; i < 40; ++i)
    {
        TeamRun run(team(i % 2 == 0 ? "zero2" : "pp", 4));
        if (i % 4 == 0)
        {
            run.plan({RankFault::left_out, 1, 0});
        }
        if (i % 5 == 0)
        {
            run.change(team("tp", 2));
        }
    }
    CHECK(threads_of_this_process() == before);
}

TEST_CASE("a request grows its batch to what the strategy can share out, and says what would work")
{
    TeamRequest request;
    request.strategy = 6; // a pipeline
    request.ranks = 4;
    request.micro_batches = 2;
    const auto pipeline = config_of(small(), request);
    REQUIRE(pipeline);
    CHECK(prepared(*pipeline));
    request.strategy = 8;
    request.ranks = 6;
    const auto product = config_of(small(), request);
    REQUIRE_FALSE(product);
    CHECK(product.issues().front().hint == "use 4 or 8");
    const auto spared = without_one(team("ddp", 4));
    REQUIRE(spared);
    CHECK(spared->ranks == 3);
    CHECK_FALSE(without_one(team("tp", 2)));
    CHECK_FALSE(without_one(team("ddp", 1)));
}

TEST_CASE("a synchronous save makes training wait for the storage, an asynchronous one for the copy")
{
    // About 100 kB of state; at 1 MB/s a write takes a tenth of a second.
    TeamRunSettings settings = until(4);
    settings.saving = {SaveMode::synchronous, 2, 1e6};
    std::mutex mutex;
    std::vector<std::string> written;
    settings.write = [&](const std::string& text)
    {
        const std::scoped_lock lock(mutex);
        written.push_back(text);
        return Issues{};
    };
    TeamRun run(team("ddp", 2), settings);
    TeamSnapshot s = settled(run);
    REQUIRE(s.saves.size() == 2);
    const double write = static_cast<double>(s.saves[0].bytes) / 1e6;
    CHECK(s.saves[0].step == 2);
    CHECK(s.saves[1].step == 4);
    CHECK(s.saves[0].bytes == static_cast<std::int64_t>(written[0].size()));
    CHECK(s.saves[0].written_s >= write);
    CHECK(s.saves[0].stalled_s >= write);
    CHECK(predicted_stall(settings.saving, s.saves[0].bytes, 0.001) == Catch::Approx(write));
    REQUIRE(s.pace.size() == 4);
    CHECK(s.pace[0].stalled_s == 0);
    CHECK(s.pace[1].stalled_s == s.saves[0].stalled_s);
    // What was written is the state of that step: it goes on to the same weights.
    const auto read = trainer::checkpoint_from_text(written[0]);
    REQUIRE(static_cast<bool>(read));
    CHECK(read->state.step == 2);

    settings.saving = {SaveMode::asynchronous, 6, 1e6};
    settings.last_step = 6;
    run.change(settings);
    run.resume();
    s = settled(run);
    REQUIRE(s.saves.size() == 3);
    CHECK(s.saves[2].mode == SaveMode::asynchronous);
    CHECK(s.saves[2].written_s >= write);
    CHECK(s.saves[2].stalled_s < s.saves[2].written_s);
}

TEST_CASE("what a save makes a training wait, worked by hand")
{
    SavePlan plan{SaveMode::synchronous, 10, 20e6};
    CHECK(predicted_stall(plan, 40'000'000, 0.1) == 2.0);
    plan.mode = SaveMode::asynchronous;
    CHECK(predicted_stall(plan, 40'000'000, 0.1) == 1.0); // ten steps cover one second of two
    CHECK(predicted_stall(plan, 40'000'000, 0.2) == 0.0);
    plan.mode = SaveMode::none;
    CHECK(predicted_stall(plan, 40'000'000, 0.1) == 0.0);
}

TEST_CASE("a save that fails is said, and training goes on")
{
    TeamRunSettings settings = until(3);
    settings.saving = {SaveMode::asynchronous, 1, 1e9};
    settings.write = [](const std::string&) { return Issues{{"disk", "is full", "make room"}}; };
    TeamRun run(team("ddp", 2), settings);
    const TeamSnapshot s = settled(run);
    CHECK(s.step == 3);
    REQUIRE(s.saves.size() == 3);
    CHECK(s.saves[0].fault.find("is full") != std::string::npos);
}

TEST_CASE("a run that waits for a slow storage is ended at once")
{
    TeamRunSettings settings = until(0);
    settings.saving = {SaveMode::synchronous, 1, 1};
    settings.write = [](const std::string&) { return Issues{}; };
    const auto begin = std::chrono::steady_clock::now();
    {
        TeamRun run(team("ddp", 2), settings);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("a run that starts anew forgets the pace and the saves of later steps")
{
    TeamRun run(team("ddp", 2), until(6));
    CHECK(settled(run).pace.size() == 6);
    TeamConfig other = team("ddp", 2);
    other.trainer.recipe.learning_rate = 0.1;
    other.trainer.training.optimizer = Optimizer::sgd_momentum;
    run.change(other);
    const TeamSnapshot s = settled(run);
    CHECK(s.step == 0);
    CHECK(s.pace.empty());
}
