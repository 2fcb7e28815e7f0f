// The planner in a user's hands: the search while it runs, rows and points that load, keys, switches, and
// what is on show where nothing fits.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/planner/changes.h"
#include "core/planner/difference.h"
#include "core/planner/search/layout_work.h"
#include "core/planner/search/told_apart.h"
#include "core/scenario/choices.h"
#include "core/scenario/validate.h"
#include "ui/shell/frame/layouts_frame.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

Scenario nothing_fits()
{
    return test::scenario(R"({"model": "llama-3.1-405b", "cluster": {"gpus": 8},
                              "parallel": {"tensor": 8}, "training": {"global_batch": 64}})");
}

std::unique_ptr<Window> opened(const Scenario& s = default_scenario(test::presets()),
                               ImVec2 size = {1280, 800})
{
    auto w = std::make_unique<Window>(size);
    w->session().apply(ChangeScenario{s});
    w->open("planner");
    w->settle(2000);
    return w;
}

LayoutAnswer answer(const Window& w)
{
    const auto found = w.session().works().latest<LayoutWork>();
    REQUIRE(found);
    return *found;
}

// The scenario laid out like this.
Scenario laid_out(Scenario s, const Layout& layout)
{
    apply(layout, s);
    return s;
}

// What the table lists.
std::vector<Candidate> listed_rows(const Window& w)
{
    return one_per_family(answer(w).result.cuts);
}

// What a planner begins with: what the scenario's own software runs.
SearchLimits own_limits(const Window& w)
{
    SearchLimits limits;
    limits.framework = test::presets().framework_of(w.session().scenario());
    return limits;
}

// Ranks on show, from the top.
std::vector<int> ranks(const Window& w)
{
    std::vector<std::pair<float, int>> rows;
    for (const test::Item& item : w.items())
    {
        const auto at = item.label.find("###layout ");
        if (at != std::string::npos)
        {
            rows.emplace_back(item.rect.y, std::stoi(item.label.substr(at + 10)));
        }
    }
    std::sort(rows.begin(), rows.end());
    std::vector<int> all;
    for (const auto& row : rows)
    {
        all.push_back(row.second);
    }
    return all;
}

void select_all_of_the_way(Window& w, int rows)
{
    for (int i = 0; i < rows; ++i)
    {
        w.key(ImGuiKey_DownArrow);
        w.frames(2);
    }
}

} // namespace

TEST_CASE("the planner searches by itself, says what it found and then rests")
{
    const auto w = opened();
    const LayoutAnswer found = answer(*w);
    CHECK(found.progress == 1.0);
    CHECK(found.answers(w->session().scenario(), own_limits(*w)));
    const Candidate& best = found.result.best.front();
    CHECK(says(*w, "Fastest that fits:"));
    CHECK(says(*w, fmt::format("TP {}", best.layout.tensor)));
    CHECK(says(*w, fmt::format("{:.2f} s per step", best.seconds)));
    for (int i = 0; i < 20; ++i)
    {
        CHECK(!w->frame());
    }
}

TEST_CASE("while the search runs frames follow each other and it never seems done")
{
    Window w;
    // So many layouts that one frame does not see them all.
    w.session().apply(ChangeScenario{test::scenario(R"({"model": "deepseek-v3", "cluster": {"gpus": 256},
        "parallel": {"expert": 64}, "training": {"global_batch": 256}})")});
    w.session().apply(OpenView{"planner"});
    bool between = false;
    for (int i = 0; i < 3; ++i)
    {
        const bool more = w.frame();
        const auto found = w.session().works().latest<LayoutWork>();
        between = between || (found.progress > 0 && found.progress < 1);
        CHECK((more || found.progress == 1.0));
    }
    CHECK(between);
    CHECK(w.settle(2000) > 0);
    CHECK(answer(w).progress == 1.0);
}

TEST_CASE("a click on a row loads its layout and leaves everything else, and the answer stays")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    const Candidate second = listed_rows(*w)[1];
    w->click("###layout 2");
    w->settle(2000);
    CHECK(w->session().scenario() == laid_out(before, second.layout));
    CHECK(w->valid());
    CHECK(says(*w, "Loaded: "));
    CHECK(answer(*w).progress == 1.0);
    CHECK(w->session().now().report->memory.fits());
    w->key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("every row of the table loads a scenario that is valid and fits, as its estimate has it")
{
    const auto w = opened(default_scenario(test::presets()), {1280, 1400});
    const Scenario before = w->session().scenario();
    const auto shown = ranks(*w);
    REQUIRE(shown.size() > 8);
    for (const int rank : shown)
    {
        INFO("rank " << rank);
        const Candidate c = listed_rows(*w).at(static_cast<std::size_t>(rank - 1));
        w->click(fmt::format("###layout {}", rank));
        REQUIRE(w->valid());
        CHECK(w->memory() == Catch::Approx(c.bytes));
        CHECK(w->session().now().report->step.total() == Catch::Approx(c.seconds).epsilon(0.06));
        w->session().apply(ChangeScenario{before});
        w->settle(2000);
    }
}

TEST_CASE("down and L load the second row, Enter too; up goes back")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    const std::vector<Candidate> cuts = listed_rows(*w);
    w->key(ImGuiKey_DownArrow);
    w->key(ImGuiKey_L);
    w->settle(2000);
    CHECK(w->session().scenario() == laid_out(before, cuts[1].layout));
    w->key(ImGuiKey_UpArrow);
    w->key(ImGuiKey_Enter);
    w->settle(2000);
    CHECK(w->session().scenario() == laid_out(before, cuts[0].layout));
}

TEST_CASE("the chosen row stays in sight, and the wheel shows others")
{
    const auto w = opened();
    const auto first = ranks(*w);
    REQUIRE(first.front() == 1);
    select_all_of_the_way(*w, first.back() + 2);
    CHECK(ranks(*w).back() == first.back() + 3);
    CHECK(ranks(*w).size() == first.size());
    const Rect row = w->find("###layout 5").rect;
    w->wheel({row.centre(), row.middle()}, 100);
    CHECK(ranks(*w) == first);
    w->wheel({row.centre(), row.middle()}, -1000);
    CHECK(ranks(*w).back() == static_cast<int>(listed_rows(*w).size()));
}

TEST_CASE("a heading sorts, again the other way round")
{
    const auto w = opened();
    std::vector<Candidate> cuts = listed_rows(*w);
    w->click("###sort memory");
    w->frames(2);
    const auto smallest = std::min_element(
        cuts.begin(), cuts.end(), [](const Candidate& a, const Candidate& b) { return a.bytes < b.bytes; });
    CHECK(ranks(*w).front() == static_cast<int>(smallest - cuts.begin()) + 1);
    w->click("###sort memory");
    w->frames(2);
    const auto largest = std::max_element(
        cuts.begin(), cuts.end(), [](const Candidate& a, const Candidate& b) { return a.bytes < b.bytes; });
    CHECK(ranks(*w).front() == static_cast<int>(largest - cuts.begin()) + 1);
    w->click("###sort mfu"); // the best first
    w->frames(2);
    const auto busiest = std::max_element(
        cuts.begin(), cuts.end(), [](const Candidate& a, const Candidate& b) { return a.mfu < b.mfu; });
    CHECK(ranks(*w).front() == static_cast<int>(busiest - cuts.begin()) + 1);
}

TEST_CASE("1, 2 and 3 rank by time, memory and cost")
{
    const auto w = opened();
    for (const auto& [key, objective, words] :
         {std::tuple{ImGuiKey_2, Objective::memory, "Smallest that fits:"},
          std::tuple{ImGuiKey_3, Objective::cost, "Cheapest that fits:"},
          std::tuple{ImGuiKey_1, Objective::step_time, "Fastest that fits:"}})
    {
        w->key(key);
        w->settle(5000);
        CHECK(answer(*w).limits.objective == objective);
        CHECK(answer(*w).progress == 1.0);
        CHECK(says(*w, words));
        CHECK(ranks(*w).front() == 1);
    }
    w->click("memory");
    w->settle(2000);
    CHECK(answer(*w).limits.objective == Objective::memory);
}

TEST_CASE("ranked by cost, a layout on fewer GPUs says so when it is loaded")
{
    const auto w = opened(test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 64},
                                             "training": {"global_batch": 128}})"));
    w->key(ImGuiKey_3);
    w->settle(5000);
    const Candidate best = answer(*w).result.cuts.front();
    REQUIRE(best.layout.gpus < 64);
    w->key(ImGuiKey_L);
    CHECK(w->session().scenario().cluster.gpus == best.layout.gpus);
    CHECK(w->session().frame(0).notice.text.ends_with(
        fmt::format("on {} GPUs instead of 64", best.layout.gpus)));
    w->settle(5000);
    CHECK(w->valid());
}

TEST_CASE("each switch changes what may be used, and the answer with it")
{
    struct Flip
    {
        const char* label;
        bool SearchLimits::*field;
    };
    const auto w = opened();
    CHECK(w->seek("ZeRO-2 and 3 with PP") == nullptr); // a framework has its own rule
    w->click("###runs on");
    w->frames(3);
    w->click("any framework");
    w->settle(5000);
    SearchLimits limits;
    for (const Flip& flip :
         {Flip{"Full recomputation", &SearchLimits::full_recompute}, Flip{"ZeRO-3", &SearchLimits::zero3},
          Flip{"PP above 8", &SearchLimits::deep_pipelines},
          Flip{"TP across nodes", &SearchLimits::tensor_across_nodes},
          Flip{"ZeRO-2 and 3 with PP", &SearchLimits::zero_with_stages}})
    {
        INFO(flip.label);
        const std::int64_t before = answer(*w).result.legal;
        limits.*flip.field = !(limits.*flip.field);
        w->click(flip.label);
        w->settle(5000);
        CHECK(answer(*w).limits == limits);
        CHECK(answer(*w).progress == 1.0);
        CHECK(answer(*w).result.legal != before);
    }
}

TEST_CASE("context parallelism and micro-batch scaled alike are one row, and what it stands for lights it")
{
    const auto w = opened(default_scenario(test::presets()), {1280, 1400});
    const std::vector<Candidate> rows = listed_rows(*w);
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        for (std::size_t k = 0; k < i; ++k)
        {
            CHECK_FALSE(one_family(rows[i].layout, rows[k].layout));
        }
    }
    CHECK(rows.size() < answer(*w).result.cuts.size());
}

TEST_CASE("V lists every variation, of which several belong to one cut")
{
    const auto w = opened(default_scenario(test::presets()), {1280, 1400});
    const std::string cuts = test::text_of(*w);
    w->key(ImGuiKey_V);
    w->frames(3);
    CHECK(test::text_of(*w) != cuts);
    const Candidate best = answer(*w).result.best.front();
    w->click("###layout 1");
    CHECK(layout_of(w->session().scenario()) == best.layout);
    w->key(ImGuiKey_V);
    w->session().apply(Command::undo);
    w->settle(2000);
    CHECK(test::text_of(*w).size() > 0);
}

TEST_CASE("pointing at a point says what it is, a click loads it")
{
    const auto w = opened();
    const Rect plot = w->find("###scatter").rect;
    const Scenario before = w->session().scenario();
    bool found = false;
    for (float x = 0.1F; x < 0.5F && !found; x += 0.01F)
    {
        w->move_to({plot.x + plot.w * x, plot.y + plot.h * 0.6F});
        w->frames(3);
        found = says(*w, "click to use it everywhere");
    }
    REQUIRE(found);
    CHECK(says(*w, "micro-batch"));
    CHECK(w->session().scenario() == before);
    w->press_at(ImGui::GetIO().MousePos);
    CHECK(w->session().scenario() != before);
    CHECK(w->valid());
    CHECK(w->session().now().report->memory.fits());
}

TEST_CASE("beyond the capacity a point says by how much it is over")
{
    const auto w = opened();
    const Rect plot = w->find("###scatter").rect;
    bool found = false;
    for (float x = 0.6F; x < 0.9F && !found; x += 0.01F)
    {
        w->move_to({plot.x + plot.w * x, plot.y + plot.h * 0.6F});
        w->frames(3);
        found = says(*w, "over; click to use it");
    }
    CHECK(found);
}

TEST_CASE("an invalid scenario keeps the old answer and asks for no other")
{
    const auto w = opened();
    const std::int64_t tried = answer(*w).result.tried;
    // The layout follows the number of GPUs, but nothing follows a wrong tensor size.
    w->session().apply(ChangeScenario{ringside::with(w->session().scenario(), Knob::tensor, 3)});
    REQUIRE(!w->valid());
    w->settle(2000);
    CHECK(answer(*w).result.tried == tried);
    CHECK(says(*w, "Fastest that fits:"));
    for (int i = 0; i < 10; ++i)
    {
        CHECK(!w->frame());
    }
}

TEST_CASE("another scenario is searched anew")
{
    const auto w = opened();
    const std::int64_t tried = answer(*w).result.tried;
    w->type_value("GPUs", "64");
    w->settle(2000);
    CHECK(answer(*w).scenario.cluster.gpus == 64);
    CHECK(answer(*w).result.tried != tried);
    CHECK(answer(*w).progress == 1.0);
}

TEST_CASE("where nothing fits it says by how much the smallest misses, and L loads nothing")
{
    const auto w = opened(nothing_fits());
    const Scenario before = w->session().scenario();
    const LayoutAnswer found = answer(*w);
    REQUIRE(found.result.fit == 0);
    CHECK(says(*w, "Nothing fits in 84.9 GB"));
    CHECK(says(*w, format_bytes(Bytes(found.result.nearest_miss->bytes - found.result.capacity)) + " over"));
    CHECK(ranks(*w).empty());
    w->key(ImGuiKey_L);
    w->key(ImGuiKey_DownArrow);
    w->key(ImGuiKey_Enter);
    CHECK(w->session().scenario() == before);
}

TEST_CASE("an invalid layout is searched from: it stands as a row, the nearest valid one beside it")
{
    const auto w = opened();
    Scenario s = w->session().scenario();
    s.parallel.tensor = 7;
    w->session().apply(ChangeScenario{s});
    w->settle(2000);
    REQUIRE_FALSE(w->valid());
    CHECK(answer(*w).answers(s, own_limits(*w)));
    CHECK(answer(*w).progress == 1.0);
    CHECK(says(*w, "nearest"));
    const Candidate best = answer(*w).result.cuts.front();
    w->click("###layout 1");
    w->settle(2000);
    CHECK(w->valid());
    CHECK(w->session().scenario() == laid_out(s, best.layout));
}

TEST_CASE("the planner begins with what the scenario's software runs, and any framework can be chosen")
{
    const auto w = opened();
    const LayoutAnswer found = answer(*w);
    CHECK(found.limits.framework.id == "megatron"); // of Megatron-Core, which H100s usually run
    CHECK(found.progress == 1.0);
    w->click("###runs on");
    w->frames(3);
    w->click("any framework");
    w->settle(5000);
    CHECK(answer(*w).limits.any_framework());
    CHECK(found.result.legal < answer(*w).result.legal);
    CHECK(says(*w, "any framework"));
    for (const Candidate& c : found.result.cuts)
    {
        CHECK(runs(found.limits.framework, laid_out(w->session().scenario(), c.layout)));
    }
}

TEST_CASE("a press frees the global batch: rows rank per token, a row sets it, and another press fixes it")
{
    const auto w = opened();
    const std::int64_t before = w->session().scenario().training.global_batch;
    const auto press = [&](const std::string& name)
    {
        w->click("###fixed");
        w->frames(3);
        w->click(name);
        w->settle(8000);
    };
    press(fmt::format("GBS {}", before));
    const LayoutAnswer found = answer(*w);
    CHECK(found.progress == 1.0);
    CHECK(found.limits.freed.global_batch == range_around(before));
    CHECK(says(*w, "per million tokens"));
    const Layout best = found.result.cuts.front().layout;
    REQUIRE(best.global_batch != before); // more micro-batches, less bubble
    w->click("###layout 1");
    w->settle(8000);
    CHECK(w->session().scenario().training.global_batch == best.global_batch);
    CHECK(w->valid());
    CHECK(answer(*w).result.cuts.front() == found.result.cuts.front());
    CHECK(w->session().searches().front().freed == found.limits.freed);
    press(fmt::format("GBS {} to {}", grouped(before / 4), grouped(before * 4)));
    CHECK_FALSE(answer(*w).limits.freed.any());
    CHECK(says(*w, "per step"));
}

TEST_CASE("a press frees the number of GPUs: rows rank by cost, each says its GPUs, and a row sets them")
{
    const auto w = opened();
    const std::int64_t before = w->session().scenario().cluster.gpus;
    const auto press = [&](const std::string& name)
    {
        w->click("###fixed");
        w->frames(3);
        w->click(name);
        w->settle(8000);
    };
    press(fmt::format("GPUs {}", before));
    const LayoutAnswer found = answer(*w);
    CHECK(found.progress == 1.0);
    CHECK(found.limits.freed.gpus == range_around(before));
    CHECK(found.limits.objective == Objective::cost);
    CHECK(says(*w, "Cheapest that fits"));
    CHECK(says(*w, "per million tokens"));
    const auto cheaper =
        std::ranges::find_if(found.result.cuts, [&](const Candidate& c) { return c.layout.gpus != before; });
    REQUIRE(cheaper != found.result.cuts.end());
    const Layout best = found.result.cuts.front().layout;
    w->click("###layout 1");
    w->settle(8000);
    CHECK(w->session().scenario().cluster.gpus == best.gpus);
    CHECK(w->valid());
    CHECK(answer(*w).result.cuts.front() == found.result.cuts.front());
    press(fmt::format("GPUs {} to {}", grouped(before / 4), grouped(before * 4)));
    CHECK_FALSE(answer(*w).limits.freed.any());
}

TEST_CASE("tight rows stand behind those that fit")
{
    const auto w = opened(test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 64},
                                             "training": {"global_batch": 128}})"),
                          {1280, 1400});
    const std::vector<Candidate> cuts = answer(*w).result.cuts;
    CHECK(std::is_sorted(cuts.begin(), cuts.end(),
                         [](const Candidate& a, const Candidate& b) { return a.tight < b.tight; }));
    const auto shown = ranks(*w);
    CHECK(std::is_sorted(shown.begin(), shown.end()));
}

TEST_CASE("the panel says what to change first, and a press makes the change")
{
    const auto w = opened(default_scenario(test::presets()), {1280, 1900});
    CHECK(says(*w, "Best single change"));
    ChangeSearch search(w->session().scenario(), own_limits(*w));
    while (search.advance(1e7))
    {
    }
    REQUIRE_FALSE(search.result().empty());
    const Change& first = search.result().front();
    w->click("###change 0");
    w->settle(2000);
    CHECK(w->session().scenario() == first.after);
    CHECK(w->session().now().report->step.total() == first.candidate.seconds);
}

TEST_CASE("the panel says why the chosen row, against the scenario or against a pinned row")
{
    const auto w = opened(default_scenario(test::presets()), {1280, 1900});
    const Scenario now = w->session().scenario();
    const std::vector<Candidate> cuts = listed_rows(*w);
    const LayoutDifference first = difference(now, laid_out(now, cuts[0].layout));
    REQUIRE_FALSE(first.parts.empty());
    CHECK(says(*w, std::string(first.parts.front().part)));
    CHECK(says(*w, "Why the chosen row"));
    CHECK_FALSE(says(*w, "Against the pinned row"));
    w->key(ImGuiKey_P);
    w->settle(2000);
    CHECK(says(*w, "Against the pinned row"));
    CHECK(says(*w, "Both are the same layout."));
    w->key(ImGuiKey_P);
    w->settle(2000);
    CHECK_FALSE(says(*w, "Against the pinned row"));
    CHECK(w->session().scenario() == now);
}

TEST_CASE("a search is kept, and goes back to what it was asked for")
{
    auto w = opened();
    const Scenario first = w->session().scenario();
    REQUIRE(w->session().searches().size() == 1);
    w->session().apply(ChangeScenario{with(first, Knob::gpus, 128)});
    w->settle(2000);
    REQUIRE(w->session().searches().size() == 2);
    const KeptSearch earlier = w->session().searches().back();
    CHECK(earlier.words.find("256 GPUs") != std::string::npos);
    CHECK(earlier.link.starts_with("ringside:#v=planner"));
    w->click("search 1");
    w->settle(2000);
    CHECK(w->session().scenario() == first);
    CHECK(w->session().searches().size() == 2);
    CHECK(w->session().searches().front().words == earlier.words);
}
