#include "core/study/answers/answer.h"
#include "core/study/grading/answer_check.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <random>

using namespace ringside;
using Catch::Approx;

namespace
{

const StudyUnit& unit(const char* name)
{
    const StudyUnit* found = find_study_unit(name);
    REQUIRE(found);
    return *found;
}

double read(const char* text, const char* asked)
{
    const auto answer = read_answer(text, asked_for(unit(asked)));
    INFO(text << " for " << asked << (answer ? "" : ": " + to_line(answer.issues().front())));
    REQUIRE(answer);
    return answer->value;
}

std::string refused(const char* text, const char* asked)
{
    const auto answer = read_answer(text, asked_for(unit(asked)));
    INFO(text << (answer ? " was read as " + answer->read_as : ""));
    REQUIRE_FALSE(answer);
    return to_line(answer.issues().front());
}

AnswerCheck check(const char* text, double key, const char* asked, double tolerance = 0.03,
                  std::span<const KnownMistake> mistakes = {})
{
    const auto answer = read_answer(text, asked_for(unit(asked)));
    REQUIRE(answer);
    return check_answer(answer->value, {key, unit(asked), tolerance, mistakes});
}

} // namespace

TEST_CASE("hand-worked: amounts of data are read in every way people type them")
{
    for (const char* text : {"1.12TB",           "1.12 TB",        "1120 GB",
                             "1,120 GB",         "1 120 GB",       "1.12e12",
                             "1.12e12 B",        "1.12 x 10^12",   "1.12 \u00d7 10^12 B",
                             "1.12*10^12 bytes", "1120 gigabytes", "1120gb",
                             "1.12 tb",          "~1.12 TB",       "8.96 Tbit",
                             "8.96Tb",           "1.12 T",         "16*70e9",
                             "1,120 GB",         "= 1.12 TB"})
    {
        CHECK(read(text, "B") == Approx(1.12e12));
    }
    CHECK(read("1 GiB", "B") == 1073741824);
    CHECK(read("2 MiB", "B") == 2097152);
    CHECK(read("16 bytes", "B") == 16);
    CHECK(read("2^30", "B") == 1073741824);
    CHECK(read("1,5 GB", "B") == 1.5e9);
    CHECK(read("0.5 kB", "B") == 500);
    CHECK(read("70B", "B") == 70);
    CHECK(read("100 Gbit", "bit") == 100e9);
    CHECK(read("100 gb", "bit") == 100e9);
    CHECK(read("1 GB", "bit") == 8e9);
}

TEST_CASE("hand-worked: rates in bits and bytes, by second, minute and hour")
{
    CHECK(read("100Gb/s", "B/s") == 12.5e9);
    CHECK(read("100 Gbps", "B/s") == 12.5e9);
    CHECK(read("100 GBps", "B/s") == 100e9);
    CHECK(read("450 GB/s", "B/s") == 450e9);
    CHECK(read("450 GB per second", "B/s") == 450e9);
    CHECK(read("60 GB/min", "B/s") == 1e9);
    CHECK(read_answer("450 GB", asked_for(unit("B/s")))->doubt == "Do you mean 450 GB/s?");
    CHECK(read("200 Gbit/s", "bit/s") == 200e9);
    CHECK(read("989 TFLOPS", "FLOP/s") == 989e12);
    CHECK(read("989 TFLOP/s", "FLOP/s") == 989e12);
    CHECK(read("3k tokens/s", "tokens/s") == 3000);
    CHECK(read("3,000", "tokens/s") == 3000);
}

TEST_CASE("hand-worked: times are added up as people say them")
{
    CHECK(read("3h 20min", "s") == 12000);
    CHECK(read("76 d", "s") == 76 * 86400.0);
    CHECK(read("76.1 days", "s") == Approx(76.1 * 86400));
    CHECK(read("1 d 12 h", "s") == 1.5 * 86400);
    CHECK(read("20 ms", "s") == 0.02);
    CHECK(read("20 \u00b5s", "s") == Approx(20e-6));
    CHECK(read("20us", "s") == Approx(20e-6));
    CHECK(read("2 weeks", "s") == 14 * 86400.0);
    CHECK(read("5m", "s") == 300);
}

TEST_CASE("hand-worked: what is asked decides what B and b mean")
{
    CHECK(read("70B", "parameters") == 70e9);
    CHECK(read("70b", "parameters") == 70e9);
    CHECK(read("70 billion parameters", "parameters") == 70e9);
    CHECK(read("70B params", "parameters") == 70e9);
    CHECK(read("70e9", "parameters") == 70e9);
    CHECK(read("15T", "tokens") == 15e12);
    CHECK(read("15 trillion", "tokens") == 15e12);
    CHECK(read("16 GPUs", "GPUs") == 16);
    CHECK(read("16", "GPUs") == 16);
    CHECK(read("14 micro-batches", "") == 14);
    CHECK(read("8k", "") == 8000);
    CHECK(read("8.4e22 FLOP", "FLOP") == 8.4e22);
    CHECK(read("84 ZFLOP", "FLOP") == Approx(8.4e22));
    CHECK(read("16 bytes", "B/parameter") == 16);
    CHECK(read("16 B/param", "B/parameter") == 16);
    CHECK(read("42 GFLOP/token", "FLOP/token") == 42e9);
    CHECK(read("295 FLOP/B", "FLOP/B") == 295);
    CHECK(read("20 tokens per parameter", "tokens/parameter") == 20);
}

TEST_CASE("hand-worked: shares, ratios and money")
{
    CHECK(read("22%", "%") == 0.22);
    CHECK(read("0.22", "%") == 0.22);
    CHECK(read("22", "%") == 0.22);
    CHECK(read("2/9", "%") == Approx(2.0 / 9));
    CHECK(read("22 percent", "%") == 0.22);
    CHECK(read("2x", "x") == 2);
    CHECK(read("1.5", "x") == 1.5);
    CHECK(read("150%", "x") == 1.5);
    CHECK(read("$1.2M", "usd") == 1.2e6);
    CHECK(read("1.2 million dollars", "usd") == 1.2e6);
    CHECK(read("1,200,000 USD", "usd") == 1.2e6);
}

TEST_CASE("what was read is said back in the base unit")
{
    CHECK(read_answer("1.1 TB", asked_for(unit("B")))->read_as == "1.1 TB");
    CHECK(read_answer("70B", asked_for(unit("parameters")))->read_as == "70 B parameters");
    CHECK(read_answer("22%", asked_for(unit("%")))->read_as == "22%");
    CHECK(read_answer("22", asked_for(unit("%")))->read_as == "22%");
    CHECK(read_answer("14", asked_for(unit("")))->read_as == "14");
    CHECK(read_answer("3h 20min", asked_for(unit("s")))->read_as == "200 min");
    CHECK(read_answer("100 Gb/s", asked_for(unit("B/s")))->read_as == "100 Gb/s = 12.5 GB/s");
    CHECK_FALSE(read_answer("1.12e12", asked_for(unit("B")))->has_unit);
    CHECK(read_answer("1.12 TB", asked_for(unit("B")))->has_unit);
}

TEST_CASE("what cannot be read is answered with what could be")
{
    CHECK(refused("banana", "B").find("\u201cbanana\u201d is not a number that can be read") == 0);
    CHECK(refused("", "B").find("nothing was typed") == 0);
    CHECK(refused("12 s", "B") ==
          "\u201c12 s\u201d is a time, and this asks for an amount of data (write it such as 1.5 GB)");
    CHECK(refused("12 GB", "s").find("\u201c12 GB\u201d is an amount of data, and this asks for a time") ==
          0);
    CHECK(refused("12 GB", "parameters").find("and this asks for a number of parameters") !=
          std::string::npos);
    CHECK(refused("12 GB/s", "B").find("is a data rate") != std::string::npos);
    CHECK(refused("12 GB 13 GB", "B").find("type one number") != std::string::npos);
    CHECK(refused("1/0", "x").find("is not a number") != std::string::npos);
    CHECK(refused("9e999", "x").find("is not a number") != std::string::npos);
    CHECK(refused(std::string(500, '1').c_str(), "x").find("500 characters") == 0);
}

TEST_CASE("an answer is right within the tolerance, and exactly where there is none")
{
    CHECK(check("1.12 TB", 1.12e12, "B").correct);
    CHECK(check("1.15 TB", 1.12e12, "B").correct);
    CHECK_FALSE(check("1.17 TB", 1.12e12, "B").correct);
    CHECK(check("14", 14, "", 0).correct);
    CHECK_FALSE(check("14.1", 14, "", 0).correct);
    CHECK(check("2/9", 2.0 / 9, "%").correct);
    CHECK(check("0", 0, "").correct);
    CHECK(check("1.12e12", 1.12e12, "B").correct);
}

TEST_CASE("slips of units are named")
{
    CHECK(check("100 GB/s", 12.5e9, "B/s").slip == "bits-as-bytes");
    CHECK(check("12.5 Gbit/s", 12.5e9, "B/s").slip == "bits-as-bytes");
    CHECK(check("100 GiB", 100e9, "B").slip == "binary-gb");
    CHECK(check("93.1 GB", 100e9, "B").slip == "binary-gb");
    CHECK(check("1.02 TB", 1.12e12, "B").slip == "binary-gb");
    CHECK(check("112 GB", 112e12, "B").slip == "power-of-ten");
    CHECK(check("3 h", 180, "s").slip == "time-unit");
    CHECK(check("0.22%", 0.22, "%").slip == "percent-as-fraction");
    CHECK(check("0.2", 5, "").slip == "inverted");
    CHECK(check("-5", 5, "").slip == "sign");
}

TEST_CASE("a known mistake is recognised before a slip of units, with its own words")
{
    const std::array<KnownMistake, 2> mistakes{
        {{"no-optimizer", "Weights and gradients only.", 280e9, "280 GB", "4 \u00d7 70e9"},
         {"bits", "The rate is in bits.", 8 * 1.12e12, "8.96 TB", ""}}};
    const AnswerCheck first = check("280 GB", 1.12e12, "B", 0.03, mistakes);
    CHECK_FALSE(first.correct);
    CHECK(first.slip == "no-optimizer");
    CHECK(first.message == "Weights and gradients only.");
    CHECK(first.known == &mistakes[0]);
    CHECK(check("9 TB", 1.12e12, "B", 0.03, mistakes).slip == "bits");
    CHECK(check("600 GB", 1.12e12, "B", 0.03, mistakes).slip.empty());
}

TEST_CASE("an unknown wrong answer is told how far off it is, never what is right")
{
    CHECK(check("1.25 TB", 1.12e12, "B").message ==
          "Close, but too high: work with more digits, or look for a small term.");
    CHECK(check("500 GB", 1.12e12, "B").message == "Too low, by less than a factor of 3.");
    CHECK(check("5 TB", 1.12e12, "B").message == "Too high, by several times.");
    CHECK(check("400 TB", 1.12e12, "B").message == "Too high, by far: check powers of ten and units.");
}

TEST_CASE("results are printed to three digits and read back as the same number")
{
    for (const StudyUnit& u : study_units())
    {
        for (double v = 1.234e-9; v < 1e24; v *= 7.3)
        {
            const bool skip =
                (u.dimension == Dimension::share && v > 1) || (u.dimension == Dimension::money && v < 1e-3);
            const std::string text = result_text(v, u);
            const auto answer = read_answer(text, asked_for(u));
            INFO(u.name << " " << v << " printed " << text);
            REQUIRE(answer);
            if (!skip)
            {
                CHECK(answer->value == Approx(v).epsilon(0.0051));
            }
        }
    }
}

TEST_CASE("given numbers are printed with all their digits")
{
    CHECK(given_text(70e9, unit("parameters")) == "70 B parameters");
    CHECK(given_text(1.3e9, unit("parameters")) == "1.3 B parameters");
    CHECK(given_text(1979e12, unit("FLOP/s")) == "1979 TFLOP/s");
    CHECK(given_text(80e9, unit("B")) == "80 GB");
    CHECK(given_text(16777216, unit("B")) == "16 MiB");
    CHECK(given_text(450e9, unit("B/s")) == "450 GB/s");
    CHECK(given_text(8192, unit("tokens")) == "8192 tokens");
    CHECK(given_text(32768, unit("tokens")) == "32,768 tokens");
    CHECK(given_text(5e-6, unit("s")) == "5 \u00b5s");
    CHECK(given_text(7200, unit("s")) == "2 h");
    CHECK(given_text(0.4, unit("%")) == "40%");
    CHECK(given_text(2.5, unit("usd")) == "$2.50");
    CHECK(given_text(1.5, unit("x")) == "1.5x");
    CHECK(result_text(1.12e12, unit("B")) == "1.12 TB");
    CHECK(result_text(6.575e6, unit("s")) == "76.1 d");
    CHECK(result_text(0.1818, unit("%")) == "18.2%");
    CHECK(result_text(0.00243, unit("")) == "0.00243");
    CHECK(result_text(42e9, unit("FLOP/token")) == "42.0 GFLOP/token");
}

TEST_CASE("a number beyond any that a computer holds is asked back wherever it stands in an answer")
{
    std::string units = "3 GB";
    for (int i = 0; i < 60; ++i)
    {
        units += "/us";
    }
    for (const std::string& text :
         {std::string("3h 1e99920min"), std::string("1e999 GB"), std::string("2^1e999 GB"),
          std::string("ln 1e999"), std::string("2*(1e999+1)"), std::string("1e300*1e300 GB"),
          std::string("1e999:5"), units})
    {
        for (const char* name : {"B", "s", "%", "B/s", ""})
        {
            INFO(text << " of " << name);
            CHECK_FALSE(read_answer(text, asked_for(unit(name))));
        }
    }
}

TEST_CASE("random bytes are never an answer that breaks anything")
{
    std::mt19937_64 rng(7);
    constexpr std::string_view kLikely = "0123456789.,eE+-x*/^ GBTkMiibs%$\u00d7\u2009 hdmin";
    for (int round = 0; round < 20000; ++round)
    {
        std::string text;
        for (std::uint64_t i = rng() % 24; i > 0; --i)
        {
            text += round % 2 == 0 ? static_cast<char>(rng()) : kLikely[rng() % kLikely.size()];
        }
        for (const char* name : {"B", "s", "%", "parameters", "B/s", "usd"})
        {
            const auto answer = read_answer(text, asked_for(unit(name)));
            if (answer)
            {
                REQUIRE(std::isfinite(answer->value));
                const AnswerCheck checked = check_answer(answer->value, {112e9, unit(name), 0.03, {}});
                REQUIRE((checked.correct || !checked.message.empty()));
            }
            else
            {
                REQUIRE_FALSE(answer.issues().front().message.empty());
            }
        }
    }
}
