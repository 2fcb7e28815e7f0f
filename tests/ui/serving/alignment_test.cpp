// Alignment's view: rows, the lower pictures, keys and panel, and its words at every size.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/serving/alignment.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

std::string total(const Scenario& s, AlignmentRecipe recipe, const AlignmentSetup& setup = {})
{
    return format_bytes(alignment_report(s, recipe, setup).total());
}

} // namespace

TEST_CASE("keys and rows choose a recipe, adapters and checked rewards change what it keeps")
{
    test::Window w;
    w.open("alignment");
    w.frames(2);
    const Scenario s = w.session().now().scenario;
    CHECK(test::says(w, "PPO keeps"));
    CHECK(test::says(w, total(s, AlignmentRecipe::ppo)));
    w.click("###align DPO");
    w.frames(2);
    CHECK(test::says(w, "DPO keeps"));
    w.key(ImGuiKey_4);
    w.frames(2);
    CHECK(test::says(w, "GRPO keeps"));
    AlignmentSetup setup;
    setup.rules = true;
    w.key(ImGuiKey_V);
    w.frames(2);
    CHECK(test::says(w, total(s, AlignmentRecipe::grpo, setup)));
    setup.adapters = true;
    w.key(ImGuiKey_A);
    w.settle();
    CHECK(test::says(w, total(s, AlignmentRecipe::grpo, setup)));
}

TEST_CASE("the pair is dragged over the loss, hacking over its price, and answers of a group are pressed")
{
    test::Window w;
    w.open("alignment");
    w.frames(2);
    w.key(ImGuiKey_Y);
    w.frames(2);
    CHECK(test::says(w, "loss 0.437, weight 35.4%"));
    const test::Item surface = w.find("###log-ratios");
    w.drag("###log-ratios", 0.3F, 0.95F);
    w.frames(2);
    CHECK(!test::says(w, "loss 0.437"));
    CHECK(surface.rect.w > 100.0F);
    w.click("Reward");
    w.frames(2);
    CHECK(test::says(w, "d = 8.33"));
    w.drag("###where it stops", 0.5F, 6);
    w.frames(2);
    CHECK(!test::says(w, "d = 8.33"));
    w.key(ImGuiKey_Y);
    w.frames(2);
    CHECK(test::says(w, "2 of 8 responses correct"));
    CHECK(test::says(w, "+1.73"));
    CHECK(test::says(w, "10.0% of the groups teach nothing"));
    w.key(ImGuiKey_D);
    w.frames(2);
    CHECK(test::says(w, "+0.75")); // Dr. GRPO: not divided by the deviation
    w.key(ImGuiKey_D);
    w.click("###answer 1");
    w.click("###answer 2");
    w.frames(2);
    CHECK(test::says(w, "nothing is learned"));
}
