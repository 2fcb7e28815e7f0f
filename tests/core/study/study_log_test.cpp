// Logs of runs that end out of memory: what they print has to add up.
#include "tests/core/study/study_support.h"
#include "tests/share.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <optional>
#include <regex>

using namespace ringside;

namespace
{

// [B] of the amount that the pattern's first two groups hold, decimal.
std::optional<double> amount(const std::string& line, const char* pattern)
{
    std::smatch found;
    if (!std::regex_search(line, found, std::regex(pattern, std::regex::icase)))
    {
        return std::nullopt;
    }
    const std::string unit = found[2];
    return std::stod(found[1]) * (unit == "TB" ? 1e12 : unit == "GB" ? 1e9 : 1e6);
}

#define AMOUNT "([0-9.]+) (TB|GB|MB)"

// [B] in use when the allocation failed: as the log sums it up, or the parts it lists.
double in_use(const std::vector<std::string>& lines)
{
    double most = 0;
    double parts = 0;
    for (const std::string& line : lines)
    {
        for (const char* pattern : {"reserved " AMOUNT, "allocated " AMOUNT, "in use " AMOUNT,
                                    AMOUNT "(?: are)? (?:allocated|in use)"})
        {
            most = std::max(most, amount(line, pattern).value_or(0));
        }
        const double state =
            amount(line, "optimizer state " AMOUNT)
                .value_or(amount(line, R"(optimizer state ([0-9.]+) of [0-9.]+ (GB))").value_or(0));
        parts += state + amount(line, "and " AMOUNT " in FP32").value_or(0) +
                 amount(line, "^(?:weights|gradients|activations|logits) " AMOUNT).value_or(0) +
                 amount(line, "optimizer state, sharded " AMOUNT).value_or(0);
    }
    return parts > most || parts > 40e9 ? parts : most;
}

} // namespace

TEST_CASE("a log that ends out of memory asks for more than an 80 GB card has left")
{
    constexpr double kCard = 85.5e9; // an "80 GB" GPU in decimal bytes
    constexpr double kContext = 1e9; // of CUDA
    Issues issues;
    const QuestionBank bank = load_questions(test::source_path("assets"), issues);
    Calculator calculator(test::presets());
    int logs = 0;
    for (const QuestionFamily& family : bank.families)
    {
        for (std::size_t v = 0; v < family.variants.size(); ++v)
        {
            const bool diagnosis = family.variants[v].kind == QuestionKind::diagnosis;
            for (std::uint64_t seed = 1; diagnosis && seed <= 60; ++seed)
            {
                if (!test::is_in_share(seed))
                {
                    continue;
                }
                const auto drawn = draw(calculator, family, v, seed);
                REQUIRE(drawn);
                std::string all;
                double request = 0;
                for (const std::string& line : drawn->evidence.lines)
                {
                    all += line + "\n";
                    request = std::max(request, amount(line, "tried to allocate " AMOUNT).value_or(0));
                }
                const double used = in_use(drawn->evidence.lines);
                if (request > 0 && used > 0)
                {
                    INFO(family.id << "/" << family.variants[v].id << ", seed " << seed << "\n" << all);
                    CHECK(used <= kCard);
                    CHECK(used + request > kCard - kContext - 0.5e9);
                    ++logs;
                }
            }
        }
    }
    CHECK(logs > 12);
}
