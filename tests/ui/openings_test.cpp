// What views and pages open with: something that happens. Where the scenario has nothing to show, an example
// that says so, and the user's own scenario stays as it is.
#include "tests/source_path.h"
#include "tests/ui/words.h"

#include "app/session/set_up.h"
#include "core/training/batch.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <set>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::vector<std::string_view> places_of(const ViewInfo& view)
{
    return view.pages.empty() ? std::vector{view.id} : std::vector(view.pages.begin(), view.pages.end());
}

const Scenario& shown(const Window& w)
{
    return w.session().frame(0).now.scenario;
}

// As the program opens, with what ships beside it.
struct OpenedAt
{
    explicit OpenedAt(std::string_view place)
    {
        set_up_measured(w.session(), test::source_path("assets"), test::presets());
        w.open(place);
        w.frames(40);
    }
    Window w;
};

// Figures other than 0 that stand in the picture, the caption and the view's panel.
std::size_t figures_of(const Window& w)
{
    std::set<std::string> figures;
    for (const test::Words& words : test::words_of(w))
    {
        if (words.text.find_first_of("123456789") != std::string::npos)
        {
            figures.insert(words.text);
        }
    }
    return figures.size();
}

// What a page says that has nothing to show.
constexpr std::array<std::string_view, 7> kNothing{
    "Nothing is offloaded", "has no experts",       "saves nothing",
    "No measured runs yet", "does not multiply in", "0% of the gradients underflow in BF16",
    "the GPUs never wait"};

// What the pages that once opened on nothing have to show, each by its own criterion.
struct Happens
{
    std::string_view place;
    bool (*happens)(const Window& w);
};
const std::array kHappens{
    Happens{"offload/placement", [](const Window& w) { return shown(w).training.offload != Offload::none; }},
    Happens{"offload/step", [](const Window& w) { return shown(w).training.offload != Offload::none; }},
    Happens{"data/feed", [](const Window& w) { return says(w, "idle"); }},
    Happens{"slo/experts", [](const Window& w) { return shown(w).model.experts > 0 && says(w, "EP "); }},
    Happens{"experts/load", [](const Window& w) { return shown(w).model.experts > 0; }},
    Happens{"experts/nodes", [](const Window& w) { return says(w, "EP = "); }},
    Happens{"experts/replicas", [](const Window& w) { return shown(w).model.experts > 0; }},
    Happens{"experts/overlap", [](const Window& w) { return shown(w).model.experts > 0; }},
    Happens{"formats/scale", [](const Window& w) { return says(w, "in FP16") && says(w, "underflow"); }},
    Happens{"formats/recipes", [](const Window& w) { return says(w, "as fast at"); }},
    Happens{"roofline/machines", [](const Window& w) { return says(w, "H100 SXM 80 GB"); }},
    Happens{"measured", [](const Window& w) { return w.session().frame(0).measured != nullptr; }},
    Happens{"batch", [](const Window& w)
            { return batch_tokens(shown(w)) == 16 * 1024 * 1024 && run_steps(shown(w)) < 1'000'000; }},
    Happens{"recompute", [](const Window& w) { return says(w, "Full recomputation leaves"); }},
};

} // namespace

TEST_CASE("every view and page about the scenario opens on something that happens")
{
    for (const ViewInfo* view : views())
    {
        if (!view->make()->about_scenario())
        {
            continue;
        }
        for (const std::string_view place : places_of(*view))
        {
            INFO(place);
            const OpenedAt opened(place);
            CHECK(opened.w.drawn().fault == "");
            CHECK(figures_of(opened.w) >= 5);
            for (const std::string_view nothing : kNothing)
            {
                INFO(nothing);
                CHECK_FALSE(says(opened.w, nothing));
            }
        }
    }
}

TEST_CASE("pages that once opened on nothing show what they are about")
{
    for (const Happens& page : kHappens)
    {
        INFO(page.place);
        const OpenedAt opened(page.place);
        CHECK(page.happens(opened.w));
        CHECK(opened.w.session().scenario() == default_scenario(test::presets()));
    }
}

TEST_CASE("an example is said beside the title, and one key goes to the own scenario and back")
{
    OpenedAt opened("slo/experts");
    Window& w = opened.w;
    const Scenario own = default_scenario(test::presets());
    CHECK(says(w, "shown: DeepSeek-V3; your scenario:"));
    CHECK(w.session().frame(0).shows_example);
    CHECK(shown(w).cluster.gpus == 2048);
    CHECK(says(w, "4 engines of 32 GPUs")); // the strip is about what is shown
    CHECK(w.session().scenario() == own);
    CHECK_FALSE(w.session().frame(0).can_undo);
    w.key(ImGuiKey_Z);
    w.settle(2000);
    CHECK(says(w, "This model has no experts"));
    CHECK(says(w, "example DeepSeek-V3:"));
    CHECK(says(w, "4 engines of 8 GPUs"));
    w.open("memory");
    w.open("slo/experts"); // stays as the user left it
    w.settle(2000);
    CHECK_FALSE(w.session().frame(0).shows_example);
    w.click("example");
    w.settle(2000);
    CHECK(says(w, "shown: DeepSeek-V3; your scenario:"));
    CHECK(w.session().scenario() == own);
}

TEST_CASE("an edit in the panel changes the own scenario and leaves the example")
{
    OpenedAt opened("experts/load");
    Window& w = opened.w;
    CHECK(w.session().frame(0).shows_example);
    Scenario next = default_scenario(test::presets());
    next.parallel.tensor = 4;
    w.session().apply(ChangeScenario{next});
    w.settle(2000);
    CHECK_FALSE(w.session().frame(0).shows_example);
    CHECK(w.session().scenario() == next);
    CHECK(shown(w) == next);
    w.session().apply(Command::undo);
    w.settle(2000);
    CHECK(w.session().scenario() == default_scenario(test::presets()));
    w.session().apply(LoadScenario{"mixtral-8x7b-64"});
    w.settle(2000);
    CHECK(w.session().frame(0).example.empty()); // it has experts of its own
}

TEST_CASE("what a view's keys and rows change starts from the own scenario, not from the example")
{
    OpenedAt opened("recompute");
    Window& w = opened.w;
    CHECK(shown(w).training.recompute == Recompute::full);
    w.key(ImGuiKey_F);
    w.settle(2000);
    Scenario wanted = default_scenario(test::presets());
    wanted.training.flash_attention = !wanted.training.flash_attention;
    CHECK(w.session().scenario() == wanted);
}

TEST_CASE("the row that is the own scenario's leaves the example")
{
    OpenedAt placement("offload/placement");
    placement.w.key(ImGuiKey_0); // nothing, as the user's scenario has it
    placement.w.settle(2000);
    CHECK_FALSE(placement.w.session().frame(0).shows_example);
    CHECK(placement.w.session().scenario() == default_scenario(test::presets()));
}

TEST_CASE("no example stands beside a comparison, a fault or a question, and a link leads to the same page")
{
    OpenedAt opened("experts/nodes");
    Window& w = opened.w;
    const PlaceLink link = w.session().link();
    CHECK(link.view == "experts/nodes");
    CHECK(link.scenario == default_scenario(test::presets()));
    w.session().apply(Command::compare);
    w.settle(2000);
    CHECK_FALSE(w.session().frame(0).shows_example);
    w.session().apply(Command::compare);
    w.settle(2000);
    CHECK(w.session().frame(0).shows_example);
    Scenario faulty = default_scenario(test::presets());
    faulty.parallel.tensor = 3;
    w.session().apply(ChangeScenario{faulty});
    w.frames(3);
    CHECK_FALSE(w.session().frame(0).shows_example);
    CHECK(!w.valid());
}

TEST_CASE("a link to an example's page shows the example again")
{
    const std::string link = [] { return OpenedAt("experts/nodes").w.session().link_text(); }();
    Window again;
    again.open("memory");
    again.session().open_link(link);
    again.settle(2000);
    CHECK(again.session().frame(0).shows_example);
}

TEST_CASE("offload opens playing and comes to rest where something moves")
{
    Window w;
    w.open("offload");
    CHECK(w.playback().playing);
    w.settle(1500);
    CHECK_FALSE(w.playback().playing);
    CHECK(w.playback().t == w.motion().rest);
}

TEST_CASE("offload stops playing where it is touched, and does not begin under reduced motion")
{
    {
        Window touched;
        touched.open("offload");
        touched.session().apply(Seek{0.1 * touched.motion().duration});
        CHECK_FALSE(touched.playback().playing);
    }
    Preferences still;
    still.reduced_motion = true;
    Window calm({1280, 800}, still);
    calm.open("offload");
    CHECK_FALSE(calm.playback().playing);
}

TEST_CASE("words of an example stay whole at every size")
{
    Window w;
    w.open("experts/load");
    w.settle(2000);
    test::check_words_at_every_size(w, "example");
}

TEST_CASE("a page's title is the page's, and a page has one subject")
{
    const auto shows = [](std::string_view place, std::string_view words)
    {
        INFO(place << ": " << words);
        const OpenedAt opened(place);
        return says(opened.w, words);
    };
    CHECK(shows("roofline/blocks", "Occupancy of an SM"));
    CHECK(shows("message/fabric", "Fabric"));
    CHECK(shows("optimizer/clip", "Gradient clipping"));
    CHECK(shows("compression/gradient", "not sent"));
    CHECK_FALSE(shows("compression/gradient", "final loss"));
    CHECK(shows("compression/compressors", "final loss"));
    CHECK_FALSE(shows("checkpoint/contents", "Loaded: TP"));
    CHECK(shows("checkpoint/shards", "Loaded: TP"));
    CHECK_FALSE(shows("serving/batch", "Continuous batching"));
    CHECK(shows("serving/slots", "Continuous batching"));
}

TEST_CASE("what a view computes is beside what it is held against")
{
    constexpr std::array kBeside{std::pair{"budget", "this run"}, std::pair{"budget", "DeepSeek-V3"},
                                 std::pair{"stragglers", "the slowest glows"},
                                 std::pair{"tensor", "rank 0, row 1, column 1: "},
                                 std::pair{"optimizer/clip", "steps clipped"}};
    for (const auto& [place, words] : kBeside)
    {
        INFO(place << ": " << words);
        const OpenedAt opened(place);
        CHECK(says(opened.w, words));
    }
}
