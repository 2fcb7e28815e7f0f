#include "tests/core/random_scenarios.h"
#include "tests/source_path.h"

#include "core/base/json/json.h"
#include "core/evaluate/report.h"
#include "core/scenario/fields.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

using namespace ringside;
using nlohmann::json;

namespace
{

// Everything that reading and checking a text says, as lines.
std::vector<std::string> faults(const std::string& text)
{
    const auto scenario = scenario_from_text(text, test::presets());
    std::vector<std::string> lines;
    for (const Issue& issue : scenario ? validate(*scenario) : scenario.issues())
    {
        if (issue.severity == Severity::error)
        {
            lines.push_back(to_line(issue));
        }
    }
    return lines;
}

using Lines = std::vector<std::string>;

std::string default_text()
{
    std::ifstream in(test::source_path("assets/scenarios/default.json"));
    return {std::istreambuf_iterator<char>(in), {}};
}

bool mentions(const Issues& issues, const std::string& path)
{
    return std::any_of(issues.begin(), issues.end(),
                       [&](const Issue& issue) { return issue.path.starts_with(path); });
}

// The values that are wrong for a member of each kind.
struct WrongValues
{
    std::vector<json> values;

    void operator()(const auto&) // whole numbers and numbers
    {
        add({"many", nullptr, json::array({1}), json::object({{"a", 1}}), true, -1, -1e300, 1e300,
             9223372036854775807, 18446744073709551615U});
    }
    template <class S>
    void operator()(bool S::*)
    {
        add({"true", nullptr, json::array(), json::object(), 0, 1, -1, 1e300});
    }
    template <class S>
    void operator()(std::vector<std::int64_t> S::*)
    {
        add({"4", nullptr, json::object(), true, -1, 1e300, json::array({-1}), json::array({"1"}),
             json::array({nullptr}), json::array({1e300}), json::array({json::array()})});
    }
    template <class S>
    void operator()(const Choice<S>&)
    {
        add({"no such word", "", nullptr, json::array(), json::object(), true, 0, -1, 1e300});
    }

private:
    void add(std::vector<json> more) { values = std::move(more); }
};

// Gives every field of a section every wrong value. `wrap` puts the section's object into a scenario.
template <class S, class Wrap>
int try_wrong_values(const std::string& path, Wrap wrap)
{
    int tried = 0;
    for (const Field<S>& field : fields_of(S{}))
    {
        WrongValues wrong;
        std::visit(wrong, field.member);
        for (const json& value : wrong.values)
        {
            const std::string where = path + "." + std::string(field.name);
            INFO(where << " = " << value.dump());
            const auto read = scenario_from_json(wrap({{std::string(field.name), value}}), test::presets());
            REQUIRE_FALSE(read);
            REQUIRE(mentions(read.issues(), where));
            for (const Issue& issue : read.issues())
            {
                REQUIRE_FALSE(issue.message.empty());
                REQUIRE_FALSE(issue.hint.empty());
            }
            ++tried;
        }
    }
    return tried;
}

// Every number of a section at one end of its range; switches and lists are left out.
template <class S>
void fill_extremes(json& section, bool most)
{
    for (const Field<S>& field : fields_of(S{}))
    {
        if (std::holds_alternative<std::int64_t S::*>(field.member) ||
            std::holds_alternative<double S::*>(field.member))
        {
            section[std::string(field.name)] = most ? field.most : field.least;
        }
    }
}

// Reads text that may be anything. Valid scenarios go through the engine too: it must not fall over either.
bool survives(const std::string& text)
{
    const auto read = scenario_from_text(text, test::presets());
    if (!read)
    {
        REQUIRE_FALSE(read.issues().empty());
        return false;
    }
    const auto report = evaluate(*read);
    REQUIRE((report || has_errors(report.issues())));
    return static_cast<bool>(report);
}

} // namespace

TEST_CASE("an unknown field is named with the one that was meant")
{
    CHECK(faults(R"({"parallel": {"tensr": 8}})") ==
          Lines{"parallel.tensr: unknown field (did you mean \"tensor\"?)"});
    CHECK(faults(R"({"trainig": {}})") == Lines{"trainig: unknown field (did you mean \"training\"?)"});
    CHECK(faults(R"({"cluster": {"gpu": {"memory_gib": 80}}})") ==
          Lines{"cluster.gpu.memory_gib: unknown field (did you mean \"memory_gb\"?)"});
    CHECK(faults(R"({"model": "lama-3.1-70b"})") ==
          Lines{"model: there is no preset \"lama-3.1-70b\" (did you mean \"llama-3.1-70b\"?)"});
}

TEST_CASE("every fault is named at once, not the first")
{
    CHECK(faults(R"({"parallel": {"tensr": 8, "zero": 4}, "training": {"precision": "bf17"}, "modle": 1})")
              .size() == 4);
}

TEST_CASE("a negative count is refused with the range")
{
    CHECK(faults(R"({"parallel": {"tensor": -8}})") ==
          Lines{"parallel.tensor: -8 is out of range (use 1 to 65,536)"});
    CHECK(faults(R"({"cluster": {"gpus": -8}})") ==
          Lines{"cluster.gpus: -8 is out of range (use 1 to 16,777,216)"});
    CHECK(faults(R"({"training": {"fragmentation": -1}})").front().find("(use 0 to ") != std::string::npos);
    CHECK(faults(R"({"parallel": {"stage_layers": [-1]}})").front().ends_with("(use 0 to 10,000)"));
    CHECK(faults(R"({"model": {"layers": -1}})").size() == 1);
    CHECK(faults(R"({"parallel": {"tensor": 2.5}})")
              .front()
              .starts_with("parallel.tensor: 2.5 is not a whole number"));
}

TEST_CASE("seven GPUs with tensor 8 is refused with the nearest counts that work")
{
    CHECK(faults(R"({"cluster": {"gpus": 7}, "parallel": {"tensor": 8}})") ==
          Lines{"cluster.gpus: 7 GPUs do not divide by tensor 8 x context 1 x pipeline 1 = 8 (use one of 8, "
                "16, 32, 64, 128)"});
    CHECK(faults(R"({"cluster": {"gpus": 12}, "parallel": {"tensor": 8}})") ==
          Lines{"cluster.gpus: 12 GPUs do not divide by tensor 8 x context 1 x pipeline 1 = 8 (use one of "
                "8, 16, 32, 64, 128)"});
    CHECK(faults(R"({"cluster": {"gpus": 8}, "parallel": {"tensor": 7}})").front() ==
          "parallel.tensor: 7 does not divide 64 heads (use one of 1, 2, 4, 8)");
}

TEST_CASE("a link slower than any link is refused, and none at all is not")
{
    Scenario s = test::presets().scenario("default")->scenario;
    s.cluster.node_link_gb_per_s = 1e-7;
    const Issues issues = validate(s);
    REQUIRE(has_errors(issues));
    CHECK(issues.front().path == "cluster.node_link_gb_per_s");
    s.cluster.node_link_gb_per_s = 0;
    CHECK_FALSE(has_errors(validate(s)));
    s.cluster.node_link_gb_per_s = 0.001;
    CHECK_FALSE(has_errors(validate(s)));
}

TEST_CASE("empty text is refused, whatever it should have been")
{
    for (const char* text : {"", " ", "\n\t\r\n"})
    {
        CHECK(faults(text) == Lines{"the file is empty (JSON starts with { and ends with })"});
    }
}

TEST_CASE("text over the size limit is refused without being parsed")
{
    // Not JSON at all, so a parser that saw it would complain of something else.
    const auto refused = parse_json(std::string(17U << 20U, '!'));
    REQUIRE_FALSE(refused);
    CHECK(to_line(refused.issues()[0]) ==
          "17.8 MB of JSON is more than the 16.0 MiB that are read (give a smaller file)");
    CHECK_FALSE(parse_json(std::string(kMaxJsonBytes + 1, ' ') + "{}"));
    CHECK(parse_json(std::string(kMaxJsonBytes - 2, ' ') + "{}"));
}

TEST_CASE("a field given twice is refused, because one of the two would be lost")
{
    CHECK(faults(R"({"parallel": {"tensor": 8, "tensor": 4}})") ==
          Lines{"parallel.tensor: given twice (keep one)"});
    CHECK(faults(R"({"model": "llama-3.1-8b", "model": "llama-3.1-70b"})") ==
          Lines{"model: given twice (keep one)"});
    CHECK_FALSE(parse_json(R"({"": 1, "": 2})"));
    CHECK(parse_json(R"([{"a": 1}, {"a": 1}, {"b": {"a": 1}}])"));
}

TEST_CASE("deep nesting is refused, however deep")
{
    CHECK(parse_json(std::string(60, '[') + std::string(60, ']')));
    for (const std::size_t depth : {100U, 100000U, 4000000U})
    {
        CHECK(faults(std::string(depth, '[') + std::string(depth, ']')).size() == 1);
        CHECK(faults(std::string(depth, '[')).size() == 1);
    }
    std::string objects;
    for (int i = 0; i < 100000; ++i)
    {
        objects += R"({"model":)";
    }
    CHECK(faults(objects).size() == 1);
    CHECK(faults(objects + "1" + std::string(100000, '}')).size() == 1);
}

TEST_CASE("NaN, Infinity and 1e999 are not numbers of JSON")
{
    for (const char* number : {"NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "-1e999", "0x10",
                               "1_000", "+1", "01", ".5", "1."})
    {
        INFO(number);
        const auto found = faults(std::string(R"({"training": {"tokens": )") + number + "}}");
        REQUIRE(found.size() == 1);
        // Python writes the first three; they are read as words, which are no numbers.
        CHECK((found[0].starts_with("not JSON: ") || found[0].find("is not a number") != std::string::npos));
    }
}

TEST_CASE("broken JSON is refused with line and column")
{
    CHECK(faults("{\n  \"model\": \"llama-3.1-70b\",\n}")
              .front()
              .starts_with("not JSON: parse error at line 3, column 1"));
    CHECK(faults("{\"model\": \"\xff\xfe\"}").size() == 1);
}

TEST_CASE("every field of every table refuses every wrong value and says which field it was")
{
    const auto section = [](const char* name) {
        return [name](const json& object) { return json{{name, object}}; };
    };
    int tried = 0;
    tried += try_wrong_values<Model>("model", section("model"));
    tried += try_wrong_values<Cluster>("cluster", section("cluster"));
    tried += try_wrong_values<Gpu>("cluster.gpu",
                                   [](const json& gpu) {
                                       return json{{"cluster", {{"gpu", gpu}}}};
                                   });
    tried += try_wrong_values<Parallel>("parallel", section("parallel"));
    tried += try_wrong_values<Training>("training", section("training"));
    tried += try_wrong_values<PipelineTimes>("stage_times", section("stage_times"));
    tried += try_wrong_values<CollectiveSettings>("collective", section("collective"));
    CHECK(tried > 600);
}

TEST_CASE("every section refuses what is not an object, and every name what is not text")
{
    for (const json& wrong :
         {json(nullptr), json(1), json(-1), json(true), json::array(), json::array({json::object()})})
    {
        INFO(wrong.dump());
        CHECK_FALSE(scenario_from_json(wrong, test::presets()));
        for (const char* section :
             {"schema", "model", "cluster", "parallel", "training", "stage_times", "collective"})
        {
            const auto read = scenario_from_json({{section, wrong}}, test::presets());
            INFO(section);
            REQUIRE_FALSE(read);
            CHECK(mentions(read.issues(), section));
        }
        CHECK_FALSE(scenario_from_json({{"model", {{"preset", wrong}}}}, test::presets()));
        CHECK_FALSE(scenario_from_json({{"model", {{"name", wrong}}}}, test::presets()));
        CHECK_FALSE(scenario_from_json({{"cluster", {{"preset", wrong}}}}, test::presets()));
        CHECK_FALSE(scenario_from_json({{"cluster", {{"gpu", wrong}}}}, test::presets()));
        CHECK_FALSE(scenario_from_json({{"cluster", {{"gpu", {{"name", wrong}}}}}}, test::presets()));
    }
}

TEST_CASE("the largest and the smallest value of every field never bring the engine down")
{
    for (const bool most : {false, true})
    {
        json all = json::object();
        fill_extremes<Model>(all["model"], most);
        fill_extremes<Cluster>(all["cluster"], most);
        fill_extremes<Gpu>(all["cluster"]["gpu"], most);
        fill_extremes<Parallel>(all["parallel"], most);
        fill_extremes<Training>(all["training"], most);
        fill_extremes<PipelineTimes>(all["stage_times"], most);
        fill_extremes<CollectiveSettings>(all["collective"], most);
        CHECK(scenario_from_json(all, test::presets()));
        survives(all.dump());
        // One field at a time, the rest as it comes.
        const json flat = all.flatten();
        for (const auto& [path, value] : flat.items())
        {
            json one = json::object();
            one[json::json_pointer(path)] = value;
            INFO(one.dump());
            survives(one.dump());
        }
        // One section at a time.
        for (const auto& [name, section] : all.items())
        {
            INFO(name);
            survives(json{{name, section}}.dump());
        }
    }
}

TEST_CASE("thousands of flipped, cut, repeated and swapped bytes: an answer or issues, never an exception")
{
    const std::vector<std::string> good{
        default_text(), to_json(test::scenario(default_text()), test::presets()).dump(),
        R"({"model": {"layers": 24, "hidden": 1024, "heads": 16, "gated_mlp": true}, "cluster": {"gpu": {"memory_gb": 80}, "gpus": 8}, "training": {"global_batch": 16}})"};
    constexpr std::string_view kPieces = R"({}[]",:0123456789.eE+-\utrufalsn)";
    std::mt19937 random(20240607);
    const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random()) % most; };
    int valid = 0;
    constexpr int kRounds = 4000;
    for (int round = 0; round < kRounds; ++round)
    {
        std::string text = good[below(good.size())];
        for (std::size_t edits = 1 + below(3); edits > 0; --edits)
        {
            const std::size_t at = below(text.size());
            switch (below(5))
            {
            case 0:
                text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
                break;
            case 1:
                text[at] = kPieces[below(kPieces.size())];
                break;
            case 2:
                text.resize(std::max<std::size_t>(1, at));
                break;
            case 3:
                text.insert(at, text.substr(below(text.size()), 1 + below(20)));
                break;
            default:
                text.erase(at, 1 + below(5));
                break;
            }
            if (text.empty())
            {
                text = " ";
            }
        }
        INFO("round " << round << ": " << text);
        valid += survives(text) ? 1 : 0;
    }
    CHECK(valid > 40); // some edits change a digit or a space, so both ways out are taken
    CHECK(valid < kRounds / 2);
}

TEST_CASE("values of a good scenario swapped for one another: an answer or issues, never an exception")
{
    const json whole = to_json(test::scenario(default_text()), test::presets());
    const json flat = whole.flatten();
    std::vector<std::string> paths;
    std::vector<json> values{nullptr,
                             true,
                             false,
                             "",
                             "none",
                             0,
                             1,
                             -1,
                             3,
                             7,
                             64,
                             65536,
                             1 << 24,
                             1e18,
                             0.5,
                             1e-300,
                             json::array(),
                             json::object(),
                             json::array({1, 2, 3})};
    for (const auto& [path, value] : flat.items())
    {
        paths.push_back(path);
        values.push_back(value);
    }
    std::mt19937 random(11);
    for (int round = 0; round < 4000; ++round)
    {
        json changed = whole;
        for (std::size_t edits = 1 + random() % 3; edits > 0; --edits)
        {
            const std::string& path = paths[random() % paths.size()];
            changed[json::json_pointer(path)] = values[random() % values.size()];
        }
        INFO("round " << round << ": " << changed.dump());
        survives(changed.dump());
    }
}

TEST_CASE("a file of nothing but unknown fields, or of one endless name, is answered soon")
{
    std::string text = "{\"parallel\": {\"a\": 1";
    for (int i = 0; i < 200000; ++i)
    {
        text += ",\"field_" + std::to_string(i) + "\":1";
    }
    const auto many = scenario_from_text(text + "}}", test::presets());
    REQUIRE_FALSE(many);
    CHECK(many.issues().size() == 101);
    const auto endless =
        scenario_from_text("{\"parallel\": {\"" + std::string(8U << 20U, 'x') + "\": 1}}", test::presets());
    REQUIRE_FALSE(endless);
    CHECK(endless.issues().size() == 1);
}

TEST_CASE("the fields that are known are named once each, and none is empty")
{
    const auto read = scenario_from_text(R"({"serving": {"engine": "vllm", "zzz": 1}})", test::presets());
    REQUIRE_FALSE(read);
    const std::string& hint = read.issues().front().hint;
    CHECK(hint.find(", ,") == std::string::npos);
    const auto first = hint.find(" replicas,");
    REQUIRE(first != std::string::npos);
    CHECK(hint.find(" replicas,", first + 1) == std::string::npos);
}

TEST_CASE("a pipeline too large to simulate is refused before anything is computed for it")
{
    std::vector<std::int64_t> layers(65536, 0);
    layers[0] = 80;
    const json large = {{"cluster", {{"gpus", 32768}}},
                        {"parallel", {{"pipeline", 32768}, {"chunks", 2}, {"stage_layers", layers}}},
                        {"training", {{"global_batch", 32768}, {"schedule", "interleaved"}}}};
    const auto read = scenario_from_json(large, test::presets());
    REQUIRE(read);
    const auto report = evaluate(*read);
    REQUIRE_FALSE(report);
    CHECK(mentions(report.issues(), "training.global_batch"));
}

TEST_CASE("a long value is cut in its issue, never inside a character")
{
    std::string name;
    for (int i = 0; i < 50; ++i)
    {
        name += "\u00e9";
    }
    const auto read = scenario_from_json({{"parallel", {{"tensor", name}}}}, test::presets());
    REQUIRE_FALSE(read);
    const std::string& message = read.issues()[0].message;
    CHECK(message.size() < 100);
    CHECK_NOTHROW(json(message).dump()); // throws on half a character
}

TEST_CASE("every preset survives being written and read")
{
    for (const ModelPreset& preset : test::presets().models)
    {
        Scenario s = test::scenario("{}");
        s.model = preset.model;
        INFO(preset.model.preset);
        CHECK(to_json(s, test::presets())["model"] == preset.model.preset);
        CHECK(scenario_from_text(to_json(s, test::presets()).dump(), test::presets()).operator*() == s);
        s.model.layers += 1;
        s.model.name = "one layer more";
        CHECK(scenario_from_text(to_json(s, test::presets()).dump(), test::presets()).operator*() == s);
    }
    for (const ClusterPreset& preset : test::presets().clusters)
    {
        Scenario s = test::scenario("{}");
        s.cluster = preset.cluster;
        s.software = test::presets().usual_software(s.cluster.gpu);
        INFO(preset.id);
        CHECK(scenario_from_text(to_json(s, test::presets()).dump(), test::presets()).operator*() == s);
    }
    for (const ScenarioPreset& preset : test::presets().scenarios)
    {
        INFO(preset.id);
        CHECK(scenario_from_text(to_json(preset.scenario, test::presets()).dump(), test::presets())
                  .
                  operator*() == preset.scenario);
    }
}

TEST_CASE("an accelerator and a model given inline survive being written and read")
{
    const Scenario s = test::scenario(
        R"({"model": {"name": "mine", "layers": 4, "hidden": 256, "heads": 4}, "cluster": {"gpu": {"name": "mine too", "memory_gb": 12.5, "bf16_tflops": 0.1}}})");
    CHECK(s.model.name == "mine");
    CHECK(s.cluster.gpu.name == "mine too");
    CHECK(scenario_from_text(to_json(s, test::presets()).dump(), test::presets()).operator*() == s);
}

TEST_CASE("an assignment changes one value, and a path into a preset keeps the rest of it")
{
    const auto after = [](const std::string& text, const std::string& assignment)
    {
        json document = json::parse(text);
        REQUIRE(set_path(document, assignment).empty());
        const auto read = scenario_from_json(document, test::presets());
        INFO(document.dump());
        REQUIRE(read);
        return *read;
    };
    CHECK(after("{}", "parallel.tensor=4").parallel.tensor == 4);
    CHECK(after("{}", "parallel.tensor=4").model == test::scenario("{}").model);
    CHECK(after("{}", "model=llama-3.1-8b").model.preset == "llama-3.1-8b");
    CHECK(after("{}", "model.layers=12").model.layers == 12);
    CHECK(after("{}", "model.layers=12").model.preset == "llama-3.1-70b");
    CHECK(after(R"({"model": "llama-3.1-8b"})", "model.layers=12").model.hidden == 4096);
    CHECK(after(R"({"cluster": "dgx-h200"})", "cluster.gpus=16").cluster.gpu.id == "h200-sxm");
    CHECK(after("{}", "training.precision=fp8").training.precision == Precision::fp8);
    CHECK(after("{}", "training.precision=\"fp8\"").training.precision == Precision::fp8);
    CHECK(after("{}", "parallel.stage_layers=[20,20,20,20]").parallel.stage_layers.size() == 4);
}

TEST_CASE("an assignment that cannot be made is refused")
{
    for (const char* assignment : {"", "parallel.tensor", "=4"})
    {
        json document = json::object();
        INFO(assignment);
        CHECK(set_path(document, assignment).size() == 1);
    }
    json document = {{"parallel", {{"tensor", 8}}}};
    CHECK(to_line(set_path(document, "parallel.tensor.x=4")[0])
              .starts_with("parallel.tensor.x: has no fields"));
    CHECK(set_path(document, "parallel.tensor.x.y=4").size() == 1);
}

TEST_CASE("an assignment of nonsense is an issue of the reader, never an exception")
{
    const std::string deep = std::string(50000, '[') + std::string(50000, ']');
    for (const std::string assignment : {"parallel.=4", ".=4", "..=4", "parallel..tensor=4", "a.b.c.d=1",
                                         "parallel.tensor=", "parallel.tensor=1e999", "parallel.tensor=NaN",
                                         "parallel.tensor={}", "parallel=4", "model=", "model.layers.x=1",
                                         "schema=2", "parallel.tensor=\xff", "\xff=1", "model.preset=1"})
    {
        json document = json::object();
        INFO(assignment);
        CHECK(set_path(document, assignment).empty());
        CHECK_FALSE(scenario_from_json(document, test::presets()));
    }
    json document = json::object();
    CHECK(set_path(document, "parallel.tensor=" + deep).empty());
    CHECK_FALSE(scenario_from_json(document, test::presets()));
}
