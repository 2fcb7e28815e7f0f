// What every question must be, whatever its numbers: the same rules for `ringside check` and for the tests.
#pragma once

#include "core/study/questions/question.h"

#include <set>
#include <string>
#include <vector>

namespace ringside
{

// Faults of one question: a worked solution that does not reach the key, a hint that gives it away, a printed
// answer that would be graded wrong, a mistake that would not be recognised. Paths are those of the variant.
Issues inspect(const Question& question);

// Faults of a variant over `seeds` draws, each once, with the first seed it was met with.
struct VariantCheck
{
    Issues issues;         // paths are "file: family/variant.field"
    std::size_t drawn = 0; // questions that could be made
};
VariantCheck check_variant(Calculator& calculator, const QuestionFamily& family, std::size_t variant,
                           std::uint64_t seeds);

} // namespace ringside
