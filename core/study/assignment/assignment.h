// An assignment as data (schema ringside.assignment/1): tasks that the engine grades, with numbers of each
// student's own. Reading and its faults; what a student gets is in student_task.h, what an answer is worth in
// task_grade.h.
//
// Nothing in it is secret: a student's numbers follow from the salt, the student and the task, so the file
// is enough to work them out, and a grader does not have to be told them.
#pragma once

#include "core/base/json/json_value.h"
#include "core/base/names.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class AssignmentKind : std::uint8_t
{
    question, // a family of the question bank
    scenario, // a scenario to be changed until conditions hold
    layout,   // the fastest layout that fits; has a leaderboard
    lesson,   // the predictions of a lesson, graded for being made
    repair,   // what is wrong with a scenario, and the change that mends it
    schedule, // the order of a pipeline, which the simulator runs
    essay     // collected, graded by hand
};
template <>
inline constexpr auto kNamesOf<AssignmentKind> = names<AssignmentKind>("question", "scenario", "layout",
                                                                       "lesson", "repair", "schedule",
                                                                       "essay");

// Points are shared evenly among the conditions that have to hold.
struct WinningCondition
{
    std::string text;
    std::string condition; // over metrics and fields; before. is the start
};

struct CauseChoice
{
    std::string id;
    std::string text;
    bool right = false;
};

struct AssignmentTask
{
    std::string id;
    std::string title;
    std::string text; // Markdown
    AssignmentKind kind = AssignmentKind::question;
    double points = 10;
    std::int64_t attempts = 0; // that count; 0: any number

    std::string question; // "family" or "family/variant"

    std::string scenario = "default"; // of assets/scenarios
    JsonValue set;                    // path -> value
    JsonValue draw;                   // path -> list of values, one of which a student gets
    std::vector<std::string> free;    // fields that may be changed; all others are locked
    std::vector<WinningCondition> wins;
    JsonValue solution;              // path -> value, known to work
    std::vector<CauseChoice> causes; // of a repair

    double within = 1.05; // of a layout: step time over that of the best that a search finds, for all points
    std::string lesson;

    std::int64_t stages = 4; // of a schedule; "stages" and "micro_batches" may be drawn
    std::int64_t micro_batches = 8;
    double backward = 2;       // forwards that a backward takes, half of it the input gradient
    std::string solution_kind; // a schedule that is known to meet the conditions
};

struct Assignment
{
    std::string id;
    std::string title;
    std::string about;
    std::string due;  // "2027-02-01", as it is shown; nothing is refused for being late
    std::string salt; // other numbers for another year
    std::vector<AssignmentTask> tasks;
    std::string fingerprint; // SHA-256 of the file's values, whatever their order and spaces

    const AssignmentTask* task(std::string_view id) const;
    double points() const;
};

inline constexpr std::size_t kMostTasks = 100;
inline constexpr std::size_t kMostStudentLetters = 200;

// Every fault by its path.
Result<Assignment> assignment_from_json(const nlohmann::json& document);

} // namespace ringside
