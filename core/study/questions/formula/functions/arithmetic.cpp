// Ordinary arithmetic.
#include "core/study/questions/formula/functions/parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::study_function
{

namespace
{

template <double (*f)(double)>
Value plain(Arguments v)
{
    return f(v[0]);
}

Value smallest(Arguments v)
{
    return *std::ranges::min_element(v);
}

Value largest(Arguments v)
{
    return *std::ranges::max_element(v);
}

constexpr std::array kArithmeticFunctions{
    StudyFunction{"min", "...", "the smallest", smallest},
    StudyFunction{"max", "...", "the largest", largest},
    StudyFunction{"sqrt", "x", "square root", plain<std::sqrt>},
    StudyFunction{"ln", "x", "natural logarithm", plain<std::log>},
    StudyFunction{"log2", "x", "logarithm to base 2", plain<std::log2>},
    StudyFunction{"log10", "x", "logarithm to base 10", plain<std::log10>},
    StudyFunction{"exp", "x", "e to the x", plain<std::exp>},
    StudyFunction{"abs", "x", "without its sign", plain<std::fabs>},
    StudyFunction{"ceil", "x", "rounded up", plain<std::ceil>},
    StudyFunction{"floor", "x", "rounded down", plain<std::floor>},
    StudyFunction{"round", "x", "rounded, halves away from 0", plain<std::round>},
    StudyFunction{"mod", "a, b", "what is left of a divided by b",
                  [](Arguments v) { return Value(std::fmod(v[0], v[1])); }},
};

} // namespace

std::span<const StudyFunction> arithmetic_functions()
{
    return kArithmeticFunctions;
}

} // namespace ringside::study_function
