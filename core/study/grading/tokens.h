// What was typed, in numbers, words and signs; every byte is in one, so that nothing is dropped. Signs that
// mean the same become one.
#pragma once

#include "core/study/grading/words.h"

namespace ringside
{

struct TypedToken
{
    enum class Kind
    {
        number,
        word, // "%", "$" and "x" for a cross too
        sign  // + - * / ^ ( ) = , ; : ! and > for an arrow; any other is none that is understood
    };
    Kind kind = Kind::word;
    std::string text; // as typed
    double value = 0;
    bool apart = false;    // a blank before it
    bool exponent = false; // of a number: "1e9"
    bool vulgar = false;   // "½"
    double decimal = 0;    // "1,175": 1.175 where the comma may be a decimal one, else 0
};

std::vector<TypedToken> tokens_of(std::string_view typed);

// Tokens with a place; each part that is read moves it on.
class Tokens
{
public:
    explicit Tokens(std::vector<TypedToken> all) : all_(std::move(all)) {}

    bool at_end() const { return at >= all_.size(); }
    const TypedToken* peek(std::size_t ahead = 0) const
    {
        return at + ahead < all_.size() ? &all_[at + ahead] : nullptr;
    }
    const TypedToken* before() const { return at > 0 && at <= all_.size() ? &all_[at - 1] : nullptr; }
    bool number(std::size_t ahead = 0) const { return is(TypedToken::Kind::number, ahead); }
    bool word(std::size_t ahead = 0) const { return is(TypedToken::Kind::word, ahead); }
    bool word(std::string_view text, std::size_t ahead = 0) const
    {
        return word(ahead) && stem_of(peek(ahead)->text) == text;
    }
    bool sign(char c, std::size_t ahead = 0) const
    {
        return is(TypedToken::Kind::sign, ahead) && peek(ahead)->text[0] == c;
    }
    bool joined(std::size_t ahead = 0) const { return peek(ahead) && !peek(ahead)->apart; }
    bool take_word(std::string_view text) { return take(word(text)); }
    bool take_sign(char c) { return take(sign(c)); }

    std::size_t at = 0;

private:
    bool is(TypedToken::Kind kind, std::size_t ahead) const
    {
        return peek(ahead) && peek(ahead)->kind == kind;
    }
    bool take(bool found)
    {
        at += found ? 1U : 0U;
        return found;
    }

    std::vector<TypedToken> all_;
};

// Reads units out of tokens: "k tokens/s per GPU", "PFLOP/s-days", "GPU hours", "million dollars".
class UnitReader
{
public:
    UnitReader(Tokens& tokens, Of wanted, bool bits) : t_(tokens), wanted_(wanted), bits_(bits) {}

    // What is over and under the line; nothing moves where there is no unit.
    Measure measure();
    // "/s", "per GPU", "for every token", "a day": true when there was one.
    bool denominator(Measure& m);
    // The thing named by the next words; empty, and nothing moves, for none. Words before it that are not in
    // `adjectives` end it; null: any may stand there.
    std::string_view thing();
    const std::string* adjectives = nullptr;
    // A unit of time next, where `m` and `d` are minutes and days.
    bool time_next(std::size_t ahead = 0) const { return t_.word(ahead) && time_word(t_.peek(ahead)->text); }

private:
    bool scale(Measure& m);
    bool atom(Measure& m);
    bool unit_atom(Measure& m);
    bool thing_atom(Measure& m);
    bool under(Measure& m, double count);
    void multiply(Measure& m, const UnitWord& unit, int power);

    Tokens& t_;
    Of wanted_;
    bool bits_;
};

} // namespace ringside
