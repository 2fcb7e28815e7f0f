#include "tests/core/study/study_support.h"

#include <random>

using namespace ringside;
using test::lines_of;

namespace
{

// A file of one good family, changed by a JSON pointer or two.
std::string file_with(const std::vector<std::pair<std::string, nlohmann::json>>& changes)
{
    nlohmann::json document = test::read("tests/data/questions/sample.json");
    document["families"] = nlohmann::json::array({document["families"][0]});
    for (const auto& [pointer, value] : changes)
    {
        document[nlohmann::json::json_pointer(pointer)] = value;
    }
    return document.dump();
}

std::string faults_with(const std::vector<std::pair<std::string, nlohmann::json>>& changes)
{
    QuestionBank bank;
    return lines_of(add_questions(file_with(changes), "questions/test.json", bank));
}

const std::string kFamily = "/families/0";

} // namespace

TEST_CASE("the sample families are read whole, variants over what they share")
{
    const QuestionBank& bank = test::sample_bank();
    REQUIRE(bank.topics.size() == 1);
    CHECK(bank.topics.front().title == "One of each kind");
    const QuestionFamily* state = bank.family("state");
    REQUIRE(state);
    REQUIRE(state->variants.size() == 2);
    CHECK(state->topic == "sample");
    CHECK(state->file == "questions/sample.json");
    const QuestionVariant& easy = state->variants[0];
    const QuestionVariant& inverse = state->variants[1];
    CHECK(easy.key == "16*P");
    CHECK(inverse.key == "M/16");
    CHECK_FALSE(easy.note.empty());
    CHECK(inverse.note.empty()); // Its stem is its own.
    CHECK(easy.follow_ups.size() == 1);
    CHECK(inverse.follow_ups.empty());
    CHECK(inverse.parameters.size() == 1);
    CHECK(easy.sources == std::vector<std::string>{"Rajbhandari et al. 2020, arXiv 1910.02054"});
    CHECK(easy.tolerance == 0.03);
    CHECK(find_variant(bank, "state")->variant == 0);
    CHECK(find_variant(bank, "state/inverse")->variant == 1);
    CHECK_FALSE(find_variant(bank, "state/none"));
    CHECK_FALSE(find_variant(bank, "nobody"));
}

TEST_CASE("names of let come in the order they are needed, however they are written")
{
    const QuestionVariant& v = test::sample_bank().family("ring")->variants[0];
    REQUIRE(v.lets.size() == 2);
    CHECK(v.lets[0].name == "share");
    CHECK(v.lets[1].name == "moved");
}

TEST_CASE("every fault of a file is named by family, variant and field, all at once")
{
    const std::string all = faults_with({{kFamily + "/variants/0/kind", "numerical"},
                                         {kFamily + "/variants/0/hints", nlohmann::json::array({"one"})},
                                         {kFamily + "/variants/0/stemm", "?"},
                                         {kFamily + "/variants/1/unit", "GB"}});
    CHECK(all.find("state/easy.kind: ") != std::string::npos);
    CHECK(all.find("state/easy.hints: there are 1 (give exactly 3)") != std::string::npos);
    CHECK(all.find("state/easy.stemm: unknown field (did you mean \"stem\"?)") != std::string::npos);
    CHECK(all.find("state/inverse.unit: there is no unit \"GB\" (known are B, bit, s,") != std::string::npos);
}

TEST_CASE("a faulty variant is left out and hides no other")
{
    QuestionBank bank;
    const Issues issues =
        add_questions(file_with({{kFamily + "/variants/0/tolerance", 7}}), "questions/test.json", bank);
    CHECK(lines_of(issues).find("state/easy.tolerance: 7 ") == 0);
    REQUIRE(bank.families.size() == 1);
    CHECK(bank.families[0].variants.size() == 1);
    CHECK(bank.families[0].variants[0].id == "inverse");
}

TEST_CASE("what each field must be is said with what would work")
{
    CHECK(faults_with({{"/schema", "x"}}).find("schema: ") == 0);
    CHECK(faults_with({{"/families", 3}}).find("families: 3 ") == 0);
    CHECK(faults_with({{kFamily + "/id", "Not An Id"}}).find("is not an id") != std::string::npos);
    CHECK(faults_with({{kFamily + "/solution", nlohmann::json::array()}}).find("state/easy.solution: ") !=
          std::string::npos);
    CHECK(faults_with({{kFamily + "/parameters/P/from", nlohmann::json::array()}})
              .find("state/easy.parameters.P.from: ") != std::string::npos);
    CHECK(faults_with({{kFamily + "/parameters/P/step", 2}, {kFamily + "/parameters/P/range", {1, 2}}})
              .find("not exactly one of from, range and powers_of_two") != std::string::npos);
    CHECK(faults_with({{kFamily + "/parameters", {{"sqrt", {{"from", {1}}}}}}})
              .find("\"sqrt\" cannot be a name") != std::string::npos);
    CHECK(
        faults_with({{kFamily + "/mistakes/0/id", "twelve-bytes"}}).find("\"twelve-bytes\" is there twice") !=
        std::string::npos);
    CHECK(faults_with({{kFamily + "/follow_ups/0/set", {{"Q", 1}}}}).find("not a parameter") !=
          std::string::npos);
    CHECK(
        faults_with({{kFamily + "/variants/1/id", "easy"}}).find("state.variants: \"easy\" is there twice") !=
        std::string::npos);
    CHECK(faults_with({{kFamily + "/stem", std::string(5000, 'x')}}).find("at most 4000 characters") !=
          std::string::npos);
}

TEST_CASE("a second family of the same id is a fault")
{
    QuestionBank bank;
    CHECK(add_questions(file_with({}), "questions/a.json", bank).empty());
    CHECK(lines_of(add_questions(file_with({}), "questions/b.json", bank))
              .find("is the id of another family") != std::string::npos);
    CHECK(bank.families.size() == 1);
}

TEST_CASE("a folder of questions that is not there is empty, not a fault")
{
    Issues issues;
    CHECK(load_questions("/nowhere", issues).families.empty());
    CHECK(issues.empty());
}

TEST_CASE("a file under fire from random bytes gives faults or families, and what it gives can be drawn")
{
    const std::string good = file_with({});
    std::mt19937_64 rng(11);
    std::size_t drawn = 0;
    Calculator calculator(test::presets());
    for (int round = 0; round < 3000; ++round)
    {
        std::string text = good;
        for (std::uint64_t i = 1 + rng() % 3; i > 0; --i)
        {
            constexpr std::string_view kSigns = "{}[]\",:0129.eP*()-+/%=?<";
            const char sign = round % 2 == 0 ? static_cast<char>(rng()) : kSigns[rng() % kSigns.size()];
            text[rng() % text.size()] = sign;
        }
        QuestionBank bank;
        const Issues issues = add_questions(text, "questions/test.json", bank);
        REQUIRE((!issues.empty() || !bank.families.empty()));
        for (const QuestionFamily& family : bank.families)
        {
            for (std::size_t v = 0; v < family.variants.size(); ++v)
            {
                const auto question = draw(calculator, family, v, rng());
                REQUIRE((question || !question.issues().front().message.empty()));
                drawn += question ? 1U : 0U;
            }
        }
    }
    CHECK(drawn > 100);
}
