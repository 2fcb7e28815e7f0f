// Offload's view: what keys, table and the dragged point do to the scenario, and its words at every size.
#include "tests/ui/words.h"

#include "core/performance/offload.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario eight_gpus(const std::string& offload)
{
    return test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "parallel": {"zero": 3},
        "training": {"global_batch": 64, "sequence_length": 4096, "offload": ")" +
                          offload + "\"}}");
}

OffloadReport shown(const test::Window& w, bool delayed = false)
{
    const Scenario& s = w.session().now().scenario;
    return offload_report(s, {s.training.offload, delayed});
}

} // namespace

TEST_CASE("keys 0 to 4 and the rows of the table offload the state, and undo takes it back")
{
    test::Window w;
    w.open("offload");
    for (int key = 4; key >= 0; --key)
    {
        w.key(static_cast<ImGuiKey>(ImGuiKey_0 + key));
        w.frame();
        CHECK(static_cast<int>(w.session().scenario().training.offload) == key);
    }
    w.click("place + weights, host");
    w.frame();
    CHECK(w.session().scenario().training.offload == Offload::optimizer_and_weights_cpu);
    w.session().apply(Command::undo);
    w.frame();
    CHECK(w.session().scenario().training.offload == Offload::none);
}

TEST_CASE("the clock of offload is that of the step, and of what it would be where nothing is offloaded")
{
    test::Window w;
    w.open("offload");
    const Scenario s = w.session().now().scenario;
    CHECK(w.motion().duration == Approx(offload_report(s, {Offload::optimizer_cpu, false}).total));
    w.session().apply(ChangeScenario{eight_gpus("optimizer-nvme")});
    w.frame();
    CHECK(w.motion().duration == Approx(shown(w).total));
    CHECK(w.motion().stops.size() > 20);
    // Delayed, the update runs beside the next step.
    w.key(ImGuiKey_L);
    w.frame();
    CHECK(w.motion().duration == Approx(shown(w, true).total));
    CHECK(shown(w, true).total < shown(w).total);
    w.click("Delayed update");
    w.frame();
    CHECK(w.motion().duration == Approx(shown(w).total));
}

TEST_CASE("dragging the point changes the tokens of a step in one step of undo")
{
    for (const std::string offload : {"optimizer-cpu", "optimizer-and-weights-cpu"})
    {
        test::Window w;
        w.session().apply(ChangeScenario{eight_gpus(offload)});
        w.open("offload/step");
        const Scenario before = w.session().scenario();
        const test::Item grip = w.find("###tokens of a step");
        // From the middle of the handle to well right of it.
        w.drag("###tokens of a step", 0.5F, 20);
        w.frames(2);
        const Scenario& after = w.session().scenario();
        INFO(offload);
        CHECK(w.valid());
        CHECK(after.training.global_batch > before.training.global_batch);
        CHECK((after.training.micro_batch > before.training.micro_batch) == offload.ends_with("weights-cpu"));
        CHECK((micro_batches(after) > micro_batches(before)) == !offload.ends_with("weights-cpu"));
        CHECK(w.find("###tokens of a step").rect.x > grip.rect.x);
        w.session().apply(Command::undo);
        CHECK(w.session().scenario() == before);
    }
}

TEST_CASE("without a rate of PCIe offload says what to set")
{
    test::Window w;
    Scenario s = eight_gpus("none");
    s.cluster.gpu.pcie_gb_per_s = 0;
    w.session().apply(ChangeScenario{s});
    w.open("offload");
    CHECK(w.motion().duration == 0);
    CHECK(w.drawn().fault == "");
    bool said = false;
    for (const auto& words : test::words_of(w))
    {
        said = said || words.text.find("no stated rate") != std::string::npos ||
               words.text.find("stated") != std::string::npos;
    }
    CHECK(said);
}

TEST_CASE("what does not fit into host memory is said and marked")
{
    Scenario s = test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"gpus": 8, "host_memory_gb": 256},
        "parallel": {"zero": 3}, "training": {"global_batch": 64, "sequence_length": 4096, "offload": "optimizer-cpu"}})");
    CHECK(!offload_report(s, {Offload::optimizer_cpu, false}).host_fits);
    test::Window w;
    w.session().apply(ChangeScenario{s});
    w.open("offload");
    w.settle();
    std::string all;
    for (const auto& words : test::words_of(w))
    {
        all += words.text + " ";
    }
    INFO(all);
    CHECK(all.find("out of memory") != std::string::npos);
}
