// "Draw the curve first": on every page with a curve a class draws on empty axes, then sees the curve and how
// near each hand came.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/study/lessons/demo_script.h"
#include "core/study/lessons/drawn_hands.h"
#include "ui/draw/chart_record.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/view.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

constexpr const char* kPage = "growth/mfu"; // the MFU over the number of GPUs

bool on(const Window& w, StageTool tool)
{
    return w.session().frame(0).stage->has(tool);
}

void start(Window& w, std::string_view place)
{
    w.session().apply(OpenView{std::string(place)});
    w.move_to({-100, -100});
    w.settle();
    w.key(ImGuiKey_B, ImGuiMod_Ctrl);
    w.frames(6);
}

// What can be drawn on, in the order of the charts.
std::vector<test::Item> papers(const Window& w)
{
    std::vector<test::Item> all;
    std::ranges::copy_if(w.items(), std::back_inserter(all),
                         [](const test::Item& item) { return item.label.starts_with("###draw on chart"); });
    return all;
}

void stroke(Window& w, const Rect& paper, ImVec2 from, ImVec2 to)
{
    const auto at = [&](float share)
    {
        return ImVec2{paper.x + paper.w * (from.x + (to.x - from.x) * share),
                      paper.y + paper.h * (from.y + (to.y - from.y) * share)};
    };
    w.move_to(at(0));
    w.frames(2);
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    w.frames(2);
    for (int i = 1; i <= 10; ++i)
    {
        w.move_to(at(static_cast<float>(i) / 10));
        w.frame();
    }
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    w.frames(3);
}

float area_of(const std::array<ImVec2, 3>& t)
{
    return std::abs((t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y)) / 2;
}

// The colours that are seen inside: what was drawn before a sheet of the window's colour lies below it.
std::set<Colour> colours_in(Rect area, Colour sheet)
{
    std::set<Colour> seen;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
    {
        const ImDrawList& list = *data->CmdLists[i];
        for (const ImDrawCmd& command : list.CmdBuffer)
        {
            const ImVec4 clip = command.ClipRect;
            const bool apart =
                clip.x >= area.right() || clip.z <= area.x || clip.y >= area.bottom() || clip.w <= area.y;
            for (unsigned k = 0; !apart && k + 2 < command.ElemCount; k += 3)
            {
                std::array<ImVec2, 3> corners;
                Colour colour = 0;
                for (unsigned c = 0; c < 3; ++c)
                {
                    const ImDrawVert& v = list.VtxBuffer[static_cast<int>(
                        list.IdxBuffer[static_cast<int>(command.IdxOffset + k + c)] + command.VtxOffset)];
                    corners.at(c) = v.pos;
                    colour = std::max(colour, v.col);
                }
                const auto [left, right] = std::ranges::minmax(corners, {}, &ImVec2::x);
                const auto [top, bottom] = std::ranges::minmax(corners, {}, &ImVec2::y);
                const bool meets = left.x < area.right() && right.x > area.x && top.y < area.bottom() &&
                                   bottom.y > area.y && area_of(corners) > 0;
                if (meets && colour == sheet && area_of(corners) >= area.w * area.h / 2)
                {
                    seen.clear();
                }
                else if (meets && (colour >> 24U) > 0)
                {
                    seen.insert(colour & 0xFFFFFF);
                }
            }
        }
    }
    return seen;
}

std::string hand_text(std::string_view place, std::size_t many, std::string_view name = "Guest")
{
    DrawnHands hands{std::string(place), 0, 0, {}};
    for (std::size_t i = 0; i < many; ++i)
    {
        hands.hands.push_back(
            {fmt::format("{} {}", name, i + 1), {{10, 10}, {1e4, 20.0 + static_cast<double>(i)}}});
    }
    return to_text(hands);
}

void paste(Window& w, const std::string& text)
{
    w.clipboard = text;
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.frames(4);
}

} // namespace

TEST_CASE("a class draws with the mouse on empty axes; Enter lays the curve over it and says how near it is")
{
    Window w;
    start(w, kPage);
    REQUIRE(on(w, StageTool::curve));
    REQUIRE(!papers(w).empty());
    CHECK(says(w, "Draw the curve:"));
    const Rect paper = papers(w).front().rect;
    const Theme& t = dark_theme();
    const std::set<Colour> empty = colours_in(paper.inset(8), t.window);
    CHECK(empty == std::set<Colour>{t.grid & 0xFFFFFF});
    stroke(w, paper, {0.02F, 0.6F}, {0.97F, 0.4F});
    CHECK(colours_in(paper.inset(8), t.window).contains(t.forward.fill & 0xFFFFFF));
    CHECK_FALSE(says(w, "away on average"));
    w.key(ImGuiKey_Enter);
    w.settle();
    CHECK(says(w, "Hand 1"));
    CHECK(says(w, "away on average"));
    CHECK(papers(w).empty());
    CHECK(colours_in(paper.inset(8), t.window).size() > empty.size() + 1);
    CHECK(w.drawn().fault == "");
    w.key(ImGuiKey_Enter); // and hides it again
    w.settle();
    CHECK(papers(w).size() > 0);
    CHECK_FALSE(says(w, "away on average"));
    w.key(ImGuiKey_Escape);
    w.settle();
    CHECK_FALSE(on(w, StageTool::curve));
    CHECK(papers(w).empty());
}

TEST_CASE("figures are hidden until the curve is revealed, but those of the axes")
{
    Window w;
    w.open("growth");
    w.settle();
    const auto figures = [&]
    {
        const std::string all = test::text_of(w);
        return std::ranges::count_if(all, [](char c) { return c >= '0' && c <= '9'; });
    };
    const auto open = figures();
    start(w, "growth");
    CHECK(says(w, "\u2022\u2022"));
    CHECK(figures() < open);
    const Rect paper = papers(w).front().rect;
    const auto words = test::words_of(w);
    CHECK(std::ranges::any_of(words,
                              [&](const test::Words& each)
                              {
                                  return each.rect.y > paper.bottom() && each.rect.y < paper.bottom() + 24 &&
                                         each.text.find_first_of("0123456789") != std::string::npos;
                              }));
    w.key(ImGuiKey_Enter);
    w.settle();
    CHECK(says(w, "No curve was drawn here."));
    CHECK_FALSE(says(w, "\u2022\u2022"));
}

TEST_CASE("a hand is drawn with the arrow keys alone; Esc takes it away before it closes the paper")
{
    Window w;
    start(w, kPage);
    w.key(ImGuiKey_RightArrow);
    w.frames(2);
    CHECK(says(w, "Esc takes it away"));
    for (int i = 0; i < 16; ++i)
    {
        w.key(ImGuiKey_UpArrow);
        w.key(ImGuiKey_RightArrow);
    }
    w.frames(3);
    CHECK(test::heard_in(w).find("Esc takes it away") != std::string::npos);
    w.key(ImGuiKey_Escape);
    w.frames(3);
    CHECK(on(w, StageTool::curve));
    CHECK_FALSE(says(w, "Esc takes it away"));
    for (int i = 0; i < 17; ++i)
    {
        w.key(ImGuiKey_RightArrow);
    }
    w.key(ImGuiKey_DownArrow);
    w.key(ImGuiKey_Enter);
    w.settle();
    CHECK(says(w, "away on average"));
    CHECK_FALSE(says(w, "of its length")); // from end to end
    CHECK(w.session().view() == "growth");
    w.key(ImGuiKey_Escape);
    w.frames(3);
    CHECK_FALSE(on(w, StageTool::curve));
}

TEST_CASE("hands follow one another with names; the nearest stands first, arrow keys go through them")
{
    auto lecturer = std::make_unique<Window>();
    Window& w = *lecturer;
    start(w, kPage);
    const Rect paper = papers(w).front().rect;
    w.click("###name of the hand");
    w.type("Ana");
    w.frames(2);
    stroke(w, paper, {0.02F, 0.95F}, {0.97F, 0.05F});
    w.click("next hand");
    w.frames(2);
    CHECK(says(w, "1 hand."));
    stroke(w, paper, {0.02F, 0.05F}, {0.97F, 0.95F});
    w.key(ImGuiKey_N);
    stroke(w, paper, {0.4F, 0.5F}, {0.5F, 0.5F});
    w.key(ImGuiKey_Backspace); // takes it back
    w.key(ImGuiKey_Enter);
    w.settle();
    CHECK(says(w, "Ana"));
    CHECK(says(w, "Hand 2"));
    CHECK(says(w, "Best of 2"));
    const std::string best = says(w, "1. Ana") ? "Ana" : "Hand 2";
    w.key(ImGuiKey_DownArrow);
    w.frames(3);
    CHECK(says(w, "2 of 2"));
    w.click("copy the hands");
    CHECK(w.clipboard.find("ringside.curves/1") != std::string::npos);
    CHECK(w.clipboard.find("Ana") != std::string::npos);
    const std::string text = w.clipboard;
    lecturer.reset();
    Window other; // a student's page
    paste(other, text);
    other.settle();
    CHECK(other.session().view() == "growth");
    REQUIRE(on(other, StageTool::curve));
    CHECK(says(other, "2 hands"));
    other.key(ImGuiKey_Enter);
    other.settle();
    CHECK(says(other, fmt::format("1. {}", best)));
}

TEST_CASE("what is pasted is bounded, and refused with a reason")
{
    Window w;
    start(w, kPage);
    paste(w, R"({"schema": "ringside.curves/1", "place": "nowhere", "hands": [{"x": [1], "y": [1]}]})");
    CHECK(says(w, "there is no page \"nowhere\""));
    paste(w,
          R"({"schema": "ringside.curves/1", "place": "growth/mfu", "hands": [{"x": [2, 1], "y": [1, 1]}]})");
    CHECK(says(w, "does not rise"));
    paste(w, R"({"schema": "ringside.curves/1")");
    CHECK(on(w, StageTool::curve));
    paste(w, hand_text(kPage, 150));
    CHECK(says(w, "150 hands"));
    paste(w, hand_text(kPage, 150));
    w.settle();
    CHECK(says(w, "200 hands, no more fit."));
    paste(w, R"({"schema": "ringside.curves/1", "place": "growth/mfu", "chart": 90, "curve": 90,
                 "hands": [{"x": [1e-300, 1e300], "y": [-1e300, 1e300]}]})");
    w.settle();
    CHECK(w.drawn().fault == "");
    paste(w, hand_text(kPage, 1, "Late"));
    w.key(ImGuiKey_Enter);
    w.settle();
    CHECK(says(w, "Best of 200"));
    CHECK(w.drawn().fault == "");
}

TEST_CASE("another page has paper of its own; what was drawn here is here again, and nothing of it there")
{
    Window w;
    start(w, kPage);
    stroke(w, papers(w).front().rect, {0.1F, 0.5F}, {0.9F, 0.5F});
    w.key(ImGuiKey_N);
    w.key(ImGuiKey_Enter);
    w.settle();
    REQUIRE(says(w, "away on average"));
    w.open("context-length");
    w.settle();
    CHECK_FALSE(says(w, "away on average")); // nothing is revealed there
    CHECK(!papers(w).empty());
    CHECK_FALSE(says(w, "1 hand."));
    w.open("glossary");
    w.settle();
    CHECK(says(w, "No curve on this page"));
    w.key(ImGuiKey_Enter);
    w.settle();
    CHECK(w.drawn().fault == "");
    w.session().apply(OpenView{kPage});
    w.settle();
    CHECK(says(w, "1 hand."));
}

TEST_CASE("paper takes the place of the guesses' strip and of a frozen picture")
{
    Window w;
    w.open("growth");
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.frames(3);
    w.key(ImGuiKey_B, ImGuiMod_Ctrl);
    w.frames(4);
    CHECK(on(w, StageTool::curve));
    CHECK_FALSE(on(w, StageTool::guesses));
    CHECK_FALSE(on(w, StageTool::freeze));
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.frames(3);
    CHECK_FALSE(on(w, StageTool::curve));
}

TEST_CASE("a scene of a demonstration brings the paper, and the next takes it away")
{
    Window w;
    const auto script =
        demo_script_from_json(nlohmann::json::parse(R"({"schema": "ringside.demo/1", "title": "T", "scenes": [
            {"title": "Draw", "view": "growth/mfu", "draw": true}, {"title": "On", "view": "growth/mfu"}]})"),
                              test::presets(), view_places(), {});
    REQUIRE(script);
    w.session().set_script(*script);
    w.settle();
    CHECK(on(w, StageTool::curve));
    CHECK(!papers(w).empty());
    w.key(ImGuiKey_PageDown);
    w.settle();
    CHECK_FALSE(on(w, StageTool::curve));
    CHECK(papers(w).empty());
}

TEST_CASE("on every page with a curve it is hidden, can be drawn, is revealed and scored")
{
    Window w;
    ChartRecord record;
    w.drawing.set_record(&record);
    const Theme& t = dark_theme();
    const std::set<Colour> paper_colours{t.grid & 0xFFFFFF, t.line & 0xFFFFFF};
    std::size_t pages = 0;
    std::size_t scored = 0;
    for (const std::string_view place : view_places())
    {
        INFO(place);
        start(w, place);
        REQUIRE(on(w, StageTool::curve));
        const std::vector<test::Item> all = papers(w);
        if (!all.empty())
        {
            w.key(ImGuiKey_Backspace); // the hand of a page that goes by two names
            w.frames(3);
        }
        for (const test::Item& paper : all)
        {
            if (paper.visible.w < 40 || paper.visible.h < 24)
            {
                continue; // scrolled out of sight
            }
            INFO(paper.label);
            const Rect inside = paper.visible.inset(6);
            for (const Colour colour : colours_in(inside, t.window))
            {
                INFO(fmt::format("{:06x}", colour));
                const bool clock =
                    colour == (t.text & 0xFFFFFF) && w.motion().duration > 0; // across the page
                CHECK((clock || paper_colours.contains(colour)));
            }
        }
        if (!all.empty())
        {
            ++pages;
            stroke(w, all.front().rect, {0.02F, 0.4F}, {0.98F, 0.6F});
            w.key(ImGuiKey_Enter);
            w.settle();
            scored += says(w, "away on average") ? 1 : 0;
        }
        CHECK(w.drawn().fault == "");
        w.session().apply(TurnTool{StageTool::curve});
        w.settle();
        CHECK(papers(w).empty());
    }
    CHECK(pages >= 40);
    CHECK(scored == pages);
}

TEST_CASE("no words of the paper, of the score or of the ranking are cut off at any size")
{
    Window w;
    start(w, kPage);
    test::check_words_at_every_size(w, "paper");
    paste(w, hand_text(kPage, 12));
    w.session().apply(SetSpeed{1}); // the notice goes
    w.key(ImGuiKey_Enter);
    w.settle();
    test::check_words_at_every_size(w, "revealed");
}
