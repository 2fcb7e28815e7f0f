#include "tests/core/study/study_support.h"

#include "core/study/grading/grading.h"
#include "core/study/questions/inspect.h"

#include <catch2/catch_approx.hpp>

#include <set>

using namespace ringside;
using Catch::Approx;
using test::lines_of;
using test::question;

namespace
{

double number(const Question& q, const char* name)
{
    return std::get<double>(q.values.at(name));
}

// A file with a family of one variant, from JSON of its own.
std::string text_of(const std::string& fields)
{
    return R"({"schema": "ringside.questions/1", "topic": "t", "title": "T", "families": [{
        "id": "f", "title": "F", "concept": "model-state", "kind": "numeric", "stem": "s", "key": "x", "unit": "",
        "hints": ["a", "b", "c"], "parameters": {"x": {"from": [3, 5]}}, "solution": [{"says": "x", "value": "x"}],
        "variants": [{"id": "v", "difficulty": "easy", )" +
           fields + "}]}]}";
}

QuestionFamily family_of(const std::string& fields)
{
    QuestionBank bank;
    const Issues issues = add_questions(text_of(fields), "questions/t.json", bank);
    INFO(lines_of(issues));
    REQUIRE(issues.empty());
    return bank.families.at(0);
}

Result<Question> drawn(const std::string& fields, std::uint64_t seed = 1, const DrawnValues& overrides = {})
{
    Calculator calculator(test::presets());
    return draw(calculator, family_of(fields), 0, seed, overrides);
}

std::string fault(const std::string& fields)
{
    const auto q = drawn(fields);
    REQUIRE_FALSE(q);
    return to_line(q.issues().front());
}

} // namespace

TEST_CASE(
    "hand-worked: 16 bytes for each of 70 billion parameters are 1.12 TB, with every line of the working")
{
    Calculator calculator(test::presets());
    const Question q = question(calculator, "state", 1, {{"P", 70e9}});
    CHECK(q.id == "state/easy");
    CHECK(q.key == 1.12e12);
    CHECK(q.key_text == "1.12 TB");
    CHECK(q.stem == "A model of 70 B parameters trains with AdamW in mixed precision. How many bytes of "
                    "state does it keep?");
    CHECK(q.givens.at("P") == "70 B parameters");
    REQUIRE(q.solution.size() == 2);
    CHECK(q.solution[0].line() == "Bytes per parameter: 2 + 2 + 4 + 4 + 4 = 16 B");
    CHECK(q.solution[1].line() == "Times the parameters: 16 P = 16 \u00d7 70e9 = 1.12 TB");
    CHECK(q.hints[2] == "2 + 2 + 4 + 4 + 4 bytes, times 70 B parameters: 1.12 TB.");
    REQUIRE(q.mistakes.size() == 2);
    CHECK(q.mistakes[0].value == 280e9);
    CHECK(q.mistakes[0].working == "4 \u00d7 70e9");
}

TEST_CASE("the same seed gives the same question, whatever was drawn before")
{
    Calculator fresh(test::presets());
    Calculator used(test::presets());
    for (const QuestionFamily& family : test::sample_bank().families)
    {
        for (std::size_t v = 0; v < family.variants.size(); ++v)
        {
            for (std::uint64_t seed = 0; seed < 5; ++seed)
            {
                REQUIRE(draw(used, family, v, seed + 100));
                const auto a = draw(fresh, family, v, seed);
                const auto b = draw(used, family, v, seed);
                REQUIRE(a);
                REQUIRE(b);
                CHECK(a->stem == b->stem);
                CHECK(a->values == b->values);
                CHECK(a->key == b->key);
                CHECK(a->evidence.lines == b->evidence.lines);
                REQUIRE(a->choices.size() == b->choices.size());
                for (std::size_t i = 0; i < a->choices.size(); ++i)
                {
                    CHECK(a->choices[i].id == b->choices[i].id);
                }
            }
        }
    }
}

TEST_CASE("seeds mean the same numbers for ever: classes and exported cards depend on it")
{
    Calculator calculator(test::presets());
    const Question q = question(calculator, "ring", 4711);
    CHECK(q.givens.at("n") == "64 GPUs");
    CHECK(q.givens.at("S") == "3 GB");
    CHECK(q.givens.at("BW") == "25 GB/s");
    CHECK(q.givens.at("a") == "5 \u00b5s");
}

TEST_CASE("different seeds draw every value there is")
{
    Calculator calculator(test::presets());
    std::set<double> sizes;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
    {
        sizes.insert(number(question(calculator, "state", seed), "P"));
    }
    CHECK(sizes == std::set<double>{7e9, 13e9, 70e9, 405e9});
}

TEST_CASE("a range is drawn from in whole steps, both ends included")
{
    std::set<double> seen;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
    {
        const auto q = drawn(R"("parameters": {"x": {"range": [0.1, 0.5], "step": 0.1}})", seed);
        REQUIRE(q);
        seen.insert(std::round(number(*q, "x") * 1e9) / 1e9);
    }
    CHECK(seen == std::set<double>{0.1, 0.2, 0.3, 0.4, 0.5});
}

TEST_CASE("replacing one parameter changes no other")
{
    Calculator calculator(test::presets());
    for (std::uint64_t seed = 0; seed < 30; ++seed)
    {
        const Question plain = question(calculator, "ring", seed);
        const Question other = question(calculator, "ring", seed, {{"n", 128.0}});
        CHECK(number(other, "n") == 128);
        CHECK(number(plain, "S") == number(other, "S"));
        CHECK(number(plain, "BW") == number(other, "BW"));
    }
}

TEST_CASE("a follow-up is the same question with a parameter replaced and the key computed again")
{
    Calculator calculator(test::presets());
    const Question q = question(calculator, "state", 3);
    REQUIRE(q.follow_ups.size() == 1);
    CHECK(question(calculator, "state", 3, q.follow_ups[0].set).key == 16e12);
}

TEST_CASE("conditions hold in every draw, and one that never can is said")
{
    Calculator calculator(test::presets());
    for (std::uint64_t seed = 0; seed < 100; ++seed)
    {
        const Question q = question(calculator, "ring", seed);
        CHECK(number(q, "S") / number(q, "BW") > 0.01);
    }
    CHECK(fault(R"("where": ["x > 10"])") ==
          "where: \"x > 10\" holds for none of many draws (give values for which it does)");
}

TEST_CASE("mistakes that do not apply or come too close to the key are left out of a draw")
{
    Calculator calculator(test::presets());
    CHECK(question(calculator, "state", 1, {{"P", 7e9}}).mistakes.size() == 2);
    CHECK(question(calculator, "state", 1, {{"P", 405e9}}).mistakes.size() == 3);
    const auto q = drawn(
        R"("mistakes": [{"id": "near", "value": "x*1.02", "says": "s"}, {"id": "far", "value": "2*x", "says": "s"}])");
    REQUIRE(q);
    REQUIRE(q->mistakes.size() == 1);
    CHECK(q->mistakes[0].id == "far");
}

TEST_CASE("hand-worked: a metric of the scenario is the key, and the engine adds its own working")
{
    Calculator calculator(test::presets());
    const Question q = question(calculator, "fullest", 1, {{"model", "llama-3.1-8b"}, {"t", 2.0}});
    // 8 030 261 248 parameters over tensor 2 are 4 015 263 744 with the norms whole, 4 bytes each for
    // momentum and variance, sharded over 4 replicas.
    CHECK(q.key == Approx(8.0 * 8030261248 / 8).epsilon(1e-3));
    CHECK(q.stem.find("Llama 3.1 8B on 8 GPUs with tensor parallelism 2.") == 0);
    REQUIRE(q.engine.size() == 2);
    CHECK(q.engine[0].value * 2 == Approx(q.key).epsilon(1e-3));
    REQUIRE(q.scenario);
    CHECK(q.scenario->scenario.parallel.tensor == 2);
    CHECK(q.scenario->scenario.parallel.zero == 2);
}

TEST_CASE("a scenario that cannot be is drawn again, and one that never can is a fault")
{
    const std::string set =
        R"("scenario": {"preset": "llama-8b-8", "set": {"parallel.tensor": "{x}"}}, "key": "memory.total_bytes*0+x")";
    const auto q = drawn(R"("parameters": {"x": {"from": [3, 5, 7, 8]}}, )" + set);
    REQUIRE(q);
    CHECK(number(*q, "x") == 8);
    CHECK(fault(R"("parameters": {"x": {"from": [3]}}, )" + set).find("scenario.") == 0);
    CHECK(fault(R"("scenario": {"preset": "nowhere"})")
              .find("scenario.preset: there is no scenario \"nowhere\"") == 0);
    CHECK(fault(R"("scenario": {"set": {"parallel.tensr": 1}})")
              .find("scenario.parallel.tensr: unknown field") == 0);
}

TEST_CASE("faults of a draw are named by the field")
{
    CHECK(fault(R"("key": "y")").find("key: there is no \"y\"") == 0);
    CHECK(fault(R"("key": "step.time_s")") ==
          "key: step.time_s is a metric, and there is no scenario (give \"scenario\")");
    CHECK(fault(R"("scenario": {}, "key": "step.tim_s")")
              .find("key: there is no \"step.tim_s\" (did you mean") == 0);
    CHECK(fault("\"key\": \"1/(x-x)\"").find("key: \"1/(x-x)\" is not a finite number") == 0);
    CHECK(fault(R"("stem": "How {many?")").find("stem: a brace without its partner") == 0);
    CHECK(fault(R"("stem": "How {many}?")").find("stem: {many} is no parameter") == 0);
    CHECK(fault(R"("stem": "How {= x | parsec}?")").find("stem: {= x | parsec} has an unknown unit") == 0);
    CHECK(fault(R"("tolerance": 0, "key": "x/2")").find("key: ") == 0);
    CHECK(fault(R"("let": {"a": "b", "b": "a"})").find("let.") == 0);
    CHECK(fault(R"("parameters": {"x": {"from": ["word"]}})").find("key: x is a word") == 0);
    const auto unknown = drawn("\"note\": \"n\"", 1, {{"y", 1.0}});
    REQUIRE_FALSE(unknown);
    CHECK(to_line(unknown.issues().front()).find("parameters: there is no \"y\"") == 0);
}

TEST_CASE("placeholders print with units, plain, and as expressions")
{
    const auto q = drawn(
        R"("parameters": {"x": {"from": [80e9], "unit": "B"}}, "let": {"h": {"value": "x/3", "unit": "B"}},
                            "stem": "{x} {x:plain} {h} {= 2*x | B} {= x/1e9 } {= 2*x:plain} {= x > 1 || x < 2 | x}")");
    REQUIRE(q);
    CHECK(q->stem == "80 GB 80e9 26.7 GB 160 GB 80 160e9 1.00x");
}

TEST_CASE("the engine decides the right choice, and choices that tie are drawn again")
{
    Calculator calculator(test::presets());
    for (std::uint64_t seed = 0; seed < 30; ++seed)
    {
        const Question q = question(calculator, "faster", seed);
        REQUIRE(q.choices.size() == 2);
        CHECK(q.choices[0].right != q.choices[1].right);
        CHECK_FALSE(q.choices[0].value.empty());
    }
    // 1 kB over 512 ranks: 1022 steps of 10 us against 18.
    for (const ShownChoice& c : question(calculator, "faster", 1, {{"n", 512.0}, {"S", 1e3}}).choices)
    {
        CHECK(c.right == (c.id == "tree"));
    }
    const std::string choices = R"("kind": "comparison", "answer": "a", "best": "largest", "choices": [
        {"id": "one", "says": "one", "value": "x", "unit": ""}, {"id": "two", "says": "two", "value": "3", "unit": ""}])";
    const auto q = drawn(choices);
    REQUIRE(q);
    CHECK(number(*q, "x") == 5);
}

TEST_CASE("choices and causes are shuffled by the seed")
{
    Calculator calculator(test::presets());
    std::set<std::string> first;
    std::set<std::string> faults;
    for (std::uint64_t seed = 0; seed < 60; ++seed)
    {
        const Question q = question(calculator, "curve", seed);
        first.insert(q.choices.front().id);
        for (const ShownChoice& c : q.choices)
        {
            if (c.right)
            {
                faults.insert(c.id);
                CHECK_FALSE(c.because.empty());
                CHECK_FALSE(c.fix.empty());
            }
        }
    }
    CHECK(first.size() == 4);
    CHECK(faults.size() == 4);
}

TEST_CASE("what is wrong with a question is found by looking at it")
{
    const auto wrong = [](const std::string& fields)
    {
        const auto q = drawn(fields);
        REQUIRE(q);
        return lines_of(inspect(*q));
    };
    CHECK(wrong("\"note\": \"n\"").empty());
    CHECK(wrong(R"("solution": [{"says": "x", "value": "2*x"}])").find("solution[0]: ends at") == 0);
    CHECK(
        wrong(
            R"("unit": "B", "key": "16e9*x", "solution": [{"says": "x", "value": "16e9*x"}], "hints": ["It is {= 16e9*x | B}.", "b", "c"])")
            .find("hints[0]: says the answer") == 0);
    CHECK(wrong(R"("stem": "two  spaces")").find("stem: spaces too many") == 0);
    CHECK(wrong(R"x("stem": "after {x} step(s)")x").find("stem: \"(s)\"") == 0);
    CHECK(wrong(R"("stem": "after 1 steps")").find("stem: \"1 steps\"") == 0);
    CHECK(wrong(R"("stem": "on 16 GPUs GPUs")").find("stem: \"GPUs GPUs\"") == 0);
    CHECK(
        wrong(R"("kind": "comparison", "answer": "a", "choices": [{"id": "a", "says": "A: 16", "right": true},
        {"id": "neither", "says": "Neither: 16"}])")
            .find("choices: two say \"16\"") == 0);
}

TEST_CASE("a question says what its number counts and per what; what the grader does not know is a fault")
{
    // Nothing where it is asked back.
    const auto value = [](const std::string& fields, const char* typed)
    {
        const auto q = drawn(fields);
        REQUIRE(q);
        const auto reading = read_answer(typed, asked_in(*q));
        return reading && reading->doubt.empty() ? std::optional(reading->value) : std::nullopt;
    };
    const std::string layers =
        R"("stem": "How large is it?", "counts": "layers", "per": "GPU or million tokens")";
    CHECK(value(layers, "12 layers") == 12);
    CHECK(value(layers, "12 layers per GPU") == 12);
    CHECK(value(layers, "12 per token") == 12e6);
    CHECK_FALSE(value(layers, "12 per node"));
    CHECK_FALSE(value(layers, "12 stages"));
    CHECK(value(R"("counts": "GPU-hours")", "2 GPU-days") == 48);
    CHECK(value(R"("counts": "requests/s")", "60 requests per minute") == 1);
    CHECK_FALSE(value(R"("stem": "How many layers?")", "12 layers")); // nothing is read from the text
    const auto refused = [](const std::string& fields)
    {
        QuestionBank bank;
        return lines_of(add_questions(text_of(fields), "questions/t.json", bank));
    };
    CHECK(refused(R"("counts": "flowers")").starts_with("f/v.counts: \"flowers\" is nothing"));
    CHECK(refused(R"("per": "GPU or flower")").starts_with("f/v.per: \"flower\" is nothing"));
}

TEST_CASE("a noun agrees with its number, a unit's word too")
{
    const auto stem = [](double x) {
        return drawn(R"("stem": "{x:more expert} and {= x | GPUs}")", 1, {{"x", x}})->stem;
    };
    CHECK(stem(1) == "1 more expert and 1 GPU");
    CHECK(stem(2) == "2 more experts and 2 GPUs");
}

TEST_CASE("a variant with a stem of its own does not inherit a note about another question")
{
    const std::string family =
        R"({"schema": "ringside.questions/1", "topic": "t", "title": "T", "families": [{
        "id": "f", "title": "F", "concept": "model-state", "kind": "numeric", "stem": "s", "note": "No offload.", "key": "1",
        "unit": "", "hints": ["a", "b", "c"], "solution": [{"says": "x", "value": "1"}], "variants": [
        {"id": "same", "difficulty": "easy"},
        {"id": "other", "difficulty": "easy", "stem": "Offloaded."},
        {"id": "own", "difficulty": "easy", "stem": "t", "note": "Own."}]}]})";
    QuestionBank bank;
    REQUIRE(add_questions(family, "questions/t.json", bank).empty());
    CHECK(bank.families[0].variants[0].note == "No offload.");
    CHECK(bank.families[0].variants[1].note.empty());
    CHECK(bank.families[0].variants[2].note == "Own.");
}

TEST_CASE("the seed draws the letters of sources that disagree; what is typed is the letter that is shown")
{
    const std::string claims = R"("kind": "comparison", "stem": "{claims} Who is right?", "answer": "{B}.",
        "claims": ["The batch is {x}.", "The batch is {= 2*x}."], "choices": [{"id": "a", "says": "{A}: {x}"},
        {"id": "b", "says": "{B}: {= 2*x}", "right": true}, {"id": "neither", "says": "Neither: 0"}])";
    Calculator calculator(test::presets());
    int b_is_right = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
    {
        const auto q = drawn(claims, seed);
        REQUIRE(q);
        CHECK(q->stem.starts_with("Source A: The batch is "));
        CHECK(q->stem.find(" Source B: The batch is ") != std::string::npos);
        REQUIRE(q->choices.size() == 3);
        CHECK(q->choices[0].says.starts_with("A: "));
        CHECK(q->choices[1].says.starts_with("B: "));
        const std::string right = q->choices[0].right ? "a" : "b";
        CHECK(q->choices[right == "a" ? 0 : 1].id == right);
        CHECK(q->answer == (right == "a" ? "A." : "B."));
        CHECK(grade(*q, {right}, calculator)->correct);
        CHECK_FALSE(grade(*q, {right == "a" ? "b" : "a"}, calculator)->correct);
        b_is_right += right == "b" ? 1 : 0;
    }
    CHECK(b_is_right > 35);
    CHECK(b_is_right < 65);
}
