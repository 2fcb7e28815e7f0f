#include "tests/core/support.h"
#include "tests/source_path.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/memory/conventions.h"
#include "core/memory/memory.h"
#include "core/model/weights.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

TEST_CASE("every preset file is without faults")
{
    Issues issues;
    const Presets loaded = load_presets(test::source_path("assets"), issues);
    for (const Issue& issue : issues)
    {
        FAIL_CHECK(to_line(issue));
    }
    CHECK(loaded.models.size() >= 30);
    CHECK(loaded.gpus.size() >= 18);
    CHECK(loaded.clusters.size() >= 8);
}

TEST_CASE("parameter counts equal every published exact count")
{
    int checked = 0;
    for (const ModelPreset& preset : test::presets().models)
    {
        const ParameterCount count = count_parameters(preset.model);
        INFO(preset.model.name);
        if (preset.published_parameters)
        {
            CHECK(count.total == *preset.published_parameters);
            ++checked;
        }
        if (preset.published_active_parameters)
        {
            CHECK(count.active == *preset.published_active_parameters);
        }
    }
    CHECK(checked >= 50);
}

TEST_CASE("MPT shapes at every published sequence length give the published counts")
{
    // llm-foundry's benchmark tables: learned positions, so the count moves with the sequence length.
    const nlohmann::json shapes = {
        {"125m", {12, 768, 12}}, {"350m", {24, 1024, 16}}, {"760m", {24, 1536, 12}},
        {"1b", {24, 2048, 16}},  {"3b", {32, 2560, 20}},   {"7b", {32, 4096, 32}},
        {"13b", {40, 5120, 40}}, {"30b", {48, 7168, 56}},  {"70b", {80, 8192, 64}}};
    const auto document = test::read("tests/data/published.json");
    for (const auto& row : document["6b_measured_throughput"]["llm_foundry_mpt"]["rows"])
    {
        const auto& shape = shapes[row["model"].get<std::string>()];
        const auto scenario = test::scenario(fmt::format(
            R"({{"model": {{"layers": {}, "hidden": {}, "heads": {}, "vocab": 50368, "max_sequence_length": {}}}, "training": {{"sequence_length": {}}}}})",
            shape[0].get<int>(), shape[1].get<int>(), shape[2].get<int>(), row["seq"].get<int>(),
            row["seq"].get<int>()));
        INFO(row["model"] << " " << row["seq"]);
        CHECK(count_parameters(scenario.model).total == row["params"].get<std::int64_t>());
    }
}

TEST_CASE("ZeRO's Table 1: all 54 cells")
{
    const std::map<std::string, double> sizes{{"7.5B", 7.5e9}, {"128B", 128e9}, {"1T", 1e12}};
    int cells = 0;
    const auto document = test::read("tests/data/published.json");
    for (const auto& row : document["3_zero_2020"]["table1"])
    {
        const std::array keys{"Pos_GB", "Pos_g_GB", "Pos_g_p_GB"};
        for (int stage = 1; stage <= 3; ++stage)
        {
            const double expected = row[keys.at(static_cast<std::size_t>(stage - 1))].get<double>();
            const double got =
                zero_paper_bytes(sizes.at(row["model"]), row["dp"].get<std::int64_t>(), stage).value / 1e9;
            INFO(row["model"] << " dp " << row["dp"] << " stage " << stage);
            CHECK(std::abs(got - expected) < (expected > 100 ? 1.0 : 0.06)); // the paper truncates some cells
            ++cells;
        }
    }
    CHECK(cells == 54);
}

TEST_CASE("a GPT's layer keeps exactly Korthikanti's bytes")
{
    for (const int tensor : {1, 2, 8})
    {
        for (const bool sequence_parallel : {false, true})
        {
            for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
            {
                Scenario s =
                    test::scenario(R"({"model": {"layers": 96, "hidden": 12288, "heads": 96, "vocab": 51200},
                    "training": {"sequence_length": 2048, "flash_attention": false}})");
                s.parallel.tensor = tensor;
                s.parallel.sequence_parallel = sequence_parallel;
                double expected = korthikanti_layer(2048, 1, 12288, 96, tensor, sequence_parallel, recompute);
                // Table 2 gives 2sbh for full recompute; with sequence parallelism the kept input is itself
                // cut by t.
                expected /= recompute == Recompute::full && sequence_parallel ? tensor : 1;
                CHECK(layer_activations(s.model, s.training, s.parallel, false, recompute) ==
                      Approx(expected).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("hand-worked: Llama 3.1 70B keeps 33.5 s b h / t bytes a layer")
{
    // Norm inputs 4, products' inputs 4, queries and output 4, keys and values 4/8, gate, up and product 3 x
    // 2 x 3.5.
    const Scenario s = test::scenario(R"({"parallel": {"tensor": 8, "sequence_parallel": true}})");
    CHECK(layer_activations(s.model, s.training, s.parallel, false, Recompute::none) ==
          33.5 * 8192 * 8192 / 8);
}

TEST_CASE(
    "the first stage of 1F1B keeps all layers' worth of activations, interleaving (1 + (p-1)/(pv)) as much")
{
    const auto document = test::read("tests/data/published.json");
    for (const auto& row : document["2_korthikanti_2022"]["configs_and_table5"])
    {
        Scenario s = test::scenario(fmt::format(
            R"({{"model": {{"layers": {}, "hidden": {}, "heads": {}, "vocab": 51200}}, "cluster": {{"gpu": "a100-sxm-80gb", "gpus": {}}},
            "parallel": {{"tensor": 8, "pipeline": {}, "chunks": {}, "sequence_parallel": true}},
            "training": {{"sequence_length": 2048, "micro_batch": {}, "global_batch": {}, "flash_attention": false, "recompute": "selective", "schedule": "{}"}}}})",
            row["layers"].get<int>(), row["hidden"].get<int>(), row["heads"].get<int>(),
            row["gpus"].get<int>(), row["pp"].get<int>(), row["interleave"].get<int>(),
            row["micro_batch"].get<int>(), row["global_batch"].get<int>(),
            row["interleave"].get<int>() > 1 ? "interleaved" : "1f1b"));
        INFO(row["model"]);
        REQUIRE_FALSE(has_errors(validate(s)));
        const MemoryReport report = memory_report(s);
        const double published = row["fig1_GiB"]["act_seqpar_selective"].get<double>() * 1073741824;
        CHECK(korthikanti_first_stage(s) == Approx(published).epsilon(1e-9));
        // The report adds what the figure leaves out: embedding dropout and, with one stage, the head.
        const double extra =
            2048.0 *
            static_cast<double>(s.training.micro_batch * s.model.hidden * report.stages[0].in_flight) / 8;
        const double head =
            s.parallel.pipeline > 1
                ? 0
                : 4 * 2048.0 *
                      static_cast<double>(s.training.micro_batch * (s.model.hidden + s.model.vocab)) / 8;
        const double chunk_extra = s.parallel.chunks > 1 ? 2048.0 * static_cast<double>(s.model.hidden) / 8 *
                                                               static_cast<double>(report.stages[0].kept[0])
                                                         : extra;
        CHECK(report.stages[0].of(Component::activations).value ==
              Approx(published + chunk_extra + head).epsilon(1e-9));
    }
}

TEST_CASE("Megatron-LM's report, every row, in its own convention")
{
    const auto document = test::read("tests/data/megatron_memory.json");
    for (const auto& row : document)
    {
        const auto& a = row["args"];
        const bool gated = a["swiglu"].get<bool>();
        Scenario s = test::scenario("{}");
        Model& m = s.model;
        m = Model{};
        m.layers = a["num_layers"];
        m.hidden = a["hidden_size"];
        m.ffn = a["ffn_hidden_size"];
        m.heads = a["num_attention_heads"];
        m.kv_heads =
            a["group_query_attention"].get<bool>() ? a["num_query_groups"].get<std::int64_t>() : m.heads;
        m.head_dim = a["kv_channels"];
        m.vocab = a["padded_vocab_size"];
        m.gated_mlp = gated;
        m.norm = a["normalization"] == "RMSNorm" ? Norm::rmsnorm : Norm::layernorm;
        m.tied_embeddings = !a["untie_embeddings_and_output_weights"].get<bool>();
        if (!a["num_experts"].is_null())
        {
            m.experts = a["num_experts"];
            m.experts_per_token = a["moe_router_topk"];
            m.expert_ffn = a["moe_ffn_hidden_size"];
            m.shared_experts = a["moe_shared_expert_intermediate_size"].is_null() ? 0 : 1;
            m.dense_layers = a["moe_layer_freq"].is_array() ? 3 : 0;
        }
        if (a["multi_latent_attention"].get<bool>())
        {
            m.attention = Attention::mla;
            m.q_lora_rank = a["q_lora_rank"];
            m.kv_lora_rank = a["kv_lora_rank"];
            m.qk_nope_head_dim = a["qk_head_dim"];
            m.qk_rope_head_dim = a["qk_pos_emb_head_dim"];
            m.v_head_dim = a["v_head_dim"];
        }
        s.cluster.gpus = a["world_size"];
        s.parallel.tensor = a["tensor_model_parallel_size"];
        s.parallel.pipeline = a["pipeline_model_parallel_size"];
        s.parallel.chunks = a["virtual_pipeline_model_parallel_size"].is_null()
                                ? 1
                                : a["virtual_pipeline_model_parallel_size"].get<std::int64_t>();
        s.parallel.expert = a["expert_model_parallel_size"];
        s.parallel.expert_tensor =
            a["num_experts"].is_null() ? 1 : a["expert_tensor_parallel_size"].get<std::int64_t>();
        s.parallel.sequence_parallel = a["sequence_parallel"];
        s.parallel.zero = a["use_distributed_optimizer"].get<bool>() ? 1 : 0;
        s.training.sequence_length = a["seq_length"];
        s.training.micro_batch = a["micro_batch_size"];
        s.training.recompute =
            a["recompute_granularity"] == "selective" ? Recompute::selective : Recompute::none;
        s.training.global_batch = row["num_microbatches"].get<std::int64_t>() * s.training.micro_batch *
                                  a["data_parallel_size"].get<std::int64_t>();
        const MegatronReport report = megatron_report(s);
        INFO(row["name"]);
        CHECK(report.weights_and_optimizer.value ==
              Approx(row["weight_and_optimizer_bytes"].get<double>()).epsilon(1e-9));
        CHECK(report.activations.value ==
              Approx(row["reported_MB"]["activation"].get<double>() * 1048576).epsilon(1e-9));
    }
}

TEST_CASE("DeepSpeed's estimators, every row, in their own convention")
{
    const auto document = test::read("tests/data/deepspeed_zero.json");
    for (const auto& row : document)
    {
        DeepSpeedInputs in;
        in.parameters = row["total_params"];
        in.gpus_per_node = row["num_gpus_per_node"];
        in.nodes = row["num_nodes"];
        in.offload_optimizer = row["cpu_offload"];
        in.buffer_factor = row["additional_buffer_factor"];
        const bool third = row.contains("largest_layer_params");
        if (third)
        {
            in.largest_layer = row["largest_layer_params"];
            in.offload_parameters = row["cpu_offload_params"];
            in.zero_init = row["zero_init"];
        }
        const DeepSpeedEstimate estimate = third ? deepspeed_zero3(in) : deepspeed_zero2(in);
        INFO(row.dump());
        CHECK(std::abs(estimate.gpu.value - row["gpu_mem"].get<double>()) <= 1);
        CHECK(std::abs(estimate.cpu.value - row["cpu_mem"].get<double>()) <= 1);
    }
}

TEST_CASE("peak memory measured on 8 B200s is predicted within 3 percent on average")
{
    // SimuMax's measurements: Megatron-Core with Transformer Engine, bf16, fp32 gradients, distributed
    // optimizer, no recompute, sequence 4096 unless the name says otherwise; torch.cuda.max_memory_allocated
    // of the fullest rank.
    const auto document = test::read("tests/data/published.json");
    double sum = 0;
    int rows = 0;
    for (const auto& row : document["6b_measured_throughput"]["simumax_b200_8gpu"]["rows"])
    {
        const std::string parallel = row["parallel"];
        const auto degree = [&](const std::string& key) -> std::int64_t
        {
            const auto at = parallel.find(key);
            return at == std::string::npos ? 1 : std::stoll(parallel.substr(at + key.size()));
        };
        const std::map<std::string, std::string> ids{{"llama3-70b", "llama-3.1-70b"},
                                                     {"llama3-405b", "llama-3.1-405b"},
                                                     {"deepseekv2", "deepseek-v2"},
                                                     {"deepseekv3", "deepseek-v3"}};
        const std::string model = row["model"];
        const std::int64_t gpus = 8;
        const std::int64_t dp = gpus / (degree("tp") * degree("pp") * degree("cp"));
        const bool deepseek = model.starts_with("deepseek");
        const std::string name = row["case"];
        const Scenario s = test::scenario(nlohmann::json{
            {"software", {{"preset", "megatron-core"}, {"loss", "fused"}}}, // "cef": TransformerEngine's loss
            {"model",
             {{"preset", ids.at(model)}, {"layers", row["layer_num"]}, {"dense_layers", deepseek ? 1 : 0}}},
            {"cluster", {{"gpu", "b200-sxm"}, {"gpus", gpus}}},
            {"parallel",
             {{"tensor", degree("tp")},
              {"pipeline", degree("pp")},
              {"context", degree("cp")},
              {"expert", degree("ep")},
              {"sequence_parallel", degree("tp") > 1},
              {"zero", 1}}},
            {"training",
             {{"sequence_length", name.find("seq32768") != std::string::npos ? 32768 : 4096},
              {"micro_batch", 1},
              {"global_batch", row["mbc"].get<std::int64_t>() * dp},
              {"recompute", "none"}}}}.dump());
        INFO(name);
        CHECK_FALSE(has_errors(validate(s)));
        const MemoryReport report = memory_report(s);
        const double measured = row["real_alloc_gib"].get<double>() * 1073741824;
        const double error = report.most_allocated().allocated().value / measured - 1;
        CHECK(std::abs(error) < 0.04);
        sum += std::abs(error);
        ++rows;
    }
    CHECK(rows == 21);
    CHECK(sum / rows < 0.03);
}
