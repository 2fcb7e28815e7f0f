#include "tests/core/study/study_support.h"

#include "core/evaluate/report.h"
#include "core/study/grading/grading.h"
#include "core/study/progress/attempt.h"
#include "core/study/questions/layout_answer.h"

#include <catch2/catch_approx.hpp>

#include <algorithm>
#include <random>

using namespace ringside;
using Catch::Approx;
using test::question;

namespace
{

Verdict graded(const Question& q, const Response& response)
{
    Calculator calculator(test::presets());
    const auto verdict = grade(q, response, calculator);
    INFO(response.text << (verdict ? "" : ": " + to_line(verdict.issues().front())));
    REQUIRE(verdict);
    return *verdict;
}

Question drawn(const std::string& id, std::uint64_t seed = 1, const DrawnValues& overrides = {})
{
    Calculator calculator(test::presets());
    return question(calculator, id, seed, overrides);
}

std::string refused(const Question& q, const std::string& text)
{
    Calculator calculator(test::presets());
    const auto verdict = grade(q, {text}, calculator);
    REQUIRE_FALSE(verdict);
    return to_line(verdict.issues().front());
}

Response response(const std::string& text, int tries, int hints, double seconds)
{
    return {text, tries, hints, false, seconds};
}

} // namespace

TEST_CASE("hand-worked: right, fast, helped and wrong are the four grades")
{
    const Question q = drawn("state", 1, {{"P", 70e9}}); // 20 s
    CHECK(graded(q, response("1.12 TB", 1, 0, 7)).grade == 4);
    CHECK(graded(q, response("1.12 TB", 1, 0, 8)).grade == 3);
    CHECK(graded(q, response("1.12 TB", 1, 0, 0)).grade == 3);
    CHECK(graded(q, response("1.12 TB", 1, 0, 21)).grade == 2);
    CHECK(graded(q, response("1.12 TB", 1, 1, 7)).grade == 2);
    CHECK(graded(q, response("1.12 TB", 2, 0, 7)).grade == 2);
    CHECK(graded(q, response("1.12 GB", 1, 0, 7)).grade == 1);
    CHECK(graded(q, {"1.12 TB", 1, 0, true, 7}).grade == 1);
}

TEST_CASE("a known slip is named with its working, and the key is not said")
{
    const Verdict v = graded(drawn("state", 1, {{"P", 70e9}}), {"0.28 TB"});
    CHECK_FALSE(v.correct);
    CHECK(v.mistake == "no-optimizer");
    CHECK(v.message == "That is weights and gradients only.");
    CHECK(v.read_as == "0.28 TB = 280 GB");
    CHECK(v.nearest == "4 \u00d7 70e9 = 280 GB");
    CHECK(refused(drawn("state"), "many").find("is not a number that can be read") != std::string::npos);
}

TEST_CASE("what could be meant in two ways is asked about, where that decides")
{
    const Question q = drawn("state", 1, {{"P", 70e9}}); // 1.12 TB
    const auto ask = to_ask(q, "1.12");
    REQUIRE(ask);
    CHECK(ask->question == "Do you mean 1.12 B or 1.12 TB?");
    CHECK(ask->choices == std::vector<std::string>{"1.12 B", "1.12 TB"});
    CHECK(refused(q, "1.12").find("Do you mean 1.12 B or 1.12 TB?") == 0);
    for (const std::string& choice : ask->choices)
    {
        CHECK_FALSE(to_ask(q, choice));
    }
    CHECK(graded(q, {ask->choices.back()}).correct);
    CHECK_FALSE(to_ask(q, "3.7")); // wrong in every unit
    CHECK(reading_of(q, "16 * 70e9") == "1.12 TB");
    CHECK(reading_of(q, "1 120 GB") == "1 120 GB = 1.12 TB");
    CHECK(reading_of(q, "banana").empty());
    const auto strange = to_ask(q, "1.12 flowers");
    REQUIRE(strange);
    CHECK(strange->question.find("\u201cflowers\u201d is not understood here") == 0);
}

TEST_CASE("a choice is named by its id, its number or its words")
{
    const Question q = drawn("faster", 1, {{"n", 512.0}, {"S", 1e3}});
    CHECK(graded(q, {"tree"}).correct);
    CHECK(graded(q, {"The double tree"}).correct);
    const Verdict wrong = graded(q, {"ring"});
    CHECK_FALSE(wrong.correct);
    CHECK(wrong.mistake == "ring");
    const std::size_t right = q.choices[0].right ? 1 : 2;
    CHECK(graded(q, {std::to_string(right)}).correct);
    CHECK(graded(q, {std::to_string(right) + ")"}).correct);
    CHECK(graded(q, {"option " + std::to_string(right)}).correct);
    CHECK(graded(q, {"double tree"}).correct);
    CHECK(refused(q, "both").find("use 1 to 2, or") != std::string::npos);
}

TEST_CASE("hand-worked: any order that respects what comes first is right")
{
    const Question q = drawn("order/events");
    CHECK(graded(q, {"gather forward gather-again backward scatter log"}).correct);
    CHECK(graded(q, {"gather, forward, log, gather-again, backward, scatter"}).correct);
    CHECK(graded(q, {"gather \u2192 forward \u2192 gather-again \u2192 backward \u2192 scatter \u2192 log"})
              .correct);
    CHECK(graded(q, {"gather -> forward -> log; gather-again, then backward and scatter."}).correct);
    const Verdict wrong = graded(q, {"gather gather-again forward backward scatter log"});
    CHECK_FALSE(wrong.correct);
    CHECK(wrong.mistake == "place-2");
    CHECK(wrong.message.find("Place 2 is too early for \u201cgather them again\u201d") == 0);
    CHECK(graded(q, {"1. gather 2. forward 3. log 4. gather-again 5. backward 6. scatter"}).correct);
    CHECK(graded(q, {"[gather, forward, log, gather-again, backward, scatter]"}).correct);
    CHECK(graded(q, {"first gather, then forward, next log, then gather-again, backward, finally scatter"})
              .correct);
    CHECK(refused(q, "gather forward").find("2 of 6 are there") == 0);
    CHECK(refused(q, "gather gather").find("is there twice") != std::string::npos);
    CHECK(refused(q, "gather sing").find("\u201csing\u201d is none of them") == 0);
}

TEST_CASE("hand-worked: the first six cells of 1F1B's first of four stages")
{
    const Question q = drawn("order/cells", 1, {{"p", 4.0}, {"m", 8.0}});
    CHECK(graded(q, {"0F0 0F1 0F2 0F3 0B0 0F4"}).correct);
    CHECK(graded(q, {"0f0 0f1 0f2 0f3 0b0 0f4"}).correct);
    CHECK(graded(q, {"F0 F1 F2 F3 B0 F4"}).correct);
    CHECK(graded(q, {"F0-F1-F2-F3-B0-F4"}).correct);
    CHECK_FALSE(graded(q, {"F0 F1 F2 B0 F3 F4"}).correct);
    CHECK_FALSE(graded(q, {"0F0 0F1 0F2 0B0 0F3 0F4"}).correct);
}

TEST_CASE("items sorted by value are right in that order only, and shown in another")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed)
    {
        const Question q = drawn("order/sizes", seed);
        CHECK(graded(q, {"zero one two three"}).correct);
        CHECK_FALSE(graded(q, {"zero one three two"}).correct);
        CHECK_FALSE(graded(q, {"1 2 3 4"}).correct);
        CHECK(check_order(q.ordering, q.ordering.legal).correct);
    }
}

TEST_CASE("spoken answers are graded by the points ticked, and by the user")
{
    const Question q = drawn("spoken");
    CHECK(graded(q, {"all"}).grade == 3);
    CHECK(graded(q, {"1,2"}).grade == 2);
    CHECK(graded(q, {"2"}).grade == 1);
    CHECK(graded(q, {"none"}).grade == 1);
    CHECK(graded(q, {"1 2 3"}).correct);
    Question five = q;
    five.rubric.assign(5, "a point");
    for (int points = 0; points <= 5; ++points)
    {
        std::string text = points == 0 ? "none" : "";
        for (int i = 1; i <= points; ++i)
        {
            text += std::to_string(i) + " ";
        }
        CHECK(graded(five, {text}).grade == static_cast<int>(rubric_grade(points, 5, false)));
    }
    CHECK(graded(q, {"teach"}).grade == 4);
    CHECK(graded(q, {"No Hire"}).grade == 1);
    CHECK(graded(q, {"strong", 1, 2}).grade == 2);
    CHECK(graded(q, {"all of them"}).message.find("3 of 3 points.") == 0);
    CHECK(graded(five, {"5/5"}).correct);
    CHECK(graded(five, {"1-3, 5"}).message.find("4 of 5 points.") == 0);
    CHECK(graded(five, {"1 and 3"}).message.find("2 of 5 points.") == 0);
    CHECK(graded(five, {"2 of 5"}).message.find("2 of 5 points.") == 0);
    CHECK(refused(five, "6/5").find("ticks no points") != std::string::npos);
    CHECK(refused(five, "3-1").find("ticks no points") != std::string::npos);
    CHECK(refused(q, "4").find("use numbers from 1 to 3") != std::string::npos);
    CHECK(refused(q, "perhaps").find("ticks no points") != std::string::npos);
}

TEST_CASE("layouts are read as people write them")
{
    const Scenario s = test::presets().scenario("llama-7b-64")->scenario;
    const auto laid = read_layout("TP=8, pp 2 zero 1 micro 1 recompute full", s);
    REQUIRE(laid);
    CHECK(laid->parallel.tensor == 8);
    CHECK(laid->parallel.pipeline == 2);
    CHECK(laid->parallel.zero == 1);
    CHECK(laid->training.micro_batch == 1);
    CHECK(laid->training.recompute == Recompute::full);
    for (const char* text :
         {"tp8 pp2 dp4", "TP8 PP2 DP4", "tp=8,pp=2,dp=4", "8x2x4", "8 x 2 x 4", "8-way TP, 2-way PP",
          "8-way TP, 2-way PP, 4-way DP", "TP: 8; PP: 2", "tp-8 pp-2", "TP 8 / PP 2 / DP 4",
          "tensor-parallel 8, pipeline-parallel 2", "8 TP, 2 PP, 4 DP",
          "--tensor-model-parallel-size 8 --pipeline-model-parallel-size=2", "TP=8 \u00d7 PP=2"})
    {
        const auto read = read_layout(text, s);
        INFO(text << (read ? "" : ": " + to_line(read.issues().front())));
        REQUIRE(read);
        CHECK(read->parallel.tensor == 8);
        CHECK(read->parallel.pipeline == 2);
    }
    const auto flags = read_layout("TP=8, PP=2, ZeRO-1, mbs 2, full recompute, 1f1b", s);
    REQUIRE(flags);
    CHECK(flags->parallel.zero == 1);
    CHECK(flags->training.micro_batch == 2);
    CHECK(flags->training.recompute == Recompute::full);
    CHECK(read_layout("tp 8 pp 2 no recompute, zero stage 2", s)->parallel.zero == 2);
    CHECK(layout_text(*laid) == "tp 8 pp 2 zero 1 micro 1 recompute full schedule 1f1b");
    const auto again = read_layout(layout_text(*laid), s);
    REQUIRE(again);
    CHECK(*again == *laid);
    const auto fault = [&](const char* text)
    {
        const auto layout = read_layout(text, s);
        REQUIRE_FALSE(layout);
        return to_line(layout.issues().front());
    };
    CHECK(fault("tq 8").find("\u201ctq\u201d is not part of a layout") == 0);
    CHECK(fault("tp many").find("tp of \u201cmany\u201d is no value") == 0);
    CHECK(fault("tp 3").find('3') != std::string::npos);
    CHECK(fault("tp 8 dp 64").find("dp 64 does not follow") == 0);
    CHECK(fault("").find("nothing was typed") == 0);
}

TEST_CASE("the engine says whether a layout fits and how far it is from the best there is")
{
    const Scenario s = test::presets().scenario("llama-7b-64")->scenario;
    const auto alone = judge_layout(*read_layout("tp 1 pp 1 zero 0 micro 1", s), {true, 1.3});
    REQUIRE(alone);
    CHECK(alone->fits == evaluate(*read_layout("tp 1 pp 1 zero 0 micro 1", s))->memory.fits());
    REQUIRE(alone->best > 0);
    const auto best = judge_layout(*read_layout(alone->best_layout, s), {true, 1.3});
    REQUIRE(best);
    CHECK(best->good);
    CHECK(best->fits);
    CHECK(best->over_best() == Approx(1).epsilon(0.07));
    const Question q = drawn("layout");
    CHECK(graded(q, {alone->best_layout}).correct);
    CHECK(graded(q, {"lean"}).grade == 2);
    CHECK_FALSE(graded(q, {"tp 8 pp 8 zero 0 micro 1 recompute full"}).correct);
}

TEST_CASE("random bytes are no answer to any kind of question that breaks anything")
{
    std::mt19937_64 rng(3);
    Calculator calculator(test::presets());
    for (const char* id : {"state", "faster", "order", "order/cells", "curve", "spoken", "layout"})
    {
        const Question q = question(calculator, id, 5);
        for (int round = 0; round < 300; ++round)
        {
            std::string text;
            for (std::uint64_t i = rng() % 30; i > 0; --i)
            {
                text += round % 2 == 0 ? static_cast<char>(rng()) : "0123 ,tpzeromicro="[rng() % 18];
            }
            // The search of a layout takes too long for hundreds.
            if (q.goal && read_layout(text, q.scenario->scenario))
            {
                continue;
            }
            const auto verdict = grade(q, {text}, calculator);
            REQUIRE((verdict ? verdict->grade >= 1 && verdict->grade <= 4
                             : !verdict.issues().front().message.empty()));
        }
    }
}

TEST_CASE("a layout of no ranks, or of more than there can be, is refused and harms nothing")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    for (const char* text : {"tp 0 pp 4", "cp 0", "micro 0", "gpus 0", "tp 8388608 pp 8388608 cp 8388608",
                             "ep 9000000", "zero 9"})
    {
        const auto read = read_layout(text, s);
        INFO(text);
        REQUIRE_FALSE(read);
        CHECK_FALSE(read.issues().front().hint.empty());
    }
}
