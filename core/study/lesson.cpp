#include "core/study/lesson.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/study/json_fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr double kMostMinutes = 15;

void read_choices(JsonFields& fields, Prediction& prediction, Issues& issues)
{
    if (!fields.ask("choices", false, ""))
    {
        return;
    }
    const json& list = fields["choices"];
    if (!list.is_array() || list.size() < 2 || list.size() > kMostChoices)
    {
        fields.fault("choices", "is not a list of 2 to 4", "use [{\"text\", \"when\"}, ...]");
        return;
    }
    for (std::size_t i = 0; i < list.size(); ++i)
    {
        JsonFields choice(list[i], fields.at(fmt::format("choices[{}]", i)), issues);
        LessonChoice& made = prediction.choices.emplace_back();
        choice.text("text", made.text, true, kMostChoiceWords);
        choice.text("when", made.when, true, kMostWords);
        choice.finish();
    }
}

Prediction read_prediction(const json& object, const std::string& path, Issues& issues)
{
    Prediction p;
    JsonFields fields(object, path, issues);
    fields.text("question", p.question, true, kMostQuestionWords);
    read_choices(fields, p, issues);
    fields.text("truth", p.truth, !fields.has("choices"), kMostWords);
    fields.text("unit", p.unit, false, 2);
    constexpr double kMost = 1e15;
    const bool slides = !fields.has("choices");
    fields.number("from", p.from, -kMost, kMost, slides);
    fields.number("to", p.to, -kMost, kMost, slides);
    fields.number("step", p.step, 1e-9, kMost, slides);
    fields.sets("then", p.then);
    fields.text("reveal", p.reveal, true, kMostWords);
    fields.finish();
    if (!p.truth.empty() && p.is_choice())
    {
        fields.fault("truth", "stands beside choices", "give one of the two");
    }
    if (slides && p.to <= p.from)
    {
        fields.fault("to", "is not beyond \"from\"", "the slider goes from the less to the more");
    }
    else if (slides && (p.to - p.from) / p.step > 1000)
    {
        fields.fault("step", "makes more than 1000 stops", "use a coarser one");
    }
    return p;
}

Task read_task(const json& object, const std::string& path, Issues& issues)
{
    Task task;
    JsonFields fields(object, path, issues);
    fields.text("goal", task.goal, true, kMostQuestionWords);
    fields.text("condition", task.condition, true, kMostWords);
    fields.text("hint", task.hint, true, kMostQuestionWords);
    fields.sets("solution", task.solution, true);
    fields.text("done", task.done, true, kMostWords);
    fields.finish();
    return task;
}

LessonStep read_step(const json& object, const std::string& path, Issues& issues)
{
    LessonStep step;
    JsonFields fields(object, path, issues);
    fields.text("heading", step.heading, true, kMostHeadingWords);
    fields.text("text", step.text, true, kMostWords);
    fields.text("scenario", step.scenario, false, 1);
    fields.sets("set", step.set);
    fields.text("view", step.view, false, 1);
    read_playback(fields, step.playback, issues);
    fields.text("highlight", step.highlight, false, kMostWords);
    fields.texts("hide", step.hide);
    fields.texts("free", step.free);
    fields.flag("locked", step.locked);
    fields.flag("hidden", step.hidden);
    if (fields.ask("predict", false, ""))
    {
        step.predict = read_prediction(fields["predict"], fields.at("predict"), issues);
    }
    if (fields.ask("task", false, ""))
    {
        step.task = read_task(fields["task"], fields.at("task"), issues);
    }
    fields.finish();
    if (step.predict && step.task)
    {
        fields.fault("task", "stands beside a prediction", "make two steps of it");
    }
    if (step.task && step.free.empty())
    {
        fields.fault("free", "is missing", "name the fields the person may change");
    }
    if (!step.hide.empty() && !step.predict)
    {
        fields.fault("hide", "there is no prediction to wait for", "add \"predict\", or leave it out");
    }
    return step;
}

// "08-bubble" is lesson 8, "bubble".
void read_name(Lesson& lesson, std::string_view stem, Issues& issues)
{
    const bool numbered = stem.size() > 3 && std::isdigit(static_cast<unsigned char>(stem[0])) != 0 &&
                          std::isdigit(static_cast<unsigned char>(stem[1])) != 0 && stem[2] == '-';
    if (!numbered || stem.substr(3) != lesson.id)
    {
        issues.push_back({"id", fmt::format("\"{}\" and the file \"{}\" do not agree", lesson.id, stem),
                          fmt::format("call the file NN-{}.json, NN its place in the course",
                                      lesson.id.empty() ? "id" : lesson.id)});
        return;
    }
    lesson.number = (stem[0] - '0') * 10 + (stem[1] - '0');
}

void check_steps(const Lesson& lesson, Issues& issues)
{
    if (lesson.steps.empty())
    {
        return;
    }
    if (!lesson.steps.back().task)
    {
        issues.push_back({fmt::format("steps[{}].task", lesson.steps.size() - 1), "the last step has no task",
                          "end with a configuration that fails, for the person to repair"});
    }
    if (lesson.steps.front().view.empty())
    {
        issues.push_back({"steps[0].view", "is missing", "say what the lesson opens with"});
    }
    if (std::none_of(lesson.steps.begin(), lesson.steps.end(),
                     [](const LessonStep& s) { return s.predict.has_value(); }))
    {
        issues.push_back({"steps", "there is no prediction", "let the person predict before a reveal"});
    }
}

void check_concepts(const Lesson& lesson, Issues& issues)
{
    for (std::size_t i = 0; i < lesson.concepts.size(); ++i)
    {
        const std::string& c = lesson.concepts[i];
        const bool good = c.size() == 3 && c[0] == 'C' &&
                          std::isdigit(static_cast<unsigned char>(c[1])) != 0 &&
                          std::isdigit(static_cast<unsigned char>(c[2])) != 0;
        if (!good)
        {
            issues.push_back({fmt::format("concepts[{}]", i), fmt::format("\"{}\" is no concept", c),
                              "use C and two digits, like C18"});
        }
    }
}

} // namespace

void read_playback(JsonFields& of, LessonPlayback& playback, Issues& issues)
{
    if (!of.ask("playback", false, ""))
    {
        return;
    }
    JsonFields fields(of["playback"], of.at("playback"), issues);
    if (fields.has("time"))
    {
        playback.time = 0;
        fields.number("time", *playback.time, 0, 1e9);
    }
    fields.ask("time", false, "");
    fields.flag("play", playback.play);
    fields.number("speed", playback.speed, 0.25, 4);
    fields.finish();
}

Result<Lesson> lesson_from_json(const json& document, std::string_view stem)
{
    if (!document.is_object())
    {
        return Issue{"", "not an object", "start with {\"schema\": \"ringside.lesson/1\", ...}"};
    }
    Issues issues;
    Lesson lesson;
    JsonFields fields(document, "", issues);
    if (!fields.ask("schema", false, "") || document["schema"] != "ringside.lesson/1")
    {
        fields.fault("schema", "missing or another schema", "use \"ringside.lesson/1\"");
    }
    fields.text("id", lesson.id, true, 1);
    read_name(lesson, stem, issues);
    fields.text("title", lesson.title, true, kMostHeadingWords);
    fields.text("about", lesson.about, true, kMostQuestionWords);
    fields.number("minutes", lesson.minutes, 1, kMostMinutes, true);
    fields.texts("concepts", lesson.concepts, true);
    fields.texts("topics", lesson.topics, true);
    fields.texts("prerequisites", lesson.prerequisites);
    if (fields.ask("steps", true, "give a list of steps"))
    {
        const json& list = document["steps"];
        if (!list.is_array() || list.empty())
        {
            fields.fault("steps", "is not a list of steps", "use [{\"heading\", \"text\", ...}, ...]");
        }
        for (std::size_t i = 0; list.is_array() && i < list.size(); ++i)
        {
            lesson.steps.push_back(read_step(list[i], fmt::format("steps[{}]", i), issues));
        }
    }
    fields.finish();
    check_concepts(lesson, issues);
    check_steps(lesson, issues);
    return issues.empty() ? Result<Lesson>(std::move(lesson)) : Result<Lesson>(std::move(issues));
}

} // namespace ringside
