// A running team as text: written, read back the same, and refused where it would not be safe to draw.
#include "core/lab/ranks/team_run.h"
#include "core/lab/team/team_json.h"
#include "core/lab/team/team_request.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <functional>

using namespace ringside;
using nlohmann::json;

namespace
{

// Three real steps of a small pipeline with two copies.
const TeamSnapshot& trained()
{
    static const TeamSnapshot snapshot = []
    {
        TrainerConfig c = team_trainer_config();
        c.model.hidden = 32;
        c.model.head_dim = 4;
        c.model.ffn = 64;
        c.training.sequence_length = 16;
        auto config = with_strategy(c, "dp2-pp2", 4);
        REQUIRE(config);
        config->compression = {.compressor = Compressor::top_k, .keep = 0.1};
        parallel::TeamRunSettings settings;
        settings.last_step = 3;
        parallel::TeamRun run(*config, settings);
        REQUIRE(run.wait_until_idle(60));
        REQUIRE(run.snapshot()->trace);
        return *run.snapshot();
    }();
    return snapshot;
}

std::string fault_of(const std::function<void(json&)>& spoil)
{
    json j = json::parse(live_text(trained()));
    spoil(j);
    const auto read = snapshot_from_live(j.dump());
    return read ? std::string() : to_line(read.issues().front());
}

} // namespace

TEST_CASE("a running team is read back as it was written")
{
    const TeamSnapshot& was = trained();
    const auto read = snapshot_from_live(live_text(was));
    INFO((read ? std::string() : to_line(read.issues().front())));
    REQUIRE(static_cast<bool>(read));
    CHECK(read->state == was.state);
    CHECK(read->step == 3);
    CHECK(read->losses == was.losses);
    CHECK(read->sent_until == was.sent_until);
    CHECK(read->marks == was.marks);
    CHECK(read->config.parallel == was.config.parallel);
    CHECK(read->config.compression == was.config.compression);
    CHECK(read->config.trainer.model == was.config.trainer.model);
    CHECK(read->config.ranks == 4);
    REQUIRE(read->trace);
    REQUIRE(read->trace->ranks.size() == 4);
    for (std::size_t rank = 0; rank < 4; ++rank)
    {
        const RankTrace& a = was.trace->ranks[rank];
        const RankTrace& b = read->trace->ranks[rank];
        CHECK(a.place == b.place);
        CHECK(a.memory == b.memory);
        CHECK(a.sent == b.sent);
        REQUIRE(a.work.size() == b.work.size());
        CHECK(a.work.back().operation == b.work.back().operation);
        CHECK(a.work.back().end == Catch::Approx(b.work.back().end).margin(1e-7));
        REQUIRE(a.messages.size() == b.messages.size());
        CHECK(a.messages.back().axis == b.messages.back().axis);
        CHECK(a.messages.back().waits_for == b.messages.back().waits_for);
    }
    CHECK(live_text(*read) == live_text(was));
}

TEST_CASE("a team before its first step, and one whose loss is no number, are read back too")
{
    TeamSnapshot early = trained();
    early.trace = nullptr;
    early.losses.clear();
    early.sent_until.clear();
    early.step = 0;
    const auto read = snapshot_from_live(live_text(early));
    REQUIRE(static_cast<bool>(read));
    CHECK(read->trace == nullptr);
    TeamSnapshot bad = trained();
    bad.losses.back() = std::numeric_limits<float>::quiet_NaN();
    const auto nan = snapshot_from_live(live_text(bad));
    REQUIRE(static_cast<bool>(nan));
    CHECK(std::isnan(nan->losses.back()));
}

TEST_CASE("what is no running team, or not safe to draw, is refused with the reason")
{
    CHECK_FALSE(snapshot_from_live(""));
    CHECK_FALSE(snapshot_from_live("{}"));
    CHECK_FALSE(snapshot_from_live(live_text(trained()).substr(0, 1000)));
    CHECK(fault_of([](json&) {}).empty());
    CHECK(fault_of([](json& j) { j["schema"] = "ringside.live/9"; }).find("no running training") !=
          std::string::npos);
    CHECK(fault_of([](json& j) { j["trace"]["ranks"].erase(3); }).find("other ranks") != std::string::npos);
    CHECK(fault_of([](json& j) { j["trace"]["ranks"][0]["work"][0][1] = 7; }).find("no such stage") !=
          std::string::npos);
    CHECK(fault_of([](json& j) { j["trace"]["ranks"][0]["work"][0][2] = -1; }).find("no such micro-batch") !=
          std::string::npos);
    CHECK(fault_of([](json& j) { j["trace"]["ranks"][0]["work"][0][3] = 1e300; }).find("before it starts") !=
          std::string::npos);
    CHECK(
        fault_of([](json& j) { j["trace"]["ranks"][0]["messages"][0][0] = "gossip"; }).find("no such axis") !=
        std::string::npos);
    CHECK(fault_of([](json& j) { j["trace"]["ranks"][0]["messages"][0][5] = 4; }).find("no such rank") !=
          std::string::npos);
    CHECK(fault_of(
              [](json& j) {
                  j["trace"]["ranks"][0]["memory"] = {1, 2};
              })
              .find("components") != std::string::npos);
    CHECK(fault_of([](json& j) { j["config"]["compression"]["compressor"] = "zip"; }).find("compressor") !=
          std::string::npos);
    CHECK(fault_of([](json& j) { j["config"]["scenario"]["parallel"]["pipeline"] = 3; }) != "");
    CHECK(fault_of([](json& j) { j["config"]["scenario"]["parallel"]["pipeline"] = 0; }) != "");
    CHECK(fault_of([](json& j) { j["losses"].push_back(1); }).find("belong together") != std::string::npos);
    CHECK(fault_of([](json& j) { j["loss_stride"] = 0; }) != "");
    CHECK(fault_of([](json& j) { j["state"] = 5; }) != "");
    CHECK(fault_of([](json& j) { j.erase("trace"); }) != "");
}
