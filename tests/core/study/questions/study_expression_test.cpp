#include <fmt/format.h>

#include "core/memory/conventions.h"
#include "core/network/collective/cost.h"
#include "core/pipeline/simulate.h"
#include "core/study/questions/formula/expression.h"
#include "core/study/questions/formula/functions.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

// The value, with names from a table.
double value(const std::string& text, const std::map<std::string, double>& names = {})
{
    const auto expression = Expression::parse(text);
    INFO(text << (expression ? "" : to_line(expression.issues().front())));
    REQUIRE(expression);
    std::vector<double> values;
    for (const std::string& name : expression->names())
    {
        values.push_back(names.at(name));
    }
    const auto result = expression->evaluate(values);
    INFO((result ? "" : to_line(result.issues().front())));
    REQUIRE(result);
    return *result;
}

std::string fault(const std::string& text)
{
    const auto expression = Expression::parse(text);
    if (!expression)
    {
        return to_line(expression.issues().front());
    }
    const auto result = expression->evaluate(std::vector<double>(expression->names().size(), 1.0));
    return result ? "" : to_line(result.issues().front());
}

std::string put(const std::string& text)
{
    return with_numbers(text, [](std::string_view name) { return name == "P" ? "70e9" : std::string(name); });
}

} // namespace

TEST_CASE("hand-worked: expressions are read as people write them")
{
    CHECK(value("2+2+4+4+4") == 16);
    CHECK(value("16*P", {{"P", 7e9}}) == 112e9);
    CHECK(value("2*(n-1)/n", {{"n", 8}}) == 1.75);
    CHECK(value("m % p == 0", {{"m", 16}, {"p", 4}}) == 1);
    CHECK(value("m % p == 0 && m > 100 || p == 4", {{"m", 16}, {"p", 4}}) == 1);
    CHECK(value("x > 1 ? 10 : 20", {{"x", 0}}) == 20);
    CHECK(value("2^10") == 1024);
    CHECK(value("min(3, 1, 2) + max(4, 5)") == 6);
    CHECK(value("ceil(17/8) + floor(2.9) + round(2.5) + mod(17, 8)") == 9);
    CHECK(value("log2(8) + log10(1000) + ln(exp(1)) + sqrt(16) + abs(-2)") == Approx(13));
    CHECK(value("zero2.memory.total_bytes / 2", {{"zero2.memory.total_bytes", 8}}) == 4);
}

TEST_CASE("an expression says which names it uses, functions not among them")
{
    const auto expression = Expression::parse("ring_all_reduce_s(n, S, 1e-5, BW) + memory.total_bytes");
    REQUIRE(expression);
    CHECK(expression->names() == std::vector<std::string>{"BW", "S", "memory.total_bytes", "n"});
    CHECK_FALSE(expression->simulates());
    CHECK(Expression::parse("1 + bubble_of_total_1f1b(p, m)")->simulates());
}

TEST_CASE("what is wrong with an expression is said with its place")
{
    CHECK(fault("16*").find("at position") != std::string::npos);
    CHECK(fault("(1+2").find("parenthesis") != std::string::npos);
    CHECK(fault("m = 8") == "\"m = 8\" sets a value with = (compare with ==)");
    CHECK(fault("1, 2") != "");
    CHECK(fault("") != "");
    CHECK(fault("1/0").find("not a finite number") != std::string::npos);
    CHECK(fault("ln(0-1)").find("not a finite number") != std::string::npos);
    CHECK(fault("5 % 0").find("not a finite number") != std::string::npos);
    CHECK(fault("nothing(3)") != "");
    CHECK(fault("sqrt(1, 2)").find("sqrt(x) got 2 arguments") != std::string::npos);
    CHECK(fault("16*P \xc3\x97 2").find("at 6: a character that no expression has") != std::string::npos);
    CHECK(fault("\"text\"").find("at 1") != std::string::npos);
}

TEST_CASE("an expression of a stranger cannot be long, deep or slow")
{
    CHECK(fault(std::string(kLongestExpression + 1, '1')).find("characters") != std::string::npos);
    CHECK(value(fmt::format("{:(>301}{:)>300}", 1, "")) == 1);
    CHECK(fault("bubble_of_total_1f1b(5000, 5000)").find("too many to simulate") != std::string::npos);
    CHECK(fault("bubble_of_total_1f1b(1e9, 2)").find("use a whole number") != std::string::npos);
    CHECK(fault("in_flight_1f1b(4, 8, 4)").find("use a whole number from 0 to 3") != std::string::npos);
    CHECK(fault("ring_all_reduce_s(2.5, 1, 1, 1)").find("number of ranks is 2.50") != std::string::npos);
    CHECK(fault("ring_all_reduce_s(4, 0-1, 1, 1)").find("below 0") != std::string::npos);
    CHECK(fault("zero_state_bytes(1e9, 8, 4)").find("ZeRO stage") != std::string::npos);
}

TEST_CASE("hand-worked: the engine's functions give the textbook's numbers")
{
    // 8 ranks, 8 GB, 10 us, 50 GB/s: 14 steps of 10 us and 14 GB over the link.
    CHECK(value("ring_all_reduce_s(8, 8e9, 1e-5, 50e9)") == Approx(14e-5 + 14e9 / 50e9));
    CHECK(value("ring_all_reduce_bytes(8, 8e9)") == 14e9);
    CHECK(value("ring_all_reduce_steps(8)") == 14);
    CHECK(value("ring_all_reduce_s(1, 8e9, 1e-5, 50e9)") == 0);
    CHECK(value("all_gather_bytes(8, 8e9)") == 7e9);
    CHECK(value("reduce_scatter_bytes(8, 8e9)") == 7e9);
    CHECK(value("all_to_all_bytes(8, 8e9)") == 7e9);
    CHECK(value("all_to_all_s(8, 8e9, 1e-5, 50e9)") == Approx(7e-5 + 7e9 / 50e9));
    CHECK(value("all_gather_s(8, 8e9, 1e-5, 50e9)") == value("reduce_scatter_s(8, 8e9, 1e-5, 50e9)"));
    CHECK(value("tree_all_reduce_s(8, 8e9, 1e-5, 50e9)") == Approx(6e-5 + 16e9 / 50e9));
    CHECK(value("naive_all_reduce_s(8, 8e9, 1e-5, 50e9)") == Approx(2e-5 + 14 * 8e9 / 50e9));
    CHECK(value("broadcast_s(8, 8e9, 1e-5, 50e9)") == Approx(3 * (1e-5 + 8e9 / 50e9)));
    // (p-1)/(m+p-1) = 3/11 and (p-1)/m = 3/8; interleaving halves the latter.
    CHECK(value("bubble_of_total_1f1b(4, 8)") == Approx(3.0 / 11));
    CHECK(value("bubble_of_total_gpipe(4, 8)") == Approx(3.0 / 11));
    CHECK(value("bubble_over_ideal_1f1b(4, 8)") == Approx(3.0 / 8));
    CHECK(value("bubble_over_ideal_gpipe(4, 8)") == Approx(3.0 / 8));
    CHECK(value("bubble_over_ideal_interleaved(4, 8, 2)") == Approx(3.0 / 16));
    CHECK(value("bubble_of_total_interleaved(4, 8, 2)") == Approx(3.0 / 19));
    // ZB-H1 with F = I = W idles a third of 1F1B's (p-1)(F+I+W): (p-1) of 3m + p-1.
    CHECK(value("bubble_of_total_zb_h1(4, 8)") == Approx(3.0 / 27));
    CHECK(value("in_flight_1f1b(4, 8, 0)") == 4);
    CHECK(value("in_flight_1f1b(4, 8, 3)") == 1);
    CHECK(value("in_flight_gpipe(4, 8, 3)") == 8);
    CHECK(value("zero_state_bytes(7.5e9, 64, 1)") == Approx(4 * 7.5e9 + 12 * 7.5e9 / 64));
    // 2, k+1 and 3k passes of (N-1)/N.
    CHECK(value("zero_traffic_elements(8e9, 8, 0, 4)") == 14e9);
    CHECK(value("zero_traffic_elements(8e9, 8, 2, 4)") == 35e9);
    CHECK(value("zero_traffic_elements(8e9, 8, 3, 4)") == 84e9);
    CHECK(value("zero_traffic_elements(8e9, 8, 3, 128)") == 2688e9);
    CHECK(value("zero_traffic_elements(8e9, 8, 2, 1000)") == 7007e9);
    CHECK(value("training_flops(70e9, 15e12)") == 6.3e24);
    CHECK(value("training_seconds(70e9, 15e12, 1000, 1e15, 0.4)") == Approx(6.3e24 / (1000 * 1e15 * 0.4)));
    CHECK(value("chinchilla_parameters(1.2e24)") == Approx(1e11));
    CHECK(value("chinchilla_tokens(1.2e24)") == Approx(2e12));
    CHECK(value("young_interval_s(50, 10000)") == Approx(1000));
    // 2 x 7/8 x (1 x 4096 x 8192 x 2 B) over 450 GB/s.
    CHECK(value("tensor_all_reduce_s(1, 4096, 8192, 8, 450e9)") == Approx(1.75 * 4096 * 8192 * 2 / 450e9));
}

TEST_CASE("every function has its own name, says what it gives and answers plain arguments")
{
    std::set<std::string_view> names;
    for (const StudyFunction& f : study_functions())
    {
        INFO(f.name);
        CHECK(names.insert(f.name).second);
        CHECK_FALSE(f.says.empty());
        CHECK(find_function(f.name) == &f);
        CHECK_FALSE(is_expression_name(f.name));
        std::vector<double> ones(std::max<std::size_t>(1, f.count()), 2.0);
        if (f.name.starts_with("in_flight"))
        {
            ones[2] = 1;
        }
        if (f.name == "measured_noise_scale")
        {
            ones[0] = 1; // a part of the batch
        }
        const auto result = f.call(ones);
        INFO((result ? "" : to_line(result.issues().front())));
        CHECK(result);
    }
    CHECK(find_function("bubble") == nullptr);
}

TEST_CASE("hand-worked: workings have numbers for names and signs as people write them")
{
    CHECK(put("16*P") == "16 \u00d7 70e9");
    CHECK(put("2*(n-1)/n*P/5e-6") == "2 \u00d7 (n \u2212 1) / n \u00d7 70e9 / 5e-6");
    CHECK(put("-P + 1") == "\u221270e9 + 1");
    CHECK(put("2^-3") == "2 ^ \u22123");
    CHECK(put("ceil(P/8)") == "ceil(70e9 / 8)");
    CHECK(put("min(P,1e9)") == "min(70e9, 1e9)");
    CHECK(put("P>=1&&P!=2") == "70e9 >= 1 && 70e9 != 2");
    CHECK(put("") == "");
    CHECK(put("1.5e") == "1.5e");
}

TEST_CASE("a name has letters, digits and underscores, no digit first")
{
    for (const char* good : {"P", "n", "BW", "alpha", "d_in", "x2"})
    {
        CHECK(is_expression_name(good));
    }
    for (const char* bad : {"", "2x", "a.b", "a b", "min", "\u03b1"})
    {
        CHECK_FALSE(is_expression_name(bad));
    }
}
