// The list of what a layer keeps: the paper's terms one by one, then that the engine's count is its sum.
#include "tests/core/random_scenarios.h"
#include <fmt/format.h>

#include "core/memory/activations/tensors.h"
#include "core/memory/memory.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <map>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr double kS = 2048, kB = 2, kH = 12288, kA = 96;

// Korthikanti's GPT: no gates, grouped heads or experts, dropout everywhere, 16 bit, scores written.
Scenario gpt(int tensor, bool sequence_parallel)
{
    return test::scenario(fmt::format(
        R"({{"model": {{"layers": 96, "hidden": 12288, "heads": 96, "vocab": 51200, "dropout": true}},
            "parallel": {{"tensor": {}, "sequence_parallel": {}}},
            "training": {{"sequence_length": 2048, "micro_batch": 2, "global_batch": 512,
                          "flash_attention": false, "recompute": "none"}}}})",
        tensor, sequence_parallel));
}

std::map<std::string, double> bytes_by_name(const Scenario& s, bool experts)
{
    std::map<std::string, double> bytes;
    for (const ActivationTensor& t : activation_tensors(s.model, s.training, s.parallel, experts))
    {
        CHECK(bytes.emplace(t.name, tensor_bytes(t, s.training, s.parallel)).second); // no name twice
    }
    return bytes;
}

double sum_kept(const Scenario& s, bool experts, Recompute recompute)
{
    double sum = 0;
    for (const ActivationTensor& t : activation_tensors(s.model, s.training, s.parallel, experts))
    {
        sum +=
            keeping(t, s.training, recompute) == Keeping::kept ? tensor_bytes(t, s.training, s.parallel) : 0;
    }
    return sum;
}

} // namespace

TEST_CASE("hand-worked: a GPT layer's tensors are section 4.1's terms, one by one")
{
    // Attention 11 s b h + 5 a s^2 b, MLP 19 s b h, norms 4 s b h.
    const double sbh = kS * kB * kH;
    const double ass = kA * kS * kS * kB;
    const std::map<std::string, double> expected{
        {"layer input", 2 * sbh},      {"attention input", 2 * sbh},
        {"queries", 2 * sbh},          {"keys", 2 * sbh},
        {"values", 2 * sbh},           {"attention softmax", 2 * ass},
        {"softmax dropout mask", ass}, {"softmax after dropout", 2 * ass},
        {"attention output", 2 * sbh}, {"attention dropout mask", sbh},
        {"MLP norm input", 2 * sbh},   {"MLP input", 2 * sbh},
        {"activation input", 8 * sbh}, {"down input", 8 * sbh},
        {"MLP dropout mask", sbh}};
    CHECK(bytes_by_name(gpt(1, false), false) == expected);
    double sum = 0;
    for (const auto& [name, bytes] : expected)
    {
        sum += bytes;
    }
    CHECK(sum == sbh * 34 + 5 * ass);
}

TEST_CASE("hand-worked: tensor parallelism alone leaves 10 s b h of 34 whole, with the sequence nothing")
{
    const double sbh = kS * kB * kH;
    const double ass = kA * kS * kS * kB;
    CHECK(sum_kept(gpt(8, false), false, Recompute::none) == sbh * (10 + 24.0 / 8) + 5 * ass / 8);
    CHECK(sum_kept(gpt(8, true), false, Recompute::none) == (34 * sbh + 5 * ass) / 8);
    CHECK(sum_kept(gpt(8, true), false, Recompute::selective) == 34 * sbh / 8);
    CHECK(sum_kept(gpt(8, false), false, Recompute::full) == 2 * sbh);
}

TEST_CASE("hand-worked: gates, grouped heads and no dropout make Llama's 33.5")
{
    // h 8192, 64 heads of 128, 8 of keys; f 28672 = 3.5 h. Of a token, in h: 2 2 | 2 1/4 1/4 2 | 2 2 | 7 7 7.
    const Scenario s = test::scenario(R"({"training": {"recompute": "none"}})");
    const auto list = activation_tensors(s.model, s.training, s.parallel, false);
    std::vector<double> in_h;
    for (const ActivationTensor& t : list)
    {
        if (keeping(t, s.training, Recompute::none) == Keeping::kept)
        {
            in_h.push_back(t.per_token() / 8192);
        }
    }
    CHECK(in_h == std::vector<double>{2, 2, 2, 0.25, 0.25, 2, 2, 2, 7, 7, 7});
}

TEST_CASE("flash attention and recomputation name what becomes of every tensor")
{
    Scenario s = gpt(1, false);
    const auto count = [&](Keeping what, Recompute recompute)
    {
        int n = 0;
        for (const ActivationTensor& t : activation_tensors(s.model, s.training, s.parallel, false))
        {
            n += keeping(t, s.training, recompute) == what ? 1 : 0;
        }
        return n;
    };
    CHECK(count(Keeping::again, Recompute::none) == 0);
    CHECK(count(Keeping::again, Recompute::selective) == 3);
    CHECK(count(Keeping::again, Recompute::full) == 14);
    CHECK(count(Keeping::kept, Recompute::full) == 1);
    s.training.flash_attention = true;
    CHECK(count(Keeping::never, Recompute::none) == 3);
    CHECK(count(Keeping::again, Recompute::selective) == 0);
    CHECK(count(Keeping::again, Recompute::full) == 11);
}

TEST_CASE("the engine's count is the sum of the list to the byte, for any scenario")
{
    test::ScenarioSource source(31);
    int with_experts = 0;
    for (int i = 0; i < 400; ++i)
    {
        const Scenario s = source.next();
        for (const bool experts : {false, true})
        {
            if (experts && s.model.experts == 0)
            {
                continue;
            }
            with_experts += experts ? 1 : 0;
            for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
            {
                const double counted = layer_activations(s.model, s.training, s.parallel, experts, recompute);
                INFO(i << " " << s.model.name << " experts " << experts);
                REQUIRE(std::fabs(sum_kept(s, experts, recompute) - counted) <= 1e-12 * counted);
            }
            const auto list = activation_tensors(s.model, s.training, s.parallel, experts);
            REQUIRE(list[0].input);
            REQUIRE(list.size() <= 40);
            for (const ActivationTensor& t : list)
            {
                REQUIRE(t.width > 0);
                REQUIRE(t.element > 0);
                REQUIRE(!t.shape.empty());
            }
        }
    }
    CHECK(with_experts > 50);
}
