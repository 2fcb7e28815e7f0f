#include "core/study/lesson.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

constexpr double kMostMinutes = 15;

std::string dumped(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// One JSON object: its fields are asked for by name; what nobody asked for is unknown.
class Fields
{
public:
    Fields(const json& object, std::string path, Issues& issues)
        : object_(object), path_(std::move(path)), issues_(issues)
    {
        if (!object_.is_object())
        {
            fault("", fmt::format("{} is not an object", dumped(object_)), "use {...}");
        }
    }

    bool has(const char* name) const { return object_.is_object() && object_.contains(name); }
    const json& operator[](const char* name) const { return object_[name]; }
    std::string at(std::string_view name) const
    {
        return path_.empty() || name.empty() ? path_ + std::string(name) : fmt::format("{}.{}", path_, name);
    }
    void fault(std::string_view name, std::string message, std::string hint)
    {
        issues_.push_back({at(name), std::move(message), std::move(hint)});
    }

    void text(const char* name, std::string& target, bool needed, std::size_t most_words)
    {
        if (!ask(name, needed, "give a text"))
        {
            return;
        }
        const json& value = object_[name];
        if (!value.is_string() || value.get_ref<const std::string&>().empty())
        {
            fault(name, fmt::format("{} is not text", dumped(value)), "give a text, or leave it out");
            return;
        }
        target = value.get<std::string>();
        if (const std::size_t words = count_words(target); words > most_words)
        {
            fault(name, fmt::format("has {} words", words),
                  fmt::format("shorten it to {} or fewer", most_words));
        }
    }

    void number(const char* name, double& target, double least, double most, bool needed = false)
    {
        if (!ask(name, needed, "give a number"))
        {
            return;
        }
        const json& value = object_[name];
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < least ||
            value.get<double>() > most)
        {
            fault(name, fmt::format("{} is not a number in range", dumped(value)),
                  fmt::format("use {} to {}", plain_number(least), plain_number(most)));
            return;
        }
        target = value.get<double>();
    }

    void flag(const char* name, bool& target)
    {
        if (!ask(name, false, ""))
        {
            return;
        }
        if (!object_[name].is_boolean())
        {
            fault(name, fmt::format("{} is neither true nor false", dumped(object_[name])),
                  "use true or false");
            return;
        }
        target = object_[name].get<bool>();
    }

    void texts(const char* name, std::vector<std::string>& target, bool needed = false)
    {
        if (!ask(name, needed, "give a list of texts"))
        {
            return;
        }
        const json& list = object_[name];
        if (!list.is_array() ||
            std::any_of(list.begin(), list.end(), [](const json& v) { return !v.is_string(); }))
        {
            fault(name, fmt::format("{} is not a list of texts", dumped(list)), "use [\"...\", \"...\"]");
            return;
        }
        target = list.get<std::vector<std::string>>();
    }

    // Values by path, as --set takes them: {"parallel.tensor": 4}.
    void sets(const char* name, JsonValue& target, bool needed = false)
    {
        if (!ask(name, needed, "give {\"path\": value}"))
        {
            return;
        }
        if (!object_[name].is_object())
        {
            fault(name, fmt::format("{} is not an object", dumped(object_[name])), "use {\"path\": value}");
            return;
        }
        target = JsonValue(object_[name]);
    }

    // Whether a field of another kind is there; it is known from now on.
    bool ask(const char* name, bool needed, const char* hint)
    {
        known_.emplace_back(name);
        if (needed && object_.is_object() && !object_.contains(name))
        {
            fault(name, "is missing", hint);
        }
        return has(name);
    }

    void finish()
    {
        if (!object_.is_object())
        {
            return;
        }
        for (const auto& [key, value] : object_.items())
        {
            if (std::find(known_.begin(), known_.end(), key) == known_.end())
            {
                const std::string near = nearest_word(key, known_);
                fault(key, "unknown field",
                      near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                                   : fmt::format("did you mean \"{}\"?", near));
            }
        }
    }

private:
    const json& object_;
    std::string path_;
    Issues& issues_;
    std::vector<std::string> known_;
};

void read_choices(Fields& fields, Prediction& prediction, Issues& issues)
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
        Fields choice(list[i], fields.at(fmt::format("choices[{}]", i)), issues);
        LessonChoice& made = prediction.choices.emplace_back();
        choice.text("text", made.text, true, kMostChoiceWords);
        choice.text("when", made.when, true, kMostWords);
        choice.finish();
    }
}

Prediction read_prediction(const json& object, const std::string& path, Issues& issues)
{
    Prediction p;
    Fields fields(object, path, issues);
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
    Fields fields(object, path, issues);
    fields.text("goal", task.goal, true, kMostQuestionWords);
    fields.text("condition", task.condition, true, kMostWords);
    fields.text("hint", task.hint, true, kMostQuestionWords);
    fields.sets("solution", task.solution, true);
    fields.text("done", task.done, true, kMostWords);
    fields.finish();
    return task;
}

void read_playback(Fields& step, LessonPlayback& playback, Issues& issues)
{
    if (!step.ask("playback", false, ""))
    {
        return;
    }
    Fields fields(step["playback"], step.at("playback"), issues);
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

LessonStep read_step(const json& object, const std::string& path, Issues& issues)
{
    LessonStep step;
    Fields fields(object, path, issues);
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

std::size_t count_words(std::string_view text)
{
    std::size_t words = 0;
    bool inside = false;
    int depth = 0; // a placeholder is one word, however long its expression
    for (const char c : text)
    {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        const bool space = depth <= 0 && std::isspace(static_cast<unsigned char>(c)) != 0;
        words += !space && !inside ? 1 : 0;
        inside = !space;
    }
    return words;
}

Result<Lesson> lesson_from_json(const json& document, std::string_view stem)
{
    if (!document.is_object())
    {
        return Issue{"", "not an object", "start with {\"schema\": \"ringside.lesson/1\", ...}"};
    }
    Issues issues;
    Lesson lesson;
    Fields fields(document, "", issues);
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
