// What is asked next, how the topics stand, the plan, and the days ahead.
#include "tests/core/study/study_clock.h"
#include "tests/core/support.h"

#include "core/study/sessions/plan.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <numeric>
#include <set>

using namespace ringside;
using Catch::Matchers::WithinRel;
using test::Controller;
using test::family;
using test::kMonday;
using test::kMorning;

namespace
{

std::vector<std::string> ids(const std::vector<DeckCard>& deck)
{
    std::vector<std::string> out;
    for (const DeckCard& card : deck)
    {
        out.push_back(card.family);
    }
    return out;
}

const StudyPlan& plan()
{
    static const StudyPlan loaded = *read_plan(test::read("assets/study/plan.json"));
    return loaded;
}

// Learnt `days` ago with two Goods, so due two days after that.
void learn(Controller& controller, const std::string& id, std::int64_t days)
{
    controller.add(id, kMorning - days * kDayMs, Grade::good);
    controller.add(id, kMorning - days * kDayMs + 10 * kMinuteMs, Grade::good);
}

} // namespace

TEST_CASE("due questions come first, least remembered first with topics interleaved, then new ones")
{
    Controller controller;
    controller.families = {family("m1", "memory"),
                           family("m2", "memory"),
                           family("m3", "memory"),
                           family("z1", "zero"),
                           family("new-hard", "memory", "numeric", "hard"),
                           family("new-late", "scaling-laws", "numeric", "easy"),
                           family("new-early", "pp", "numeric", "easy"),
                           family("not-due", "pp")};
    learn(controller, "m1", 30);
    learn(controller, "m2", 20);
    learn(controller, "m3", 10);
    learn(controller, "z1", 5);
    learn(controller, "not-due", 1);
    CHECK(ids(make_deck(controller.view(), {})) ==
          std::vector<std::string>{"m1", "z1", "m2", "m3", "new-early", "new-late", "new-hard"});
}

TEST_CASE(
    "every variant is a card of its own: its siblings wait until the next day, and new ones count as new")
{
    Controller controller;
    FamilyInfo three = family("state", "zero");
    three.variants = {{"numeric", "state/easy", "", 20},
                      {"numeric", "state/hard", "", 20},
                      {"recall", "state/why", "", 20}};
    controller.families = {three};
    const auto answer = [&](int variant, std::int64_t days, Grade grade)
    {
        Review review = test::review("state", controller.now.ms - days * kDayMs, grade);
        review.variant = variant;
        apply(controller.progress, AddReview{review});
    };
    const auto variants = [&](const DeckRequest& request)
    {
        std::vector<std::pair<int, bool>> asked;
        for (const DeckCard& card : make_deck(controller.view(), request))
        {
            asked.emplace_back(card.variant, card.fresh);
        }
        return asked;
    };
    using Asked = std::vector<std::pair<int, bool>>;
    CHECK(variants({}) == Asked{{0, true}});
    answer(0, 0, Grade::easy);
    CHECK(variants({}).empty()); // the others wait
    controller.now.ms += kDayMs;
    CHECK(variants({}) == Asked{{1, true}});
    answer(1, 0, Grade::easy);
    CHECK(controller.progress.reviews.back().state == CardPhase::fresh);
    controller.now.ms += 60 * kDayMs;
    CHECK(variants({}).size() == 1);
    CHECK_FALSE(variants({}).front().second); // a due one before the third, which is new
    CHECK(controller.view().cards.size() == 2);
    const HeatTopic zero = heat_map(controller.view())[1];
    CHECK(zero.all.cards == 3);
    CHECK(zero.all.seen == 2);
    CHECK(zero.all.due == 1);
    answer(0, 0, Grade::good);
    CHECK(variants({}).empty());
    DeckRequest weak;
    weak.kind = DeckKind::weak;
    CHECK(variants(weak) == Asked{{1, false}}); // asked for by hand, nothing waits
}

TEST_CASE("a deck stops at its number of questions, of new ones, and at its time")
{
    Controller controller;
    for (int i = 0; i < 30; ++i)
    {
        controller.families.push_back(family("f" + std::to_string(i), "memory", "numeric", "easy", {}, 90));
    }
    DeckRequest request;
    CHECK(make_deck(controller.view(), request).size() == 8);
    request.most_new = 100;
    CHECK(make_deck(controller.view(), request).size() == 13); // 13 of 90 s in 20 minutes
    request.most = 5;
    CHECK(make_deck(controller.view(), request).size() == 5);
    request.minutes = 0.1;
    CHECK(make_deck(controller.view(), request).size() == 1); // at least one
    request.most_new = 0;
    CHECK(make_deck(controller.view(), request).empty());
}

TEST_CASE("no family is asked twice in a deck, and its numbers follow from the seed")
{
    Controller controller;
    controller.families = {family("a", "memory"), family("b", "zero"), family("c", "tp")};
    learn(controller, "a", 9);
    learn(controller, "b", 9);
    DeckRequest request;
    request.seed = 4711;
    const auto deck = make_deck(controller.view(), request);
    CHECK(deck == make_deck(controller.view(), request));
    const auto names = ids(deck);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    request.seed = 4712;
    CHECK(make_deck(controller.view(), request)[0].seed != deck[0].seed);
    CHECK_FALSE(deck[0].fresh);
    CHECK(deck[2].fresh);
}

TEST_CASE("filters: topic, kind, questions by name or all of a family, flag; what is suspended never comes")
{
    Controller controller;
    controller.families = {family("a", "memory", "numeric", "easy", {"state/easy"}),
                           family("b", "zero", "recall", "easy", {"state-of-two/easy"}),
                           family("c", "memory", "design"),
                           family("d", "memory", "numeric", "easy", {"state/hard"})};
    apply(controller.progress, SetSuspended{"d", true});
    apply(controller.progress, SetFlag{"b", true});
    const auto names = [&](const DeckFilter& filter)
    {
        std::string all;
        for (const FamilyInfo* f : families_of(controller.view(), filter))
        {
            all += f->id;
        }
        return all;
    };
    CHECK(names({}) == "abc");
    CHECK(names({{"memory"}, {}, {}, false}) == "ac");
    CHECK(names({{}, {"state"}, {}, false}) == "a");
    CHECK(names({{}, {}, KindGroup::design, false}) == "c");
    CHECK(names({{}, {}, {}, true}) == "b");
}

TEST_CASE("the weak deck takes what was seen, due or not, least remembered first")
{
    Controller controller;
    controller.families = {family("a", "memory"), family("b", "zero"), family("c", "tp")};
    learn(controller, "a", 1);
    learn(controller, "b", 2);
    DeckRequest request;
    request.kind = DeckKind::weak;
    CHECK(ids(make_deck(controller.view(), request)) == std::vector<std::string>{"b", "a", "c"});
    request.most_new = 0;
    CHECK(ids(make_deck(controller.view(), request)) == std::vector<std::string>{"b", "a"});
}

TEST_CASE("the heat map has a mean of the recall of what was seen, today and on the day")
{
    Controller controller;
    controller.families = {family("a", "zero"), family("b", "zero", "recall"), family("c", "zero"),
                           family("d", "tp")};
    learn(controller, "a", 3);
    learn(controller, "b", 1);
    controller.progress.interview = kMonday + 10;
    const auto heat = heat_map(controller.view());
    REQUIRE(heat.size() == 24);
    const HeatTopic& zero = heat[1];
    CHECK(zero.topic->id == "zero");
    CHECK(zero.all.cards == 3);
    CHECK(zero.all.seen == 2);
    CHECK(zero.all.attempts == 4);
    CHECK(zero.all.due == 1); // a was due a day ago
    // Two Goods on one day leave the stability at w2 = 2.3065; three days have passed, and one.
    const double s = controller.cards.at("a").memory.stability;
    CHECK_THAT(s, WithinRel(2.3065, 1e-12));
    const auto r = [&](double days) { return recall_after(days, s, kFsrs6Defaults); };
    CHECK_THAT(*zero.all.today, WithinRel((r(3) + r(1)) / 2, 1e-12));
    CHECK_THAT(*zero.all.then, WithinRel((r(13) + r(11)) / 2, 1e-12));
    CHECK_THAT(*zero.kinds[1].today, WithinRel(r(3), 1e-12));
    CHECK_THAT(*zero.kinds[0].today, WithinRel(r(1), 1e-12));
    CHECK(zero.kinds[2].cards == 0);
    CHECK(heat[7].all.cards == 1);
    CHECK_FALSE(heat[7].all.today);
    CHECK(weakest(heat, 3) == std::vector<std::size_t>{1}); // only what was seen
    controller.progress.interview = kMonday - 1;
    CHECK_FALSE(heat_map(controller.view())[1].all.then); // it is over
}

TEST_CASE("the forecast counts each day once, overdue ones today, and goes on with Good")
{
    Controller controller;
    controller.families = {family("a", "zero"), family("b", "tp"), family("c", "pp")};
    learn(controller, "a", 30); // overdue
    learn(controller, "b", 1);  // due tomorrow
    const auto days = forecast(controller.view(), 14);
    REQUIRE(days.size() == 14);
    CHECK(days[0] == 1);
    CHECK(days[1] == 1);
    // b again after tomorrow's Good: 11 days as in the published history, two days of fuzz either way.
    CHECK(std::accumulate(days.begin() + 10, days.end(), 0) == 1);
    CHECK(std::accumulate(days.begin(), days.end(), 0) == 3);
    CHECK(forecast(controller.view(), 0).empty());
}

TEST_CASE("a leech is told of after six lapses, and stays until it is suspended")
{
    Controller controller;
    controller.families = {family("a", "zero"), family("b", "zero")};
    std::int64_t now = kMorning - 100 * kDayMs;
    learn(controller, "b", 3);
    for (int i = 0; i < 6; ++i)
    {
        for (const Grade g : {Grade::good, Grade::good})
        {
            controller.add("a", now, g);
            now += 10 * kMinuteMs;
        }
        now += 3 * kDayMs;
        CHECK(leeches(controller.view()).empty());
        controller.add("a", now, Grade::again);
        now += 10 * kMinuteMs;
    }
    const auto found = leeches(controller.view());
    REQUIRE(found.size() == 1);
    CHECK(found[0].family == "a");
    CHECK(found[0].lapses == 6);
    CHECK(found[0].says.starts_with("Forgotten 6 times"));
    CHECK_FALSE(make_deck(controller.view(), {}).empty());
    apply(controller.progress, SetSuspended{"a", true});
    CHECK(leeches(controller.view()).empty());
}

TEST_CASE(
    "the plan that ships has missions on days 0, 3, 7, 14 and 21, every topic in one band and eight skills")
{
    std::vector<int> days;
    std::set<std::string> tasks;
    for (const Mission& mission : plan().missions)
    {
        days.push_back(mission.day);
        for (const PlanTask& task : mission.tasks)
        {
            CHECK(tasks.insert(task.id).second);
            const bool asks = task.kind == TaskKind::drill || task.kind == TaskKind::spoken;
            CHECK(asks == !(task.filter.topics.empty() && task.filter.questions.empty()));
        }
    }
    CHECK(days == std::vector<int>{0, 3, 7, 14, 21});
    CHECK(plan().skills.size() == 8);
    CHECK(plan().quick_eight.size() == 8);
    std::multiset<std::string> topics;
    for (const ReadinessBand& band : plan().bands)
    {
        topics.insert(band.topics.begin(), band.topics.end());
    }
    CHECK(topics.size() == study_topics().size());
    for (const StudyTopic& topic : study_topics())
    {
        CHECK(topics.count(std::string(topic.id)) == 1);
    }
}

TEST_CASE("a plan with faults names each of them")
{
    auto file = test::read("assets/study/plan.json");
    file["missions"][0]["tasks"][0]["kind"] = "dril";
    file["missions"][0]["tasks"][1]["topics"] = {"memry"};
    file["missions"][1]["day"] = -1;
    file["bands"][0]["topics"][0] = "memry";
    file.erase("skills");
    const auto read = read_plan(file);
    REQUIRE_FALSE(read);
    REQUIRE(read.issues().size() == 5);
    CHECK(read.issues()[0].path == "missions[0].tasks[0].kind");
    CHECK(read.issues()[1].hint == "did you mean \"memory\"?");
    CHECK_FALSE(read_plan(nlohmann::json(7)));
    CHECK_FALSE(read_plan(nlohmann::json::object()));
}

TEST_CASE("today's plan is the last whose day has come")
{
    Progress p;
    p.plan_start = kMonday;
    const auto on = [&](int day) { return mission_today(plan(), p, {kMorning + day * kDayMs, 0}); };
    CHECK(on(0).mission->day == 0);
    CHECK(on(0).next->day == 3);
    CHECK(on(2).mission->day == 0);
    CHECK(on(9).mission->day == 7);
    CHECK(on(9).day == 9);
    CHECK(on(9).earlier_open == 9); // five of day 0, four of day 3
    CHECK(on(40).mission->day == 21);
    CHECK(on(40).next == nullptr);
    apply(p, SetTask{{"day7-ring", kMorning}, true});
    apply(p, SetTask{{"day7-ring", kMorning + 1}, true});
    CHECK(on(9).done == 1);
    apply(p, SetTask{{"day7-ring", 0}, false});
    CHECK(on(9).done == 0);
    p.plan_start.reset();
    CHECK(on(9).day == 0); // it starts with the first review
}

TEST_CASE("readiness: known is right at the first try, first seen on an earlier day, and remembered with 0.9")
{
    Controller controller;
    controller.families = {family("forgotten", "memory"), family("known", "zero"),
                           family("second-try", "fsdp"),  family("today", "memory"),
                           family("new", "tp"),           family("rollouts", "alignment")};
    FamilyInfo own = family("own", "memory");
    own.interview = false; // no interviewer asks it
    controller.families.push_back(own);
    learn(controller, "forgotten", 30);
    learn(controller, "known", 1);
    learn(controller, "second-try", 1);
    controller.add("second-try", kMorning - kMinuteMs, Grade::hard);
    learn(controller, "today", 0);
    learn(controller, "rollouts", 1);
    const auto gauges = readiness(plan(), controller.view());
    REQUIRE(gauges.size() == 4);
    CHECK(gauges[0].total == 4);
    CHECK(gauges[0].seen == 4);
    CHECK(gauges[0].known == 1);
    CHECK(gauges[0].pass == 3); // 2.8, rounded up
    CHECK_FALSE(gauges[0].ready());
    CHECK(gauges[1].total == 1);
    CHECK(gauges[1].seen == 0);
    CHECK(gauges[3].known == 1); // the subjects of post-training and serving count
    CHECK(gauges[3].ready());
}

TEST_CASE("a topic whose questions were all learnt today is seen, not remembered")
{
    Controller controller;
    controller.families = {family("a", "memory"), family("b", "memory")};
    learn(controller, "a", 0);
    const auto cell = [&] { return heat_map(controller.view())[0].all; };
    CHECK(cell().seen == 1);
    CHECK(cell().right == 1);
    CHECK_FALSE(cell().today);
    learn(controller, "b", 2);
    CHECK(cell().settled == 1);
    REQUIRE(cell().today);
    CHECK(*cell().today < 1); // of b alone
    controller.add("b", kMorning - kMinuteMs, Grade::hard);
    CHECK(cell().right == 1); // a second try is not counted
}

TEST_CASE("the quick eight are asked in their order, seen or not")
{
    Controller controller;
    for (int i = 8; i >= 1; --i)
    {
        controller.families.push_back(family("q" + std::to_string(i), "memory", "recall", "easy",
                                             {plan().quick_eight.at(static_cast<std::size_t>(i - 1))}));
    }
    controller.families.push_back(family("other", "memory", "recall", "easy", {"other/easy"}));
    learn(controller, "q5", 1);
    CHECK(ids(make_deck(controller.view(), quick_eight(plan()))) ==
          std::vector<std::string>{"q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8"});
}

TEST_CASE("the newest score of a skill counts")
{
    Progress p;
    CHECK_FALSE(skill_score(p, "model-memory"));
    apply(p, SkillScore{"model-memory", 2, 1});
    apply(p, SkillScore{"model-memory", 4, 2});
    CHECK(skill_score(p, "model-memory") == 4);
}

TEST_CASE("a personal card is a family of the topic it is tagged with")
{
    CHECK(family_of({"personal:1", "f", "b", {"mine", "tp"}}).topic == "tp");
    CHECK(family_of({"personal:1", "f", "b", {}}).topic == "design");
}
