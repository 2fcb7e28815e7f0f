// The grammar of typed answers. A text is read in every way that it allows; whether one of them is what was
// asked for is decided in answer.h. What no rule takes makes a fault: nothing is dropped.
//
//   answer  = { word } sum { link sum } { word }       link = "=" | "->" | "so" | "," | "(" remark ")"
//   sum     = term { ("+" | "-") term }                range = sum ("to" | "or" | "-") sum
//   term    = factor { ("*" | "x" | "/" | "of" | "") factor }
//   factor  = [ "-" ] ( number | name | function "(" sum { "," sum } ")" | "(" sum ")" ) [ "!" ] [ "^" factor
//   ]
//             [ unit ]
//   number  = figures [ fraction ] | words | clock
#pragma once

#include "core/study/grading/tokens.h"

namespace ringside
{

struct TypedValue
{
    double value = 0; // without the unit's size
    Measure measure = {};
    double spread = 0;                    // of a range, relative to its middle
    bool worked = false;                  // there is arithmetic in it
    bool part = false;                    // a fraction or a percentage: "half", "3/4"
    std::optional<double> exclaimed = {}; // 6 of "6!", which may be six with feeling
    bool glued = false;                   // its power of ten stands without a blank
    char letter = 0;                      // its unit or power of ten is this letter alone
    bool equated = false;                 // behind an equals sign
    bool follows = false;                 // behind an arrow or "so"
    bool remark = false;                  // in brackets behind the answer
    std::vector<double> clock = {};       // "8:10": its parts
};

struct TypedText
{
    std::vector<TypedValue> values;
    std::vector<std::string_view> labels; // things before the first number: "TP 8"
    std::vector<std::string> words;       // the others, as typed; hedges with "~" before them
    std::string counted;                  // the word right behind a number without a unit
    std::string bound;                    // "more than"
    std::string unknown;                  // what was not understood
    std::string fault;                    // why it cannot be read
    bool named = false;                   // a name of the question's was worked with
    bool hedged = false;
    bool ordinal = false; // "the third"
};

// How a text is read where it can be read in several ways.
struct Way
{
    bool names = false;  // letters are the question's own values before they are units
    bool counts = false; // a lone letter behind a number is a power of ten: "30B"
    bool whole = true;   // a unit behind a quotient is that of the whole: "470/400 s"
    bool comma = false;  // "1,175" is a little more than one
};

TypedText read_typed(std::string_view typed, Of wanted, bool bits, const Letters& names, Way way);

} // namespace ringside
