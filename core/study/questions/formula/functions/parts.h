// The tables that study_functions() puts together, one a file of this folder, and what their functions share.
#pragma once

#include "core/study/questions/formula/functions.h"

#include <cstdint>
#include <string>

namespace ringside::study_function
{

using Arguments = std::span<const double>;
using Value = Result<double>;

std::span<const StudyFunction> arithmetic_functions();
std::span<const StudyFunction> parallel_functions();
std::span<const StudyFunction> scaling_functions();
std::span<const StudyFunction> run_functions();
std::span<const StudyFunction> kernel_functions();

// "WHAT is VALUE", with what would work.
Issue refuse(std::string_view what, double value, std::string hint);
// A whole number from `low` to `high`, or what is wrong with it.
Result<std::int64_t> whole(std::string_view what, double value, double low, double high);

} // namespace ringside::study_function
