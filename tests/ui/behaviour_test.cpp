// What happens when a person does something: found by label, done with mouse and keyboard, seen in the
// session.
#include "tests/ui/harness.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/engine/family.h"
#include "core/engine/weights.h"
#include "core/scenario/choices.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

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

} // namespace

TEST_CASE("dragging the model size changes the model and the report in the same frame")
{
    Window w;
    w.open("memory");
    const std::int64_t before = w.session().now().report.parameters.total;
    std::set<std::int64_t> seen;
    w.drag("Model size", 0.6F, 0.2F,
           [&]
           {
               const Session& s = w.session();
               REQUIRE(s.now().scenario == s.scenario());
               REQUIRE(s.now().report.parameters.total == count_parameters(s.scenario().model).total);
               seen.insert(s.now().report.parameters.total);
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
    CHECK(static_cast<double>(w.session().now().report.parameters.total) ==
          Catch::Approx(kLeastParameters).epsilon(0.03));
    w.drag("Model size", 0, 1.1F);
    CHECK(static_cast<double>(w.session().now().report.parameters.total) ==
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
              "Forward", "Backward, input", "Backward, weight", "Transfer", "Ranks", "Message",
              "Latency per hop", "Link in a node, one way", "Network, one way"})
        {
            if (w.seek(label) == nullptr)
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
    w.type_value("GPUs", "7");
    CHECK(w.session().scenario().cluster.gpus == 7);
    REQUIRE(!w.valid());
    CHECK(std::any_of(w.session().issues().begin(), w.session().issues().end(),
                      [](const Issue& i) { return i.path == "cluster.gpus" && !i.hint.empty(); }));
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
    w.type_value("GPUs", "7");
    REQUIRE(!w.valid());
    w.drag("GPUs", 0.2F, 0.9F);
    CHECK(w.valid());
}

TEST_CASE("a typed number with a unit, thin spaces or a suffix is read")
{
    Window w;
    w.open("memory");
    w.type_value("Model size", "13B");
    CHECK(static_cast<double>(w.session().now().report.parameters.total) ==
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

TEST_CASE("one drag is one step of undo, and redo brings it back")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    w.drag("Model size", 0.6F, 0.3F);
    const Scenario first = w.session().scenario();
    w.drag("Model size", 0.3F, 0.5F);
    const Scenario second = w.session().scenario();
    REQUIRE(first != before);
    REQUIRE(second != first);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == first);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == second);
    w.click("Undo");
    CHECK(w.session().scenario() == first);
    w.click("Redo");
    CHECK(w.session().scenario() == second);
}

TEST_CASE("a change after an undo forgets what could be redone")
{
    Window w;
    w.open("memory");
    w.drag("Model size", 0.6F, 0.3F);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w.drag("GPUs", 0.4F, 0.9F);
    const Scenario now = w.session().scenario();
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == now);
}

TEST_CASE("copy, change and paste bring the scenario back")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    w.key(ImGuiKey_C, ImGuiMod_Ctrl);
    CHECK(w.clipboard.find("llama-3.1-70b") != std::string::npos);
    CHECK(!w.session().frame(0).notice.empty());
    w.drag("Model size", 0.6F, 0.2F);
    REQUIRE(w.session().scenario() != before);
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("a scenario of one's own shape survives copy and paste")
{
    Window w;
    w.open("memory");
    w.drag("Model size", 0.6F, 0.25F);
    const Scenario own = w.session().scenario();
    w.key(ImGuiKey_C, ImGuiMod_Ctrl);
    w.key(ImGuiKey_0, ImGuiMod_Ctrl);
    REQUIRE(w.session().scenario() != own);
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(text_of(w.session().scenario()) == text_of(own));
}

TEST_CASE("pasting what is no scenario says so and changes nothing")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    for (const char* text : {"", "hello", "{", "[1, 2]", R"({"parallel": {"tensr": 8}})", "\xff\xfe",
                             R"({"cluster": {"gpus": -1}})"})
    {
        INFO(text);
        w.clipboard = text;
        w.key(ImGuiKey_V, ImGuiMod_Ctrl);
        CHECK(w.session().scenario() == before);
        CHECK(w.session().frame(0).notice.starts_with("Not pasted: "));
        w.frames(2);
        CHECK(w.drawn().fault == "");
    }
}

TEST_CASE("comparing keeps A while B changes, X swaps the two, B again ends it")
{
    Window w;
    w.open("memory");
    const Scenario a = w.session().scenario();
    w.key(ImGuiKey_B);
    REQUIRE(w.session().frame(0).before != nullptr);
    w.drag("Model size", 0.6F, 0.4F);
    const Scenario b = w.session().scenario();
    REQUIRE(a != b);
    CHECK(w.session().frame(0).before->scenario == a);
    w.key(ImGuiKey_X);
    CHECK(w.session().scenario() == a);
    CHECK(w.session().frame(0).before->scenario == b);
    w.key(ImGuiKey_B);
    CHECK(w.session().frame(0).before == nullptr);
    CHECK(w.session().scenario() == a);
    w.click("A|B###compare");
    CHECK(w.session().frame(0).before != nullptr);
}

TEST_CASE("X without a comparison does nothing")
{
    Window w;
    const Scenario before = w.session().scenario();
    w.key(ImGuiKey_X);
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
    const std::map<std::string, std::string> controls{
        {"cluster.gpus", "GPUs"},
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
        {"cluster.node_link_gb_per_s", "Link in a node, one way"},
        {"cluster.network_gb_per_s", "Network, one way"},
        {"cluster.gpu.pcie_gb_per_s", "PCIe, one way"},
        {"cluster.nvme_gb_per_s", "NVMe, a GPU's share"}};
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
    add("stage_times", s.stage_times);
    add("collective", s.collective);
    Window w(kTall);
    w.click("More###more");
    for (const char* section :
         {"Layout", "Cluster", "GPU", "Model shape", "Pipeline times", "Collective"}) // Training is open
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

TEST_CASE("key 1 applies the first lever, and the memory falls by what it promised")
{
    Window w;
    w.open("memory");
    const Evaluated before = w.session().now();
    REQUIRE(!before.levers.empty());
    const Lever lever = before.levers.front();
    const std::size_t stage = before.report.memory.fullest;
    w.key(ImGuiKey_1);
    CHECK(w.session().scenario() == lever.after);
    const MemoryReport& after = w.session().now().report.memory;
    REQUIRE(after.stages.size() == before.report.memory.stages.size());
    CHECK(before.report.memory.stages[stage].total().value - after.stages[stage].total().value ==
          Catch::Approx(lever.saving.value));
}

TEST_CASE("pressing a lever's card applies it, and Ctrl+Z takes it back")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    const Lever lever = w.session().now().levers.at(1);
    w.click(lever.name);
    CHECK(w.session().scenario() == lever.after);
    CHECK(w.memory() == lever.memory.worst().total().value);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("keys 0 to 3 and the cards choose the ZeRO stage")
{
    Window w;
    w.open("zero");
    for (const int stage : {3, 0, 2, 1})
    {
        w.key(static_cast<ImGuiKey>(ImGuiKey_0 + stage));
        CHECK(w.session().scenario().parallel.zero == stage);
        w.settle();
        CHECK(w.playback().t == stage);
        CHECK(!w.playback().playing);
    }
    w.click("ZeRO 3");
    CHECK(w.session().scenario().parallel.zero == 3);
    CHECK(w.playback().t == 3);
}

TEST_CASE("Space plays and pauses every view that moves")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        INFO(view->id);
        const bool moves = w.motion().duration > 0;
        w.key(ImGuiKey_Space);
        CHECK(w.playback().playing == moves);
        if (!moves)
        {
            CHECK(w.seek("Time###scrub") == nullptr);
            continue;
        }
        const double t = w.playback().t;
        w.frames(5, 0.05);
        CHECK(w.playback().t != t);
        w.key(ImGuiKey_Space);
        CHECK(!w.playback().playing);
        const double stopped = w.playback().t;
        w.frames(5, 0.05);
        CHECK(w.playback().t == stopped);
        w.click("Play or pause###play");
        CHECK(w.playback().playing);
        w.click("Play or pause###play");
        CHECK(!w.playback().playing);
    }
}

TEST_CASE("comma and full stop step to the stops in order, Home and End go to the ends")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        if (w.motion().duration <= 0)
        {
            continue;
        }
        INFO(view->id);
        const double duration = w.motion().duration;
        w.key(ImGuiKey_End);
        CHECK(w.playback().t == duration);
        w.key(ImGuiKey_Home);
        CHECK(w.playback().t == 0);
        std::vector<double> visited{0};
        while (visited.back() < duration && visited.size() < 2000)
        {
            w.key(ImGuiKey_Period);
            REQUIRE(w.playback().t > visited.back());
            visited.push_back(w.playback().t);
        }
        CHECK(visited.back() == Catch::Approx(duration));
        for (std::size_t i = visited.size() - 1; i-- > 0;)
        {
            w.key(ImGuiKey_Comma);
            REQUIRE(w.playback().t == Catch::Approx(visited[i]).margin(1e-9));
        }
        CHECK(w.playback().t == 0);
    }
}

TEST_CASE("the time can be scrubbed backwards")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        const double duration = w.motion().duration;
        if (duration <= 0)
        {
            continue;
        }
        INFO(view->id);
        std::vector<double> seen;
        w.drag("Time###scrub", 0.9F, 0.1F, [&] { seen.push_back(w.playback().t); });
        CHECK(std::is_sorted(seen.rbegin(), seen.rend()));
        CHECK(seen.front() == Catch::Approx(duration * 0.9).epsilon(0.03));
        CHECK(seen.back() == Catch::Approx(duration * 0.1).epsilon(0.05));
        CHECK(!w.playback().playing);
    }
}

TEST_CASE("playing stops at the end, after as many rounds as the view plays")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        const Motion motion = w.motion();
        if (motion.duration <= 0)
        {
            continue;
        }
        INFO(view->id);
        w.session().apply(Seek{motion.duration * 0.95});
        w.session().apply(Play{true});
        int rounds = 1;
        double last = w.playback().t;
        for (int i = 0; i < 10000 && w.playback().playing; ++i)
        {
            w.frame(0.1);
            rounds += w.playback().t < last ? 1 : 0;
            last = w.playback().t;
        }
        CHECK(rounds == motion.rounds);
        CHECK(!w.playback().playing);
        CHECK(w.playback().t == motion.duration);
        // Pressed at the end, play starts from the beginning.
        w.key(ImGuiKey_Space);
        w.frame(0.05);
        CHECK(w.playback().t < motion.duration / 2);
        w.session().apply(Play{false});
    }
}

TEST_CASE("the speed button goes round its speeds and changes how fast time runs")
{
    Window w;
    w.open("ring");
    std::set<float> speeds;
    for (int i = 0; i < 5; ++i)
    {
        w.click("Speed###speed");
        speeds.insert(w.playback().speed);
    }
    CHECK(speeds == std::set<float>{0.25F, 0.5F, 1, 2, 4});
}

TEST_CASE("Ctrl+K finds a view by a word of its question and Enter opens it")
{
    Window w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    REQUIRE(w.seek("###query") != nullptr);
    w.type("holds");
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(w.session().view() == "zero");
    CHECK(w.seek("###query") == nullptr);
}

TEST_CASE("arrow keys move through what Ctrl+K found")
{
    Window w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("view");
    w.key(ImGuiKey_DownArrow);
    w.key(ImGuiKey_DownArrow);
    w.key(ImGuiKey_UpArrow);
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(w.session().view() == views()[1]->id);
}

TEST_CASE("Ctrl+K loads a model, runs a command, and closes with Escape")
{
    Window w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("model llama 3.1 8b");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().model.preset == "llama-3.1-8b");
    CHECK(w.valid());
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("light or dark");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().preferences().light);
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("nothing is called this");
    w.key(ImGuiKey_Enter);
    CHECK(w.seek("###query") != nullptr);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(w.seek("###query") == nullptr);
}

TEST_CASE("letters typed into the palette do not run commands")
{
    Window w;
    const Preferences before = w.session().preferences();
    const Scenario scenario = w.session().scenario();
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    for (const ImGuiKey key : {ImGuiKey_T, ImGuiKey_U, ImGuiKey_B, ImGuiKey_1, ImGuiKey_RightBracket})
    {
        w.key(key);
    }
    CHECK(w.session().preferences() == before);
    CHECK(w.session().scenario() == scenario);
    CHECK(w.session().frame(0).before == nullptr);
    CHECK(w.session().view() == views().front()->id);
}

TEST_CASE("the rail's search button opens the palette, and a row of it can be pressed")
{
    Window w;
    w.click("Find anything###find");
    w.frames(2);
    REQUIRE(w.seek("###query") != nullptr);
    w.type("ring all-reduce step");
    w.frames(2);
    w.click("row Collectives: What does each rank hold, and what moves next?");
    CHECK(w.session().view() == "ring");
}

TEST_CASE("? shows the keys, Escape and a click outside close them")
{
    Window w;
    w.settle();
    const std::size_t without = w.drawn().vertices;
    w.key(ImGuiKey_Slash, ImGuiMod_Shift);
    w.frames(2);
    const std::size_t with_help = w.drawn().vertices;
    CHECK(with_help > without + 500);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(w.drawn().vertices < with_help - 500);
    w.click("?###help");
    w.frames(2);
    CHECK(w.drawn().vertices > without + 500);
    w.press_at({300, 790});
    w.frames(2);
    CHECK(w.drawn().vertices < with_help - 500);
}

TEST_CASE("Ctrl and plus or minus change the size of the text within its limits")
{
    Window w;
    const float body = w.drawing.fonts().of(Type::body)->FontSize;
    w.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
    w.frames(2);
    CHECK(w.session().preferences().text_scale > 1.0F);
    CHECK(w.drawing.fonts().of(Type::body)->FontSize > body);
    for (int i = 0; i < 14; ++i)
    {
        w.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
    }
    CHECK(w.session().preferences().text_scale == 2.5F);
    CHECK(w.drawn().fault == "");
    for (int i = 0; i < 14; ++i)
    {
        w.key(ImGuiKey_Minus, ImGuiMod_Ctrl);
    }
    CHECK(w.session().preferences().text_scale == 0.75F);
}

TEST_CASE("T changes the theme, U the unit, F5 the presenter's view, Escape leaves it")
{
    Window w;
    w.key(ImGuiKey_T);
    CHECK(w.session().preferences().light);
    w.key(ImGuiKey_T);
    CHECK(!w.session().preferences().light);
    w.key(ImGuiKey_U);
    CHECK(w.session().preferences().unit == ByteUnit::binary);
    w.open("memory");
    w.click("GB");
    CHECK(w.session().preferences().unit == ByteUnit::decimal);
    w.key(ImGuiKey_F5);
    CHECK(w.session().preferences().presenter);
    w.frames(2);
    CHECK(w.seek("GPUs") == nullptr);
    w.key(ImGuiKey_Escape);
    CHECK(!w.session().preferences().presenter);
}

TEST_CASE("brackets go round all views in both directions")
{
    Window w;
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < views().size(); ++i)
    {
        w.key(ImGuiKey_RightBracket);
        seen.push_back(w.session().view());
    }
    CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == views().size());
    CHECK(w.session().view() == views().front()->id);
    w.key(ImGuiKey_LeftBracket);
    CHECK(w.session().view() == views().back()->id);
}

TEST_CASE("the rail opens every group and tabs open every view in it")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(views().front()->id == view->id ? views().back()->id : views().front()->id);
        INFO(view->id);
        w.click("rail " + std::string(view->group));
        const ViewInfo* opened = find_view(w.session().view());
        CHECK(opened->group == view->group);
        if (opened != view)
        {
            w.click(view->tab);
        }
        CHECK(w.session().view() == view->id);
    }
}

TEST_CASE("the parts of the overview open as views of their own")
{
    Window w;
    for (const auto& [part, view] : std::vector<std::pair<const char*, const char*>>{
             {"open pipeline", "pipelines"}, {"open shards", "zero"}, {"open ring", "ring"}})
    {
        w.open("overview");
        w.click(part);
        CHECK(w.session().view() == view);
    }
}

TEST_CASE("every command has a name, a key of its own and a key that is written as it works")
{
    std::set<ImGuiKeyChord> chords;
    std::set<char> signs;
    std::set<std::string_view> names;
    std::set<std::string_view> keys;
    for (const CommandInfo& command : commands())
    {
        INFO(command.name);
        CHECK(names.insert(command.name).second);
        if (command.chord == ImGuiKey_None && command.typed == 0)
        {
            CHECK(command.key.empty());
            continue;
        }
        CHECK((command.chord == ImGuiKey_None) != (command.typed == 0));
        CHECK((command.chord == ImGuiKey_None || chords.insert(command.chord).second));
        CHECK((command.typed == 0 || signs.insert(command.typed).second));
        CHECK(keys.insert(command.key).second);
        CHECK(command.key.starts_with("Ctrl") == ((command.chord & ImGuiMod_Ctrl) != 0));
    }
}

TEST_CASE(
    "no key of a view is also a key of the window, but where the view says so and is not about the scenario")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        const bool about_scenario = view->make()->about_scenario();
        for (const KeyHelp& own : view->keys)
        {
            for (const CommandInfo& command : commands())
            {
                if (!about_scenario && (command.of_scenario || own.key == command.key))
                {
                    continue; // its key is free there, or the view's goes before it
                }
                INFO(view->id << ": " << own.key << " and " << command.key);
                std::string padded = " " + std::string(own.key) + " ";
                CHECK((command.key.empty() ||
                       padded.find(" " + std::string(command.key) + " ") == std::string::npos));
            }
        }
    }
}

TEST_CASE("Ctrl+Q asks to quit")
{
    Window w;
    CHECK(!w.session().quit());
    w.key(ImGuiKey_Q, ImGuiMod_Ctrl);
    CHECK(w.session().quit());
}

TEST_CASE("at rest every view asks for no further frame, so that the window sleeps")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        INFO(view->id);
        w.settle();
        for (int i = 0; i < 20; ++i)
        {
            CHECK(!w.frame());
        }
        w.move_to({600, 400});
        w.settle();
        for (int i = 0; i < 20; ++i)
        {
            CHECK(!w.frame());
        }
        w.move_to({-100, -100});
    }
}

TEST_CASE("with motion switched off a change stands at once")
{
    Preferences still;
    still.reduced_motion = true;
    Window w({1280, 800}, still);
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        INFO(view->id);
        w.session().apply(ChangeScenario{with(w.session().scenario(), Knob::pipeline, 8)});
        // These two work out what they show a part a frame; nothing eases there either.
        const bool in_parts = view->id == "compression" || view->id == "experts";
        CHECK(w.settle() <= (in_parts ? 6 : 2));
        w.session().apply(Command::undo);
    }
}

TEST_CASE("a change eases: frames follow each other until it has arrived")
{
    Window w;
    w.open("memory");
    w.settle();
    w.session().apply(ChangeScenario{w.session().now().levers.front().after});
    const int frames = w.settle();
    CHECK(frames > 5);
    CHECK(frames < 60);
}

TEST_CASE("the wheel zooms the pipeline about the cursor, a double click shows all of it again")
{
    Window w;
    w.open("pipelines");
    w.double_click({500, 200}); // chooses the stage whose stash is shown, as the second one will
    w.move_to({-100, -100});
    w.settle();
    const std::size_t all = w.drawn().vertices;
    w.wheel({500, 200}, 8);
    w.move_to({-100, -100});
    w.settle();
    CHECK(w.drawn().vertices != all);
    w.double_click({500, 200});
    w.move_to({-100, -100});
    w.settle();
    CHECK(w.drawn().vertices == all);
}

TEST_CASE("a view's own keys are those it lists: W zooms, F fits the pipeline again")
{
    Window w;
    w.open("pipelines");
    w.settle();
    const std::size_t all = w.drawn().vertices;
    w.key(ImGuiKey_W);
    w.settle();
    CHECK(w.drawn().vertices != all);
    w.key(ImGuiKey_D);
    w.key(ImGuiKey_A);
    w.key(ImGuiKey_F);
    w.settle();
    CHECK(w.drawn().vertices == all);
}

TEST_CASE("the list of issues opens from the status strip")
{
    Window w;
    w.open("memory");
    w.type_value("GPUs", "7");
    w.frames(2);
    const std::size_t before = w.drawn().vertices;
    w.click("issues###issues");
    w.frames(2);
    CHECK(w.drawn().vertices > before + 100);
    w.key(ImGuiKey_Escape);
}

TEST_CASE("where there is no room for the panel a button shows it over the picture")
{
    Window w({800, 600});
    w.open("memory");
    CHECK(w.seek("GPUs") == nullptr);
    w.click("Scenario###panel button");
    w.frames(2);
    REQUIRE(w.seek("GPUs") != nullptr);
    const Scenario before = w.session().scenario();
    w.drag("GPUs", 0.4F, 1);
    CHECK(w.session().scenario() != before);
    w.key(ImGuiKey_Backslash);
    w.frames(2);
    CHECK(w.seek("GPUs") == nullptr);
}

TEST_CASE("the menu of the scenario loads every example")
{
    for (const ScenarioPreset& preset : test::presets().scenarios)
    {
        Window w;
        INFO(preset.name);
        w.click("Scenario menu");
        w.frames(2);
        w.click(preset.name);
        CHECK(w.session().scenario() == preset.scenario);
    }
}

TEST_CASE("the keyboard alone changes a value: Tab to a slider, arrows move it, Enter types")
{
    Window w;
    w.open("memory");
    std::vector<std::string> visited;
    while (w.focused() != "GPUs" && visited.size() < 100)
    {
        w.key(ImGuiKey_Tab);
        visited.push_back(w.focused());
    }
    INFO("went over " << fmt::format("{}", fmt::join(visited, ", ")));
    REQUIRE(w.focused() == "GPUs");
    const std::int64_t before = w.session().scenario().cluster.gpus;
    w.key(ImGuiKey_RightArrow);
    CHECK(w.session().scenario().cluster.gpus > before);
    CHECK(w.valid());
    w.key(ImGuiKey_LeftArrow);
    CHECK(w.session().scenario().cluster.gpus == before);
    CHECK(w.focused() == "GPUs");
    w.key(ImGuiKey_Enter);
    w.frames(2);
    REQUIRE(w.seek("type GPUs") != nullptr);
    w.type("128");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().cluster.gpus == 128);
}

TEST_CASE("hovering anything that can be pressed never breaks a frame")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        const std::vector<test::Item> all = w.items();
        for (const test::Item& item : all)
        {
            if (item.label.empty() || item.visible.w <= 0 || item.visible.h <= 0)
            {
                continue;
            }
            INFO(view->id << ": " << item.label);
            w.move_to({item.visible.centre(), item.visible.middle()});
            w.frame();
            w.frame(0.7);
            w.frame();
            REQUIRE(w.drawn().fault == "");
            REQUIRE(w.drawn().missing_glyphs == 0);
        }
    }
}

TEST_CASE("pressing everything that can be pressed, twice, leaves a window that still draws")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        for (const std::string& label : w.labels())
        {
            if (w.session().view() != view->id)
            {
                w.open(view->id);
            }
            for (int i = 0; i < 2; ++i)
            {
                const test::Item* item = w.seek(label);
                if (item != nullptr && item->visible.w > 0 && item->visible.h > 0)
                {
                    INFO(view->id << ": " << label);
                    w.press_at({item->visible.centre(), item->visible.middle()});
                    REQUIRE(w.drawn().fault == "");
                }
            }
            w.key(ImGuiKey_Escape);
            w.frame();
        }
    }
}
