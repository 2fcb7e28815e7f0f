// From a deck's card to its question: variants in turn, parts with their parent's numbers, plain texts.
#include "tests/core/study/study_clock.h"
#include "tests/core/study/study_support.h"

#include "core/study/sessions/asking.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

FamilyInfo three()
{
    FamilyInfo f = test::family("f", "zero");
    f.variants = {{"numeric", "f/one", "memory", 20, 0},
                  {"recall", "f/two", "zero", 40, 0},
                  {"numeric", "f/three", "", 90, 1}};
    return f;
}

} // namespace

TEST_CASE("variants are asked from easy to hard, each once, then the least remembered")
{
    const FamilyInfo f = three();
    Progress progress;
    Cards cards;
    const auto answer = [&](int variant, std::int64_t day, Grade grade)
    {
        progress.reviews.push_back(
            {.card = "f", .time_ms = day * kDayMs, .rating = grade, .variant = variant});
        cards = replay(progress.reviews, schedule_of(progress));
    };
    const StudyState study{{&f, 1}, progress, cards, {30 * kDayMs, 0}};
    CHECK(next_variant(study, f) == 0);
    answer(0, 20, Grade::good);
    CHECK(next_variant(study, f) == 1);
    answer(1, 21, Grade::again);
    CHECK(next_variant(study, f) == 2);
    answer(2, 22, Grade::easy);
    CHECK(next_variant(study, f) == 1); // it was forgotten
    CHECK(target_of(f, 2) == 90);
    CHECK(next_variant(study, test::family("plain", "zero")) == 0);
}

TEST_CASE("a filter is about the variant that is asked, where one fits")
{
    const FamilyInfo f = three();
    DeckFilter named;
    named.questions = {"f/three"};
    CHECK(variants_for(f, named) == std::vector<int>{2});
    DeckFilter recall;
    recall.kind = KindGroup::recall;
    CHECK(variants_for(f, recall) == std::vector<int>{1});
    DeckFilter view;
    view.view = "memory";
    CHECK(variants_for(f, view) == std::vector<int>{0});
    view.view = "nowhere";
    CHECK(variants_for(f, view) == std::vector<int>{0, 1, 2}); // none fits: as if nothing was said
}

TEST_CASE("families tell what decks have to know of their variants")
{
    const auto all = families_in(test::sample_bank());
    REQUIRE(all.size() == test::sample_bank().families.size());
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        const QuestionFamily& family = test::sample_bank().families[i];
        CHECK(all[i].id == family.id);
        CHECK(all[i].variants.size() == family.variants.size());
        CHECK(all[i].kind == name_of(family.variants[0].kind));
        CHECK(all[i].questions.front() == family.id + "/" + family.variants[0].id);
    }
}

TEST_CASE(
    "a card that no family answers to is a fault, given numbers that make no question are drawn after all")
{
    Asking asking(test::sample_bank(), test::presets());
    DeckCard card{"nobody", 1};
    CHECK_FALSE(asking.ask(card));
    const QuestionFamily& family = test::sample_bank().families[0];
    card = {family.id, 3};
    const auto plain = asking.ask(card);
    REQUIRE(plain);
    card.set["no such parameter"] = 1.0;
    const auto still = asking.ask(card);
    REQUIRE(still);
    CHECK(still->stem == plain->stem);
}

TEST_CASE("frozen cards have a question, an answer and a name of their own")
{
    Asking asking(test::sample_bank(), test::presets());
    const auto cards = asking.frozen();
    std::set<std::string> names;
    for (const FrozenCard& card : cards)
    {
        CHECK(!card.front.empty());
        CHECK(!card.back.empty());
        CHECK(card.front.find("**") == std::string::npos);
        names.insert(card.guid);
    }
    CHECK(cards.size() > test::sample_bank().families.size());
    CHECK(names.size() == cards.size());
    CHECK(asking.words().size() == test::sample_bank().families.size());
}

TEST_CASE("looking at the view costs what a hint costs")
{
    Attempt a;
    a.correct = true;
    a.looked = true;
    CHECK(automatic_grade(a) == Grade::hard);
    CHECK(why_not(Grade::good, a) == "the view was looked at");
}

TEST_CASE("an answer after which one choice is left ends the question")
{
    DrillSession drill = start_drill({{"f", 1}}, {}, {}, test::kMorning);
    apply(drill, AnswerInput{"a", false, "a", true}, test::kMorning + 1000);
    CHECK(drill.stage == DrillStage::grading);
    CHECK(drill.items[0].automatic == Grade::again);
}

TEST_CASE(
    "mock interviews from the shipped questions fill their minutes, repeat nothing and ask no self-study")
{
    Issues issues;
    const QuestionBank bank = load_questions(test::source_path("assets"), issues);
    Asking asking(bank, test::presets());
    test::Controller controller;
    controller.families = families_in(bank);
    for (const int minutes : kMockMinutes)
    {
        double least = 1;
        int written = 0;
        constexpr std::uint64_t kInterviews = 40;
        for (std::uint64_t seed = 0; seed < kInterviews; ++seed)
        {
            MockSession mock = start_mock(controller.view(), minutes, seed);
            asking.add_follow_ups(mock);
            double seconds = 0;
            for (std::size_t i = 0; i < mock.items.size(); ++i)
            {
                const MockItem& item = mock.items[i];
                seconds += item.card.target_s;
                const QuestionFamily* family = bank.family(item.card.family);
                REQUIRE(family != nullptr);
                INFO(family->id << ", seed " << seed);
                CHECK(family->interview);
                CHECK(item.card.target_s <= 0.6 * minutes * 60);
                if (item.follows)
                {
                    REQUIRE(*item.follows == i - 1);
                    const auto first = asking.ask(mock.items[i - 1].card);
                    const auto again = asking.ask(item.card);
                    REQUIRE((first && again));
                    CHECK((first->stem != again->stem || first->key != again->key));
                    written += item.card.set.empty() ? 0 : 1;
                }
            }
            CHECK(seconds <= minutes * 60);
            least = std::min(least, seconds / (minutes * 60));
        }
        INFO(minutes << " minutes");
        CHECK(least > (minutes == 5 ? 0.6 : 0.8));
        CHECK(written >= static_cast<int>(kInterviews) * minutes / 15);
    }
}
