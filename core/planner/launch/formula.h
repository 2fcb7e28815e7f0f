// Formulas of launch rules: "training.micro_batch * training.sequence_length", "parallel.zero == 3 ? 'always'
// : 'never'". Numbers, texts in single quotes, names, + - * / %, comparisons, && || !, ?: and the functions
// ceil, floor, gcd, min, max, count(text, part) and has(name), which is whether a name has a value. Numbers
// of 0 are false. Nothing loops, reads or writes.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

struct FormulaValue
{
    std::string text; // as a file has it: "8", "0.5", "true", "full"
    double number = 0;
    bool is_number = false;

    static FormulaValue of(double number);
    // A number where the text is one; "true" is 1 and "false" is 0.
    static FormulaValue of(std::string text);
    bool truth() const { return is_number ? number != 0 : !text.empty(); }
};

using FormulaNames = std::function<std::optional<FormulaValue>(std::string_view name)>;

// Faults: what is no formula, and names without a value.
Result<FormulaValue> evaluate_formula(std::string_view formula, const FormulaNames& names);

} // namespace ringside
