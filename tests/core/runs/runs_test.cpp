// Small files of our own in the shapes that frameworks write, with numbers that were chosen by hand.
#include "tests/core/support.h"

#include "core/runs/advice.h"
#include "core/runs/compare.h"
#include "core/runs/drift.h"
#include "core/runs/predicted/predicted_snapshot.h"
#include "core/runs/predicted/predicted_trace.h"
#include "core/runs/run.h"
#include "core/runs/tensor_names.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace ringside;
using Catch::Approx;

namespace
{

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
        files.push_back(run_file(name, sample(name)));
    }
    const auto run = read_run(files);
    REQUIRE(run);
    return *run;
}

std::string fault_of(const std::string& bytes)
{
    const auto run = read_run({run_file("stranger", bytes)});
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
        {"olmo-core.log", "olmo-core", 3, 3, 8.5},      {"ringside.jsonl", "ringside", 3, 0.25, 4.25},
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
    CHECK(run_of({"ringside.jsonl"}).log->summary.allocated == 1450000);
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

TEST_CASE("a late rank is told from a late node by who else of its node waits")
{
    const auto joined = [](const std::vector<double>& waits)
    {
        TraceJoin join;
        for (const double waited : waits)
        {
            join.ranks.push_back({std::ssize(join.ranks), waited});
        }
        join.straggler = std::ranges::min_element(waits) - waits.begin();
        return join;
    };
    const LateRanks rank = late_ranks(joined({30, 31, 5, 33, 30, 32, 31, 30}), 4);
    CHECK(rank.ranks == std::vector<std::int64_t>{2});
    CHECK(rank.node == -1);
    CHECK(rank.beside == 3);
    const LateRanks node = late_ranks(joined({30, 31, 33, 32, 2, 1, 3, 2}), 4);
    CHECK(node.ranks == std::vector<std::int64_t>{4, 5, 6, 7});
    CHECK(node.node == 1);
    const LateRanks several = late_ranks(joined({30, 2, 33, 32, 2, 31, 30, 32}), 4);
    CHECK(several.ranks == std::vector<std::int64_t>{1, 4});
    CHECK(several.node == -1);
    CHECK(late_ranks(TraceJoin(), 4).ranks.empty());
}

TEST_CASE("a trace that is cut off is read as far as it goes, and says so")
{
    const std::string whole = sample("trace-rank0.json.gz");
    const auto run = read_run({run_file("half.json.gz", whole.substr(0, whole.size() * 3 / 4))});
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

namespace
{

// A trace by hand, in microseconds of one stream of each kind.
GpuEvent event_at(std::int64_t from, std::int64_t to, std::uint32_t name, GpuWork work,
                  std::uint32_t call = 0)
{
    return {.start = from * 1000,
            .length = (to - from) * 1000,
            .launched = 0,
            .name = name,
            .collective = call,
            .work = work};
}

RunReading hand_made_run()
{
    GpuTrace trace;
    trace.names = {"nvjet_tst_128x256", "flash_fwd_kernel", "at::native::vectorized_elementwise_kernel",
                   "ncclDevKernel_AllGather_RING_LL", "some_kernel_of_ours"};
    trace.collectives = {{"_allgather_base", "mesh_dp", 8, "BFloat16", 1}};
    trace.events = {event_at(0, 40, 0, GpuWork::computing),  event_at(20, 60, 3, GpuWork::communication, 1),
                    event_at(60, 70, 1, GpuWork::computing), event_at(70, 75, 2, GpuWork::computing),
                    event_at(75, 77, 4, GpuWork::computing), event_at(80, 100, 0, GpuWork::computing)};
    trace.timeline = timeline_of(trace.events);
    RunReading run;
    run.traces = {trace};
    return run;
}

double measured_of(const RunComparison& compared, std::string_view part)
{
    const auto found = std::ranges::find(compared.parts, part, &ComparedPart::name);
    return found == compared.parts.end() ? -1 : found->measured.value_or(-1);
}

} // namespace

TEST_CASE("hand-worked: a trace's parts add up to its step, shared time counts as computing")
{
    Scenario s = test::presets().scenario("gpt-13b-8")->scenario;
    const auto report = evaluate(s);
    REQUIRE(report);
    const RunComparison compared = compare_run(hand_made_run(), s, *report);
    CHECK(measured_of(compared, "products") == Approx(60e-6));
    CHECK(measured_of(compared, "attention") == Approx(10e-6));
    CHECK(measured_of(compared, "exposed data traffic") == Approx(20e-6));
    CHECK(measured_of(compared, kUnexplained) == Approx(2e-6));
    double sum = 0;
    for (const ComparedPart& part : compared.parts)
    {
        REQUIRE(part.measured);
        sum += *part.measured;
    }
    CHECK(sum == Approx(100e-6));
    CHECK(compared.unexplained() == Approx(0.02));
}

TEST_CASE("a log tells no parts apart: nothing but the difference counts as measured")
{
    Scenario s = test::presets().scenario("gpt-13b-8")->scenario;
    const auto report = evaluate(s);
    REQUIRE(report);
    const RunComparison compared = compare_run(run_of({"megatron.log"}), s, *report);
    double step = 0;
    for (const ComparedPart& part : compared.parts)
    {
        CHECK(part.measured.has_value() == (part.name == kUnexplained));
        step += part.measured.value_or(part.predicted);
    }
    CHECK(step == Approx(0.5025));
}

TEST_CASE("the predicted step written as Kineto's JSON reads back as the same trace")
{
    for (const std::int64_t pipeline : {1, 4})
    {
        Scenario s = test::presets().scenario("gpt-13b-8")->scenario;
        s.parallel.pipeline = pipeline;
        s.parallel.tensor = 1;
        s.parallel.zero = pipeline > 1 ? 1 : 3;
        s.training.global_batch = 64; // of few micro-batches: the trace lists at most 64
        const auto report = evaluate(s);
        REQUIRE(report);
        const GpuTrace trace = predicted_trace(s, *report);
        REQUIRE(trace.timeline.events() > 10);
        CHECK(trace.timeline.total == Approx(report->step.total()).epsilon(0.001));
        const std::string text = kineto_text(trace);
        REQUIRE(is_kineto(text.substr(0, 4096)));
        TextBytes bytes(text);
        const auto read = read_kineto(bytes);
        REQUIRE(read);
        CHECK(read->world == s.cluster.gpus);
        CHECK(read->steps.size() == 1);
        CHECK(read->timeline.events() == trace.timeline.events());
        CHECK(read->timeline.computing == Approx(trace.timeline.computing));
        CHECK(read->timeline.exposed_communication == Approx(trace.timeline.exposed_communication));
        REQUIRE(read->collectives.size() == trace.collectives.size());
        for (std::size_t i = 0; i < trace.collectives.size(); ++i)
        {
            CHECK(read->collectives[i].name == trace.collectives[i].name);
            CHECK(read->collectives[i].count == trace.collectives[i].count);
        }
    }
}

TEST_CASE("the predicted step, read back, is explained part by part")
{
    for (const char* name :
         {"default", "gpt-13b-8", "llama-8b-8", "llama-70b-128", "mixtral-8x7b-64", "mpt-30b-512"})
    {
        for (const std::int64_t zero : {-1, 0, 1, 3})
        {
            Scenario s = test::presets().scenario(name)->scenario;
            s.parallel.zero = zero < 0 ? s.parallel.zero : zero;
            INFO(name << ", ZeRO-" << s.parallel.zero);
            const auto report = evaluate(s);
            if (!report)
            {
                continue; // ZeRO-3 and this pipeline exclude each other
            }
            const std::string text = kineto_text(predicted_trace(s, *report));
            const auto run = read_run({run_file("predicted.pt.trace.json", text)});
            REQUIRE(run);
            const RunComparison compared = compare_run(*run, s, *report);
            CHECK(compared.unexplained() < 0.01);
            const double step = report->step.total();
            for (const ComparedPart& part : compared.parts)
            {
                INFO(part.name << ": predicted " << part.predicted << ", in the trace "
                               << part.measured.value_or(0));
                // Where a collective runs in a launch gap, that counts as exposed communication.
                CHECK(std::abs(part.change()) < 0.03 * step);
            }
        }
    }
}

TEST_CASE("the predicted memory is a snapshot whose peak is the ledger's allocated bytes, to the byte")
{
    for (const char* name : {"default", "gpt-13b-8", "llama-8b-8", "llama-70b-128", "mixtral-8x7b-64",
                             "mpt-30b-512", "deepseek-v3-2048"})
    {
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
        {
            Scenario s = test::presets().scenario(name)->scenario;
            s.training.recompute = recompute;
            INFO(name << ", " << name_of(recompute));
            const auto report = evaluate(s);
            if (!report)
            {
                continue; // nothing of this model can be recomputed selectively
            }
            const auto run = read_run({run_file("predicted", pickle_of(predicted_snapshot(s, *report)))});
            REQUIRE(run);
            REQUIRE(run->snapshot);
            const StageMemory& stage = report->memory.most_allocated();
            CHECK(run->snapshot->peak == static_cast<std::int64_t>(stage.allocated().value));
            const Bytes lasting =
                stage.allocated() - stage.of(Component::activations) - stage.buffers.moving();
            CHECK(run->snapshot->requested == static_cast<std::int64_t>(lasting.value));
            CHECK(run->snapshot->peak_reserved >= run->snapshot->peak);
        }
    }
}

TEST_CASE("a pickle of our own reads back as the document it was written from")
{
    const nlohmann::json document{{"whole", {0, 1, -1, 255, 65536, -2147483648LL, 0x7f0000000000, INT64_MIN}},
                                  {"real", {0.5, -1e300}},
                                  {"text", {"", "queries", "\u03b2"}},
                                  {"nothing", nullptr},
                                  {"yes", {true, false}},
                                  {"empty", {nlohmann::json::array(), nlohmann::json::object()}}};
    const std::string bytes = pickle_of(document);
    REQUIRE(is_pickle(bytes));
    const auto tree = tree_of_pickle(bytes);
    REQUIRE(tree);
    const DataTree expected = tree_of_json(document);
    const std::function<void(const DataValue&, const DataValue&)> same =
        [&](const DataValue& got, const DataValue& want)
    {
        REQUIRE(got.kind == want.kind);
        CHECK(DataTree::whole(got) == DataTree::whole(want));
        CHECK(DataTree::text(got) == DataTree::text(want));
        CHECK((got.kind != DataValue::Kind::real || got.real == want.real));
        for (const bool list : {true, false})
        {
            const auto a = list ? tree->items(got) : tree->pairs(got);
            const auto b = list ? expected.items(want) : expected.pairs(want);
            REQUIRE(a.size() == b.size());
            for (std::size_t i = 0; i < a.size(); ++i)
            {
                same(a[i], b[i]);
            }
        }
    };
    same(tree->root, expected.root);
}

TEST_CASE("events of a trace still name their collective once those are sorted by time")
{
    const RunReading run = run_of({"trace-rank0.json.gz"});
    const GpuTrace& trace = run.traces.front();
    for (std::size_t i = 0; i < trace.collectives.size(); ++i)
    {
        std::int64_t count = 0;
        double seconds = 0;
        for (const GpuEvent& event : trace.events)
        {
            count += event.collective == i + 1 ? 1 : 0;
            seconds += event.collective == i + 1 ? static_cast<double>(event.length) * 1e-9 : 0;
        }
        CHECK(count == trace.collectives[i].count);
        CHECK(seconds == Approx(trace.collectives[i].seconds));
    }
}

TEST_CASE("what to do about a run comes with what it buys, the most first")
{
    Scenario s = test::presets().scenario("gpt-13b-8")->scenario;
    const auto report = evaluate(s);
    REQUIRE(report);
    RunComparison compared;
    compared.parts = {{"launch gaps", 0.001, 0.2, "waterfall/constants"},
                      {"exposed data traffic", 0.01, 0.5, "step/timeline"},
                      {"products", 1, 2, "roofline"}};
    RunReading run = run_of({"megatron.log"});
    run.log->summary.seconds.median = 3;
    run.log->summary.mean_seconds = 3;
    const std::vector<RunAdvice> advice = advice_on(run, compared, 8);
    REQUIRE(advice.size() == 2);
    CHECK(advice[0].seconds == Approx(0.49));
    CHECK(advice[0].place == "step/timeline");
    CHECK(advice[1].seconds == Approx(0.199));
}

TEST_CASE("hand-worked: blocks of a snapshot are named by the tensor that is as large")
{
    Scenario s = test::presets().scenario("gpt-13b-8")->scenario;
    s.parallel.tensor = 1;
    s.training.micro_batch = 1;
    s.training.sequence_length = 4096; // with 2,048 tokens the scores' mask were as large
    const std::int64_t wide = s.training.sequence_length * s.model.ffn * 4; // FP32, as wide as the MLP
    const auto named = named_blocks({{"", wide, 5 * s.model.layers}, {"", 12345, 3}}, s);
    REQUIRE(named.size() == 2);
    CHECK(named[0].name.ends_with("FP32"));
    CHECK(named[0].per_layer == Approx(5));
    CHECK(named[1].name.empty());
}

TEST_CASE("hand-worked: a run that leaves its band or slows down says so")
{
    StepSummary summary;
    summary.warm_up = 1;
    for (std::int64_t step = 1; step <= 30; ++step)
    {
        summary.times.push_back({step, step == 1 ? 9.0 : step <= 20 ? 1.0 : 1.2});
    }
    const Band band{.low = 0.9, .high = 1.1};
    const RunDrift slow = drift_of(summary, 1.0, band);
    CHECK(slow.step == 30);
    CHECK(slow.recent == Approx(1.2));
    CHECK(slow.before == Approx(1.0));
    CHECK(slow.outside);
    CHECK(slow.slower);
    CHECK(drift_words(slow, 1.0).find("(+20.0%)") != std::string::npos);
    summary.times.resize(15);
    const RunDrift steady = drift_of(summary, 1.0, band);
    CHECK_FALSE(steady.outside);
    CHECK_FALSE(steady.slower);
}
