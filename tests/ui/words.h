// What a user reads in the last frame: the characters are found again in what was given to the renderer.
#pragma once

#include "tests/ui/harness.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::test
{

// Words that follow each other on one line.
struct Words
{
    std::string text;
    Rect rect;        // of their characters' boxes, as far as they are within the area they may be drawn in
    bool cut = false; // sideways by the area they may be drawn in, or by the window
};

// In order of drawing.
std::vector<Words> words_of(const Window& window);
// All of it, a space between two lines.
std::string text_of(const Window& window);
bool says(const Window& window, std::string_view words);
// What a screen reader is told of the next frame: words, and controls as "name: value. tip".
std::string heard_in(Window& window);
// The first that begin with this.
const Words* seek_words(const std::vector<Words>& all, std::string_view start);
// Texts of which a part is missing at an edge; "" when there are none.
std::string cut_words(const Window& window);
// Words and how they stand out from what was drawn behind them.
struct Contrast
{
    Words words;
    double ratio = 0; // WCAG 2.2, that of the middle one of their characters
    float size = 0;   // [px] of the font
};
std::vector<Contrast> contrasts_of(const Window& window);
// How a user may have set up the window: ten sizes, text scales and themes, with and without presenter.
struct Setup
{
    ImVec2 window;
    float text;
    bool presenter;
    bool light;

    Preferences preferences(Preferences from = {}) const;
    std::string says() const; // "640 x 480, text 2.5, light"
};
std::span<const Setup> setups();
// Checks that what was drawn has no fault, no missing glyph, and no words cut or on each other.
void check_words(const Window& window);
// Checks that the view on show has no fault, no missing glyph and no words cut or on each other in any
// setup. `state` says on failure what was on show. Ends
// with the preferences it began with, at 1280 x 800.
void check_words_at_every_size(Window& window, std::string_view state);
// "a / b" for words whose letters lie on each other's; the boxes of characters reach a little further.
std::string words_on_each_other(const Window& window);

} // namespace ringside::test
