// The words of typed answers: units, powers of ten, things that are counted, numbers in letters. What stands
// over and under the line is one map of powers, "GPUs" in it beside "B" and "s".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

// The powers of "B", "s", "FLOP", "J", "USD", "%", "x", and of counted things: "GPUs".
using Powers = std::map<std::string, int, std::less<>>;

struct Measure
{
    Powers powers;   // none: a plain number
    double size = 1; // in bytes, seconds, FLOP, joules, dollars; 0.01 of "%"

    int power(std::string_view of) const;
    bool physical() const; // has one of the units, not only counted things
    // Over the line for +1, under it for -1.
    void multiply(const Measure& other, int sign);
};

bool is_physical(std::string_view of);

// The unit that a word is where `asked` is asked for: "pp" is percent of a share only.
std::optional<Measure> unit_named(std::string_view word, const Measure& asked);
// "k", "million", "Ki": a power of ten or two as a plain measure.
std::optional<Measure> scale_named(std::string_view word);
// What is counted: one name for all its synonyms; empty for an unknown word.
std::string_view thing_named(std::string_view stem);
// Whether two things are said for each other: ranks and replicas.
bool same_thing(std::string_view a, std::string_view b);
// "seven", "forty", "hundred".
std::optional<double> number_named(std::string_view word);
// "half", "thirds".
std::optional<double> part_named(std::string_view word);

// What a word that is neither number nor unit does to an answer.
enum class Manner : std::uint8_t
{
    unknown,
    silent, // says nothing about the number
    hedge,  // "about", "more": the number is right or asked back
    denial  // "not"
};
Manner manner_of(std::string_view word);

// Small letters, without hyphens and a plural's s: "GPUs" is "gpu".
std::string stem_of(std::string_view word);
// Whether the list, with blanks between its words, has this one.
bool has_word(std::string_view list, std::string_view word);

} // namespace ringside
