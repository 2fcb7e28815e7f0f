// Words as they are drawn, not as the theme has them: every view's, on what lies behind them.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "ui/shell/view.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

// WCAG 2.2, success criterion 1.4.3: 4.5, and 3 for words of 18 points and more.
constexpr double kLeast = 4.5;
constexpr double kLeastLarge = 3;
constexpr float kLarge = 24; // [px]

std::string pale_words(const test::Window& w)
{
    std::string pale;
    for (const test::Contrast& c : test::contrasts_of(w))
    {
        if (c.ratio < (c.size >= kLarge ? kLeastLarge : kLeast))
        {
            pale += fmt::format("\"{}\" {:.2f} at {:.0f},{:.0f}; ", c.words.text, c.ratio, c.words.rect.x,
                                c.words.rect.y);
        }
    }
    return pale;
}

} // namespace

TEST_CASE("every view's words have a contrast of 4.5 with what they are drawn on, in every theme")
{
    test::Window w;
    // Something to undo and to redo: what cannot be pressed may be pale.
    for (const std::int64_t sequences : {2, 4})
    {
        Scenario next = w.session().scenario();
        next.training.micro_batch = sequences;
        w.session().apply(ChangeScenario{next});
    }
    w.session().apply(Command::undo);
    for (const unsigned theme : {0U, 1U, 2U, 3U})
    {
        Preferences p = w.session().preferences();
        p.light = theme % 2 == 1;
        p.high_contrast = theme > 1;
        w.session().set_preferences(p);
        for (const ViewInfo* info : views())
        {
            w.open(info->id);
            w.frames(3);
            INFO(info->id << (p.light ? ", light" : ", dark") << (p.high_contrast ? ", high contrast" : ""));
            CHECK(pale_words(w) == "");
        }
    }
}
