// Demonstrations: scenes that build on each other, and every fault by its path.
#include "tests/core/support.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/text/find.h"
#include "core/base/text/hide_numbers.h"
#include "core/study/lessons/demo_script.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

using namespace ringside;

namespace
{

constexpr std::array<std::string_view, 2> kViews{"overview", "memory"};
constexpr std::array<std::string_view, 1> kAsked{"step.mfu"};

Result<DemoScript> read(const char* scenes)
{
    const auto document = nlohmann::json::parse(
        std::string(R"({"schema": "ringside.demo/1", "title": "T", "scenes": )") + scenes + "}");
    return demo_script_from_json(document, test::presets(), kViews, kAsked);
}

std::string fault_of(const char* scenes)
{
    const auto read_script = read(scenes);
    REQUIRE_FALSE(read_script);
    return read_script.issues().front().path;
}

} // namespace

TEST_CASE("a scene goes on from the one before: its scenario, its changes and its view")
{
    const auto script = read(R"([
        {"title": "One", "view": "memory", "set": {"parallel.zero": 3}, "hide_numbers": true, "draw": true,
         "sound": true, "seconds": 20, "press": [{"from": 3, "to": 5, "keys": "Enter*2"}]},
        {"title": "Two", "set": {"training.micro_batch": 2}, "ask": "step.mfu"},
        {"title": "Three", "scenario": "llama-8b-8", "view": "overview", "playback": {"time": 2, "play": true}}])");
    REQUIRE(script);
    REQUIRE(script->scenes.size() == 3);
    const Scenario base = test::presets().scenario("default")->scenario;
    CHECK(script->scenes[0].scenario.parallel.zero == 3);
    CHECK(script->scenes[0].scenario.training.micro_batch == base.training.micro_batch);
    CHECK(script->scenes[1].scenario.parallel.zero == 3);
    CHECK(script->scenes[1].scenario.training.micro_batch == 2);
    CHECK(script->scenes[1].view == "memory");
    CHECK(script->scenes[0].hide_numbers);
    CHECK_FALSE(script->scenes[1].hide_numbers);
    CHECK(script->scenes[0].draw);
    CHECK_FALSE(script->scenes[1].draw);
    CHECK(script->scenes[0].sound);
    CHECK_FALSE(script->scenes[1].sound);
    CHECK(script->scenes[0].seconds == 20);
    CHECK(script->scenes[1].seconds == 15);
    REQUIRE(script->scenes[0].press.size() == 1);
    CHECK(script->scenes[0].press[0].keys == "Enter*2");
    CHECK(script->scenes[0].press[0].to == 5);
    CHECK(script->scenes[1].press.empty());
    CHECK(script->scenes[1].ask == "step.mfu");
    CHECK(script->scenes[2].scenario == test::presets().scenario("llama-8b-8")->scenario);
    CHECK(script->scenes[2].view == "overview");
    CHECK(script->scenes[2].playback.time == 2.0);
}

TEST_CASE("a demonstration's faults name the scene, the field and what would work")
{
    CHECK(fault_of("[]") == "scenes");
    CHECK(fault_of(R"([{"view": "memory"}])") == "scenes[0].title");
    CHECK(fault_of(R"([{"title": "A", "view": "memroy"}])") == "scenes[0].view");
    CHECK(read(R"([{"title": "A", "view": "memroy"}])").issues().front().hint == "did you mean \"memory\"?");
    CHECK(fault_of(R"([{"title": "A", "ask": "step.mfw"}])") == "scenes[0].ask");
    CHECK(fault_of(R"([{"title": "A", "scenario": "nowhere"}])") == "scenes[0].scenario");
    CHECK(fault_of(R"([{"title": "A"}, {"title": "B", "colour": 3}])") == "scenes[1].colour");
    CHECK(fault_of(R"([{"title": "A", "set": {"parallel.tensor": 7}}])").starts_with("scenes[0]"));
    CHECK(fault_of(R"([{"title": "A", "set": {"parallel.tensr": 8}}])").starts_with("scenes[0].set"));
    CHECK(fault_of(R"([{"title": "A", "playback": {"speed": 9}}])") == "scenes[0].playback.speed");
    CHECK(fault_of("[3]") == "scenes[0]");
}

TEST_CASE("numbers of a scene's words come from its scenario, those of before from the scene before it")
{
    const auto script = read(R"([
        {"title": "{metric:parallel.pipeline} stages", "text": "On **{metric:cluster.gpus} GPUs**.", "set": {"parallel.zero": 0}},
        {"title": "Larger", "text": "{metric:before.training.global_batch} sequences, then {metric:training.global_batch}.",
         "set": {"training.global_batch": 256}}])");
    REQUIRE(script);
    CHECK(script->scenes[0].title == "4 stages");
    CHECK(script->scenes[0].text == "On **256 GPUs**.");
    CHECK(script->scenes[1].text == "128 sequences, then 256.");
    CHECK(fault_of(R"([{"title": "A", "text": "{metric:parallel.pipelin} stages"}])") == "scenes[0].text");
    CHECK(fault_of(R"([{"title": "A", "text": "It is {metric:step.mfu as percent}.", "ask": "step.mfu"}])") ==
          "scenes[0].text"); // the class is asked for that
}

TEST_CASE("no scene that ships has a typed number, in figures or in words")
{
    constexpr std::array<std::string_view, 22> kNumbers{
        "two",      "three",    "four",    "five",     "six",      "seven",   "eight",   "nine",
        "ten",      "eleven",   "twelve",  "thirteen", "fourteen", "fifteen", "sixteen", "hundred",
        "hundreds", "thousand", "million", "billion",  "trillion", "dozen"};
    for (const auto& file : std::filesystem::directory_iterator(test::source_path("assets/demos")))
    {
        const auto document = test::read("assets/demos/" + file.path().filename().string());
        for (const auto& scene : document.at("scenes"))
        {
            std::string words = scene.at("title").get<std::string>() + " " + scene.value("text", "");
            for (std::size_t at = words.find('{'); at != std::string::npos; at = words.find('{'))
            {
                words.erase(at, words.find('}', at) + 1 - at);
            }
            INFO(words);
            CHECK(numbers_in(words).empty());
            const std::string padded = " " + folded(words) + " ";
            for (const std::string_view number : kNumbers)
            {
                INFO(number);
                CHECK(padded.find(fmt::format(" {} ", number)) == std::string::npos);
            }
        }
    }
}
