#include "core/base/text/hide_numbers.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

bool is_digit(std::string_view text, std::size_t i)
{
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
}

bool is_letter(std::string_view text, std::size_t i)
{
    return i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'));
}

// Whether a number that begins at `i` belongs to a name: BF16, ZeRO-3.
bool in_name(std::string_view text, std::size_t i)
{
    if (i == 0)
    {
        return false;
    }
    const bool joined = text[i - 1] == '-' && i > 1 && is_letter(text, i - 2);
    return is_letter(text, i - 1) || text[i - 1] == '_' || joined;
}

// Whether it numbers the thing before it: stage 3, Rank 0.
bool after_name(std::string_view text, std::size_t i)
{
    constexpr std::array<std::string_view, 8> kNumbered{"stage", "rank", "replica", "round",
                                                        "layer", "node", "GPU",     "chunk"};
    const auto ends_with = [&](std::string_view word)
    {
        const std::string_view before = text.substr(0, i - 1);
        return before.ends_with(word) || (before.size() >= word.size() && before.ends_with(word.substr(1)) &&
                                          before[before.size() - word.size()] == word[0] - 'a' + 'A');
    };
    return i > 0 && text[i - 1] == ' ' && std::ranges::any_of(kNumbered, ends_with);
}

// One past the number that begins at `i`.
std::size_t end_of_number(std::string_view text, std::size_t i)
{
    while (i < text.size())
    {
        const bool separated = (text[i] == '.' || text[i] == ',') && is_digit(text, i + 1);
        const bool exponent =
            text[i] == 'e' &&
            (is_digit(text, i + 1) ||
             (i + 1 < text.size() && (text[i + 1] == '-' || text[i + 1] == '+') && is_digit(text, i + 2)));
        if (!is_digit(text, i) && !separated && !exponent)
        {
            break;
        }
        i += exponent ? 2 : 1;
    }
    return i;
}

// Copies `text` with every number that belongs to no name replaced by what `say` makes of it.
template <class Say>
std::string with_numbers(std::string_view text, const Say& say)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();)
    {
        if (!is_digit(text, i))
        {
            out += text[i++];
            continue;
        }
        std::size_t end = end_of_number(text, i);
        if (in_name(text, i) || after_name(text, i) || (is_letter(text, end) && is_digit(text, end + 1)))
        {
            while (is_digit(text, end) || is_letter(text, end))
            {
                ++end;
            }
            out += text.substr(i, end - i);
        }
        else
        {
            out += say(text.substr(i, end - i));
        }
        i = end;
    }
    return out;
}

} // namespace

std::string hide_numbers(std::string_view text, std::span<const std::string> known)
{
    return with_numbers(text,
                        [&](std::string_view number) -> std::string_view {
                            return std::ranges::find(known, number) != known.end() ? number : "\u2022\u2022";
                        });
}

std::vector<std::string> numbers_in(std::string_view text)
{
    std::vector<std::string> numbers;
    with_numbers(text,
                 [&](std::string_view number)
                 {
                     numbers.emplace_back(number);
                     return number;
                 });
    return numbers;
}

} // namespace ringside
