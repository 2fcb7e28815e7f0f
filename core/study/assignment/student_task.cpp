#include "core/study/assignment/student_task.h"

#include <fmt/format.h>

#include "core/base/json/json_text.h"
#include "core/base/sha256.h"
#include "core/base/text/text.h"
#include "core/pipeline/notation.h"
#include "core/scenario/link/link.h"
#include "core/scenario/validate.h"
#include "core/study/questions/layout_answer.h"
#include "core/study/questions/quantity.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

// What the student's hash picks of each list, in the order of the paths.
json drawn_values(const AssignmentTask& task, std::uint64_t seed)
{
    json picked = json::object();
    if (task.draw.get().is_object())
    {
        for (const auto& [path, values] : task.draw.get().items())
        {
            picked[path] = values[first_number(sha256(fmt::format("{}\n{}", seed, path))) % values.size()];
        }
    }
    return picked;
}

Issues take_question(StudentTask& out, const TaskSources& sources)
{
    const AssignmentTask& task = *out.task;
    const auto found = find_variant(sources.bank, task.question);
    if (!found)
    {
        return {{"question", fmt::format("there is no question \"{}\"", task.question),
                 "ringside question list names them"}};
    }
    const QuestionKind kind = found->get().kind;
    if (kind == QuestionKind::recall || (kind == QuestionKind::design && !found->get().goal))
    {
        return {{"question", fmt::format("\"{}\" is judged by who answers it", task.question),
                 "use one with a number, choices, an order or a layout"}};
    }
    auto question = draw(sources.calculator, *found->family, found->variant, out.seed);
    if (!question)
    {
        return question.issues();
    }
    out.question = std::move(*question);
    return {};
}

Issues take_lesson(StudentTask& out, const TaskSources& sources)
{
    const Lesson* lesson = sources.course.lesson(out.task->lesson);
    if (lesson == nullptr)
    {
        return {{"lesson", fmt::format("there is no lesson \"{}\"", out.task->lesson),
                 "ringside lesson list names them"}};
    }
    auto plan = plan_lesson(*lesson, sources.presets());
    if (!plan)
    {
        return plan.issues();
    }
    out.lesson = std::move(*plan);
    return {};
}

Issues take_schedule(StudentTask& out)
{
    const json drawn = drawn_values(*out.task, out.seed);
    const auto count = [&](const char* name, std::int64_t otherwise)
    { return drawn.contains(name) ? whole(drawn[name]).value_or(0) : otherwise; };
    out.stages = count("stages", out.task->stages);
    out.micro_batches = count("micro_batches", out.task->micro_batches);
    Issues issues;
    add_if(issues, find_schedule(out.task->solution_kind) == nullptr,
           {"solution_kind", fmt::format("there is no schedule \"{}\"", out.task->solution_kind),
            "ringside schedule --help names them"});
    for (const auto& [path, value] : drawn.items())
    {
        add_if(issues, path != "stages" && path != "micro_batches",
               {"draw", fmt::format("a schedule has no \"{}\"", path), "draw stages or micro_batches"});
    }
    return issues;
}

Issues take_start(StudentTask& out, const TaskSources& sources)
{
    const AssignmentTask& task = *out.task;
    const ScenarioPreset* preset = sources.presets().scenario(task.scenario);
    if (preset == nullptr)
    {
        return {{"scenario", fmt::format("there is no scenario \"{}\"", task.scenario),
                 "use the name of a file in assets/scenarios"}};
    }
    json sets = drawn_values(task, out.seed);
    sets.update(task.set.get().is_object() ? task.set.get() : json::object());
    auto start = with_sets(preset->scenario, sets, sources.presets(), "set");
    Issues issues = start ? errors_of(validate(*start)) : start.issues();
    const auto report = issues.empty() ? evaluate(*start) : Result<Report>(issues);
    if (!report)
    {
        return report.issues();
    }
    out.before = {*start, *report};
    out.start = std::move(*start);
    return {};
}

} // namespace

std::uint64_t task_seed(const Assignment& assignment, std::string_view student, std::string_view task)
{
    return first_number(sha256(fmt::format("{}\n{}\n{}", assignment.salt, student, task))) >> 12U;
}

Result<StudentTask> student_task(const Assignment& assignment, const AssignmentTask& task,
                                 std::string_view student, const TaskSources& sources)
{
    StudentTask out;
    out.task = &task;
    out.seed = task_seed(assignment, student, task.id);
    Issues issues;
    switch (task.kind)
    {
    case AssignmentKind::question:
        issues = take_question(out, sources);
        break;
    case AssignmentKind::lesson:
        issues = take_lesson(out, sources);
        break;
    case AssignmentKind::schedule:
        issues = take_schedule(out);
        break;
    case AssignmentKind::essay:
        break;
    case AssignmentKind::scenario:
    case AssignmentKind::layout:
    case AssignmentKind::repair:
        issues = take_start(out, sources);
        break;
    }
    return issues.empty() ? Result<StudentTask>(std::move(out)) : Result<StudentTask>(std::move(issues));
}

namespace
{

void add_line(std::string& text, std::string_view line)
{
    text += line.empty() ? "" : fmt::format("{}\n", line);
}

void add_question_words(std::string& text, const Question& q)
{
    add_line(text, q.stem);
    add_line(text, q.note);
    for (const std::string& line : q.evidence.lines)
    {
        add_line(text, "    " + line);
    }
    for (const ShownChoice& c : q.choices)
    {
        add_line(text, fmt::format("- `{}`: {}", c.id, c.says));
    }
    for (const OrderedItem& item : q.ordering.items)
    {
        add_line(text, fmt::format("- `{}`: {}", item.id, item.says));
    }
}

void add_lesson_words(std::string& text, const LessonPlan& plan)
{
    std::size_t number = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
    {
        if (const auto& p = plan.lesson.steps[i].predict)
        {
            const StepWords words = words_of(plan, i, {}, plan.steps[i].shown, ByteUnit::decimal);
            add_line(text, fmt::format("{}. {}{}", ++number, words.question,
                                       p->unit.empty() ? "" : " [" + p->unit + "]"));
            for (std::size_t c = 0; c < p->choices.size(); ++c)
            {
                add_line(text, fmt::format("   - `{}`: {}", c + 1, p->choices[c].text));
            }
        }
    }
    add_line(text, "Answer with your predictions in order, a semicolon between two.");
}

std::string_view answer_form(AssignmentKind kind)
{
    switch (kind)
    {
    case AssignmentKind::scenario:
        return "Answer with PATH=VALUE for each field you change, or with the link of your scenario.";
    case AssignmentKind::layout:
        return "Answer with a layout: tp 8 pp 4 zero 1 micro 1.";
    case AssignmentKind::repair:
        return "Answer with the cause, then PATH=VALUE for each field you change.";
    case AssignmentKind::schedule:
        return "Answer with one line for each rank: 0F0 0F1 0B0 0B1 (stage, F or B or I or W, micro-batch).";
    case AssignmentKind::question:
    case AssignmentKind::lesson:
    case AssignmentKind::essay:
        break;
    }
    return "";
}

} // namespace

std::string task_words(const StudentTask& student, const Presets& presets)
{
    const AssignmentTask& task = *student.task;
    std::string text = fmt::format("## {} ({} points)\n", task.title, plain_number(task.points));
    add_line(text, task.text);
    if (student.question)
    {
        add_question_words(text, *student.question);
    }
    if (student.lesson)
    {
        add_lesson_words(text, *student.lesson);
    }
    if (student.start)
    {
        add_line(text, "Start: " + layout_text(*student.start) + " of " + student.start->model.name + " on " +
                           counted(student.start->cluster.gpus, student.start->cluster.gpu.name));
    }
    if (student.stages > 0)
    {
        add_line(text,
                 fmt::format("{}, {}; a forward takes 1, a backward {}.", counted(student.stages, "stage"),
                             counted(student.micro_batches, "micro-batch"), plain_number(task.backward)));
    }
    for (const std::string& field : task.free)
    {
        add_line(text, fmt::format("- you may change `{}`", field));
    }
    for (const WinningCondition& win : task.wins)
    {
        add_line(text, "- " + win.text);
    }
    for (const CauseChoice& cause : task.causes)
    {
        add_line(text, fmt::format("- cause `{}`: {}", cause.id, cause.text));
    }
    add_line(text, answer_form(task.kind));
    add_line(text, task_link(student, presets, kLinkScheme));
    return text;
}

std::string task_link(const StudentTask& student, const Presets& presets, std::string_view page)
{
    PlaceLink link;
    if (student.question)
    {
        link.question = student.question->id;
        link.seed = student.seed;
    }
    else if (student.lesson)
    {
        link.lesson = student.lesson->lesson.id;
    }
    else if (student.start)
    {
        link.view = "memory";
        link.scenario = student.start;
    }
    else
    {
        return "";
    }
    return to_text(link, presets, page);
}

namespace
{

std::string question_reference(const Question& q)
{
    switch (q.kind)
    {
    case QuestionKind::numeric:
    {
        const bool share = find_study_unit(q.unit)->dimension == Dimension::share;
        return fmt::format("{:.12g} {}", share ? q.key * 100 : q.key, q.unit);
    }
    case QuestionKind::comparison:
    case QuestionKind::diagnosis:
        return std::ranges::find_if(q.choices, &ShownChoice::right)->id;
    case QuestionKind::ordering:
    {
        std::string text;
        for (const std::size_t item : q.ordering.legal)
        {
            text += (text.empty() ? "" : " ") + q.ordering.items[item].id;
        }
        return text;
    }
    case QuestionKind::recall:
    case QuestionKind::design:
        break;
    }
    const auto verdict = judge_layout(q.scenario->scenario, q.goal.value_or(GoalSpec{}));
    return verdict ? verdict->best_layout : "";
}

std::string sets_text(const json& sets)
{
    std::string text;
    for (const auto& [path, value] : sets.items())
    {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", path,
                            value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text;
}

std::string lesson_reference(const LessonPlan& plan)
{
    std::string text;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
    {
        if (const auto& p = plan.lesson.steps[i].predict)
        {
            text +=
                (text.empty() ? "" : "; ") + (p->is_choice() ? std::to_string(plan.steps[i].right + 1)
                                                             : fmt::format("{:.12g}", plan.steps[i].truth));
        }
    }
    return text;
}

Result<std::string> schedule_reference(const StudentTask& s)
{
    const ScheduleKind kind = schedule(s.task->solution_kind);
    const ScheduleShape shape{s.stages, s.micro_batches, kind->least_chunks};
    const StageTimes times{1, s.task->backward / 2, s.task->backward / 2};
    const auto order = make_order(kind, shape, equal_costs(kind, shape, times));
    return order ? Result<std::string>(write_order(*order)) : Result<std::string>(order.issues());
}

} // namespace

Result<std::string> reference_answer(const StudentTask& s)
{
    switch (s.task->kind)
    {
    case AssignmentKind::question:
        return question_reference(*s.question);
    case AssignmentKind::lesson:
        return lesson_reference(*s.lesson);
    case AssignmentKind::schedule:
        return schedule_reference(s);
    case AssignmentKind::layout:
    {
        const auto verdict = judge_layout(*s.start, {true, s.task->within});
        return verdict ? Result<std::string>(verdict->best_layout) : Result<std::string>(verdict.issues());
    }
    case AssignmentKind::repair:
        return std::ranges::find_if(s.task->causes, &CauseChoice::right)->id + " " +
               sets_text(s.task->solution.get());
    case AssignmentKind::scenario:
        return sets_text(s.task->solution.get());
    case AssignmentKind::essay:
        break;
    }
    return std::string();
}

} // namespace ringside
