#include "tests/core/random_scenarios.h"

#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/model/attention.h"
#include "core/model/stages.h"
#include "core/model/weights.h"
#include "core/scenario/fields.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ringside;

namespace
{

constexpr int kRounds = 500;

// Runs `check` on the same valid scenarios every time, naming the one that fails.
template <class Check>
void for_random_scenarios(std::uint32_t seed, Check check)
{
    test::ScenarioSource source(seed);
    for (int round = 0; round < kRounds; ++round)
    {
        const Scenario s = source.next();
        INFO("round " << round << ": " << to_json(s, test::presets()).dump());
        check(s);
    }
}

Report report_of(const Scenario& s)
{
    const auto report = evaluate(s);
    REQUIRE(report);
    return *report;
}

// Weights, gradients, master weights, momentum and variance on the device.
double states(const StageMemory& stage)
{
    return (stage.total() - stage.of(Component::activations) - stage.of(Component::buffers)).value;
}

bool sound(double value)
{
    return std::isfinite(value) && value >= 0;
}

} // namespace

TEST_CASE(
    "the random scenarios reach every precision, optimizer, ZeRO stage, recompute, offload and kind of model")
{
    std::set<std::string> seen;
    for_random_scenarios(1,
                         [&](const Scenario& s)
                         {
                             seen.insert(std::string(name_of(s.training.precision)));
                             seen.insert("optimizer " + std::string(name_of(s.training.optimizer)));
                             seen.insert("recompute " + std::string(name_of(s.training.recompute)));
                             seen.insert("offload " + std::string(name_of(s.training.offload)));
                             seen.insert("schedule " + std::string(name_of(s.training.schedule)));
                             seen.insert("zero " + std::to_string(s.parallel.zero));
                             seen.insert(std::string("attention ") + std::string(name_of(s.model.attention)) +
                                         (s.model.experts > 0 ? " experts" : ""));
                             seen.insert(s.model.preset.empty() ? "inline" : "preset");
                             seen.insert(s.training.flash_attention ? "flash" : "scores");
                             seen.insert(s.parallel.tensor > 1 && s.parallel.context > 1 &&
                                                 s.parallel.expert > 1
                                             ? "tensor x context x expert"
                                             : "fewer");
                             seen.insert(s.parallel.stage_layers.empty() ? "even" : "uneven");
                         });
    CHECK(seen.size() == 4 + 5 + 3 + 5 + schedules().size() + 4 + 7 + 2 + 2 + 2 + 2);
}

TEST_CASE("every part is finite, whole and not negative, and the parts add up to the total exactly")
{
    for_random_scenarios(1,
                         [](const Scenario& s)
                         {
                             const Report report = report_of(s);
                             for (const StageMemory& stage : report.memory.stages)
                             {
                                 double sum = 0;
                                 for (const Bytes part : stage.parts)
                                 {
                                     REQUIRE(sound(part.value));
                                     REQUIRE(part.value == std::floor(part.value));
                                     sum += part.value;
                                 }
                                 REQUIRE(sum < 9007199254740992.0); // whole bytes are exact up to 2^53
                                 REQUIRE(sum == stage.total().value);
                                 const BufferParts& b = stage.buffers;
                                 double buffers = 0;
                                 for (const Bytes part :
                                      {b.gradient_workspace, b.working_set, b.recomputed, b.gathered,
                                       b.transfer, b.loss_copies, b.deferred, b.workspace, b.graph_pools,
                                       b.second_gradients, b.whole_gradients, b.fragmentation, b.reserve})
                                 {
                                     REQUIRE(sound(part.value));
                                     buffers += part.value;
                                 }
                                 REQUIRE(buffers == stage.of(Component::buffers).value);
                                 REQUIRE(sound(stage.host_bytes.value));
                                 REQUIRE(sound(stage.nvme_bytes.value));
                                 REQUIRE(stage.total() <= report.memory.worst().total());
                             }
                         });
}

TEST_CASE("every metric is finite and not negative")
{
    for_random_scenarios(1,
                         [](const Scenario& s)
                         {
                             const Report report = report_of(s);
                             for (const Metric& metric : metrics())
                             {
                                 INFO(metric.name);
                                 REQUIRE(sound(metric.value(s, report)));
                             }
                             REQUIRE(report.parameters.active <= report.parameters.total);
                             REQUIRE(report.compute.model_step <= report.compute.hardware_step);
                         });
}

TEST_CASE("bytes are whole, in every metric that counts them")
{
    for_random_scenarios(3,
                         [](const Scenario& s)
                         {
                             const auto report = evaluate(s);
                             for (const Metric& metric : metrics())
                             {
                                 // What is too large to be counted to the byte is a fault.
                                 if (metric.unit == "B" && report)
                                 {
                                     INFO(metric.name);
                                     const double bytes = metric.value(s, *report);
                                     REQUIRE(bytes == std::round(bytes));
                                 }
                             }
                         });
}

TEST_CASE("there is one bubble of the step, in seconds, and one of the schedule, in its units")
{
    for_random_scenarios(
        4,
        [](const Scenario& s)
        {
            const Report report = report_of(s);
            const auto metric = [&](std::string_view name) { return find_metric(name)->value(s, report); };
            const double share = metric("step.bubble_s") / metric("step.time_s");
            REQUIRE(metric("step.bubble_of_total") == share);
            REQUIRE(metric("step.bubble_over_ideal") == Catch::Approx(share / (1 - share)).margin(1e-12));
            REQUIRE(explain_step_bubble(report).value == share);
            REQUIRE(metric("pipeline.bubble_of_total") == report.pipeline->timeline.bubble_of_total());
        });
}

TEST_CASE("the stages of one tensor and expert rank hold the whole model")
{
    for_random_scenarios(2,
                         [](Scenario s)
                         {
                             s.parallel.tensor = s.parallel.expert = s.parallel.expert_tensor = 1;
                             std::int64_t held = 0;
                             for (const StageWeights& stage :
                                  stage_weights(s.model, s.parallel, s.training.schedule->placement))
                             {
                                 held += stage.total();
                             }
                             // A tied output projection is a second copy of the embedding where it sits on
                             // another stage; in a V and with DualPipe both ends are on one rank.
                             const ScheduleKind kind = s.training.schedule;
                             const bool copied = s.model.tied_embeddings && s.parallel.pipeline > 1 &&
                                                 kind->placement == Placement::loop;
                             // Prediction layers on another stage than the first embed with a table of their
                             // own, and learned positions with it.
                             std::int64_t again = 0;
                             for (const StagePart& part : stage_parts(s.model, s.parallel, kind->placement))
                             {
                                 for (const Weight& w : embedding_weights(s.model, s.parallel))
                                 {
                                     again += part.embeds_again ? w.elements() : 0;
                                 }
                                 again -= part.embeds_again && s.model.tied_embeddings
                                              ? s.model.vocab * s.model.hidden
                                              : 0;
                             }
                             REQUIRE(held == weight_copies(kind) * count_parameters(s.model).total + again +
                                                 (copied ? s.model.vocab * s.model.hidden : 0));
                         });
}

TEST_CASE("a higher ZeRO stage never keeps more state on any stage, on the device or off it")
{
    for_random_scenarios(3,
                         [](Scenario s)
                         {
                             s.parallel.zero = 0;
                             MemoryReport before = memory_report(s);
                             for (s.parallel.zero = 1; s.parallel.zero <= 3; ++s.parallel.zero)
                             {
                                 const MemoryReport after = memory_report(s);
                                 for (std::size_t i = 0; i < after.stages.size(); ++i)
                                 {
                                     REQUIRE(states(after.stages[i]) <= states(before.stages[i]));
                                     REQUIRE(after.stages[i].host_bytes <= before.stages[i].host_bytes);
                                     REQUIRE(after.stages[i].nvme_bytes <= before.stages[i].nvme_bytes);
                                     REQUIRE(after.stages[i].of(Component::activations) ==
                                             before.stages[i].of(Component::activations));
                                 }
                                 before = after;
                             }
                         });
}

TEST_CASE(
    "doubling tensor cuts every cut tensor exactly by two; norms, routers, latent downs and experts stay")
{
    // A projection to fewer key/value heads than GPUs is copied, so the statement is for groups no wider than
    // the heads.
    const std::set<std::string_view> whole{"norms",
                                           "query and key norms",
                                           "query latent norm",
                                           "key/value latent norm",
                                           "attention output bias",
                                           "MLP down bias",
                                           "router",
                                           "router bias",
                                           "query down",
                                           "key/value down",
                                           "position embedding",
                                           "shared key and value",
                                           "key norm",
                                           "key compression",
                                           "compression offsets and norm",
                                           "indexer key",
                                           "indexer key norm",
                                           "indexer query",
                                           "indexer head weights",
                                           "stream mixing",
                                           "stream offsets and scales",
                                           "block queries and norms",
                                           "decay down",
                                           "gate down",
                                           "output norm",
                                           "latent down",
                                           "latent up",
                                           "latent norm"};
    int compared = 0;
    for_random_scenarios(
        4,
        [&](Scenario s)
        {
            Parallel wide = s.parallel;
            wide.tensor *= 2;
            const bool latent = s.model.attention == Attention::mla;
            if (s.model.heads % wide.tensor != 0 || s.model.ffn % wide.tensor != 0 ||
                (!latent && s.model.kv_heads % wide.tensor != 0))
            {
                return;
            }
            for (const bool experts : {false, true})
            {
                const auto narrow_list = layer_weights(s.model, s.parallel, experts && s.model.experts > 0);
                const auto wide_list = layer_weights(s.model, wide, experts && s.model.experts > 0);
                REQUIRE(narrow_list.size() == wide_list.size());
                for (std::size_t i = 0; i < wide_list.size(); ++i)
                {
                    const Weight& a = narrow_list[i];
                    const Weight& b = wide_list[i];
                    INFO(a.name);
                    const bool all_heads = a.name == "query and key norms" && s.model.qk_norm == QkNorm::full;
                    const bool stays = (whole.contains(a.name) && !all_heads) || a.expert;
                    REQUIRE(a.local_elements() == (stays ? 1 : 2) * b.local_elements());
                    REQUIRE(a.elements() == b.elements());
                }
            }
            ++compared;
        });
    CHECK(compared > 100);
}

TEST_CASE("hand-worked: a gated model without biases halves its weight bytes but for the norms")
{
    Scenario s = test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "parallel": {"tensor": 1}, "training": {"global_batch": 8}})");
    const auto bytes = [&](std::int64_t tensor)
    {
        s.parallel.tensor = tensor;
        return memory_report(s).worst().of(Component::weights).value;
    };
    const double norms = 2.0 * (2 * 32 + 1) * 4096; // bf16: two norms a layer and the last one
    for (const std::int64_t tensor : {1, 2, 4})
    {
        CHECK(bytes(tensor) - norms == 2 * (bytes(2 * tensor) - norms));
    }
}

TEST_CASE("doubling the micro-batch and the global batch doubles the activations exactly")
{
    int exact = 0;
    for_random_scenarios(
        5,
        [&](const Scenario& s)
        {
            Scenario twice = s;
            twice.training.micro_batch *= 2;
            twice.training.global_batch *= 2;
            REQUIRE(micro_batches(twice) == micro_batches(s));
            for (const bool experts : {false, true})
            {
                if (experts && s.model.experts == 0)
                {
                    continue;
                }
                for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
                {
                    REQUIRE(layer_activations(s.model, twice.training, s.parallel, experts, recompute) ==
                            2 * layer_activations(s.model, s.training, s.parallel, experts, recompute));
                }
            }
            // Logits of a vocabulary that tensor does not divide are rounded up to whole bytes, once in each
            // scenario, and so are means of layers of several kinds.
            const bool divides = s.model.vocab % s.parallel.tensor == 0 && attends_alike(s.model);
            const MemoryReport one = memory_report(s);
            const MemoryReport two = memory_report(twice);
            for (std::size_t i = 0; i < one.stages.size(); ++i)
            {
                const double difference = two.stages[i].of(Component::activations).value -
                                          2 * one.stages[i].of(Component::activations).value;
                REQUIRE(std::abs(difference) <= (divides ? 0 : 3));
            }
            exact += divides ? 1 : 0;
        });
    CHECK(exact > 100);
}

TEST_CASE("more recompute never keeps more activations")
{
    for_random_scenarios(6,
                         [](Scenario s)
                         {
                             s.training.recompute = Recompute::none;
                             MemoryReport before = memory_report(s);
                             for (const Recompute more : {Recompute::selective, Recompute::full})
                             {
                                 s.training.recompute = more;
                                 const MemoryReport after = memory_report(s);
                                 for (std::size_t i = 0; i < after.stages.size(); ++i)
                                 {
                                     REQUIRE(after.stages[i].of(Component::activations) <=
                                             before.stages[i].of(Component::activations));
                                 }
                                 before = after;
                             }
                         });
}

TEST_CASE("the same scenario gives the same report, to the last bit")
{
    for_random_scenarios(7,
                         [](const Scenario& s)
                         {
                             const Report a = report_of(s);
                             const Report b = report_of(Scenario(s));
                             for (const Metric& metric : metrics())
                             {
                                 REQUIRE(metric.value(s, a) == metric.value(s, b));
                             }
                             REQUIRE(a.memory.fullest == b.memory.fullest);
                             for (std::size_t i = 0; i < a.memory.stages.size(); ++i)
                             {
                                 REQUIRE(a.memory.stages[i].parts == b.memory.stages[i].parts);
                             }
                             const Timeline& x = a.pipeline->timeline;
                             const Timeline& y = b.pipeline->timeline;
                             REQUIRE(x.makespan == y.makespan);
                             REQUIRE(std::equal(x.events.begin(), x.events.end(), y.events.begin(),
                                                y.events.end(),
                                                [](const Event& e, const Event& f) {
                                                    return e.operation == f.operation && e.rank == f.rank &&
                                                           e.start == f.start && e.end == f.end;
                                                }));
                         });
}

TEST_CASE("a scenario survives being written and read")
{
    for_random_scenarios(8,
                         [](const Scenario& s)
                         {
                             const auto back =
                                 scenario_from_text(to_json(s, test::presets()).dump(), test::presets());
                             REQUIRE(back);
                             REQUIRE(*back == s);
                         });
}
