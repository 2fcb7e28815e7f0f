// What is shown to a class: guesses put together, figures that are hidden.
#include "core/base/text/hide_numbers.h"
#include "core/study/grading/metric_answer.h"
#include "core/study/lessons/class_guesses.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <numeric>
#include <utility>

using namespace ringside;

TEST_CASE("guesses are read with spaces and semicolons between; a word that is no number is named")
{
    CHECK(*read_metric_answers("12 15.5;1e3  7k", {}) == std::vector<double>{12, 15.5, 1000, 7000});
    CHECK(read_metric_answers("", {})->empty());
    CHECK(*read_metric_answers("1.1TB 900GB", {"GB"}) == std::vector<double>{1100, 900});
    CHECK(*read_metric_answers("16 000 MB; about 20 GB", {"GB"}) == std::vector<double>{16, 20});
    for (const char* extreme : {"1e308", "-1e16", "nan", "inf"})
    {
        CHECK_FALSE(read_metric_answers(extreme, {}));
    }
    const auto bad = read_metric_answers("12; many", {"GB"});
    REQUIRE_FALSE(bad);
    CHECK(bad.issues().front().message.find("many") != std::string::npos);
    CHECK(bad.issues().front().hint.find("GB") != std::string::npos);
}

TEST_CASE("hand-worked: the middle of guesses and how many are near")
{
    const std::vector<double> odd{9, 1, 5};
    const std::vector<double> even{1, 2, 4, 100};
    CHECK(median(odd) == 5);
    CHECK(median(even) == 3);
    CHECK(within(std::vector<double>{90, 100, 111, 110, 89.9}, 100, 0.1) == 3);
    CHECK(within(std::vector<double>{-1, -1.05}, -1, 0.1) == 2);
}

TEST_CASE("a histogram begins at round numbers, has every guess in a cell and reaches the truth")
{
    // From 3 to 41 in at most 10 cells: of 5 each from 0 to 45.
    const std::vector<double> values{3, 12, 13, 41};
    const GuessHistogram h = histogram(values, std::nullopt, 10);
    CHECK(h.from == 0);
    CHECK(h.width == 5);
    CHECK(h.counts == std::vector<std::size_t>{1, 0, 2, 0, 0, 0, 0, 0, 1});
    const GuessHistogram further = histogram(values, 88, 10);
    CHECK(further.to() > 88);
    for (const auto& some : {std::vector<double>{5}, std::vector<double>{0}, std::vector<double>{-3e9, 4e-9},
                             std::vector<double>{1e15, 1e15 + 1}, std::vector<double>{}})
    {
        const GuessHistogram any = histogram(some, std::nullopt, 24);
        CHECK(std::accumulate(any.counts.begin(), any.counts.end(), std::size_t{0}) == some.size());
        CHECK(any.counts.size() >= 1);
        CHECK(any.counts.size() <= 24);
        CHECK(any.width > 0);
    }
}

TEST_CASE("figures are hidden whatever their size, names keep theirs")
{
    CHECK(hide_numbers("Fits 61.3 of 80 GB") == "Fits \u2022\u2022 of \u2022\u2022 GB");
    CHECK(hide_numbers("1,024 GPUs, 22% and 3.2e-5 s") ==
          "\u2022\u2022 GPUs, \u2022\u2022% and \u2022\u2022 s");
    CHECK(hide_numbers("16,384") == "\u2022\u2022");
    CHECK(hide_numbers("2\u00d73 = 6") == "\u2022\u2022\u00d7\u2022\u2022 = \u2022\u2022");
    CHECK(hide_numbers("6ND over 8ND") == "\u2022\u2022ND over \u2022\u2022ND");
    for (const char* name : {"BF16", "ZeRO-3", "1F1B", "H100", "GPT-3", "zb-h1", "arXiv", "Llama-3",
                             "stage 0", "rank 12", "Stage 0", ""})
    {
        CHECK(hide_numbers(name) == name);
    }
    const std::string once = hide_numbers("70.6 billion");
    CHECK(hide_numbers(once) == once);
}

TEST_CASE("a guess is read in the unit it is shown in, as typed answers are")
{
    struct Row
    {
        const char* typed;
        const char* unit;
        double value;
    };
    constexpr std::array kRows{Row{"1.1TB", "GB", 1100},
                               Row{"1,100", "GB", 1100},
                               Row{"900 MB", "GB", 0.9},
                               Row{"37", "%", 37},
                               Row{"37%", "%", 37},
                               Row{"0.5", "%", 0.5},
                               Row{"12k", "thousand", 12},
                               Row{"12", "thousand", 12},
                               Row{"3x", "\u00d7", 3},
                               Row{"90 s", "min", 1.5},
                               Row{"1h16", "min", 76},
                               Row{"2 1/2", "", 2.5},
                               Row{"7 GPUs", "GPUs", 7},
                               Row{"$2M", "million USD", 2},
                               Row{"400 Gbit/s", "MB/s", 50'000},
                               Row{"16 bytes", "bytes", 16},
                               Row{"16 000 MB", "GB", 16},
                               Row{"about 25 percent", "%", 25},
                               Row{"13.7 million", "million USD", 13.7},
                               Row{"a sixth", "%", 100.0 / 6},
                               Row{"1/6", "%", 100.0 / 6},
                               Row{"1.13 TB", "GB", 1130},
                               Row{"0.5 s", "ms", 500},
                               Row{"70e9", "billion", 70},
                               Row{"1.5k", "tokens", 1500}};
    for (const Row& row : kRows)
    {
        INFO(row.typed << " in " << row.unit);
        const auto value = read_metric_answer(row.typed, {row.unit});
        REQUIRE(value);
        CHECK(*value == Catch::Approx(row.value));
    }
    for (const auto& [typed, unit] : {std::pair{"7 nodes", "GPUs"},
                                      {"12 GB", "s"},
                                      {"3 s", "%"},
                                      {"", "GB"},
                                      {"GB", "GB"},
                                      {"20%", "GB"},
                                      {"more than 20", "GB"}})
    {
        INFO(typed << " in " << unit);
        CHECK_FALSE(read_metric_answer(typed, {unit}));
    }
}

TEST_CASE("hand-worked: a plain number finer than whole percent is a share where whole percent are asked for")
{
    CHECK(*read_metric_answer("0.4", {"%", 1}) == Catch::Approx(40));
    CHECK(*read_metric_answer("0.4", {"%", 0.1}) == Catch::Approx(0.4));
    CHECK(*read_metric_answer("0.4%", {"%", 1}) == Catch::Approx(0.4));
    CHECK(*read_metric_answer("1", {"%", 1}) == Catch::Approx(1));
    CHECK(*read_metric_answer("0", {"%", 1}) == 0);
    CHECK(*read_metric_answer("0.4", {"GB", 1}) == Catch::Approx(0.4));
}
