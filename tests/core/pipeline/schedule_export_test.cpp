#include "tests/core/pipeline/schedule_cases.h"

#include "core/base/json/json.h"
#include "core/pipeline/export.h"

#include <catch2/catch_approx.hpp>

#include <array>
#include <map>
#include <set>

using namespace ringside;
using Catch::Approx;
using nlohmann::json;
using test::run;

namespace
{

// Tags of a document in order, "/name" where one is closed; a tag that closes itself counts as both.
std::vector<std::string> tags(const std::string& text)
{
    std::vector<std::string> found;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
    {
        const std::size_t end = text.find('>', at);
        REQUIRE(end != std::string::npos);
        const std::string inside = text.substr(at + 1, end - at - 1);
        REQUIRE(std::count(inside.begin(), inside.end(), '"') % 2 == 0);
        REQUIRE(inside.find('<') == std::string::npos);
        const std::string name = inside.substr(0, inside.find_first_of(" /", 1));
        found.push_back(name);
        if (inside.back() == '/')
        {
            found.push_back("/" + name);
        }
    }
    return found;
}

void check_balanced(const std::string& text)
{
    std::vector<std::string> open;
    for (const std::string& tag : tags(text))
    {
        if (tag.front() != '/')
        {
            open.push_back(tag);
            continue;
        }
        REQUIRE_FALSE(open.empty());
        CHECK("/" + open.back() == tag);
        open.pop_back();
    }
    CHECK(open.empty());
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.find("inf") == std::string::npos);
}

std::size_t rectangles(const std::string& svg)
{
    const auto all = tags(svg);
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), "rect"));
}

} // namespace

TEST_CASE("hand-worked: the picture of GPipe has a rectangle for each part of an operation and each lane")
{
    // Two stages, two micro-batches: 4 forwards, 4 backwards in two colours, 2 lanes, paper and pattern.
    const Timeline t = run("gpipe", {2, 2, 1});
    const std::string svg = timeline_svg(std::array{NamedTimeline{"GPipe", &t, 0.5}});
    CHECK(rectangles(svg) == 4 + 2 * 4 + 2 + 2);
    // Nine units over 1200: 0F1 from 1 to 2, less the gap.
    CHECK(t.makespan == 9);
    CHECK(svg.find("<rect x=\"217.33\" y=\"34\" width=\"132.33\"") != std::string::npos);
}

TEST_CASE("the picture of every schedule is well formed and draws every operation")
{
    test::CaseSource source(51);
    for (int round = 0; round < 52; ++round)
    {
        test::Case c = source.next();
        c.shape.micro_batches = nearest_micro_batches(c.kind, {c.shape.stages, 1, c.shape.chunks});
        const Timeline t = run(c.kind, c.shape, c.costs).timeline;
        const std::string svg = timeline_svg(std::array{NamedTimeline{std::string(c.kind->name), &t, 0.25}});
        std::size_t parts = t.ranks() + 2;
        for (const Event& e : t.events)
        {
            parts += e.operation.pass == Pass::backward ? 2 : 1;
        }
        INFO(c.text());
        CHECK(rectangles(svg) == parts);
        check_balanced(svg);
    }
}

TEST_CASE("several timelines share one picture and one trace, whatever they are called")
{
    const Timeline a = run("gpipe", {2, 2, 1});
    const Timeline b = run("1f1b", {3, 4, 1});
    const std::array both{NamedTimeline{"a < b & \"c\"", &a, 0.5}, NamedTimeline{"1F1B", &b, 0.5}};
    const std::string svg = timeline_svg(both);
    check_balanced(svg);
    CHECK(rectangles(svg) == 2 + 2 + 3 + 3 * 4 + 3 * 12);
    CHECK(svg.find("a &lt; b &amp; ") != std::string::npos);
    std::set<int> processes;
    const json trace = json::parse(timeline_trace(both));
    for (const json& e : trace["traceEvents"])
    {
        processes.insert(e["pid"].get<int>());
    }
    CHECK(processes == std::set<int>{0, 1});
}

TEST_CASE("the trace of every schedule has each operation once, at its time, on its stage's thread")
{
    test::CaseSource source(52);
    for (int round = 0; round < 52; ++round)
    {
        test::Case c = source.next();
        c.shape.micro_batches = nearest_micro_batches(c.kind, {c.shape.stages, 1, c.shape.chunks});
        const Timeline t = run(c.kind, c.shape, c.costs).timeline;
        const json trace = json::parse(timeline_trace(std::array{NamedTimeline{"one", &t, 0.5}}));
        std::map<std::string, json> named;
        std::map<std::string, std::vector<json>> by_phase;
        for (const json& e : trace["traceEvents"])
        {
            by_phase[e["ph"]].push_back(e);
        }
        INFO(c.text());
        REQUIRE(by_phase["X"].size() == t.events.size());
        for (std::size_t k = 0; k < t.events.size(); ++k)
        {
            const json& e = by_phase["X"][k];
            const Event& event = t.events[k];
            CHECK(e["ts"].get<double>() == Approx(event.start * 1000));
            CHECK(e["dur"].get<double>() == Approx((event.end - event.start) * 1000));
            CHECK(e["tid"] == event.rank);
            CHECK(e["args"]["stage"] == event.operation.stage);
            CHECK(e["args"]["micro_batch"] == event.operation.micro_batch);
            CHECK(e["name"] ==
                  std::string(1, letter(event.operation.pass)) + std::to_string(event.operation.micro_batch));
        }
        std::set<std::string> threads;
        std::string process;
        for (const json& e : by_phase["M"])
        {
            const std::string name = e["args"]["name"];
            if (e["name"] == "process_name")
            {
                process = name;
            }
            else
            {
                CHECK(name == "stage " + e["tid"].dump());
                threads.insert(name);
            }
        }
        CHECK(process == "one");
        CHECK(threads.size() == t.ranks());
        CHECK(by_phase["s"].size() == by_phase["f"].size());
        CHECK_FALSE(by_phase["C"].empty());
    }
}
