// What was typed, in numbers, words and signs. Signs that mean the same become one; markup is dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct Token
{
    enum class Kind
    {
        number,
        word, // "%", "$" and "x" for a cross too
        sign  // + - * / ^ ( ) = , ; : and > for an arrow
    };
    Kind kind = Kind::word;
    std::string text; // as typed
    double value = 0;
    bool apart = false;    // a blank before it
    bool exponent = false; // of a number: "1e9"
    bool vulgar = false;   // "½"
};

std::vector<Token> tokens_of(std::string_view typed);

} // namespace ringside
