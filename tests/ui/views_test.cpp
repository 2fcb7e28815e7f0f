// Every view on everything it may be shown: scenarios from one GPU to sixteen thousand, window and text
// sizes, themes, moments of its playback, the mouse over it. What is drawn must be fit for a renderer.
#include "tests/share.h"
#include "tests/ui/harness.h"

#include "core/model/family.h"
#include "core/scenario/choices.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string_view>

using namespace ringside;

namespace
{

struct Case
{
    std::string name;
    Session session;

    Case(std::string a_name, Scenario scenario) : name(std::move(a_name)), session(test::presets(), scenario)
    {
        REQUIRE(!has_errors(session.issues()));
    }
};

std::string zero_text(int stage)
{
    return R"({"model": "llama-3.1-8b", "cluster": {"gpus": 16}, "parallel": {"zero": )" +
           std::to_string(stage) + R"(}, "training": {"global_batch": 64}})";
}

Scenario huge()
{
    Scenario s =
        test::scenario(R"({"model": "llama-3.1-405b", "cluster": {"preset": "dgx-h100", "gpus": 16384},
        "parallel": {"tensor": 8, "pipeline": 16, "zero": 1, "sequence_parallel": true},
        "training": {"global_batch": 4096}})");
    s.model = model_of_size(kMostParameters, Family::llama, 16, 8);
    REQUIRE(!has_errors(validate(s)));
    return s;
}

Scenario many_stages()
{
    Scenario s = default_scenario(test::presets());
    s.model = model_of_size(1e12, Family::llama, 128, 8);
    s.parallel.pipeline = 128;
    s.cluster.gpus = 1024;
    s.training.global_batch = 256;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

Scenario uneven()
{
    Scenario s = default_scenario(test::presets());
    s.parallel.stage_layers = {23, 20, 20, 17};
    s.stage_times = {{0.5, 1.5, 0, 0.25}};
    return s;
}

Scenario interleaved()
{
    Scenario s = default_scenario(test::presets());
    s.training.schedule = schedule("interleaved");
    s.parallel.chunks = 4;
    s.parallel.pipeline = 4;
    return s;
}

Scenario no_transfer_time_at_all()
{
    Scenario s = default_scenario(test::presets());
    s.collective = {16, 1e-6, 0};
    s.cluster.gpu.name.clear();
    s.cluster.gpu.id.clear();
    s.model.preset.clear();
    s.model.name.clear();
    s.training.schedule = schedule("naive");
    s.stage_times = {{1, 0, 0, 0}};
    return s;
}

// Made once: one evaluation each, however often they are drawn.
std::vector<std::unique_ptr<Case>>& cases()
{
    static std::vector<std::unique_ptr<Case>> all;
    if (!all.empty())
    {
        return all;
    }
    const auto add = [](std::string name, const Scenario& s)
    { all.push_back(std::make_unique<Case>(std::move(name), s)); };
    add("default", default_scenario(test::presets()));
    add("invalid, the last good report kept", default_scenario(test::presets()));
    all.back()->session.apply(ChangeScenario{with(all.back()->session.scenario(), Knob::tensor, 3)});
    REQUIRE(has_errors(all.back()->session.issues()));
    add("compared with another cut",
        test::scenario(
            R"({"model": "gpt-2-1.5b", "cluster": {"gpus": 8}, "training": {"global_batch": 64}})"));
    all.back()->session.apply(Command::compare);
    all.back()->session.apply(ChangeScenario{default_scenario(test::presets())});
    add("out of memory", test::scenario(R"({"model": "llama-3.1-405b", "cluster": {"gpus": 1},
                                            "training": {"global_batch": 1}})"));
    add("huge", huge());
    add("tiny", test::scenario(R"({"model": "gpt-2-124m", "cluster": {"gpus": 1},
                                   "training": {"global_batch": 1, "sequence_length": 1024}})"));
    add("experts and latent attention",
        test::scenario(R"({"model": "deepseek-v3", "cluster": {"preset": "deepseek-v3-h800", "gpus": 2048},
                           "parallel": {"pipeline": 16, "expert": 64, "zero": 1,
                                        "stage_layers": [4,4,4,4,4,4,4,4,4,4,4,4,4,3,3,3]},
                           "training": {"global_batch": 15360, "sequence_length": 4096, "precision": "fp8"}})"));
    add("one stage, many micro-batches", test::scenario(R"({"model": "llama-3.1-8b",
        "cluster": {"gpus": 8}, "parallel": {"tensor": 8}, "training": {"global_batch": 512}})"));
    add("one rank", test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 32},
        "parallel": {"tensor": 8, "pipeline": 4}, "training": {"global_batch": 8}})"));
    for (int stage = 0; stage <= 3; ++stage)
    {
        add("ZeRO-" + std::to_string(stage), test::scenario(zero_text(stage)));
    }
    add("128 stages", many_stages());
    add("everything on the host", test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8},
        "parallel": {"zero": 3}, "training": {"global_batch": 8, "offload": "optimizer-and-weights-cpu"}})"));
    add("uneven stages, no weight gradients", uneven());
    add("interleaved", interleaved());
    add("nameless, a message of a kilobyte, no latency", no_transfer_time_at_all());
    return all;
}

struct Mode
{
    const char* name;
    bool light;
    bool presenter;
};
constexpr std::array kModes{Mode{"dark", false, false}, Mode{"light", true, false},
                            Mode{"presenter", false, true}};
constexpr std::array kSizes{ImVec2{1280, 800}, ImVec2{1920, 1080}, ImVec2{800, 600}, ImVec2{640, 480}};

void must_be_drawn(const test::Window& window)
{
    const test::Drawn drawn = window.drawn();
    REQUIRE(drawn.fault == "");
    REQUIRE(drawn.missing_glyphs == 0);
    REQUIRE(drawn.vertices > 20); // a title, where the type leaves no room for more
    REQUIRE(drawn.vertices < 2'000'000);
    REQUIRE(drawn.commands > 0);
    REQUIRE(drawn.commands < 20'000);
}

void draw_moments(test::Window& window)
{
    const Motion motion = window.motion();
    REQUIRE(std::isfinite(motion.duration));
    REQUIRE(motion.duration >= 0);
    REQUIRE(motion.rest >= 0);
    REQUIRE(motion.rest <= motion.duration);
    REQUIRE(std::is_sorted(motion.stops.begin(), motion.stops.end()));
    if (motion.duration == 0)
    {
        return;
    }
    REQUIRE(motion.label != "");
    REQUIRE(motion.per_second > 0);
    for (const double share : {0.0, 0.37, 0.5, 1.0})
    {
        INFO("at " << share << " of " << motion.duration);
        window.session().apply(Seek{motion.duration * share});
        window.frame();
        must_be_drawn(window);
        REQUIRE(window.motion().label != "");
    }
}

void draw_hovered(test::Window& window, ImVec2 size)
{
    for (const ImVec2 share : {ImVec2{0.35F, 0.3F}, ImVec2{0.5F, 0.55F}, ImVec2{0.75F, 0.4F}})
    {
        window.move_to({size.x * share.x, size.y * share.y});
        window.frame();
        window.frame(0.6);
        INFO("mouse at " << share.x << ", " << share.y);
        must_be_drawn(window);
    }
    window.move_to({-100, -100});
}

// All views and cases; window sizes and hovering take turns.
void draw_everything(float text_scale)
{
    test::Window window;
    auto turn = static_cast<std::size_t>(text_scale * 4);
    for (const Mode& mode : kModes)
    {
        Preferences preferences;
        preferences.text_scale = text_scale;
        preferences.light = mode.light;
        preferences.presenter = mode.presenter;
        for (const ViewInfo* view : views())
        {
            for (const auto& one : cases())
            {
                if (!test::is_in_share(turn))
                {
                    ++turn;
                    continue;
                }
                const ImVec2 size = kSizes[turn % kSizes.size()];
                INFO(view->id << ", " << one->name << ", " << mode.name << ", text " << text_scale << ", "
                              << size.x << " x " << size.y);
                window.show(&one->session);
                window.session().set_preferences(preferences);
                window.session().apply(OpenView{std::string(view->id)});
                window.resize(size);
                window.frames(2);
                must_be_drawn(window);
                if (turn % 3 == 0)
                {
                    draw_hovered(window, size);
                }
                else
                {
                    draw_moments(window);
                }
                window.show(nullptr);
                ++turn;
            }
            ++turn; // another size for each case in the next view
        }
    }
}

} // namespace

TEST_CASE("views stand by group, and inside a group by an order that no two share")
{
    std::pair last{ViewGroup::overview, 0};
    for (const ViewInfo* info : views())
    {
        INFO(info->id);
        CHECK(last < std::pair(info->group, info->order));
        last = {info->group, info->order};
    }
    CHECK(views().front()->id == "overview");
    CHECK(views().back()->group == ViewGroup::study);
}

TEST_CASE("every view draws every kind of scenario at text scale 0.75")
{
    draw_everything(0.75F);
}

TEST_CASE("every view draws every kind of scenario at text scale 1")
{
    draw_everything(1);
}

TEST_CASE("every view draws every kind of scenario at text scale 2.5")
{
    draw_everything(2.5F);
}

TEST_CASE("every view says who it is: id, title, description, controls that exist")
{
    std::vector<std::string_view> ids;
    for (const ViewInfo* view : views())
    {
        INFO(view->id);
        CHECK(std::find(ids.begin(), ids.end(), view->id) == ids.end());
        ids.push_back(view->id);
        CHECK(!view->title.empty());
        CHECK(!view->description.empty());
        CHECK(!view->tab.empty());
        CHECK(find_view(view->id) == view);
    }
    CHECK(!ids.empty());
}

TEST_CASE("a smooth resize from large to very small draws every view on the way")
{
    test::Window window;
    for (const ViewInfo* view : views())
    {
        window.open(view->id);
        for (float width = 1600; width >= 320; width -= 80)
        {
            INFO(view->id << " at " << width);
            window.resize({width, width * 0.75F});
            window.frame();
            must_be_drawn(window);
        }
    }
}

TEST_CASE("changing the scenario while a view moves leaves nothing behind: every case after every other")
{
    test::Window window;
    for (const ViewInfo* view : views())
    {
        window.open(view->id);
        for (const auto& one : cases())
        {
            INFO(view->id << ", " << one->name);
            window.session().apply(Play{true});
            window.session().apply(ChangeScenario{one->session.now().scenario});
            window.frames(2, 0.08);
            must_be_drawn(window);
        }
        window.session().apply(Play{false});
    }
}
