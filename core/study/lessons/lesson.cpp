#include "core/study/lessons/lesson.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/study/questions/study_json.h"

#include <algorithm>
#include <cctype>

namespace ringside
{

namespace
{

constexpr double kMostMinutes = 15;
constexpr JsonRule kPaths{.hint = "use {\"path\": value}"};

constexpr double kMostValue = 1e15;

const JsonTable<LessonChoice> kChoiceTable{{
    {"text", &LessonChoice::text, {.needed = true, .words = kMostChoiceWords}},
    {"when", &LessonChoice::when, {.needed = true, .words = kMostWords}},
}};

void check_prediction(const JsonPlace& place, Prediction& p)
{
    if (p.is_choice())
    {
        place.fault_if(!p.truth.empty(), "truth", "is given next to choices", "give one of the two");
        return;
    }
    for (const char* name : {"truth", "from", "to", "step"})
    {
        place.fault_if(!place.has(name), name, "is missing", "give it, or \"choices\"");
    }
    if (p.to <= p.from)
    {
        place.fault("to", "is not beyond \"from\"", "the slider goes from the less to the more");
    }
    else if ((p.to - p.from) / p.step > 1000)
    {
        place.fault("step", "makes more than 1000 stops", "use a coarser one");
    }
}

const JsonTable<Prediction> kPredictionTable{
    {
        {"question", &Prediction::question, {.needed = true, .words = kMostQuestionWords}},
        {"choices", &Prediction::choices, kChoiceTable, {.least = 2, .most = kMostChoices}},
        {"truth", &Prediction::truth, {.words = kMostWords}},
        {"unit", &Prediction::unit, {.words = 2}},
        {"from", &Prediction::from, {.least = -kMostValue, .most = kMostValue}},
        {"to", &Prediction::to, {.least = -kMostValue, .most = kMostValue}},
        {"step", &Prediction::step, {.least = 1e-9, .most = kMostValue}},
        {"then", &Prediction::then, kPaths},
        {"reveal", &Prediction::reveal, {.needed = true, .words = kMostWords}},
    },
    check_prediction};

const JsonTable<LessonTask> kTaskTable{{
    {"goal", &LessonTask::goal, {.needed = true, .words = kMostQuestionWords}},
    {"condition", &LessonTask::condition, {.needed = true, .words = kMostWords}},
    {"hint", &LessonTask::hint, {.needed = true, .words = kMostQuestionWords}},
    {"solution", &LessonTask::solution, {.needed = true, .hint = kPaths.hint}},
    {"done", &LessonTask::done, {.needed = true, .words = kMostWords}},
}};

void check_step(const JsonPlace& place, LessonStep& step)
{
    place.fault_if(step.predict && step.task, "task", "is given next to a prediction",
                   "make two steps of it");
    place.fault_if(step.task && step.free.empty(), "free", "is missing",
                   "name the fields the user may change");
}

const JsonTable<LessonStep> kStepTable{
    {
        {"heading", &LessonStep::heading, {.needed = true, .words = kMostHeadingWords}},
        {"text", &LessonStep::text, {.needed = true, .words = kMostWords}},
        {"scenario", &LessonStep::scenario, {.words = 1}},
        {"set", &LessonStep::set, kPaths},
        {"view", &LessonStep::view, {.words = 1}},
        {"playback", &LessonStep::playback, playback_table()},
        {"highlight", &LessonStep::highlight, {.words = kMostWords}},
        {"hide", &LessonStep::hide},
        {"free", &LessonStep::free},
        {"locked", &LessonStep::locked},
        {"hidden", &LessonStep::hidden},
        {"predict", &LessonStep::predict, kPredictionTable},
        {"task", &LessonStep::task, kTaskTable},
    },
    check_step};

const JsonTable<Lesson> kLessonTable{{
    json_schema<Lesson>("ringside.lesson/1"),
    {"id", &Lesson::id, {.needed = true, .words = 1}},
    {"title", &Lesson::title, {.needed = true, .words = kMostHeadingWords}},
    {"about", &Lesson::about, {.needed = true, .words = kMostQuestionWords}},
    {"minutes", &Lesson::minutes, {.needed = true, .least = 1, .most = kMostMinutes}},
    {"concepts", &Lesson::concepts, kNeeded},
    {"prerequisites", &Lesson::prerequisites},
    {"steps", &Lesson::steps, kStepTable, {.needed = true, .least = 1}},
}};

void read_name(Lesson& lesson, const std::filesystem::path& file, Issues& issues)
{
    lesson.topic = file.parent_path().filename().string();
    add_if(issues, file.stem() != lesson.id,
           {"id", fmt::format("\"{}\" and the file \"{}\" do not agree", lesson.id, file.stem().string()),
            fmt::format("call the file {}.json", lesson.id.empty() ? "id" : lesson.id)});
}

void check_steps(const Lesson& lesson, Issues& issues)
{
    if (lesson.steps.empty())
    {
        return;
    }
    add_if(issues, !lesson.steps.back().task,
           {fmt::format("steps[{}].task", lesson.steps.size() - 1), "the last step has no task",
            "end with a configuration that fails, for the user to repair"});
    add_if(issues, lesson.steps.front().view.empty(),
           {"steps[0].view", "is missing", "say what the lesson opens with"});
    if (std::ranges::none_of(lesson.steps, [](const LessonStep& s) { return s.predict.has_value(); }))
    {
        issues.push_back({"steps", "there is no prediction", "let the user predict before a reveal"});
    }
}

void check_concepts(const Lesson& lesson, Issues& issues)
{
    for (std::size_t i = 0; i < lesson.concepts.size(); ++i)
    {
        if (auto fault = no_id(lesson.concepts[i]))
        {
            fault->path = fmt::format("concepts[{}]", i);
            issues.push_back(std::move(*fault));
        }
    }
}

} // namespace

const JsonTable<LessonPlayback>& playback_table()
{
    static const JsonTable<LessonPlayback> kTable{{
        {"time", &LessonPlayback::time, {.least = 0, .most = 1e9}},
        {"play", &LessonPlayback::play},
        {"speed", &LessonPlayback::speed, {.least = 0.25, .most = 4}},
    }};
    return kTable;
}

Result<Lesson> lesson_from_json(const nlohmann::json& document, const std::filesystem::path& file)
{
    Issues issues;
    Lesson lesson;
    kLessonTable.read({document, "", issues}, lesson);
    read_name(lesson, file, issues);
    check_concepts(lesson, issues);
    check_steps(lesson, issues);
    return issues.empty() ? Result<Lesson>(std::move(lesson)) : Result<Lesson>(std::move(issues));
}

} // namespace ringside
