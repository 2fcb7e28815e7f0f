// What is pointed at says what it is: every curve, point and bar of every view and page, by mouse and by
// keyboard; read-outs lie over everything; the name of a curve belongs to it.
#include "tests/ui/harness.h"
#include <fmt/format.h>

#include "ui/draw/chart_record.h"
#include "ui/shell/view.h"
#include "ui/widgets/labels.h"

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

using namespace ringside;
using test::Window;

namespace
{

// A window whose charts are written down.
struct Watched
{
    Watched() { window.drawing.set_record(&record); }

    void open(std::string_view place)
    {
        window.move_to({-100, -100});
        window.session().apply(OpenView{std::string(place)});
        window.frames(3);
        for (int i = 0; i < 1500 && window.frame(); ++i)
        {
        }
    }
    // Rests on a place for less than 0.2 s. Whether there is a read-out then.
    bool reads_at(ImVec2 at)
    {
        window.move_to(at);
        window.frames(4, 0.06);
        return !record.tips.empty();
    }

    ChartRecord record;
    Window window;
};

// Places on the curve that nothing else answers the mouse at: a third and two thirds along it.
std::vector<ImVec2> places_on(const std::vector<ImVec2>& path, const ChartRecord::Chart& chart)
{
    std::vector<ImVec2> inside;
    std::ranges::copy_if(path, std::back_inserter(inside),
                         [&](ImVec2 p)
                         {
                             return chart.area.inset(3).contains(p) &&
                                    std::ranges::none_of(chart.handles, [p](const Rect& r)
                                                         { return r.inset(-2).contains(p); });
                         });
    const std::size_t many = inside.size();
    return many < 3 ? inside : std::vector{inside[many / 3], inside[2 * many / 3]};
}

std::vector<std::pair<std::string, ImVec2>> to_be_read(const ChartRecord& record)
{
    constexpr std::size_t kEach = 4; // of the points of one chart
    constexpr std::size_t kMarks = 24;
    std::vector<std::pair<std::string, ImVec2>> all;
    for (const ChartRecord::Chart& chart : record.charts)
    {
        for (const ChartRecord::Curve& curve : chart.curves)
        {
            for (const ImVec2 at : curve.rule ? std::vector<ImVec2>() : places_on(curve.path, chart))
            {
                all.emplace_back("curve " + curve.name, at);
            }
        }
        for (std::size_t i = 0; i < chart.dots.size();
             i += std::max<std::size_t>(1, chart.dots.size() / kEach))
        {
            for (const ImVec2 at : places_on({chart.dots[i]}, chart))
            {
                all.emplace_back(fmt::format("point {}", i), at);
            }
        }
    }
    for (std::size_t i = 0; i < record.marks.size();
         i += std::max<std::size_t>(1, record.marks.size() / kMarks))
    {
        all.emplace_back(fmt::format("mark {}", i),
                         ImVec2{record.marks[i].centre(), record.marks[i].middle()});
    }
    return all;
}

// Whether the read-out was drawn after everything else, and nothing with it.
bool is_on_top(const Rect& tip)
{
    const ImDrawData* data = ImGui::GetDrawData();
    const ImDrawList& last = *data->CmdLists[data->CmdListsCount - 1];
    const std::span<const ImDrawVert> corners(last.VtxBuffer.Data,
                                              static_cast<std::size_t>(last.VtxBuffer.Size));
    return !corners.empty() &&
           std::ranges::all_of(corners, [&](const ImDrawVert& v) { return tip.inset(-4).contains(v.pos); });
}

// Where the keyboard stands in the picture; without a size where it does not.
Rect walked_to(const Window& w)
{
    const test::Item* stop = w.seek("###marks");
    return stop != nullptr && w.focused() == "###marks" ? stop->rect : Rect{};
}

bool is_at(const Rect& stop, const Rect& mark)
{
    return std::abs(stop.x - mark.x) < 1 && std::abs(stop.y - mark.y) < 1;
}

} // namespace

TEST_CASE("every curve, point and bar of every page is read out within 0.2 s of the mouse resting on it")
{
    Watched w;
    std::size_t read = 0;
    std::size_t silent = 0;
    for (const std::string_view place : view_places())
    {
        w.open(place);
        for (const auto& [name, at] : to_be_read(w.record))
        {
            INFO(place << ", " << name << " at " << at.x << ", " << at.y);
            silent += w.reads_at(at) ? 0 : 1;
            ++read;
        }
    }
    CHECK(read > 200);
    CHECK(silent <= read / 50); // blocks thinner than two pixels, marks under others
}

TEST_CASE("the arrow keys reach every mark of every page, and each shows the read-out that the mouse gets")
{
    Watched w;
    std::size_t walked = 0;
    std::size_t silent = 0;
    for (const std::string_view place : view_places())
    {
        w.open(place);
        const std::size_t many = w.record.marks.size();
        w.window.key(ImGuiKey_I, ImGuiMod_Ctrl);
        w.window.frames(2);
        CHECK((walked_to(w.window).w > 0) == (many > 0));
        for (std::size_t i = 0; i < many && w.record.marks.size() == many; ++i)
        {
            const Rect& mark = w.record.marks[i];
            INFO(place << ", mark " << i << " of " << many << " at " << mark.x << ", " << mark.y);
            REQUIRE(is_at(walked_to(w.window), mark));
            silent += w.record.tips.empty() ? 1 : 0;
            w.window.key(ImGuiKey_RightArrow);
            w.window.frame();
            ++walked;
        }
    }
    CHECK(walked > 1000);
    CHECK(silent <= walked / 50); // blocks thinner than two pixels, marks under others
}

TEST_CASE("up and down go from a curve to another, and from a lane to the next")
{
    Watched w;
    for (const std::string_view place : {"overview", "pipelines", "laws/isoflop"})
    {
        INFO(place);
        w.open(place);
        w.window.key(ImGuiKey_I, ImGuiMod_Ctrl);
        w.window.frames(2);
        const Rect first = walked_to(w.window);
        w.window.key(ImGuiKey_DownArrow);
        w.window.frame();
        const Rect below = walked_to(w.window);
        CHECK(below.middle() > first.middle());
        CHECK(!w.record.tips.empty());
        w.window.key(ImGuiKey_UpArrow);
        w.window.frame();
        CHECK(walked_to(w.window).middle() < below.middle());
    }
}

TEST_CASE("a mouse that moves takes the picture back from the keyboard, and Ctrl I gives it again")
{
    Watched w;
    w.open("memory");
    w.window.key(ImGuiKey_I, ImGuiMod_Ctrl);
    w.window.frames(2);
    REQUIRE(!w.record.tips.empty());
    w.window.move_to({640, 5});
    w.window.frames(3);
    CHECK(w.record.tips.empty());
    w.window.key(ImGuiKey_I, ImGuiMod_Ctrl);
    w.window.frames(2);
    CHECK(w.window.focused() == "###marks");
    CHECK(!w.record.tips.empty());
}

TEST_CASE("no words are drawn over a read-out")
{
    Watched w;
    std::size_t seen = 0;
    for (const std::string_view place : view_places())
    {
        w.open(place);
        for (const auto& [name, at] : to_be_read(w.record))
        {
            if (w.reads_at(at) && w.record.tips.front().w > 0)
            {
                INFO(place << ", " << name);
                CHECK(is_on_top(w.record.tips.front()));
                ++seen;
                break;
            }
        }
    }
    CHECK(seen > 15);
}

TEST_CASE("the name of a curve is nearer to it than to any other, or a line leads to it, at five sizes")
{
    struct Size
    {
        ImVec2 window;
        float text;
    };
    Watched w;
    std::size_t named = 0;
    for (const Size& size : {Size{{1280, 800}, 1}, Size{{1920, 1080}, 1}, Size{{1024, 768}, 1},
                             Size{{800, 600}, 1}, Size{{1280, 800}, 2.5F}})
    {
        Preferences preferences;
        preferences.text_scale = size.text;
        w.window.session().set_preferences(preferences);
        w.window.resize(size.window);
        for (const std::string_view place : view_places())
        {
            w.open(place);
            for (const ChartRecord::Chart& chart : w.record.charts)
            {
                const auto distance = [&](const CurveName& name, std::size_t curve)
                {
                    float least = 1e9F;
                    const std::vector<ImVec2>& path = chart.curves[curve].path;
                    for (std::size_t i = 1; i < path.size(); ++i)
                    {
                        const bool joined = std::isfinite(path[i - 1].x) && std::isfinite(path[i].x);
                        least =
                            joined ? std::min(least, distance_of(name.rect, path[i - 1], path[i])) : least;
                    }
                    return least;
                };
                for (const CurveName& name : chart.names)
                {
                    INFO(place << ", " << name.words << ", " << size.window.x << " x " << size.window.y
                               << ", text " << size.text);
                    const float own = distance(name, name.curve);
                    for (std::size_t k = 0; k < chart.curves.size(); ++k)
                    {
                        CHECK((name.leads || k == name.curve || own <= distance(name, k) + 0.5F));
                    }
                    ++named;
                }
            }
        }
    }
    CHECK(named > 200);
}

TEST_CASE("an SLO's median is named below the line of the p90, and the p90 above that of the median")
{
    // The height of a line below or above a place; nothing where it does not reach.
    const auto height_at = [](const std::vector<ImVec2>& path, float x) -> std::optional<float>
    {
        for (std::size_t i = 1; i < path.size(); ++i)
        {
            if (path[i - 1].x <= x && x <= path[i].x)
            {
                const float share = (x - path[i - 1].x) / std::max(1e-3F, path[i].x - path[i - 1].x);
                return path[i - 1].y + share * (path[i].y - path[i - 1].y);
            }
        }
        return std::nullopt;
    };
    Watched w;
    std::size_t seen = 0;
    for (const ImVec2 size :
         {ImVec2{1280, 800}, ImVec2{1920, 1080}, ImVec2{1024, 768}, ImVec2{800, 600}, ImVec2{1600, 900}})
    {
        w.window.resize(size);
        w.open("slo/requests");
        for (const ChartRecord::Chart& chart : w.record.charts)
        {
            const auto of = [&](std::string_view words)
            { return std::ranges::find(chart.names, words, &CurveName::words); };
            const auto high = of("p90");
            const auto middle = of("median");
            if (high == chart.names.end() || middle == chart.names.end())
            {
                continue;
            }
            INFO(size.x << " x " << size.y);
            ++seen;
            if (const auto line = height_at(chart.curves[high->curve].path, middle->rect.centre()))
            {
                CHECK((middle->leads || middle->rect.middle() > *line)); // or a line leads to it
            }
            if (const auto line = height_at(chart.curves[middle->curve].path, high->rect.centre()))
            {
                CHECK((high->leads || high->rect.middle() < *line));
            }
        }
    }
    CHECK(seen > 5);
}

TEST_CASE("the points of a chart have the colours of its legend, in both themes")
{
    Window w;
    const auto drawn_in = [&](Colour colour)
    {
        std::size_t many = 0;
        const ImDrawData* data = ImGui::GetDrawData();
        for (int i = 0; i < data->CmdListsCount; ++i)
        {
            many += static_cast<std::size_t>(
                std::ranges::count(std::span(data->CmdLists[i]->VtxBuffer.Data,
                                             static_cast<std::size_t>(data->CmdLists[i]->VtxBuffer.Size)),
                                   colour, &ImDrawVert::col));
        }
        return many;
    };
    constexpr std::size_t kSwatch = 4; // corners
    for (const bool light : {false, true})
    {
        INFO((light ? "light" : "dark"));
        Preferences preferences;
        preferences.light = light;
        w.session().set_preferences(preferences);
        const Theme& theme = light ? light_theme() : dark_theme();
        w.open("slo/price");
        w.settle(5000);
        for (const Ink& ink : {theme.backward_weight, theme.backward_input, theme.forward})
        {
            CHECK(drawn_in(ink.fill) > 10 * kSwatch);
        }
        w.open("rent");
        w.settle(5000);
        for (std::size_t type = 0; type < 3; ++type)
        {
            CHECK(drawn_in(theme.series[type].fill) > 10 * kSwatch);
        }
    }
}

TEST_CASE("words of a chart of offers lie on none of its points")
{
    for (const std::string_view place : {"slo/price", "rent"})
    {
        Watched w;
        w.window.open(place);
        w.window.settle(5000); // all offers are found
        REQUIRE(!w.record.charts.empty());
        const ChartRecord::Chart& chart = w.record.charts.front();
        REQUIRE(chart.dots.size() > 10);
        for (const test::Words& words : test::words_of(w.window))
        {
            const bool within = chart.area.contains({words.rect.centre(), words.rect.middle()});
            for (const ImVec2 dot : chart.dots)
            {
                INFO(place << ": " << words.text);
                CHECK_FALSE((within && words.rect.contains(dot)));
            }
        }
    }
}
