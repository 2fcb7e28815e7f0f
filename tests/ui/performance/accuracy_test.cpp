// Published runs in the accuracy view: listed by how far off they are, opened by a press or their digit, and
// taken back.
#include "tests/core/support.h"
#include "tests/source_path.h"
#include "tests/ui/words.h"

#include "app/session/set_up.h"
#include "core/performance/step_time.h"
#include "core/scenario/validate.h"
#include "ui/draw/chart_record.h"
#include "ui/shell/frame/measured_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

void open_accuracy(Window& w)
{
    set_up_measured(w.session(), test::source_path("assets"), test::presets());
    w.open("accuracy");
    while (w.session().frame(0).accuracy == nullptr || !w.session().frame(0).accuracy->done())
    {
        w.settle(50);
    }
    w.settle(300);
}

std::vector<AccuracyRow> worst_first(const Window& w)
{
    std::vector<AccuracyRow> rows = w.session().frame(0).accuracy->sources.front().rows;
    std::ranges::sort(rows, {}, [](const AccuracyRow& row) { return -std::abs(row.left_out); });
    return rows;
}

} // namespace

TEST_CASE("a digit opens a published run, and Ctrl Z takes it back")
{
    Window w;
    open_accuracy(w);
    const Scenario mine = w.session().scenario();
    const std::vector<AccuracyRow> rows = worst_first(w);
    REQUIRE(rows.size() > 1);
    w.key(ImGuiKey_2);
    w.settle(300);
    CHECK(w.session().scenario() == rows[1].scenario);
    CHECK(says(w, "Measured step"));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(w.session().scenario() == mine);
}

TEST_CASE("the arrow keys go from dot to dot of the runs, and each is read out")
{
    Window w;
    ChartRecord record;
    w.drawing.set_record(&record);
    open_accuracy(w);
    w.key(ImGuiKey_I, ImGuiMod_Ctrl);
    w.frames(2);
    const std::size_t many = record.marks.size();
    REQUIRE(many >= w.session().frame(0).accuracy->sources.front().rows.size());
    for (std::size_t i = 0; i < many; ++i)
    {
        INFO("dot " << i << " of " << many);
        CHECK(!record.tips.empty());
        CHECK(std::abs(w.find("###marks").rect.x - record.marks[i].x) < 1);
        w.key(ImGuiKey_RightArrow);
        w.frame();
    }
}

TEST_CASE("a published run is opened by pressing it")
{
    Window w;
    open_accuracy(w);
    w.click("run 0");
    w.settle(300);
    CHECK(w.session().scenario() == worst_first(w).front().scenario);
}

TEST_CASE("every published run is a valid scenario whose step is the one the view shows")
{
    Window w;
    open_accuracy(w);
    for (const SourceAccuracy& source : w.session().frame(0).accuracy->sources)
    {
        for (const AccuracyRow& row : source.rows)
        {
            CAPTURE(source.source, row.name);
            CHECK_FALSE(has_errors(validate(row.scenario)));
            CHECK(std::abs(step_time(row.scenario).total() / row.seconds - 1 - row.error) < 1e-9);
        }
    }
}

TEST_CASE("the filters leave the runs of one software or accelerator, or those like the scenario")
{
    Window w;
    open_accuracy(w);
    const auto total = [&]
    {
        std::size_t rows = 0;
        for (const SourceAccuracy& source : w.session().frame(0).accuracy->sources)
        {
            rows += source.rows.size();
        }
        return rows;
    };
    CHECK(says(w, std::to_string(total()) + " runs"));
    w.click("accuracy like");
    w.settle(300);
    CHECK_FALSE(says(w, std::to_string(total()) + " runs"));
    w.click("accuracy like");
    w.click("accuracy gpu");
    w.settle(300);
    w.click("a100");
    w.settle(300);
    std::size_t on_a100 = 0;
    for (const SourceAccuracy& source : w.session().frame(0).accuracy->sources)
    {
        on_a100 += static_cast<std::size_t>(std::ranges::count_if(
            source.rows, [](const AccuracyRow& row) { return accelerator_kind(row.gpu) == "a100"; }));
    }
    CHECK(says(w, std::to_string(on_a100) + " runs"));
}

TEST_CASE("every whole source says what share of its runs lies in the range made without it")
{
    Window w;
    open_accuracy(w);
    const AccuracyFrame& found = *w.session().frame(0).accuracy;
    REQUIRE(found.held.size() == found.sources.size());
    std::int64_t rows = 0;
    std::int64_t inside = 0;
    for (const HeldRows& source : found.held)
    {
        rows += source.rows;
        inside += source.inside;
    }
    CHECK(static_cast<double>(inside) >= 0.75 * static_cast<double>(rows));
    CHECK(says(w, "in range"));
}
