// Above and below a question: pips of the session, what the check said, the row of keys.
#pragma once

#include "core/study/grading.h"
#include "ui/shell/study_frame.h"
#include "ui/views/drill/sheet.h"
#include "ui/widgets/controls.h"

namespace ringside
{

// One for each question, and at the right what kind this one is.
void draw_pips(const Painter& painter, Rect row, const std::vector<Pip>& pips, std::string_view right);

// What the check said of an answer, never the key.
struct VerdictCard
{
    const Verdict& verdict;
    std::string_view right; // "try 2 of 3"; may be empty
};
void draw_verdict(Sheet& sheet, const VerdictCard& card);

// A button in a row; the one pressed is returned by its place.
struct KeyButton
{
    std::string label; // "Show me###show"
    std::string key;
    bool primary = false;
};
std::optional<std::size_t> draw_buttons(const Painter& painter, Rect row, std::span<const KeyButton> buttons);

// Tab and the arrows belong to the question, not to going from item to item. Called every frame.
void keep_keys();

// "03:07"
std::string clock_words(double seconds);

} // namespace ringside
