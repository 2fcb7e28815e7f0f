// Shared by the tests of study: the sample families, and one drawn from them.
#pragma once

#include "tests/core/support.h"
#include "tests/source_path.h"

#include "core/base/json/json_table.h"
#include "core/base/text/read_text.h"
#include "core/study/questions/coverage.h"
#include "core/study/questions/question.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace ringside::test
{

inline std::string lines_of(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

inline const QuestionBank& sample_bank()
{
    static const QuestionBank bank = []
    {
        Issues issues;
        QuestionBank loaded = load_questions(test::source_path("tests/data"), issues);
        INFO(lines_of(issues));
        REQUIRE(issues.empty());
        return loaded;
    }();
    return bank;
}

inline Question question(Calculator& calculator, const std::string& id, std::uint64_t seed,
                         const DrawnValues& overrides = {})
{
    const auto found = find_variant(sample_bank(), id);
    INFO(id);
    REQUIRE(found);
    auto drawn = draw(calculator, *found->family, found->variant, seed, overrides);
    INFO((drawn ? "" : lines_of(drawn.issues())));
    REQUIRE(drawn);
    return std::move(*drawn);
}

// The items that questions are to ask, which do not ship.
inline Result<Inventory> full_inventory()
{
    const auto text = read_plain(test::source_path("tests/data/study/inventory.json"), kMaxJsonBytes);
    return text ? read_inventory(*text) : Result<Inventory>(text.issues());
}

// By name of a question: the items of the inventory that it asks.
inline std::map<std::string, std::vector<std::string>> items_by_question()
{
    std::ifstream in(test::source_path("tests/data/study/coverage.json"));
    return nlohmann::json::parse(in).at("questions").get<std::map<std::string, std::vector<std::string>>>();
}

} // namespace ringside::test
