// What goes out of the window as a file: timelines as SVG and as a trace, the view as a picture.
#include "tests/ui/words.h"

#include "app/files/files.h"
#include "core/base/json/json.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

// "" when every element is closed in order, every attribute quoted and every & an entity.
std::string fault_of_xml(std::string_view text)
{
    std::vector<std::string> open;
    std::size_t at = 0;
    bool ended = false;
    while (at < text.size())
    {
        if (text[at] != '<')
        {
            const bool blank = text[at] == '\n' || text[at] == ' ';
            const std::size_t semicolon = text.find(';', at);
            if (open.empty() && !blank)
            {
                return "text outside the document";
            }
            if (text[at] == '>' ||
                (text[at] == '&' && (semicolon == std::string_view::npos || semicolon > at + 6)))
            {
                return "an unescaped character";
            }
            ++at;
            continue;
        }
        const std::size_t end = text.find('>', at);
        if (end == std::string_view::npos || ended)
        {
            return ended ? "a second root" : "a tag that does not end";
        }
        std::string_view tag = text.substr(at + 1, end - at - 1);
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 || tag.find('<') != std::string_view::npos)
        {
            return "a bad tag: " + std::string(tag);
        }
        at = end + 1;
        const std::string name(tag.substr(0, tag.find_first_of(" />", 1)));
        if (tag.front() == '/')
        {
            if (open.empty() || "/" + open.back() != name)
            {
                return "closed out of order: " + name;
            }
            open.pop_back();
            ended = open.empty();
        }
        else if (tag.back() != '/')
        {
            open.push_back(name);
        }
    }
    return !ended ? "not closed" : "";
}

struct SavingRoom
{
    Window window;
    std::vector<SaveText> files;

    SavingRoom()
    {
        window.session().to_file = [this](const SaveText& file)
        {
            files.push_back(file);
            return "Saved " + file.name;
        };
        window.open("pipelines");
        for (const char* schedule : {"add zb-v", "add dualpipe"})
        {
            window.key(ImGuiKey_N);
            window.frames(2);
            window.click(schedule);
            window.settle();
        }
    }
};

} // namespace

TEST_CASE("the reader of XML finds what is not well-formed")
{
    CHECK(fault_of_xml("<a b=\"c\"><d/>x &amp; y<e></e></a>\n").empty());
    for (const char* bad : {"", "<a>", "<a></b>", "<a><b></a></b>", "<a b=\"c></a>", "<a>x & y</a>", "<a/>x"})
    {
        INFO(bad);
        CHECK(!fault_of_xml(bad).empty());
    }
}

TEST_CASE("G hands over a well-formed SVG with every row, and the status line says where it went")
{
    SavingRoom s;
    s.window.key(ImGuiKey_G);
    REQUIRE(s.files.size() == 1);
    CHECK(s.files[0].name == "ringside-pipelines.svg");
    const std::string& svg = s.files[0].text;
    CHECK(svg.starts_with("<svg "));
    CHECK(fault_of_xml(svg).empty());
    for (const char* name : {">1F1B<", ">ZB-H1<", ">ZB-V<", ">DualPipe<"})
    {
        INFO(name);
        CHECK(svg.find(name) != std::string::npos);
    }
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    s.window.frames(2);
    CHECK(says(s.window, "Saved ringside-pipelines.svg"));
}

TEST_CASE("E hands over a trace with a process for every row, every operation and what they wait for")
{
    SavingRoom s;
    s.window.key(ImGuiKey_E);
    REQUIRE(s.files.size() == 1);
    CHECK(s.files[0].name == "ringside-pipelines.json");
    const auto trace = nlohmann::json::parse(s.files[0].text);
    std::set<std::string> processes;
    std::map<int, std::size_t> operations;
    std::map<std::size_t, int> flows; // by id: starts less ends
    for (const auto& event : trace.at("traceEvents"))
    {
        const std::string phase = event.at("ph");
        if (phase == "M" && event.at("name") == "process_name")
        {
            processes.insert(event.at("args").at("name").get<std::string>());
        }
        if (phase == "X")
        {
            ++operations[event.at("pid").get<int>()];
            CHECK(event.at("dur").get<double>() >= 0);
        }
        if (phase == "s" || phase == "f")
        {
            flows[event.at("id").get<std::size_t>()] += phase == "s" ? 1 : -1;
        }
    }
    CHECK(processes == std::set<std::string>{"1F1B", "ZB-H1", "ZB-V", "DualPipe"});
    REQUIRE(operations.size() == 4);
    CHECK(operations[0] == 4 * 16 * 2); // stages, micro-batches, F and B
    CHECK(operations[1] == 4 * 16 * 3); // F, I and W
    CHECK(operations[2] == 4 * 16 * 6); // in two chunks
    CHECK(!flows.empty());
    CHECK(std::all_of(flows.begin(), flows.end(), [](const auto& flow) { return flow.second == 0; }));
    s.window.frames(2);
    CHECK(says(s.window, "Saved ringside-pipelines.json"));
}

TEST_CASE("a schedule that cannot run is left out of what is saved")
{
    SavingRoom s;
    Scenario few = s.window.session().scenario();
    few.training.global_batch = 32; // 4 micro-batches are too few for DualPipe
    s.window.session().apply(ChangeScenario{few});
    s.window.settle();
    s.window.key(ImGuiKey_G);
    s.window.key(ImGuiKey_E);
    REQUIRE(s.files.size() == 2);
    CHECK(s.files[0].text.find("DualPipe") == std::string::npos);
    CHECK(s.files[0].text.find("ZB-V") != std::string::npos);
    CHECK(s.files[1].text.find("DualPipe") == std::string::npos);
}

TEST_CASE("Ctrl+S asks for one picture, of every view, and zooms and saves nothing else")
{
    SavingRoom s;
    for (const ViewInfo* view : views())
    {
        s.window.open(view->id);
        s.window.settle(2000);
        INFO(view->id);
        const std::string before = test::text_of(s.window);
        CHECK(!s.window.session().take_save());
        s.window.key(ImGuiKey_S, ImGuiMod_Ctrl);
        CHECK(s.window.session().take_save() == Command::save_picture);
        CHECK(!s.window.session().take_save());
        CHECK(test::text_of(s.window) == before);
    }
    CHECK(s.files.empty());
}

TEST_CASE("an animation and an SVG are asked for by key and by palette, once")
{
    SavingRoom s;
    s.window.open("ring");
    s.window.settle();
    s.window.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
    CHECK(s.window.session().take_save() == Command::save_animation);
    CHECK(!s.window.session().take_save());
    s.window.key(ImGuiKey_K, ImGuiMod_Ctrl);
    s.window.type("save this view as svg");
    s.window.key(ImGuiKey_Enter);
    CHECK(s.window.session().take_save() == Command::save_svg);
}

TEST_CASE("while an animation is saved the strip says how far it is, and stops it")
{
    SavingRoom s;
    s.window.open("ring");
    s.window.settle();
    CHECK(!says(s.window, "Saving ringside-ring.mp4"));
    s.window.session().set_saving(Saving{"ringside-ring.mp4", 0.43, 11.2});
    s.window.frames(2);
    CHECK(says(s.window, "Saving ringside-ring.mp4 43%, 12 s left"));
    s.window.click("Stop saving the animation");
    CHECK(s.window.session().take_save() == Command::save_animation);
    s.window.session().set_saving({});
    s.window.frames(2);
    CHECK(!says(s.window, "Saving ringside-ring.mp4"));
}

TEST_CASE("a sketch holds the words that are on show, and drawing is the same with and without one")
{
    SavingRoom s;
    for (const ViewInfo* view : views())
    {
        INFO(view->id);
        s.window.open(view->id);
        s.window.settle(2000);
        s.window.frames(2);
        const std::string shown = test::text_of(s.window);
        Sketch sketch;
        s.window.drawing.set_sketch(&sketch);
        s.window.frames(1);
        s.window.drawing.set_sketch(nullptr);
        CHECK(test::text_of(s.window) == shown);
        const std::string svg = s.window.drawing.svg(sketch, s.window.session());
        CHECK(fault_of_xml(svg) == "");
        const auto words =
            std::count_if(sketch.shapes().begin(), sketch.shapes().end(),
                          [](const SketchShape& shape) { return shape.kind == SketchShape::Kind::words; });
        CHECK(words > 20);
        CHECK(svg.find(">" + std::string(name_of(view->group)) + "</text>") != std::string::npos);
    }
}
