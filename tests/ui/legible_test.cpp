// Views with many words at every size: no words leave their place, none lie on others.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/scenario/choices.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::Window;

namespace
{

struct Shown
{
    const char* name;
    Scenario scenario;
};

std::vector<Shown> shown()
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
    return {{"usual", usual},
            {"one micro-batch", few},
            {"32 stages", deep},
            {"times of 0.01 and 1000", long_times},
            {"77 layers on one stage", uneven}};
}

void look(const char* view, bool four)
{
    for (const Shown& one : shown())
    {
        REQUIRE(!has_errors(validate(one.scenario)));
        Window w;
        w.session().apply(ChangeScenario{one.scenario});
        w.open(view);
        for (const char* add : {"add gpipe", "add dualpipe"})
        {
            if (four)
            {
                w.key(ImGuiKey_N);
                w.frames(2);
                w.click(add);
                w.move_to({-100, -100});
            }
        }
        test::check_words_at_every_size(w, fmt::format("{}, {}", view, one.name));
    }
}

} // namespace

TEST_CASE("no words of the schedules are cut off or lie on others at any size")
{
    look("pipelines", false);
}

TEST_CASE("no words of four schedules are cut off or lie on others at any size")
{
    look("pipelines", true);
}

TEST_CASE("no words of the frontier are cut off or lie on others at any size")
{
    look("frontier", false);
}

TEST_CASE("no words of gradient compression are cut off or lie on others at any size")
{
    look("compression", false);
}

TEST_CASE("no words of the step's waterfall are cut off or lie on others at any size")
{
    look("waterfall", false);
}

TEST_CASE("no words of strong and weak scaling are cut off or lie on others at any size")
{
    look("growth", false);
}

TEST_CASE("no words of the planner are cut off or lie on others at any size")
{
    look("planner", false);
}

TEST_CASE("no words of the walk to a layout are cut off or lie on others at any size")
{
    look("decide", false);
}

TEST_CASE("no words of a layout's launch are cut off or lie on others at any size")
{
    look("launch", false);
}

TEST_CASE("no words of the compute budget are cut off or lie on others at any size")
{
    look("budget", false);
}

TEST_CASE("no words of the tensor cut are cut off or lie on others at any size")
{
    look("tensor", false);
}

TEST_CASE("no words of ring attention are cut off or lie on others at any size")
{
    look("ring-attention", false);
}

TEST_CASE("no words of the experts are cut off or lie on others at any size")
{
    look("experts", false);
}

TEST_CASE("no words of the scaling laws are cut off or lie on others at any size")
{
    look("laws", false);
}

TEST_CASE("no words of a longer context are cut off or lie on others at any size")
{
    look("context-length", false);
}

TEST_CASE("no words of the incidents are cut off or lie on others at any size")
{
    look("incidents", false);
}

TEST_CASE("no words of the stored tensors are cut off or lie on others at any size")
{
    look("activations", false);
}

TEST_CASE("no words of recomputation are cut off or lie on others at any size")
{
    look("recompute", false);
}

TEST_CASE("no words of the batch are cut off or lie on others at any size")
{
    look("batch", false);
}
