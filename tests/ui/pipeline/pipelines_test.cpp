// The pipelines view in a user's hands: schedules side by side, orders of one's own, the cut of the layers,
// the moment on show, what is saved.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/model/stages.h"
#include "core/pipeline/notation.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <numeric>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::size_t count_of(std::string_view text, std::string_view words)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1))
    {
        ++count;
    }
    return count;
}

// Rows that run say their bubble.
std::size_t rows(const Window& w)
{
    return count_of(test::text_of(w), "bubble of total");
}

Scenario batch_of(std::int64_t global_batch)
{
    Scenario s = default_scenario(test::presets());
    s.training.global_batch = global_batch;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

std::unique_ptr<Window> opened(const Scenario& s = default_scenario(test::presets()),
                               ImVec2 size = {1280, 800})
{
    auto w = std::make_unique<Window>(size);
    w->session().apply(ChangeScenario{s});
    w->open("pipelines");
    w->settle();
    return w;
}

void add(Window& w, std::string_view schedule)
{
    w.key(ImGuiKey_N);
    w.frames(2);
    w.click(schedule);
    w.settle();
}

void paste_order(Window& w, std::string_view order)
{
    w.key(ImGuiKey_P);
    w.frames(3);
    w.key(ImGuiKey_A, ImGuiMod_Ctrl);
    w.type(order);
    w.frames(2);
}

// Where a moment is, taken from the strip above the lanes, whose ends are those of the time axis.
ImVec2 place(const Window& w, std::string_view stage, double t, double all)
{
    const float from = w.find("###embedding weight").rect.centre();
    const float to = w.find("###head weight").rect.centre();
    const auto words = test::words_of(w);
    const test::Words* name = test::seek_words(words, stage);
    REQUIRE(name != nullptr);
    return {from + (to - from) * static_cast<float>(t / all), name->rect.middle()};
}

void drag_by(Window& w, std::string_view label, float by)
{
    const Rect r = w.find(label).rect;
    w.move_to({r.centre(), r.middle()});
    w.frame();
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    w.frame();
    for (int step = 1; step <= 10; ++step)
    {
        w.move_to({r.centre() + by * static_cast<float>(step) / 10, r.middle()});
        w.frame();
    }
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    w.frames(2);
}

std::size_t corners_of_colour(Rect r, ImU32 colour)
{
    std::size_t count = 0;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
    {
        for (const ImDrawVert& v : data->CmdLists[i]->VtxBuffer)
        {
            count += v.col == colour && r.contains(v.pos) ? 1U : 0U;
        }
    }
    return count;
}

} // namespace

TEST_CASE("N and the button add schedules up to four, and then both are gone")
{
    const auto w = opened();
    REQUIRE(rows(*w) == 2);
    w->click("Add###add");
    w->frames(2);
    REQUIRE(w->seek("add gpipe") != nullptr);
    w->click("add gpipe");
    w->settle();
    CHECK(rows(*w) == 3);
    add(*w, "add zb-v");
    CHECK(rows(*w) == 4);
    CHECK(says(*w, "4 ZB-V"));
    CHECK(w->seek("Add###add") == nullptr);
    w->key(ImGuiKey_N);
    w->frames(3);
    CHECK(w->seek("add gpipe") == nullptr);
    CHECK(rows(*w) == 4);
}

TEST_CASE("a schedule that stands there already is not added a second time")
{
    const auto w = opened();
    add(*w, "add zb-h1"); // beside 1F1B from the beginning
    CHECK(rows(*w) == 2);
    add(*w, "add 1f1b"); // the scenario's own
    CHECK(rows(*w) == 2);
    add(*w, "add gpipe");
    add(*w, "add zb-v");
    CHECK(rows(*w) == 4); // and none of them has taken a place
}

TEST_CASE("there is room for a fourth schedule after training with one of the three")
{
    const auto w = opened();
    add(*w, "add gpipe");
    add(*w, "add zb-v");
    REQUIRE(rows(*w) == 4);
    w->click("use GPipe");
    w->settle();
    REQUIRE(w->session().scenario().training.schedule == schedule("gpipe"));
    const std::size_t now = rows(*w);
    CHECK((now == 4 || w->seek("Add###add") != nullptr));
}

TEST_CASE("Delete takes the last schedule away, a cross its own, and the scenario's stays")
{
    const auto w = opened();
    add(*w, "add gpipe");
    w->click("remove ZB-H1");
    w->settle();
    CHECK(rows(*w) == 2);
    CHECK(w->seek("use ZB-H1") == nullptr);
    CHECK(w->seek("use GPipe") != nullptr);
    for (int i = 0; i < 3; ++i)
    {
        w->key(ImGuiKey_Delete);
        w->settle();
        CHECK(rows(*w) == 1);
    }
    CHECK(w->seek("remove 1F1B") == nullptr);
}

TEST_CASE("Delete and undo while the mouse rests on a lane leave nothing of it behind")
{
    const auto w = opened(batch_of(512));
    add(*w, "add gpipe");
    add(*w, "add zb-v");
    const auto words = test::words_of(*w);
    const auto last = std::find_if(words.rbegin(), words.rend(),
                                   [](const test::Words& one)
                                   { return one.text.starts_with("stage ") && one.text.size() == 7; });
    REQUIRE(last != words.rend());
    w->move_to({600, last->rect.middle()});
    w->frames(3);
    REQUIRE(says(*w, "path of micro-batch"));
    w->key(ImGuiKey_Delete);
    w->frames(3);
    CHECK(w->drawn().fault == "");
    // Fewer events under the mouse than a moment ago.
    w->move_to({900, place(*w, "stage 0", 0, 1).y});
    w->frames(3);
    REQUIRE(says(*w, "path of micro-batch"));
    w->session().apply(ChangeScenario{batch_of(8)});
    w->frames(3);
    CHECK(w->drawn().fault == "");
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w->frames(3);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("training with a schedule of the comparison changes the scenario, and Ctrl+Z takes it back")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    w->click("use ZB-H1");
    CHECK(w->session().scenario().training.schedule == schedule("zb-h1"));
    CHECK(w->valid());
    w->settle();
    CHECK(w->seek("use 1F1B") != nullptr); // now the other way round
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("a schedule that does not suit the shape says why in the place of its lanes")
{
    const auto w = opened(batch_of(32));
    add(*w, "add dualpipe");
    CHECK(rows(*w) == 2);
    CHECK(says(*w, "4 micro-batches over a pipeline of 4"));
    CHECK(says(*w, "use 8"));
    CHECK(w->seek("use DualPipe") == nullptr);
    CHECK(w->seek("remove DualPipe") != nullptr);
    w->move_to({600, 400});
    w->frames(5);
    w->key(ImGuiKey_Period);
    w->settle();
    CHECK(w->drawn().fault == "");
    // It runs as soon as it suits.
    w->session().apply(ChangeScenario{batch_of(64)});
    w->settle();
    CHECK(rows(*w) == 3);
    CHECK(w->seek("use DualPipe") != nullptr);
}

TEST_CASE("with one stage N asks for nothing, then or later")
{
    Scenario one = default_scenario(test::presets());
    one.parallel.pipeline = 1;
    REQUIRE(!has_errors(validate(one)));
    const auto w = opened(one);
    CHECK(says(*w, "One stage: no pipeline, no bubble."));
    w->key(ImGuiKey_N);
    w->key(ImGuiKey_P);
    w->frames(3);
    w->session().apply(ChangeScenario{default_scenario(test::presets())});
    w->settle();
    CHECK(w->seek("add gpipe") == nullptr);
    CHECK(w->seek("###own order") == nullptr);
}

TEST_CASE("a faulty order is told with line and word, a good one is simulated by Ctrl+Enter")
{
    const auto w = opened();
    paste_order(*w, "0F0 0F1 0B0 0B1\n1F0 1X0 1F1 1B1\n");
    CHECK(says(*w, "line 2"));
    CHECK(says(*w, "1X0"));
    CHECK(w->seek("simulate own") == nullptr);
    w->key(ImGuiKey_Enter, ImGuiMod_Ctrl);
    w->frames(2);
    REQUIRE(w->seek("###own order") != nullptr); // nothing was accepted
    w->key(ImGuiKey_A, ImGuiMod_Ctrl);
    w->type("0F0 0F1 0B0 0B1\n1F0 1B0 1F1 1B1\n");
    w->frames(2);
    CHECK(says(*w, "2 ranks, 2 virtual stages, 2 micro-batches"));
    w->key(ImGuiKey_Enter, ImGuiMod_Ctrl);
    w->frames(2);
    w->settle();
    CHECK(w->seek("###own order") == nullptr);
    CHECK(says(*w, "Own order"));
    CHECK(rows(*w) == 3);
    CHECK(w->seek("remove Own order") != nullptr);
    CHECK(w->seek("use Own order") == nullptr); // nothing trains with it
}

TEST_CASE("operations that wait for each other are told before anything is simulated")
{
    const auto w = opened();
    paste_order(*w, "0B0 0F0\n1F0 1B0\n");
    CHECK(w->seek("simulate own") == nullptr);
    CHECK(!says(*w, "every operation has its input"));
    w->key(ImGuiKey_Escape);
    w->frames(2);
    w->key(ImGuiKey_Escape);
    w->frames(2);
    CHECK(w->seek("###own order") == nullptr);
    CHECK(rows(*w) == 2);
}

TEST_CASE("an order that leaves out a backward is not simulated, and what is missing is named")
{
    const auto w = opened();
    paste_order(*w, "0F0 0F1\n1F0 1F1 1B0\n");
    CHECK(w->seek("simulate own") == nullptr);
    CHECK(says(*w, "0B0 is missing"));
    CHECK(!says(*w, "every operation has its input"));
}

TEST_CASE("an order of one's own may have fewer or more ranks than the scenario")
{
    for (const std::int64_t stages : {2, 6})
    {
        INFO(stages);
        const auto w = opened();
        const auto made = schedule("gpipe");
        const ScheduleShape shape{stages, 3, 1};
        const Order order =
            made->make(shape, Costs{std::vector<StageCost>(static_cast<std::size_t>(stages)), 0, false, 1});
        paste_order(*w, write_order(order));
        w->key(ImGuiKey_Enter, ImGuiMod_Ctrl);
        w->frames(2);
        w->settle();
        REQUIRE(says(*w, "Own order"));
        CHECK(rows(*w) == 3);
        CHECK(count_of(test::text_of(*w), fmt::format("stage {}", stages - 1)) >= 1);
        // Another amount of work: no step that could be shorter or longer.
        CHECK(!says(*w, "to Own order"));
        CHECK(!says(*w, "saved"));
        const auto words = test::words_of(*w);
        const auto last = std::find_if(words.rbegin(), words.rend(),
                                       [&](const test::Words& one)
                                       { return one.text == fmt::format("stage {}", stages - 1); });
        w->press_at({200, last->rect.middle()}); // its stash, where the scenario has such a stage
        w->settle();
        CHECK(w->drawn().fault == "");
        CHECK(w->valid());
    }
}

TEST_CASE("O goes round four ways to count the bubble, and every heading says which")
{
    const auto w = opened();
    for (const char* words : {"bubble of total", "bubble over ideal", "bubble of the longest stage span",
                              "bubble over ideal, by stage span", "bubble of total"})
    {
        INFO(words);
        CHECK(count_of(test::text_of(*w), words) == 2);
        w->key(ImGuiKey_O);
        w->settle();
    }
    // 3 of 19: (p - 1) / (m + p - 1); 3 of 16 over ideal.
    for (int i = 0; i < 3; ++i)
    {
        w->key(ImGuiKey_O);
    }
    w->settle();
    CHECK(says(*w, "57.0 units, 15.8% bubble of total"));
    w->key(ImGuiKey_O);
    w->settle();
    CHECK(says(*w, "57.0 units, 18.8% bubble over ideal"));
}

TEST_CASE("L and its button take the times from the model, as one step of undo")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    REQUIRE(before.stage_times != times_of_model(before));
    w->key(ImGuiKey_L);
    CHECK(w->session().scenario().stage_times == times_of_model(before));
    CHECK(w->session().scenario().stage_times.head > 0);
    CHECK(w->valid());
    w->settle();
    CHECK(says(*w, "this model's FLOPs"));
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
    w->settle();
    w->click("Profile of this model");
    CHECK(w->session().scenario().stage_times == times_of_model(before));
}

TEST_CASE("dragging a cut moves layers to the neighbour, changes the memory, and is one step of undo")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    const double memory = w->memory();
    CHECK(says(*w, "1F1B 4, 22.5 GB"));
    const float layer = (w->find("###head weight").rect.x - w->find("###embedding weight").rect.x) / 80;
    drag_by(*w, "###cut 1", 5 * layer);
    const auto layers = w->session().scenario().parallel.stage_layers;
    CHECK(layers == std::vector<std::int64_t>{25, 15, 20, 20});
    CHECK(std::accumulate(layers.begin(), layers.end(), std::int64_t{0}) == before.model.layers);
    CHECK(w->valid());
    CHECK(w->memory() > memory);
    w->settle();
    CHECK(says(*w, "1F1B 4, 28.1 GB")); // a quarter more than with 20 layers
    CHECK(says(*w, "25 = 1.25"));
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("a stage dragged empty, and a cut dragged past its neighbours, leave a scenario that is computed "
          "or named")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    drag_by(*w, "###cut 2", 2000);
    CHECK(w->drawn().fault == "");
    const auto layers = w->session().scenario().parallel.stage_layers;
    CHECK(std::accumulate(layers.begin(), layers.end(), std::int64_t{0}) == before.model.layers);
    CHECK(std::all_of(layers.begin(), layers.end(), [](std::int64_t n) { return n >= 0; }));
    // Whatever it is, what is on show is what the strip says: the last good one, or this one.
    CHECK((w->valid() ? w->session().now().scenario == w->session().scenario()
                      : !w->session().issues().empty()));
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("an even cut reached by hand is the even cut again")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    const float layer = (w->find("###head weight").rect.x - w->find("###embedding weight").rect.x) / 80;
    drag_by(*w, "###cut 1", 5 * layer);
    w->settle();
    drag_by(*w, "###cut 1", -5 * layer);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("arrow keys on a cut move one layer each and keep the cut focused")
{
    const auto w = opened();
    int presses = 0;
    while (w->focused() != "###cut 2" && presses++ < 100)
    {
        w->key(ImGuiKey_Tab);
    }
    REQUIRE(w->focused() == "###cut 2");
    w->key(ImGuiKey_RightArrow);
    CHECK(w->session().scenario().parallel.stage_layers == std::vector<std::int64_t>{20, 21, 19, 20});
    CHECK(w->focused() == "###cut 2");
    w->key(ImGuiKey_RightArrow);
    CHECK(w->session().scenario().parallel.stage_layers == std::vector<std::int64_t>{20, 22, 18, 20});
    w->key(ImGuiKey_LeftArrow);
    w->key(ImGuiKey_LeftArrow);
    CHECK(w->session().scenario().parallel.stage_layers.empty());
}

TEST_CASE("dragging the head's handle inward gives the head weight, and the last stage sets the pace")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    REQUIRE(before.stage_times.head == 0);
    const float layer = (w->find("###head weight").rect.x - w->find("###embedding weight").rect.x) / 80;
    drag_by(*w, "###head weight", -8 * layer);
    const double head = w->session().scenario().stage_times.head;
    CHECK(head > 4);
    CHECK(head < 12);
    w->settle();
    CHECK(says(*w, "Stage 3 takes"));
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("full stop and comma go from event to event, and the caption says who runs and who waits for what")
{
    const auto w = opened();
    w->key(ImGuiKey_Home);
    w->key(ImGuiKey_Period);
    CHECK(w->playback().t == 1);
    CHECK(says(*w, "t = 1.00 under 1F1B: stage 0 runs F1; stage 1 runs F0; stage 2 waits for F0 of stage 1; "
                   "stage 3 waits for F0 of stage 2."));
    CHECK(says(*w, "stored now"));
    for (int i = 0; i < 3; ++i)
    {
        w->key(ImGuiKey_Period);
    }
    CHECK(w->playback().t == 4);
    CHECK(says(*w, "stage 0 waits for B0 of stage 1"));
    CHECK(says(*w, "stage 3 runs B0"));
    for (int i = 0; i < 3; ++i)
    {
        w->key(ImGuiKey_Comma);
    }
    CHECK(w->playback().t == 1);
    CHECK(says(*w, "stage 1 runs F0"));
    w->key(ImGuiKey_Home);
    CHECK(says(*w, "From 1F1B to ZB-H1"));
}

TEST_CASE("pointing at an operation lights its micro-batch in every row and says why it waited")
{
    const auto w = opened();
    const auto words = test::words_of(*w);
    std::vector<Rect> lanes; // the first stage's of both rows
    for (const test::Words& one : words)
    {
        if (one.text == "stage 0")
        {
            lanes.push_back({184, one.rect.y, 1000, 200});
        }
    }
    REQUIRE(lanes.size() == 2);
    lanes[0].h = lanes[1].y - lanes[0].y - 40;
    lanes[1].h = 160;
    const ImU32 ink = w->drawing.shell().motion(w->session().frame(0)).duration > 0 ? dark_theme().text : 0;
    const auto before = std::array{corners_of_colour(lanes[0], ink), corners_of_colour(lanes[1], ink)};
    w->move_to(place(*w, "stage 3", 3.5, 57));
    w->frames(3);
    CHECK(says(*w, "Forward 0 on stage 3"));
    CHECK(says(*w, "waited 3.00 for forward 0 on stage 2, done at 3.00"));
    CHECK(says(*w, "path of micro-batch 0"));
    CHECK(corners_of_colour(lanes[0], ink) > before[0] + 16);
    CHECK(corners_of_colour(lanes[1], ink) > before[1] + 16);
    w->move_to(place(*w, "stage 3", 4.5, 57));
    w->frames(3);
    CHECK(says(*w, "started as soon as its stage was free"));
    w->move_to({-100, -100});
    w->settle();
    CHECK(!says(*w, "path of micro-batch"));
}

TEST_CASE("the wheel keeps what is under the cursor, F shows the whole step")
{
    const auto w = opened();
    const std::string whole = test::text_of(*w);
    const ImVec2 at = place(*w, "stage 3", 5, 57); // in the backward of micro-batch 0
    w->move_to(at);
    w->frames(3);
    REQUIRE(says(*w, "Backward 0 on stage 3"));
    for (int i = 0; i < 12; ++i)
    {
        w->wheel(at, 1);
        CHECK(says(*w, "Backward 0 on stage 3"));
    }
    w->move_to({-100, -100});
    w->settle();
    CHECK(test::text_of(*w) != whole);
    w->key(ImGuiKey_F);
    w->settle();
    CHECK(test::text_of(*w) == whole);
}

TEST_CASE("a million operations are drawn, zoomed to single ones, and fit again")
{
    Scenario s = default_scenario(test::presets());
    s.training.global_batch = 8 * 131072;
    REQUIRE(!has_errors(validate(s)));
    const auto w = opened(s);
    REQUIRE(w->session().now().report->pipeline->timeline.events.size() >= 1'000'000);
    const std::string whole = test::text_of(*w);
    CHECK(w->drawn().vertices < 500'000);
    const ImVec2 at{600, place(*w, "stage 1", 0, 1).y};
    for (int i = 0; i < 12; ++i)
    {
        w->wheel(at, 8);
        CHECK(w->drawn().fault == "");
        CHECK(w->drawn().vertices < 500'000);
    }
    CHECK(says(*w, "on stage 1"));
    w->move_to({-100, -100});
    w->settle();
    CHECK(test::text_of(*w) != whole);
    w->key(ImGuiKey_F);
    w->settle();
    CHECK(test::text_of(*w) == whole);
}
