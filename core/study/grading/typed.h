// What was typed, as numbers with their units and the words around them. Arithmetic is worked out, units are
// multiplied and divided; whether it is what was asked for is decided in answer.h.
#pragma once

#include "core/study/grading/vocabulary.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct Per
{
    std::string_view thing;
    double count = 1; // "per million tokens"
};

// A unit: powers of what can be measured, and the things that are counted.
struct Measure
{
    std::array<int, 4> power{}; // of data, time, work, money
    double size = 1;
    bool percent = false;
    bool ratio = false;
    std::vector<std::string_view> of; // "GPU" of GPU-hours, "tokens" of tokens/s
    std::vector<Per> per;
    std::string strange;     // a denominator that no word is
    std::string name;        // said back
    bool loose_rate = false; // "FLOPS" may be a count or a rate

    bool physical() const { return power != std::array<int, 4>{}; }
    bool plain() const { return !physical() && !percent && !ratio && of.empty() && per.empty(); }
    // "min per day"
    bool cancelled() const { return plain() && name.find('/') != std::string::npos; }
    int& of_kind(Of kind) { return power[static_cast<std::size_t>(kind)]; }
    // 0 of what is no dimension: a share, a ratio, a count.
    int of_kind(Of kind) const
    {
        const auto at = static_cast<std::size_t>(kind);
        return at < power.size() ? power.at(at) : 0;
    }
};

struct TypedValue
{
    double value = 0; // without the unit's size
    Measure measure = {};
    double spread = 0;              // of a range, relative to its middle
    bool exponent = false;          // typed with a power of ten
    bool worked = false;            // there is arithmetic in it
    bool spelt = false;             // in words
    bool letter = false;            // its unit is a lone "B"
    bool equated = false;           // behind an equals sign
    bool follows = false;           // behind an arrow, or a left side that names what it is worked out from
    bool remark = false;            // in brackets behind the answer
    std::vector<double> clock = {}; // "8:10": its parts
};

struct TypedText
{
    std::vector<TypedValue> values;
    std::vector<std::string_view> labels; // things before the first number: "TP 8"
    std::vector<std::string> words;       // the others that say something
    std::string counted;                  // an unknown word right behind a number without a unit
    std::string denial;                   // "not"
    std::string bound;                    // "more than"
    std::string fault;                    // why it cannot be read
};

TypedText read_typed(std::string_view typed, Of wanted, bool bits);
// The unit at the start of a phrase: "GPU-hours of repeated work".
Measure read_measure(std::string_view phrase, Of wanted);

} // namespace ringside
