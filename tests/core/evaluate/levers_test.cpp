#include "tests/core/random_scenarios.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/levers.h"
#include "core/performance/step_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

Report report_of(const Scenario& s)
{
    auto report = evaluate(s);
    INFO((report ? "" : to_line(report.issues()[0])));
    REQUIRE(report);
    return std::move(*report);
}

const Lever* find(const std::vector<Lever>& all, const std::string& id)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Lever& lever) { return lever.id == id; });
    return found == all.end() ? nullptr : &*found;
}

Scenario preset(const std::string& id)
{
    return test::presets().scenario(id)->scenario;
}

constexpr std::size_t kAll = 100;

} // namespace

TEST_CASE("hand-worked: levers of Llama 3.1 70B on 256 H100s with a micro-batch of 2")
{
    Scenario s = preset("default");
    s.training.global_batch = 512;
    s.training.micro_batch = 2;
    const Report r = report_of(s);
    CHECK(r.memory.fullest == 0);
    const auto all = levers(s, r, kAll);

    // 4 micro-batches of 20 layers in flight, each 33.5 s b h / t, lose half of their b; and so do the
    // working set (2 bytes of 2 h + 3 f / t) and the transfer buffers (4 bytes of h / t).
    const Lever* half = find(all, "micro_batch");
    REQUIRE(half);
    CHECK(half->name == "Micro-batch 2 to 1");
    const auto bubble_to = [&](const Lever& lever)
    {
        const StepTime before = step_time(s);
        const StepTime after = step_time(lever.after);
        return fmt::format("step bubble {} to {}", format_percent(before.bubble / before.total()),
                           format_percent(after.bubble / after.total()));
    };
    CHECK(half->cost == bubble_to(*half));
    CHECK(half->saving.value == 33.5 * 8192 * 8192 / 8 * 20 * 4 + 2 * 8192.0 * (2 * 8192 + 3 * 28672.0 / 8) +
                                    4 * 8192.0 * 8192 / 8);
    CHECK(half->after.training.micro_batch == 1);
    CHECK(half->extra.value == 0);

    // Only the layers' inputs stay, 2 of 33.5; one layer is computed again.
    const Lever* full = find(all, "recompute_full");
    REQUIRE(full);
    CHECK(full->saving.value == 31.5 * 8192 * 2 * 8192 / 8 * (20 * 4 - 1));
    CHECK(full->cost.starts_with("+"));
    CHECK(full->cost.ends_with("% FLOPs, +1 forward"));

    // Half of four bytes of every gradient.
    const Lever* gradients = find(all, "bf16_gradients");
    REQUIRE(gradients);
    CHECK(gradients->saving.value == 2.0 * static_cast<double>(r.memory.stages[0].parameters));
    CHECK(gradients->cost == "BF16 sum of 32 micro-batches");

    // Twelve bytes of an eighth of the parameters go to the host; 4 bytes of gradients down, 2 of weights
    // back.
    const Lever* offload = find(all, "offload_optimizer");
    REQUIRE(offload);
    CHECK(offload->saving.value ==
          Approx(12.0 * static_cast<double>(r.memory.stages[0].parameters) / 8).epsilon(1e-9));
    CHECK(offload->cost == "PCIe 1.14 GB down, 568 MB up");

    CHECK_FALSE(find(all, "tensor")); // 16 would leave the node
    CHECK_FALSE(find(all, "zero_2")); // with a pipeline
    CHECK_FALSE(find(all, "zero_1")); // has it already
    CHECK_FALSE(find(all, "flash"));  // has it already
    CHECK(find(all, "pipeline"));
    CHECK(find(all, "pipeline")->name == "Pipeline 4 to 8");
    CHECK(find(all, "pipeline")->cost == bubble_to(*find(all, "pipeline")));
    REQUIRE(find(all, "context"));
    // Each rank sends its half of 2 x 8192 tokens' keys and values of one head, 2 bytes, once forward,
    // twice backward and once for the scores that are computed again, for 20 layers and 64 micro-batches.
    CHECK(find(all, "context")->cost ==
          fmt::format("KV exchange {} per step", format_bytes(Bytes(8192.0 * 2 * 128 * 2 * 4 * 20 * 64))));
    CHECK(find(all, "adamw_8bit"));
}

TEST_CASE("hand-worked: what ZeRO costs on the wire")
{
    Scenario s = preset("llama-8b-8");
    s.parallel.zero = 0;
    const auto all = levers(s, report_of(s), kAll);
    const double parameters = 8030261248;
    REQUIRE(find(all, "zero_1"));
    CHECK(find(all, "zero_1")->name == "ZeRO 0 to 1");
    CHECK(find(all, "zero_1")->cost == "no extra network traffic");
    CHECK(find(all, "zero_1")->saving.value == Approx(12 * parameters * 7 / 8).epsilon(1e-9));
    CHECK(find(all, "zero_1")->extra.value == 0);
    REQUIRE(find(all, "zero_3"));
    CHECK(find(all, "zero_3")->cost == "24P sent per step, not 2P");
    CHECK(find(all, "zero_3")->extra.value ==
          Approx(step_time(find(all, "zero_3")->after).total() - step_time(s).total()));
    s.training.global_batch = 8;
    const auto once = levers(s, report_of(s), kAll);
    CHECK(find(once, "zero_2")->cost == "no extra network traffic");
    CHECK(find(once, "zero_3")->cost == "3P sent per step, not 2P");
}

TEST_CASE("hand-worked: switching to FlashAttention frees 2 a s bytes a token and layer, sequence "
          "parallelism what was not cut")
{
    Scenario s = preset("default");
    s.training.global_batch = 512;
    s.parallel.sequence_parallel = false;
    s.training.flash_attention = false;
    s.training.recompute = Recompute::none;
    const Report r = report_of(s);
    const auto all = levers(s, r, kAll);
    REQUIRE(find(all, "flash"));
    const double scores = 2 * 64 * 8192.0 * 8192 / 8 * 20 * 4;
    const double before = 2 * 8192 + 4 * 64 * 128 / 8 + 2 * 64 * 8192 / 8; // widths of the working set
    const double after = 2 * 8192 + 3 * 28672 / 8;
    CHECK(find(all, "flash")->saving.value == scores + 2 * 8192.0 * (before - after));
    REQUIRE(find(all, "recompute_selective"));
    CHECK(find(all, "recompute_selective")->saving.value ==
          scores - 2 * 64 * 8192.0 * 8192 / 8); // one layer's come back
    REQUIRE(find(all, "sequence_parallel"));
    CHECK(find(all, "sequence_parallel")->saving.value ==
          (8 * 8192.0 * 8192 * 20 * 4 + 4 * 8192.0 * 8192) * 7 / 8);
    CHECK(find(all, "sequence_parallel")->extra.value == 0);
}

TEST_CASE("hand-worked: what goes to the host is what this rank owns, experts by their own replicas")
{
    Scenario s = preset("default");
    s.training.global_batch = 512;
    s.model = test::presets().model("mixtral-8x7b")->model;
    s.cluster.gpus = 64;
    s.parallel = {};
    s.parallel.expert = 8;
    s.parallel.zero = 1;
    const auto all = levers(s, report_of(s), kAll);
    const Lever* offload = find(all, "offload_optimizer");
    REQUIRE(offload);
    // 32 layers of one expert of 3 x 4096 x 14336, shared by 8; 1.605 B of everything else, shared by 64; 4
    // and 2 bytes of each.
    const double owned = 32 * 3 * 4096.0 * 14336 / 8 + 1605636096.0 / 64;
    CHECK(owned * 4 == Approx(2.92e9).epsilon(0.001));
    CHECK(offload->cost == "PCIe 2.92 GB down, 1.46 GB up");
    CHECK(offload->saving.value == Approx(12 * owned).epsilon(1e-9));
    CHECK(offload->extra.value == Approx(step_time(offload->after).total() - step_time(s).total()));
}

TEST_CASE("groups beyond a node are offered only when nothing else helps")
{
    // One layer, one sequence, fp32 SGD on one-GPU nodes: nothing to shard, shrink or recompute but the
    // tensors themselves.
    Scenario s = test::scenario(R"({"model": {"layers": 1, "hidden": 1024, "heads": 16, "vocab": 1024},
        "cluster": {"gpus": 2, "gpus_per_node": 1}, "parallel": {"zero": 3},
        "training": {"sequence_length": 1023, "global_batch": 2, "precision": "fp32", "optimizer": "sgd-momentum", "recompute": "full", "offload": "optimizer-cpu"}})");
    const auto all = levers(s, report_of(s), kAll);
    REQUIRE(all.size() == 1);
    CHECK(all[0].id == "tensor");
    CHECK(all[0].name == "Tensor (TP) 1 to 2");
    s.cluster.gpus_per_node = 8;
    CHECK(levers(s, report_of(s), kAll).size() == 1);
}

TEST_CASE("every lever of 400 random scenarios is valid, frees what it says and stands in its place")
{
    test::ScenarioSource random(77);
    std::set<std::string> seen;
    for (int i = 0; i < 400; ++i)
    {
        const Scenario s = random.next();
        const Report r = report_of(s);
        INFO("scenario " << i << ": " << to_json(s, test::presets()).dump());
        const auto all = levers(s, r, kAll);
        std::set<std::string> ids;
        for (std::size_t k = 0; k < all.size(); ++k)
        {
            const Lever& lever = all[k];
            INFO(lever.id << ": " << lever.cost);
            REQUIRE_FALSE(has_errors(validate(lever.after)));
            REQUIRE(evaluate(lever.after));
            const MemoryReport memory = memory_report(lever.after);
            REQUIRE(lever.saving == r.memory.worst().total() - memory.worst().total());
            REQUIRE(lever.saving > Bytes{});
            REQUIRE(lever.fits == memory.fits());
            REQUIRE(lever.memory.worst().total() == memory.worst().total());
            REQUIRE(lever.after.training.global_batch == s.training.global_batch);
            REQUIRE(lever.after.cluster == s.cluster);
            REQUIRE(lever.after.model == s.model);
            REQUIRE(lever.extra.value >= 0);
            REQUIRE(lever.extra.value < 1e12);
            REQUIRE_FALSE(lever.cost.empty());
            REQUIRE(ids.insert(lever.id).second);
            if (k > 0)
            {
                REQUIRE((all[k - 1].extra < lever.extra ||
                         (all[k - 1].extra == lever.extra && all[k - 1].saving >= lever.saving)));
            }
        }
        seen.insert(ids.begin(), ids.end());
        REQUIRE(levers(s, r, 3).size() == std::min<std::size_t>(3, all.size()));
    }
    CHECK(seen == std::set<std::string>{"adamw_8bit",
                                        "bf16_gradients",
                                        "context",
                                        "expert",
                                        "flash",
                                        "fp8",
                                        "micro_batch",
                                        "offload_optimizer",
                                        "pipeline",
                                        "recompute_full",
                                        "recompute_selective",
                                        "schedule_1f1b",
                                        "schedule_v-half",
                                        "schedule_v-min",
                                        "schedule_zb-v",
                                        "sequence_parallel",
                                        "tensor",
                                        "zero_1",
                                        "zero_2",
                                        "zero_3"});
}
