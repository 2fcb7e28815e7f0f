// The desk of the ranks: starts, wishes, mishaps; and that looking never waits.
#include "tests/app/team_room.h"
#include "tests/threads.h"

#include "ui/shell/frame/team_action.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>

using namespace ringside;
using namespace ringside::test;

namespace
{

const TeamSnapshot& run(const TeamDesk& desk)
{
    REQUIRE(desk.frame().snapshot);
    return *desk.frame().snapshot;
}

TeamWish with_strategy(const TeamDesk& desk, std::size_t strategy, std::int64_t ranks)
{
    TeamWish wish = desk.frame().wish;
    wish.strategy = strategy;
    wish.ranks = ranks;
    return wish;
}

TeamDesk::Setup recorded_setup()
{
    TeamDesk::Setup setup;
    setup.recordings = std::filesystem::path(RINGSIDE_SOURCE_ASSETS) / "recordings";
    return setup;
}

} // namespace

TEST_CASE("the desk of the ranks predicts before the start, then makes one step and pauses")
{
    TeamDesk desk(team_setup_for_tests());
    CHECK_FALSE(desk.frame().started());
    REQUIRE(desk.frame().predicted.traffic.size() == 4);
    CHECK(desk.frame().predicted.traffic[0].front().axis == "data");
    CHECK(desk.apply(TeamCommand::step) == "");
    REQUIRE(desk.wait(kTeamPatience));
    CHECK(run(desk).step == 1);
    CHECK(run(desk).state == TeamState::paused);
    CHECK_FALSE(desk.busy());
    desk.apply(TeamCommand::clear);
    CHECK_FALSE(desk.frame().started());
}

TEST_CASE("a strategy that is chosen while the team rests makes a step, so that its bytes are seen")
{
    TeamDesk desk(team_setup_for_tests());
    REQUIRE(desk.run_to(2, kTeamPatience));
    CHECK(desk.apply(WishTeam{with_strategy(desk, 2, 4)}) == "");
    REQUIRE(desk.wait(kTeamPatience));
    CHECK(run(desk).step == 3);
    CHECK(strategy_name(run(desk).config) == "dp4-zero2");
    CHECK(desk.frame().predicted.of == run(desk).config);
}

TEST_CASE("ranks that do not divide the model move on to the next that do, and it is said")
{
    TeamDesk desk(team_setup_for_tests());
    const std::string notice = desk.apply(WishTeam{with_strategy(desk, 4, 3)});
    CHECK(notice.find("2 ranks, since 3 do not divide") == 0);
    CHECK(desk.frame().wish.ranks == 2);
    CHECK(desk.apply(WishTeam{with_strategy(desk, 8, 99)}) == "");
    CHECK(desk.frame().wish.ranks == 8);
}

TEST_CASE("a mishap stops the team with a diagnosis, and the desk goes on without the rank or with all")
{
    TeamDesk desk(team_setup_for_tests());
    REQUIRE(desk.run_to(5, kTeamPatience));
    CHECK(desk.apply(GoWrong{{Mishap::dead, 3, 0}}) == "");
    REQUIRE(desk.wait(kTeamPatience));
    CHECK(run(desk).state == TeamState::broken);
    CHECK(run(desk).message.find("rank 3") != std::string::npos);
    REQUIRE(desk.frame().can_go_without);
    CHECK_FALSE(desk.apply(GoWrong{{Mishap::slow, 0, 0}}).empty()); // it is broken already
    desk.apply(TeamCommand::without);
    CHECK(desk.frame().wish.ranks == 3);
    REQUIRE(desk.run_to(6, kTeamPatience));
    CHECK(run(desk).config.ranks == 3);
    desk.apply(GoWrong{{Mishap::left_out, 0, 0}});
    REQUIRE(desk.wait(kTeamPatience));
    REQUIRE(run(desk).state == TeamState::broken);
    REQUIRE(desk.run_to(8, kTeamPatience));
    CHECK(run(desk).step == 8);
    CHECK(run(desk).config.ranks == 3);
}

TEST_CASE("a model that cannot be trained is said in words, and nothing starts")
{
    TeamDesk::Setup setup = team_setup_for_tests();
    setup.trainer.model.heads = 0;
    TeamDesk desk(std::move(setup));
    CHECK_FALSE(desk.frame().fault.empty());
    CHECK(desk.apply(TeamCommand::run).find("Not started") == 0);
    CHECK_FALSE(desk.frame().started());
    CHECK(desk.apply(TeamCommand::without) != "");
}

TEST_CASE("teams that are started and dropped leave no thread behind, and looking never waits")
{
    const std::size_t before = test::threads_of_this_process();
    for (int i = 0; i < 20; ++i)
    {
        TeamDesk desk(team_setup_for_tests());
        desk.apply(TeamCommand::run);
        for (int k = 0; k < 10; ++k)
        {
            desk.tick();
            REQUIRE(desk.frame().is(TeamState::running));
        }
        if (i % 3 == 0)
        {
            desk.apply(GoWrong{{Mishap::dead, 1, 0}});
        }
    }
    CHECK(test::threads_are_back_to(before));
}

TEST_CASE("a comparison trains with one compressor after the other, and keeps a curve of each")
{
    TeamDesk desk(team_setup_for_tests());
    CHECK(desk.apply(TeamCommand::compare) == "");
    CHECK(desk.frame().comparing);
    CHECK(desk.frame().to_compare == compared_compressions().size() - 1);
    REQUIRE(desk.wait(kTeamPatience));
    CHECK_FALSE(desk.frame().comparing);
    CHECK_FALSE(desk.busy());
    REQUIRE(desk.frame().earlier.size() == compared_compressions().size() - 1);
    CHECK(desk.frame().earlier[0].name == "dp4");
    CHECK(desk.frame().earlier[2].name == "dp4, Top-k, 1%");
    CHECK(strategy_name(run(desk).config) == "dp4, PowerSGD, rank 2");
    for (const TeamCurve& curve : desk.frame().earlier)
    {
        INFO(curve.name);
        REQUIRE(curve.losses.size() == 4);
        CHECK(curve.losses[0] == desk.frame().earlier[0].losses[0]); // the same start
        CHECK(curve.sent_until.back() == 4 * curve.sent_in_step);
        CHECK(curve.dense == desk.frame().earlier[0].sent_in_step);
    }
    CHECK(desk.frame().earlier[2].sent_in_step < desk.frame().earlier[0].sent_in_step / 10);
}

TEST_CASE("a comparison is ended by itself, another wish or the clearing of the run")
{
    TeamDesk desk(team_setup_for_tests());
    desk.apply(TeamCommand::compare);
    CHECK(desk.apply(TeamCommand::compare) == "The comparison ends here");
    CHECK_FALSE(desk.frame().comparing);
    REQUIRE(desk.wait(kTeamPatience));
    desk.apply(TeamCommand::compare);
    desk.apply(WishTeam{with_strategy(desk, 1, 4)});
    CHECK_FALSE(desk.frame().comparing);
    while (run(desk).step < 8) // beyond the four steps of a comparison
    {
        desk.wait(0.01);
    }
    desk.apply(TeamCommand::pause);
    REQUIRE(desk.wait(kTeamPatience));
    desk.apply(TeamCommand::compare); // ZeRO-1 sends no whole gradients: data parallel it is
    CHECK(desk.frame().comparing);
    CHECK(desk.frame().wish.strategy == 0);
    desk.apply(TeamCommand::clear);
    CHECK_FALSE(desk.frame().comparing);
    CHECK_FALSE(desk.busy());
}

TEST_CASE("a run that is cleared stays as a curve to compare with")
{
    TeamDesk desk(team_setup_for_tests());
    REQUIRE(desk.run_to(3, kTeamPatience));
    desk.apply(TeamCommand::clear);
    REQUIRE(desk.frame().earlier.size() == 1);
    CHECK(desk.frame().earlier[0].losses.size() == 3);
    REQUIRE(desk.run_to(2, kTeamPatience));
    desk.apply(TeamCommand::clear); // of the same kind: it takes the place of the other
    REQUIRE(desk.frame().earlier.size() == 1);
    CHECK(desk.frame().earlier[0].losses.size() == 2);
}

TEST_CASE("another optimizer starts anew, and what was trained before stays as a curve")
{
    TeamDesk desk(team_setup_for_tests());
    REQUIRE(desk.run_to(3, kTeamPatience));
    TeamWish wish = desk.frame().wish;
    wish.plain_sgd = true;
    CHECK(desk.apply(WishTeam{wish}) == "");
    REQUIRE(desk.wait(kTeamPatience));
    CHECK(run(desk).step == 1);
    CHECK(run_name(run(desk).config) == "dp4, SGD");
    REQUIRE(desk.frame().earlier.size() == 1);
    CHECK(desk.frame().earlier[0].name == "dp4");
    CHECK(desk.frame().earlier[0].losses.size() == 3);
    desk.apply(WishTeam{with_strategy(desk, 4, 4)}); // the same weights, cut otherwise
    REQUIRE(desk.wait(kTeamPatience));
    desk.apply(TeamCommand::clear);
    REQUIRE(desk.frame().earlier.size() == 2);
    CHECK(desk.frame().earlier[1].name == "tp4, SGD, changed on the way");
}

TEST_CASE("without threads a recording of each strategy plays, whose bytes are the predicted ones")
{
    for (std::size_t strategy = 0; strategy < team_strategies().size(); ++strategy)
    {
        INFO(team_strategies()[strategy].id);
        TeamDesk desk(recorded_setup());
        desk.apply(WishTeam{with_strategy(desk, strategy, desk.frame().wish.ranks)});
        REQUIRE(desk.apply(TeamCommand::step) == "");
        const TeamSnapshot& snapshot = run(desk);
        CHECK(snapshot.state == TeamState::paused);
        CHECK(snapshot.losses.back() < snapshot.losses.front());
        REQUIRE(snapshot.trace);
        const TeamPrediction& predicted = desk.frame().predicted;
        REQUIRE(predicted.traffic.size() == snapshot.trace->ranks.size());
        CHECK(desk.frame().wish.ranks == snapshot.config.ranks);
        for (std::size_t rank = 0; rank < predicted.traffic.size(); ++rank)
        {
            const auto measured = static_cast<double>(all_sent(snapshot.trace->ranks[rank]));
            RankTrace of_rank;
            of_rank.sent = predicted.traffic[rank];
            CHECK(static_cast<double>(all_sent(of_rank)) == Catch::Approx(measured).epsilon(0.01));
        }
    }
}

TEST_CASE("a recording goes on step by step and begins again, and what it has not is said")
{
    TeamDesk desk(recorded_setup());
    CHECK(desk.frame().recorded);
    REQUIRE(desk.apply(TeamCommand::step) == "");
    const std::int64_t first = run(desk).step;
    desk.apply(TeamCommand::step);
    CHECK(run(desk).step == first + 1);
    for (int i = 0; i < 50 && run(desk).step != first; ++i)
    {
        desk.apply(TeamCommand::step);
    }
    CHECK(run(desk).step == first);
    TeamWish wish = desk.frame().wish;
    wish.steps_per_second = 0;
    CHECK(desk.apply(WishTeam{wish}) == "");
    desk.apply(TeamCommand::run);
    CHECK(desk.busy());
    CHECK(desk.frame().is(TeamState::running));
    desk.apply(TeamCommand::pause);
    CHECK_FALSE(desk.busy());
    ++wish.ranks;
    CHECK(desk.apply(WishTeam{wish}).find("desktop program") != std::string::npos);
    CHECK(desk.apply(GoWrong{{Mishap::dead, 0, 0}}).find("desktop program") != std::string::npos);
    CHECK(desk.apply(TeamCommand::compare).find("desktop program") != std::string::npos);
    CHECK(desk.frame().wish.ranks == run(desk).config.ranks);
    desk.apply(TeamCommand::clear);
    CHECK_FALSE(desk.frame().started());
}

TEST_CASE("a recording that is not there is a fault in words")
{
    TeamDesk::Setup setup = recorded_setup();
    setup.recordings /= "none";
    TeamDesk desk(std::move(setup));
    CHECK(desk.apply(TeamCommand::run).find("Not started") == 0);
    CHECK_FALSE(desk.frame().started());
    CHECK_FALSE(desk.busy());
}
