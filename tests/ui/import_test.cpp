// A launch file in the window: dropped or pasted, its guesses confirmed, changed and taken back, and what
// cannot be read refused with the reason.
#include "tests/source_path.h"
#include "tests/ui/words.h"
#include <unistd.h>

#include "app/files/files.h"
#include "app/session/dropped.h"
#include "core/launch_files/source.h"
#include "ui/shell/frame/import_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

// Paged moments and packed documents are no fields; GPUs, batch and length of the run are guessed.
constexpr std::string_view kAxolotl = R"(base_model: meta-llama/Meta-Llama-3-8B
sequence_len: 8192
sample_packing: true
gradient_accumulation_steps: 8
micro_batch_size: 1
num_epochs: 1
optimizer: paged_adamw_8bit
bf16: auto
flash_attention: true
gradient_checkpointing: true
activation_offloading: true
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
)";
constexpr std::string_view kZero = R"({"zero_optimization": {"stage": 2, "overlap_comm": true},
"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4})";

std::string megatron_script()
{
    return *read_text(test::source_path("tests/data/launch_files/mixtral.sh"), {.limit = kMaxLaunchBytes});
}

void paste(Window& w, std::string_view text)
{
    w.clipboard = text;
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.settle(300);
}

bool is_on(const Window& w)
{
    return w.session().frame(0).imported != nullptr;
}

// A folder of files to drop, gone with the test.
class Folder
{
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "ringside-import-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Folder()
    {
        std::error_code none;
        std::filesystem::remove_all(path_, none);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, std::string_view text) const
    {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

void drop(Window& w, const std::vector<std::string>& paths)
{
    take_dropped(w.session(), paths);
    w.settle(300);
}

// Nothing changed, and the window says why.
void check_refused(Window& w, const Scenario& before, std::string_view title, std::string_view why)
{
    CHECK(w.session().scenario() == before);
    CHECK_FALSE(is_on(w));
    CHECK(says(w, title));
    CHECK(says(w, why));
    w.key(ImGuiKey_Escape);
    w.settle(300);
}

} // namespace

TEST_CASE("a pasted launch file becomes the scenario, and its guesses are confirmed one by one")
{
    Window w;
    w.open("memory");
    paste(w, megatron_script());
    CHECK(w.session().scenario().model.experts == 8);
    CHECK(w.session().scenario().cluster.gpus == 32);
    CHECK(says(w, "Guessed: 2 to confirm or change"));
    CHECK(says(w, "launch files name no GPU"));
    CHECK(says(w, "Stated by a setting: 25 fields"));
    CHECK(test::cut_words(w) == "");
    w.click("confirm cluster.gpu");
    w.settle(300);
    CHECK(says(w, "Guessed: 1 to confirm or change"));
    w.click("confirm training.tokens");
    w.settle(300);
    CHECK(says(w, "Guessed, and all confirmed or changed"));
    w.key(ImGuiKey_Escape);
    w.settle(300);
    CHECK_FALSE(says(w, "Stated by a setting"));
    CHECK(w.seek("import chip") == nullptr);
}

TEST_CASE("a changed guess is settled, asked again after an undo, and gone with the file after one more")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    paste(w, megatron_script());
    const Scenario read = w.session().scenario();
    w.type_value("training.tokens", "2e12");
    w.settle(300);
    CHECK(w.session().scenario().training.tokens == 2e12);
    CHECK(says(w, "Guessed: 1 to confirm or change"));
    w.click("undo import");
    w.settle(300);
    CHECK(w.session().scenario() == read);
    CHECK(says(w, "Guessed: 2 to confirm or change"));
    w.click("undo import");
    w.settle(300);
    CHECK(w.session().scenario() == before);
    CHECK_FALSE(is_on(w));
    CHECK_FALSE(says(w, "Guessed: "));
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(w.session().scenario() == read);
    CHECK(says(w, "Guessed: 2 to confirm or change"));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w.session().apply(LoadScenario{"gpt-3-175b-1024"});
    w.settle(300);
    CHECK_FALSE(is_on(w));
}

TEST_CASE("closed, the card comes back from the strip while a guess is left")
{
    Window w;
    w.open("memory");
    paste(w, megatron_script());
    w.click("close import");
    w.settle(300);
    CHECK_FALSE(says(w, "Guessed: "));
    REQUIRE(w.seek("import chip") != nullptr);
    CHECK(says(w, "2 guesses to confirm"));
    w.click("import chip");
    w.settle(300);
    CHECK(says(w, "Guessed: 2 to confirm or change"));
}

TEST_CASE("fields that settings state are listed with the setting, and what is not modeled with its price")
{
    Window w({1280, 1800});
    w.open("memory");
    paste(w, kAxolotl);
    CHECK(says(w, "Guessed: 5 to confirm or change"));
    CHECK(says(w, "Not modeled"));
    CHECK(says(w, "sample_packing"));
    CHECK(says(w, "activation_offloading"));
    CHECK(says(w, "2.15 GB less")); // 2 bytes x 8,192 tokens x 4,096 x 32 layers
    paste(w, megatron_script());
    w.click("fields stated");
    w.settle(300);
    CHECK(says(w, "--seq-length 4096"));
    CHECK(test::cut_words(w) == "");
}

TEST_CASE("a launch that cannot run as it is written is read, and says why at the top")
{
    Window w;
    w.open("memory");
    std::string script = megatron_script();
    script.replace(script.find("--nnodes 4"), 10, "--nnodes 3");
    paste(w, script);
    CHECK(says(w, "It cannot run as it is written"));
    CHECK(w.session().scenario().cluster.gpus == 24);
    w.click("undo import");
    w.settle(300);
    CHECK(w.valid());
}

TEST_CASE("a launch without a model guesses one as a whole")
{
    Window w;
    w.open("memory");
    paste(w, kZero);
    CHECK(says(w, "nothing to shard over"));
    CHECK(says(w, "the files name no model"));
    REQUIRE(w.seek("confirm model") != nullptr);
    CHECK(w.seek("confirm model.hidden") == nullptr);
    w.click("confirm model");
    w.settle(300);
    CHECK(w.seek("confirm model") == nullptr);
}

TEST_CASE("the card is legible in every size of window")
{
    Window w;
    w.open("memory");
    for (const std::string_view text : {kAxolotl, kZero})
    {
        for (const test::Setup& setup : test::setups())
        {
            INFO(setup.says());
            w.session().set_preferences(setup.preferences(w.session().preferences()));
            w.resize(setup.window);
            paste(w, text);
            CHECK(test::cut_words(w) == "");
            CHECK(w.drawn().fault.empty());
            CHECK(w.seek("close import") != nullptr);
        }
    }
}

TEST_CASE("what is no launch file is refused with its reason, and nothing changes")
{
    const Folder folder;
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    drop(w, {folder.write("empty.sh", "")});
    check_refused(w, before, "Not read: empty.sh", "there is nothing in it");
    drop(w, {folder.write("broken.yaml", "base_model: [a\nmicro_batch_size: 1\n")});
    check_refused(w, before, "Not read: broken.yaml", "broken.yaml:");
    drop(w, {folder.write("list.txt", "eggs\nmilk\n")});
    check_refused(w, before, "Not read: list.txt", "is no launch file that is known");
    drop(w, {folder.write("many.sh",
                          "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers many --hidden-size 64")});
    check_refused(w, before, "Not read: many.sh", "many");
    drop(w, {folder.write("huge.yaml", std::string(kMaxLaunchBytes + 1, 'a'))});
    check_refused(w, before, "Not read: ", "huge.yaml");
    paste(w, "  \n");
    check_refused(w, before, "Not pasted", "there is nothing in it");
}

TEST_CASE("a dropped scenario takes the model from the file beside it that it names")
{
    const Folder folder;
    Window w;
    w.open("memory");
    folder.write("config.json",
                 R"({"model_type": "llama", "num_hidden_layers": 36, "_name_or_path": "me/My-Llama"})");
    drop(w, {folder.write("run.json", R"({"model": "config.json", "cluster": {"gpus": 16}})")});
    CHECK(w.session().scenario().model.name == "My-Llama");
    CHECK(w.session().scenario().model.layers == 36);
    CHECK(w.session().scenario().cluster.gpus == 16);
    const Scenario before = w.session().scenario();
    drop(w, {folder.write("other.json", R"({"model": "missing.json", "cluster": {"gpus": 16}})")});
    CHECK(w.session().scenario() == before);
    CHECK(says(w, "missing.json"));
}

TEST_CASE("a script and the configuration that it names are read together when dropped at once")
{
    const Folder folder;
    Window w;
    w.open("memory");
    const std::string config = folder.write("ds.json", kZero);
    const std::string script = folder.write(
        "run.sh",
        "deepspeed --num_gpus 8 train.py --deepspeed ds.json --model_name_or_path meta-llama/Llama-3.1-8B\n");
    drop(w, {config, script});
    CHECK(says(w, "2 files"));
    CHECK(w.session().scenario().cluster.gpus == 8);
    CHECK(w.session().scenario().parallel.zero == 2);
    CHECK(w.session().scenario().model.preset == "llama-3.1-8b");
}
