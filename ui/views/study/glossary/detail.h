// One term, large: what it means, its formula and source, where it is seen, what is related.
#pragma once

#include "core/study/library/glossary.h"

#include <span>

namespace ringside
{

// What was pressed.
struct GlossaryEvent
{
    std::string term;    // id of a related one; empty: none
    bool see = false;    // the view where it is seen
    bool lesson = false; // the lesson about it
};

GlossaryEvent draw_term(const Frame& frame, const Painter& window, Rect area, const GlossaryTerm& term);
// Nothing fits what was typed: the nearest terms instead.
GlossaryEvent draw_nearest(const Painter& p, Rect area, std::string_view query,
                           std::span<const GlossaryTerm> terms);

} // namespace ringside
