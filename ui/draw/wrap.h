// Words that are wider than their line.
#pragma once

#include "ui/draw/painter.h"

namespace ringside
{

// How many bytes of it fit into a width: all, or up to a sign where a long name may be parted, or one letter
// at least.
std::size_t fitting(const Painter& painter, Type type, std::string_view text, float most);

} // namespace ringside
