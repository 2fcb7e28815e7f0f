// The view of feeding: workers, queue and sample time are pulled on the picture, faults are switched on, the
// funnel's stages and the curve of copies are dragged, and what is said is the engine's.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/training/data_feed/feed.h"
#include "core/training/data_feed/funnel.h"
#include "ui/views/training/data/pages.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

struct Opened
{
    explicit Opened(const std::string& page = "data/feed", ImVec2 size = {1280, 800}) : window(size)
    {
        window.open(page);
        window.settle();
    }
    void press(ImGuiKey key)
    {
        window.key(key);
        window.settle();
    }
    bool says(std::string_view words) { return test::says(window, words); }
    const Scenario& scenario() { return window.session().scenario(); }

    test::Window window;
};

} // namespace

TEST_CASE("feeding begins with three workers, and says how many would do as the metric does")
{
    Opened w;
    const Evaluated& now = w.window.session().now();
    const double wanted = find_metric("data.picture_workers")->value(now.scenario, *now.report);
    CHECK(w.says("3 workers supply"));
    CHECK(w.says(grouped(std::llround(wanted)) + " would be enough"));
    CHECK(w.says("idle"));
}

TEST_CASE("W adds workers until the GPUs never wait, E takes them away")
{
    Opened w;
    for (int i = 0; i < 5; ++i)
    {
        w.press(ImGuiKey_W);
    }
    CHECK(w.says("8 workers supply"));
    CHECK(w.says("the GPUs never wait"));
    w.press(ImGuiKey_E);
    CHECK(w.says("7 workers supply"));
}

TEST_CASE("a slow worker starves the GPUs in order, and hardly out of order")
{
    Opened w;
    for (int i = 0; i < 5; ++i)
    {
        w.press(ImGuiKey_W);
    }
    w.press(ImGuiKey_S);
    CHECK(w.says("waits for the slow worker"));
    CHECK(w.says("(r + 3 c) / t"));
    w.press(ImGuiKey_O);
    CHECK(w.says("never wait"));
    w.press(ImGuiKey_S);
    w.press(ImGuiKey_H);
    w.press(ImGuiKey_F);
    CHECK(w.says("stalled"));
    CHECK(w.window.drawn().fault == "");
}

TEST_CASE("workers, batches ahead and the time of a sample are pulled on the picture")
{
    Opened w;
    w.window.drag("###workers of a reader", 0.5F, 5);
    w.window.settle();
    CHECK(!w.says("3 workers supply"));
    const std::string before = test::text_of(w.window);
    w.window.drag("###batches ahead", 0.5F, 4);
    w.window.settle();
    CHECK(test::text_of(w.window) != before);
    w.window.drag("###time a sample", 0.5F, 6);
    w.window.settle();
    CHECK(w.says("idle"));
    CHECK(w.window.drawn().fault == "");
}

TEST_CASE("tokens and text need one worker, and the kind is changed by its digit")
{
    Opened w;
    w.press(ImGuiKey_1);
    CHECK(w.says("1 would be enough"));
    CHECK(w.says("never wait"));
    w.press(ImGuiKey_2);
    CHECK(w.says("1 would be enough"));
    w.press(ImGuiKey_3);
    CHECK(w.says("4 would be enough"));
}

TEST_CASE("a time a sample that is typed counts, and storage that is too slow is said so")
{
    Opened w;
    w.window.type_value("CPU time per sample", "12");
    w.window.settle();
    CHECK(w.says("12.0 s"));
    w.window.type_value("Storage per GPU", "0.000001");
    w.window.settle();
    CHECK(w.says("Storage is too slow"));
}

TEST_CASE("the clock of feeding is the run's, and stops where a batch or a gap begins")
{
    Opened w;
    const Motion motion = w.window.motion();
    CHECK(motion.duration > 1);
    CHECK(motion.stops.size() > 64);
    CHECK(w.window.playback().t == Approx(motion.duration));
    w.window.session().apply(Seek{motion.duration / 3});
    w.window.frames(3);
    CHECK(w.window.drawn().fault == "");
    w.press(ImGuiKey_N);
    CHECK(w.says("seed 2"));
}

TEST_CASE("the funnel says what is left, how many passes the run makes, and moves the scenario's tokens")
{
    Opened w("data/funnel");
    w.press(ImGuiKey_4);
    const Funnel funnel = run_funnel(*find_recipe("dclm"), {}, w.scenario().training.tokens);
    CHECK(w.says(format_count(funnel.passes) + " epochs"));
    CHECK(w.says("1.40%"));
    w.window.drag("###tokens of the run", 0.5F, -4);
    w.window.settle();
    CHECK(w.scenario().training.tokens < funnel.wanted);
    CHECK(w.window.valid());
}

TEST_CASE("where the text is large the funnel's stages stay, and the passes below them go")
{
    Preferences p;
    p.text_scale = 2.5F;
    test::Window w({1280, 800}, p);
    w.open("data");
    w.settle();
    CHECK(test::says(w, "Input"));
    CHECK_FALSE(test::says(w, "The run needs"));
}

TEST_CASE("a stage of the funnel that is dragged changes what is left until R, and 1 to 4 choose a pipeline")
{
    Opened w("data/funnel");
    CHECK(w.says("DCLM-Baseline keeps"));
    w.press(ImGuiKey_1);
    CHECK(w.says("RefinedWeb keeps 11.7%"));
    w.window.drag("###stage 3", 0.5F, -1);
    w.window.settle();
    CHECK(w.says("This pipeline keeps"));
    w.press(ImGuiKey_R);
    CHECK(w.says("RefinedWeb keeps 11.7%"));
    w.press(ImGuiKey_2);
    CHECK(w.says("FineWeb keeps 41.7%"));
    w.window.click("DCLM-Baseline");
    w.window.settle();
    CHECK(w.says("DCLM-Baseline keeps"));
}

TEST_CASE("bands and hashes are dragged on the curve, and known settings come back")
{
    Opened w("data/copies");
    CHECK(w.says("14 bands of 8 hashes"));
    CHECK(w.says("77.2%"));
    w.window.drag("###bands on the curve", 0.5F, -1);
    w.window.settle();
    CHECK(!w.says("14 bands of 8 hashes"));
    w.window.drag("###rows on the curve", 0.5F, 1.5F);
    w.window.settle();
    CHECK(!w.says("of 8 hashes"));
    w.window.click("as RefinedWeb");
    w.window.settle();
    CHECK(w.says("450 bands of 20 hashes"));
}

TEST_CASE("rates of samples have no powers of ten")
{
    CHECK(rate_words(0) == "0");
    CHECK(rate_words(0.000462) == "0.00046");
    CHECK(rate_words(3e-7) == "<0.00001");
    CHECK(rate_words(12.34) == "12.3");
    CHECK(rate_words(2.5e6) == "2.50 M");
}
