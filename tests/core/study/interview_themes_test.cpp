// Which families ask each theme of today's interviews: tests/data/interview_themes.json lists them, and the
// tests/data/study/coverage.json says the same of every question.
#include "tests/core/study/study_support.h"

#include "core/base/json/json.h"
#include "core/study/questions/coverage.h"

#include <fstream>
#include <map>
#include <set>

using namespace ringside;
using nlohmann::json;

namespace
{

struct ThemeAsked
{
    std::set<std::string> families;
    std::size_t variants = 0;
    bool computed = false; // by numbers or by evidence, not from memory alone
};

std::map<std::string, ThemeAsked> asked_by_theme(const QuestionBank& bank)
{
    const auto items = test::items_by_question();
    std::map<std::string, ThemeAsked> themes;
    for (const QuestionFamily& family : bank.families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            for (const std::string& source : items.at(family.id + "/" + v.id))
            {
                if (source.starts_with("005-"))
                {
                    ThemeAsked& theme = themes[source];
                    theme.families.insert(family.id);
                    ++theme.variants;
                    theme.computed = theme.computed || v.kind != QuestionKind::recall;
                }
            }
        }
    }
    return themes;
}

} // namespace

TEST_CASE("each of the 40 interview themes is asked by the families that its row lists, and by no other")
{
    Issues issues;
    const QuestionBank bank = load_questions(test::source_path("assets"), issues);
    const auto inventory = test::full_inventory();
    REQUIRE(inventory);
    std::ifstream in(test::source_path("tests/data/interview_themes.json"));
    const json rows = json::parse(in)["themes"];
    std::map<std::string, ThemeAsked> asked = asked_by_theme(bank);
    CHECK(rows.size() == 40);
    CHECK(asked.size() == rows.size());
    for (const json& row : rows)
    {
        const std::string id = row["id"];
        INFO(id << ": " << row["title"].get<std::string>());
        CHECK(inventory->item(id) != nullptr);
        const auto listed = row["families"].get<std::set<std::string>>();
        CHECK(asked[id].families == listed);
        CHECK(asked[id].variants >= 2);
        CHECK(asked[id].computed);
    }
}
