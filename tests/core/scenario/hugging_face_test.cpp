// config.json files of released models against our presets and the published counts; what is missing, wrong,
// hostile or beyond a Model. The files of tests/data/hf hold the facts of the released config.json, and no
// more.
#include "tests/core/support.h"

#include "core/model/weights.h"
#include "core/scenario/hugging_face/hugging_face.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <random>

using namespace ringside;
using nlohmann::json;

namespace
{

using Lines = std::vector<std::string>;

Lines lines_of(const Issues& issues)
{
    Lines lines;
    for (const Issue& issue : issues)
    {
        lines.push_back(to_line(issue));
    }
    return lines;
}

Lines faults(const std::string& text)
{
    const auto read = hugging_face_model_from_text(text);
    return read ? Lines{} : lines_of(read.issues());
}

HuggingFaceModel good(const json& config)
{
    const auto read = hugging_face_model(config);
    INFO(config.dump());
    if (!read)
    {
        FAIL(to_line(read.issues().front()));
    }
    return *read;
}

std::int64_t count(const std::string& text)
{
    return count_parameters(good(json::parse(text)).model).total;
}

std::vector<std::filesystem::path> released()
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path("tests/data/hf")))
    {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

json config_of(const char* model)
{
    return test::read(std::string("tests/data/hf/") + model + ".json");
}

} // namespace

TEST_CASE("the config.json of a released model gives our preset's shape and the published count")
{
    const auto files = released();
    std::size_t with_preset = 0;
    for (const auto& file : files)
    {
        const std::string id = file.stem().string();
        INFO(id);
        const ModelPreset* preset = test::presets().model(id);
        if (preset == nullptr)
        {
            continue;
        }
        ++with_preset;
        const HuggingFaceModel read = good(config_of(id.c_str()));
        CHECK(count_parameters(read.model).total == count_parameters(preset->model).total);
        Model like = preset->model; // name and preset aside; the longest sequence is a matter of the release
        like.preset = "";
        like.name = read.model.name;
        like.max_sequence_length = read.model.max_sequence_length;
        CHECK(to_json(read.model) == to_json(like));
        CHECK(read.model == like);
        const ModelPreset* found = preset_of_shape(read.model, test::presets());
        REQUIRE(found != nullptr);
        CHECK(found->model.layers == preset->model.layers);
    }
    CHECK(with_preset >= 39);
}

TEST_CASE("hand-worked: config.json of models of 2026 count as published, without a field left unread")
{
    struct Released
    {
        const char* id;
        std::int64_t parameters; // of the language model, without prediction layers
        std::int64_t active;
    };
    // Worked out by hand from modeling_*.py of the transformers library. Published: Nemotron 3 Nano 31.6B
    // with 3.6B active, Super 120.6B and 12.7B, Qwen3.5 397B and 17B, Qwen3-Coder-Next 80B and 3B, Gemma
    // 4 30.7B, and 25.2B with 3.8B active, GLM-5 744B, MiniMax-M2.5 230B and 10B, Step 3.5 Flash 197B and
    // 11B, MiMo-V2-Flash 309B and 15B, LFM2.5 1.17B, Granite 4.0 H Small 32B and 9B, Jamba 52B and 12B,
    // Trinity Mini 26B and 3B.
    const std::vector<Released> all{{"qwen3.5-27b", 26895998464, 26895998464},
                                    {"qwen3.5-35b-a3b", 34660610688, 3454988928},
                                    {"qwen3.5-397b-a17b", 396346350336, 17349040896},
                                    {"qwen3-coder-next", 79674391296, 3874929408},
                                    {"gemma-4-31b", 30697345280, 30697345280},
                                    {"gemma-4-26b-a4b", 25233141760, 3822530560},
                                    {"nemotron-3-nano-30b-a3b", 31577940288, 3580076352},
                                    {"nemotron-3-super-120b-a12b", 120668707840, 12770237440},
                                    {"glm-5", 743911218432, 0},
                                    {"glm-4.7-flash", 29943393920, 3896766080},
                                    {"minimax-m2.5", 228689764864, 11030553088},
                                    {"step-3.5-flash", 196956130368, 11987323968},
                                    {"mimo-v2-flash", 308778778368, 15445933824},
                                    {"lfm2.5-1.2b", 1170340608, 1170340608},
                                    {"falcon-h1r-7b", 7585648736, 7585648736},
                                    {"granite-4.0-h-small", 32207337984, 8803121664},
                                    {"jamba2-mini", 51570323328, 12110311296},
                                    {"trinity-mini", 26123974400, 3474732800}};
    for (const Released& released : all)
    {
        INFO(released.id);
        const HuggingFaceModel read = good(config_of(released.id));
        const ParameterCount count = count_parameters(read.model);
        CHECK(count.total == released.parameters);
        CHECK((released.active == 0 || count.active == released.active));
        CHECK(read.unread == Lines{});
        CHECK(validate(
                  [&]
                  {
                      Scenario s;
                      s.model = read.model;
                      return s;
                  }())
                  .size() < 10);
    }
}

namespace
{

// A list of layers as the table has it, {"repeat": [[3, "a"], [1, "b"]], "times": 2}, written out.
json written_out(const json& value)
{
    json out = value;
    if (value.is_object() && value.contains("repeat"))
    {
        out = json::array();
        for (int time = 0; time < value["times"]; ++time)
        {
            for (const json& run : value["repeat"])
            {
                out.insert(out.end(), run[0].get<std::size_t>(), run[1]);
            }
        }
        return out;
    }
    for (json& part : out)
    {
        part = part.is_structured() ? written_out(part) : part;
    }
    return out;
}

} // namespace

TEST_CASE("families of 2026 have the parameters that their modeling code makes, and no field is left unread")
{
    const json all = test::read("tests/data/config_json_2026.json");
    for (const json& row : all)
    {
        INFO(row["id"].get<std::string>());
        const HuggingFaceModel read = good(written_out(row["config"]));
        const ParameterCount counted = count_parameters(read.model);
        CHECK(counted.total == row["parameters"]);
        CHECK(counted.active == row.value("active", row["parameters"]));
        CHECK(read.unread == Lines{});
    }
    CHECK(all.size() == 10);
}

TEST_CASE("models of 2026 have the parameters of their released weights, to the last one")
{
    struct Released
    {
        const char* id;
        std::int64_t parameters; // of all tensors of the release
        std::int64_t beside;     // of these, what is not the language model
    };
    // Tensors' headers of the safetensors files of Qwen3.5-397B-A17B (a vision tower, a prediction layer),
    // MiniMax-M2.5 (a scale for every 128 x 128 block of the FP8 matrices of 62 layers: 256 experts of three,
    // and queries, keys, values, output) and Falcon-H1R-7B; llama.cpp's count of the tensors of Nemotron 3
    // Super (without its prediction layers).
    constexpr std::int64_t kScales =
        62 * (256 * 3 * (3072 / 128) * (1536 / 128) + (2 * 6144 + 2 * 1024) / 128 * (3072 / 128));
    constexpr std::array kReleased{Released{"qwen3.5-397b-a17b", 403397928944, 456010480 + 6595568128},
                                   Released{"minimax-m2.5", 228703644928, kScales},
                                   Released{"falcon-h1r-7b", 7585648736, 0},
                                   Released{"nemotron-3-super-120b-a12b", 120668707840, 0}};
    for (const Released& released : kReleased)
    {
        INFO(released.id);
        CHECK(count_parameters(good(config_of(released.id)).model).total ==
              released.parameters - released.beside);
    }
}

TEST_CASE(
    "models of 2026 have the parameters that their hub cards publish, to the last digit that is published")
{
    struct Published
    {
        const char* id;
        const char* repository;
        double billions;
        double digit = 1; // the last, in billions
    };
    // Not in it, since their cards count more than the language model or cut where others round: those whose
    // released weights are counted above.
    constexpr std::array kPublished{
        Published{"qwen3.5-27b", "Qwen/Qwen3.5-27B", 27},
        Published{"qwen3.5-35b-a3b", "Qwen/Qwen3.5-35B-A3B", 35},
        Published{"qwen3.5-122b-a10b", "Qwen/Qwen3.5-122B-A10B", 122},
        Published{"qwen3-coder-next", "Qwen/Qwen3-Coder-Next", 80},
        Published{"gemma-4-31b", "google/gemma-4-31B", 30.7, 0.1},
        Published{"gemma-4-26b-a4b", "google/gemma-4-26B-A4B", 25.2, 0.1},
        Published{"gemma-3n-e4b", "google/gemma-3n-E4B", 6.87, 0.01},
        Published{"nemotron-3-nano-30b-a3b", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B", 31.6, 0.1},
        Published{"nemotron-3-ultra", "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B", 550, 10},
        Published{"glm-5", "zai-org/GLM-5", 744},
        Published{"glm-5.2", "zai-org/GLM-5.2", 744},
        Published{"glm-4.7-flash", "zai-org/GLM-4.7-Flash", 30},
        Published{"step-3.5-flash", "stepfun-ai/Step-3.5-Flash", 197},
        Published{"mimo-v2-flash", "XiaomiMiMo/MiMo-V2-Flash", 309},
        Published{"lfm2.5-1.2b", "LiquidAI/LFM2.5-1.2B-Base", 1.17, 0.01},
        Published{"granite-4.0-h-small", "ibm-granite/granite-4.0-h-small", 32},
        Published{"jamba2-mini", "ai21labs/AI21-Jamba2-Mini", 52},
        Published{"trinity-mini", "arcee-ai/Trinity-Mini", 26},
        Published{"mistral-small-4", "mistralai/Mistral-Small-4-119B-2603", 119},
        Published{"hy3", "tencent/Hy3-preview", 295},
        Published{"olmo-hybrid-7b", "allenai/Olmo-Hybrid-7B", 7}};
    const json more = test::read("tests/data/config_json_2026.json");
    for (const Published& published : kPublished)
    {
        INFO(published.repository);
        const auto row =
            std::ranges::find_if(more, [&](const json& each) { return each["id"] == published.id; });
        const HuggingFaceModel read =
            good(row == more.end() ? config_of(published.id) : written_out((*row)["config"]));
        const double billions = static_cast<double>(count_parameters(read.model).total) / 1e9;
        CHECK(std::abs(billions - published.billions) <= published.digit / 2);
    }
}

TEST_CASE("every released config is read to its last field that bears on the shape")
{
    for (const auto& file : released())
    {
        INFO(file.stem().string());
        CHECK(good(config_of(file.stem().string().c_str())).unread == Lines{});
    }
}

TEST_CASE("an architecture that is not modeled is refused by what it has, with what would work")
{
    const auto refused = [](const std::string& more)
    {
        return faults(R"({"hidden_size": 2560, "num_hidden_layers": 54, "num_attention_heads": 32, )" + more +
                      "}");
    };
    const Lines zamba = refused(R"("model_type": "zamba2", "num_mem_blocks": 2, "n_mamba_heads": 80)");
    REQUIRE(zamba.size() == 1);
    CHECK(zamba.front().starts_with(
        "num_mem_blocks: the model has blocks of attention and MLP that are held once"));
    CHECK(zamba.front().find("bamba, granitemoehybrid or falcon_h1") != std::string::npos);
    CHECK(refused(R"("model_type": "t5", "is_encoder_decoder": true)")
              .front()
              .starts_with("is_encoder_decoder: the model has an encoder beside its decoder"));
    CHECK(refused(R"("model_type": "bert", "type_vocab_size": 2)").front().starts_with("type_vocab_size: "));
    // A family that is known is read, whatever such a field says.
    CHECK(faults(R"({"model_type": "llama", "is_encoder_decoder": false, "type_vocab_size": 0})") == Lines{});
}

TEST_CASE("a config is read as Python writes it: Infinity, NaN and megabytes of lists")
{
    const std::string llama =
        R"("model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
           "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256)";
    CHECK(count("{" + llama + "}") == 8030261248);
    const auto python = [&](const std::string& more)
    { return hugging_face_model_from_text("{" + llama + more + "}"); };
    for (const char* more : {", \"time_step_limit\": [0.0, Infinity]", ", \"x\": -Infinity, \"y\": [NaN]",
                             ", \"note\": \"a NaN, an \\\" Infinity\""})
    {
        INFO(more);
        const auto read = python(more);
        REQUIRE(read);
        CHECK(count_parameters(read->model).total == 8030261248);
    }
    CHECK(faults("{" + llama + R"(, "head_dim": Infinity})") ==
          Lines{"head_dim: \"Infinity\" is not a whole number (use 1 to 65536)"});
    CHECK(faults("{" + llama + ", Infinity}").front().starts_with("not JSON"));
    json ignored = json::array();
    for (int layer = 0; layer < 40000; ++layer)
    {
        ignored.push_back("model.layers." + std::to_string(layer) +
                          ".block.experts.w1.weight_packed_and_scaled");
    }
    const auto large = python(", \"quantization_config\": " +
                              json{{"quant_method", "modelopt"}, {"ignore", ignored}}.dump());
    REQUIRE(large);
    CHECK(count_parameters(large->model).total == 8030261248);
    CHECK(lines_of(large->notes).front().starts_with("quantization_config: modelopt weights"));
}

TEST_CASE("the language model is found in every wrapper")
{
    const json text = config_of("qwen3-0.6b");
    const std::int64_t parameters = count_parameters(good(text).model).total;
    for (const char* wrapper : {"text_config", "llm_config", "language_config"})
    {
        const auto read =
            good({{"model_type", "anything_vl"}, {wrapper, text}, {"vision_config", json::object()}});
        CHECK(count_parameters(read.model).total == parameters);
        CHECK(read.model_type == "qwen3");
    }
    const auto thinker = good({{"model_type", "omni"}, {"thinker_config", {{"text_config", text}}}});
    CHECK(count_parameters(thinker.model).total == parameters);
    // Qwen3-VL's text model is Qwen3's; that its embedding is untied stands outside.
    const auto vl = good(json::parse(
        R"({"model_type": "qwen3_vl", "tie_word_embeddings": false, "text_config": {"model_type": "qwen3_vl_text",
            "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
            "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936}, "vision_config": {"hidden_size": 1152}})"));
    CHECK(count_parameters(vl.model).total == 8190735360);
}

TEST_CASE("zero experts, and null, mean a dense model")
{
    CHECK(count(R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 5120,
        "intermediate_size": 8192, "intermediate_size_mlp": 8192, "num_hidden_layers": 48, "num_attention_heads": 40,
        "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 202048, "attention_chunk_size": 8192,
        "num_local_experts": 0, "num_experts_per_tok": 0, "interleave_moe_layer_step": 0, "moe_layers": []}})") ==
          11129164800);
    for (const char* none : {"0", "null"})
    {
        const auto dense =
            good(json::parse(std::string(R"({"model_type": "mixtral", "num_local_experts": )") + none + "}"));
        CHECK(dense.model.experts == 0);
        CHECK(dense.model.expert_ffn == 0);
    }
}

TEST_CASE("a field that bears on the shape and that nobody reads is named by its path")
{
    const auto paths = [](const HuggingFaceModel& read)
    {
        Lines all;
        for (const Issue& note : read.notes)
        {
            all.push_back(note.path);
        }
        return all;
    };
    const auto noted = paths(good(json::parse(
        R"({"model_type": "gemma3_text", "hidden_size": 2816, "intermediate_size": 2112, "num_hidden_layers": 30,
            "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "global_head_dim": 512,
            "num_global_key_value_heads": 2, "vocab_size": 262144, "sliding_window": 1024, "enable_moe_block": true,
            "num_experts": 128, "moe_intermediate_size": 704, "top_k_experts": 8})")));
    for (const char* path : {"num_experts", "moe_intermediate_size", "top_k_experts", "global_head_dim",
                             "num_global_key_value_heads"})
    {
        CHECK(std::count(noted.begin(), noted.end(), path) == 1);
    }
    CHECK(good(json::parse(R"({"model_type": "llama", "num_local_experts": 8})")).unread ==
          Lines{"num_local_experts"});
}

TEST_CASE("an unknown architecture is read by its fields, or compared by them")
{
    json glm = config_of("glm-5");
    glm["model_type"] = "somebody_new";
    glm.erase("architectures");
    const auto read = good(glm);
    CHECK(count_parameters(read.model).total == 743911218432);
    CHECK(lines_of(read.notes)
              .front()
              .find("an indexer, latent attention, shared experts and experts like deepseek_v32") !=
          std::string::npos);
    glm["memory_layers"] = 4;
    const Lines unknown = faults(glm.dump());
    REQUIRE(unknown.size() == 1);
    CHECK(unknown.front().find("like deepseek_v32, and these fields are not read: memory_layers") !=
          std::string::npos);
}

TEST_CASE("hand-worked: Meta's and Mistral's params.json")
{
    // Llama 3.1 8B, Llama 2 7B and 70B, Mixtral 8x7B as their releases have them.
    CHECK(count(R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256,
                    "ffn_dim_multiplier": 1.3, "multiple_of": 1024, "norm_eps": 1e-05, "rope_theta": 500000.0,
                    "use_scaled_rope": true})") == 8030261248);
    CHECK(count(R"({"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-06,
                    "vocab_size": -1})") == 6738415616);
    CHECK(
        count(R"({"dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64, "n_kv_heads": 8,
                    "n_layers": 80, "norm_eps": 1e-05, "vocab_size": -1})") == 68976648192);
    CHECK(count(R"({"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
                    "n_kv_heads": 8, "vocab_size": 32000, "moe": {"num_experts_per_tok": 2, "num_experts": 8}})") ==
          46702792704);
    CHECK(is_hugging_face(json::parse(R"({"dim": 4096, "n_layers": 32, "n_heads": 32})")));
}

TEST_CASE("fields that a config leaves out take the library's defaults")
{
    CHECK(count(R"({"model_type": "gpt2"})") == 124439808);       // GPT-2 small
    CHECK(count(R"({"model_type": "llama"})") == 6738415616);     // Llama 7B
    CHECK(count(R"({"model_type": "mixtral"})") == 46702792704);  // Mixtral 8x7B
    CHECK(count(R"({"model_type": "falcon"})") == 6921720704);    // Falcon 7B
    CHECK(count(R"({"model_type": "gpt_neox"})") == 20554567680); // GPT-NeoX-20B, arXiv 2204.06745, table 1
    CHECK(count(R"({"model_type": "deepseek_v3"})") == 671026419200);
    CHECK(count(R"({"model_type": "gpt_oss"})") == 116829156672);
    CHECK(count(R"({"model_type": "gemma2"})") == 2614341888);
    const auto llama = good(json::parse(R"({"model_type": "llama", "hidden_size": 4096})"));
    CHECK(std::count(llama.defaults.begin(), llama.defaults.end(), "num_hidden_layers 32") == 1);
    CHECK(std::count(llama.defaults.begin(), llama.defaults.end(), "hidden_size 4096") == 0);
    // null is left out, but for q_lora_rank, where it means that queries are not compressed.
    CHECK(count(R"({"model_type": "llama", "num_key_value_heads": null, "vocab_size": null})") == 6738415616);
    CHECK(good(json::parse(R"({"model_type": "deepseek_v3", "q_lora_rank": null})")).model.q_lora_rank == 0);
}

TEST_CASE("hand-worked: the language model inside of Gemma 3 4B is found, and its tower named")
{
    const auto read =
        good(json::parse(R"({"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"],
        "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
                        "num_hidden_layers": 34, "sliding_window": 1024},
        "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152}})"));
    // 262,208 x 2,560 words; a layer has 15,728,640 in attention, 78,643,200 in the MLP, 10,752 in norms.
    CHECK(count_parameters(read.model).total == 671252480 + 34 * (15728640LL + 78643200 + 10752) + 2560);
    CHECK(lines_of(read.notes) == Lines{"vision_config: is left out (only the language model counts)"});
    CHECK(read.model.attention_per_layer == std::vector<std::int64_t>{1024, 1024, 1024, 1024, 1024, 0});
}

TEST_CASE("what a shape cannot say is said")
{
    CHECK(lines_of(good(config_of("deepseek-v3")).notes) ==
          Lines{"num_nextn_predict_layers: 1 layer more for multi-token prediction left out "
                "(model.mtp_layers adds "
                "them)",
                "quantization_config: fp8 weights on the hub (training counts the scenario's precision)"});
    CHECK(good(config_of("llama-3.1-8b")).notes.empty());
    CHECK(good(config_of("qwen2.5-72b")).notes.empty()); // its window is switched off
    CHECK(good(config_of("mistral-7b-v0.1")).notes.empty());
    CHECK(good(config_of("mistral-nemo-12b")).notes.empty()); // null
    const auto shared = good(json::parse(R"({"model_type": "qwen2_moe"})"));
    CHECK(shared.model.shared_experts == 4);
    CHECK(shared.notes.empty());
    CHECK(count_parameters(shared.model).total == 14315784192); // Qwen1.5-MoE-A2.7B with its gate
    const auto biased = good(json::parse(R"({"model_type": "llama", "attention_bias": true})"));
    CHECK(biased.model.qkv_bias);
    CHECK(lines_of(biased.notes).front().find("131072 biases are not counted") != std::string::npos);
}

TEST_CASE("experts between dense layers follow the library's own rules")
{
    // (i + 1) % 2 == 0: layers 1, 3, 5 ... have experts.
    const Model qwen = good(json::parse(R"({"model_type": "qwen3_moe", "decoder_sparse_step": 2})")).model;
    CHECK_FALSE(has_experts(qwen, 0));
    CHECK(has_experts(qwen, 1));
    CHECK_FALSE(has_experts(qwen, 2));
    CHECK(has_experts(qwen, 3));
    const Model leading =
        good(json::parse(R"({"model_type": "qwen3_moe", "mlp_only_layers": [1, 0]})")).model;
    CHECK(leading.dense_layers == 2);
    CHECK(leading.ffn == 6144);
    // i >= 3 and i % 2 == 0: 4, 6, 8 ...
    const Model deep = good(json::parse(R"({"model_type": "deepseek_v3", "moe_layer_freq": 2})")).model;
    CHECK_FALSE(has_experts(deep, 3));
    CHECK(has_experts(deep, 4));
    CHECK_FALSE(has_experts(deep, 5));
    CHECK(
        faults(R"({"model_type": "qwen3_moe", "mlp_only_layers": [5]})") ==
        Lines{"mlp_only_layers: dense layers between those with experts (only leading layers can be dense)"});
}

TEST_CASE("an unknown model_type is answered with those there are")
{
    const Lines unknown = faults(R"({"model_type": "lama"})");
    REQUIRE(unknown.size() == 2);
    CHECK(unknown.front().starts_with(
        "model_type: \"lama\" is not known; by its fields it has plain attention like "
        "llama (known are gpt2, "));
    CHECK(unknown.back().starts_with("vocab_size: is missing"));
    CHECK(
        faults(R"({"hidden_size": 4096})").front().starts_with("model_type: this architecture is not known"));
    CHECK(faults(R"({"text_config": {"model_type": "whisper"}})").front().find("\"whisper\" is not known") !=
          std::string::npos);
    // By its architecture, where only the type is another's own.
    const auto own =
        good(json::parse(R"({"model_type": "my_llama", "architectures": ["LlamaForCausalLM"]})"));
    CHECK(own.model_type == "llama");
    CHECK(lines_of(own.notes) ==
          Lines{"model_type: \"my_llama\", read as llama because of LlamaForCausalLM"});
}

TEST_CASE("every fault of a config names the field, the value and what would work")
{
    CHECK(
        faults(
            R"({"model_type": "llama", "hidden_size": "4096", "num_hidden_layers": 0, "tie_word_embeddings": 1})") ==
        Lines{"hidden_size: \"4096\" is not a whole number (use 1 to 1048576)",
              "num_hidden_layers: 0 is out of range (use 1 to 10000)",
              "tie_word_embeddings: 1 is not true or false (use true or false)"});
    CHECK(faults(R"({"model_type": "llama", "hidden_size": 4097})") ==
          Lines{"num_attention_heads: 32 heads do not divide the width 4097 (use heads that do, or give "
                "head_dim)"});
    CHECK(faults(R"({"model_type": "llama", "hidden_size": 4097, "head_dim": 128})").empty());
    CHECK(faults(R"({"model_type": "llama", "num_key_value_heads": 5})") ==
          Lines{"num_key_value_heads: 5 does not divide 32 heads (use one that does)"});
    CHECK(faults(R"({"model_type": "mixtral", "num_experts_per_tok": 9})") ==
          Lines{"num_experts_per_tok: 9 of 8 experts (use 1 to 8)"});
    CHECK(faults(R"({"model_type": "deepseek_v2"})").front().starts_with("num_experts_per_tok: is missing"));
    CHECK(faults(R"({"model_type": "mpt", "attn_config": {"alibi": "yes"}})") ==
          Lines{"attn_config.alibi: \"yes\" is not true or false (use true or false)"});
    CHECK(faults(
              R"({"model_type": "llama", "hidden_size": 1e6, "num_hidden_layers": 10000, "vocab_size": 1e6})")
              .front()
              .starts_with("model: more than 100 trillion parameters"));
    CHECK(faults("[]") == Lines{"[] is not a config.json (give {\"model_type\": \"llama\", ...})"});
    CHECK(faults("").front().starts_with("the file is empty"));
    CHECK(faults(std::string(kMaxConfigBytes + 1, ' ')).front().find("is more than the 16.0 MiB") !=
          std::string::npos);
    CHECK(faults(std::string(2000, '[') + std::string(2000, ']')).size() == 1);
}

TEST_CASE("a config.json is told from a scenario")
{
    CHECK(is_hugging_face(config_of("llama-2-7b")));
    CHECK_FALSE(is_hugging_face(test::read("assets/scenarios/default.json")));
    CHECK_FALSE(is_hugging_face(json::array()));
    CHECK(good(json::parse(R"({"model_type": "llama", "_name_or_path": "meta-llama/Llama-2-7b-hf"})"))
              .model.name == "Llama-2-7b-hf");
    CHECK(good(json::parse(R"({"model_type": "llama", "_name_or_path": "a\nb"})")).model.name == "Llama");
}

TEST_CASE("whatever is done to a config, it is read or refused with a reason")
{
    std::mt19937 draw(7);
    const auto files = released();
    const std::vector<json> odd{nullptr,       true,           -1,         0, 1, 3, 1e300, -0.5, "x",
                                json::array(), json::object(), 1ULL << 63U};
    std::size_t accepted = 0;
    for (int round = 0; round < 3000; ++round)
    {
        json config = config_of(files[draw() % files.size()].stem().c_str());
        for (std::size_t change = 1 + draw() % 3; change > 0 && !config.empty(); --change)
        {
            auto at = config.begin();
            std::advance(at, static_cast<std::ptrdiff_t>(draw() % config.size()));
            if (draw() % 4 == 0)
            {
                config.erase(at);
                continue;
            }
            *at = odd[draw() % odd.size()];
        }
        std::string text = config.dump();
        if (draw() % 8 == 0 && !text.empty())
        {
            text[draw() % text.size()] = static_cast<char>(draw() % 256);
        }
        INFO(text);
        const auto read = hugging_face_model_from_text(text);
        if (read)
        {
            ++accepted;
            CHECK(count_parameters(read->model).total > 0);
            Model again; // within the ranges of our own reader, so that what is written can be read
            CHECK(read_fields(to_json(read->model), "", again).empty());
        }
        else
        {
            CHECK_FALSE(read.issues().empty());
            CHECK_FALSE(read.issues().front().message.empty());
        }
    }
    CHECK(accepted > 300);
}

TEST_CASE("layers of several kinds: what a list leaves out or does not know is a fault with what would do")
{
    const auto first = [](const char* text)
    {
        const Lines all = faults(text);
        return all.empty() ? std::string() : all.front();
    };
    CHECK(first(R"({"model_type": "deepseek_v4", "compress_ratios": [0, 4]})").find("2 entries for 43") !=
          std::string::npos);
    json flash = config_of("deepseek-v4-flash");
    flash["compress_ratios"][3] = 7;
    CHECK(first(flash.dump().c_str()).find("7 tokens to a key") != std::string::npos);
    json linear = config_of("kimi-linear-48b-a3b");
    linear["linear_attn_config"]["num_heads"] = 16;
    CHECK(first(linear.dump().c_str()).find("16 beside 32") != std::string::npos);
    linear["linear_attn_config"] = {{"kda_layers", {28}}};
    CHECK(first(linear.dump().c_str()).find("28 of 27") != std::string::npos);
    json scout = config_of("llama-4-scout");
    scout["text_config"]["no_rope_layers"] = {1, 0};
    CHECK(good(scout).model.attention_per_layer == std::vector<std::int64_t>{8192, 0});
    scout["text_config"]["attention_chunk_size"] = nullptr;
    CHECK(good(scout).model.attention_per_layer.empty());
}
