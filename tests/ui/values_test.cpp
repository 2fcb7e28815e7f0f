// Values that a user drags, types and chooses: what the scenario becomes, and what is refused.
#include "tests/ui/harness.h"
#include <fmt/format.h>

#include "core/model/family.h"
#include "core/model/weights.h"
#include "core/scenario/fields.h"
#include "core/scenario/link/link.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

using namespace ringside;
using test::Window;

namespace
{

std::string text_of(const Scenario& s)
{
    return to_json(s, test::presets()).dump();
}

// Tall enough for everything under More.
constexpr ImVec2 kTall{1280, 6000};

// Whether a view of the same group has this name: its tab is pressed, not dragged.
bool tab_beside(const ViewInfo& view, std::string_view label)
{
    return std::ranges::any_of(views(), [&](const ViewInfo* other)
                               { return other->group == view.group && other->tab == label; });
}

} // namespace

TEST_CASE("dragging the model size changes the model and the report in the same frame")
{
    Window w;
    w.open("memory");
    const std::int64_t before = w.session().now().report->parameters.total;
    std::set<std::int64_t> seen;
    w.drag("Model size", 0.6F, 0.2F,
           [&]
           {
               const Session& s = w.session();
               REQUIRE(s.now().scenario == s.scenario());
               REQUIRE(s.now().report->parameters.total == count_parameters(s.scenario().model).total);
               seen.insert(s.now().report->parameters.total);
           });
    CHECK(seen.size() > 5);
    CHECK(*seen.begin() < before / 10);
    CHECK(w.valid());
}

TEST_CASE("dragging the model size from one end to the other reaches 100 M and 10 T")
{
    Window w;
    w.open("memory");
    w.drag("Model size", 0.6F, -0.1F);
    CHECK(static_cast<double>(w.session().now().report->parameters.total) ==
          Catch::Approx(kLeastParameters).epsilon(0.03));
    w.drag("Model size", 0, 1.1F);
    CHECK(static_cast<double>(w.session().now().report->parameters.total) ==
          Catch::Approx(kMostParameters).epsilon(0.03));
    CHECK(w.valid());
}

TEST_CASE("dragging GPUs only stops where the scenario is valid")
{
    Window w;
    w.open("memory");
    std::set<std::int64_t> seen;
    w.drag("GPUs", 0.5F, 1,
           [&]
           {
               REQUIRE(w.valid());
               seen.insert(w.session().scenario().cluster.gpus);
           });
    w.drag("GPUs", 1, 0,
           [&]
           {
               REQUIRE(w.valid());
               seen.insert(w.session().scenario().cluster.gpus);
           });
    CHECK(seen.size() > 3);
}

TEST_CASE("dragging micro-batches only stops where the scenario is valid, and moves the global batch")
{
    Window w;
    w.open("pipelines");
    std::set<std::int64_t> seen;
    w.drag("Micro-batches", 0.2F, 0.8F,
           [&]
           {
               REQUIRE(w.valid());
               const Scenario& s = w.session().scenario();
               CHECK(s.training.global_batch == micro_batches(s) * data_parallel(s) * s.training.micro_batch);
               seen.insert(micro_batches(s));
           });
    CHECK(seen.size() > 3);
}

TEST_CASE("every slider of every view can be dragged from end to end and leaves a scenario that is computed")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        if (!view->make()->about_scenario())
        {
            continue; // what its sliders are called, it means in its own way
        }
        w.session().apply(Command::reset);
        w.open(view->id);
        for (const char* label :
             {"GPUs", "Tensor parallel", "Pipeline stages", "Micro-batch size", "Micro-batches", "ZeRO stage",
              "Forward", "Backward, input", "Backward, weight", "Transfer", "Ranks", "Latency per hop",
              "Node link, one way", "Network, one way"})
        {
            if (w.seek(label) == nullptr || tab_beside(*view, label))
            {
                continue;
            }
            INFO(view->id << ": " << label);
            const Scenario before = w.session().scenario();
            std::set<std::string> seen{text_of(before)};
            const auto look = [&]
            {
                REQUIRE(w.valid());
                REQUIRE(w.drawn().fault == "");
                seen.insert(text_of(w.session().scenario()));
            };
            w.drag(label, 0, 1, look);
            w.drag(label, 1, 0, look);
            CHECK(seen.size() > 1);
            w.session().apply(ChangeScenario{before});
        }
    }
}

TEST_CASE("a typed number that does not fit the rest is kept, named, and undone by Ctrl+Z")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    REQUIRE(before.parallel.tensor == 8);
    w.type_value("Tensor parallel", "3");
    CHECK(w.session().scenario().parallel.tensor == 3);
    REQUIRE(!w.valid());
    CHECK(std::any_of(w.session().issues().begin(), w.session().issues().end(),
                      [](const Issue& i) { return i.path == "parallel.tensor" && !i.hint.empty(); }));
    CHECK(w.session().now().scenario == before);
    w.settle();
    CHECK(w.seek("issues###issues") != nullptr);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    CHECK(w.valid());
}

TEST_CASE("while the scenario is invalid the sliders still work, and lead back to a valid one")
{
    Window w;
    w.open("memory");
    w.type_value("Tensor parallel", "3");
    REQUIRE(!w.valid());
    w.drag("Tensor parallel", 0.2F, 0.9F);
    CHECK(w.valid());
}

TEST_CASE("a typed number with a unit, thin spaces or a suffix is read")
{
    Window w;
    w.open("memory");
    w.type_value("Model size", "13B");
    CHECK(static_cast<double>(w.session().now().report->parameters.total) ==
          Catch::Approx(13e9).epsilon(0.03));
    w.type_value("GPUs", "512");
    CHECK(w.session().scenario().cluster.gpus == 512);
    // Enter without a change: the number that stands there reads back as itself.
    w.open("pipelines");
    const Scenario before = w.session().scenario();
    w.type_value("Micro-batches", "");
    CHECK(w.session().scenario() == before);
}

TEST_CASE("typed nonsense is refused beside its slider and changes nothing")
{
    Window w;
    for (const auto& [view, label, text] :
         std::vector<std::array<const char*, 3>>{{"memory", "GPUs", "many"},
                                                 {"memory", "GPUs", "-8"},
                                                 {"memory", "GPUs", "1e300"},
                                                 {"memory", "GPUs", "2.5"},
                                                 {"memory", "Model size", "1"},
                                                 {"memory", "Model size", "nan"},
                                                 {"pipelines", "Micro-batches", "0"},
                                                 {"pipelines", "Transfer", "-1"},
                                                 {"ring", "Latency per hop", "soon"},
                                                 {"ring", "Network, one way", "0"}})
    {
        INFO(view << ", " << label << ": " << text);
        w.open(view);
        const Scenario before = w.session().scenario();
        w.type_value(label, text);
        w.settle();
        CHECK(w.session().scenario() == before);
        CHECK(w.valid());
        CHECK(w.drawn().missing_glyphs == 0);
    }
}

TEST_CASE("Escape leaves a value as it was")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    const Rect r = w.find("GPUs").rect;
    w.press_at({r.right() - 10, r.y + r.h * 0.24F});
    CHECK(w.seek("type GPUs") != nullptr);
    w.type("64");
    w.key(ImGuiKey_Escape);
    w.frames(3);
    CHECK(w.seek("type GPUs") == nullptr);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("a model is chosen from the list by typing part of its name")
{
    Window w;
    w.open("memory");
    w.click("###model");
    w.frames(2);
    w.type("8B");
    w.frames(2);
    w.click("Llama 3.1 8B");
    CHECK(w.session().scenario().model.preset == "llama-3.1-8b");
    CHECK(w.valid());
    w.frames(2);
    CHECK(w.seek("Llama 3.1 8B") == nullptr);
}

TEST_CASE("Enter takes the model that is called so, then one that has the word, before longer names")
{
    for (const auto& [typed, name] :
         {std::pair<std::string_view, std::string_view>{"DeepSeek-V3", "DeepSeek-V3"},
          {"deepseek v3.2", "DeepSeek-V3.2"},
          {"3B", "Llama 3.2 3B"}})
    {
        INFO(typed);
        Window w;
        w.open("memory");
        w.click("###model");
        w.frames(2);
        w.type(typed);
        w.frames(2);
        w.key(ImGuiKey_Enter);
        w.frames(2);
        const std::string chosen = w.session().scenario().model.name;
        CHECK(chosen.starts_with(name));
        CHECK((typed == "deepseek v3.2" || chosen == name));
    }
}

TEST_CASE("a list filter that matches nothing says so")
{
    Window w;
    w.open("memory");
    w.click("###model");
    w.type("no such model");
    CHECK(w.seek("Llama 3.1 8B") == nullptr);
    w.key(ImGuiKey_Escape); // leaves the filter
    w.key(ImGuiKey_Escape); // closes the list
    w.frames(2);
    CHECK(w.seek("###filter") == nullptr);
}

TEST_CASE("every field of every table has a widget once More and all its sections are open")
{
    // What the controls of a view stand for; their fields are not drawn a second time.
    const std::map<std::string, std::string> controls{{"cluster.gpus", "GPUs"},
                                                      {"parallel.tensor", "Tensor parallel"},
                                                      {"parallel.context", "Context parallel"},
                                                      {"parallel.pipeline", "Pipeline stages"},
                                                      {"parallel.expert", "Expert parallel"},
                                                      {"training.micro_batch", "Micro-batch size"},
                                                      {"training.global_batch", "Micro-batches"},
                                                      {"parallel.zero", "ZeRO stage"},
                                                      {"stage_times.forward", "Forward"},
                                                      {"stage_times.backward_input", "Backward, input"},
                                                      {"stage_times.backward_weight", "Backward, weight"},
                                                      {"stage_times.transfer", "Transfer"},
                                                      {"collective.ranks", "Ranks"},
                                                      {"collective.message_gb", "Message"},
                                                      {"collective.latency_us", "Latency per hop"},
                                                      {"cluster.node_link_gb_per_s", "Node link, one way"},
                                                      {"cluster.network_gb_per_s", "Network, one way"},
                                                      {"cluster.gpu.pcie_gb_per_s", "PCIe per direction"},
                                                      {"cluster.nvme_gb_per_s", "NVMe per GPU"}};
    std::vector<std::string> paths;
    const auto add = [&](const std::string& prefix, const auto& object)
    {
        for (const auto& field : fields_of(object))
        {
            paths.push_back(prefix + "." + std::string(field.name));
        }
    };
    const Scenario s;
    add("model", s.model);
    add("cluster.gpu", s.cluster.gpu);
    add("cluster", s.cluster);
    add("parallel", s.parallel);
    add("training", s.training);
    add("training.lora", s.training.lora);
    add("stage_times", s.stage_times);
    add("collective", s.collective);
    Window w(kTall);
    w.click("More###more");
    for (const char* section : {"Layout", "Adapters", "Cluster", "GPU", "Model shape", "Pipeline times",
                                "Collective"}) // Training is open
    {
        w.click(std::string("section ") + section);
    }
    for (const ViewInfo* view : views())
    {
        if (!view->make()->about_scenario())
        {
            continue; // its panel is its own
        }
        w.open(view->id);
        for (const std::string& path : paths)
        {
            INFO(view->id << ": " << path);
            const auto control = controls.find(path);
            const bool there =
                w.seek(path) != nullptr || (control != controls.end() && w.seek(control->second) != nullptr);
            CHECK(there);
        }
    }
}

TEST_CASE("fields under More are changed by typing, switching and choosing")
{
    Window w(kTall);
    w.open("ring");
    w.key(ImGuiKey_M);
    w.frames(2);
    w.click("training.sequence_length");
    w.type("4096");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().training.sequence_length == 4096);
    w.click("training.sequence_length");
    w.type("2048 token"); // a unit is read in the singular, too, as it is written for one
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().training.sequence_length == 2048);
    const bool flash = w.session().scenario().training.flash_attention;
    w.click("training.flash_attention");
    CHECK(w.session().scenario().training.flash_attention == !flash);
    w.click("training.recompute");
    w.frames(2);
    w.click("full");
    CHECK(w.session().scenario().training.recompute == Recompute::full);
    w.click("section Layout");
    w.click("parallel.stage_layers");
    w.type("23 20 20 17");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().parallel.stage_layers == std::vector<std::int64_t>{23, 20, 20, 17});
    w.click("parallel.stage_layers");
    w.type("even");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().parallel.stage_layers.empty());
    w.click("section Model shape");
    w.click("model.hidden");
    w.type("4096");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().model.hidden == 4096);
    CHECK(w.session().scenario().model.preset.empty());
}

TEST_CASE("what the window shows after an edit in the panel is what its own link evaluates to")
{
    Window w(kTall);
    w.open("ring");
    w.click("More###more");
    w.click("section GPU");
    Scenario plain = test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8, "zero": 1},
            "training": {"sequence_length": 4096, "global_batch": 8}})");
    for (const char* id : {"tpu-v5e", "gaudi-3", "l4", "a100-sxm-80gb", "h100-sxm-80gb", ""})
    {
        const GpuPreset* preset = test::presets().gpu(id);
        Gpu by_hand = test::presets().gpu("tpu-v5e")->gpu;
        by_hand.id.clear();
        const Scenario start = with_gpu(plain, preset ? preset->gpu : by_hand, test::presets());
        for (const auto& field : fields_of(start.cluster.gpu))
        {
            w.session().apply(ChangeScenario{start});
            w.frames(2);
            const std::string path = "cluster.gpu." + std::string(field.name);
            if (w.seek(path) == nullptr)
            {
                continue;
            }
            INFO(id << " " << path);
            const double value = start.cluster.gpu.*std::get<double Gpu::*>(field.member);
            w.click(path);
            w.type(fmt::format("{}", std::clamp(std::round(value * 1.5 + 3), field.least, field.most)));
            w.key(ImGuiKey_Enter);
            w.frames(2);
            const Session& s = w.session();
            REQUIRE(s.scenario() != start);
            REQUIRE(w.valid());
            CHECK(s.scenario().cluster.gpu.name == (preset ? preset->gpu.name + ", edited" : ""));
            CHECK((preset == nullptr || s.scenario().software == start.software));
            const LinkRead read = read_link(s.link_text(), test::presets());
            REQUIRE(read.link.scenario);
            CHECK(*read.link.scenario == s.scenario());
            CHECK(evaluate(*read.link.scenario)->step.total() == s.now().report->step.total());
        }
    }
}

TEST_CASE("a number outside its range is refused with the range, under More too")
{
    Window w(kTall);
    w.open("ring");
    w.click("More###more");
    const Scenario before = w.session().scenario();
    for (const char* text : {"0", "-5", "1e30", "many", "1.5"})
    {
        INFO(text);
        w.click("training.sequence_length");
        w.type(text);
        w.key(ImGuiKey_Enter);
        w.frames(2);
        CHECK(w.session().scenario() == before);
    }
    w.click("section Layout");
    w.click("parallel.stage_layers");
    w.type("some layers");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario() == before);
}
