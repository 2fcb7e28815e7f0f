// A formula and its working, written side by side so that they cannot drift apart.
#pragma once

#include "core/base/text/text.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ringside::formula_text
{

struct Text
{
    std::string formula;
    std::string working;
};

inline Text operator+(Text a, const Text& b)
{
    return {std::move(a.formula) + b.formula, std::move(a.working) + b.working};
}

inline Text sum(const std::vector<Text>& terms)
{
    Text all;
    for (const Text& term : terms)
    {
        all = all + (all.working.empty() ? term : Text{" + ", " + "} + term);
    }
    return all;
}

// In parentheses where it is a sum.
inline Text factor(const Text& text)
{
    const auto wrap = [](const std::string& s)
    { return s.find(" + ") != std::string::npos || s.find(" − ") != std::string::npos ? "(" + s + ")" : s; };
    return {wrap(text.formula), wrap(text.working)};
}

using ringside::figure;
inline std::string figure(std::int64_t whole)
{
    return figure(static_cast<double>(whole));
}

inline const Text kTimes{" × ", " × "};
inline const Text kBeside{" ", " × "}; // letters that stand side by side are multiplied

inline Text whole_number(std::string symbol, std::int64_t value)
{
    return {std::move(symbol), figure(value)};
}

} // namespace ringside::formula_text
