#include "core/study/assignment/answers.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/sha256.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr JsonLimits kAnswerLimits{.letters = 16384, .entries = 10000};
constexpr std::size_t kMostListed = 5; // oddities of one kind

const JsonTable<GivenAnswer> kEntryTable{
    {{"task", &GivenAnswer::task, kNeeded},
     {"time_ms", &GivenAnswer::time_ms, {.needed = true, .least = 0}},
     {"answer", &GivenAnswer::answer, {.needed = true, .may_be_empty = true}}}};

const JsonTable<Answers> kAnswersTable{{
    json_schema<Answers>("ringside.answers/1"),
    {"assignment", &Answers::assignment, kNeeded},
    {"fingerprint", &Answers::fingerprint, kNeeded},
    {"student", &Answers::student, kNeeded},
    {"log", &Answers::log, kEntryTable, kNeeded},
    {"seal", &Answers::seal, {.may_be_empty = true}},
}};

std::string seal_of(const Answers& answers, const Assignment& assignment)
{
    std::string text = fmt::format("{}\n{}\n{}\n", answers.assignment, answers.fingerprint, answers.student);
    for (const GivenAnswer& entry : answers.log)
    {
        text += fmt::format("{}\n{}\n{}\n{}\n", entry.task, entry.time_ms, entry.answer.size(), entry.answer);
    }
    return to_hex(hmac_sha256(assignment.salt, text));
}

void add_log_oddities(std::vector<std::string>& odd, const Answers& answers, const Assignment& assignment)
{
    std::size_t unknown = 0;
    bool back = false;
    for (std::size_t i = 0; i < answers.log.size(); ++i)
    {
        const GivenAnswer& entry = answers.log[i];
        if (assignment.task(entry.task) == nullptr && ++unknown <= kMostListed)
        {
            odd.push_back(fmt::format("There is no task \"{}\".", entry.task));
        }
        back = back || (i > 0 && entry.time_ms < answers.log[i - 1].time_ms);
    }
    if (back)
    {
        odd.emplace_back("Times of answers go back.");
    }
    for (const AssignmentTask& task : assignment.tasks)
    {
        const std::size_t given = answers.given(task.id);
        if (task.attempts > 0 && given > static_cast<std::size_t>(task.attempts))
        {
            odd.push_back(fmt::format("{} has {} answers, {} count.", task.title, given, task.attempts));
        }
    }
}

} // namespace

const GivenAnswer* Answers::counted(const AssignmentTask& task) const
{
    const GivenAnswer* last = nullptr;
    std::int64_t number = 0;
    for (const GivenAnswer& entry : log)
    {
        if (entry.task == task.id && (task.attempts == 0 || ++number <= task.attempts))
        {
            last = &entry;
        }
    }
    return last;
}

std::size_t Answers::given(std::string_view task) const
{
    return static_cast<std::size_t>(std::ranges::count(log, task, &GivenAnswer::task));
}

Answers new_answers(const Assignment& assignment, std::string student)
{
    return {assignment.id, assignment.fingerprint, std::move(student), {}, {}};
}

nlohmann::ordered_json to_json(const Answers& answers, const Assignment& assignment)
{
    nlohmann::ordered_json out{{"schema", "ringside.answers/1"},
                               {"assignment", answers.assignment},
                               {"fingerprint", answers.fingerprint},
                               {"student", answers.student},
                               {"log", nlohmann::ordered_json::array()}};
    for (const GivenAnswer& entry : answers.log)
    {
        out["log"].push_back(kEntryTable.write(entry));
    }
    out["seal"] = seal_of(answers, assignment);
    return out;
}

Result<Answers> answers_from_json(const nlohmann::json& document)
{
    Issues issues;
    Answers answers;
    kAnswersTable.read({document, "", issues, kAnswerLimits}, answers);
    add_if(issues, answers.student.size() > kMostStudentLetters,
           {"student", "is too long", "use an id or an address"});
    return issues.empty() ? Result<Answers>(std::move(answers)) : Result<Answers>(std::move(issues));
}

std::vector<std::string> oddities(const Answers& answers, const Assignment& assignment,
                                  std::string_view student)
{
    std::vector<std::string> odd;
    const auto add = [&](bool is, std::string text)
    {
        if (is)
        {
            odd.push_back(std::move(text));
        }
    };
    add(answers.assignment != assignment.id, fmt::format("These are answers to \"{}\".", answers.assignment));
    add(answers.assignment == assignment.id && answers.fingerprint != assignment.fingerprint,
        "The answers were given to another version of the assignment.");
    add(answers.seal != seal_of(answers, assignment), "The file was changed outside of Ringside.");
    add(!student.empty() && answers.student != student,
        fmt::format("The answers are those of \"{}\", handed in by \"{}\".", answers.student, student));
    add_log_oddities(odd, answers, assignment);
    return odd;
}

} // namespace ringside
