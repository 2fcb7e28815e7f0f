// Every family with a thousand seeds: what each question must be, whatever its numbers
// (core/study/questions/inspect.h).
#include "tests/core/study/study_support.h"
#include "tests/source_path.h"

#include "core/study/questions/coverage.h"
#include "core/study/questions/inspect.h"

#include <filesystem>

using namespace ringside;
using test::lines_of;

namespace
{

// Unoptimized and sanitized builds take ten times as long for the same.
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 1000;
#else
constexpr std::uint64_t kSeeds = 50;
#endif

void check_bank(const QuestionBank& bank)
{
    Calculator calculator(test::presets());
    for (const QuestionFamily& family : bank.families)
    {
        for (std::size_t v = 0; v < family.variants.size(); ++v)
        {
            const VariantCheck found = check_variant(calculator, family, v, kSeeds);
            INFO(lines_of(found.issues));
            CHECK(found.issues.empty());
            CHECK(found.drawn == kSeeds);
        }
    }
}

Inventory inventory()
{
    auto read = load_inventory(test::source_path("assets"));
    INFO((read ? "" : lines_of(read.issues())));
    REQUIRE(read);
    return std::move(*read);
}

} // namespace

TEST_CASE("the printed solution of every order that ships is the order of its file")
{
    Issues issues;
    const QuestionBank bank = load_questions(test::source_path("assets"), issues);
    Calculator calculator(test::presets());
    int orders = 0;
    for (const QuestionFamily& family : bank.families)
    {
        for (std::size_t v = 0; v < family.variants.size(); ++v)
        {
            const QuestionVariant& variant = family.variants[v];
            if (variant.kind != QuestionKind::ordering || variant.schedule ||
                variant.order != ItemOrder::after)
            {
                continue;
            }
            ++orders;
            const auto q = draw(calculator, family, v, 3);
            INFO(family.id << "/" << variant.id);
            REQUIRE(q);
            std::vector<std::string> printed;
            for (const std::size_t i : q->ordering.legal)
            {
                printed.push_back(q->ordering.items[i].id);
            }
            std::vector<std::string> listed;
            for (const ItemSpec& item : variant.items)
            {
                listed.push_back(item.id);
            }
            CHECK(printed == listed);
        }
    }
    CHECK(orders > 20);
}

TEST_CASE("a thousand questions of every sample family are sound: keys, solutions, hints, mistakes")
{
    check_bank(test::sample_bank());
}

TEST_CASE("a thousand questions of every family that ships are sound: keys, solutions, hints, mistakes")
{
    Issues issues;
    const QuestionBank bank = load_questions(test::source_path("assets"), issues);
    INFO(lines_of(issues));
    CHECK(issues.empty());
    CHECK(check_references(bank, inventory(), {}).empty());
    check_bank(bank);
}

TEST_CASE("the inventory has 363 items in 24 topics, 42 concepts and 75 errata")
{
    const Inventory all = inventory();
    CHECK(all.items.size() == 363);
    CHECK(all.concepts.size() == 42);
    CHECK(all.errata.size() == 75);
    std::set<std::string> topics;
    std::set<std::string> ids;
    for (const InventoryItem& item : all.items)
    {
        topics.insert(item.topic);
        CHECK(ids.insert(item.id).second);
        CHECK(all.find_concept(item.concept_id));
    }
    CHECK(topics.size() == 24);
    CHECK(all.item("004-PP2.place")->document() == "004");
    CHECK(all.item("000-Q999") == nullptr);
}

TEST_CASE(
    "hand-worked: the sample families ask 13 items, and a concept needs view, engine, family and lesson")
{
    const Inventory all = inventory();
    const Coverage none = coverage_of(test::sample_bank(), all, {});
    CHECK(none.askable() == 13);
    CHECK(none.items == 363);
    CHECK(none.missing.size() == 350);
    CHECK(none.complete() == 0);
    REQUIRE(none.documents.size() == 5);
    CHECK(none.documents[0].document == "000");
    CHECK(none.documents[0].items == 61);
    CHECK(none.documents[0].askable == 7);
    // C01, C09, C18, C21 and C40 have a view and something computed; C05 is only spoken, C13 has no view.
    const Coverage some =
        coverage_of(test::sample_bank(), all,
                    {{"C01", {"memory"}}, {"C05", {"formats"}}, {"C09", {"ring"}}, {"C13", {"x"}}});
    CHECK(some.complete() == 2);
    CHECK(some.concepts[0].complete());
    CHECK_FALSE(some.concepts[4].engine);
    CHECK(some.concepts[12].views.empty());
    CHECK_FALSE(some.concepts[0].families.empty());
    CHECK(some.concepts[0].lessons == std::set<std::string>{"memory"});
    CHECK_FALSE(some.concepts[0].title.empty());
}

TEST_CASE("references to what is not there are named")
{
    QuestionBank bank = test::sample_bank();
    QuestionVariant& v = bank.families[0].variants[0];
    v.sources = {"000-Q2", "999-X"};
    v.errata = {"E71"};
    v.concept_id = "C99";
    v.parts = {"nobody"};
    v.view = "kitchen";
    const std::string all =
        lines_of(check_references(bank, inventory(), {"memory", "ring", "pipelines", "planner"}));
    for (const char* line :
         {"questions/sample.json: state/easy.sources: there is no \"999-X\"",
          "state/easy.errata: there is no \"E71\" (use an id of study/errata.json)",
          "state/easy.concept: there is no \"C99\"", "state/easy.parts: there is no \"nobody\"",
          "state/easy.view: there is no \"kitchen\""})
    {
        INFO(all);
        CHECK(all.find(line) != std::string::npos);
    }
    CHECK(check_references(test::sample_bank(), inventory(), {}).empty());
}

TEST_CASE("an inventory with faults is refused with each of them")
{
    CHECK_FALSE(read_inventory("[]"));
    CHECK_FALSE(read_inventory("{"));
    const auto wrong = read_inventory(
        R"({"schema": "ringside.inventory/1", "concepts": [{"id": 1}], "errata": [2], "items": [
        {"id": "000-Q1", "topic": "t", "concept": "C01", "kind": "sung", "difficulty": "easy"}]})");
    REQUIRE_FALSE(wrong);
    for (const char* path : {"concepts[0].id", "errata[0]", "items[0].kind"})
    {
        INFO(path);
        CHECK(std::ranges::any_of(wrong.issues(), [path](const Issue& i) { return i.path == path; }));
    }
}
