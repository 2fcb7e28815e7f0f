// The live lab by hand: every state of the view at every size, its keys, its knobs, its demonstrations.
#include "tests/app/lab_room.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/training/critical_batch.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/views/lab/lab/words.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <map>
#include <sstream>

using namespace ringside;
using namespace ringside::test;

namespace
{

// A user in front of the lab.
class Lab
{
public:
    explicit Lab(LabController::Setup setup = lab_setup_for_tests())
    {
        w.session().set_lab(std::make_unique<LabController>(std::move(setup)));
        w.open("lab");
        rest();
    }
    Window w;

    LabController& controller() { return w.session().lab(); }
    const LabFrame& frame() { return controller().frame(); }
    const TrainingSnapshot& run() { return *frame().a.snapshot; }
    void rest()
    {
        w.frames(3);
        REQUIRE(controller().wait(kLabPatience));
        w.frames(2);
    }
    void key(ImGuiKey k)
    {
        w.key(k);
        rest();
    }
    // A run of 30 steps with a break, a mark and a run beside it.
    void train()
    {
        REQUIRE(controller().run_to(10, kLabPatience));
        controller().apply(LabCommand::mark);
        TrainerConfig hot = frame().a.config;
        hot.recipe.learning_rate = 0.04;
        controller().apply(TurnKnobs{hot});
        REQUIRE(controller().run_to(15, kLabPatience));
        hot.recipe.learning_rate = 0.004;
        controller().apply(TurnKnobs{hot});
        REQUIRE(controller().run_to(30, kLabPatience));
        controller().apply(LabCommand::sample);
        controller().apply(LabCommand::second);
        rest();
    }
};

} // namespace

TEST_CASE("no words of the lab are cut off or lie on others before, while and after a run is made")
{
    Lab lab;
    check_words_at_every_size(lab.w, "before the first start");
    lab.train();
    constexpr std::array kTabs{"loss", "gradient", "memory", "numbers", "text", "batch"};
    for (std::size_t i = 0; i < kTabs.size(); ++i)
    {
        lab.key(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)));
        check_words_at_every_size(lab.w, kTabs.at(i));
    }
    lab.controller().apply(LookAtStep{12});
    lab.key(ImGuiKey_1);
    check_words_at_every_size(lab.w, "looking back");
}

namespace
{

LabController::Setup routed_setup()
{
    LabController::Setup setup = lab_setup_for_tests();
    setup.config.model.experts = 8;
    setup.config.model.experts_per_token = 2;
    setup.config.model.expert_ffn = 32;
    return setup;
}

} // namespace

TEST_CASE("no words about experts are cut off or lie on others")
{
    Lab lab(routed_setup());
    check_words_at_every_size(lab.w, "before the first start");
    REQUIRE(lab.controller().run_to(5, kLabPatience));
    lab.rest();
    lab.key(ImGuiKey_7);
    CHECK(says(lab.w, "Where the tokens go"));
    check_words_at_every_size(lab.w, "experts");
}

TEST_CASE("experts have a page of their own, where capacity and balance are turned while it trains")
{
    Lab lab(routed_setup());
    REQUIRE(lab.controller().run_to(5, kLabPatience));
    lab.rest();
    lab.key(ImGuiKey_7);
    CHECK(says(lab.w, "Layer 2"));
    CHECK(says(lab.w, "were dropped by full experts"));
    CHECK(says(lab.w, "= 3 of the 8 tokens")); // 1.25 x 2 x 8 / 8
    lab.w.click("4");                          // of the capacity factor
    lab.rest();
    lab.w.click("0.1"); // of the balance loss
    lab.rest();
    lab.w.type(".");
    lab.rest();
    CHECK(lab.run().config.recipe.capacity_factor == 4);
    CHECK(lab.run().config.recipe.balance_loss == 0.1);
    CHECK(lab.run().step == 6);
    for (const LayerRouting& layer : lab.run().experts)
    {
        CHECK(layer.dropped() == 0); // room for all 8 tokens
    }
}

TEST_CASE("a model without experts has no page for them")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(2, kLabPatience));
    lab.rest();
    lab.key(ImGuiKey_7);
    CHECK_FALSE(says(lab.w, "Where the tokens go"));
    CHECK_FALSE(says(lab.w, "Experts"));
}

TEST_CASE("no words of a demonstration are cut off or lie on others, asked or explained")
{
    Lab lab;
    for (const ImGuiKey demo : {ImGuiKey_F2, ImGuiKey_F10})
    {
        lab.key(demo);
        check_words_at_every_size(lab.w, "asked");
        lab.key(ImGuiKey_2);
        REQUIRE(lab.frame().demo->finding);
        check_words_at_every_size(lab.w, "explained");
    }
    lab.key(ImGuiKey_Escape);
    CHECK_FALSE(lab.frame().demo);
}

TEST_CASE("no words of a lab that cannot train are cut off")
{
    LabController::Setup setup = lab_setup_for_tests();
    setup.open = []
    {
        return Result<trainer::Device>(
            Issue{"--device", "no CUDA: the driver is older than the toolkit this was built with",
                  "use --device cpu"});
    };
    Lab lab(std::move(setup));
    check_words_at_every_size(lab.w, "no device");
    lab.key(ImGuiKey_Enter);
    CHECK(lab.run().state == RunState::failed);
    check_words_at_every_size(lab.w, "failed");
}

TEST_CASE("Enter starts the lab, Space pauses it, a full stop makes one step, R goes back")
{
    Lab lab;
    CHECK(says(lab.w, "Start training"));
    lab.w.key(ImGuiKey_Enter);
    lab.w.frames(2);
    CHECK(lab.frame().running);
    CHECK(lab.w.session().playing());
    lab.w.key(ImGuiKey_Space);
    lab.rest();
    CHECK_FALSE(lab.frame().running);
    const std::int64_t step = lab.run().step;
    lab.w.type(".");
    lab.rest();
    CHECK(lab.run().step == step + 1);
    lab.key(ImGuiKey_M);
    lab.w.type(".");
    lab.rest();
    lab.key(ImGuiKey_R);
    CHECK(lab.run().step == step + 1);
    lab.w.type(",");
    lab.rest();
    CHECK(lab.frame().look == step);
    CHECK(says(lab.w, "looking back"));
}

TEST_CASE("knobs turned in the panel reach the run, and its precision starts it again")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(4, kLabPatience));
    lab.w.frames(2);
    lab.w.type_value("Learning rate", "0.02");
    lab.w.frames(3);
    lab.rest();
    CHECK(lab.run().config.recipe.learning_rate == 0.02);
    REQUIRE(lab.run().changes.size() == 1);
    lab.w.drag("Max gradient norm", 0.55F, 1);
    lab.rest();
    CHECK(lab.run().config.recipe.clip == 10);
    CHECK(lab.run().changes.size() == 2); // one drag is one break
    lab.w.click("bf16");
    lab.rest();
    CHECK(lab.run().config.training.precision == Precision::bf16);
    CHECK(lab.run().step == 4); // it goes on
    lab.w.click("SGD");
    lab.rest();
    CHECK(lab.run().step == 0);
}

TEST_CASE("every switch works by its key while the lab trains, and the same key puts it back")
{
    LabController::Setup setup = lab_setup_for_tests();
    setup.config.training.micro_batch = setup.config.training.global_batch = 4;
    Lab lab(std::move(setup));
    REQUIRE(lab.controller().run_to(4, kLabPatience));
    lab.rest();
    std::int64_t step = 4;
    for (std::size_t i = 0; i < lab_switches().size(); ++i)
    {
        const LabSwitch& s = lab_switches()[i];
        const auto key = static_cast<ImGuiKey>(ImGuiKey_A + (s.key[0] - 'A'));
        INFO(s.id);
        if (!lab.frame().switches[i].refusal.empty())
        {
            lab.key(key);
            CHECK_FALSE(lab.frame().switches[i].on);
            lab.key(ImGuiKey_N);
        }
        REQUIRE(lab.frame().switches[i].refusal.empty());
        const std::string before = s.says(lab.run().config);
        lab.key(key);
        const std::string after = s.says(lab.run().config);
        CHECK(after != before);
        CHECK(lab.frame().switches[i].on == !s.goes_on);
        step += 14;
        REQUIRE(lab.controller().run_to(step, kLabPatience));
        lab.rest();
        REQUIRE(lab.frame().trial);
        CHECK(lab.run().step == step);
        CHECK(says(lab.w, fmt::format("{}: {} \u2192 {}", s.title, before, after)));
        CHECK(says(lab.w, "0 B")); // predicted to the byte
        check_words_at_every_size(lab.w, std::string(s.id));
        for (int press = 0; press < (s.goes_on ? 6 : 1); ++press)
        {
            lab.key(key);
        }
        CHECK(s.says(lab.run().config) == before);
        CHECK_FALSE(lab.frame().switches[i].on);
    }
}

TEST_CASE("a learning rate that was too high is taken back with the weights of before")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(60, kLabPatience));
    lab.rest();
    lab.key(ImGuiKey_J);
    CHECK(lab.run().config.recipe.learning_rate == 30 * 0.004);
    REQUIRE(lab.controller().run_to(80, kLabPatience));
    lab.rest();
    CHECK(figures_of(lab.run(), 60).loss > lab.frame().trial->before.loss);
    lab.key(ImGuiKey_J);
    lab.key(ImGuiKey_R);
    CHECK(lab.run().step == 60);
    CHECK(lab.run().config.recipe.learning_rate == 0.004);
    CHECK_FALSE(lab.frame().switches.back().on);
}

TEST_CASE("steps are skipped while the loss scale is too high, and no longer when the key puts it back")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(2, kLabPatience));
    lab.rest();
    lab.key(ImGuiKey_N);
    REQUIRE(lab.controller().run_to(14, kLabPatience));
    lab.rest();
    const std::int64_t before = lab.run().skipped;
    lab.key(ImGuiKey_V);
    CHECK(lab.frame().trial->forecast.overflows);
    REQUIRE(lab.controller().run_to(24, kLabPatience));
    lab.rest();
    CHECK(lab.run().skipped == before + 10);
    CHECK(says(lab.w, "every step"));
    lab.key(ImGuiKey_V);
    REQUIRE(lab.controller().run_to(34, kLabPatience));
    lab.rest();
    CHECK(lab.run().skipped == before + 10);
}

TEST_CASE("no key of the lab has two meanings")
{
    const auto view = find_view("lab")->make();
    std::map<std::string, int> times;
    for (const ViewKey& key : view->keys())
    {
        std::istringstream words{std::string(key.key)};
        for (std::string word; words >> word;)
        {
            CHECK(++times[word] == 1);
        }
    }
    for (const std::string_view windows : {"Q", "T", "U", "X", "?"})
    {
        CHECK(times[std::string(windows)] == 0);
    }
}

TEST_CASE("the lab says what is off by nothing, and shows both numbers")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(5, kLabPatience));
    lab.w.frames(3);
    CHECK(says(lab.w, "0 B"));
    CHECK(says(lab.w, "Memory at the peak"));
    CHECK(says(lab.w, "tokens/s"));
    CHECK(says(lab.w, "MFU"));
}

TEST_CASE("the batch is held against the noise scale that was measured, or it is said how to measure it")
{
    TrainingSnapshot run;
    run.config = default_trainer_config();
    run.config.training.micro_batch = 8;
    run.config.training.global_batch = 8;
    run.config.training.sequence_length = 128;
    CHECK(noise_words(run) ==
          "A batch is 1.02 k tokens. Accumulate two micro-batches or more, and the noise scale "
          "is measured.");
    run.config.training.global_batch = 32; // 4096 tokens
    CHECK(noise_words(run).find("is being measured") != std::string::npos);
    run.noise_scale = 3100;
    CHECK(noise_words(run) ==
          "A batch is 4.10 k tokens. The noise scale is about 3.10 k tokens: a larger batch gains little.");
    run.noise_scale = 10'000;
    CHECK(noise_words(run).find("larger batches still save steps") != std::string::npos);
    run.noise_scale = 1000;
    CHECK(noise_words(run).find("a smaller one would learn nearly as much") != std::string::npos);
}

TEST_CASE("the gradient's page says how the batch stands to the noise")
{
    Lab lab;
    lab.key(ImGuiKey_2);
    REQUIRE(lab.controller().run_to(3, kLabPatience));
    lab.rest();
    CHECK(says(lab.w, "Accumulate two micro-batches"));
    TrainerConfig next = lab.frame().a.config;
    next.training.global_batch = 4 * next.training.micro_batch;
    lab.controller().apply(TurnKnobs{next});
    REQUIRE(lab.controller().run_to(3 + NoiseMeter::kFewest, kLabPatience));
    lab.rest();
    CHECK(says(lab.w, "The noise scale is"));
}

TEST_CASE("a demonstration is asked by its key, answered by a digit, and explained in numbers")
{
    Lab lab;
    lab.key(ImGuiKey_F2);
    CHECK(says(lab.w, "without the fp32 copy"));
    lab.key(ImGuiKey_2);
    REQUIRE(lab.frame().demo->finding);
    CHECK(says(lab.w, "Small updates are lost"));
    lab.w.click("leave demo");
    lab.rest();
    CHECK_FALSE(lab.frame().demo);
    CHECK(says(lab.w, "Start training"));
}

TEST_CASE("the memory of a step is walked through by keys and by the mouse")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(3, kLabPatience));
    lab.key(ImGuiKey_3);
    CHECK(says(lab.w, "before the forward"));
    lab.w.key(ImGuiKey_RightArrow);
    lab.w.frames(2);
    CHECK(says(lab.w, "embedding"));
    const Rect r = lab.w.find("step memory").rect;
    lab.w.move_to({r.x + r.w * 0.99F, r.middle()});
    lab.w.frames(2);
    CHECK(says(lab.w, "after the update"));
    lab.w.move_to({-100, -100});
    lab.w.key(ImGuiKey_P);
    CHECK(lab.w.frame());
    lab.w.key(ImGuiKey_P);
    CHECK(lab.w.settle(20) < 20);
}

TEST_CASE("a lab at rest asks for no further frame, whichever view is on show")
{
    Lab lab;
    REQUIRE(lab.controller().run_to(3, kLabPatience));
    CHECK(lab.w.settle(30) < 30);
    lab.w.open("memory");
    CHECK(lab.w.settle(60) < 60);
    CHECK_FALSE(lab.w.session().ticking());
}
