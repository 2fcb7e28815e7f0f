// The questions of a mock interview in a row and in the panel: where one is, what is answered, how long each
// took. No verdict before the end.
#pragma once

#include "ui/shell/study_frame.h"
#include "ui/widgets/painter.h"

namespace ringside
{

// Numbered squares; returns the one pressed.
std::optional<std::size_t> draw_places(const Painter& painter, Rect row, const MockSession& mock);
// The clock over the list; returns the one pressed.
std::optional<std::size_t> draw_mock_panel(const Painter& painter, Rect area, const MockSession& mock);
// What a person reads of a question: while it runs only whether it is answered.
std::string state_words(const MockSession& mock, const MockItem& item);

} // namespace ringside
