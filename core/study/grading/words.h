// The words of typed answers, one table: units, powers of ten, numbers, what is counted, and the words that
// say nothing about the number. Words of several parts stand in one, without blanks and hyphens and in the
// singular: "allreduce".
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// What a unit measures; a number without any is plain.
enum class Of : std::uint8_t
{
    data,
    time,
    work,
    money,
    energy,
    percent,
    ratio,
    none
};
inline constexpr std::size_t kPowers = 5; // the first of them have powers

struct Per
{
    std::string_view thing;
    double count = 1; // "per million tokens"
};

// A unit: powers of what can be measured, and the things that are counted.
struct Measure
{
    std::array<int, kPowers> power{};
    double size = 1; // in bytes, seconds, FLOP, dollars, joules
    bool percent = false;
    bool ratio = false;
    bool loose_rate = false;          // "FLOPS" may be a count or a rate
    std::vector<std::string_view> of; // "GPUs" of GPU-hours, "tokens" of tokens/s
    std::vector<Per> per;
    std::string strange; // a denominator that no word is
    std::string name;    // said back

    bool physical() const { return power != std::array<int, kPowers>{}; }
    bool plain() const
    {
        return !physical() && !percent && !ratio && of.empty() && per.empty() && strange.empty();
    }
    bool cancelled() const { return plain() && name.find('/') != std::string::npos; } // "min per day"
    int& of_kind(Of kind) { return power.at(static_cast<std::size_t>(kind)); }
    // 0 of what is no dimension: a share, a ratio, a count.
    int of_kind(Of kind) const
    {
        const auto at = static_cast<std::size_t>(kind);
        return at < kPowers ? power.at(at) : 0;
    }
};

// The unit at the start of a phrase: "GPU-hours of repeated work".
Measure read_measure(std::string_view phrase, Of wanted);

// Values of a question's own letters: "P": 70e9.
using Letters = std::map<std::string, double, std::less<>>;

struct UnitWord
{
    Of of = Of::none;
    double size = 1;
    std::string name = {};   // as it is said back: "GB"
    bool per_second = false; // "FLOPS", "Gbps"
};

// The unit that a word is, where `wanted` is asked for: "M" is megabytes of bytes. Nothing where it is none.
std::optional<UnitWord> unit_word(std::string_view word, Of wanted, bool bits);
// A unit of time in the denominator, where "m" and "d" are no powers of ten.
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

// The parts of a number in words.
enum class NumberPart : std::uint8_t
{
    unit,    // one to nineteen
    ten,     // twenty to ninety
    share,   // half, third
    ordinal, // first, second
    factor   // twice, tenfold
};
std::optional<double> number_part(NumberPart part, std::string_view word);
// One of those that can be a whole answer: "twelve", "half".
bool is_number_word(std::string_view word);

// What a word that is neither number nor unit does to an answer.
enum class Manner : std::uint8_t
{
    unknown,
    silent,  // says nothing about the number
    hedge,   // "about"
    limit,   // "at least": what is asked is a limit
    bound,   // "more than": another number, unless a limit is asked
    denial,  // "not"
    each,    // makes the next word a denominator
    one_word // an article
};
Manner manner_of(std::string_view word);

// Why a word of the answer is about something else than the question's sentence.
bool contradicts(std::string_view word, std::string_view sentence_words);
// "more", "slower"; "less", "smaller".
bool says_more(std::string_view word);
bool says_less(std::string_view word);

// Small letters, without a plural's s: "GPUs" is "gpu".
std::string stem_of(std::string_view word);
bool has_word(std::string_view list, std::string_view word);

} // namespace ringside
