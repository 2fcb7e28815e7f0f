// What frameworks run: their data files by hand, searches that offer nothing else, and launches that agree.
#include "tests/core/support.h"

#include "core/base/json/json.h"
#include "core/planner/launch/framework_launch.h"
#include "core/planner/search/layout_search.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <map>

using namespace ringside;

namespace
{

// 8 layers, 8 heads, 8 GPUs, a sequence of 128: every axis can be 2.
Scenario dense()
{
    Scenario s;
    Model& m = s.model;
    m.layers = 8;
    m.hidden = 256;
    m.heads = m.kv_heads = 8;
    m.head_dim = 32;
    m.ffn = 1024;
    m.vocab = 1000;
    s.cluster.gpus = 8;
    s.training.sequence_length = 128;
    s.training.global_batch = 16;
    s.training.recompute = Recompute::none;
    s.training.schedule = schedule("1f1b");
    REQUIRE(!has_errors(validate(s)));
    return s;
}

Scenario with_experts()
{
    Scenario s = dense();
    s.model.experts = 4;
    s.model.experts_per_token = 1;
    s.model.expert_ffn = 512;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

const Framework& framework(std::string_view id)
{
    const Framework* found = test::presets().framework(id);
    REQUIRE(found != nullptr);
    return *found;
}

SearchResult found_for(const Scenario& s, std::string_view id)
{
    SearchLimits limits;
    limits.framework = framework(id);
    LayoutSearch search(s, limits);
    while (search.advance(1000))
    {
    }
    return search.result();
}

constexpr std::array kFrameworks{"megatron", "deepspeed", "torchtitan", "fsdp", "maxtext"};

} // namespace

TEST_CASE("every framework has sources, and what it runs is a schedule and a stage there is")
{
    for (const char* id : kFrameworks)
    {
        INFO(id);
        const Framework& f = framework(id);
        CHECK_FALSE(f.sources.empty());
        CHECK_FALSE(f.version.empty());
        Scenario sharded = dense();
        sharded.parallel.zero = 3;
        CHECK(runs(f, sharded));
    }
    CHECK(test::presets().framework("any") == nullptr);
}

TEST_CASE("software is one framework, but for that of one maker, which nobody else has")
{
    std::map<std::string, int> times;
    for (const Framework& f : test::presets().frameworks)
    {
        for (const std::string& id : f.software)
        {
            CHECK(test::presets().software_of(id) != nullptr);
            ++times[id];
        }
    }
    for (const SoftwarePreset& preset : test::presets().software)
    {
        INFO(preset.software.id);
        const bool own = preset.software.id == "deepseek" || preset.software.id == "meta-llama3" ||
                         preset.software.id == "compiled";
        CHECK(times[preset.software.id] == (own ? 0 : 1));
    }
    Scenario s = test::presets().scenario("default")->scenario;
    CHECK(test::presets().framework_of(s).id == "megatron");
    s.software.id = "torchtitan";
    CHECK(test::presets().framework_of(s).id == "torchtitan");
    s.software.id = "deepseek";
    CHECK(test::presets().framework_of(s).id.empty());
}

TEST_CASE("what each framework refuses, by hand")
{
    Scenario stages = dense();
    stages.parallel.pipeline = 2;
    stages.parallel.zero = 1;
    CHECK(runs(framework("megatron"), stages));
    CHECK(runs(framework("deepspeed"), stages));
    CHECK_FALSE(runs(framework("torchtitan"), stages)); // FSDP is ZeRO-2 at least
    CHECK_FALSE(runs(framework("fsdp"), stages));       // no pipeline
    CHECK_FALSE(runs(framework("maxtext"), stages));    // not 1F1B

    Scenario sharded = stages;
    sharded.parallel.zero = 2;
    CHECK_FALSE(runs(framework("megatron"), sharded));
    CHECK_FALSE(runs(framework("deepspeed"), sharded));
    CHECK(runs(framework("torchtitan"), sharded));

    Scenario zero_bubble = sharded;
    zero_bubble.training.schedule = schedule("interleaved-zb");
    zero_bubble.parallel.chunks = 2;
    CHECK(runs(framework("torchtitan"), zero_bubble));
    zero_bubble.parallel.chunks = 1; // two stages a rank at least
    CHECK_FALSE(runs(framework("torchtitan"), zero_bubble));

    Scenario uneven = stages;
    uneven.model.layers = 7;
    CHECK(runs(framework("megatron"), uneven));
    CHECK_FALSE(runs(framework("deepspeed"), uneven));

    Scenario rounds = dense();
    rounds.parallel.pipeline = 2;
    rounds.training.schedule = schedule("gpipe");
    CHECK(runs(framework("maxtext"), rounds)); // 16 sequences over 4 replicas: 4 micro-batches
    rounds.training.global_batch = 12;         // 3, no multiple of 2 stages
    CHECK_FALSE(runs(framework("maxtext"), rounds));
}

TEST_CASE("tensor, sequence and context parallelism as each framework has them")
{
    Scenario tensor = dense();
    tensor.parallel.tensor = 2;
    tensor.parallel.zero = 2;
    CHECK(runs(framework("megatron"), tensor));
    CHECK(runs(framework("deepspeed"), tensor));
    CHECK_FALSE(runs(framework("torchtitan"), tensor)); // always with sequence parallelism
    CHECK_FALSE(runs(framework("fsdp"), tensor));
    tensor.parallel.sequence_parallel = true;
    CHECK_FALSE(runs(framework("deepspeed"), tensor));
    CHECK(runs(framework("torchtitan"), tensor));
    tensor.parallel.zero = 3;
    tensor.parallel.sequence_parallel = false;
    CHECK_FALSE(runs(framework("deepspeed"), tensor)); // ZeRO-2 at most

    Scenario context = dense();
    context.parallel.context = 2;
    context.parallel.zero = 3;
    CHECK(runs(framework("megatron"), context));
    CHECK(runs(framework("torchtitan"), context));
    CHECK_FALSE(runs(framework("deepspeed"), context)); // not by a ring
    CHECK_FALSE(runs(framework("fsdp"), context));
    context.training.sequence_length = 126; // no multiple of 4
    CHECK_FALSE(runs(framework("megatron"), context));
    CHECK_FALSE(runs(framework("torchtitan"), context));
}

TEST_CASE("expert parallelism as each framework has it")
{
    Scenario experts = with_experts();
    experts.parallel.expert = 4;
    experts.parallel.zero = 2;
    CHECK(runs(framework("megatron"), experts));
    CHECK(runs(framework("torchtitan"), experts));
    CHECK_FALSE(runs(framework("fsdp"), experts));
    experts.parallel.zero = 0; // shared among sharded replicas only
    CHECK(runs(framework("megatron"), experts));
    CHECK_FALSE(runs(framework("torchtitan"), experts));

    experts.parallel.tensor = 2; // with experts Megatron-LM asks for sequence parallelism
    CHECK_FALSE(runs(framework("megatron"), experts));
    experts.parallel.sequence_parallel = true;
    CHECK(runs(framework("megatron"), experts));
}

TEST_CASE("a search for a framework offers what it runs and counts the rest")
{
    for (const Scenario& s : {dense(), with_experts()})
    {
        for (const char* id : kFrameworks)
        {
            INFO(id << ", " << s.model.experts << " experts");
            const SearchResult found = found_for(s, id);
            REQUIRE_FALSE(found.best.empty());
            CHECK(found.count(Rejection::framework) > 0);
            for (const std::vector<Candidate>* list : {&found.best, &found.cuts, &found.frontier})
            {
                for (const Candidate& c : *list)
                {
                    Scenario at = s;
                    apply(c.layout, at);
                    CHECK(runs(framework(id), at));
                }
            }
        }
    }
}

TEST_CASE("the launch of a framework says every layout that a search offers for it")
{
    constexpr std::array<std::string_view, 10> kLayout{
        "parallel.zero",      "parallel.sequence_parallel", "parallel.chunks",  "parallel.stage_layers",
        "parallel.expert",    "parallel.expert_tensor",     "parallel.context", "training.schedule",
        "training.recompute", "training.sequence_length"};
    for (const Scenario& s : {dense(), with_experts()})
    {
        for (const char* id : {"megatron", "torchtitan"})
        {
            for (const Candidate& c : found_for(s, id).best)
            {
                Scenario at = s;
                apply(c.layout, at);
                for (const NotExpressed& missed : write_launch(framework(id), at).not_expressed)
                {
                    INFO(id << ": " << missed.field << " " << missed.value << ": " << missed.says);
                    CHECK(std::ranges::find(kLayout, missed.field) == kLayout.end());
                }
            }
        }
    }
}

TEST_CASE("the launch of every layout that a search offers for a framework reads back as that layout")
{
    std::size_t staged = 0;
    std::size_t chunked = 0;
    for (const Scenario& s : {dense(), with_experts()})
    {
        for (const char* id : kFrameworks)
        {
            const SearchResult found = found_for(s, id);
            for (const std::vector<Candidate>* list : {&found.best, &found.cuts, &found.sample})
            {
                for (const Candidate& c : *list)
                {
                    Scenario at = s;
                    apply(c.layout, at);
                    const Launch launch = write_launch(framework(id), at);
                    const Layout read = read_launch(framework(id), launch, without_layout(at));
                    // MaxText shards over the axes of the experts and of the context, too.
                    const bool named = std::ranges::find(launch.not_expressed, "parallel.zero",
                                                         &NotExpressed::field) != launch.not_expressed.end();
                    INFO(id << " tensor " << read.tensor << " pipeline " << read.pipeline << " chunks "
                            << read.chunks << " zero " << read.zero << " experts " << read.expert);
                    CHECK((same_run(read, c.layout) ||
                           (named && (s.model.experts > 0 || c.layout.context > 1))));
                    CHECK_FALSE(launch.flags.empty());
                    staged += read.pipeline > 1 ? 1 : 0;
                    chunked += read.chunks > 1 ? 1 : 0;
                }
            }
        }
    }
    CHECK(staged > 0);
    CHECK(chunked > 0);
}

TEST_CASE("MaxText's mesh multiplies out to the GPUs, in and across nodes")
{
    Scenario s = dense();
    s.cluster.gpus = 16;
    s.cluster.gpus_per_node = 4;
    s.parallel.tensor = 2;
    s.parallel.pipeline = 2;
    s.parallel.zero = 3;
    s.training.schedule = schedule("gpipe");
    const Launch launch = write_launch(framework("maxtext"), s);
    std::int64_t ici = 1;
    std::int64_t dcn = 1;
    for (const LaunchFlag& flag : launch.flags)
    {
        if (flag.flag.ends_with("_parallelism"))
        {
            (flag.flag.starts_with("ici_") ? ici : dcn) *= std::stoll(flag.value);
        }
    }
    CHECK(ici == 4);
    CHECK(dcn == 4);
    const auto value_of = [&](std::string_view name)
    { return std::ranges::find(launch.flags, name, &LaunchFlag::flag)->value; };
    CHECK(value_of("ici_tensor_parallelism") == "2");
    CHECK(value_of("ici_fsdp_parallelism") == "2");
    CHECK(value_of("dcn_fsdp_parallelism") == "2");
    CHECK(value_of("dcn_pipeline_parallelism") == "2");
    CHECK(value_of("per_device_batch_size") == "1"); // 16 sequences of a step
    CHECK(value_of("num_pipeline_microbatches") == "4");
    CHECK(read_launch(framework("maxtext"), launch, s) == layout_of(s));
}

TEST_CASE("what a framework's rules cannot say is named")
{
    Scenario s = dense();
    s.parallel.tensor = 2; // FSDP has none
    s.parallel.zero = 3;
    const Launch launch = write_launch(framework("fsdp"), s);
    REQUIRE(launch.not_expressed.size() == 1);
    CHECK(launch.not_expressed.front().field == "parallel.tensor");
    CHECK(launch.files.size() == 3);
}

TEST_CASE("a framework's file with an unknown schedule or stage is refused")
{
    const nlohmann::json good{{"schema", "ringside.framework/1"},
                              {"id", "x"},
                              {"name", "X"},
                              {"version", "1"},
                              {"sources", nlohmann::json::array({"somewhere"})},
                              {"zero", {0, 1}},
                              {"recompute", nlohmann::json::array({"none"})},
                              {"schedules", nlohmann::json::array({nlohmann::json{{"id", "1f1b"}}})}};
    const auto read = framework_from_json(good);
    REQUIRE(read);
    CHECK(read->schedules.front().most_chunks == 0);
    CHECK_FALSE(read->uneven_stages);
    nlohmann::json bad = good;
    bad["schedules"][0]["id"] = "2f2b";
    CHECK_FALSE(framework_from_json(bad));
    bad = good;
    bad["zero"] = {0, 4};
    CHECK_FALSE(framework_from_json(bad));
    for (const char* name : {"../../x", "/etc/x", "a/b", ".bashrc", "a\\b"})
    {
        bad = good;
        bad["files"] = {{{"name", name}, {"format", "yaml"}}};
        CHECK_FALSE(framework_from_json(bad));
    }
    bad["files"][0]["name"] = "config.toml";
    CHECK(framework_from_json(bad));
    bad = good;
    bad["speed"] = 1;
    CHECK_FALSE(framework_from_json(bad));
}

TEST_CASE("a launch rule for a field that is none is a fault, and no shipped file has one")
{
    for (const Framework& framework : test::presets().frameworks)
    {
        INFO(framework.id);
        CHECK(launch_rule_faults(framework).empty());
    }
    Framework framework;
    framework.launch.push_back({.flag = "--a", .field = "parallel.tensor"});
    framework.launch.push_back({.flag = "--d", .field = "a_count", .when = "parallel.pipeline > 1"});
    CHECK(launch_rule_faults(framework).empty());
    framework.launch.push_back({.flag = "--b", .field = "paralel.tensor"});
    framework.launch.push_back({.flag = "--c", .field = "parallel.tensor", .reads = "value +"});
    const Issues faults = launch_rule_faults(framework);
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].path == "launch[2].field");
    CHECK(faults[1].path == "launch[3].reads");
}
