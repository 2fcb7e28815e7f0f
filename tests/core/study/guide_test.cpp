// The user guide: the form of a page, every kind of fault, and which pages there have to be.
#include <fmt/format.h>

#include "core/study/library/guide.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace ringside;

namespace
{

constexpr std::string_view kPicture = "A bar for each part of the memory, as long as it is large.";
constexpr std::string_view kList = "**Try this.**\n\n- Press F.\n- Drag micro-batch to the right.";
constexpr std::string_view kKnow = "**Good to know.** A gigabyte has a billion bytes until U is pressed.";

std::string reading(std::size_t words)
{
    std::string text = "**Reading it.** Compare";
    for (std::size_t i = 3; i < words; ++i)
    {
        text += " bars";
    }
    return text + ".";
}

std::string page(std::size_t words = 60)
{
    return fmt::format("{}\n\n{}\n\n{}\n\n{}\n", kPicture, reading(words), kList, kKnow);
}

std::string lines(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

std::string fault(std::string_view text)
{
    const auto read = read_guide_page(text);
    return read ? "" : lines(read.issues());
}

} // namespace

TEST_CASE("a page of the guide has four blocks, and is kept without the empty lines at its end")
{
    const auto read = read_guide_page(page() + "\n\n");
    REQUIRE(read);
    CHECK(read->text.starts_with(kPicture));
    CHECK(read->text.ends_with(kKnow));
}

TEST_CASE("a page without one of its blocks, or with them in another order, is refused by its name")
{
    CHECK(fault(fmt::format("{}\n\n{}\n\n{}\n", kPicture, reading(80), kKnow)).find("**Try this.**") !=
          std::string::npos);
    CHECK(fault(fmt::format("{}\n\n{}\n\n{}\n\n{}\n", kPicture, kList, reading(80), kKnow)) != "");
    CHECK(fault(fmt::format("{}\n\n{}\n\n{}\n", reading(80), kList, kKnow)) != "");
}

TEST_CASE("a page may begin with the names that users search for, which are not drawn")
{
    const auto read = read_guide_page("Also called: oom;  out of memory; vram\n\n" + page());
    REQUIRE(read);
    CHECK(read->names == std::vector<std::string>{"oom", "out of memory", "vram"});
    CHECK(read->text == read_guide_page(page())->text);
    CHECK(fault("Also called: oom;; vram\n\n" + page()).find("line 1") != std::string::npos);
    CHECK(fault("Also called: oom\n\n" + page() + "# A heading").find("line 13") != std::string::npos);
}

TEST_CASE("what the window does not draw is refused with its line")
{
    for (const std::string_view line :
         {"# A heading", "| a | b |", "1. one", "> said", "[words](there)", "    indented", "* starred"})
    {
        INFO(line);
        CHECK(fault(page() + std::string(line)).find("line 11") != std::string::npos);
    }
    CHECK(fault(page() + "in 1.5 s, 2 GPUs\n") == "");
}

TEST_CASE("a page may neither be a line nor a lecture")
{
    CHECK(fault(page(8)).find("words") != std::string::npos);
    CHECK(fault(page(400)).find("words") != std::string::npos);
    CHECK(fault("").find("words") != std::string::npos);
}

TEST_CASE("every view has a page, pages of views need none, and no page is about nothing")
{
    constexpr std::array<std::string_view, 4> kViews{"memory", "optimizer", "optimizer/rate",
                                                     "optimizer/clip"};
    const Guide whole{{"memory", {page(), {}}}, {"optimizer", {page(), {}}}};
    CHECK(check_guide(whole, kViews).empty());
    const Issues issues = check_guide({{"memory", {page(), {}}}, {"moemory", {page(), {}}}}, kViews);
    CHECK(issues.front().path == "guide/optimizer.md");
    CHECK(issues.front().severity == Severity::warning);
    CHECK(lines(issues).find("guide/moemory.md") != std::string::npos);
    CHECK(issues.size() == 2);
}
