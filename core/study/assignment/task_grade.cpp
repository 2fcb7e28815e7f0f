#include "core/study/assignment/task_grade.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json/json.h"
#include "core/base/ranges.h"
#include "core/base/text/csv.h"
#include "core/base/text/text.h"
#include "core/pipeline/notation.h"
#include "core/pipeline/order_check.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/json/json.h"
#include "core/scenario/link/link.h"
#include "core/scenario/validate.h"
#include "core/study/grading/grading.h"
#include "core/study/grading/metric_answer.h"
#include "core/study/questions/layout_answer.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

// What stands between any of these signs, without spaces around it.
std::vector<std::string> answer_parts(std::string_view text, std::string_view separators)
{
    constexpr std::string_view kBlank = " \t\r\n";
    std::vector<std::string> parts;
    while (!text.empty())
    {
        const auto end = std::min(text.find_first_of(separators), text.size());
        std::string_view part = text.substr(0, end);
        const auto first = part.find_first_not_of(kBlank);
        if (first != std::string_view::npos)
        {
            parts.emplace_back(part.substr(first, part.find_last_not_of(kBlank) - first + 1));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

void fail_with(TaskGrade& grade, const Issues& issues)
{
    grade.unread = true;
    grade.message += "The answer cannot be read:";
    for (const Issue& issue : issues)
    {
        grade.message += "\n- " + to_line(issue);
    }
}

void grade_question(TaskGrade& grade, const Question& question, std::string_view answer,
                    Calculator& calculator)
{
    if (const auto ask = to_ask(question, answer))
    {
        grade.unread = true;
        grade.message = ask->question;
        return;
    }
    const auto verdict = ringside::grade(question, {std::string(answer)}, calculator);
    if (!verdict)
    {
        fail_with(grade, verdict.issues());
        return;
    }
    grade.score = verdict->correct ? grade.points : 0;
    grade.message = fmt::format("{}{}{}", verdict->correct ? "Right." : "Not right.",
                                verdict->message.empty() ? "" : " ", verdict->message);
}

// Each condition is worth as much as the others.
void grade_conditions(TaskGrade& grade, const AssignmentTask& task, const LessonValues& now,
                      const LessonValues& before, double points)
{
    for (const WinningCondition& win : task.wins)
    {
        const auto met = calculate(win.condition, now, before, "condition");
        const bool won = met && *met != 0;
        grade.score += won ? points / static_cast<double>(task.wins.size()) : 0;
        grade.message +=
            fmt::format("{}- {}: {}", grade.message.empty() ? "" : "\n", won ? "met" : "not met", win.text);
    }
}

// "PATH=VALUE PATH=VALUE", or a link with a scenario; nothing else may differ from the start.
Result<Scenario> changed_scenario(const StudentTask& s, std::string_view answer, const Presets& presets)
{
    Result<Scenario> changed = *s.start;
    if (is_link(answer))
    {
        LinkRead read = read_link(answer, presets);
        if (!read.link.scenario)
        {
            read.issues.push_back({"", "the link has no scenario", "copy it from the window"});
            return read.issues;
        }
        changed = std::move(*read.link.scenario);
    }
    else
    {
        json document = to_json(*s.start, presets);
        Issues issues;
        for (const std::string& word : answer_parts(answer, " \t\r\n;"))
        {
            append(issues, set_path(document, word));
        }
        changed = issues.empty() ? scenario_from_json(document, presets) : Result<Scenario>(issues);
    }
    if (!changed)
    {
        return changed;
    }
    if (!may_change(*s.start, *changed, s.task->free, presets))
    {
        const auto paths = changed_paths(*s.start, *changed, presets);
        return Issue{"", paths.empty() ? "nothing was changed" : "a locked field was changed",
                     "change fields that the task names"};
    }
    const Issues errors = errors_of(validate(*changed));
    return errors.empty() ? changed : Result<Scenario>(errors);
}

void grade_scenario(TaskGrade& grade, const StudentTask& s, std::string_view answer, const Presets& presets,
                    double points)
{
    const auto changed = changed_scenario(s, answer, presets);
    const auto report = changed ? evaluate(*changed) : Result<Report>(changed.issues());
    if (!report)
    {
        fail_with(grade, report.issues());
        return;
    }
    grade_conditions(grade, *s.task, {*changed, *report}, s.before, points);
}

// Half of the points are for the cause.
void grade_repair(TaskGrade& grade, const StudentTask& s, std::string_view answer, const Presets& presets)
{
    const auto end = answer.find_first_of(" \t\r\n,;");
    const std::string_view cause = answer.substr(0, end);
    const bool right =
        std::ranges::any_of(s.task->causes, [&](const CauseChoice& c) { return c.right && c.id == cause; });
    grade.score = right ? grade.points / 2 : 0;
    grade.message = right ? "- met: the cause" : "- not met: the cause";
    if (end != std::string_view::npos)
    {
        grade.message += "\n";
        grade_scenario(grade, s, answer.substr(end + 1), presets, grade.points / 2);
    }
}

// All points within `within` of the best, none at twice that excess and more.
void grade_best_layout(TaskGrade& grade, const StudentTask& s, std::string_view answer)
{
    const auto laid = read_layout(answer, *s.start);
    const auto verdict =
        laid ? judge_layout(*laid, {true, s.task->within}) : Result<DesignVerdict>(laid.issues());
    if (!verdict)
    {
        fail_with(grade, verdict.issues());
        return;
    }
    grade.message = verdict->message;
    if (verdict->fits && verdict->best > 0)
    {
        const double excess = (verdict->over_best() - 1) / std::max(s.task->within - 1, 1e-9);
        grade.score = grade.points * std::clamp(2 - excess, 0.0, 1.0);
        grade.leaderboard = verdict->seconds;
    }
}

void grade_lesson(TaskGrade& grade, const LessonPlan& plan, std::string_view answer)
{
    const auto guesses = answer_parts(answer, ";");
    std::size_t asked = 0;
    std::size_t made = 0;
    std::size_t near = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
    {
        const auto& p = plan.lesson.steps[i].predict;
        if (!p || asked++ >= guesses.size())
        {
            continue;
        }
        const auto value = read_metric_answer(guesses[asked - 1], {p->unit, p->step});
        const bool on =
            value && (p->is_choice() ? *value >= 1 && *value <= static_cast<double>(p->choices.size())
                                     : *value >= p->from && *value <= p->to);
        made += on ? 1 : 0;
        const double truth =
            p->is_choice() ? static_cast<double>(plan.steps[i].right + 1) : plan.steps[i].truth;
        near += on && std::abs(*value - truth) <= (p->is_choice() ? 0 : 0.1 * std::abs(truth)) ? 1 : 0;
    }
    grade.score = asked > 0 ? grade.points * static_cast<double>(made) / static_cast<double>(asked) : 0;
    grade.message =
        fmt::format("{} of {} predictions made, {} of them within a tenth of the truth.", made, asked, near);
}

// Missing, doubled and misplaced operations first; a circle of waiting is the simulator's to find.
void grade_schedule(TaskGrade& grade, const StudentTask& s, std::string_view answer)
{
    const auto written = read_order(answer);
    Issues issues = written ? check_order(*written) : written.issues();
    const auto there = [&](std::int64_t has, std::int64_t asked, const char* what)
    {
        add_if(issues, has != asked,
               {what, fmt::format("there are {}, {} are asked for", has, asked), "number them from 0"});
    };
    if (issues.empty())
    {
        there(std::ssize(written->order), s.stages, "ranks");
        there(written->micro_batches, s.micro_batches, "micro-batches");
    }
    if (!issues.empty())
    {
        fail_with(grade, issues);
        return;
    }
    const double share = static_cast<double>(s.stages) / static_cast<double>(written->virtual_stages);
    const double half = s.task->backward / 2 * share;
    Costs costs;
    costs.stages.assign(static_cast<std::size_t>(written->virtual_stages), {share, half, half});
    const auto run = simulate(written->order, costs);
    if (!run)
    {
        fail_with(grade, run.issues());
        return;
    }
    const auto most = std::ranges::max(run->peak_in_flight);
    const LessonValues now{{"pipeline.units", run->makespan},
                           {"pipeline.bubble_of_total", run->bubble_of_total()},
                           {"pipeline.bubble_over_ideal", run->bubble_over_ideal()},
                           {"pipeline.peak_in_flight", static_cast<double>(most)},
                           {"pipeline.stages", static_cast<double>(s.stages)},
                           {"pipeline.micro_batches", static_cast<double>(s.micro_batches)}};
    grade_conditions(grade, *s.task, now, now, grade.points);
}

} // namespace

TaskGrade grade_task(const StudentTask& s, std::string_view answer, const TaskSources& sources)
{
    TaskGrade grade{.task = s.task->id, .title = s.task->title, .points = s.task->points};
    grade.by_hand = s.task->kind == AssignmentKind::essay;
    if (answer.empty())
    {
        grade.unread = true;
        grade.message = "There is no answer.";
        return grade;
    }
    switch (s.task->kind)
    {
    case AssignmentKind::question:
        grade_question(grade, *s.question, answer, sources.calculator);
        break;
    case AssignmentKind::scenario:
        grade_scenario(grade, s, answer, sources.presets(), grade.points);
        break;
    case AssignmentKind::layout:
        grade_best_layout(grade, s, answer);
        break;
    case AssignmentKind::lesson:
        grade_lesson(grade, *s.lesson, answer);
        break;
    case AssignmentKind::repair:
        grade_repair(grade, s, answer, sources.presets());
        break;
    case AssignmentKind::schedule:
        grade_schedule(grade, s, answer);
        break;
    case AssignmentKind::essay:
        grade.message = std::string(answer);
        break;
    }
    return grade;
}

double AnswersGrade::score() const
{
    return sum_over(tasks, [](const TaskGrade& t) { return t.by_hand ? 0 : t.score; });
}

double AnswersGrade::points() const
{
    return sum_over(tasks, [](const TaskGrade& t) { return t.by_hand ? 0 : t.points; });
}

Result<AnswersGrade> grade_answers(const Assignment& assignment, const Answers& answers,
                                   const TaskSources& sources, std::string_view student)
{
    AnswersGrade out{answers.student, {}, oddities(answers, assignment, student)};
    Issues issues;
    for (const AssignmentTask& task : assignment.tasks)
    {
        const auto made = student_task(assignment, task, answers.student, sources);
        if (!made)
        {
            add_below(issues, made.issues(), task.id);
            continue;
        }
        const GivenAnswer* entry = answers.counted(task);
        out.tasks.push_back(grade_task(*made, entry == nullptr ? "" : entry->answer, sources));
    }
    return issues.empty() ? Result<AnswersGrade>(std::move(out)) : Result<AnswersGrade>(std::move(issues));
}

nlohmann::ordered_json gradescope_results(const AnswersGrade& grade)
{
    nlohmann::ordered_json out{{"score", grade.score()},
                               {"visibility", "visible"},
                               {"stdout_visibility", "hidden"},
                               {"tests", nlohmann::ordered_json::array()}};
    for (const TaskGrade& task : grade.tasks)
    {
        nlohmann::ordered_json test{{"name", task.title}, {"output", task.message}, {"output_format", "md"}};
        if (!task.by_hand)
        {
            test["score"] = task.score;
            test["max_score"] = task.points;
            test["status"] = task.score >= task.points ? "passed" : "failed";
        }
        if (task.leaderboard)
        {
            out["leaderboard"].push_back(
                {{"name", task.title + " [s]"}, {"value", *task.leaderboard}, {"order", "asc"}});
        }
        out["tests"].push_back(std::move(test));
    }
    if (!grade.oddities.empty())
    {
        std::string text;
        for (const std::string& line : grade.oddities)
        {
            text += (text.empty() ? "" : "\n") + line;
        }
        out["tests"].push_back({{"name", "For the instructor"}, {"output", text}, {"visibility", "hidden"}});
    }
    out["extra_data"] = {{"student", grade.student}, {"oddities", grade.oddities}};
    return out;
}

namespace
{

// No spreadsheet takes a student's words for a formula.
std::string csv_line(const std::vector<std::string>& cells)
{
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        const bool formula =
            !cells[i].empty() && std::string_view("=+-@").find(cells[i][0]) != std::string_view::npos;
        line += (i == 0 ? "" : ",") + csv_cell(formula ? "'" + cells[i] : cells[i], ',');
    }
    return line + "\n";
}

} // namespace

std::string grades_csv(const Assignment& assignment, std::span<const AnswersGrade> grades)
{
    std::vector<std::string> head{"student", "score", "points"};
    for (const AssignmentTask& task : assignment.tasks)
    {
        head.push_back(task.id);
    }
    head.emplace_back("oddities");
    std::string text = csv_line(head);
    for (const AnswersGrade& grade : grades)
    {
        std::vector<std::string> row{grade.student, fmt::format("{:.6g}", grade.score()),
                                     fmt::format("{:.6g}", grade.points())};
        for (const TaskGrade& task : grade.tasks)
        {
            row.push_back(task.by_hand ? "" : fmt::format("{:.6g}", task.score));
        }
        row.push_back(fmt::format("{}", fmt::join(grade.oddities, " ")));
        text += csv_line(row);
    }
    return text;
}

namespace
{

Issues check_for(const Assignment& assignment, const AssignmentTask& task, const std::string& student,
                 const TaskSources& sources)
{
    const auto made = student_task(assignment, task, student, sources);
    const auto reference = made ? reference_answer(*made) : Result<std::string>(made.issues());
    if (!reference)
    {
        return reference.issues();
    }
    if (task.kind == AssignmentKind::essay)
    {
        return {};
    }
    Issues issues;
    const TaskGrade right = grade_task(*made, *reference, sources);
    add_if(issues, right.score < task.points - 1e-9,
           {"solution",
            fmt::format("\"{}\" gets {} of {} points: {}", *reference, plain_number(right.score),
                        plain_number(task.points), right.message),
            "make the task solvable"});
    if (made->start && task.kind != AssignmentKind::layout)
    {
        TaskGrade start;
        grade_conditions(start, task, made->before, made->before, 1);
        add_if(issues, start.score >= 1 - 1e-9,
               {"wins", "hold for the start already", "begin with a scenario that misses one"});
    }
    return issues;
}

} // namespace

Issues check_assignment(const Assignment& assignment, const TaskSources& sources, std::int64_t students)
{
    Issues issues;
    for (std::size_t i = 0; i < assignment.tasks.size(); ++i)
    {
        Issues own;
        for (std::int64_t n = 0; n < students && own.empty(); ++n)
        {
            own = check_for(assignment, assignment.tasks[i], fmt::format("student-{}", n), sources);
        }
        add_below(issues, own, fmt::format("tasks[{}]", i));
    }
    return issues;
}

} // namespace ringside
