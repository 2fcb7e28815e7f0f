// A text whose figures a class has still to guess.
#pragma once

#include <string>
#include <string_view>

namespace ringside
{

// Every number becomes two dots, however long it is, so that not even its size can be read; its unit stays.
// Digits of names stay: BF16, ZeRO-3, 1F1B, stage 0.
std::string hide_numbers(std::string_view text);

} // namespace ringside
