// Serving's view: what the point, the keys, the panel and the lower pictures do, and its words at every size.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/serving/serving.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

std::string batch_said(const test::Window& w)
{
    for (const auto& words : test::words_of(w))
    {
        if (words.text.starts_with("batch ") && words.text.find(": TPOT ") != std::string::npos)
        {
            return words.text.substr(6, words.text.find(':') - 6);
        }
    }
    return "";
}

} // namespace

TEST_CASE("dragging serving's point takes more requests at once, arrows and F too")
{
    test::Window w;
    w.open("serving");
    w.frames(2);
    CHECK(batch_said(w) == "32");
    w.drag("###requests at once", 0.5F, 6);
    w.frames(2);
    const int dragged = std::stoi(batch_said(w));
    CHECK(dragged > 32);
    const Scenario& s = w.session().now().scenario;
    w.key(ImGuiKey_F);
    w.frames(2);
    CHECK(batch_said(w) == std::to_string(serving_report(s, serving_setup(s)).most));
}

TEST_CASE("fewer bits of weights make room, and the caption says when nothing fits")
{
    test::Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "kimi-k2", "cluster": {"preset": "rtx-4090-8", "gpus": 8}, "parallel": {"zero": 3},
            "training": {"global_batch": 8}})")});
    w.open("serving");
    w.frames(2);
    CHECK(test::says(w, "no request fits")); // 1 TB of weights in 16 bits: 32 GB on each of 64 GPUs
    CHECK(test::says(w, "weights alone"));
    w.key(ImGuiKey_W);
    w.key(ImGuiKey_W);
    w.frames(2);
    CHECK(test::says(w, "room for"));
    w.key(ImGuiKey_W);
    w.frames(2);
    CHECK(test::says(w, "no request fits"));
}

TEST_CASE("pages of serving: slots play, pages compare, drafts are pressed")
{
    test::Window w;
    w.open("serving/slots");
    w.frames(2);
    CHECK(w.motion().duration > 100);
    w.click("Paging");
    w.frames(2);
    CHECK(w.motion().duration == 0);
    CHECK(test::says(w, "blocks of 16 tokens"));
    w.key(ImGuiKey_Y);
    w.frames(2);
    CHECK(test::says(w, "4 draft tokens: 3.36 tokens per pass"));
    w.click("###8 drafts");
    w.frames(2);
    CHECK(test::says(w, "8 draft tokens"));
    w.key(ImGuiKey_Y);
    w.frames(2);
    CHECK(batch_said(w) == "32");
}

TEST_CASE("without pages every request holds the longest")
{
    test::Window w;
    w.open("serving");
    w.frames(2);
    const Scenario s = w.session().now().scenario;
    ServingSetup setup = serving_setup(s);
    setup.paged = false;
    w.click("PagedAttention");
    w.frames(2);
    CHECK(test::says(w, fmt::format("room for {} requests", serving_report(s, setup).most)));
}
