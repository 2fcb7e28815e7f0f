// One expression of a question family: "2*(n-1)/n*S/B". Numbers, names, + - * / ^ %, comparisons, && || ?:
// and the functions of functions.h; nothing that loops, reads or writes. What a name stands for is the
// caller's to say, so an expression is parsed once and evaluated often. Not to be shared between threads.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// Longer ones are refused: families may come from anybody.
inline constexpr std::size_t kLongestExpression = 1000;

class Expression
{
public:
    // Faults name the place: "at 7: ...".
    static Result<Expression> parse(std::string_view text);

    // The names it uses, functions not among them, sorted.
    const std::vector<std::string>& names() const;
    // Whether it calls a function that simulates, which takes milliseconds.
    bool simulates() const;
    // `values` in the order of names(). Faults: a function's argument out of range, a result that is not
    // finite.
    Result<double> evaluate(std::span<const double> values) const;

private:
    struct Compiled;
    explicit Expression(std::shared_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<Compiled> compiled_;
};

// Whether a name may be used in an expression: letters, digits and _, no digit first, and not a function's.
bool is_expression_name(std::string_view name);

// The expression with numbers in place of names and signs as people write them: "2 × (8 − 1) / 8 × 14e9 /
// 50e9". `figure_of` gives the text of a name.
std::string with_numbers(std::string_view expression,
                         const std::function<std::string(std::string_view name)>& figure_of);

} // namespace ringside
