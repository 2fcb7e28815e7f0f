// What a longer sequence costs: worked by hand for the classic model, then for the presets' layers.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/memory/context_length.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario gpt3()
{
    return test::scenario(R"({"model": "gpt-3-175b", "cluster": {"gpus": 64}, "parallel": {"tensor": 8,
        "pipeline": 8}, "training": {"global_batch": 8, "sequence_length": 2048}})");
}

Scenario llama(std::string_view more = "")
{
    return test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"gpus": 64}, "parallel": {"tensor": 8,
        "pipeline": 8, "sequence_parallel": true}, "training": {"global_batch": 8, "sequence_length": 8192)" +
                          std::string(more) + "}}");
}

} // namespace

TEST_CASE("hand-worked: a classic layer costs 24 s h^2 + 4 s^2 h forward, and they meet at 6 h")
{
    const ContextFlops flops = context_flops(gpt3());
    const double h = 12288;
    CHECK(flops.products == Approx(96 * 24 * h * h));
    CHECK(flops.scores == Approx(96 * 4 * h));
    CHECK(crossover_tokens(flops, Mask::full) == Approx(6 * h));
    CHECK(crossover_tokens(flops, Mask::causal) == Approx(12 * h));
    CHECK(scores_share(flops, 6 * h, Mask::full) == Approx(0.5));
    CHECK(flops.of_scores(2048, Mask::causal) == Approx(flops.of_scores(2048, Mask::full) / 2));
}

TEST_CASE("hand-worked: at width 8192, 8k to 16k costs 2.29 times as much, not 4")
{
    // E63: 2 (1 + 16384 / 6h) / (1 + 8192 / 6h) with h = 8192, the head left out.
    const ContextFlops classic{24.0 * 8192 * 8192, 4.0 * 8192, 0};
    CHECK(doubling_factor(classic, 8192, Mask::full) == Approx(2.2857).epsilon(1e-4));
    CHECK(crossover_tokens(classic, Mask::full) == Approx(49152));
    CHECK(doubling_factor(classic, 1, Mask::full) == Approx(2).epsilon(1e-3));
    CHECK(doubling_factor(classic, 1e9, Mask::full) == Approx(4).epsilon(1e-3));
}

TEST_CASE("hand-worked: Llama 3.1 70B's gated and grouped layers meet their scores at 6.375 h")
{
    // A token's matrices: 2 (2 + 2/8 + 3 x 3.5) h^2; scores 4 h: h (1 + 1/8 + 1.5 x 3.5).
    const ContextFlops flops = context_flops(llama());
    CHECK(crossover_tokens(flops, Mask::full) == Approx(6.375 * 8192));
    CHECK(flops.head == Approx(2.0 * 128256 * 8192));
}

TEST_CASE("the operations of a step are three forwards of this")
{
    for (const Scenario& s : {gpt3(), llama()})
    {
        const auto report = evaluate(s);
        REQUIRE(report);
        const ContextFlops flops = context_flops(s);
        const double step = 3 * flops.total(static_cast<double>(s.training.sequence_length), Mask::full) *
                            static_cast<double>(s.training.global_batch);
        CHECK(report->compute.model_step.value == Approx(step));
    }
}

TEST_CASE("the parts of the memory add up to the report's total, with scores stored and without")
{
    struct Kind
    {
        const char* more;
        bool stored;
    };
    for (const auto& [more, stored] :
         {Kind{"", false}, Kind{R"(, "flash_attention": false, "recompute": "none")", true},
          Kind{R"(, "flash_attention": false, "recompute": "selective")", false}})
    {
        const Scenario s = llama(more);
        const ContextMemory m = context_memory(s, 8192);
        CHECK(m.total == memory_report(s).worst().total().value);
        CHECK(m.state + m.linear + m.scores + m.logits + m.buffers == Approx(m.total));
        CHECK(m.linear >= 0);
        CHECK((m.scores > 0) == stored);
    }
}

TEST_CASE("hand-worked: stored scores quadruple with the length, everything else doubles")
{
    const Scenario s = llama(R"(, "flash_attention": false, "recompute": "none")");
    const ContextMemory one = context_memory(s, 8192);
    const ContextMemory two = context_memory(s, 16384);
    CHECK(two.scores / one.scores == Approx(4).epsilon(1e-6));
    CHECK(two.linear / one.linear == Approx(2).epsilon(1e-6));
    CHECK(two.state == one.state);
    // With flash attention nothing is left that grows faster than the sequence.
    const ContextMemory flash = context_memory(llama(R"(, "recompute": "none")"), 16384);
    CHECK(flash.scores == 0);
    CHECK(flash.linear == Approx(two.linear));
}

TEST_CASE("lengths are those that the layout can run, ascending, the scenario's own among them")
{
    Scenario s = llama();
    s.training.sequence_length = 24576;
    const auto lengths = context_lengths(s);
    CHECK(std::is_sorted(lengths.begin(), lengths.end()));
    CHECK(std::count(lengths.begin(), lengths.end(), 24576) == 1);
    for (const std::int64_t tokens : lengths)
    {
        s.training.sequence_length = tokens;
        CHECK_FALSE(has_errors(validate(s)));
    }
}

TEST_CASE("every preset's layers have a crossover, and no length gives anything but a number")
{
    for (const ModelPreset& preset : test::presets().models)
    {
        Scenario s = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8},
            "training": {"global_batch": 8}})");
        s.model = preset.model;
        const ContextFlops flops = context_flops(s);
        INFO(preset.model.preset);
        CHECK(crossover_tokens(flops, Mask::full) > 1000);
        double last = 0;
        for (double tokens = 1; tokens < 1e8; tokens *= 8)
        {
            const double share = scores_share(flops, tokens, Mask::causal);
            CHECK(share > last);
            CHECK(share < 1);
            CHECK(doubling_factor(flops, tokens, Mask::full) >= 2);
            CHECK(doubling_factor(flops, tokens, Mask::full) <= 4);
            last = share;
        }
    }
}

TEST_CASE("the context metrics are those of the scenario's own length")
{
    const Scenario s = llama();
    const auto report = evaluate(s);
    REQUIRE(report);
    const auto value = [&](std::string_view name) { return find_metric(name)->value(s, *report); };
    CHECK(value("context.crossover_tokens") == Approx(6.375 * 8192));
    CHECK(value("context.scores_share") == Approx(1 / 7.375));
    CHECK(value("context.doubling_factor") > 2);
}
