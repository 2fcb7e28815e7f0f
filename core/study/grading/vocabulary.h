// The words of typed answers: units, powers of ten, what can be counted, and what says nothing. Words of
// several parts stand in one, without blanks and hyphens and in the singular: "allreduce".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

// What a unit measures; a number without any is plain.
enum class Of : std::uint8_t
{
    data,
    time,
    work,
    money,
    percent,
    ratio,
    none
};

struct UnitWord
{
    Of of = Of::none;
    double size = 1;         // in bytes, seconds, FLOP, dollars
    std::string name = {};   // as it is said back: "GB"
    bool per_second = false; // "FLOPS", "Gbps"
};

// The unit that a word is, where `wanted` is asked for: "M" is megabytes of bytes. Nothing where it is none.
std::optional<UnitWord> unit_word(std::string_view word, Of wanted, bool bits);
// A unit of time in the denominator, where "m" and "d" are no scales.
std::optional<UnitWord> time_word(std::string_view word);

struct ScaleWord
{
    double size = 1;
    std::string_view name;
};
// "k", "million", "bn": small ones are read as they stand, longer ones in any case.
std::optional<ScaleWord> scale_word(std::string_view word);

// What is counted: the name of the thing, the same for all its synonyms; empty for an unknown word.
std::string_view thing_named(std::string_view squashed);
// Whether two things are near enough to be said for each other: ranks and GPUs.
bool same_thing(std::string_view a, std::string_view b);

// A number in words: "half", "twelve".
std::optional<double> number_word(std::string_view word);

enum class Manner : std::uint8_t
{
    unknown,
    silent,  // says nothing about the number
    hedge,   // "about"
    bound,   // "more than": another number, unless it is hedged
    denial,  // "not"
    each,    // makes the next word a denominator
    one_word // an article
};
Manner manner_of(std::string_view word);

// Why a word of the answer is about something else than the question's sentence; empty where it is not.
bool contradicts(std::string_view word, std::string_view sentence_words);

// Small letters, without a plural's s: "GPUs" is "gpu".
std::string stem_of(std::string_view word);

} // namespace ringside
