// Serving: worked by hand, published caches and speed-ups, and what holds for any model and setup.
#include "tests/core/random_scenarios.h"
#include <muParser.h>

#include "core/serving/batching.h"
#include "core/serving/serving.h"
#include "core/serving/speculation.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

// On H100s, without the training's own layout.
Scenario serving(const std::string& model, std::int64_t tensor = 1)
{
    Scenario s = test::scenario("{}");
    s.model =
        test::scenario(
            R"({"cluster": {"gpus": 1}, "training": {"sequence_length": 512, "global_batch": 1}, "model": ")" +
            model + "\"}")
            .model;
    s.parallel = Parallel{};
    s.parallel.tensor = tensor;
    return s;
}

double worked(const Term& term)
{
    std::string plain = term.working;
    for (const auto& [sign, ascii] : {std::pair{"\u00d7", "*"}, {"\u2212", "-"}})
    {
        for (auto at = plain.find(sign); at != std::string::npos; at = plain.find(sign))
        {
            plain.replace(at, std::string(sign).size(), ascii);
        }
    }
    mu::Parser parser;
    parser.SetExpr(plain);
    return parser.Eval();
}

} // namespace

TEST_CASE("hand-worked: 70 B on 8 H100s keeps 40 960 bytes a token on each and has room for 432 sequences")
{
    Scenario s = serving("llama-3.1-70b", 8);
    ServingSetup setup = serving_setup(s);
    setup.prompt = 2048;
    setup.output = 1024;
    const ServingReport r = serving_report(s, setup);
    // 2 x 8 heads x 128 x 80 layers x 2 bytes = 327,680; one of the eight heads on each GPU.
    CHECK(r.model_token.value == 327'680);
    CHECK(r.token.value == 40'960);
    CHECK(r.sequence.value == 40'960.0 * 3072);
    CHECK(r.model_weights.value == 2.0 * 70'553'706'496);
    // The norms are on every GPU: 161 of 8192.
    CHECK(r.weights.value == 2.0 * ((70'553'706'496 - 161 * 8192) / 8 + 161 * 8192));
    CHECK(r.capacity.value == Approx(72e9));
    CHECK(r.most == static_cast<std::int64_t>((72e9 - r.weights.value) / (40'960.0 * 3072)));
    CHECK(r.most == 432);
    // 16.6 GB of weights without the embedding that is only looked up, and 32 caches of 2560 tokens.
    const double read = r.weights.value - 2.0 * 128'256 * 8192 / 8 + 32 * 40'960.0 * 2560;
    CHECK(r.decode.memory == Approx(read / 3.35e12));
    CHECK(r.decode.memory_bound());
    // 160 all-reduces of 32 x 8192 numbers: straight to the seven others, some us before the first byte.
    const double start = s.cluster.gpu.calibration.collective_us * 1e-6;
    CHECK(r.decode.reduce == Approx(160 * (start + 7 * 524'288 / 450e9)));
    CHECK(r.balance == Approx(989e12 / 3.35e12));
}

TEST_CASE("hand-worked: prefill multiplies with every weight, and the causal half of the scores")
{
    Scenario s = serving("llama-3.1-8b");
    ServingSetup setup = serving_setup(s);
    setup.prompt = 4096;
    const ServingReport r = serving_report(s, setup);
    // 8.03 B less embedding (525 M) and norms; the head (525 M) for one token only. Scores: 4 h per pair and
    // layer.
    const double layers = 32.0 * (4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096 + 3 * 4096.0 * 14336);
    const double head = 128'256.0 * 4096;
    const double pairs = 4096.0 * 4097 / 2;
    const double flops = 2 * layers * 4096 + 2 * head + 4 * 4096.0 * 32 * pairs;
    CHECK(r.prefill.compute == Approx(flops / 989e12));
    CHECK(!r.prefill.memory_bound());
    CHECK(r.prefill.reduce == 0);
    CHECK(r.first_token() == r.prefill.total());
    // A round of the server: every one of 32 prompts once, and as many steps as an answer has tokens.
    const double round = 32 * r.prefill.total() + static_cast<double>(setup.output) * r.decode.total();
    CHECK(r.tokens_per_second() == Approx(32 * static_cast<double>(setup.output) / round));
}

TEST_CASE("the published cache of a token: OPT-13B, Llama 3.1 405B, Qwen 2.5 72B, DeepSeek-V3")
{
    // Kwon et al., section 1: 800 KB, 2 x 5120 x 40 x 2 bytes.
    Scenario opt = serving("gpt-2-1.5b");
    opt.model.preset.clear();
    opt.model.layers = 40;
    opt.model.hidden = 5120;
    opt.model.heads = opt.model.kv_heads = 40;
    opt.model.head_dim = 128;
    opt.model.ffn = 20480;
    CHECK(serving_report(opt, serving_setup(opt)).model_token.value == 800 * 1024);
    // DeepSeek-AI, Insights into DeepSeek-V3, arXiv 2505.09343, Table 1.
    const auto token = [](const std::string& model)
    {
        const Scenario s = serving(model);
        return serving_report(s, serving_setup(s)).model_token.value;
    };
    CHECK(token("llama-3.1-405b") == 516'096);
    CHECK(token("qwen2.5-72b") == 327'680);
    CHECK(token("deepseek-v3") == 70'272);
}

TEST_CASE("a latent is needed whole on every GPU, and heads are copied where there are fewer than GPUs")
{
    CHECK(cache_shape(serving("deepseek-v3").model, 8).local(1) == 61.0 * 576);
    const Model grouped = serving("llama-3.1-70b").model;
    CHECK(cache_shape(grouped, 8).local(10) == cache_shape(grouped, 16).local(10));
    CHECK(cache_shape(grouped, 4).local(10) == 2 * cache_shape(grouped, 8).local(10));
}

TEST_CASE("windowed layers stop growing: Gemma 3 1B keeps all tokens in 4 of 26 layers, 512 in the others")
{
    const CacheShape c = cache_shape(serving("gemma-3-1b").model, 1);
    const auto kept = [](const CacheShape& shape, double tokens)
    { return shape.over_layers([&](const AttentionLayers& a) { return a.keys.kept(tokens); }); };
    REQUIRE(c.layers.size() == 2);
    CHECK(c.layers[0].layers == 4);
    CHECK(c.layers[1].layers == 22);
    CHECK(kept(c, 512) == 26 * 512);
    CHECK(kept(c, 10'000) == 4 * 10'000 + 22 * 512);
    CHECK(c.whole(10'000) == c.layer_numbers * kept(c, 10'000));
    const CacheShape all = cache_shape(serving("mistral-7b-v0.1").model, 1);
    CHECK(kept(all, 100'000) == 32.0 * 4096);
    Model mixed = serving("gemma-3-1b").model;
    mixed.attention_per_layer = {128, 4096, 0};
    CHECK(kept(cache_shape(mixed, 1), 1000) == 9 * 128 + 9 * 1000 + 8 * 1000);
}

TEST_CASE("contiguous room holds the longest request, blocks at most fifteen tokens too much")
{
    const Scenario s = serving("llama-3.1-8b");
    ServingSetup setup = serving_setup(s);
    setup.prompt = 1000;
    setup.output = 30;
    setup.longest = 8192;
    const ServingReport paged = serving_report(s, setup);
    setup.paged = false;
    const ServingReport whole = serving_report(s, setup);
    CHECK(paged.sequence.value == 131'072.0 * 1040);
    CHECK(paged.wasted() == Approx(10.0 / 1040));
    CHECK(whole.sequence.value == 131'072.0 * 8192);
    CHECK(whole.wasted() == Approx(1 - 1030.0 / 8192));
    CHECK(whole.most == static_cast<std::int64_t>((72e9 - whole.weights.value) / (131'072.0 * 8192)));
    CHECK(paged.most > 7 * whole.most);
}

TEST_CASE("fewer bits: weights and cache shrink in proportion, and so do their bytes read")
{
    const Scenario s = serving("llama-3.1-8b");
    ServingSetup setup = serving_setup(s);
    const ServingReport full = serving_report(s, setup);
    setup.weight_bits = 4;
    const ServingReport four = serving_report(s, setup);
    CHECK(four.weights.value == full.weights.value / 4);
    CHECK(four.sequence == full.sequence);
    CHECK(four.most > full.most);
    CHECK(four.decode.compute == full.decode.compute); // weight-only: products stay in 16 bit
    CHECK(four.balance == full.balance / 4);
    setup.weight_bits = 16;
    setup.cache_bits = 8;
    CHECK(serving_report(s, setup).sequence.value == full.sequence.value / 2);
}

TEST_CASE("a larger batch wants more of the experts: all but (1 - k/E)^b of them")
{
    const Scenario s = serving("mixtral-8x7b");
    ServingSetup setup = serving_setup(s);
    setup.prompt = setup.output = 1;
    const auto read = [&](std::int64_t batch)
    {
        setup.batch = batch;
        const ServingReport r = serving_report(s, setup);
        return r.decode.memory * 3.35e12 - static_cast<double>(batch) * r.token.value * 1.5;
    };
    // 32 layers of 8 experts of 3 x 4096 x 14336; a token visits two of them.
    const double experts = 2.0 * 32 * 8 * 3 * 4096 * 14336;
    CHECK(read(2) - read(1) == Approx(experts * (0.25 - 0.0625)));
    CHECK(read(1000) - read(1) == Approx(experts * 0.75));
}

TEST_CASE("speculative decoding gives the operations' speed-ups of Leviathan's Table 1")
{
    struct Row
    {
        double acceptance;
        std::int64_t drafted;
        double speed;
    };
    for (const Row& row : {Row{0.6, 2, 1.96}, Row{0.7, 3, 2.53}, Row{0.8, 2, 2.44}, Row{0.8, 5, 3.69},
                           Row{0.9, 2, 2.71}, Row{0.9, 10, 6.86}})
    {
        CHECK(speculative_speedup(row.acceptance, row.drafted, 0) == Approx(row.speed).epsilon(0.002));
    }
    CHECK(expected_tokens(0.5, 3) == 1.875);
    CHECK(expected_tokens(1, 4) == 5);
    CHECK(speculative_speedup(0.8, 4, 0.1) == Approx(3.3616 / 1.4));
}

TEST_CASE("drafting pays exactly where more is accepted than a draft costs (corollary 3.9)")
{
    for (double a = 0; a <= 1.001; a += 0.05)
    {
        for (double c = 0.01; c < 1; c += 0.07)
        {
            const std::int64_t g = best_drafted(a, c);
            INFO(a << ' ' << c);
            CHECK((g > 0) == (a > c * (1 + 1e-9)));
            CHECK(speculative_speedup(a, g, c) >= std::max(1.0, (1 + a) / (1 + c)) - 1e-9 - (a > c ? 0 : 1));
        }
    }
    CHECK(std::isfinite(speculative_speedup(std::nan(""), 5, std::nan(""))));
}

TEST_CASE("hand-worked: four answers on two slots take 8 steps together, 6 when slots are filled again")
{
    const std::vector<std::int64_t> lengths{5, 1, 2, 3};
    const Batching held = static_batching(lengths, 2);
    CHECK(held.steps == 8);
    CHECK(held.stays[1].end == 1);
    CHECK(held.stays[1].freed == 5);
    CHECK(held.stays[2].start == 5);
    CHECK(held.busy() == 11.0 / 16);
    const Batching free = continuous_batching(lengths, 2);
    CHECK(free.steps == 6);
    CHECK(free.stays[2].slot == 1);
    CHECK(free.stays[3].start == 3);
    CHECK(free.busy() == 11.0 / 12);
}

TEST_CASE("a static batch of evenly spread answers uses (b + 1) / 2b of its slots in the long run")
{
    for (const std::int64_t slots : {1, 2, 8, 64})
    {
        const auto lengths = drawn_lengths(200'000, 200, 7);
        const auto b = static_cast<double>(slots);
        CHECK(static_batching(lengths, slots).busy() == Approx((b + 1) / (2 * b)).epsilon(0.01));
        CHECK(continuous_batching(lengths, slots).busy() > 0.99);
    }
}

TEST_CASE("nobody is served twice or with another: stays of a slot follow each other")
{
    const auto lengths = drawn_lengths(300, 50, 3);
    for (const Batching& b : {static_batching(lengths, 7), continuous_batching(lengths, 7)})
    {
        std::vector<std::int64_t> free(7, 0);
        REQUIRE(b.stays.size() == lengths.size());
        for (const Stay& stay : b.stays)
        {
            const auto slot = static_cast<std::size_t>(stay.slot);
            CHECK(stay.start >= free[slot]);
            CHECK(stay.end - stay.start == lengths[static_cast<std::size_t>(stay.request)]);
            CHECK(stay.freed >= stay.end);
            free[slot] = stay.freed;
        }
        CHECK(b.busy() <= 1);
    }
    CHECK(continuous_batching({}, 0).busy() == 0);
}

TEST_CASE("any scenario: more GPUs never hold more on one, steps and caches grow with the batch, all finite")
{
    test::ScenarioSource random(11);
    for (int i = 0; i < 150; ++i)
    {
        const Scenario s = random.next();
        ServingSetup setup = serving_setup(s);
        setup.paged = i % 2 == 0;
        const ServingReport r = serving_report(s, setup);
        CHECK(r.filled <= r.sequence);
        CHECK(r.wasted() >= 0);
        CHECK(r.wasted() < 1);
        CHECK(std::isfinite(r.tokens_per_second()));
        CHECK((r.most == 0 || r.weights + static_cast<double>(r.most) * r.sequence <= r.capacity));
        ServingSetup more = setup;
        more.batch *= 2;
        const ServingReport twice = serving_report(s, more);
        CHECK(twice.decode.total() >= r.decode.total());
        CHECK(twice.tokens_per_second() >= r.tokens_per_second() * 0.999);
        CHECK(worked(explain_cache(s, r)) == Approx(explain_cache(s, r).value).epsilon(1e-3));
        CHECK(worked(explain_decode(s, r)) == Approx(r.decode.memory).epsilon(1e-3));
        double last = 1e300;
        for (const std::int64_t gpus : serving_gpus(s.model))
        {
            ServingSetup cut = setup;
            cut.gpus = gpus;
            const ServingReport now = serving_report(s, cut);
            CHECK(now.setup.gpus == gpus);
            CHECK(now.token.value <= last);
            CHECK(now.token.value * static_cast<double>(gpus) >= r.model_token.value);
            last = now.token.value;
        }
    }
}

TEST_CASE("a setup out of range is brought into it")
{
    const Scenario s = serving("llama-3.1-8b");
    ServingSetup setup;
    setup.gpus = -3;
    setup.batch = 0;
    setup.prompt = -1;
    setup.output = 1'000'000'000'000;
    setup.longest = 0;
    setup.weight_bits = 0;
    setup.usable = std::nan("");
    const ServingReport r = serving_report(s, setup);
    CHECK(r.setup.gpus == 1);
    CHECK(r.setup.batch == 1);
    CHECK(std::isfinite(r.tokens_per_second()));
    setup.gpus = 7; // 32 heads: the next smaller cut
    CHECK(serving_report(s, setup).setup.gpus == 4);
}
