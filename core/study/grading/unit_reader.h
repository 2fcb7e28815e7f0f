// Reads units out of tokens: "k tokens/s per GPU", "PFLOP/s-days", "GPU hours", "million dollars".
#pragma once

#include "core/study/grading/tokens.h"
#include "core/study/grading/typed.h"

#include <optional>

namespace ringside
{

// Tokens with a place; each part that is read moves it on.
class Tokens
{
public:
    explicit Tokens(std::vector<Token> all) : all_(std::move(all)) {}

    bool at_end() const { return at >= all_.size(); }
    const Token* peek(std::size_t ahead = 0) const
    {
        return at + ahead < all_.size() ? &all_[at + ahead] : nullptr;
    }
    const Token* before() const { return at > 0 && at <= all_.size() ? &all_[at - 1] : nullptr; }
    bool number(std::size_t ahead = 0) const { return is(Token::Kind::number, ahead); }
    bool word(std::size_t ahead = 0) const { return is(Token::Kind::word, ahead); }
    bool word(std::string_view text, std::size_t ahead = 0) const
    {
        return word(ahead) && stem_of(peek(ahead)->text) == text;
    }
    bool sign(char c, std::size_t ahead = 0) const
    {
        return is(Token::Kind::sign, ahead) && peek(ahead)->text[0] == c;
    }
    // "sqrt 10", "ln(2)", "ceil(4.2)", "e^2"
    bool function(std::size_t ahead = 0) const;
    bool take_word(std::string_view text);
    bool take_sign(char c);

    std::size_t at = 0;

private:
    bool is(Token::Kind kind, std::size_t ahead) const { return peek(ahead) && peek(ahead)->kind == kind; }

    std::vector<Token> all_;
};

using Function = double (*)(double);
Function function_named(std::string_view name); // null for none

class UnitReader
{
public:
    UnitReader(Tokens& tokens, Of wanted, bool bits) : t_(tokens), wanted_(wanted), bits_(bits) {}

    // What is over and under the line; nothing moves where there is no unit.
    Measure measure();
    // "/s", "per GPU", "for every token", "a day": true when there was one.
    bool denominator(Measure& m);
    // The thing named by the next words, with the adjectives before it; empty, and nothing moves, for none.
    std::string_view thing();
    // A unit of time next, where `m` and `d` are minutes and days.
    bool time_next(std::size_t ahead = 0) const { return t_.word(ahead) && time_word(t_.peek(ahead)->text); }

private:
    bool scale(Measure& m);
    bool atom(Measure& m);
    bool glued(Measure& m);
    bool abbreviated_rate(Measure& m);
    bool under(Measure& m, double count);
    void multiply(Measure& m, const UnitWord& unit, int power);
    std::size_t joined() const
    {
        const bool sign = t_.sign('-') || t_.sign('*'); // "GPU-hours", "GPU\u00b7h"
        return sign && t_.word(1) && !t_.peek()->apart && !t_.peek(1)->apart ? 1 : 0;
    }

    Tokens& t_;
    Of wanted_;
    bool bits_;
};

} // namespace ringside
