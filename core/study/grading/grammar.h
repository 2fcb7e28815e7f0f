// The grammar of typed answers. What no rule takes is a fault or a word that is
// said back: nothing is dropped.
//
//   answer  = { word } sum { link sum } { word }       link = "=" | "->" | "so"
//   | "," | "(" remark ")" sum     = term { ("+" | "-") term } term    = factor
//   { ("*" | "x" | "/" | "of") factor } factor  = [ "-" ] ( number | function
//   "(" sum { "," sum } ")" | "(" sum ")" ) [ "^" factor ] [ unit ] number  =
//   figures [ fraction ] | words | clock
#pragma once

#include "core/study/grading/tokens.h"

namespace ringside
{

struct TypedValue
{
    double value = 0; // without the unit's size
    Measure measure = {};
    bool worked = false;            // there is arithmetic in it
    bool part = false;              // a fraction or a percentage: "half", "3/4"
    bool linked = false;            // behind an equals sign, an arrow or "so"
    bool cancelled = false;         // its units divided out
    bool glued = false;             // its unit stands without a blank
    std::vector<double> clock = {}; // "8:10": its parts
};

// Around the numbers.
struct TypedWord
{
    std::string text;       // "TP"
    std::string_view thing; // that it counts; empty for another word
};

struct TypedText
{
    std::vector<TypedValue> values;
    std::vector<TypedWord> words;
    std::string counted;   // the one right behind a number without a unit
    std::string fault;     // why it cannot be read
    bool billions = false; // a lone B may be bytes or a power of ten
};

// `billions`: a lone B behind a number is a power of ten, not bytes.
TypedText read_typed(std::string_view typed, const Measure& asked, bool billions);

} // namespace ringside
