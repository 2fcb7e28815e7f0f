// The grammar of typed answers. What no rule takes is a fault or a word that is said back: nothing is
// dropped.
//
//   answer   = { word } value { link value } { word }
//   link     = "=" | "->" | "so" | "," | "(" remark ")"
//   value    = operand { ("+" | "-" | "*" | "x" | "/" | "of" | "^") operand }
//   operand  = { "-" } ( number | function "(" value { "," value } ")" | "(" value ")" ) [ unit ]
//
// Arithmetic is worked out with its units: only what has the same can be added, a root halves a unit's power.
#pragma once

#include "core/study/grading/tokens.h"

namespace ringside
{

struct TypedValue
{
    double value = 0; // in bytes, seconds, FLOP ...
    Powers powers = {};
    double scale = 1;               // of k, million, Ki: part of the value
    bool unit = false;              // it has a unit, a power of ten or a counted thing
    bool worked = false;            // there is arithmetic in it
    bool linked = false;            // behind an equals sign, an arrow or "so"
    bool cancelled = false;         // its units divided out
    std::vector<double> clock = {}; // "8:10": its parts
    std::string typed = {};

    Measure measure() const { return {powers, 1}; }
};

// Around the numbers.
struct TypedWord
{
    std::string text;       // "TP"
    std::string_view thing; // that it counts; empty for another word
    bool counted;           // right behind a number without a unit
};

struct TypedText
{
    std::vector<TypedValue> values;
    std::vector<TypedWord> words;
    std::string fault; // why it cannot be read
};

TypedText read_typed(std::string_view typed, const Measure& asked);

} // namespace ringside
