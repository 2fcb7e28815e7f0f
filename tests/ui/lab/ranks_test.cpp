// The view of the ranks by hand: started, switched, broken and mended by keys; at every size.
#include "tests/app/team_room.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "ui/views/lab/ranks/bars.h"
#include "ui/views/lab/ranks/moment.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using namespace ringside::test;

namespace
{

// A user in front of the ranks.
class Ranks
{
public:
    Ranks()
    {
        w.session().set_team(std::make_unique<TeamController>(team_setup_for_tests()));
        w.open("ranks");
        rest();
    }
    Window w;

    TeamController& controller() { return w.session().team(); }
    const TeamFrame& frame() { return controller().frame(); }
    const TeamSnapshot& run()
    {
        REQUIRE(frame().snapshot);
        return *frame().snapshot;
    }
    void rest()
    {
        w.frames(3);
        REQUIRE(controller().wait(kTeamPatience));
        w.frames(3);
    }
    void until(TeamState state)
    {
        for (int i = 0; i < 2000 && !frame().is(state); ++i)
        {
            w.frame();
            controller().wait(0.01);
        }
        REQUIRE(frame().is(state));
    }
    void key(ImGuiKey k)
    {
        w.key(k);
        rest();
    }
    void type(std::string_view text)
    {
        w.type(text);
        rest();
    }
};

} // namespace

TEST_CASE("the ranks start with Enter, pause with Space and step with a full stop")
{
    Ranks ranks;
    CHECK(says(ranks.w, "Start the ranks"));
    ranks.w.key(ImGuiKey_Enter);
    ranks.until(TeamState::running);
    CHECK(ranks.w.session().playing());
    ranks.w.key(ImGuiKey_Space);
    ranks.rest();
    CHECK(ranks.run().state == TeamState::paused);
    const std::int64_t step = ranks.run().step;
    ranks.type(".");
    CHECK(ranks.run().step == step + 1);
    CHECK(says(ranks.w, "As it ran"));
    CHECK(says(ranks.w, "Predicted"));
    CHECK(ranks.w.settle(60) < 60);
}

TEST_CASE("a digit switches the strategy for the same weights, arrow keys go through them")
{
    Ranks ranks;
    ranks.type(".");
    ranks.key(ImGuiKey_4);
    CHECK(strategy_name(ranks.run().config) == "dp4-zero3");
    CHECK(ranks.run().step == 2);
    CHECK(says(ranks.w, "to the byte"));
    ranks.key(ImGuiKey_RightArrow);
    CHECK(strategy_name(ranks.run().config) == "tp4");
    ranks.key(ImGuiKey_9);
    CHECK(strategy_name(ranks.run().config) == "tp2-pp2");
    ranks.key(ImGuiKey_M); // the next number that divides
    CHECK(strategy_name(ranks.run().config) == "dp2-tp2-pp2");
    ranks.key(ImGuiKey_0);
    CHECK(strategy_name(ranks.run().config) == "cp8");
    CHECK(says(ranks.w, "to the byte"));
    const std::int64_t step = ranks.run().step;
    ranks.key(ImGuiKey_E); // another model, which starts anew
    CHECK(strategy_name(ranks.run().config) == "ep8");
    CHECK(ranks.run().config.trainer.model.experts == 8);
    CHECK(ranks.run().step < step);
    CHECK(says(ranks.w, "to the byte"));
    CHECK(says(ranks.w, "full experts dropped"));
}

TEST_CASE("a fault by its key shows the diagnosis, and the team goes on by another")
{
    Ranks ranks;
    ranks.type(".");
    ranks.key(ImGuiKey_T); // dead
    ranks.key(ImGuiKey_R); // rank 2
    ranks.key(ImGuiKey_X);
    REQUIRE(ranks.run().state == TeamState::broken);
    CHECK(says(ranks.w, "rank 2"));
    check_words_at_every_size(ranks.w, "broken");
    ranks.w.key(ImGuiKey_D);
    ranks.until(TeamState::running);
    ranks.w.key(ImGuiKey_Space);
    ranks.rest();
    CHECK(ranks.run().config.ranks == 3);
    ranks.key(ImGuiKey_X);
    REQUIRE(ranks.run().state == TeamState::broken);
    ranks.w.click("run ranks");
    ranks.until(TeamState::running);
}

TEST_CASE("a slow rank and a NaN are told in the caption")
{
    Ranks ranks;
    ranks.type(".");
    ranks.key(ImGuiKey_X);
    CHECK(says(ranks.w, "was slow"));
    for (int i = 0; i < 3; ++i)
    {
        ranks.key(ImGuiKey_T);
    }
    ranks.w.click("trouble");
    ranks.rest();
    CHECK(says(ranks.w, "NaN on rank 1"));
    CHECK(ranks.run().trace->skipped);
}

TEST_CASE(
    "no words of the ranks are cut off or lie on others, before the start and after steps of every kind")
{
    Ranks ranks;
    check_words_at_every_size(ranks.w, "before the first start");
    ranks.type(".");
    check_words_at_every_size(ranks.w, "data parallel");
    ranks.key(ImGuiKey_7);
    check_words_at_every_size(ranks.w, "pipeline");
    ranks.key(ImGuiKey_9);
    ranks.key(ImGuiKey_M);
    ranks.w.session().apply(SetSpeed{1}); // ends the notice, whose card lies over the rows where it is long
    ranks.w.frames(2);
    check_words_at_every_size(ranks.w, "eight ranks");
    ranks.key(ImGuiKey_E);
    check_words_at_every_size(ranks.w, "experts");
}

TEST_CASE("the panel's strategy, ranks and speed reach the team")
{
    Ranks ranks;
    ranks.w.type_value("Number of ranks", "2");
    ranks.rest();
    CHECK(ranks.frame().request.ranks == 2);
    ranks.w.type_value("Micro-batches", "16");
    ranks.rest();
    CHECK(ranks.frame().request.micro_batches == 16);
    ranks.w.type_value("Speed", "2");
    ranks.rest();
    CHECK(ranks.frame().request.steps_per_second == 2);
    ranks.type(".");
    CHECK(ranks.run().config.ranks == 2);
    CHECK(ranks.run().config.trainer.accumulation() == 16);
}

TEST_CASE("the prediction beside a step has its order and its mean times, without the waiting")
{
    Ranks ranks;
    ranks.key(ImGuiKey_7);
    ranks.type(".");
    REQUIRE(ranks.run().trace);
    const RankMoment moment(ranks.run().trace, ranks.run().config);
    REQUIRE(moment.predicted.ranks() == 4);
    REQUIRE(moment.real.events.size() == moment.predicted.events.size());
    double real = 0;
    double predicted = 0;
    for (std::size_t i = 0; i < moment.real.events.size(); ++i)
    {
        CHECK(moment.real.events[i].operation == moment.predicted.events[i].operation);
        real += moment.real.events[i].end - moment.real.events[i].start;
        predicted += moment.predicted.events[i].end - moment.predicted.events[i].start;
    }
    CHECK(real == Catch::Approx(predicted));
    CHECK(moment.predicted.makespan > 0);
    CHECK(moment.end >= moment.real.makespan);
}

TEST_CASE("what is said to be as predicted is compared byte by byte, control messages apart")
{
    RankTrace rank;
    rank.sent = {{"data", 1000, 2}, {"control", 8, 1}};
    CHECK(sent_as_predicted(rank, {{"data", 1000, 0}}));
    CHECK_FALSE(sent_as_predicted(rank, {{"data", 1001, 0}}));
    CHECK_FALSE(sent_as_predicted(rank, {{"data", 1000, 0}, {"tensor", 1, 0}}));
    MemoryUse use;
    use.of(Component::weights) = 64;
    StageMemory stage;
    stage.parts[static_cast<std::size_t>(Component::weights)] = Bytes(64.0);
    CHECK(state_as_predicted(use, stage));
    use.of(Component::momentum) = 1;
    CHECK_FALSE(state_as_predicted(use, stage));
}

TEST_CASE("C compares compressors, Y goes between the step and what a loss costs in bytes")
{
    Ranks ranks;
    ranks.key(ImGuiKey_Y);
    CHECK(says(ranks.w, "Compare compressors"));
    ranks.key(ImGuiKey_C);
    CHECK(says(ranks.w, "Loss against bytes sent"));
    CHECK(says(ranks.w, "dp4, Top-k, 1%, no feedback"));
    CHECK(says(ranks.w, "sent by a rank"));
    ranks.key(ImGuiKey_O);
    ranks.key(ImGuiKey_C);
    CHECK(says(ranks.w, "dp4, Top-k, 1%, SGD"));
    ranks.key(ImGuiKey_Y);
    CHECK(says(ranks.w, "Checkpoint stall"));
    ranks.key(ImGuiKey_Y);
    CHECK(says(ranks.w, "As it ran"));
    CHECK(says(ranks.w, "to the byte"));
}

TEST_CASE("G sends gradients by another compressor, and the bytes are still as predicted")
{
    Ranks ranks;
    ranks.type(".");
    for (std::size_t i = 1; i < team_compressions().size(); ++i)
    {
        ranks.key(ImGuiKey_G);
        CHECK(ranks.run().config.compression == team_compressions()[i].options);
        CHECK(says(ranks.w, "to the byte"));
    }
    ranks.key(ImGuiKey_2); // ZeRO-1 has none to compress
    CHECK(ranks.run().config.compression.compressor == Compressor::none);
}

TEST_CASE("no words of loss against bytes are cut off or lie on others at any size")
{
    Ranks ranks;
    ranks.key(ImGuiKey_Y);
    check_words_at_every_size(ranks.w, "before the start");
    ranks.key(ImGuiKey_C);
    check_words_at_every_size(ranks.w, "compared");
}

TEST_CASE("K saves checkpoints while it trains, and what they cost stands beside the prediction")
{
    Ranks ranks;
    ranks.w.session().apply(OpenView{"ranks/saves"});
    ranks.key(ImGuiKey_K);
    CHECK(ranks.frame().request.saving.mode == SaveMode::synchronous);
    ranks.w.type_value("Every", "2");
    ranks.rest();
    ranks.w.type_value("Storage", "50");
    ranks.rest();
    CHECK(ranks.frame().request.saving.every == 2);
    CHECK(ranks.frame().request.saving.bytes_per_second == 50e6);
    REQUIRE(ranks.controller().run_to(4, kTeamPatience));
    ranks.key(ImGuiKey_K);
    REQUIRE(ranks.controller().run_to(8, kTeamPatience));
    ranks.rest();
    CHECK(says(ranks.w, "Synchronous"));
    CHECK(says(ranks.w, "stalled"));
    REQUIRE(ranks.run().saves.size() == 4);
    CHECK(ranks.run().saves[0].mode == SaveMode::synchronous);
    CHECK(ranks.run().saves[3].mode == SaveMode::asynchronous);
    check_words_at_every_size(ranks.w, "checkpoints");
}
