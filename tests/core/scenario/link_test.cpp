// Links: written by hand and read, written by the program, sent through chats that cut and wrap them, and
// made by strangers.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/scenario/link/link.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using test::presets;

namespace
{

const Scenario& example(std::string_view id)
{
    return presets().scenario(id)->scenario;
}

std::string link_of(const Scenario& scenario)
{
    PlaceLink link;
    link.scenario = scenario;
    return to_text(link, presets());
}

// That must read without a fault.
PlaceLink opened(std::string_view text)
{
    const LinkRead read = read_link(text, presets());
    for (const Issue& issue : read.issues)
    {
        FAIL_CHECK(text << "\n" << to_line(issue));
    }
    return read.link;
}

std::string issue_of(std::string_view text)
{
    const Issues issues = read_link(text, presets()).issues;
    return issues.size() == 1 ? issues.front().path : std::to_string(issues.size()) + " issues";
}

} // namespace

TEST_CASE("a link says view, scenario, lesson and question")
{
    const PlaceLink link =
        opened("ringside:#v=optimizer/clip&s=default;parallel.tensor=4;training.recompute=full"
               "&l=zero/3&q=3d-degrees/gpus.1790000000000&a=week-2&embed");
    CHECK(link.view == "optimizer/clip");
    CHECK(link.lesson == "zero");
    CHECK(link.step == 3);
    CHECK(link.question == "3d-degrees/gpus");
    CHECK(link.seed == 1'790'000'000'000U);
    CHECK(link.assignment == "week-2");
    CHECK(link.embed);
    Scenario wanted = example("default");
    wanted.parallel.tensor = 4;
    wanted.training.recompute = Recompute::full;
    REQUIRE(link.scenario);
    CHECK(*link.scenario == wanted);
    CHECK(opened(to_text(link, presets())) == link);
}

TEST_CASE("the same link opens as the address of a page, as its fragment, and with spaces round it")
{
    for (const char* text :
         {"ringside:#v=memory&s=llama-8b-8", "https://any.host/path/?x=1#v=memory&s=llama-8b-8",
          "#v=memory&s=llama-8b-8", "v=memory&s=llama-8b-8", "  \tringside:v=memory&s=llama-8b-8&\r\n"})
    {
        INFO(text);
        CHECK(is_link(text));
        const PlaceLink link = opened(text);
        CHECK(link.view == "memory");
        CHECK(link.scenario == example("llama-8b-8"));
    }
    for (const char* text : {"", "hello", "{\"model\": \"llama-3.1-8b\"}", "name,gpus\na,8", "[1, 2]", "q"})
    {
        CHECK_FALSE(is_link(text));
    }
}

TEST_CASE("a scenario is what differs from the nearest example")
{
    CHECK(link_of(example("mixtral-8x7b-64")) == "ringside:#s=mixtral-8x7b-64");
    Scenario other = example("llama-70b-128");
    other.training.micro_batch = 2;
    CHECK(link_of(other) == "ringside:#s=llama-70b-128;training.micro_batch=2");
    PlaceLink link;
    link.view = "memory";
    link.scenario = other;
    CHECK(to_text(link, presets(), "https://course.example/ringside/#v=old") ==
          "https://course.example/ringside/#v=memory&s=llama-70b-128;training.micro_batch=2");
}

TEST_CASE("texts and lists are escaped and come back")
{
    Scenario own = example("default");
    own.model.layers = 78;
    own.model.name = "M\u00fcller & S\u00f6hne; 70% = \"12\" #1";
    own.parallel.stage_layers = {18, 20, 20, 20};
    const std::string text = link_of(own);
    CHECK(text.find_first_of(" \"&%#", 10) == text.find('%'));
    CHECK(opened(text).scenario == own);
    own.model.name = "12"; // a number, were it not quoted
    CHECK(opened(link_of(own)).scenario == own);
}

TEST_CASE("any valid scenario comes back from its link and computes the same")
{
    test::ScenarioSource source(34);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario scenario = source.next();
        const std::string text = link_of(scenario);
        INFO(text);
        CHECK(text.size() < 2000);
        const auto again = opened(text).scenario;
        REQUIRE(again);
        CHECK(to_json(*again, presets()) == to_json(scenario, presets()));
        const auto first = evaluate(scenario);
        const auto second = evaluate(*again);
        REQUIRE(bool(first) == bool(second));
        for (const Metric& metric : metrics())
        {
            CHECK((!first || metric.value(scenario, *first) == metric.value(*again, *second)));
        }
    }
}

TEST_CASE("what people change by hand makes a link of less than 300 characters")
{
    for (const ModelPreset& preset : presets().models)
    {
        Scenario s = example("default");
        s.model = preset.model;
        s.cluster = presets().cluster("dgx-a100")->cluster;
        s.cluster.gpus = 64;
        s.software = presets().usual_software(s.cluster.gpu);
        s.parallel = {};
        s.parallel.tensor = 4;
        s.parallel.sequence_parallel = true;
        s.training.sequence_length = 16384;
        s.training.global_batch = 256;
        PlaceLink link;
        link.view = "optimizer/clip";
        link.scenario = s;
        const std::string text = to_text(link, presets(), "https://course.example/ringside/");
        INFO(text);
        CHECK(text.size() < 300);
        CHECK(opened(text).scenario == s);
    }
}

TEST_CASE("each part that cannot be read is one fault that names it, and the rest opens")
{
    CHECK(issue_of("ringside:") == "link");
    CHECK(issue_of("https://course.example/ringside/") == "link");
    CHECK(issue_of("#v=memory&colour=red") == "colour");
    CHECK(issue_of("#v=memory&v=zero") == "v");
    CHECK(issue_of("#v=%4") == "v");
    CHECK(issue_of("#v=%ff%fe") == "v");
    CHECK(issue_of("#v=") == "v");
    CHECK(issue_of("#l=zero/three") == "l");
    CHECK(issue_of("#q=3d-degrees/gpus.-1") == "q");
    CHECK(issue_of("#s=llama-70b-12") == "s");
    CHECK(issue_of("#s=default;parallel.tensr=4") == "s: parallel.tensr");
    CHECK(issue_of("#s=default;parallel.tensor=four") == "s: parallel.tensor");
    CHECK(issue_of("#s=default;parallel.tensor") == "s: parallel.tensor");
    CHECK(issue_of("#s=default;a.b.c.d.e.f.g=1") == "s: a.b.c.d.e.f.g=1");
    const LinkRead read =
        read_link("#v=memory&s=default;parallel.tensor=four;parallel.zero=2&l=%&x=1&q=ring.7", presets());
    CHECK(read.issues.size() == 3);
    CHECK(read.link.view == "memory");
    CHECK(read.link.question == "ring");
    CHECK(read.link.seed == 7);
    REQUIRE(read.link.scenario);
    CHECK(read.link.scenario->parallel.tensor == example("default").parallel.tensor);
    CHECK(read.link.scenario->parallel.zero == 2);
    CHECK_FALSE(read_link("#s=llama-70b-12;parallel.zero=2", presets()).link.scenario);
}

TEST_CASE("a link that is cut anywhere opens what is left of it")
{
    const std::string whole = "ringside:#v=memory&s=default;parallel.zero=2;model.name=A%20B&l=zero/3";
    for (std::size_t length = 0; length < whole.size(); ++length)
    {
        const LinkRead read = read_link(std::string_view(whole).substr(0, length), presets());
        CHECK(read.issues.size() <= 1);
        CHECK((read.link.view == "memory" || length < whole.find('&')));
    }
}

TEST_CASE("very long links are refused or end early")
{
    const auto repeated = [](std::string_view piece, std::size_t most)
    {
        std::string text = "#";
        while (text.size() + piece.size() <= most)
        {
            text += piece;
        }
        return text;
    };
    CHECK(issue_of(repeated("v=memory&", 20'000)) == "link");
    CHECK(read_link(repeated("x&", kMostLinkBytes), presets()).issues.size() < 40);
    CHECK(read_link("#s=" + repeated("a=1;", 16'000), presets()).issues.size() < 300);
    CHECK(issue_of("#s=default;model=" + std::string(8000, '[')) == "s: model");
}

TEST_CASE("a pasted address of another page is told what to paste instead")
{
    for (const std::string_view address :
         {"https://huggingface.co/meta-llama/Llama-3.1-8B", "https://huggingface.co/Qwen/Qwen3-8B#usage"})
    {
        const LinkRead read = read_link(address, test::presets());
        REQUIRE(read.issues.size() == 1);
        CHECK(read.issues.front().hint.find("config.json") != std::string::npos);
    }
    CHECK(read_link("https://example.org/ringside/#v=memory", test::presets()).issues.empty());
}
