// A text whose figures a class has still to guess.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// Every number becomes two dots, however long it is, so that not even its size can be read; its unit stays.
// Digits of names stay (BF16, ZeRO-3, 1F1B, stage 0), and so do numbers that are `known` as they are written.
std::string hide_numbers(std::string_view text, std::span<const std::string> known = {});
// The numbers that hide_numbers() would hide.
std::vector<std::string> numbers_in(std::string_view text);

} // namespace ringside
