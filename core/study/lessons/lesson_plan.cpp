#include "core/study/lessons/lesson_plan.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

Result<LessonScene> scene_of(Scenario scenario, const std::string& path)
{
    Issues issues;
    add_below(issues, errors_of(validate(scenario)), path);
    if (!issues.empty())
    {
        return issues;
    }
    const auto report = evaluate(scenario);
    if (!report)
    {
        add_below(issues, report.issues(), path);
        return issues;
    }
    LessonScene scene{std::move(scenario), {}};
    scene.values = {scene.scenario, *report};
    return scene;
}

// Works one lesson out, step by step.
class Planner
{
public:
    Planner(Lesson lesson, const Presets& presets, std::span<const std::string_view> views)
        : presets_(presets), views_(views)
    {
        plan_.lesson = std::move(lesson);
    }

    Result<LessonPlan> run()
    {
        for (std::size_t i = 0; i < plan_.lesson.steps.size(); ++i)
        {
            if (!add_step(i))
            {
                return std::move(issues_); // what follows stands on this scenario
            }
        }
        return issues_.empty() ? Result<LessonPlan>(std::move(plan_))
                               : Result<LessonPlan>(std::move(issues_));
    }

private:
    void fault(std::string path, std::string message, std::string hint)
    {
        issues_.push_back({std::move(path), std::move(message), std::move(hint)});
    }

    void fault_if(bool wrong, std::string path, std::string message, std::string hint)
    {
        add_if(issues_, wrong, {std::move(path), std::move(message), std::move(hint)});
    }

    // What the step builds on: the preset it names, or where the step before ended.
    std::optional<Scenario> base(const LessonStep& step, const std::string& path)
    {
        const std::string id = !step.scenario.empty() ? step.scenario : "default";
        if (step.scenario.empty() && !plan_.steps.empty())
        {
            return plan_.steps.back().after.scenario;
        }
        const ScenarioPreset* preset = presets_.scenario(id);
        if (preset == nullptr)
        {
            fault(path + ".scenario", fmt::format("there is no scenario \"{}\"", id),
                  "use the name of a file in assets/scenarios");
            return std::nullopt;
        }
        return preset->scenario;
    }

    std::optional<LessonScene> scene(const Scenario& from, const json& sets, const std::string& path)
    {
        auto changed = with_sets(from, sets, presets_, path);
        auto made = changed ? scene_of(std::move(*changed), path) : Result<LessonScene>(changed.issues());
        if (!made)
        {
            append(issues_, made.issues());
            return std::nullopt;
        }
        return std::move(*made);
    }

    bool add_step(std::size_t index)
    {
        const LessonStep& step = plan_.lesson.steps[index];
        const std::string path = fmt::format("steps[{}]", index);
        const auto from = base(step, path);
        auto shown = from ? scene(*from, step.set.get(), path + ".set") : std::nullopt;
        if (!shown)
        {
            return false;
        }
        StepPlan& planned = plan_.steps.emplace_back();
        planned.view = !step.view.empty() ? step.view : index > 0 ? plan_.steps[index - 1].view : "";
        planned.shown = std::move(*shown);
        planned.after = planned.shown;
        check_view(step, path);
        if (step.predict)
        {
            auto after = scene(planned.shown.scenario, step.predict->then.get(), path + ".predict.then");
            if (!after)
            {
                return false;
            }
            planned.after = std::move(*after);
            find_truth(index, path + ".predict");
        }
        if (step.task)
        {
            check_task(index, path + ".task");
        }
        check_free(step, path);
        check_words(index, path);
        return true;
    }

    void check_view(const LessonStep& step, const std::string& path)
    {
        fault_if(
            !step.view.empty() && !views_.empty() && std::ranges::find(views_, step.view) == views_.end(),
            path + ".view", fmt::format("there is no view \"{}\"", step.view), "picture --list names them");
    }

    std::optional<double> value(const std::string& expression, std::size_t step, const std::string& path)
    {
        const auto got =
            calculate(expression, plan_.steps[step].after.values, plan_.before_reveal(step).values, path);
        if (!got)
        {
            append(issues_, got.issues());
            return std::nullopt;
        }
        return *got;
    }

    void find_truth(std::size_t index, const std::string& path)
    {
        const Prediction& p = *plan_.lesson.steps[index].predict;
        if (p.is_choice())
        {
            find_right_choice(index, path);
            return;
        }
        const auto truth = value(p.truth, index, path + ".truth");
        if (!truth)
        {
            return;
        }
        StepPlan& planned = plan_.steps[index];
        planned.truth = *truth;
        fault_if(
            *truth < p.from || *truth > p.to, path + ".truth",
            fmt::format("is {} here, off the slider", three_digits(*truth)),
            fmt::format("let the slider reach beyond {} to {}", plain_number(p.from), plain_number(p.to)));
        const LessonValues& shown = planned.shown.values;
        const auto now = calculate(p.truth, shown, plan_.before_text(index).values, path);
        if (!p.then.get().empty() && now && *now >= p.from && *now <= p.to)
        {
            planned.now = *now;
        }
    }

    void find_right_choice(std::size_t index, const std::string& path)
    {
        const Prediction& p = *plan_.lesson.steps[index].predict;
        std::size_t count = 0;
        for (std::size_t i = 0; i < p.choices.size(); ++i)
        {
            const auto holds = value(p.choices[i].when, index, fmt::format("{}.choices[{}].when", path, i));
            if (holds && *holds != 0)
            {
                plan_.steps[index].right = i;
                ++count;
            }
        }
        fault_if(count != 1, path + ".choices", fmt::format("{} of them are right", count),
                 "write conditions of which exactly one holds");
    }

    void check_task(std::size_t index, const std::string& path)
    {
        const LessonStep& step = plan_.lesson.steps[index];
        const LessonTask& task = *step.task;
        const LessonScene& start = plan_.steps[index].shown;
        const auto before = calculate(task.condition, start.values, start.values, path + ".condition");
        if (!before)
        {
            append(issues_, before.issues());
        }
        else if (*before != 0)
        {
            fault(path + ".condition", "holds at the start", "start from a scenario that fails");
        }
        const auto solved = scene(start.scenario, task.solution.get(), path + ".solution");
        if (!solved || !before)
        {
            return;
        }
        if (changed_paths(start.scenario, solved->scenario, presets_).empty())
        {
            fault(path + ".solution", "changes nothing, so the task stays as it starts",
                  "set the fields that meet the condition");
            return;
        }
        if (!may_change(start.scenario, solved->scenario, step.free, presets_))
        {
            fault(path + ".solution", "changes what is not free",
                  fmt::format("it differs in {}; add that to \"free\"",
                              fmt::join(changed_paths(start.scenario, solved->scenario, presets_), ", ")));
        }
        const auto after = calculate(task.condition, solved->values, start.values, path + ".condition");
        fault_if(!after || *after == 0, path + ".solution", "does not meet the condition",
                 "give one that does");
        live_ = *solved; // what is said at the end is said of this
    }

    void check_free(const LessonStep& step, const std::string& path)
    {
        for (const std::string& field : step.free)
        {
            const LessonValues& values = plan_.steps.back().shown.values;
            const bool no_number =
                field == "model" || field == "cluster.gpu" || field == "parallel.stage_layers";
            fault_if(!no_number && values.find(field) == nullptr, path + ".free",
                     fmt::format("there is no field \"{}\"", field),
                     "use a path of the scenario, like parallel.tensor");
        }
    }

    void check_text(const std::string& text, std::size_t most, const LessonMoment& moment,
                    const std::string& path)
    {
        const auto filled = fill(text, moment, path);
        if (!filled)
        {
            append(issues_, filled.issues());
        }
        else if (const std::size_t words = count_words(*filled); words > most)
        {
            fault(path, fmt::format("has {} words with its numbers in", words),
                  fmt::format("shorten it to {} or fewer", most));
        }
    }

    void check_words(std::size_t index, const std::string& path)
    {
        const LessonStep& step = plan_.lesson.steps[index];
        const StepPlan& p = plan_.steps[index];
        const LessonMoment first{p.shown.scenario, p.shown.values, plan_.before_text(index).values};
        check_text(step.text, kMostWords, first, path + ".text");
        if (step.predict)
        {
            const LessonMoment last{p.after.scenario, p.after.values, plan_.before_reveal(index).values,
                                    said(*step.predict, step.predict->from), said(*step.predict, p.truth)};
            check_text(step.predict->question, kMostQuestionWords, first, path + ".predict.question");
            check_text(step.predict->reveal, kMostWords, last, path + ".predict.reveal");
        }
        if (step.task)
        {
            const LessonScene& live = live_ ? *live_ : p.shown;
            const LessonMoment met{live.scenario, live.values, p.shown.values};
            check_text(step.task->goal, kMostQuestionWords, first, path + ".task.goal");
            check_text(step.task->hint, kMostQuestionWords, first, path + ".task.hint");
            check_text(step.task->done, kMostWords, met, path + ".task.done");
        }
    }

    const Presets& presets_;
    std::span<const std::string_view> views_;
    LessonPlan plan_;
    Issues issues_;
    std::optional<LessonScene> live_; // the solution of the last task
};

} // namespace

const LessonScene& LessonPlan::before_text(std::size_t step) const
{
    return step == 0 ? steps[0].shown : steps[step - 1].after;
}

const LessonScene& LessonPlan::before_reveal(std::size_t step) const
{
    const auto& predict = lesson.steps[step].predict;
    return predict && !predict->then.get().empty() ? steps[step].shown : before_text(step);
}

Result<LessonPlan> plan_lesson(Lesson lesson, const Presets& presets, std::span<const std::string_view> views)
{
    return Planner(std::move(lesson), presets, views).run();
}

bool task_met(const LessonPlan& plan, std::size_t step, const LessonValues& values)
{
    const auto& task = plan.lesson.steps[step].task;
    const auto met = task ? calculate(task->condition, values, plan.steps[step].shown.values, "condition")
                          : Result<double>(0.0);
    return met && *met != 0;
}

std::string said(const Prediction& prediction, double value)
{
    if (!prediction.is_choice())
    {
        return value_with_unit(value, prediction.unit);
    }
    const auto index = static_cast<std::size_t>(std::max(0.0, value));
    return prediction.choices[std::min(index, prediction.choices.size() - 1)].text;
}

StepWords words_of(const LessonPlan& plan, std::size_t index, std::optional<double> guess,
                   const LessonScene& live, ByteUnit unit)
{
    const LessonStep& step = plan.lesson.steps[index];
    const StepPlan& p = plan.steps[index];
    // The plan was made without faults, so every placeholder can be filled; of a task's own scenario a
    // divisor may be 0, and then the words stay away.
    const auto filled = [](const std::string& text, const LessonMoment& moment)
    {
        const auto got = fill(text, moment, "");
        return got ? *got : std::string();
    };
    const LessonMoment first{p.shown.scenario, p.shown.values, plan.before_text(index).values, "", "", unit};
    StepWords words;
    words.text = filled(step.text, first);
    if (step.predict)
    {
        const Prediction& predict = *step.predict;
        const double truth = predict.is_choice() ? static_cast<double>(p.right) : p.truth;
        words.question = filled(predict.question, first);
        words.reveal =
            filled(predict.reveal, {p.after.scenario, p.after.values, plan.before_reveal(index).values,
                                    guess ? said(predict, *guess) : "no guess", said(predict, truth), unit});
    }
    if (step.task)
    {
        words.goal = filled(step.task->goal, first);
        words.hint = filled(step.task->hint, first);
        words.done = filled(step.task->done, {live.scenario, live.values, p.shown.values, "", "", unit});
    }
    return words;
}

} // namespace ringside
