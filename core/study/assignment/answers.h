// What a student hands in (schema ringside.answers/1): an answer for each task, the log of all that were
// given, and a seal. The seal's key is in the assignment, so it is no proof; it shows a file that was changed
// by hand. What an answer is worth never depends on what this file says it is.
#pragma once

#include "core/study/assignment/assignment.h"

namespace ringside
{

struct GivenAnswer
{
    std::string task;
    std::int64_t time_ms = 0; // since 1970
    std::string answer;
};

struct Answers
{
    std::string assignment;  // id
    std::string fingerprint; // of the assignment they were given to
    std::string student;
    std::vector<GivenAnswer> log; // in order of time
    std::string seal;

    // The last one within the attempts that count; null where there is none.
    const GivenAnswer* counted(const AssignmentTask& task) const;
    std::size_t given(std::string_view task) const;
};

Answers new_answers(const Assignment& assignment, std::string student);
// With its seal.
nlohmann::ordered_json to_json(const Answers& answers, const Assignment& assignment);
Result<Answers> answers_from_json(const nlohmann::json& document);

// What is odd about a file, as sentences: changed by hand, given to another version of the assignment, more
// answers than attempts, answers that go back in time, an unknown task, another student than expected (none:
// anybody).
std::vector<std::string> oddities(const Answers& answers, const Assignment& assignment,
                                  std::string_view student = {});

} // namespace ringside
