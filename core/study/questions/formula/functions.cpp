#include "core/study/questions/formula/functions.h"

#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/base/text/text.h"
#include "core/study/questions/formula/functions/parts.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::vector<StudyFunction> all_functions()
{
    using namespace study_function;
    std::vector<StudyFunction> all;
    for (const auto part : {arithmetic_functions(), parallel_functions(), scaling_functions(),
                            run_functions(), kernel_functions()})
    {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace

Issue study_function::refuse(std::string_view what, double value, std::string hint)
{
    return {"", fmt::format("{} is {}", what, three_digits(value)), std::move(hint)};
}

Result<std::int64_t> study_function::whole(std::string_view what, double value, double low, double high)
{
    if (!(value >= low && value <= high) || value != std::floor(value))
    {
        return refuse(what, value, fmt::format("use a whole number from {} to {}", low, high));
    }
    return static_cast<std::int64_t>(value);
}

std::size_t StudyFunction::count() const
{
    return arguments == "..." ? 0 : static_cast<std::size_t>(std::ranges::count(arguments, ',')) + 1;
}

std::span<const StudyFunction> study_functions()
{
    static const std::vector<StudyFunction> all = all_functions();
    return all;
}

const StudyFunction* find_function(std::string_view name)
{
    const auto all = study_functions();
    return find_by(all, name, &StudyFunction::name);
}

} // namespace ringside
