// What was typed, in numbers, words and signs; every byte is in one, so that
// nothing is dropped. Signs that mean the same become one.
#pragma once

#include "core/study/grading/units.h"

#include <vector>

namespace ringside
{

struct TypedToken
{
    enum class Kind : std::uint8_t
    {
        number,
        word, // "%", "$", "~" and "x" for a cross too
        sign  // + - * / ^ ( ) = , ; : and > for an arrow; any other is none that is
              // understood
    };
    Kind kind = Kind::word;
    std::string text; // as typed
    double value = 0;
    bool apart = false;  // a blank before it
    bool vulgar = false; // "½"
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
    // Empty where there is no word.
    std::string_view text(std::size_t ahead = 0) const
    {
        return word(ahead) ? std::string_view(peek(ahead)->text) : std::string_view{};
    }
    bool number(std::size_t ahead = 0) const { return is(TypedToken::Kind::number, ahead); }
    bool word(std::size_t ahead = 0) const { return is(TypedToken::Kind::word, ahead); }
    bool word(std::string_view stem, std::size_t ahead = 0) const
    {
        return word(ahead) && stem_of(peek(ahead)->text) == stem;
    }
    bool sign(char c, std::size_t ahead = 0) const
    {
        return is(TypedToken::Kind::sign, ahead) && peek(ahead)->text[0] == c;
    }
    bool joined(std::size_t ahead = 0) const { return peek(ahead) && !peek(ahead)->apart; }
    // A hyphen between what stands here and the word behind it.
    bool hyphen() const { return sign('-') && joined() && word(1) && joined(1); }
    bool take_word(std::string_view stem) { return take(word(stem)); }
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

// The thing that the next words name, "accumulation steps"; nothing moves, and
// it is empty, for none.
std::string_view take_thing(Tokens& tokens);
// What is over and under the line: "k tokens/s per GPU", "PFLOP/s-days", "GPU
// hours"; plain, and nothing moves, where there is no unit.
Measure take_unit(Tokens& tokens, const Measure& asked);
// "/s", "per GPU", "on each GPU", "a day"; false where there is none.
bool take_denominator(Tokens& tokens, const Measure& asked, Measure& measure);

} // namespace ringside
