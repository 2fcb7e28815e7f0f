// Every page of every view at every size: no words leave their place, none lie on others. What is checked
// here is whatever views() has; states that a page has to be brought into are checked beside its other tests.
#include "tests/ui/words.h"

#include "core/scenario/choices.h"
#include "core/scenario/validate.h"
#include "ui/shell/view.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using test::Window;

namespace
{

struct Shown
{
    std::string name;
    Scenario scenario;
};

Shown preset(const std::string& name, const std::string& json)
{
    return {name, test::scenario(json)};
}

std::vector<Shown> unusual()
{
    const Scenario usual = default_scenario(test::presets());
    Scenario few = with(usual, Knob::micro_batches, 1);
    Scenario deep = usual;
    deep.model = test::scenario(R"({"model": "gpt-3-175b"})").model;
    deep.parallel.pipeline = 32;
    deep.parallel.tensor = 8;
    deep.training.sequence_length = 2048;
    deep.training.global_batch = 64;
    Scenario long_times = usual;
    long_times.stage_times.forward = 1000;
    long_times.stage_times.backward_input = 0.01;
    long_times.stage_times.transfer = 1000;
    Scenario uneven = usual;
    uneven.parallel.stage_layers = {77, 1, 1, 1};
    Scenario full = usual;
    full.training.micro_batch = 8;
    return {{"one micro-batch", few},
            {"32 stages", deep},
            {"times of 0.01 and 1000", long_times},
            {"77 layers on one stage", uneven},
            {"out of memory", full},
            preset("experts", R"({"model": "deepseek-v3", "cluster": {"gpus": 256},
                "parallel": {"expert": 64}, "training": {"global_batch": 256}})"),
            preset("sliding windows", R"({"model": "gemma-3-1b", "cluster": {"gpus": 8},
                "training": {"global_batch": 8}})"),
            preset("small", R"({"model": "gpt-2-124m", "cluster": {"gpus": 8},
                "training": {"global_batch": 8, "sequence_length": 1024}})"),
            preset("offloaded to NVMe", R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8},
                "parallel": {"zero": 3}, "training": {"global_batch": 8,
                "offload": "optimizer-and-weights-nvme"}})")};
}

void open(Window& w, std::string_view place)
{
    w.move_to({-100, -100});
    w.session().apply(OpenView{std::string(place)});
    w.frames(3);
    w.settle(5000);
}

void set_up(Window& w, const test::Setup& setup)
{
    w.session().set_preferences(setup.preferences(w.session().preferences()));
    w.resize(setup.window);
}

// 1280 x 800, 1920 x 1080 and a presenter's.
std::vector<test::Setup> usual_setups()
{
    std::vector<test::Setup> usual;
    std::ranges::copy_if(test::setups(), std::back_inserter(usual),
                         [](const test::Setup& s)
                         { return s.text == 1 && (s.window.x == 1280 || s.window.x == 1920); });
    return usual;
}

} // namespace

TEST_CASE("no words of any page are cut off or lie on others at any size")
{
    for (const test::Setup& setup : test::setups())
    {
        if (setup.window.x < 800 && setup.text > 2)
        {
            continue; // six pictures have no room for their words there
        }
        Window w;
        set_up(w, setup);
        for (const std::string_view place : view_places())
        {
            INFO(place << ", " << setup.says());
            open(w, place);
            test::check_words(w);
        }
    }
}

TEST_CASE("no words of any page are cut off or lie on others, whatever the scenario")
{
    const std::vector<test::Setup> usual = usual_setups();
    REQUIRE(usual.size() == 4);
    std::size_t turn = 0;
    for (const Shown& one : unusual())
    {
        REQUIRE(!has_errors(validate(one.scenario)));
        Window w;
        w.session().apply(ChangeScenario{one.scenario});
        for (const std::string_view place : view_places())
        {
            const test::Setup& setup = usual[turn++ % usual.size()];
            INFO(place << ", " << one.name << ", " << setup.says());
            set_up(w, setup);
            open(w, place);
            test::check_words(w);
        }
    }
}

TEST_CASE("no words of four schedules are cut off or lie on others at any size")
{
    for (const Shown& one : unusual())
    {
        Window w;
        w.session().apply(ChangeScenario{one.scenario});
        w.open("pipelines");
        for (const char* add : {"add gpipe", "add dualpipe"})
        {
            w.settle(5000);
            w.key(ImGuiKey_N);
            w.settle(5000);
            w.seek(add) != nullptr ? w.click(add) : w.key(ImGuiKey_Escape); // some have it already
            w.move_to({-100, -100});
        }
        test::check_words_at_every_size(w, one.name);
    }
}
