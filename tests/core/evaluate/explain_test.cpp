#include "tests/core/random_scenarios.h"
#include <fmt/format.h>
#include <muParser.h>

#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/memory/activations/working.h"
#include "core/memory/explain_memory.h"
#include "core/network/collective/cost.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using Catch::Approx;

namespace
{

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    {
        text.replace(at, from.size(), to);
    }
    return text;
}

double evaluated(const std::string& working)
{
    mu::Parser parser;
    parser.SetExpr(replaced(replaced(working, "×", "*"), "−", "-"));
    return parser.Eval();
}

Report report_of(const Scenario& s)
{
    auto report = evaluate(s);
    INFO((report ? "" : to_line(report.issues()[0])));
    REQUIRE(report);
    return std::move(*report);
}

std::vector<Term> every_term(const Scenario& s, const Report& r)
{
    std::vector<Term> all;
    for (std::size_t stage = 0; stage < r.memory.stages.size(); ++stage)
    {
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            all.push_back(explain(s, r.memory, stage, static_cast<Component>(c)));
        }
        all.push_back(explain_total(r.memory, stage));
        const std::vector<Term> buffers = explain_buffers(s, r.memory, stage);
        all.insert(all.end(), buffers.begin(), buffers.end());
    }
    for (std::int64_t zero = 0; zero <= 3; ++zero)
    {
        all.push_back(explain_zero(s, zero, 0));
    }
    for (const bool experts : {false, true})
    {
        for (const ActivationTensor& tensor :
             activation_tensors(s.model, s.training, s.parallel, experts && s.model.experts > 0))
        {
            all.push_back(explain_tensor(s, tensor));
        }
    }
    all.push_back(explain_step_bubble(r));
    all.push_back(explain_bubble_over_ideal(s, r));
    all.push_back(explain_bubble_of_total(s, r));
    all.push_back(explain_all_reduce(s, r));
    all.push_back(explain_sent_per_rank(s, r));
    return all;
}

void check(const Term& term)
{
    INFO(term.label << ": " << term.formula << " = " << term.working << " should be "
                    << fmt::format("{}", term.value) << " " << term.unit);
    REQUIRE_FALSE(term.working.empty());
    REQUIRE(replaced(replaced(term.working, "×", ""), "−", "").find_first_not_of("0123456789.e-+/() ") ==
            std::string::npos);
    REQUIRE_FALSE(term.formula.empty());
    const double got = evaluated(term.working);
    const double rounding = term.unit == "B" ? 1 : 1e-9;
    REQUIRE(std::abs(got - term.value) <= 1e-3 * std::abs(term.value) + rounding);
}

} // namespace

TEST_CASE("figures are short and parse back")
{
    CHECK(figure(0) == "0");
    CHECK(figure(8192) == "8192");
    CHECK(figure(999999) == "999999");
    CHECK(figure(33.5) == "33.5");
    CHECK(figure(1.015625) == "1.0156");
    CHECK(figure(8819200000) == "8.8192e9");
    CHECK(figure(5e10) == "5e10");
    CHECK(figure(5e-6) == "5e-6");
    CHECK(figure(123456.75) == "1.2346e5");
    CHECK(figure(123456.75, 12) == "123456.75");
}

TEST_CASE("hand-worked: the workings of Llama 3.1 70B on 256 H100s")
{
    Scenario s = test::presets().scenario("default")->scenario;
    s.training.global_batch = 512;
    const Report r = report_of(s);
    const Term first = explain(s, r.memory, 0, Component::activations);
    CHECK(first.label == "activations, stage 0");
    CHECK(first.formula == "c s b h / t × layers × in flight");
    CHECK(first.working == "33.5 × 8192 × 1 × 8192 / 8 × 20 × 4");
    CHECK(first.value == 33.5 * 8192 * 8192 / 8 * 20 * 4);
    CHECK(first.source == "Korthikanti et al. 2022, arXiv 2205.05198, section 4.1");
    const Term last = explain(s, r.memory, 3, Component::activations);
    CHECK(last.formula == "c s b h / t × layers × in flight + 4 s b (h + V) / t");
    CHECK(last.working == "33.5 × 8192 × 1 × 8192 / 8 × 20 × 1 + 4 × 8192 × 1 × (8192 + 128256) / 8");
    // 20 layers of 8192 x (10240 + 8192 + 3 x 28672) / 8 + 2 x 8192, and 128256 / 8 x 8192 of the embedding.
    CHECK(r.memory.stages[0].parameters ==
          20 * (8192LL * (10240 + 8192 + 3 * 28672) / 8 + 2 * 8192) + 16032LL * 8192);
    CHECK(explain(s, r.memory, 0, Component::weights).working == "2 × 2.2708e9");
    CHECK(explain(s, r.memory, 0, Component::master_weights).working == "4 × 2.2708e9 / 8");
    CHECK(explain(s, r.memory, 0, Component::master_weights).formula ==
          "bytes per master weight × parameters / N");
    CHECK(explain_zero(s, 1, 0).working == "(2 + 4 + 12 / 8) × 2.2708e9");
    CHECK(explain_bubble_over_ideal(s, r).working == "(4 − 1) / 64");
    CHECK(explain_bubble_of_total(s, r).working == "(4 − 1) / (64 + 4 − 1)");
    CHECK(explain_all_reduce(s, r).working ==
          "2 × (8 − 1) × 5e-6 + 2 × (8 − 1) / 8 × " + figure(r.collective->message.value) + " / 5e10");
    CHECK(explain_total(r.memory, 0).value == r.memory.stages[0].total().value / 1e9);
}

TEST_CASE("the states under each stage of ZeRO are what the memory of a GPU holds, experts and all")
{
    for (const char* id : {"default", "mixtral-8x7b-64", "deepseek-v3-2048", "llama-8b-8"})
    {
        Scenario s = test::presets().scenario(id)->scenario;
        for (s.parallel.zero = 0; s.parallel.zero <= 3; ++s.parallel.zero)
        {
            const MemoryReport memory = memory_report(s);
            for (std::size_t stage = 0; stage < memory.stages.size(); ++stage)
            {
                const StageMemory& m = memory.stages[stage];
                const double held =
                    (m.total() - m.of(Component::activations) - m.of(Component::buffers)).value;
                INFO(id << ", ZeRO " << s.parallel.zero << ", stage " << stage);
                CHECK(std::abs(explain_zero(s, s.parallel.zero, stage).value / held - 1) < 1e-6);
            }
        }
    }
}

TEST_CASE("under ZeRO a frozen base has weights alone, and its adapters have gradients and optimizer states")
{
    for (const bool quantized : {false, true})
    {
        for (const char* id : {"llama-8b-8", "mixtral-8x7b-64"})
        {
            Scenario s = test::presets().scenario(id)->scenario;
            s.parallel.tensor = 1;
            s.training.lora.rank = 16;
            s.training.lora.quantized = quantized;
            for (s.parallel.zero = 0; s.parallel.zero <= 3; ++s.parallel.zero)
            {
                const MemoryReport memory = memory_report(s);
                const StageMemory& m = memory.stages[0];
                const double held =
                    (m.total() - m.of(Component::activations) - m.of(Component::buffers)).value;
                const Term term = explain_zero(s, s.parallel.zero, 0);
                INFO(id << ", ZeRO " << s.parallel.zero << ": " << term.working);
                CHECK(std::abs(term.value / held - 1) < 1e-6);
                CHECK(term.formula.find("A") != std::string::npos);
                CHECK((term.formula.find("P_4bit") != std::string::npos) == quantized);
            }
        }
    }
}

TEST_CASE("hand-worked: without sequence parallelism a GPT's layer is written 10 + 24 / t + 5 a s / h / t, "
          "as the paper does")
{
    Scenario s = test::scenario(
        R"({"model": {"layers": 96, "hidden": 12288, "heads": 96, "vocab": 51200, "dropout": true},
        "cluster": {"gpus": 64}, "parallel": {"tensor": 8, "pipeline": 8},
        "training": {"sequence_length": 2048, "global_batch": 16, "flash_attention": false, "recompute": "none"}})");
    CHECK(explain(s, report_of(s).memory, 1, Component::activations).working ==
          "(10 + 24 / 8 + 5 × 96 × 2048 / 12288 / 8) × 2048 × 1 × 12288 × 12 × 7");
    CHECK(explain(s, report_of(s).memory, 1, Component::activations).formula ==
          "(c + c_t / t + 5 a s / h / t) s b h × layers × in flight");
    s.parallel.sequence_parallel = true;
    CHECK(explain(s, report_of(s).memory, 1, Component::activations).working ==
          "(34 + 5 × 96 × 2048 / 12288) × 2048 × 1 × 12288 / 8 × 12 × 7");
    s.training.recompute = Recompute::full;
    CHECK(explain(s, report_of(s).memory, 1, Component::activations).working ==
          "2 × 2048 × 1 × 12288 / 8 × 12 × 7");
}

TEST_CASE("hand-worked: an offloaded part is 0 on the host")
{
    Scenario s = test::presets().scenario("default")->scenario;
    s.training.global_batch = 512;
    s.training.offload = Offload::optimizer_cpu;
    const Term term = explain(s, report_of(s).memory, 0, Component::variance);
    CHECK(term.value == 0);
    CHECK(term.working == "0");
    CHECK(term.formula == "on the host");
}

TEST_CASE("every working of every preset scenario evaluates to its value")
{
    for (const ScenarioPreset& preset : test::presets().scenarios)
    {
        INFO(preset.id);
        for (const Term& term : every_term(preset.scenario, report_of(preset.scenario)))
        {
            check(term);
            CHECK(replaced(replaced(term.working, "×", "x"), "−", "-").size() <= 110);
        }
    }
}

TEST_CASE("every working of 400 random scenarios evaluates to its value")
{
    test::ScenarioSource random(20240607);
    std::size_t terms = 0;
    std::size_t longer = 0;
    for (int i = 0; i < 400; ++i)
    {
        const Scenario s = random.next();
        INFO("scenario " << i << ": " << to_json(s, test::presets()).dump());
        for (const Term& term : every_term(s, report_of(s)))
        {
            check(term);
            ++terms;
            longer += replaced(replaced(term.working, "×", "x"), "−", "-").size() > 110 ? 1U : 0U;
        }
    }
    CHECK(terms > 10000);
    CHECK(static_cast<double>(longer) < 0.01 * static_cast<double>(terms));
}

TEST_CASE("a ZeRO stage that needs more memory than the one before says so, with both figures")
{
    Scenario s = test::scenario(
        R"({"model": "glm-4.5-air", "software": "torchtitan", "cluster": {"gpu": "b200-sxm", "gpus": 256},
            "parallel": {"pipeline": 8, "expert": 8, "zero": 2}, "training": {"global_batch": 256}})");
    const auto says = [](const Scenario& of, std::string_view words)
    {
        const std::vector<std::string> all = remarks(of, report_of(of));
        return std::ranges::any_of(all, [&](const std::string& each)
                                   { return each.find(words) != std::string::npos; });
    };
    const Bytes two = memory_report(s).worst().total();
    s.parallel.zero = 1;
    const Bytes one = memory_report(s).worst().total();
    CHECK_FALSE(says(s, "ZeRO-2 needs"));
    s.parallel.zero = 2;
    REQUIRE(two > one);
    CHECK(says(s, "ZeRO-2 needs " + format_bytes(two) + ", ZeRO-1 " + format_bytes(one)));
    s.parallel.pipeline = 1; // without stages gradients are sharded as they come
    s.parallel.expert = 8;
    CHECK_FALSE(says(s, "ZeRO-2 needs"));
}

TEST_CASE("8-bit copies beside 16-bit weights are said with their bytes")
{
    Scenario s = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8},
                                    "training": {"precision": "fp8", "global_batch": 64}})");
    const auto says = [&]
    {
        const std::vector<std::string> all = remarks(s, report_of(s));
        return std::ranges::any_of(all,
                                   [](const std::string& each) {
                                       return each.find("B per parameter instead of 2") != std::string::npos;
                                   });
    };
    s.training.fp8_recipe = Fp8Recipe::bf16_weights;
    CHECK(says()); // 2 + 2 B
    s.training.fp8_recipe = Fp8Recipe::fp8_weights;
    CHECK_FALSE(says());
}
