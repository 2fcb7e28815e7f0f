// Mock interviews as rounds: chains whose every follow-up the engine answers, and plans that fill their time.
#include "tests/core/support.h"
#include "tests/source_path.h"

#include "core/study/sessions/round.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

using namespace ringside;

namespace
{

struct RoundRoom
{
    Issues issues;
    QuestionBank bank = load_questions(test::source_path("assets"), issues);
    std::vector<Chain> chains = load_chains(test::source_path("assets"), issues);
};

const Chain& chain_named(const RoundRoom& room, std::string_view id)
{
    return *std::ranges::find(room.chains, id, &Chain::id);
}

} // namespace

TEST_CASE("every chain that ships has a key for each of its five to eight links, which is graded right")
{
    const RoundRoom room;
    for (const Issue& issue : room.issues)
    {
        UNSCOPED_INFO(to_line(issue));
    }
    REQUIRE(room.issues.empty());
    CHECK(room.chains.size() >= 15);
    const Issues issues = check_chains(room.chains, test::presets());
    for (const Issue& issue : issues)
    {
        UNSCOPED_INFO(to_line(issue));
    }
    CHECK(issues.empty());
}

TEST_CASE("rounds of 12, 30 and 45 minutes are filled to 95%, repeat nothing and have a chain, whoever asks")
{
    const RoundRoom room;
    for (const int minutes : {12, 30, 45})
    {
        for (std::uint64_t seed = 1; seed <= 200; ++seed)
        {
            const RoundRequest request{minutes, every<MockRole>()[seed % 5], every<MockLevel>()[seed / 5 % 3],
                                       seed};
            const RoundPlan plan = plan_round(room.bank, room.chains, request);
            INFO(minutes << " minutes, seed " << seed << ", " << name_of(request.role) << ", "
                         << name_of(request.level));
            CHECK(plan.filled >= 0.95);
            CHECK(plan.filled <= 1);
            std::set<std::string> seen;
            std::size_t in_chains = 0;
            for (const RoundItem& item : plan.items)
            {
                CHECK(
                    seen.insert(item.chain != nullptr ? "chain " + item.chain->id : item.question->family->id)
                        .second);
                in_chains += item.chain != nullptr ? 1 : 0;
            }
            CHECK(in_chains >= 1);
        }
    }
}

TEST_CASE("a follow-up is about the layout the candidate gave, not about the one of the problem")
{
    const RoundRoom room;
    auto run = start_chain(chain_named(room, "train-70b"), 1, test::presets());
    REQUIRE(run);
    const auto asked = ask_link(*run, 0, test::presets());
    REQUIRE(asked);
    REQUIRE_FALSE(asked->truth);
    auto other = *run;
    const auto one = answer_link(*run, 0, *asked, asked->key);
    const auto two = answer_link(other, 0, *asked, "tp 8 pp 8 zero 1 micro 1 recompute full");
    REQUIRE(one);
    REQUIRE(two);
    CHECK(one->correct);
    CHECK(two->correct);
    const auto state = ask_link(*run, 1, test::presets());
    const auto less = ask_link(other, 1, test::presets());
    REQUIRE(state);
    REQUIRE(less);
    CHECK(*less->truth < *state->truth);
    const auto verdict = answer_link(other, 1, *less, state->key);
    REQUIRE(verdict);
    CHECK_FALSE(verdict->correct);
}

TEST_CASE("the same role, level and seed plan the same round, another seed another one")
{
    const RoundRoom room;
    const auto names = [&](std::uint64_t seed)
    {
        std::vector<std::string> all;
        for (const RoundItem& item :
             plan_round(room.bank, room.chains, {30, MockRole::inference, MockLevel::mid, seed}).items)
        {
            all.push_back(item.chain != nullptr ? item.chain->id : item.question->family->id);
        }
        return all;
    };
    CHECK(names(3) == names(3));
    CHECK(names(3) != names(4));
}
