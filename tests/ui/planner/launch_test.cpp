// A layout as a framework's options, in a user's hands: chosen, read, copied, saved; and a config.json
// pasted.
#include "tests/ui/words.h"

#include "core/planner/launch/framework_launch.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::string file_of(const Window& w, const char* tool, std::size_t file)
{
    const Launch launch = write_launch(*test::presets().framework(tool), w.session().now().scenario);
    return text_of(launch, launch.files.at(file));
}

std::string config(const char* model)
{
    std::ifstream in(test::source_path(std::string("tests/data/hf/") + model + ".json"));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("the launch view says every option of Megatron-LM with its explanation and its field")
{
    Window w;
    w.open("launch");
    w.settle();
    CHECK(says(w, "--tensor-model-parallel-size"));
    CHECK(says(w, "GPUs that share each matrix"));
    CHECK(says(w, "parallel.sequence_parallel"));
    CHECK(says(w, "256 GPUs = data 8 \u00d7 tensor 8 \u00d7 context 1 \u00d7 pipeline 4"));
    test::check_words(w);
}

TEST_CASE("keys 1 to 8 and a click choose the framework, V its version, F the other file")
{
    Window w;
    w.open("launch");
    w.key(ImGuiKey_3);
    w.settle();
    CHECK(says(w, "train_batch_size"));
    CHECK(says(w, "PipelineModule(layers=..., num_stages=4)"));
    w.key(ImGuiKey_F);
    w.settle();
    CHECK(says(w, "--hostfile hostfile --num_nodes 32 --num_gpus 8"));
    w.key(ImGuiKey_8);
    w.settle();
    CHECK(says(w, "--parallelism.pipeline_parallel_schedule"));
    w.key(ImGuiKey_V);
    w.settle();
    CHECK(says(w, "[parallelism]"));
    CHECK(says(w, "pipeline_parallel_schedule = "));
    w.key(ImGuiKey_7);
    w.settle();
    CHECK(says(w, "tp_mode: "));
    w.click("file launch.sh");
    w.settle();
    CHECK(says(w, "run_train.py --config-file config.yaml"));
    test::check_words(w);
}

TEST_CASE("C and the button copy the file on show, S saves it")
{
    Window w;
    SaveText saved;
    w.session().to_file = [&](const SaveText& file)
    {
        saved = file;
        return std::string("Saved");
    };
    w.open("launch");
    w.key(ImGuiKey_C);
    CHECK(w.clipboard == file_of(w, "megatron", 0));
    CHECK(w.session().frame(0).notice == "Copied launch.sh");
    w.key(ImGuiKey_3);
    w.settle();
    w.click("Copy###copy launch");
    CHECK(w.clipboard == file_of(w, "deepspeed", 0));
    CHECK(nlohmann::json::parse(w.clipboard)["gradient_accumulation_steps"] == 16);
    CHECK(w.session().frame(0).notice == "Copied ds_config.json");
    w.key(ImGuiKey_F);
    w.key(ImGuiKey_S);
    CHECK(saved.name == "launch.sh");
    CHECK(saved.text == file_of(w, "deepspeed", 1));
    w.key(ImGuiKey_C, ImGuiMod_Ctrl); // is still the scenario
    CHECK(w.clipboard.starts_with("{\"cluster\""));
}

TEST_CASE("the launch follows the scenario, also one that is too long for the window")
{
    Window w;
    REQUIRE(test::presets().scenario("deepseek-v3-2048") != nullptr);
    w.session().apply(LoadScenario{"deepseek-v3-2048"});
    w.open("launch");
    w.settle();
    CHECK(says(w, "--pipeline-model-parallel-layout"));
    CHECK_FALSE(says(w, "--lr-decay-style"));
    for (int i = 0; i < 6; ++i)
    {
        w.key(ImGuiKey_PageDown);
    }
    w.settle();
    CHECK(says(w, "--lr-decay-style"));
    CHECK_FALSE(says(w, "--pipeline-model-parallel-layout"));
    w.key(ImGuiKey_8); // begins at its top
    w.settle();
    CHECK(says(w, "written for torchtitan"));
    test::check_words(w);
}

TEST_CASE("pointing at an option tells its field and what it does")
{
    Window w;
    w.open("launch");
    w.settle();
    const auto words = test::words_of(w);
    const test::Words* line = test::seek_words(words, "--micro-batch-size");
    REQUIRE(line != nullptr);
    w.move_to({line->rect.x + 4, line->rect.middle()});
    w.frames(60);
    CHECK(says(w, "from training.micro_batch"));
}

TEST_CASE("a pasted config.json takes the place of the model and says what it read")
{
    Window w;
    w.open("memory");
    w.clipboard = config("deepseek-v3");
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(w.session().scenario().model.preset == "deepseek-v3");
    const std::string notice = w.session().frame(0).notice.text;
    CHECK(notice.starts_with("Read from a config.json of the Hugging Face hub: DeepSeek-V3, 671 B"));
    CHECK(notice.find("quantization_config: fp8 weights on the hub") != std::string::npos);
    CHECK(w.valid()); // the layout follows the model
    w.clipboard = R"({"model_type": "llama", "num_hidden_layers": 36, "_name_or_path": "me/My-Llama"})";
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(w.session().scenario().model.name == "My-Llama");
    CHECK(w.session().scenario().model.layers == 36);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario().model.preset == "deepseek-v3");
}

TEST_CASE("a config.json with a fault changes nothing and names the fault")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    w.clipboard = R"({"model_type": "llama", "num_attention_heads": 33})";
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    CHECK(
        to_text(w.session().frame(0).notice) ==
        "Not pasted\nnum_attention_heads: 33 heads do not divide the width 4096 (use heads that do, or give "
        "head_dim)");
    w.clipboard = R"({"model_type": "t5"})";
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(to_text(w.session().frame(0).notice).starts_with("Not pasted\nmodel_type: \"t5\" is not known"));
    CHECK(w.session().scenario() == before);
}

TEST_CASE("the launch view stands at every size and type, in light and dark, for every framework")
{
    for (const ImVec2 size : {ImVec2{640, 480}, ImVec2{1280, 800}, ImVec2{1920, 1080}})
    {
        for (const float scale : {1.0F, 2.5F})
        {
            Preferences look;
            look.text_scale = scale;
            look.light = scale > 1;
            Window w(size, look);
            w.session().apply(LoadScenario{"deepseek-v3-2048"});
            w.open("launch");
            for (const ImGuiKey tool : {ImGuiKey_1, ImGuiKey_3, ImGuiKey_5, ImGuiKey_8})
            {
                w.key(tool);
                w.settle();
                INFO(size.x << " x " << size.y << ", type " << scale << ", tool " << tool - ImGuiKey_1);
                test::check_words(w);
            }
        }
    }
}
