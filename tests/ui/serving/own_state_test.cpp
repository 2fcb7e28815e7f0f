// What the strip at the foot says in views that show something other than the training's layout, and engines
// that hold their model.
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

// All words in the strip.
std::string strip_of(const Window& w, float height)
{
    std::string all;
    for (const test::Words& words : test::words_of(w))
    {
        all += words.rect.y > height - 44 ? words.text + "|" : "";
    }
    return all;
}

bool has(const std::string& text, std::string_view words)
{
    return text.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("the strip says the state of the view it stands under, the training's where it is the training")
{
    struct Shown
    {
        const char* place;
        const char* words;
    };
    Window w({1600, 900});
    for (const Shown& shown :
         {Shown{"serving", "TPOT "}, Shown{"slo", "within both SLOs"},
          Shown{"finetune", "parameters trained"}, Shown{"alignment", "hold them"}, Shown{"rl", "RL step "}})
    {
        INFO(shown.place);
        w.open(shown.place);
        w.frames(4);
        const std::string strip = strip_of(w, 900);
        INFO(strip);
        CHECK(has(strip, shown.words));
        CHECK_FALSE(has(strip, "MFU"));
        CHECK_FALSE(has(strip, "bubble"));
    }
    w.open("memory");
    w.frames(4);
    CHECK(has(strip_of(w, 900), "MFU"));
    CHECK(has(strip_of(w, 900), "Fits"));
}

TEST_CASE("DeepSeek-V3 trained at TP 1 is served by as many GPUs as hold it, and strip and picture agree")
{
    Window w({1600, 900});
    w.session().apply(LoadScenario{"deepseek-v3-2048"});
    REQUIRE(w.session().scenario().parallel.tensor == 1);
    w.open("serving");
    w.frames(4);
    CHECK(says(w, "as TP 1 does not hold the model"));
    CHECK_FALSE(says(w, "no request fits"));
    const std::string strip = strip_of(w, 900);
    INFO(strip);
    CHECK(has(strip, "Fits"));
    CHECK_FALSE(has(strip, "TP 1|"));
}

TEST_CASE("the reward page says where gold peaks, and that the policy stops past it")
{
    Window w;
    w.open("alignment/hacking");
    w.frames(3);
    // d (1 - 0.4 ln d) is largest at e^(1 / 0.4 - 1) = 4.48, where it is 1.79; 1 / (2 x 0.06) = 8.33.
    CHECK(says(w, "gold peaks at d = 4.48: 1.79"));
    CHECK(says(w, "past the peak of the gold reward"));
    CHECK_FALSE(says(w, "optimum"));
}

TEST_CASE("colocated, the split of GPUs says first what colocated reaches")
{
    Window w;
    w.open("rl/split");
    w.frames(3);
    CHECK(says(w, "Colocated, all GPUs generate and then train"));
    CHECK(says(w, "One-step off-policy"));
}
