// Text of a stranger's file, before it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside
{

// With nothing in it that a terminal would take for a command: control characters other than newline and tab,
// and bytes that are not UTF-8, are written as \x1b is here.
std::string printable(std::string_view text);

// The bytes of the first character; 0 where no whole one of UTF-8 begins.
std::size_t character_length(std::string_view text);

// Its beginning, and "..." where it goes on; never a part of a character.
std::string shortened(std::string_view text, std::size_t longest = 80);

} // namespace ringside
