// Advice that can be followed, and layouts made to suit another model or cluster.
#include "tests/core/random_scenarios.h"
#include "tests/share.h"

#include "core/memory/memory.h"
#include "core/scenario/fields.h"
#include "core/scenario/fit.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/stage_layers.h"

#include <catch2/catch_test_macros.hpp>

#include <numeric>
#include <sstream>

using namespace ringside;

namespace
{

Scenario preset(const char* id)
{
    return test::presets().scenario(id)->scenario;
}

// The scenario with assignments as --set makes them.
Scenario assigned(const Scenario& s, const std::string& assignments)
{
    auto document = to_json(s, test::presets());
    std::istringstream words(assignments);
    for (std::string one; words >> one;)
    {
        REQUIRE(set_path(document, one).empty());
    }
    const auto read = scenario_from_json(document, test::presets());
    REQUIRE(read);
    return *read;
}

// "use one of 8, 16" and "use 8" as assignments to the field itself; others are named already.
std::vector<std::string> advised(const Issue& issue)
{
    std::string text = issue.hint;
    REQUIRE(text.starts_with("use "));
    text.erase(0, text.starts_with("use one of ") ? 11 : 4);
    if (text.find('=') != std::string::npos)
    {
        return {text};
    }
    std::vector<std::string> all;
    std::istringstream values(text);
    for (std::string value; values >> value;)
    {
        all.push_back(issue.path + "=" + (value.back() == ',' ? value.substr(0, value.size() - 1) : value));
    }
    return all;
}

} // namespace

TEST_CASE("every advice for two thousand random invalid scenarios leaves fewer faults, down to none")
{
    test::ScenarioSource source(1201);
    int advice = 0;
    for (int round = 0; round < 2000; ++round)
    {
        Scenario s = source.next_invalid();
        if (!test::is_in_share(static_cast<std::size_t>(round)))
        {
            continue;
        }
        INFO("round " << round << ": " << to_json(s, test::presets()).dump());
        for (Issues issues = errors_of(validate(s)); !issues.empty(); issues = errors_of(validate(s)))
        {
            std::size_t least = issues.size();
            Scenario best = s;
            for (const Issue& issue : issues)
            {
                INFO(to_line(issue));
                REQUIRE(!issue.hint.empty());
                for (const std::string& assignments : advised(issue))
                {
                    const Scenario after = assigned(s, assignments);
                    const std::size_t left = faults(after).size();
                    INFO(assignments);
                    REQUIRE(left < issues.size());
                    ++advice;
                    best = left < least ? after : best;
                    least = std::min(least, left);
                }
            }
            s = best;
        }
    }
    CHECK(advice > 900);
}

TEST_CASE("a remedy is what its assignments say")
{
    test::ScenarioSource source(1203);
    for (int round = 0; round < 300; ++round)
    {
        const Scenario s = source.next_invalid();
        for (const Issue& issue : faults(s))
        {
            for (const Correction& remedy : remedies(s, issue))
            {
                INFO(to_json(s, test::presets()).dump() << " " << remedy.assignments);
                CHECK(assigned(s, remedy.assignments) == remedy.after);
            }
        }
    }
}

TEST_CASE("any model on any cluster and any number of GPUs makes a valid scenario, and model and GPUs stay")
{
    test::ScenarioSource source(1202);
    for (int round = 0; round < 1000; ++round)
    {
        Scenario s = source.next();
        const Scenario other = source.next();
        s.model = other.model;
        s.cluster = other.cluster;
        s.software = other.software;
        s.cluster.gpus = 1 + (round * 7919) % 3000;
        const Fit made = fit(s);
        INFO("round " << round << ": " << to_json(s, test::presets()).dump() << "\n" << made.says);
        REQUIRE(faults(made.scenario).empty());
        CHECK(made.scenario.model == s.model);
        CHECK(made.scenario.cluster == s.cluster);
        CHECK(made.says.empty() == (made.scenario == s));
        CHECK(assigned(s, made.assignments) == made.scenario);
    }
}

TEST_CASE("a valid scenario stays as it is")
{
    test::ScenarioSource source(1204);
    for (int round = 0; round < 200; ++round)
    {
        const Scenario s = source.next();
        CHECK(fit(s).scenario == s);
    }
}

TEST_CASE("70B on 100 GPUs: a repair that fits goes before the nearest one, which needs twice the memory")
{
    Scenario s = preset("default");
    s.cluster.gpus = 100;
    const auto fits = [](const Scenario& each) { return memory_report(each).fits(); };
    const Scenario nearest = fit(s).scenario;
    CHECK(nearest.parallel.pipeline == 1);
    CHECK_FALSE(fits(nearest));
    const Fit made = fit(s, fits);
    CHECK(faults(made.scenario).empty());
    CHECK(fits(made.scenario));
    CHECK(made.scenario.parallel.tensor == 4);
    CHECK(made.scenario.parallel.pipeline == 5);
    CHECK(data_parallel(made.scenario) == 5);
    CHECK(assigned(s, made.assignments) == made.scenario);
    CHECK(made.says.starts_with("Tensor parallelism 8 \u2192 4, pipeline stages 4 \u2192 5"));
    // Where nothing fits the nearest stays.
    const auto never = [](const Scenario&) { return false; };
    CHECK(fit(s, never).scenario == nearest);
}

TEST_CASE("DeepSeek-V3 moved to fewer GPUs keeps its stages and takes smaller expert groups")
{
    Scenario s = preset("deepseek-v3-2048");
    s.cluster.gpus = 256;
    const Fit made = fit(s);
    CHECK(made.scenario.parallel.pipeline == 16);
    CHECK(made.scenario.parallel.expert == 16);
    CHECK(made.scenario.training.global_batch == s.training.global_batch);
    CHECK(made.says.starts_with("Expert parallelism 64 \u2192 16"));
}

TEST_CASE("61 layers are dealt to 16 stages by themselves, fewer on the first and the last")
{
    Scenario s = preset("default");
    s.model = test::presets().model("deepseek-v3")->model;
    s.parallel.pipeline = 16;
    s.parallel.tensor = 1;
    s.cluster.gpus = 512;
    CHECK(faults(s).empty());
    std::vector<std::int64_t> layers;
    for (std::int64_t k = 0; k < 16; ++k)
    {
        layers.push_back(layers_of_stage(s.model, s.parallel, 16, k));
        CHECK(layers_before_stage(s.model, s.parallel, 16, k) ==
              std::accumulate(layers.begin(), layers.end() - 1, std::int64_t{0}));
    }
    CHECK(layers == std::vector<std::int64_t>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3});
    CHECK(uneven_layers(s) == layers);
    s.parallel.stage_layers.assign(16, 1);
    s.parallel.stage_layers.back() = 46; // what is listed counts
    CHECK(layers_of_stage(s.model, s.parallel, 16, 15) == 46);
}

TEST_CASE("setting a field to the value it has changes nothing, in any example, on any cluster and GPU")
{
    const auto same = [](const nlohmann::json& document)
    {
        const auto read = scenario_from_json(document, test::presets());
        REQUIRE(read);
        const Scenario before = *read;
        const auto try_fields = [&](const std::string& prefix, const auto& object)
        {
            for (const auto& field : fields_of(object))
            {
                const std::string value = std::visit(
                    [&](const auto& member) -> std::string
                    {
                        using M = std::decay_t<decltype(member)>;
                        if constexpr (requires { member.names; })
                        {
                            return std::string(member.names[static_cast<std::size_t>(member.get(object))]);
                        }
                        else if constexpr (requires { member.all; })
                        {
                            return nlohmann::json(names_in(member, object)).dump();
                        }
                        else if constexpr (std::is_same_v<decltype(object.*member),
                                                          const std::vector<std::int64_t>&>)
                        {
                            return list_json(object.*member).dump();
                        }
                        else
                        {
                            static_assert(std::is_member_object_pointer_v<M>);
                            return nlohmann::json(object.*member).dump();
                        }
                    },
                    field.member);
                nlohmann::json set = document;
                const std::string assignment = prefix + "." + std::string(field.name) + "=" + value;
                INFO(assignment);
                REQUIRE(set_path(set, assignment).empty());
                const auto after = scenario_from_json(set, test::presets());
                REQUIRE(after);
                CHECK(*after == before);
            }
        };
        try_fields("model", before.model);
        try_fields("cluster", before.cluster);
        try_fields("cluster.gpu", before.cluster.gpu);
        try_fields("cluster.gpu.calibration", before.cluster.gpu.calibration);
        try_fields("parallel", before.parallel);
        try_fields("training", before.training);
        try_fields("training.lora", before.training.lora);
        try_fields("stage_times", before.stage_times);
        try_fields("collective", before.collective);
    };
    same(nlohmann::json::object());
    for (const ModelPreset& m : test::presets().models)
    {
        same({{"model", m.model.preset}});
    }
    for (const ClusterPreset& c : test::presets().clusters)
    {
        same({{"cluster", c.id}});
        same({{"cluster", {{"preset", c.id}, {"gpus", 64}}}});
    }
    for (const GpuPreset& g : test::presets().gpus)
    {
        same({{"cluster", {{"gpu", g.gpu.id}}}});
        same({{"cluster", {{"gpu", {{"preset", g.gpu.id}, {"memory_gb", 10}}}}}});
    }
    test::ScenarioSource source(1205);
    for (int round = 0; round < 100; ++round)
    {
        same(to_json(source.next(), test::presets()));
    }
}
