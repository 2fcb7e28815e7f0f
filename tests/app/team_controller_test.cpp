// The controller of the ranks: starts, requests, faults; and that looking never waits.
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

const TeamSnapshot& run(const TeamController& controller)
{
    REQUIRE(controller.frame().snapshot);
    return *controller.frame().snapshot;
}

TeamRequest with_strategy(const TeamController& controller, std::size_t strategy, std::int64_t ranks)
{
    TeamRequest request = controller.frame().request;
    request.strategy = strategy;
    request.ranks = ranks;
    return request;
}

TeamController::Setup recorded_setup()
{
    TeamController::Setup setup;
    setup.recordings = std::filesystem::path(RINGSIDE_SOURCE_ASSETS) / "recordings";
    return setup;
}

} // namespace

TEST_CASE("the controller of the ranks predicts before the start, then makes one step and pauses")
{
    TeamController controller(team_setup_for_tests());
    CHECK_FALSE(controller.frame().started());
    REQUIRE(controller.frame().predicted.traffic.size() == 4);
    CHECK(controller.frame().predicted.traffic[0].front().axis == "data");
    CHECK(controller.apply(TeamCommand::step) == "");
    REQUIRE(controller.wait(kTeamPatience));
    CHECK(run(controller).step == 1);
    CHECK(run(controller).state == TeamState::paused);
    CHECK_FALSE(controller.busy());
    controller.apply(TeamCommand::clear);
    CHECK_FALSE(controller.frame().started());
}

TEST_CASE("a strategy that is chosen while the team rests makes a step, so that its bytes are seen")
{
    TeamController controller(team_setup_for_tests());
    REQUIRE(controller.run_to(2, kTeamPatience));
    CHECK(controller.apply(RequestTeam{with_strategy(controller, 2, 4)}) == "");
    REQUIRE(controller.wait(kTeamPatience));
    CHECK(run(controller).step == 3);
    CHECK(strategy_name(run(controller).config) == "dp4-zero2");
    CHECK(controller.frame().predicted.of == run(controller).config);
}

TEST_CASE("ranks that do not divide the model move on to the next that do, and it is said")
{
    TeamController controller(team_setup_for_tests());
    const std::string notice = controller.apply(RequestTeam{with_strategy(controller, 4, 3)}).text;
    CHECK(notice.find("2 ranks, since 3 do not divide") == 0);
    CHECK(controller.frame().request.ranks == 2);
    CHECK(controller.apply(RequestTeam{with_strategy(controller, 8, 99)}) == "");
    CHECK(controller.frame().request.ranks == 8);
}

TEST_CASE("a fault stops the team with a diagnosis, and the controller goes on without the rank or with all")
{
    TeamController controller(team_setup_for_tests());
    REQUIRE(controller.run_to(5, kTeamPatience));
    CHECK(controller.apply(GoWrong{{RankFault::dead, 3, 0}}) == "");
    REQUIRE(controller.wait(kTeamPatience));
    CHECK(run(controller).state == TeamState::broken);
    CHECK(run(controller).message.find("rank 3") != std::string::npos);
    REQUIRE(controller.frame().can_go_without);
    CHECK_FALSE(controller.apply(GoWrong{{RankFault::slow, 0, 0}}).empty()); // it is broken already
    controller.apply(TeamCommand::without);
    CHECK(controller.frame().request.ranks == 3);
    REQUIRE(controller.run_to(6, kTeamPatience));
    CHECK(run(controller).config.ranks == 3);
    controller.apply(GoWrong{{RankFault::left_out, 0, 0}});
    REQUIRE(controller.wait(kTeamPatience));
    REQUIRE(run(controller).state == TeamState::broken);
    REQUIRE(controller.run_to(8, kTeamPatience));
    CHECK(run(controller).step == 8);
    CHECK(run(controller).config.ranks == 3);
}

TEST_CASE("a model that cannot be trained is said in words, and nothing starts")
{
    TeamController::Setup setup = team_setup_for_tests();
    setup.trainer.model.heads = 0;
    TeamController controller(std::move(setup));
    CHECK_FALSE(controller.frame().fault.empty());
    CHECK(controller.apply(TeamCommand::run).text.find("Not started") == 0);
    CHECK_FALSE(controller.frame().started());
    CHECK(controller.apply(TeamCommand::without) != "");
}

TEST_CASE("teams that are started and dropped leave no thread behind, and looking never waits")
{
    const std::size_t before = test::threads_of_this_process();
    for (int i = 0; i < 20; ++i)
    {
        TeamController controller(team_setup_for_tests());
        controller.apply(TeamCommand::run);
        for (int k = 0; k < 10; ++k)
        {
            controller.tick();
            REQUIRE(controller.frame().is(TeamState::running));
        }
        if (i % 3 == 0)
        {
            controller.apply(GoWrong{{RankFault::dead, 1, 0}});
        }
    }
    CHECK(test::threads_are_back_to(before));
}

TEST_CASE("a comparison trains with one compressor after the other, and keeps a curve of each")
{
    TeamController controller(team_setup_for_tests());
    CHECK(controller.apply(TeamCommand::compare) == "");
    CHECK(controller.frame().comparing);
    CHECK(controller.frame().to_compare == compared_compressions().size() - 1);
    REQUIRE(controller.wait(kTeamPatience));
    CHECK_FALSE(controller.frame().comparing);
    CHECK_FALSE(controller.busy());
    REQUIRE(controller.frame().earlier.size() == compared_compressions().size() - 1);
    CHECK(controller.frame().earlier[0].name == "dp4");
    CHECK(controller.frame().earlier[2].name == "dp4, Top-k, 1%");
    CHECK(strategy_name(run(controller).config) == "dp4, PowerSGD, rank 2");
    for (const TeamCurve& curve : controller.frame().earlier)
    {
        INFO(curve.name);
        REQUIRE(curve.losses.size() == 4);
        CHECK(curve.losses[0] == controller.frame().earlier[0].losses[0]); // the same start
        CHECK(curve.sent_until.back() == 4 * curve.sent_in_step);
        CHECK(curve.dense == controller.frame().earlier[0].sent_in_step);
    }
    CHECK(controller.frame().earlier[2].sent_in_step < controller.frame().earlier[0].sent_in_step / 10);
}

TEST_CASE("a comparison is ended by itself, another request or the clearing of the run")
{
    TeamController controller(team_setup_for_tests());
    controller.apply(TeamCommand::compare);
    CHECK(controller.apply(TeamCommand::compare) == "The comparison ends here");
    CHECK_FALSE(controller.frame().comparing);
    REQUIRE(controller.wait(kTeamPatience));
    controller.apply(TeamCommand::compare);
    controller.apply(RequestTeam{with_strategy(controller, 1, 4)});
    CHECK_FALSE(controller.frame().comparing);
    while (run(controller).step < 8) // beyond the four steps of a comparison
    {
        controller.wait(0.01);
    }
    controller.apply(TeamCommand::pause);
    REQUIRE(controller.wait(kTeamPatience));
    controller.apply(TeamCommand::compare); // ZeRO-1 sends no whole gradients: data parallel it is
    CHECK(controller.frame().comparing);
    CHECK(controller.frame().request.strategy == 0);
    controller.apply(TeamCommand::clear);
    CHECK_FALSE(controller.frame().comparing);
    CHECK_FALSE(controller.busy());
}

TEST_CASE("a run that is cleared stays as a curve to compare with")
{
    TeamController controller(team_setup_for_tests());
    REQUIRE(controller.run_to(3, kTeamPatience));
    controller.apply(TeamCommand::clear);
    REQUIRE(controller.frame().earlier.size() == 1);
    CHECK(controller.frame().earlier[0].losses.size() == 3);
    REQUIRE(controller.run_to(2, kTeamPatience));
    controller.apply(TeamCommand::clear); // of the same kind: it takes the place of the other
    REQUIRE(controller.frame().earlier.size() == 1);
    CHECK(controller.frame().earlier[0].losses.size() == 2);
}

TEST_CASE("another optimizer starts anew, and what was trained before stays as a curve")
{
    TeamController controller(team_setup_for_tests());
    REQUIRE(controller.run_to(3, kTeamPatience));
    TeamRequest request = controller.frame().request;
    request.plain_sgd = true;
    CHECK(controller.apply(RequestTeam{request}) == "");
    REQUIRE(controller.wait(kTeamPatience));
    CHECK(run(controller).step == 1);
    CHECK(run_name(run(controller).config) == "dp4, SGD");
    REQUIRE(controller.frame().earlier.size() == 1);
    CHECK(controller.frame().earlier[0].name == "dp4");
    CHECK(controller.frame().earlier[0].losses.size() == 3);
    controller.apply(RequestTeam{with_strategy(controller, 4, 4)}); // the same weights, cut otherwise
    REQUIRE(controller.wait(kTeamPatience));
    controller.apply(TeamCommand::clear);
    REQUIRE(controller.frame().earlier.size() == 2);
    CHECK(controller.frame().earlier[1].name == "tp4, SGD, changed on the way");
}

TEST_CASE("without threads a recording of each strategy plays, whose bytes are the predicted ones")
{
    for (std::size_t strategy = 0; strategy < team_strategies().size(); ++strategy)
    {
        INFO(team_strategies()[strategy].id);
        TeamController controller(recorded_setup());
        controller.apply(RequestTeam{with_strategy(controller, strategy, controller.frame().request.ranks)});
        REQUIRE(controller.apply(TeamCommand::step) == "");
        const TeamSnapshot& snapshot = run(controller);
        CHECK(snapshot.state == TeamState::paused);
        CHECK(snapshot.losses.back() < snapshot.losses.front());
        REQUIRE(snapshot.trace);
        const TeamPrediction& predicted = controller.frame().predicted;
        REQUIRE(predicted.traffic.size() == snapshot.trace->ranks.size());
        CHECK(controller.frame().request.ranks == snapshot.config.ranks);
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
    TeamController controller(recorded_setup());
    CHECK(controller.frame().recorded);
    REQUIRE(controller.apply(TeamCommand::step) == "");
    const std::int64_t first = run(controller).step;
    controller.apply(TeamCommand::step);
    CHECK(run(controller).step == first + 1);
    for (int i = 0; i < 50 && run(controller).step != first; ++i)
    {
        controller.apply(TeamCommand::step);
    }
    CHECK(run(controller).step == first);
    TeamRequest request = controller.frame().request;
    request.steps_per_second = 0;
    CHECK(controller.apply(RequestTeam{request}) == "");
    controller.apply(TeamCommand::run);
    CHECK(controller.busy());
    CHECK(controller.frame().is(TeamState::running));
    controller.apply(TeamCommand::pause);
    CHECK_FALSE(controller.busy());
    ++request.ranks;
    CHECK(controller.apply(RequestTeam{request}).text.find("desktop program") != std::string::npos);
    CHECK(controller.apply(GoWrong{{RankFault::dead, 0, 0}}).text.find("desktop program") !=
          std::string::npos);
    CHECK(controller.apply(TeamCommand::compare).text.find("desktop program") != std::string::npos);
    CHECK(controller.frame().request.ranks == run(controller).config.ranks);
    controller.apply(TeamCommand::clear);
    CHECK_FALSE(controller.frame().started());
}

TEST_CASE("a recording that is not there is a fault in words")
{
    TeamController::Setup setup = recorded_setup();
    setup.recordings /= "none";
    TeamController controller(std::move(setup));
    CHECK(controller.apply(TeamCommand::run).text.find("Not started") == 0);
    CHECK_FALSE(controller.frame().started());
    CHECK_FALSE(controller.busy());
}
