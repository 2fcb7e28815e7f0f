// The glossary: reading, every kind of fault, finding; what ships covers every concept.
#include "tests/core/support.h"
#include "tests/source_path.h"

#include "core/base/json/json.h"
#include "core/base/text/find.h"
#include "core/study/lessons/lesson_course.h"
#include "core/study/library/glossary.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>

using namespace ringside;
using nlohmann::json;

namespace
{

json small()
{
    return json::parse(R"json({"schema": "ringside.glossary/1", "terms": [
      {"id": "mfu", "term": "MFU", "also": ["model FLOPs utilization"], "text": "FLOPs of the model over the peak.",
       "formula": "6 N D / (n peak t)", "source": "a paper", "view": "waterfall", "lesson": "mfu", "related": ["bubble"]},
      {"id": "bubble", "term": "Bubble", "text": "Time in which a stage waits; it lowers MFU."}]})json");
}

std::vector<GlossaryTerm> terms_of(const json& file)
{
    auto read = read_glossary(file);
    REQUIRE(read);
    return *read;
}

// Every fault of reading or, without any, of what must hold beside one lesson and one view.
std::string faults_of(const json& file)
{
    const auto read = read_glossary(file);
    Lesson lesson;
    lesson.id = "mfu";
    const std::array<std::string_view, 1> views{"waterfall"};
    const Issues issues = read ? check_glossary(*read, {&lesson, 1}, views) : read.issues();
    std::string all;
    for (const Issue& issue : issues)
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

bool says(const std::string& text, std::string_view words)
{
    INFO(text);
    return text.find(words) != std::string::npos;
}

const std::vector<GlossaryTerm>& shipped()
{
    static const std::vector<GlossaryTerm> all = []
    {
        std::ifstream in(test::source_path("assets/study/glossary.json"));
        auto read = read_glossary(json::parse(in));
        INFO((read ? "" : to_line(read.issues().front())));
        REQUIRE(read);
        return *read;
    }();
    return all;
}

// Ids of the first few found.
std::vector<std::string> found(std::string_view query, std::size_t most = 3)
{
    std::vector<std::string> ids;
    for (const std::size_t i : search_terms(shipped(), query))
    {
        if (ids.size() < most)
        {
            ids.push_back(shipped()[i].id);
        }
    }
    return ids;
}

} // namespace

TEST_CASE("a glossary is read by name, whatever its order in the file")
{
    const auto terms = terms_of(small());
    REQUIRE(terms.size() == 2);
    CHECK(terms[0].id == "bubble");
    CHECK(terms[1].term == "MFU");
    CHECK(terms[1].also == std::vector<std::string>{"model FLOPs utilization"});
    CHECK(terms[1].related == std::vector<std::string>{"bubble"});
    CHECK(initial_of(terms[0]) == "B");
    CHECK(find_term(terms, "mfu") == &terms[1]);
    CHECK(find_term(terms, "hfu") == nullptr);
    CHECK(faults_of(small()).empty());
}

TEST_CASE("what is wrong in a glossary is named by its path")
{
    CHECK(says(faults_of(json::array()), "object"));
    CHECK(says(faults_of({{"schema", "ringside.glossary/2"}, {"terms", json::array()}}),
               "ringside.glossary/1"));
    CHECK(says(faults_of({{"schema", "ringside.glossary/1"}, {"terms", 3}}), "terms: 3 "));
    json file = small();
    file["terms"][1]["text"] = "";
    CHECK(says(faults_of(file), "terms[1].text: \"\" is not text"));
    file = small();
    file["terms"][0].erase("term");
    CHECK(says(faults_of(file), "terms[0].term"));
    file = small();
    file["terms"][0]["also"][0] = "";
    CHECK(says(faults_of(file), "terms[0].also[0]: \"\" "));
    file = small();
    file["terms"][0]["also"] = "AR";
    CHECK(says(faults_of(file), "terms[0].also: \"AR\" "));
    file = small();
    file["terms"][0]["also"][0] = "MFU";
    CHECK(says(faults_of(file), "terms[0].also: \"MFU\" is the term itself"));
    file = small();
    file["terms"][0]["colour"] = "red";
    CHECK(says(faults_of(file), "terms[0].colour"));
    file = small();
    file["terms"][1]["id"] = "mfu";
    CHECK(says(faults_of(file), "terms[1].id: \"mfu\" is another term's"));
    file = small();
    file["terms"][1]["term"] = "mfu";
    CHECK(says(faults_of(file), "terms[1].term: \"mfu\" is there already"));
}

TEST_CASE("a term's view, lesson and related terms must be there")
{
    json file = small();
    file["terms"][0]["view"] = "waterfal";
    CHECK(says(faults_of(file), "mfu.view: there is no view \"waterfal\""));
    file = small();
    file["terms"][0]["lesson"] = "hfu";
    CHECK(says(faults_of(file), "mfu.lesson: there is no lesson \"hfu\""));
    file = small();
    file["terms"][0]["related"][0] = "buble";
    CHECK(says(faults_of(file), "mfu.related: there is no term \"buble\" (did you mean \"bubble\"?)"));
    file["terms"][0]["related"][0] = "mfu";
    CHECK(says(faults_of(file), "a term is not related to itself"));
    file["terms"][0]["related"] = {"bubble", "bubble"};
    CHECK(says(faults_of(file), "names one twice"));
}

TEST_CASE("the closest term comes first: name or abbreviation, start, word, middle, text")
{
    CHECK(found("mfu").front() == "mfu");
    CHECK(found("CP").front() == "context-parallelism");
    CHECK(found("all reduce").front() == "all-reduce"); // however it is hyphenated
    CHECK(found("allreduce").front() == "all-reduce");
    CHECK(found("young/daly").front() == "checkpoint-interval");
    CHECK(found("quantiz").front() == "quantization"); // the start before a word in the middle
    CHECK(found("capacity").front() == "expert-capacity");
    CHECK(found("brodcast") == std::vector<std::string>{"broadcast"}); // one letter missing
    CHECK(found("nonesuch").empty());
    CHECK(search_terms(shipped(), "").size() == shipped().size());
    CHECK(search_terms(shipped(), "  ").size() == shipped().size());
    const auto near = nearest_terms(shipped(), "goodputt", 3);
    REQUIRE(near.size() == 3);
    CHECK(shipped()[near.front()].id == "goodput");
    CHECK(nearest_terms(shipped(), std::string(10000, 'x'), 3).size() == 3);
}

TEST_CASE("the glossary that ships has no fault, and every term leads somewhere")
{
    Issues issues;
    const Course course = load_course(test::source_path("lessons"), issues);
    CHECK(issues.empty());
    CHECK(check_glossary(shipped(), course.lessons, {}).empty());
    CHECK(shipped().size() >= 150);
    for (const GlossaryTerm& term : shipped())
    {
        INFO(term.id);
        CHECK_FALSE(term.view.empty());
        CHECK_FALSE(term.lesson.empty());
        CHECK(term.text.back() == '.');
        CHECK(term.text.size() <= 400);
    }
}

TEST_CASE("every concept's main words are in the glossary, and every lesson is some term's")
{
    // As in the inventory.
    const std::vector<std::vector<std::string_view>> concepts{
        {"model state", "optimizer state", "master weights"},
        {"HBM", "GB and GiB"},
        {"activations", "logits"},
        {"selective recomputation", "full recomputation", "gradient checkpointing"},
        {"BF16", "FP16", "FP8", "TF32", "loss scaling", "ULP"},
        {"OOM", "fragmentation"},
        {"micro-batch", "global batch", "gradient accumulation", "epoch", "token", "step"},
        {"DDP", "bucket", "data parallelism"},
        {"ring all-reduce", "alpha-beta model", "latency"},
        {"all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "all-to-all"},
        {"gradient compression", "top-k", "error feedback", "PowerSGD", "1-bit Adam"},
        {"ZeRO", "ZeRO-1", "ZeRO-2", "ZeRO-3"},
        {"FSDP", "reshard", "no_sync", "HSDP"},
        {"offload", "PCIe", "NVMe"},
        {"tensor parallelism", "column parallel", "row parallel", "partial sum"},
        {"NVLink", "NVSwitch", "bandwidth"},
        {"sequence parallelism"},
        {"bubble", "pipeline parallelism"},
        {"1F1B", "GPipe", "interleaved", "zero bubble", "DualPipe", "ZB-V"},
        {"stage", "stage balance", "point-to-point"},
        {"3D parallelism", "rank order", "topology", "rail", "node", "InfiniBand"},
        {"context parallelism", "ring attention", "zigzag", "Ulysses", "online softmax"},
        {"expert parallelism", "dispatch", "MoE"},
        {"expert capacity", "router", "auxiliary loss", "bias balancing", "dropped tokens"},
        {"overlap", "exposed communication", "critical path"},
        {"MFU", "HFU", "waterfall", "roofline", "arithmetic intensity", "tiles and waves", "occupancy"},
        {"compute budget", "6 N D", "GPU-hour"},
        {"scaling law", "Chinchilla", "Kaplan", "IsoFLOP", "over-training"},
        {"loss spike", "NaN", "divergence", "rewind", "z-loss"},
        {"hang", "watchdog", "flight recorder"},
        {"straggler"},
        {"goodput", "MTBF", "checkpoint interval", "elastic"},
        {"checkpoint", "resharding"},
        {"AdamW", "learning rate", "warmup", "cosine", "gradient clipping", "critical batch"},
        {"LoRA", "QLoRA", "NF4", "fine-tuning"},
        {"RLHF", "PPO", "DPO", "GRPO", "reward model", "KL"},
        {"long context", "flash attention"},
        {"KV cache", "prefill", "decode", "paged attention", "continuous batching", "GQA", "MLA"},
        {"data loader", "deduplication", "starvation"},
        {"layout", "decision tree"},
        {"mock interview", "spaced repetition"},
        {"erratum"}};
    REQUIRE(concepts.size() == 42);
    for (std::size_t i = 0; i < concepts.size(); ++i)
    {
        for (const std::string_view word : concepts[i])
        {
            INFO("C" << i + 1 << ": " << word);
            const auto rows = search_terms(shipped(), word);
            REQUIRE_FALSE(rows.empty());
            const Closeness fit = [&]
            {
                const GlossaryTerm& term = shipped()[rows.front()];
                std::vector<std::string_view> names{term.term, term.id};
                names.insert(names.end(), term.also.begin(), term.also.end());
                return fit_of(findable(names, ""), folded(word));
            }();
            CHECK(fit <= Closeness::word); // by its name, not by being mentioned
        }
    }
    Issues issues;
    for (const Lesson& lesson : load_course(test::source_path("lessons"), issues).lessons)
    {
        INFO(lesson.id);
        CHECK(std::ranges::any_of(shipped(), [&](const GlossaryTerm& t) { return t.lesson == lesson.id; }));
    }
}
