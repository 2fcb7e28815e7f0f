// config.json files of released models against our presets and the published counts; what is missing, wrong,
// hostile or beyond a Model. The files of tests/data/hf hold the facts of the released config.json, and no
// more.
#include "tests/core/support.h"

#include "core/model/weights.h"
#include "core/scenario/hugging_face/hugging_face.h"
#include "core/scenario/json/json_fields.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
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

TEST_CASE("the config.json of 39 released models gives our preset's shape and the published count")
{
    const auto files = released();
    REQUIRE(files.size() == 39);
    for (const auto& file : files)
    {
        const std::string id = file.stem().string();
        INFO(id);
        const ModelPreset* preset = test::presets().model(id);
        REQUIRE(preset != nullptr);
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
    CHECK(lines_of(shared.notes) ==
          Lines{"shared_expert_intermediate_size: the gate of the shared expert, 49152 "
                "parameters in all, is not counted"});
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
    REQUIRE(unknown.size() == 1);
    CHECK(unknown.front().starts_with(
        "model_type: \"lama\" is not known (did you mean \"llama\"? known are gpt2, "));
    CHECK(faults(R"({"hidden_size": 4096})").front().starts_with("model_type: is missing (known are gpt2, "));
    CHECK(faults(R"({"text_config": {"model_type": "whisper"}})")
              .front()
              .starts_with("text_config.model_type: \"whisper\" is not known"));
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
    CHECK(faults(std::string(kMaxConfigBytes + 1, ' ')).front().find("is more than the 1.00 MiB") !=
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
