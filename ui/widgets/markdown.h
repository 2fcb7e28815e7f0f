// Short Markdown as lessons use it: paragraphs, **strong**, `code`, lists, and lines of code between fences.
// Nothing else of Markdown is drawn.
#pragma once

#include "ui/draw/painter.h"

namespace ringside
{

struct MarkdownTypes
{
    Type plain = Type::small;
    Type strong = Type::small_strong;
    Type code = Type::mono_small;
};

// Wrapped into the width of `area`, from its top; returns the height used.
float markdown(const Painter& painter, Rect area, Colour colour, std::string_view text,
               const MarkdownTypes& types = {});

} // namespace ringside
