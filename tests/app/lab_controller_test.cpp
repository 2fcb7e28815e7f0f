// The live lab's controller: runs on their threads, knobs, breaks, a second run, demonstrations, checkpoints;
// and that looking never waits.
#include "tests/app/lab_room.h"
#include "tests/threads.h"

#include "ui/shell/frame/lab_action.h"

#include <catch2/catch_approx.hpp>

#include <filesystem>
#include <future>

using namespace ringside;
using namespace ringside::test;

namespace
{

const TrainingSnapshot& a(const LabController& controller)
{
    REQUIRE(controller.frame().a.snapshot);
    return *controller.frame().a.snapshot;
}

TrainerConfig with_rate(const LabController& controller, double rate)
{
    TrainerConfig c = controller.frame().a.config;
    c.recipe.learning_rate = rate;
    return c;
}

} // namespace

TEST_CASE("the lab's controller starts a run, steps once and pauses")
{
    LabController controller(lab_setup_for_tests());
    CHECK_FALSE(controller.frame().started());
    CHECK(controller.frame().a.predicted.parameters > 1000);
    CHECK(controller.apply(LabCommand::step) == "");
    REQUIRE(controller.wait(kLabPatience));
    CHECK(a(controller).step == 1);
    CHECK_FALSE(controller.frame().running);
    REQUIRE(controller.run_to(20, kLabPatience));
    CHECK(a(controller).step == 20);
    CHECK(a(controller).norms.size() == 20);
    CHECK(a(controller).rates.size() == 20);
    CHECK(a(controller).seconds.size() == 20);
    CHECK(a(controller).losses.back() < a(controller).losses.front());
    controller.apply(LabCommand::clear);
    CHECK_FALSE(controller.frame().started());
}

TEST_CASE("state that is predicted and measured is the same to the byte, for every precision and optimizer")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16})
    {
        for (const Optimizer optimizer : {Optimizer::adamw, Optimizer::sgd_momentum})
        {
            CAPTURE(name_of(precision), name_of(optimizer));
            LabController::Setup setup = lab_setup_for_tests();
            setup.config.training.precision = precision;
            setup.config.training.optimizer = optimizer;
            LabController controller(std::move(setup));
            REQUIRE(controller.run_to(2, kLabPatience));
            for (const Component c : {Component::weights, Component::gradients, Component::master_weights,
                                      Component::momentum, Component::variance})
            {
                CHECK(controller.frame().a.predicted.memory.of(c) == a(controller).highest.of(c));
            }
        }
    }
}

TEST_CASE("a knob that is turned leaves a break at its step, with the value before and after")
{
    LabController controller(lab_setup_for_tests());
    REQUIRE(controller.run_to(5, kLabPatience));
    controller.apply(TurnKnobs{with_rate(controller, 0.04)});
    REQUIRE(controller.run_to(8, kLabPatience));
    controller.apply(TurnKnobs{with_rate(controller, 0.004)});
    REQUIRE(controller.run_to(10, kLabPatience));
    REQUIRE(a(controller).changes.size() == 2);
    CHECK(a(controller).changes[0] == KnobChange{5, "learning rate", "0.004", "0.04"});
    CHECK(a(controller).changes[1] == KnobChange{8, "learning rate", "0.04", "0.004"});
    CHECK(a(controller).config.recipe.learning_rate == 0.004);
}

TEST_CASE("a knob that is being dragged counts when it is let go")
{
    LabController controller(lab_setup_for_tests());
    REQUIRE(controller.run_to(3, kLabPatience));
    for (const double rate : {0.005, 0.006, 0.007})
    {
        controller.apply(TurnKnobs{with_rate(controller, rate), 0, true});
        CHECK(controller.frame().a.config.recipe.learning_rate == rate);
    }
    controller.end_drag();
    REQUIRE(controller.run_to(4, kLabPatience));
    REQUIRE(a(controller).changes.size() == 1);
    CHECK(a(controller).changes[0].to == "0.007");
}

TEST_CASE("what a run cannot change starts it again, and says so")
{
    LabController controller(lab_setup_for_tests());
    REQUIRE(controller.run_to(4, kLabPatience));
    TrainerConfig c = controller.frame().a.config;
    c.training.optimizer = Optimizer::sgd_momentum;
    CHECK(controller.apply(TurnKnobs{c}).text.starts_with("Started again"));
    REQUIRE(controller.wait(kLabPatience));
    CHECK(a(controller).step == 0);
    CHECK(a(controller).changes.empty());
    CHECK(a(controller).config.training.optimizer == Optimizer::sgd_momentum);
}

TEST_CASE("rewinding goes back to the mark with the knobs as they stand, and forgets later breaks")
{
    LabController controller(lab_setup_for_tests());
    REQUIRE(controller.run_to(6, kLabPatience));
    controller.apply(LabCommand::mark);
    REQUIRE(controller.run_to(9, kLabPatience));
    controller.apply(TurnKnobs{with_rate(controller, 0.02)});
    REQUIRE(controller.run_to(12, kLabPatience));
    controller.apply(LabCommand::rewind);
    REQUIRE(controller.wait(kLabPatience));
    CHECK(a(controller).step == 6);
    CHECK(a(controller).losses.size() == 6);
    CHECK(a(controller).rates.size() == 6);
    REQUIRE(a(controller).changes.size() == 1);
    CHECK(a(controller).changes[0] == KnobChange{6, "learning rate", "0.004", "0.02"});
    controller.apply(LabCommand::rewind);
    REQUIRE(controller.wait(kLabPatience));
    CHECK(a(controller).step == 0);
}

TEST_CASE("a second run is as the first began: the same up to the break, another after it")
{
    LabController controller(lab_setup_for_tests());
    CHECK_FALSE(controller.apply(LabCommand::second).empty()); // nothing to stand beside
    REQUIRE(controller.run_to(6, kLabPatience));
    controller.apply(TurnKnobs{with_rate(controller, 0.1)});
    REQUIRE(controller.run_to(12, kLabPatience));
    controller.apply(LabCommand::second);
    REQUIRE(controller.wait(kLabPatience));
    REQUIRE(controller.frame().b);
    const TrainingSnapshot& b = *controller.frame().b->snapshot;
    CHECK(controller.frame().b->name == "undisturbed");
    REQUIRE(b.losses.size() == 12);
    for (std::size_t i = 0; i < 7; ++i)
    {
        CHECK(b.losses[i] == a(controller).losses[i]);
    }
    CHECK(b.losses[11] != a(controller).losses[11]);
    controller.apply(LabCommand::second);
    CHECK_FALSE(controller.frame().b);
}

TEST_CASE("a step that is looked at is remembered until the newest is asked for")
{
    LabController controller(lab_setup_for_tests());
    REQUIRE(controller.run_to(9, kLabPatience));
    controller.apply(LookAtStep{4});
    CHECK(controller.frame().look == 4);
    controller.apply(LookAtStep{99});
    CHECK_FALSE(controller.frame().look);
    controller.apply(LookAtStep{2});
    controller.apply(LabCommand::step);
    CHECK_FALSE(controller.frame().look);
}

TEST_CASE("looking never waits: the controller answers while the device has not even opened")
{
    std::promise<void> open;
    const std::shared_future<void> opened = open.get_future().share();
    LabController::Setup setup = lab_setup_for_tests();
    setup.open = [opened, real = one_thread()]
    {
        opened.wait();
        return real();
    };
    LabController controller(std::move(setup));
    controller.wake();
    CHECK(controller.frame().measuring);
    controller.apply(LabCommand::run);
    controller.apply(LabCommand::mark);
    controller.apply(TurnKnobs{with_rate(controller, 0.01)});
    for (int i = 0; i < 100; ++i)
    {
        controller.tick();
        REQUIRE(controller.frame().running);
        REQUIRE(controller.frame().a.snapshot->step == 0);
    }
    controller.apply(LabCommand::pause);
    open.set_value();
    CHECK(controller.wait(kLabPatience));
}

TEST_CASE("the device is measured once, and what is predicted of it then has times")
{
    LabController controller(lab_setup_for_tests());
    CHECK(controller.frame().a.predicted.step_seconds == 0);
    controller.wake();
    REQUIRE(controller.wait(kLabPatience));
    CHECK(controller.frame().device == "one thread");
    REQUIRE(controller.frame().rate);
    CHECK(controller.frame().rate->product_flops > 1e7);
    CHECK(controller.frame().rate->nominal_flops == 0);
    CHECK(controller.frame().a.predicted.step_seconds > 0);
    CHECK(controller.frame().a.predicted.tokens_per_second ==
          Catch::Approx(24 / controller.frame().a.predicted.step_seconds));
}

TEST_CASE("a precision has a rate and a prediction of its own, and the data sheet's rate is that of bf16")
{
    auto setup = lab_setup_for_tests();
    setup.data_sheets.emplace_back().name = "CPU";
    setup.data_sheets.back().bf16_tflops = 7;
    LabController controller(std::move(setup));
    controller.wake();
    REQUIRE(controller.wait(kLabPatience));
    const LabRate full = *controller.frame().rate;
    const double seconds = controller.frame().a.predicted.step_seconds;
    CHECK(full.nominal_flops == 0);
    TrainerConfig c = controller.frame().a.config;
    c.training.precision = Precision::bf16;
    controller.apply(TurnKnobs{c});
    controller.tick();
    CHECK(controller.frame().rate->nominal_flops == 7e12);
    CHECK(controller.frame().rate->product_flops != full.product_flops);
    CHECK(controller.frame().a.predicted.step_seconds != seconds);
}

TEST_CASE("starting and stopping the lab fifty times leaves no thread behind")
{
    const std::size_t before = test::threads_of_this_process();
    for (int i = 0; i < 50; ++i)
    {
        LabController controller(lab_setup_for_tests());
        if (i % 2 == 0)
        {
            controller.wake();
        }
        controller.apply(LabCommand::run);
        if (i % 5 == 0)
        {
            controller.apply(LabCommand::second);
        }
        if (i % 7 == 0)
        {
            controller.apply(AskDemo{0});
            controller.apply(AnswerDemo{1});
        }
    }
    CHECK(test::threads_are_back_to(before));
}

TEST_CASE(
    "a card that is found can be chosen: the run begins again on it, and what it cannot compute stays here")
{
    std::vector<LabCard> found;
    std::vector<std::size_t> chosen;
    auto setup = lab_setup_for_tests();
    setup.threads = false;
    setup.cards = [&] { return found; };
    setup.choose = [&](std::size_t card, auto) { chosen.push_back(card); };
    LabController controller(std::move(setup));
    controller.wake();
    CHECK(controller.frame().devices.empty());
    CHECK(controller.apply(ChooseDevice{1}).empty());
    CHECK(controller.frame().chosen == 0);
    REQUIRE(controller.run_to(2, kLabPatience));

    found.push_back({{"a card", "of a test"}, {.eight_bits = false}, 1000});
    controller.tick();
    REQUIRE(controller.frame().devices.size() == 2);
    CHECK(controller.frame().devices.back().name == "a card");
    CHECK(controller.frame().a.predicted.step_seconds > 0);
    CHECK(controller.apply(ChooseDevice{1}).text.find("again") != std::string::npos);
    CHECK(controller.frame().chosen == 1);
    CHECK(controller.frame().device.find("a card") != std::string::npos);
    CHECK(controller.frame().a.predicted.step_seconds == 0);
    CHECK(chosen.back() == 1);

    TrainerConfig half = controller.frame().a.config;
    half.training.precision = Precision::fp8;
    controller.apply(TurnKnobs{half});
    CHECK(chosen.back() == 0);
    CHECK(controller.take_notice().text.find("8-bit") != std::string::npos);
    CHECK(controller.frame().device.find("a card") == std::string::npos);
}

TEST_CASE("what cannot be trained is said in words, and nothing breaks")
{
    LabController nothing{LabController::Setup()};
    nothing.wake();
    CHECK(to_text(nothing.apply(LabCommand::run)).find("no device") != std::string::npos);
    CHECK_FALSE(nothing.frame().running);
    CHECK_FALSE(nothing.apply(AskDemo{0}).empty());

    LabController::Setup broken = lab_setup_for_tests();
    broken.open = [] { return Result<trainer::Device>(Issue{"--device", "is on fire", "use another"}); };
    LabController controller(std::move(broken));
    controller.wake();
    controller.apply(LabCommand::run);
    REQUIRE(controller.wait(kLabPatience));
    CHECK(controller.frame().fault.find("is on fire") != std::string::npos);
    CHECK(a(controller).state == RunState::failed);
    CHECK_FALSE(a(controller).message.empty());

    LabController odd(lab_setup_for_tests());
    TrainerConfig c = odd.frame().a.config;
    c.model.heads = 0;
    CHECK(odd.apply(TurnKnobs{c}).text == "Not changed");
    CHECK(odd.frame().a.config.model.heads == 2);
}

TEST_CASE("a memory budget ends a run that outgrows it, with the budget in the reason")
{
    LabController free(lab_setup_for_tests());
    REQUIRE(free.run_to(2, kLabPatience));
    LabController::Setup setup = lab_setup_for_tests();
    setup.config.memory_budget = a(free).peak.total() * 3 / 2;
    LabController controller(std::move(setup));
    REQUIRE(controller.run_to(2, kLabPatience));
    CHECK(a(controller).state == RunState::paused);
    TrainerConfig c = controller.frame().a.config;
    c.training.micro_batch = c.training.global_batch = 128;
    controller.apply(TurnKnobs{c});
    REQUIRE(controller.run_to(4, kLabPatience));
    CHECK(a(controller).state == RunState::failed);
    CHECK(a(controller).message.find("the budget of") != std::string::npos);
}

TEST_CASE("a saved run is gone on from, and a damaged file is refused in words")
{
    const auto folder = std::filesystem::temp_directory_path() / "ringside-lab-test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    LabController::Setup setup = lab_setup_for_tests();
    setup.checkpoint = folder / "run";
    const auto path = setup.checkpoint;
    LabController controller(std::move(setup));
    CHECK_FALSE(controller.frame().saved);
    REQUIRE(controller.run_to(7, kLabPatience));
    const float loss = a(controller).losses.back();
    controller.apply(LabCommand::save);
    REQUIRE(controller.run_to(8, kLabPatience)); // behind the saving
    CHECK(controller.take_notice().text.starts_with("Saved step 7"));
    CHECK(controller.frame().saved);
    const float next = a(controller).losses.back();
    CHECK(next != loss);

    controller.apply(LabCommand::load);
    REQUIRE(controller.wait(kLabPatience));
    CHECK(controller.take_notice().text.starts_with("Loaded step 7"));
    CHECK(a(controller).step == 7);
    REQUIRE(controller.run_to(8, kLabPatience));
    CHECK(a(controller).losses.back() == next);

    std::filesystem::resize_file(path, 300);
    controller.apply(LabCommand::load);
    REQUIRE(controller.wait(kLabPatience));
    CHECK(controller.take_notice().text.starts_with("Not loaded"));
    CHECK(a(controller).step == 8);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a demonstration asks first, runs, explains, and gives the user's run back")
{
    LabController::Setup setup = lab_setup_for_tests();
    LabController controller(std::move(setup));
    REQUIRE(controller.run_to(5, kLabPatience));
    controller.apply(AskDemo{0});
    REQUIRE(controller.frame().demo);
    CHECK_FALSE(controller.frame().demo->answer);
    CHECK_FALSE(controller.frame().started());
    CHECK_FALSE(controller.apply(LabCommand::run).empty()); // an answer comes first
    CHECK_FALSE(controller.apply(TurnKnobs{default_trainer_config()}).empty());
    controller.apply(AnswerDemo{7});
    CHECK_FALSE(controller.frame().demo->answer);
    controller.apply(AnswerDemo{1});
    REQUIRE(controller.wait(kLabPatience));
    REQUIRE(controller.frame().demo->finding);
    CHECK(controller.frame().demo->finding->answer == 1);
    CHECK(controller.frame().demo->progress == 1);
    REQUIRE(controller.frame().b);
    controller.apply(LabCommand::clear);
    CHECK_FALSE(controller.frame().demo);
    CHECK(a(controller).step == 5);
    REQUIRE(controller.run_to(6, kLabPatience));
}
