#include "tests/core/support.h"

#include "core/memory/memory.h"
#include "core/model/attention.h"
#include "core/model/compute.h"
#include "core/performance/step_time.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"
#include "core/serving/serving.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

const Model& model(const std::string& id)
{
    return test::presets().model(id)->model;
}

Scenario with(const std::string& id)
{
    return test::on_gpus(id, "h100-sxm-80gb", 64);
}

} // namespace

TEST_CASE("models whose makers round their counts have as many parameters, total and active")
{
    struct Row
    {
        const char* id;
        double total;     // as published
        double active;    // without the embedding, but for Llama 4
        double precision; // half of the last digit published
    };
    // DeepSeek-V4, arXiv 2606.19348, abstract; Kimi K3, arXiv 2607.24653; GLM-4.5, arXiv 2508.06471, Table 1;
    // Llama 4's and DeepSeek-V3.2's cards.
    for (const Row& row :
         {Row{"deepseek-v4-pro", 1.6e12, 49e9, 0.05e12}, Row{"deepseek-v4-flash", 284e9, 13e9, 0.5e9},
          Row{"kimi-k3", 2.78e12, 104.2e9, 0.005e12}, Row{"deepseek-v3.2", 671e9, 37e9, 1e9},
          Row{"llama-4-scout", 109e9, 17e9, 1.5e9}, Row{"llama-4-maverick", 400e9, 17e9, 1e9}})
    {
        INFO(row.id);
        const ParameterCount count = count_parameters(model(row.id));
        CHECK(std::abs(static_cast<double>(count.total) - row.total) <= row.precision);
        const bool whole = std::string(row.id).starts_with("llama"); // counts the embedding
        CHECK(static_cast<double>(count.active - (whole ? 0 : count.embedding)) ==
              Approx(row.active).epsilon(0.04));
    }
    // Of GLM-4.5's, embedding and output projection are left out and the prediction layer is not; the
    // released checkpoints have copies of both in that layer.
    struct Glm
    {
        const char* id;
        double total;
        std::int64_t checkpoint;
    };
    for (const Glm& row :
         {Glm{"glm-4.5", 355e9, 358'337'791'296}, Glm{"glm-4.5-air", 106e9, 110'468'824'832}})
    {
        Model m = model(row.id);
        m.mtp_layers = 1;
        const ParameterCount count = count_parameters(m);
        CHECK(static_cast<double>(count.total - count.embedding - count.head) ==
              Approx(row.total).epsilon(0.02));
        CHECK(count.total + count.embedding + count.head == row.checkpoint);
    }
    const ParameterCount k3 = count_parameters(model("kimi-k3"));
    CHECK(static_cast<double>(k3.active - k3.embedding) == Approx(104.2e9).margin(0.05e9));
}

TEST_CASE("an indexer is what DeepSeek-V3.2's checkpoint has more than DeepSeek-V3's")
{
    // 61 layers and the prediction layer, and a scale in 8 bits for each 128 x 128 of its two 8-bit matrices.
    const std::int64_t more =
        count_parameters(model("deepseek-v3.2")).total - count_parameters(model("deepseek-v3")).total;
    CHECK(more % 61 == 0);
    const std::int64_t scales = 62 * (1536 / 128 * 64 + 7168 / 128);
    CHECK(more / 61 * 62 + scales == 685'396'921'376 - 684'531'386'000);
}

TEST_CASE("keys that a token looks at, by hand")
{
    const LayerKeys csa{4, 1024, 128};
    CHECK(csa.attended(1'000'000) == 1024 + 128);
    CHECK(csa.attended(400) == 100 + 128);
    CHECK(csa.kept(1'000'000) == 250'000 + 128);
    const LayerKeys hca{128, LayerKeys::kAll, 128};
    CHECK(hca.attended(1'280'000) == 10'000 + 128);
    const LayerKeys full;
    CHECK(full.attended(777) == 777);
    CHECK(full.share(4096) == 1);
    const LayerKeys window{LayerKeys::kAll, LayerKeys::kAll, 512};
    CHECK(window.share(2048) == Approx(2 * 0.25 - 0.25 * 0.25));
    CHECK(window.attended_by_all(1000) == 512 * 513 / 2 + 488 * 512);
    // Picking 2,048 of 131,072 reads a sixty-fourth; over the whole sequence twice that, less its square.
    const LayerKeys sparse{1, 2048, 0};
    CHECK(sparse.attended(131'072) / 131'072 == Approx(1.0 / 64));
    CHECK(sparse.share(131'072) == Approx(2.0 / 64 - 1.0 / 4096));
    const LayerKeys linear{LayerKeys::kAll, LayerKeys::kAll, 0};
    CHECK(linear.attended(1e6) == 0);
    CHECK(linear.share(1e6) == 0);
}

TEST_CASE("a million tokens: DeepSeek-V4's attention and cache against DeepSeek-V3.2's")
{
    // DeepSeek-V4, arXiv 2606.19348, abstract: 27% of the FLOPs of one token and 10% of the cache for V4-Pro,
    // 10% and 7% for V4-Flash. Its FLOPs are counted in 8 bits' worth, and its cache partly in 8 bits, so the
    // numbers alone come near.
    const auto at = [](const std::string& id)
    {
        const Scenario s = with(id);
        const CacheShape cache = cache_shape(s.model, 1);
        const double attention = cache.over_layers([](const AttentionLayers& a) { return a.decoded(1e6); });
        const ComputeReport c = compute_report(s);
        return std::pair{attention + (c.products_token + c.head_token).value, cache.whole(1e6)};
    };
    const auto [v32, v32_cache] = at("deepseek-v3.2");
    const auto [pro, pro_cache] = at("deepseek-v4-pro");
    const auto [flash, flash_cache] = at("deepseek-v4-flash");
    CHECK(pro / v32 == Approx(0.27).margin(0.05));
    CHECK(flash / v32 == Approx(0.10).margin(0.03));
    CHECK(pro_cache / v32_cache == Approx(0.10).margin(0.02));
    CHECK(flash_cache / v32_cache == Approx(0.07).margin(0.02));
}

TEST_CASE("linear attention: Kimi Linear's complexity and a state that does not grow")
{
    const Model& m = model("kimi-linear-48b-a3b");
    const auto layers = attention_layers(m, m.layers);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].kind == LayerAttention::linear);
    CHECK(layers[0].layers == 20);
    CHECK(layers[0].state_flops == 32 * (6 * 128 * 128 + 3 * 64 * 128 + 64 * 64));
    CHECK(layers[0].numbers(1) == layers[0].numbers(1e6));
    CHECK(layers[0].numbers(1) == 32 * 128 * (128 + 9));
    // "by up to 75%": 7 of 27 layers keep latents.
    const CacheShape cache = cache_shape(m, 1);
    Model all = m;
    all.attention_per_layer.clear();
    CHECK(cache.whole(1e6) / cache_shape(all, 1).whole(1e6) == Approx(7.0 / 27).epsilon(0.01));
}

TEST_CASE("stages of a model of several kinds of layers hold all of it")
{
    for (const char* id : {"deepseek-v4-pro", "deepseek-v4-flash", "kimi-k3", "kimi-linear-48b-a3b",
                           "deepseek-v3.2", "llama-4-maverick", "glm-4.5"})
    {
        INFO(id);
        const Model& m = model(id);
        for (const std::int64_t stages : {1, 4, 9})
        {
            Parallel p;
            p.pipeline = stages;
            p.stage_layers.assign(static_cast<std::size_t>(stages), m.layers / stages);
            p.stage_layers.back() += m.layers % stages;
            std::int64_t sum = 0;
            for (const StageWeights& w : stage_weights(m, p, Placement::loop))
            {
                sum += w.total();
            }
            CHECK(sum == count_parameters(m).total);
        }
        std::int64_t layers = 0;
        double share = 0;
        for (const AttentionLayers& a : attention_layers(m, m.layers))
        {
            layers += a.layers;
        }
        for (const ModelPart& part : attention_parts(m))
        {
            share += part.share;
            CHECK(attends_alike(part.model));
        }
        CHECK(layers == m.layers);
        CHECK(share == Approx(1));
    }
}

TEST_CASE(
    "every model trains and serves: finite memory, time and cache, and less attention than full attention")
{
    for (const ModelPreset& preset : test::presets().models)
    {
        INFO(preset.model.preset);
        Scenario s = with(preset.model.preset);
        s.cluster.gpus = 4096;
        s.training.global_batch = 4096;
        s.training.sequence_length = 4096;
        for (const bool flash : {true, false})
        {
            s.training.flash_attention = flash;
            for (const Recompute recompute : every<Recompute>())
            {
                s.training.recompute = recompute;
                CHECK(std::isfinite(memory_report(s).worst().total().value));
                const double seconds = step_time(s).total();
                CHECK(std::isfinite(seconds));
                CHECK(seconds > 0);
            }
        }
        const ServingReport r = serving_report(s, serving_setup(s));
        CHECK(std::isfinite(r.decode.total()));
        CHECK(r.sequence.value >= 0);
        Scenario full = s;
        full.model.attention_per_layer.clear();
        full.training.sequence_length = s.training.sequence_length = 1 << 20;
        CHECK(compute_report(s).attention_token.value <= compute_report(full).attention_token.value);
    }
}

TEST_CASE("names of layers go to files and back; a wrong one names what would do")
{
    const Scenario s = with("deepseek-v4-flash");
    nlohmann::json document = to_json(s, test::presets());
    document["model"] = {{"preset", "deepseek-v4-flash"}, {"attention_per_layer", {"hca", 128, "csa"}}};
    const auto read = scenario_from_json(document, test::presets());
    REQUIRE(read);
    CHECK(read->model.attention_per_layer == std::vector<std::int64_t>{-3, 128, -2});
    CHECK(to_json(*read, test::presets())["model"]["attention_per_layer"] ==
          nlohmann::json({"hca", 128, "csa"}));
    document["model"]["attention_per_layer"] = {"ring"};
    const auto wrong = scenario_from_json(document, test::presets());
    REQUIRE_FALSE(wrong);
    CHECK(to_line(wrong.issues().front()).find("csa") != std::string::npos);
}

TEST_CASE("layers without what they need are faults that say what would do")
{
    const auto fault = [](const std::string& id, std::vector<std::int64_t> entries)
    {
        Scenario s = with(id);
        s.model.attention_per_layer = std::move(entries);
        const Issues issues = validate(s);
        const auto found = std::find_if(issues.begin(), issues.end(),
                                        [](const Issue& i) { return i.path.starts_with("model."); });
        return found == issues.end() ? std::string() : to_line(*found);
    };
    CHECK(fault("llama-3.1-8b", {0}).empty());
    CHECK(fault("llama-3.1-8b", {-1}).find("index_heads") != std::string::npos);
    CHECK(fault("llama-3.1-8b", {-2}).find("shared-kv") != std::string::npos);
    CHECK(fault("llama-3.1-8b", {-4}).find("linear_head_dim") != std::string::npos);
    CHECK(fault("deepseek-v3.2", {-1}).empty());
}

namespace
{

// A small hybrid of every kind that keeps a state, for numbers that can be worked out by hand.
Model hybrid(std::vector<std::int64_t> entries)
{
    Model m;
    m.layers = std::ssize(entries);
    m.hidden = 64;
    m.heads = 4;
    m.kv_heads = 2;
    m.head_dim = 16;
    m.ffn = 96;
    m.vocab = 100;
    m.gated_mlp = true;
    m.norm = Norm::rmsnorm;
    m.positions = Positions::rope;
    m.attention = Attention::gqa;
    m.linear_heads = 8;
    m.linear_head_dim = 16;
    m.linear_key_heads = 2;
    m.linear_key_dim = 32;
    m.linear_rank = 4;
    m.attention_per_layer = std::move(entries);
    return resolved(m);
}

std::int64_t attention_weights(const Model& m, LayerAttention kind)
{
    std::int64_t sum = 0;
    for (const Weight& w : layer_weights(m, Parallel{}, {false, kind}))
    {
        sum += w.mlp || w.name == "norms" ? 0 : w.elements();
    }
    return sum;
}

} // namespace

TEST_CASE("hand-worked: parameters and states of gated delta net, Mamba, Mamba-2, lightning and convolutions")
{
    const Model m = hybrid({0});
    // Keys 2 x 32 wide, values 8 x 16: queries, keys, values, gate; decays and steps; 4 taps; norm; output.
    CHECK(attention_weights(m, LayerAttention::delta) ==
          64 * (64 + 64 + 128 + 128) + 64 * 16 + 4 * (64 + 64 + 128) + 16 + 16 + 128 * 64);
    // Gate and values, groups' keys and queries, steps; 4 taps and a bias; three of a head; norm; output.
    CHECK(attention_weights(m, LayerAttention::mamba2) ==
          64 * (256 + 128 + 8) + 5 * (128 + 128) + 24 + 128 + 128 * 64);
    // Channels of 128: step, key and query out of them, their norms, step up with its bias, decays, skips.
    CHECK(attention_weights(m, LayerAttention::mamba) ==
          64 * 256 + 5 * 128 + 128 * (4 + 64) + (4 + 64) + 4 * 128 + 128 * (32 + 2) + 128 * 64);
    CHECK(attention_weights(m, LayerAttention::lightning) == 64 * 3 * 128 + 64 * 128 + 128 + 128 * 64);
    CHECK(attention_weights(m, LayerAttention::conv) == 64 * 192 + 4 * 64 + 64 * 64);
    CHECK(attention_weights(m, LayerAttention::hybrid) ==
          attention_weights(m, LayerAttention::mamba2) + attention_weights(m, LayerAttention::full));
    CHECK(attention_weights(m, LayerAttention::none) == 0);

    const auto state = [&](LayerAttention kind)
    { return attention_layers(hybrid({entry_of(kind)}), 1).front().numbers(1e6); };
    CHECK(state(LayerAttention::delta) == 8 * 16 * 32 + 3 * (64 + 64 + 128));
    CHECK(state(LayerAttention::mamba2) == 8 * 16 * 32 + 3 * (128 + 128));
    CHECK(state(LayerAttention::mamba) == 8 * 16 * 32 + 3 * 128);
    CHECK(state(LayerAttention::lightning) == 8 * 16 * 32);
    CHECK(state(LayerAttention::conv) == 3 * 64);
    CHECK(state(LayerAttention::none) == 0);
    CHECK(attention_layers(hybrid({entry_of(LayerAttention::mamba2)}), 1).front().state_flops ==
          7 * 8 * 16 * 32);
}

TEST_CASE("layers with a window have heads of their own where the model says so")
{
    Model m = hybrid({16, 0});
    m.window_kv_heads = 4;
    m.window_head_dim = 8;
    m.values_are_keys = true;
    const auto weights = [&](std::int64_t layer)
    {
        std::int64_t sum = 0;
        for (const Weight& w : layer_weights(m, Parallel{}, layer_kind(m, layer)))
        {
            sum += w.mlp || w.name == "norms" ? 0 : w.elements();
        }
        return sum;
    };
    CHECK(weights(0) == 64 * (4 * 8 + 2 * 4 * 8) + 4 * 8 * 64); // queries, keys, values; output
    CHECK(weights(1) == 64 * (4 * 16 + 2 * 16) + 4 * 16 * 64);  // keys stand for values
    CHECK_FALSE(attends_alike(m));
    REQUIRE(attention_parts(m).size() == 2);
    const auto layers = attention_layers(m, 2);
    CHECK(layers.front().cached == 2 * 16 * 2); // all tokens
    CHECK(layers.back().cached == 2 * 8 * 4);   // those of the window
}

TEST_CASE("layers of one half hold each weight once, and train and serve")
{
    Scenario s = with("llama-3.1-8b");
    s.cluster.gpus = 8;
    s.training.global_batch = 64;
    for (const std::int64_t experts : {0, 8})
    {
        INFO(experts);
        s.model = hybrid({entry_of(LayerAttention::mamba2), entry_of(LayerAttention::none), 0,
                          entry_of(LayerAttention::none), entry_of(LayerAttention::delta), 0});
        s.model.split_blocks = true;
        s.model.norms_per_layer = 1;
        s.model.experts = experts;
        s.model.experts_per_token = experts > 0 ? 2 : 0;
        s.model = resolved(s.model);
        const std::int64_t mlps = experts > 0 ? 2 * (experts * 3 * 64 * 96 + 64 * experts) : 2 * 3 * 64 * 96;
        std::int64_t attention = attention_weights(s.model, LayerAttention::mamba2) +
                                 2 * attention_weights(s.model, LayerAttention::full) +
                                 attention_weights(s.model, LayerAttention::delta);
        CHECK(count_parameters(s.model).layers == mlps + attention + 6 * 64);
        CHECK_FALSE(has_errors(validate(s)));
        for (const Recompute recompute : every<Recompute>())
        {
            s.training.recompute = recompute;
            CHECK(memory_report(s).worst().total().value > 0);
            CHECK(step_time(s).total() > 0);
            CHECK(std::isfinite(step_time(s).total()));
        }
        const ServingReport served = serving_report(s, serving_setup(s));
        CHECK(std::isfinite(served.decode.total()));
        CHECK(served.sequence.value > 0);
    }
}

TEST_CASE("hand-worked: the last layers borrow keys and values, and layers add embeddings of their own")
{
    Model m;
    m.layers = 4;
    m.hidden = 64;
    m.heads = 4;
    m.kv_heads = 2;
    m.head_dim = 16;
    m.ffn = 128;
    m.attention = Attention::gqa;
    m.qk_norm = QkNorm::head;
    m.norm = Norm::rmsnorm;
    m.positions = Positions::rope;
    m.vocab = 1000;
    const std::int64_t plain = count_parameters(m).total;
    m.shared_kv_layers = 3;
    m.shared_kv_ffn = 256;
    // Keys and values of 2 x 16 and a norm of 16 less, a second MLP of 2 x 64 x 128 more.
    CHECK(count_parameters(m).total == plain + 3 * (2 * 64 * 128 - 64 * 2 * 32 - 16));
    CHECK_FALSE(attends_alike(m));
    const auto layers = attention_layers(m, 4);
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].numbers(100) == 100 * 2 * 32);
    CHECK(layers[1].borrows);
    CHECK(layers[1].numbers(100) == 0);
    CHECK(layers[1].key_flops == layers[0].key_flops); // scores are made all the same
    const auto parts = attention_parts(m);
    REQUIRE(parts.size() == 2);
    CHECK(parts[1].share == 0.75);
    CHECK(parts[1].model.ffn == 256);
    const std::int64_t borrowed = count_parameters(m).total;
    m.layer_embedding = 8;
    m.layer_vocab = 500;
    // A table of 500 x 8 each, a projection, a gate, an output and a norm; one norm of 8 for all.
    CHECK(count_parameters(m).total == borrowed + 4 * (500 * 8 + 3 * 64 * 8 + 64) + 8);
    m.laurel_rank = 2;
    m.residual_streams = 4;
    m.altup = true;
    // Two products and a norm; router, 4 x 16 and 4 x 4 coefficients, norm and scale; 3 h^2 in and out.
    CHECK(count_parameters(m).total == borrowed + 4 * (500 * 8 + 3 * 64 * 8 + 64) + 8 +
                                           4 * (2 * 64 * 2 + 64 + 64 * 4 + 64 + 16 + 128) + 6 * 64 * 64);
}
