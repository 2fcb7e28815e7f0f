// Small files of our own in the shapes that frameworks write, with numbers that were chosen by hand.
#include "tests/core/support.h"

#include "core/runs/compare.h"
#include "core/runs/run.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace ringside;
using Catch::Approx;

namespace
{

RunFile text_file(const std::string& name, const std::string& text)
{
    const auto kept = std::make_shared<const std::string>(text);
    struct Kept final : ByteSource
    {
        explicit Kept(std::shared_ptr<const std::string> t) : text(std::move(t)), bytes(*text) {}
        std::size_t read(char* to, std::size_t most) override { return bytes.read(to, most); }
        std::shared_ptr<const std::string> text;
        TextBytes bytes;
    };
    return {name, [kept] { return std::make_unique<Kept>(kept); }};
}

std::string sample(const std::string& name)
{
    std::ifstream in(test::source_path("tests/data/runs/" + name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

RunReading run_of(const std::vector<std::string>& names)
{
    std::vector<RunFile> files;
    for (const std::string& name : names)
    {
        files.push_back(text_file(name, sample(name)));
    }
    const auto run = read_run(files);
    REQUIRE(run);
    return *run;
}

std::string fault_of(const std::string& bytes)
{
    const auto run = read_run({text_file("stranger", bytes)});
    REQUIRE_FALSE(run);
    return to_line(run.issues().front());
}

} // namespace

TEST_CASE("every framework's line of a step is read: time, loss, rates")
{
    struct Case
    {
        const char* file;
        const char* software;
        std::int64_t steps;
        double seconds;
        double first_loss;
    };
    const std::vector<Case> cases{
        {"megatron.log", "megatron", 5, 0.5025, 10},    {"bridge.log", "megatron-bridge", 1, 4.7, 12},
        {"torchtitan.log", "torchtitan", 4, 0.2, 9.5},  {"torchtitan-old.log", "torchtitan", 2, 1, 8},
        {"torchtitan.jsonl", "torchtitan", 3, 0.75, 8}, {"deepspeed.log", "deepspeed", 4, 0.7, 0},
        {"nemo.log", "nemo", 1, 4.25, 11.03},           {"primus.log", "primus", 1, 0.6545, 11.01008},
        {"hf-trainer.log", "hf-trainer", 4, 2, 3.5},    {"nanotron.log", "nanotron", 3, 1.25, 9},
        {"maxtext.log", "maxtext", 4, 5.5, 12.5},       {"llmc.log", "llm.c", 3, 0.1015, 11},
        {"nanogpt.log", "nanogpt", 3, 0.251, 10.9},     {"nanochat.log", "nanochat", 3, 0.5015, 9.5},
        {"olmo-core.log", "olmo-core", 3, 3, 8.5},
    };
    for (const Case& each : cases)
    {
        INFO(each.file);
        const RunReading run = run_of({each.file});
        REQUIRE(run.log);
        CHECK(run.software == each.software);
        CHECK(run.log->summary.count == each.steps);
        CHECK(run.log->summary.seconds.median == Approx(each.seconds));
        CHECK(run.log->steps.front().at(LogValue::loss).value_or(0) == Approx(each.first_loss));
        CHECK(run.log->summary.nan == 0);
    }
}

TEST_CASE("a log's memory is in the units of its framework, and copies of other ranks are dropped")
{
    CHECK(run_of({"megatron.log"}).log->summary.allocated == 2000 * 1048576LL);
    CHECK(run_of({"bridge.log"}).log->summary.reserved == 60'250'000'000);
    const RunReading titan = run_of({"torchtitan.log"});
    CHECK(titan.log->summary.reserved == 32'749'125'632); // 30.5 GiB
    CHECK(titan.log->copies == 4);
    CHECK(run_of({"megatron.log"}).log->summary.skipped == 1);
}

TEST_CASE("a trace counts what was launched in it; symmetric memory is communication")
{
    const RunReading run = run_of({"trace-rank0.json.gz", "trace-rank1.json.gz"});
    REQUIRE(run.traces.size() == 2);
    const GpuTrace& trace = run.traces[0];
    CHECK(trace.in_file == 5);
    CHECK(trace.timeline.events() == 4);
    CHECK(trace.timeline.total == Approx(650e-6));
    CHECK(trace.timeline.computing == Approx(310e-6));
    CHECK(trace.timeline.exposed_communication == Approx(150e-6)); // 100 of the all-reduce, 50 of the other
    CHECK(trace.timeline.idle == Approx(190e-6));
    CHECK(trace.timeline.launch_gaps == Approx(40e-6)); // until the last kernel was launched
    CHECK(trace.without_symmetric.computing == Approx(360e-6));
    REQUIRE(trace.steps.size() == 1);
    CHECK(trace.steps[0].gpu.total == Approx(650e-6));
    REQUIRE(trace.collectives.size() == 1);
    CHECK(trace.collectives[0].bytes_in == 2000);
    CHECK(run.join->straggler == 1);
    CHECK(run.join->ranks[0].waited == Approx(80e-6));
}

TEST_CASE("a trace that is cut off is read as far as it goes, and says so")
{
    const std::string whole = sample("trace-rank0.json.gz");
    const auto run = read_run({text_file("half.json.gz", whole.substr(0, whole.size() * 3 / 4))});
    REQUIRE(run);
    CHECK(run->traces[0].in_file > 0);
    CHECK(run->messages.front().find("cut off") != std::string::npos);
}

TEST_CASE("a snapshot's peak is replayed from what is in use at its end")
{
    const RunReading run = run_of({"snapshot.pickle"});
    REQUIRE(run.snapshot);
    CHECK(run.snapshot->reserved == 6144);
    CHECK(run.snapshot->live == 1024);
    CHECK(run.snapshot->peak == 3000);
    CHECK(run.snapshot->inactive == 3072);
    CHECK(run.snapshot->empty_segments == 2048);
    CHECK(run.snapshot->peak_lines.front().by == "train.py:forward:12");
}

TEST_CASE("who hung completed fewer calls, though it enqueued more; pickles and JSON join")
{
    const RunReading run = run_of({"hang/dump_0", "hang/dump_1", "hang/dump_2"});
    REQUIRE(run.hang);
    CHECK(run.hang->culprits == std::set<std::int64_t>{2});
    REQUIRE(run.hang->groups.size() == 1);
    CHECK(run.hang->groups[0].waiting.sequence == 7);
    CHECK(run.hang->groups[0].waiting.collective == "nccl:all_reduce");
}

TEST_CASE("tables of nsys and of nccl-tests are read")
{
    const RunReading nsys = run_of({"nsys.csv"});
    CHECK(nsys.traces.at(0).timeline.exposed_communication == Approx(300e-9));
    CHECK(nsys.traces.at(0).timeline.memcpys == 1);
    const RunReading nccl = run_of({"nccl-tests.txt"});
    CHECK(nccl.nccl->peak_bus() == Approx(503.32e9));
    CHECK(nccl.nccl->ranks_of_all_reduce() == 16);
}

TEST_CASE("a pickle that would run code is refused by the opcode's name")
{
    using namespace std::string_literals;
    CHECK(fault_of("\x80\x02"s + "cos\nsystem\n.").find("GLOBAL") != std::string::npos);
    CHECK(fault_of("\x80\x04)R."s).find("REDUCE") != std::string::npos);
    CHECK(fault_of("\x80\x04}b."s).find("BUILD") != std::string::npos);
    CHECK(fault_of("\x80\x04X\xff\xff\xff\x7fx."s).find("beyond its end") != std::string::npos);
    CHECK(fault_of("\x80\x04}q"s).find("beyond its end") != std::string::npos);
    CHECK(fault_of("\x80\x04u."s).find("has not opened") != std::string::npos);
    CHECK(fault_of("\x80\x04}\x94"s).find("cut off") != std::string::npos);
}

TEST_CASE("files say what they are, and what is none of a run is told apart")
{
    CHECK(kind_of_run(sample("trace-rank0.json.gz")) == "a trace of PyTorch's profiler");
    CHECK(kind_of_run(sample("nemo.log")) == "a log of a training run");
    CHECK(kind_of_run("{\"schema\": \"ringside.scenario/1\"}").empty());
    CHECK(fault_of("nothing of the kind").find("is no file of a training run") != std::string::npos);
    CHECK(rank_of_name("a/rank-34.json") == 34);
    CHECK(rank_of_name("_dump_12") == 12);
    CHECK(rank_of_name("trace.json") == -1);
}

TEST_CASE("what a log states of its run fills in the scenario, whatever framework wrote it")
{
    for (const char* software : {"maxtext", "megatron", "torchtitan", ""})
    {
        INFO(software);
        RunReading run = run_of({"maxtext.log"}); // Num_devices: 4
        run.software = software;
        const auto read = scenario_of_run(run, {}, test::presets());
        REQUIRE(read);
        REQUIRE(*read);
        CHECK((*read)->scenario.cluster.gpus == 4);
        const auto by = std::ranges::find((*read)->fields, "cluster.gpus", &ReadField::field);
        REQUIRE(by != (*read)->fields.end());
        CHECK(by->from == Basis::stated);
    }
}

TEST_CASE("a device's name in a trace is the preset that is most like it")
{
    const auto gpu = [](const char* device)
    {
        RunReading run;
        run.traces.resize(1);
        run.traces.front().device = device;
        run.traces.front().world = 8;
        const auto read = scenario_of_run(run, {}, test::presets());
        REQUIRE(read);
        REQUIRE(*read);
        return (*read)->scenario.cluster.gpu.id;
    };
    CHECK(gpu("NVIDIA H100 80GB HBM3") == "h100-sxm-80gb");
    CHECK(gpu("NVIDIA H100 PCIe") == "h100-pcie-80gb");
    CHECK(gpu("NVIDIA A100-SXM4-40GB") == "a100-sxm-40gb");
    CHECK(gpu("NVIDIA H200") == "h200-sxm");
}

TEST_CASE("what a run leaves unexplained is what no part of the step is")
{
    RunComparison compared;
    compared.parts = {{"computing", 1, 2}, {"unexplained", 0, -0.5}};
    CHECK(compared.unexplained() == Approx(0.5 / 1.5));
}
