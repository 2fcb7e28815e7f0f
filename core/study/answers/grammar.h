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

#include "core/study/answers/units.h"

#include <vector>

namespace ringside
{

// What was typed, in numbers, words and signs; every byte is in one, so that nothing is dropped. Signs that
// mean the same become one; "five hundred twelve", "2 1/2", "a third" and "2 and a half" are one number each.
struct TypedToken
{
    enum class Kind : std::uint8_t
    {
        number,
        word, // "%", "$", "~" and "x" for a cross too
        sign  // + - * / ^ ( ) = , ; : and > for an arrow; any other is none that is understood
    };
    Kind kind = Kind::word;
    std::string text; // as typed
    double value = 0;
    bool apart = false; // a blank before it
    bool part = false;  // "half", "1/2" behind a blank and a number, "½"
};

// Tokens with a place; each part that is read moves it on.
class Tokens
{
public:
    explicit Tokens(std::string_view typed);

    bool at_end() const { return at >= all_.size(); }
    // An empty word behind the last and before the first.
    const TypedToken& peek(std::size_t ahead = 0) const
    {
        return at + ahead < all_.size() ? all_[at + ahead] : none_;
    }
    const TypedToken& before() const { return at > 0 && at <= all_.size() ? all_[at - 1] : none_; }
    // Empty where there is no word.
    std::string_view text(std::size_t ahead = 0) const
    {
        return word(ahead) ? std::string_view(peek(ahead).text) : std::string_view{};
    }
    bool number(std::size_t ahead = 0) const { return peek(ahead).kind == TypedToken::Kind::number; }
    bool word(std::size_t ahead = 0) const
    {
        return peek(ahead).kind == TypedToken::Kind::word && !peek(ahead).text.empty();
    }
    bool word(std::string_view stem, std::size_t ahead = 0) const { return stem_of(text(ahead)) == stem; }
    bool sign(char c, std::size_t ahead = 0) const
    {
        return peek(ahead).kind == TypedToken::Kind::sign && peek(ahead).text[0] == c;
    }
    bool joined(std::size_t ahead = 0) const { return at + ahead < all_.size() && !peek(ahead).apart; }
    // A hyphen between what stands here and the word behind it.
    bool hyphen() const { return sign('-') && joined() && word(1) && joined(1); }
    bool take_word(std::string_view stem) { return take(word(stem)); }
    bool take_sign(char c) { return take(sign(c)); }
    bool take(bool found)
    {
        at += found ? 1U : 0U;
        return found;
    }
    // As it was typed, from a place to here.
    std::string typed_since(std::size_t from) const;

    std::size_t at = 0;

private:
    void join_number();

    std::vector<TypedToken> all_;
    TypedToken none_;
};

// The thing that the next words name, "accumulation steps"; nothing moves, and it is empty, for none.
std::string_view take_thing(Tokens& tokens);
// What is over and under the line behind what is in `m`: "k tokens/s per GPU", "PFLOP/s-days", "GPU hours";
// nothing moves where there is no unit.
Measure take_unit(Tokens& tokens, const Measure& asked, Measure m = {});

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
