// How well something's names fit what was typed: for lists that narrow as the user types.
//
// Order: the whole name, its start, starts of its words, anywhere in it, its description, and last with one
// typing error in a word of four letters or more. Equals keep the list's order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// The better, the smaller.
enum class Closeness : std::uint8_t
{
    exact,  // it is one of the names
    start,  // a name begins with it
    word,   // each of its words begins a word of the names
    inside, // each stands somewhere in the names
    text,   // each stands somewhere in the names or the text
    typo,   // each begins a word of the names, but for one typing error
    none
};

// Small letters, and one space in place of hyphens, dots and other signs. Bytes beyond ASCII stay.
std::string folded(std::string_view text);

// What is looked through, folded.
struct Findable
{
    std::vector<std::string> names; // the first is the one shown
    std::string text;
};
// The parts between any of the separators that hold more than blanks, without the blanks around them.
std::vector<std::string_view> trimmed_parts(std::string_view text, std::string_view separators);
// Names with semicolons between.
std::vector<std::string_view> names_between(std::string_view list);
Findable findable(std::span<const std::string_view> names, std::string_view text);

// `query` is folded; everything fits an empty one, as text.
Closeness fit_of(const Findable& what, std::string_view query);

// Letters to change, add or take away to make one of the other (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Places in the list of those that fit, the closest first and equals in their order. A typing error is
// supposed only where nothing fits without one.
std::vector<std::size_t> closest_first(const std::vector<Closeness>& fits);

} // namespace ringside
