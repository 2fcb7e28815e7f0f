// Where blocks lie on lanes and parts in bars, and what is left out where there is no room.
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/pictures/timeline.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

// A window of ImGui's to draw into, with its own font for every face.
class Page
{
public:
    Page() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext())
    {
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = {800, 600};
        io.IniFilename = nullptr;
        fonts_.faces.fill(io.Fonts->AddFontDefault());
        io.Fonts->Build();
        ImGui::NewFrame();
        ImGui::Begin("page");
    }
    ~Page()
    {
        ImGui::End();
        ImGui::EndFrame();
        ImGui::DestroyContext(context_);
        ImGui::SetCurrentContext(before_);
    }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    Painter painter() const { return Painter(*ImGui::GetWindowDrawList(), look_); }

private:
    ImGuiContext* before_;
    ImGuiContext* context_;
    Fonts fonts_;
    Look look_{dark_theme(), fonts_};
};

BarRow row_of(std::string name, double value, bool chosen = false)
{
    BarRow row{std::move(name), {{{{value, plain_fill(1)}}}, {{{value, plain_fill(1)}}}}};
    row.chosen = chosen;
    return row;
}

} // namespace

TEST_CASE("a block lies where its time is, a pixel before the next")
{
    const Page page;
    const Painter p = page.painter();
    const std::vector<LaneName> names{{"compute"}, {"wire"}};
    TimeLanes lanes(p, {10, 20, 450, 100}, {1, 5}, {50, 50}, names);
    CHECK(lanes.field().x == 60);
    CHECK(lanes.field().w == 400);
    CHECK(lanes.cell(1, 2, 3).x == 160);
    CHECK(lanes.cell(1, 2, 3).y == 70);
    const auto block = lanes.block(0, 2, 3, plain_fill(1));
    REQUIRE(block);
    CHECK(block->x == 160);
    CHECK(block->w == 99);
    CHECK(lanes.body(0, 2, 3, true).w == 100);
}

TEST_CASE("what is out of sight or narrower than three pixels is no block of its own")
{
    const Page page;
    const Painter p = page.painter();
    const std::vector<LaneName> names(1);
    TimeLanes lanes(p, {0, 0, 400, 20}, {0, 4}, {20}, names);
    CHECK_FALSE(lanes.block(0, 5, 6, plain_fill(1)));
    CHECK_FALSE(lanes.block(0, 2, 2, plain_fill(1)));
    CHECK_FALSE(lanes.block(0, 1, 1.02, plain_fill(1)));
    CHECK(lanes.block(0, 3.5, 6, plain_fill(1)));
}

TEST_CASE("a time and its pixel are each other's inverse, and nothing zoomed is all")
{
    const TimeWindow window{2, 6};
    const Rect area{100, 0, 200, 10};
    CHECK(window.x(area, 3) == 150);
    CHECK(window.t(area, 150) == Catch::Approx(3));
    CHECK(TimeZoom().window(7).to == 7);
}

TEST_CASE("parts of a bar add up to it, upwards and to the right")
{
    const Page page;
    const Painter p = page.painter();
    const std::vector<BarPart> parts{{2, plain_fill(1)}, {1, plain_fill(2)}};
    const StackedBar up = draw_stacked_bar(p, {0, 0, 50, 100}, parts, {4});
    CHECK(up.parts[0].y == 50);
    CHECK(up.parts[1].bottom() == 50);
    CHECK(up.all.h == 75);
    const StackedBar right = draw_stacked_bar(p, {10, 0, 100, 20}, parts, {4, false});
    CHECK(right.parts[1].x == 60);
    CHECK(right.all.right() == 85);
}

TEST_CASE("a bar that is longer than its area ends with it")
{
    const Page page;
    const std::vector<BarPart> parts{{3, plain_fill(1)}, {3, plain_fill(2)}};
    const StackedBar bar = draw_stacked_bar(page.painter(), {0, 0, 40, 100}, parts, {4});
    CHECK(bar.all.h == 100);
    CHECK(bar.parts[1].y == 0);
}

TEST_CASE("rows of bars drop columns from the right, and rows but the chosen one")
{
    const Page page;
    const Painter p = page.painter();
    const BarRows rows{{{}, {}}, {row_of("a", 1), row_of("b", 1, true), row_of("c", 1)}};
    const DrawnRows all = draw_bar_rows(p, {0, 0, 600, 300}, rows);
    CHECK(all.bars[2].size() == 2);
    CHECK(draw_bar_rows(p, {0, 0, 150, 300}, rows).bars[2].size() == 1);
    const DrawnRows low = draw_bar_rows(p, {0, 0, 600, p.height(Type::small) + 4}, rows);
    CHECK(low.bars[0].empty());
    CHECK(low.bars[1].size() == 2);
    CHECK(low.bars[2].empty());
}

TEST_CASE("a legend goes on in a second line only where it may")
{
    const Page page;
    const Painter p = page.painter();
    const std::vector<LegendItem> items{{"forward", plain_fill(1)}, {"backward", plain_fill(2)}};
    CHECK(draw_legend(p, {0, 0, 400, 60}, items, 2) == 28);
    CHECK(draw_legend(p, {0, 0, 90, 60}, items, 2) == 52);
    CHECK(draw_legend(p, {0, 0, 90, 60}, items) == 28);
}
