// ringside question: families listed, one shown with numbers from a seed, an answer graded. And what `check`
// says of all of them.
#pragma once

#include "app/commands.h"
#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/study/coverage.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ringside
{

struct QuestionOptions
{
    std::string id;   // "model-state" or "model-state/easy"
    std::string text; // an answer as people type it
    std::uint64_t seed = 1;
    std::string topic;  // of `list`; empty: all
    int hints = 0;      // opened before answering
    double seconds = 0; // it took; 0: not known
};

int run_question_list(const CommonOptions& common, const QuestionOptions& options);
int run_question_show(const CommonOptions& common, const QuestionOptions& options);
// Exit 1: not right.
int run_question_answer(const CommonOptions& common, const QuestionOptions& options);

// Every family sampled with seeds 0 to `seeds` - 1, every erratum run, and the coverage.
struct QuestionCheck
{
    std::size_t families = 0;
    std::size_t variants = 0;
    Issues issues;
    std::vector<std::string> gaps; // concepts and what they lack, items nobody asks
    std::string coverage;          // the two lines that `check` ends with
    std::size_t complete = 0;
    std::size_t askable = 0;
    std::size_t errata = 0;
    std::vector<ConceptCoverage> concepts;
};
// Every family sampled with seeds 0 to `seeds` - 1, and the coverage.
QuestionCheck check_questions(const std::filesystem::path& assets, const Presets& presets,
                              std::uint64_t seeds, const LessonsByConcept& lessons);

} // namespace ringside
