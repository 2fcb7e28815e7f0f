// The frontier view in a user's hands: the search while it runs, the best and how it is taken, the limit.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/planner/schedule_search.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::unique_ptr<Window> opened(const Scenario& s = default_scenario(test::presets()))
{
    auto w = std::make_unique<Window>();
    w->session().apply(ChangeScenario{s});
    w->open("frontier");
    w->settle(2000);
    return w;
}

ScheduleSearch searched(const Scenario& s)
{
    ScheduleSearch search(s);
    while (search.advance(1e9))
    {
    }
    return search;
}

// Written out: the shortest step that fits, and of those the least memory.
const ScheduleCandidate* best_by_hand(const ScheduleSearch& s, Bytes limit)
{
    double shortest = std::numeric_limits<double>::infinity();
    for (const ScheduleCandidate& c : s.found())
    {
        shortest = c.memory <= limit ? std::min(shortest, c.makespan) : shortest;
    }
    const ScheduleCandidate* best = nullptr;
    for (const ScheduleCandidate& c : s.found())
    {
        const bool as_short = c.memory <= limit && c.makespan <= shortest * (1 + 1e-9);
        best = as_short && (best == nullptr || c.memory < best->memory) ? &c : best;
    }
    return best;
}

Scenario unlike_any()
{
    Scenario s = default_scenario(test::presets());
    s.stage_times = PipelineTimes{{1, 1.3, 0.7, 0.1}};
    s.stage_times.head = 2;
    return s;
}

Rect limit_line(const Window& w)
{
    return w.find("###memory limit").rect;
}

// By the mouse, from where the line is to this place; held there for some frames.
void drag_limit(Window& w, float x, int frames_held = 3)
{
    const Rect r = limit_line(w);
    const float y = r.y + r.h * 0.3F;
    w.move_to({r.centre(), y});
    w.frame();
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    w.frame();
    for (int step = 1; step <= 8; ++step)
    {
        w.move_to({r.centre() + (x - r.centre()) * static_cast<float>(step) / 8, y});
        w.frame();
    }
    for (int i = 0; i < frames_held; ++i)
    {
        w.move_to({x + static_cast<float>(i % 2), y}); // no hand is quite still
        w.frame();
    }
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    w.frames(2);
    w.move_to({-100, -100});
    w.frames(2);
}

// What stands beside the line, in gigabytes.
double limit_shown(const Window& w)
{
    for (const test::Words& words : test::words_of(w))
    {
        for (const std::string_view start : {"limit ", "GPU memory "})
        {
            if (words.text.starts_with(start))
            {
                const double value = std::stod(words.text.substr(start.size()));
                return words.text.ends_with("TB")   ? value * 1000
                       : words.text.ends_with("MB") ? value / 1000
                                                    : value;
            }
        }
    }
    return 0;
}

} // namespace

TEST_CASE("the best is what trying every candidate finds, whatever the limit")
{
    for (const Scenario& s : {default_scenario(test::presets()), unlike_any()})
    {
        const ScheduleSearch search = searched(s);
        REQUIRE(search.found().size() > 20);
        CHECK(search.progress() == 1);
        for (double gb = 5; gb < 200; gb += 2.5)
        {
            INFO(gb << " GB");
            const Bytes limit(gb * 1e9);
            const ScheduleCandidate* best = best_by_hand(search, limit);
            REQUIRE((search.best(limit) == nullptr) == (best == nullptr));
            if (best != nullptr)
            {
                CHECK(search.best(limit)->makespan == Catch::Approx(best->makespan));
                CHECK(search.best(limit)->memory.value == Catch::Approx(best->memory.value));
            }
        }
    }
}

TEST_CASE("no candidate of the frontier is beaten in time and memory, and every other one is")
{
    const ScheduleSearch search = searched(unlike_any());
    for (const ScheduleCandidate& c : search.found())
    {
        bool beaten = false;
        for (const ScheduleCandidate& other : search.found())
        {
            beaten = beaten || (other.frontier && &other != &c && other.memory <= c.memory &&
                                other.makespan <= c.makespan * (1 + 1e-9));
        }
        CHECK(c.frontier != beaten);
    }
}

TEST_CASE("the search goes on over frames, says that it has not finished, and then what is best")
{
    Scenario s = default_scenario(test::presets());
    s.parallel.pipeline = 8;
    s.training.global_batch = 16 * 1024;
    REQUIRE(!has_errors(validate(s)));
    Window w;
    w.session().apply(ChangeScenario{s});
    w.session().apply(OpenView{"frontier"});
    w.frame();
    REQUIRE(w.frame());
    // Nothing is settled yet: no claim about what fits, and no best that is taken.
    CHECK(!says(w, "No schedule fits"));
    CHECK(!says(w, "is fastest"));
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario() == s);
    const int frames = w.settle(5000);
    CHECK(frames > 3);
    CHECK(says(w, "is fastest"));
    CHECK(!w.frame());
}

TEST_CASE("Enter trains with the best, which is then where the scenario stands, and Ctrl+Z takes it back")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    const ScheduleSearch search = searched(before);
    const ScheduleCandidate* best = best_by_hand(search, w->session().now().report->memory.capacity);
    REQUIRE(best != nullptr);
    CHECK(says(*w, "best: "));
    w->key(ImGuiKey_Enter);
    CHECK(w->session().scenario() == best->scenario);
    CHECK(w->valid());
    w->settle(2000);
    CHECK(says(*w, "micro-batches of")); // the notice
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("a row of the list takes what it names")
{
    const auto w = opened();
    const ScheduleSearch search = searched(w->session().scenario());
    std::size_t frontier = 0;
    for (const ScheduleCandidate& c : search.found())
    {
        if (!c.frontier)
        {
            continue;
        }
        ++frontier;
        const Scenario before = w->session().scenario();
        const std::string row = fmt::format("take {} {} {}", c.scenario.training.schedule->id,
                                            c.scenario.parallel.chunks, c.scenario.training.micro_batch);
        INFO(row);
        w->click(row);
        CHECK(w->session().scenario() == c.scenario);
        w->session().apply(ChangeScenario{before});
        w->settle(2000);
    }
    CHECK(frontier > 2);
}

TEST_CASE("pointing at a point says what it is, a click takes it")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    const auto words = test::words_of(*w);
    const test::Words* name = test::seek_words(words, "V-half");
    REQUIRE(name != nullptr);
    // Its name stands on either side of it.
    ImVec2 at{name->rect.right() + 10, name->rect.middle()};
    w->move_to(at);
    w->frames(2);
    if (!says(*w, "click to use this schedule"))
    {
        at.x = name->rect.x - 10;
        w->move_to(at);
        w->frames(2);
    }
    CHECK(says(*w, "click to use this schedule"));
    CHECK(says(*w, "chunks per stage"));
    CHECK(w->session().scenario() == before);
    w->press_at(at);
    CHECK(w->session().scenario().training.schedule == schedule("v-half"));
    CHECK(w->valid());
}

TEST_CASE("dragging the limit to less memory changes the best, G makes it the GPU's again")
{
    const auto w = opened();
    const ScheduleSearch search = searched(w->session().scenario());
    const Bytes capacity = w->session().now().report->memory.capacity;
    const std::string whole = test::text_of(*w);
    CHECK(limit_shown(*w) == Catch::Approx(capacity.value / 1e9).margin(0.05)); // as it is written
    // The axis's title begins at its left end, the capacity is at the line.
    const auto words = test::words_of(*w);
    const float left = test::seek_words(words, "memory of the peak-memory GPU")->rect.x;
    const float line = limit_line(*w).centre();
    drag_limit(*w, left + (line - left) / 4);
    const double shown = limit_shown(*w);
    CHECK(shown < capacity.value / 1e9 / 2);
    const ScheduleCandidate* best = best_by_hand(search, Bytes(shown * 1e9));
    REQUIRE(best != nullptr);
    CHECK(best != best_by_hand(search, capacity));
    CHECK(says(*w, fmt::format("best: {}", best->scenario.training.schedule->name)));
    w->key(ImGuiKey_G);
    w->settle(2000);
    CHECK(test::text_of(*w) == whole);
}

TEST_CASE("the limit held at the right edge stays where the mouse is")
{
    const auto w = opened();
    drag_limit(*w, 955, 60);
    CHECK(limit_shown(*w) < 200);
    w->key(ImGuiKey_G);
    w->settle(2000);
    drag_limit(*w, 3000, 60);
    CHECK(limit_shown(*w) < 200);
    drag_limit(*w, -3000, 60);
    CHECK(limit_shown(*w) > 0);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("arrow keys move the limit once it is focused")
{
    const auto w = opened();
    int presses = 0;
    while (w->focused() != "###memory limit" && presses++ < 100)
    {
        w->key(ImGuiKey_Tab);
    }
    REQUIRE(w->focused() == "###memory limit");
    const double before = limit_shown(*w);
    w->key(ImGuiKey_LeftArrow);
    CHECK(limit_shown(*w) < before);
    CHECK(w->focused() == "###memory limit");
    w->key(ImGuiKey_RightArrow);
    CHECK(limit_shown(*w) == Catch::Approx(before).epsilon(0.01));
}

TEST_CASE("where nothing fits the sentence says so, and Enter does nothing")
{
    const auto w = opened();
    drag_limit(*w, limit_line(*w).centre() - 700);
    CHECK(says(*w, "No schedule fits in"));
    CHECK(!says(*w, "best: "));
    const Scenario before = w->session().scenario();
    w->key(ImGuiKey_Enter);
    CHECK(w->session().scenario() == before);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("a frontier of petabytes ends at the edge of the field")
{
    Scenario s = test::scenario(R"({"model": "qwen3-32b", "cluster": {"gpu": "h20-sxm-96gb", "gpus": 512},
        "parallel": {"pipeline": 2, "chunks": 2, "context": 8, "zero": 3},
        "training": {"sequence_length": 32768, "micro_batch": 2, "global_batch": 131072, "recompute": "none",
                     "flash_attention": false, "schedule": "v-min"}})");
    REQUIRE_FALSE(has_errors(validate(s)));
    const auto w = opened(s);
    CHECK(says(*w, "No schedule fits in"));
    CHECK(w->drawn().fault == "");
}

TEST_CASE("with one stage there is nothing to choose, and nothing is taken")
{
    Scenario one = default_scenario(test::presets());
    one.parallel.pipeline = 1;
    REQUIRE(!has_errors(validate(one)));
    const auto w = opened(one);
    CHECK(says(*w, "One stage: no pipeline, no bubble."));
    CHECK(says(*w, "With one stage there is no schedule to choose."));
    CHECK(w->seek("###memory limit") == nullptr);
    w->key(ImGuiKey_Enter);
    CHECK(w->session().scenario() == one);
}

TEST_CASE("a schedule that is trained with by an exact number of chunks stands where it is now")
{
    const auto w = opened();
    CHECK(says(*w, "now"));
    w->key(ImGuiKey_Enter);
    w->settle(2000);
    CHECK(says(*w, "as fast as now"));
}
