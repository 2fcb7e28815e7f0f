// The memory model against the values its own projects publish (tests/data/fsrs_vectors.json), and what our
// scheduling adds to it.
#include "tests/core/support.h"

#include "core/base/json/json.h"
#include "core/study/progress/attempt.h"
#include "core/study/progress/fsrs.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <set>

using namespace ringside;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace
{

constexpr double kSingle = 1e-5; // the references compute in single precision

const nlohmann::json& vectors()
{
    static const nlohmann::json loaded = test::read("tests/data/fsrs_vectors.json");
    return loaded;
}

Grade grade(int number)
{
    return static_cast<Grade>(number);
}

// The memory after grades at these elapsed days.
FsrsMemory memory_after(const nlohmann::json& grades, const nlohmann::json& elapsed, const FsrsWeights& w)
{
    FsrsMemory m = first_memory(grade(grades[0].get<int>()), w);
    for (std::size_t i = 1; i < grades.size(); ++i)
    {
        m = next_memory(m, grade(grades[i].get<int>()), elapsed[i].get<std::int64_t>(), w);
    }
    return m;
}

Schedule plain()
{
    Schedule s;
    s.fuzz = false;
    return s;
}

// A card that has been answered Good until it is in review, `days` ago.
Card in_review(std::int64_t now_ms, std::int64_t days, const Schedule& s)
{
    Card card;
    for (const Grade g : {Grade::good, Grade::good})
    {
        card = reviewed(card, g, now_ms - days * kDayMs, s, "x");
    }
    return card;
}

} // namespace

TEST_CASE("hand-worked: at its stability, recall is 0.9 and the interval for 0.9 is the stability")
{
    // R(S, S) = (1 + f)^-w20 = (0.9^(-1/w20))^-w20.
    for (const double s : {0.5, 1.0, 7.3, 400.0})
    {
        CHECK_THAT(recall_after(s, s, kFsrs6Defaults), WithinRel(0.9, 1e-12));
        CHECK_THAT(interval_for(s, 0.9, kFsrs6Defaults), WithinRel(s, 1e-12));
    }
    // Where f t / S is 1, it is 2^-w20 = 2^-0.1542 = 0.8986.
    CHECK_THAT(recall_after(1 / 0.9803464944134797, 1, kFsrs6Defaults), WithinRel(0.898631, 1e-5));
}

TEST_CASE("the default weights are the published ones and within their bounds")
{
    for (std::size_t i = 0; i < kFsrsWeights; ++i)
    {
        CHECK(kFsrs6Defaults[i] == vectors()["default_w"][i].get<double>());
    }
    CHECK(check(kFsrs6Defaults).empty());
}

TEST_CASE("published: the forgetting curve")
{
    for (const auto& v : vectors()["forgetting_curve"])
    {
        CHECK_THAT(recall_after(v["t"], v["S"], kFsrs6Defaults), WithinRel(v["R"].get<double>(), 1e-6));
    }
    FsrsWeights w = kFsrs6Defaults;
    w[20] = 0.2;
    for (const auto& v : vectors()["retrievability_decay_0p2_S1"])
    {
        CHECK_THAT(recall_after(v[0], 1, w), WithinRel(v[1].get<double>(), 1e-6));
    }
}

TEST_CASE("published: first difficulties, and difficulty after each grade from 5")
{
    const std::array<double, 4> first{6.4133, 5.1121707, 2.1181040, 1.0};
    for (int g = 1; g <= 4; ++g)
    {
        CHECK_THAT(first_memory(grade(g), kFsrs6Defaults).difficulty,
                   WithinAbs(first[static_cast<std::size_t>(g) - 1], 1e-6));
        CHECK_THAT(next_difficulty(5, grade(g), kFsrs6Defaults),
                   WithinRel(vectors()["next_difficulty_D5"][std::to_string(g)].get<double>(), kSingle));
    }
    // Before reversion to the mean: D + -w6 (G - 3) (10 - D) / 9.
    FsrsWeights no_reversion = kFsrs6Defaults;
    no_reversion[7] = 0;
    const std::array<double, 4> raw{8.354889, 6.6774445, 5.0, 3.3225555};
    for (int g = 1; g <= 4; ++g)
    {
        CHECK_THAT(next_difficulty(5, grade(g), no_reversion),
                   WithinRel(raw[static_cast<std::size_t>(g) - 1], 1e-6));
    }
}

TEST_CASE("published: stability from 5 after a pass, a lapse and a second review on the day")
{
    for (const auto& v : vectors()["recall_S5"])
    {
        const int g = v["g"];
        const double factor = g == 2 ? kFsrs6Defaults[15] : g == 4 ? kFsrs6Defaults[16] : 1;
        CHECK_THAT(stability_after_pass({5, v["D"]}, v["R"], factor, kFsrs6Defaults),
                   WithinRel(v["S"].get<double>(), kSingle));
    }
    for (const auto& v : vectors()["forget_S5"])
    {
        CHECK_THAT(stability_after_lapse({5, v["D"]}, v["R"], kFsrs6Defaults),
                   WithinRel(v["S"].get<double>(), kSingle));
    }
    for (int g = 1; g <= 4; ++g)
    {
        const double expected = vectors()["short_term_S5_fsrs_rs"][static_cast<std::size_t>(g) - 1];
        CHECK_THAT(stability_same_day(5, grade(g), kFsrs6Defaults), WithinRel(expected, kSingle));
    }
}

TEST_CASE("published: the memory after six reviews")
{
    for (const auto& v : vectors()["memory_state"])
    {
        FsrsWeights w = kFsrs6Defaults;
        if (v.contains("w17_18_19"))
        {
            w[17] = w[18] = w[19] = 0;
        }
        const FsrsMemory m = memory_after(v["ratings"], v["dt"], w);
        CHECK_THAT(m.stability, WithinAbs(v["S"].get<double>(), 1e-4));
        CHECK_THAT(m.difficulty, WithinAbs(v["D"].get<double>(), 1e-4));
    }
    const std::array<std::pair<double, double>, 4> intervals{{{0.7, 498}, {0.8, 178}, {0.9, 54}, {0.95, 22}}};
    for (const auto& [retention, days] : intervals)
    {
        CHECK(std::round(interval_for(53.62691, retention, kFsrs6Defaults)) == days);
    }
}

TEST_CASE("published: thirteen reviews, each when it is due")
{
    const auto& v = vectors()["interval_history"];
    Card card;
    std::int64_t now = 1'700'000'000'000;
    for (std::size_t i = 0; i < v["ratings"].size(); ++i)
    {
        card = reviewed(card, grade(v["ratings"][i].get<int>()), now, plain(), "x");
        INFO("review " << i);
        CHECK((card.due_ms - now) / kDayMs == v["ivl_days"][i].get<std::int64_t>());
        now = card.due_ms;
    }
    CHECK(card.lapses == 1); // the second Again finds it relearning
}

TEST_CASE("published: intervals of stability 1 for retentions from 0.1 to 1")
{
    const auto& v = vectors()["next_interval_S1_retention_0p1_to_1p0"];
    for (std::size_t i = 0; i < v.size(); ++i)
    {
        const double days = interval_for(1, static_cast<double>(i + 1) / 10, kFsrs6Defaults);
        CHECK_THAT(std::max(1.0, std::round(days)), WithinRel(v[i].get<double>(), 1e-4));
    }
}

TEST_CASE("published: FSRS-5 weights with their fixed decay")
{
    const auto& v = vectors()["fsrs5_19param"];
    const auto w = upgraded_weights(v["w"].get<std::vector<double>>());
    REQUIRE(w);
    CHECK((*w)[19] == 0);
    CHECK((*w)[20] == 0.5);
    const FsrsMemory m = memory_after(v["history"]["ratings"], v["history"]["dt"], *w);
    for (const Grade g : kGrades)
    {
        const auto& expected = v["next"][std::to_string(static_cast<int>(g))];
        const FsrsMemory next = next_memory(m, g, v["then_dt"], *w);
        CHECK_THAT(next.stability, WithinRel(expected["S"].get<double>(), kSingle));
        CHECK_THAT(next.difficulty, WithinRel(expected["D"].get<double>(), kSingle));
    }
}

TEST_CASE("published: FSRS-4.5 weights become FSRS-6's")
{
    const auto& v = vectors()["migrate_4p5_to_6"];
    const auto w = upgraded_weights(v["w17"].get<std::vector<double>>());
    REQUIRE(w);
    for (std::size_t i = 0; i < kFsrsWeights; ++i)
    {
        CHECK_THAT((*w)[i], WithinRel(v["out"][i].get<double>(), 1e-6));
    }
}

TEST_CASE("the defaults of FSRS-4.5 and FSRS-5 can be upgraded")
{
    const std::vector<double> v4_5{0.4872, 1.4003, 3.7145, 13.8206, 5.1618, 1.2298, 0.8975, 0.031, 1.6474,
                                   0.1367, 1.0461, 2.1072, 0.0793,  0.3246, 1.587,  0.2272, 2.8755};
    const std::vector<double> v5{0.40255, 1.18385, 3.173,  15.69105, 7.1949, 0.5345, 1.4604,
                                 0.0046,  1.54575, 0.1192, 1.01925,  1.9395, 0.11,   0.29605,
                                 2.2698,  0.2315,  2.9898, 0.51655,  0.6621};
    CHECK(upgraded_weights(v4_5));
    CHECK(upgraded_weights(v5));
}

TEST_CASE("weights that are no weights are named by their index")
{
    const auto wrong_count = upgraded_weights(std::vector<double>(20, 0.5));
    REQUIRE_FALSE(wrong_count);
    CHECK(wrong_count.issues().front().message == "20 numbers are no set of FSRS weights");
    FsrsWeights w = kFsrs6Defaults;
    w[20] = 0.05;
    w[0] = std::numeric_limits<double>::quiet_NaN();
    const Issues issues = check(w);
    REQUIRE(issues.size() == 2);
    CHECK(issues[0].path == "weights[0]");
    CHECK(issues[1].path == "weights[20]");
    CHECK(issues[1].hint == "use 0.1 to 0.8");
}

TEST_CASE("Easy ten times on one day brings the difficulty to 1, and it stays between 1 and 10")
{
    FsrsMemory m = first_memory(Grade::good, kFsrs6Defaults);
    for (int i = 0; i < 10; ++i)
    {
        m = next_memory(m, Grade::easy, 0, kFsrs6Defaults);
    }
    CHECK(m.difficulty == 1);
    for (int i = 0; i < 50; ++i)
    {
        m = next_memory(m, Grade::again, 1, kFsrs6Defaults);
        CHECK(m.difficulty >= 1);
        CHECK(m.difficulty <= 10);
        CHECK(m.stability >= 0.001);
    }
}

TEST_CASE("learning steps: Again, Hard, Good and Easy of a new question")
{
    const Schedule s = plain();
    const auto wait = [&](Grade g) { return reviewed({}, g, 0, s, "x").due_ms; };
    CHECK(wait(Grade::again) == 1 * kMinuteMs);
    CHECK(wait(Grade::hard) == 330'000); // half way between one minute and ten
    CHECK(wait(Grade::good) == 10 * kMinuteMs);
    CHECK(wait(Grade::easy) == 8 * kDayMs); // w3 = 8.2956
    Schedule one = s;
    one.learning_min = {10};
    CHECK(reviewed({}, Grade::hard, 0, one, "x").due_ms == 15 * kMinuteMs);
    CHECK(reviewed({}, Grade::good, 0, one, "x").phase == CardPhase::review);
    one.learning_min.clear();
    CHECK(reviewed({}, Grade::again, 0, one, "x").phase == CardPhase::review);
    CHECK(reviewed({}, Grade::again, 0, one, "x").due_ms == kDayMs);
}

TEST_CASE("a lapse goes through relearning, and straight to a day without such steps")
{
    const std::int64_t now = 100 * kDayMs;
    const Card card = in_review(now, 2, plain());
    REQUIRE(card.phase == CardPhase::review);
    const Card lapsed = reviewed(card, Grade::again, now, plain(), "x");
    CHECK(lapsed.phase == CardPhase::relearning);
    CHECK(lapsed.due_ms == now + 10 * kMinuteMs);
    CHECK(lapsed.lapses == 1);
    Schedule none = plain();
    none.relearning_min.clear();
    CHECK(reviewed(card, Grade::again, now, none, "x").phase == CardPhase::review);
    CHECK(reviewed(card, Grade::again, now, none, "x").due_ms == now + kDayMs);
}

TEST_CASE("fuzz repeats with its seed, differs between questions, and stays within its range")
{
    Schedule s;
    s.seed = 7;
    const std::int64_t now = 1000 * kDayMs;
    const Card card = in_review(now, 2, plain());
    const auto days = [&](const char* id)
    { return (reviewed(card, Grade::good, now, s, id).due_ms - now) / kDayMs; };
    CHECK(days("a") == days("a"));
    std::set<std::int64_t> seen;
    for (char c = 'a'; c <= 'z'; ++c)
    {
        const std::string id(1, c);
        seen.insert(days(id.c_str()));
    }
    // Eleven days without fuzz: 1 + 0.15 (7 - 2.5) + 0.1 (11 - 7) = 2.075 either way.
    CHECK(seen.size() > 2);
    CHECK(*seen.begin() >= 9);
    CHECK(*seen.rbegin() <= 13);
    // Below two and a half days there is none.
    CHECK(reviewed(reviewed({}, Grade::good, now, s, "q"), Grade::good, now, s, "q").due_ms ==
          now + 2 * kDayMs);
}

TEST_CASE("with an interview nothing is due after it, and its last week asks for 0.95")
{
    const std::int64_t now = 1000 * kDayMs;
    Schedule s = plain();
    const Card card = in_review(now, 2, s);
    s.interview_ms = now + 9 * kDayMs + kDayMs / 2;
    CHECK(reviewed(card, Grade::good, now, s, "x").due_ms == now + 8 * kDayMs); // 11 without; the day before
    s.interview_ms = now + 6 * kDayMs;
    const double days =
        interval_for(reviewed(card, Grade::good, now, s, "x").memory.stability, 0.95, s.weights);
    CHECK(std::llround(days) < 6);
    CHECK(reviewed(card, Grade::good, now, s, "x").due_ms == now + std::llround(days) * kDayMs);
    s.interview_ms = now + kDayMs / 4;
    CHECK(reviewed(card, Grade::good, now, s, "x").due_ms ==
          *s.interview_ms - kMinuteMs); // no whole day is left
    s.interview_ms = now - 1;
    CHECK(reviewed(card, Grade::good, now, s, "x").due_ms == now + 11 * kDayMs); // it is over
    s.interview_ms = now + 30 * kDayMs;
    s.fuzz = true;
    for (const char* id : {"a", "b", "c", "d", "e"})
    {
        CHECK(reviewed(card, Grade::easy, now, s, id).due_ms < *s.interview_ms);
    }
}

TEST_CASE("properties: whatever the hour, nothing is due past the interview, and a day is left for it if "
          "there is one")
{
    // Every minute of the last two days, and of the days before one in 37.
    for (std::int64_t minute = 0; minute < 12 * 24 * 60; minute += minute < 9 * 24 * 60 ? 37 : 1)
    {
        const std::int64_t now = 1000 * kDayMs + minute * kMinuteMs;
        for (const std::int64_t offset_h : {-8, 0, 9})
        {
            Schedule s = plain();
            s.fuzz = minute % 2 == 0;
            s.offset_ms = offset_h * 60 * kMinuteMs;
            s.interview_ms = StudyTime{0, s.offset_ms}.noon_of(1011);
            const StudyTime time{now, s.offset_ms};
            for (const Card& before :
                 {Card{}, in_review(now - 5 * kDayMs, 1, s), in_review(now - 40 * kDayMs, 3, s)})
            {
                for (const Grade grade : kGrades)
                {
                    const Card after = reviewed(before, grade, now, s, "x");
                    if (now > *s.interview_ms)
                    {
                        REQUIRE(after.due_ms > now);
                        continue;
                    }
                    REQUIRE((after.due_ms < *s.interview_ms || after.due_ms == now));
                    const bool days_left = time.day() + 1 < 1011;
                    REQUIRE(
                        (!days_left || after.phase != CardPhase::review || time.day_of(after.due_ms) < 1011));
                    REQUIRE_FALSE((after.due_ms > now && is_due(after, time)));
                }
            }
        }
    }
}

TEST_CASE("properties: a better grade never comes sooner, more elapsed days never leave less after a pass")
{
    const std::int64_t now = 1000 * kDayMs;
    for (std::int64_t elapsed = 1; elapsed < 200; elapsed += 13)
    {
        const Card card = in_review(now, elapsed, plain());
        std::int64_t last = 0;
        double stability = 0;
        for (const Grade g : kGrades)
        {
            const Card next = reviewed(card, g, now, plain(), "x");
            CHECK(next.due_ms >= last);
            CHECK(next.memory.stability >= stability);
            last = next.due_ms;
            stability = next.memory.stability;
        }
        const Card later = in_review(now, elapsed + 13, plain());
        CHECK(reviewed(later, Grade::good, now, plain(), "x").memory.stability >=
              reviewed(card, Grade::good, now, plain(), "x").memory.stability);
    }
}

TEST_CASE("a clock set back counts as no time at all")
{
    const Card card = in_review(1000 * kDayMs, 0, plain());
    const Card next = reviewed(card, Grade::good, 900 * kDayMs, plain(), "x");
    CHECK(next.memory.stability == card.memory.stability); // Good on the same day: floor of 1
    CHECK(recall_at(card, {0, 0}, kFsrs6Defaults) == 1);
}

TEST_CASE("a review is due all day long, a learning step to the minute")
{
    Card card = in_review(1000 * kDayMs + 20 * 60 * kMinuteMs, 0, plain()); // at eight in the evening
    CHECK_FALSE(is_due(card, {1001 * kDayMs, 0}));
    CHECK(is_due(card, {1002 * kDayMs, 0})); // two days later, in the morning
    // Four hours west it is still the day before.
    CHECK_FALSE(is_due(card, {1002 * kDayMs, -4 * 60 * kMinuteMs}));
    const Card learning = reviewed({}, Grade::good, 0, plain(), "x");
    CHECK_FALSE(is_due(learning, {9 * kMinuteMs, 0}));
    CHECK(is_due(learning, {10 * kMinuteMs, 0}));
    CHECK_FALSE(is_due({}, {kDayMs, 0}));
}

TEST_CASE("automatic grades: each row of the rule")
{
    Attempt a;
    a.correct = true;
    a.target_s = 60;
    a.seconds = 30;
    CHECK(automatic_grade(a) == Grade::good);
    a.seconds = 23.9; // under 40% of the minute
    CHECK(automatic_grade(a) == Grade::easy);
    a.seconds = 61;
    CHECK(automatic_grade(a) == Grade::hard);
    CHECK(why_not(Grade::good, a) == "past the target time");
    a.seconds = 10;
    a.hints = 1;
    CHECK(automatic_grade(a) == Grade::hard);
    CHECK(why_not(Grade::good, a) == "a hint was used");
    a.hints = 3;
    CHECK(automatic_grade(a) == Grade::again);
    a.hints = 0;
    a.wrong = 1;
    CHECK(automatic_grade(a) == Grade::hard);
    a.wrong = 0;
    a.shown = true;
    CHECK(automatic_grade(a) == Grade::again);
    a.shown = false;
    a.correct = false;
    CHECK(automatic_grade(a) == Grade::again);
    a.correct = true;
    a.target_s = 0; // no time is asked for: right, but never fast
    CHECK(automatic_grade(a) == Grade::good);
}

TEST_CASE("rubrics: below half No Hire, below four fifths Lean, else Strong; teaching needs every point")
{
    CHECK(rubric_grade(0, 0, true) == Grade::again);
    CHECK(rubric_grade(2, 5, true) == Grade::again);
    CHECK(rubric_grade(3, 5, false) == Grade::hard);
    CHECK(rubric_grade(4, 5, true) == Grade::good);
    CHECK(rubric_grade(5, 5, false) == Grade::good);
    CHECK(rubric_grade(5, 5, true) == Grade::easy);
    CHECK(rubric_name(Grade::hard) == "Lean");
}

TEST_CASE("previews say what each grade would do and how much is left on the day")
{
    const std::int64_t now = 1000 * kDayMs;
    Schedule s = plain();
    s.interview_ms = now + 14 * kDayMs;
    const Card card = in_review(now, 2, s);
    const auto all = previews(card, "x", now, s, 30);
    CHECK(all[0].wait_ms == 10 * kMinuteMs);
    CHECK(wait_words(all[0].wait_ms) == "10 min");
    CHECK(wait_words(all[2].wait_ms) == "11 d");
    CHECK(wait_words(all[3].wait_ms) == "13 d"); // the day before the interview
    for (std::size_t i = 0; i < 4; ++i)
    {
        CHECK(all[i].after == reviewed(card, kGrades[i], now, s, "x"));
        REQUIRE(all[i].on_the_day);
        CHECK_THAT(*all[i].on_the_day,
                   WithinRel(recall_after(14, all[i].after.memory.stability, s.weights), 1e-12));
        REQUIRE(all[i].recall.size() == 31);
        CHECK(all[i].recall[0] == 1);
        CHECK(all[i].recall[14] == *all[i].on_the_day);
    }
    CHECK(*all[0].on_the_day < *all[1].on_the_day);
}

TEST_CASE("dates are read, written and refused")
{
    CHECK(parse_date("1970-01-01") == 0);
    CHECK(parse_date("2026-12-05") == 20792);
    CHECK(date_text(20792) == "2026-12-05");
    CHECK(date_words(20792) == "5 December");
    CHECK(date_short(20792) == "5 Dec");
    for (const char* wrong :
         {"2026-02-29", "2026-13-01", "26-12-05", "2026-12-5", "2026/12/05", "", "-026-12-05"})
    {
        INFO(wrong);
        CHECK_FALSE(parse_date(wrong));
    }
    const StudyTime evening{20791 * kDayMs + 23 * 60 * kMinuteMs, 2 * 60 * kMinuteMs};
    CHECK(evening.day() == 20792); // eleven at night UTC is the next day two hours east
    CHECK(evening.end_of(20792) - evening.ms == 23 * 60 * kMinuteMs);
}
