// What an answer to a task is worth, worked out anew; and the files that graders take: Gradescope's
// results.json (gradescope-autograders.readthedocs.io, "Specifications": tests with name, score, max_score,
// status, output and visibility, a leaderboard, extra_data) and a CSV with a row for each student.
#pragma once

#include "core/study/assignment/answers.h"
#include "core/study/assignment/student_task.h"

#include <span>

namespace ringside
{

struct TaskGrade
{
    std::string task; // id
    std::string title;
    double score = 0;
    double points = 0;
    bool by_hand = false;              // an essay: collected, not graded
    bool unread = false;               // the answer is none, or has to be asked about
    std::string message;               // Markdown for the student; the key is not in it
    std::optional<double> leaderboard; // [s] of a step
};

// An answer that cannot be read is worth nothing, and says why.
TaskGrade grade_task(const StudentTask& task, std::string_view answer, const TaskSources& sources);

struct AnswersGrade
{
    std::string student;
    std::vector<TaskGrade> tasks; // in the order of the assignment
    std::vector<std::string> oddities;

    double score() const;
    double points() const; // without what is graded by hand
};
// Faults are those of the assignment.
Result<AnswersGrade> grade_answers(const Assignment& assignment, const Answers& answers,
                                   const TaskSources& sources, std::string_view student = {});

nlohmann::ordered_json gradescope_results(const AnswersGrade& grade);
// A row for each student: score, points, each task's score, what is odd.
std::string grades_csv(const Assignment& assignment, std::span<const AnswersGrade> grades);

// Whether the reference solves every task for so many students, and the start or an empty answer does not
// (a task that nobody has to do). Paths are "tasks[2]: ...".
Issues check_assignment(const Assignment& assignment, const TaskSources& sources, std::int64_t students = 10);

} // namespace ringside
