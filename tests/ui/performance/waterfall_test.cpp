// The step's waterfall and the scaling view: what keys and presses change.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/evaluate/sensitivity.h"
#include "core/performance/scaling_curve.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("the waterfall says what is useful, what is lost, and the utilization of every convention")
{
    test::Window w({1920, 1080});
    w.open("waterfall");
    w.settle();
    const StepTime& step = w.session().now().report->step;
    const auto shows = [&](Numerator n, PeakKind p)
    { return test::says(w, fmt::format("{:.1f}%", utilization(step, n, p) * 100)); };
    CHECK(test::says(w, "Model FLOPs at peak"));
    CHECK(test::says(w, "GEMM inefficiency"));
    CHECK(test::says(w, "Pipeline bubble"));
    CHECK(test::says(w, "Step time, achieved"));
    CHECK(shows(Numerator::full, PeakKind::dense)); // as everywhere
    CHECK(test::says(w, "Masked scores"));
    w.key(ImGuiKey_N);
    w.settle();
    CHECK(shows(Numerator::causal, PeakKind::dense));
    for (int key = 0; key < 3; ++key)
    {
        w.key(ImGuiKey_N);
    }
    w.settle();
    w.key(ImGuiKey_P);
    w.settle();
    CHECK(shows(Numerator::full, PeakKind::sparse));
    CHECK(test::says(w, "No 2:4 sparsity used"));
    w.click("HFU");
    w.click("989 dense");
    w.settle();
    CHECK(shows(Numerator::hardware, PeakKind::dense));
    w.click("6N");
    w.settle();
    CHECK(shows(Numerator::parameters, PeakKind::dense));
}

TEST_CASE("every constant's source can be read at 1280 x 800, the last ones by the wheel")
{
    test::Window w({1280, 800});
    w.open("waterfall");
    w.key(ImGuiKey_C);
    w.settle();
    CHECK(test::says(w, "fitted to MosaicML's llm-foundry throughput tables, H100 rows in bf16"));
    CHECK_FALSE(test::says(w, "gather_slowdown"));
    w.wheel({500, 400}, -100);
    w.settle();
    CHECK(test::says(w, "gather_slowdown"));
    CHECK(test::says(w, "Shah et al. 2024, arXiv 2407.08608, figure 5"));
}

TEST_CASE("where there is little room the smallest rows of the waterfall become one")
{
    test::Window w({1280, 800});
    w.open("waterfall");
    w.settle();
    CHECK(test::says(w, "Other losses"));
    w.resize({1920, 1200});
    w.settle();
    CHECK_FALSE(test::says(w, "Other losses"));
}

TEST_CASE("W shows what helps most, a press takes the step, and Ctrl+Z takes it back")
{
    test::Window w;
    w.open("waterfall");
    w.key(ImGuiKey_W);
    w.settle();
    const Scenario before = w.session().scenario();
    REQUIRE(w.seek("move Tensor parallel down") != nullptr);
    w.click("move Tensor parallel down");
    w.settle();
    CHECK(w.session().scenario().parallel.tensor == before.parallel.tensor / 2);
    CHECK(w.valid());
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    w.key(ImGuiKey_W);
    w.settle();
    CHECK(w.seek("move Tensor parallel down") == nullptr);
    w.click("What-if");
    w.settle();
    CHECK(w.seek("move Tensor parallel down") != nullptr);
}

TEST_CASE("C lists every constant with its value and source")
{
    test::Window w;
    w.open("waterfall");
    w.key(ImGuiKey_C);
    w.settle();
    for (const char* words : {"gemm_efficiency", "0.703", "network_hop_us"})
    {
        INFO(words);
        CHECK(test::says(w, words));
    }
    w.resize({1920, 1080}); // a second line of each row has room
    w.settle();
    CHECK(test::says(w, "fitted to MosaicML"));
    CHECK(test::says(w, "gather_slowdown"));
}

TEST_CASE("a press on a point of the scaling chart trains at that size, and Y changes what is drawn")
{
    test::Window w;
    w.open("growth");
    w.settle();
    CHECK(test::says(w, "MFU (attention counted)"));
    CHECK(test::says(w, "batch exhausted"));
    CHECK(test::says(w, "tokens/s/GPU")); // beside it
    w.key(ImGuiKey_Y);
    w.settle();
    CHECK(test::says(w, "Total throughput"));
    const Scenario before = w.session().scenario();
    w.click("strong 1024 GPUs");
    w.settle();
    CHECK(w.session().scenario() == scaled(before, Scaling::strong, 32));
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w.settle();
    w.click("weak 1024 GPUs");
    w.settle();
    CHECK(w.session().scenario() == scaled(before, Scaling::weak, 32));
}
