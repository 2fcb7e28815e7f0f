// Measured steps in the window: pasted, fitted by other constants, used, and refused with the reason.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/performance/step_time.h"
#include "ui/shell/frame/measured_frame.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

// Runs of the window's scenario on kernels that reach less.
std::string table(const Window& w)
{
    std::string text = "name,micro_batch,step_time_s\n";
    for (const std::int64_t micro_batch : {1, 2, 4})
    {
        Scenario s = w.session().scenario();
        s.cluster.gpu.calibration.gemm_efficiency *= 0.8;
        s.training.micro_batch = micro_batch;
        text += fmt::format("run {0},{0},{1:.12g}\n", micro_batch, step_time(s).total());
    }
    return text;
}

void paste(Window& w, const std::string& text)
{
    w.clipboard = text;
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.settle(300);
}

const MeasuredFrame* measured(const Window& w)
{
    return w.session().frame(0).measured;
}

} // namespace

TEST_CASE("without measured steps the view says what to paste, and copies a table to fill in")
{
    Window w;
    w.open("measured");
    w.settle(300);
    CHECK(says(w, "No measured runs yet"));
    w.click("measured copy");
    w.settle(300);
    CHECK(w.clipboard.starts_with("name,gpus,tensor,"));
    paste(w, w.clipboard);
    CHECK(measured(w) == nullptr); // its time is still 0
    CHECK(says(w, "step_time_s"));
    CHECK(says(w, "no number above 0"));
}

TEST_CASE("a pasted table opens the view, is fitted, and its constants are used and taken back")
{
    Window w;
    const Scenario before = w.session().scenario();
    paste(w, table(w));
    CHECK(w.session().view() == "measured");
    REQUIRE(measured(w) != nullptr);
    CHECK(measured(w)->set.rows.size() == 3);
    CHECK(says(w, "Over 3 runs"));
    CHECK(w.session().scenario() == before);
    w.click("use fitted");
    w.settle(300);
    CHECK(w.session().scenario().cluster.gpu.calibration.gemm_efficiency ==
          Catch::Approx(before.cluster.gpu.calibration.gemm_efficiency * 0.8).epsilon(1e-3));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("constants are taken into the fit and out of it")
{
    Window w;
    paste(w, table(w));
    REQUIRE(measured(w) != nullptr);
    const double fitted = measured(w)->fit.sets.front().after.mean;
    w.click("fit gemm_efficiency");
    w.settle(300);
    CHECK(measured(w)->fit.constants.empty());
    CHECK(measured(w)->fit.sets.front().after.mean > fitted);
    w.click("fit gemm_efficiency");
    w.settle(300);
    CHECK(measured(w)->fit.constants == std::vector<std::string>{"gemm_efficiency"});
    CHECK(measured(w)->fit.sets.front().after.mean == Catch::Approx(fitted));
}

TEST_CASE("pasted runs become a software of one's own, which the scenario takes and Ctrl Z gives back")
{
    Window w;
    std::vector<SoftwarePreset> kept;
    w.session().keep_software = [&](const SoftwarePreset& preset)
    {
        kept.push_back(preset);
        return Issues();
    };
    const Scenario before = w.session().scenario();
    paste(w, table(w));
    w.click("keep measured");
    w.settle(300);
    REQUIRE(kept.size() == 1);
    CHECK(kept.front().software.id.starts_with("own-"));
    CHECK(kept.front().measured.front().rows == 3);
    CHECK(w.session().scenario().software == kept.front().software);
    CHECK(says(w, "Kept as"));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("L loads the runs that come with the program")
{
    Window w;
    w.session().shipped_runs = []
    {
        return measured_set(test::read("assets/measured/llm-foundry-h100.json"), "llm-foundry-h100",
                            test::presets());
    };
    w.open("measured");
    w.settle(300);
    w.key(ImGuiKey_L);
    w.settle(300);
    REQUIRE(measured(w) != nullptr);
    CHECK(measured(w)->set.rows.size() == 32);
    CHECK(measured(w)->fit.sets.front().after.mean < 0.05);
}

TEST_CASE("a faulty table says where, and what was pasted before stays")
{
    Window w;
    paste(w, table(w));
    REQUIRE(measured(w) != nullptr);
    paste(w, "gpus,step_time_s\n256,soon\n");
    CHECK(says(w, "line 2, step_time_s"));
    CHECK(measured(w)->set.rows.size() == 3);
}

TEST_CASE("a run under the mouse says its name and both errors")
{
    Window w;
    paste(w, table(w));
    bool seen = false;
    for (float y = 120; y < 640 && !seen; y += 6)
    {
        for (float x = 120; x < 980 && !seen; x += 6)
        {
            w.move_to({x, y});
            w.frame();
            seen = says(w, "after fitting") && (says(w, "run 1") || says(w, "run 2") || says(w, "run 4"));
        }
    }
    CHECK(seen);
}

TEST_CASE("no words of measured steps are cut off or lie on others at any size")
{
    Window w;
    w.open("measured");
    test::check_words_at_every_size(w, "nothing pasted");
    paste(w, table(w));
    w.session().apply(SetSpeed{1}); // ends the notice, whose card lies over the view where it is long
    w.settle(300);
    test::check_words_at_every_size(w, "three runs");
}
