// One callable out of several lambdas, for std::visit over a variant.
#pragma once

namespace ringside
{

template <class... F>
struct Overloaded : F...
{
    using F::operator()...;
};
// Aggregates deduce on their own in C++20, yet clang before 17 wants it said.
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

} // namespace ringside
