// The live lab's desk: runs on their threads, knobs, breaks, a second run, demonstrations, checkpoints; and
// that looking never waits.
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

const TrainingSnapshot& a(const LabDesk& desk)
{
    REQUIRE(desk.frame().a.snapshot);
    return *desk.frame().a.snapshot;
}

TrainerConfig with_rate(const LabDesk& desk, double rate)
{
    TrainerConfig c = desk.frame().a.config;
    c.recipe.learning_rate = rate;
    return c;
}

} // namespace

TEST_CASE("the lab's desk starts a run, steps once and pauses")
{
    LabDesk desk(lab_setup_for_tests());
    CHECK_FALSE(desk.frame().started());
    CHECK(desk.frame().a.predicted.parameters > 1000);
    CHECK(desk.apply(LabCommand::step) == "");
    REQUIRE(desk.wait(kLabPatience));
    CHECK(a(desk).step == 1);
    CHECK_FALSE(desk.frame().running);
    REQUIRE(desk.run_to(20, kLabPatience));
    CHECK(a(desk).step == 20);
    CHECK(a(desk).norms.size() == 20);
    CHECK(a(desk).rates.size() == 20);
    CHECK(a(desk).seconds.size() == 20);
    CHECK(a(desk).losses.back() < a(desk).losses.front());
    desk.apply(LabCommand::clear);
    CHECK_FALSE(desk.frame().started());
}

TEST_CASE("state that is predicted and measured is the same to the byte, for every precision and optimizer")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16})
    {
        for (const Optimizer optimizer : {Optimizer::adamw, Optimizer::sgd_momentum})
        {
            CAPTURE(name_of(precision), name_of(optimizer));
            LabDesk::Setup setup = lab_setup_for_tests();
            setup.config.training.precision = precision;
            setup.config.training.optimizer = optimizer;
            LabDesk desk(std::move(setup));
            REQUIRE(desk.run_to(2, kLabPatience));
            for (const Component c : {Component::weights, Component::gradients, Component::master_weights,
                                      Component::momentum, Component::variance})
            {
                CHECK(desk.frame().a.predicted.memory.of(c) == a(desk).highest.of(c));
            }
        }
    }
}

TEST_CASE("a knob that is turned leaves a break at its step, with the value before and after")
{
    LabDesk desk(lab_setup_for_tests());
    REQUIRE(desk.run_to(5, kLabPatience));
    desk.apply(TurnKnobs{with_rate(desk, 0.04)});
    REQUIRE(desk.run_to(8, kLabPatience));
    desk.apply(TurnKnobs{with_rate(desk, 0.004)});
    REQUIRE(desk.run_to(10, kLabPatience));
    REQUIRE(a(desk).changes.size() == 2);
    CHECK(a(desk).changes[0] == KnobChange{5, "learning rate", "0.004", "0.04"});
    CHECK(a(desk).changes[1] == KnobChange{8, "learning rate", "0.04", "0.004"});
    CHECK(a(desk).config.recipe.learning_rate == 0.004);
}

TEST_CASE("a knob that is being dragged counts when it is let go")
{
    LabDesk desk(lab_setup_for_tests());
    REQUIRE(desk.run_to(3, kLabPatience));
    for (const double rate : {0.005, 0.006, 0.007})
    {
        desk.apply(TurnKnobs{with_rate(desk, rate), 0, true});
        CHECK(desk.frame().a.config.recipe.learning_rate == rate);
    }
    desk.end_drag();
    REQUIRE(desk.run_to(4, kLabPatience));
    REQUIRE(a(desk).changes.size() == 1);
    CHECK(a(desk).changes[0].to == "0.007");
}

TEST_CASE("what a run cannot change starts it again, and says so")
{
    LabDesk desk(lab_setup_for_tests());
    REQUIRE(desk.run_to(4, kLabPatience));
    TrainerConfig c = desk.frame().a.config;
    c.training.optimizer = Optimizer::sgd_momentum;
    CHECK(desk.apply(TurnKnobs{c}).starts_with("Started again"));
    REQUIRE(desk.wait(kLabPatience));
    CHECK(a(desk).step == 0);
    CHECK(a(desk).changes.empty());
    CHECK(a(desk).config.training.optimizer == Optimizer::sgd_momentum);
}

TEST_CASE("rewinding goes back to the mark with the knobs as they stand, and forgets later breaks")
{
    LabDesk desk(lab_setup_for_tests());
    REQUIRE(desk.run_to(6, kLabPatience));
    desk.apply(LabCommand::mark);
    REQUIRE(desk.run_to(9, kLabPatience));
    desk.apply(TurnKnobs{with_rate(desk, 0.02)});
    REQUIRE(desk.run_to(12, kLabPatience));
    desk.apply(LabCommand::rewind);
    REQUIRE(desk.wait(kLabPatience));
    CHECK(a(desk).step == 6);
    CHECK(a(desk).losses.size() == 6);
    CHECK(a(desk).rates.size() == 6);
    REQUIRE(a(desk).changes.size() == 1);
    CHECK(a(desk).changes[0] == KnobChange{6, "learning rate", "0.004", "0.02"});
    desk.apply(LabCommand::rewind);
    REQUIRE(desk.wait(kLabPatience));
    CHECK(a(desk).step == 0);
}

TEST_CASE("a second run is as the first began: the same up to the break, another after it")
{
    LabDesk desk(lab_setup_for_tests());
    CHECK_FALSE(desk.apply(LabCommand::second).empty()); // nothing to stand beside
    REQUIRE(desk.run_to(6, kLabPatience));
    desk.apply(TurnKnobs{with_rate(desk, 0.1)});
    REQUIRE(desk.run_to(12, kLabPatience));
    desk.apply(LabCommand::second);
    REQUIRE(desk.wait(kLabPatience));
    REQUIRE(desk.frame().b);
    const TrainingSnapshot& b = *desk.frame().b->snapshot;
    CHECK(desk.frame().b->name == "undisturbed");
    REQUIRE(b.losses.size() == 12);
    for (std::size_t i = 0; i < 7; ++i)
    {
        CHECK(b.losses[i] == a(desk).losses[i]);
    }
    CHECK(b.losses[11] != a(desk).losses[11]);
    desk.apply(LabCommand::second);
    CHECK_FALSE(desk.frame().b);
}

TEST_CASE("a step that is looked at is remembered until the newest is asked for")
{
    LabDesk desk(lab_setup_for_tests());
    REQUIRE(desk.run_to(9, kLabPatience));
    desk.apply(LookAtStep{4});
    CHECK(desk.frame().look == 4);
    desk.apply(LookAtStep{99});
    CHECK_FALSE(desk.frame().look);
    desk.apply(LookAtStep{2});
    desk.apply(LabCommand::step);
    CHECK_FALSE(desk.frame().look);
}

TEST_CASE("looking never waits: the desk answers while the device has not even opened")
{
    std::promise<void> open;
    const std::shared_future<void> opened = open.get_future().share();
    LabDesk::Setup setup = lab_setup_for_tests();
    setup.open = [opened, real = one_thread()]
    {
        opened.wait();
        return real();
    };
    LabDesk desk(std::move(setup));
    desk.wake();
    CHECK(desk.frame().measuring);
    desk.apply(LabCommand::run);
    desk.apply(LabCommand::mark);
    desk.apply(TurnKnobs{with_rate(desk, 0.01)});
    for (int i = 0; i < 100; ++i)
    {
        desk.tick();
        REQUIRE(desk.frame().running);
        REQUIRE(desk.frame().a.snapshot->step == 0);
    }
    desk.apply(LabCommand::pause);
    open.set_value();
    CHECK(desk.wait(kLabPatience));
}

TEST_CASE("the device is measured once, and what is predicted of it then has times")
{
    LabDesk desk(lab_setup_for_tests());
    CHECK(desk.frame().a.predicted.step_seconds == 0);
    desk.wake();
    REQUIRE(desk.wait(kLabPatience));
    CHECK(desk.frame().device == "one thread");
    REQUIRE(desk.frame().rate);
    CHECK(desk.frame().rate->product_flops > 1e7);
    CHECK(desk.frame().rate->nominal_flops == 0);
    CHECK(desk.frame().a.predicted.step_seconds > 0);
    CHECK(desk.frame().a.predicted.tokens_per_second ==
          Catch::Approx(24 / desk.frame().a.predicted.step_seconds));
}

TEST_CASE("a precision has a rate and a prediction of its own, and the data sheet's rate is that of bf16")
{
    auto setup = lab_setup_for_tests();
    setup.data_sheets.emplace_back().name = "CPU";
    setup.data_sheets.back().bf16_tflops = 7;
    LabDesk desk(std::move(setup));
    desk.wake();
    REQUIRE(desk.wait(kLabPatience));
    const LabRate full = *desk.frame().rate;
    const double seconds = desk.frame().a.predicted.step_seconds;
    CHECK(full.nominal_flops == 0);
    TrainerConfig c = desk.frame().a.config;
    c.training.precision = Precision::bf16;
    desk.apply(TurnKnobs{c});
    desk.tick();
    CHECK(desk.frame().rate->nominal_flops == 7e12);
    CHECK(desk.frame().rate->product_flops != full.product_flops);
    CHECK(desk.frame().a.predicted.step_seconds != seconds);
}

TEST_CASE("starting and stopping the lab fifty times leaves no thread behind")
{
    const std::size_t before = test::threads_of_this_process();
    for (int i = 0; i < 50; ++i)
    {
        LabDesk desk(lab_setup_for_tests());
        if (i % 2 == 0)
        {
            desk.wake();
        }
        desk.apply(LabCommand::run);
        if (i % 5 == 0)
        {
            desk.apply(LabCommand::second);
        }
        if (i % 7 == 0)
        {
            desk.apply(AskDemo{0});
            desk.apply(AnswerDemo{1});
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
    setup.choose = [&](std::size_t card, bool) { chosen.push_back(card); };
    LabDesk desk(std::move(setup));
    desk.wake();
    CHECK(desk.frame().devices.empty());
    CHECK(desk.apply(ChooseDevice{1}).empty());
    CHECK(desk.frame().chosen == 0);
    REQUIRE(desk.run_to(2, kLabPatience));

    found.push_back({{"a card", "of a test"}, {.eight_bits = false}, 1000});
    desk.tick();
    REQUIRE(desk.frame().devices.size() == 2);
    CHECK(desk.frame().devices.back().name == "a card");
    CHECK(desk.frame().a.predicted.step_seconds > 0);
    CHECK(desk.apply(ChooseDevice{1}).find("again") != std::string::npos);
    CHECK(desk.frame().chosen == 1);
    CHECK(desk.frame().device.find("a card") != std::string::npos);
    CHECK(desk.frame().a.predicted.step_seconds == 0);
    CHECK(chosen.back() == 1);

    TrainerConfig half = desk.frame().a.config;
    half.training.precision = Precision::fp8;
    desk.apply(TurnKnobs{half});
    CHECK(chosen.back() == 0);
    CHECK(desk.take_notice().find("8-bit") != std::string::npos);
    CHECK(desk.frame().device.find("a card") == std::string::npos);
}

TEST_CASE("what cannot be trained is said in words, and nothing breaks")
{
    LabDesk nothing{LabDesk::Setup()};
    nothing.wake();
    CHECK(nothing.apply(LabCommand::run).find("no device") != std::string::npos);
    CHECK_FALSE(nothing.frame().running);
    CHECK_FALSE(nothing.apply(AskDemo{0}).empty());

    LabDesk::Setup broken = lab_setup_for_tests();
    broken.open = [] { return Result<trainer::Device>(Issue{"--device", "is on fire", "use another"}); };
    LabDesk desk(std::move(broken));
    desk.wake();
    desk.apply(LabCommand::run);
    REQUIRE(desk.wait(kLabPatience));
    CHECK(desk.frame().fault.find("is on fire") != std::string::npos);
    CHECK(a(desk).state == RunState::failed);
    CHECK_FALSE(a(desk).message.empty());

    LabDesk odd(lab_setup_for_tests());
    TrainerConfig c = odd.frame().a.config;
    c.model.heads = 0;
    CHECK(odd.apply(TurnKnobs{c}).starts_with("Not changed"));
    CHECK(odd.frame().a.config.model.heads == 2);
}

TEST_CASE("a memory budget ends a run that outgrows it, with the budget in the reason")
{
    LabDesk free(lab_setup_for_tests());
    REQUIRE(free.run_to(2, kLabPatience));
    LabDesk::Setup setup = lab_setup_for_tests();
    setup.config.memory_budget = a(free).peak.total() * 3 / 2;
    LabDesk desk(std::move(setup));
    REQUIRE(desk.run_to(2, kLabPatience));
    CHECK(a(desk).state == RunState::paused);
    TrainerConfig c = desk.frame().a.config;
    c.training.micro_batch = c.training.global_batch = 128;
    desk.apply(TurnKnobs{c});
    REQUIRE(desk.run_to(4, kLabPatience));
    CHECK(a(desk).state == RunState::failed);
    CHECK(a(desk).message.find("the budget of") != std::string::npos);
}

TEST_CASE("a saved run is gone on from, and a damaged file is refused in words")
{
    const auto folder = std::filesystem::temp_directory_path() / "ringside-lab-test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    LabDesk::Setup setup = lab_setup_for_tests();
    setup.checkpoint = folder / "run";
    const auto path = setup.checkpoint;
    LabDesk desk(std::move(setup));
    CHECK_FALSE(desk.frame().saved);
    REQUIRE(desk.run_to(7, kLabPatience));
    const float loss = a(desk).losses.back();
    desk.apply(LabCommand::save);
    REQUIRE(desk.run_to(8, kLabPatience)); // behind the saving
    CHECK(desk.take_notice().starts_with("Saved step 7"));
    CHECK(desk.frame().saved);
    const float next = a(desk).losses.back();
    CHECK(next != loss);

    desk.apply(LabCommand::load);
    REQUIRE(desk.wait(kLabPatience));
    CHECK(desk.take_notice().starts_with("Loaded step 7"));
    CHECK(a(desk).step == 7);
    REQUIRE(desk.run_to(8, kLabPatience));
    CHECK(a(desk).losses.back() == next);

    std::filesystem::resize_file(path, 300);
    desk.apply(LabCommand::load);
    REQUIRE(desk.wait(kLabPatience));
    CHECK(desk.take_notice().starts_with("Not loaded"));
    CHECK(a(desk).step == 8);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a demonstration asks first, runs, explains, and gives the person's run back")
{
    LabDesk::Setup setup = lab_setup_for_tests();
    LabDesk desk(std::move(setup));
    REQUIRE(desk.run_to(5, kLabPatience));
    desk.apply(AskDemo{0});
    REQUIRE(desk.frame().demo);
    CHECK_FALSE(desk.frame().demo->answer);
    CHECK_FALSE(desk.frame().started());
    CHECK_FALSE(desk.apply(LabCommand::run).empty()); // an answer comes first
    CHECK_FALSE(desk.apply(TurnKnobs{default_trainer_config()}).empty());
    desk.apply(AnswerDemo{7});
    CHECK_FALSE(desk.frame().demo->answer);
    desk.apply(AnswerDemo{1});
    REQUIRE(desk.wait(kLabPatience));
    REQUIRE(desk.frame().demo->finding);
    CHECK(desk.frame().demo->finding->answer == 1);
    CHECK(desk.frame().demo->progress == 1);
    REQUIRE(desk.frame().b);
    desk.apply(LabCommand::clear);
    CHECK_FALSE(desk.frame().demo);
    CHECK(a(desk).step == 5);
    REQUIRE(desk.run_to(6, kLabPatience));
}
