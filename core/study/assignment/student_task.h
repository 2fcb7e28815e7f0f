// A task as one student gets it: the numbers drawn from a hash of salt, student and task, worked out by the
// engine; and an answer that is known to be right.
#pragma once

#include "core/study/assignment/assignment.h"
#include "core/study/lessons/lesson_course.h"
#include "core/study/questions/question.h"

namespace ringside
{

// What tasks are made from.
struct TaskSources
{
    const QuestionBank& bank;
    const Course& course;
    Calculator& calculator; // with the presets

    const Presets& presets() const { return calculator.presets(); }
};

struct StudentTask
{
    const AssignmentTask* task = nullptr; // of the assignment, which must outlive this
    std::uint64_t seed = 0;
    std::optional<Question> question;
    std::optional<Scenario> start; // of a scenario, layout or repair
    LessonValues before;           // its metrics
    std::optional<LessonPlan> lesson;
    std::int64_t stages = 0; // of a schedule
    std::int64_t micro_batches = 0;
};

// The first 52 bits, which a double holds, of SHA-256 of the salt, the student and the task, a line each.
std::uint64_t task_seed(const Assignment& assignment, std::string_view student, std::string_view task);

// Faults: a question, lesson or preset that is not there, one that no engine can grade, a start that is not
// valid or already meets its conditions. Paths are those of the task.
Result<StudentTask> student_task(const Assignment& assignment, const AssignmentTask& task,
                                 std::string_view student, const TaskSources& sources);

// Markdown: what a student reads.
std::string task_words(const StudentTask& task, const Presets& presets);
// The link that opens it in the window or the page; empty where there is nothing to open.
std::string task_link(const StudentTask& task, const Presets& presets, std::string_view page);

// An answer that is right, as a student would type it; empty for an essay.
Result<std::string> reference_answer(const StudentTask& task);

} // namespace ringside
