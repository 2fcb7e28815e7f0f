#include "core/base/text/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside
{

namespace
{

unsigned char byte_at(std::string_view text, std::size_t at)
{
    return static_cast<unsigned char>(text[at]);
}

// C0 but for newline and tab, DEL, and C1, which is two bytes of UTF-8.
bool is_control(std::string_view character)
{
    const unsigned char first = byte_at(character, 0);
    return character.size() == 1 ? (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F
                                 : first == 0xC2 && byte_at(character, 1) < 0xA0;
}

} // namespace

std::size_t character_length(std::string_view text)
{
    const unsigned char first = byte_at(text, 0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size())
    {
        return 0;
    }
    const std::string_view rest = text.substr(1, length - 1);
    const bool whole =
        std::ranges::all_of(rest, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
    return whole ? length : 0;
}

std::string printable(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
    {
        const std::size_t length = character_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        if (length > 0 && !is_control(character))
        {
            out += character;
        }
        else
        {
            out += fmt::format("\\x{:02x}", byte_at(character, character.size() - 1));
        }
        text.remove_prefix(character.size());
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t longest)
{
    if (text.size() <= longest)
    {
        return std::string(text);
    }
    std::size_t end = longest;
    while (end > 0 && (byte_at(text, end) & 0xC0U) == 0x80U)
    {
        --end;
    }
    return std::string(text.substr(0, end)) + "...";
}

} // namespace ringside
