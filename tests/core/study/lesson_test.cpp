// Lessons: reading, faults, arithmetic over metrics, the state machine, and every lesson that ships.
#include "tests/core/support.h"
#include "tests/source_path.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json/json.h"
#include "core/study/lessons/lesson_course.h"
#include "core/study/lessons/lesson_state.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <regex>

using namespace ringside;
using nlohmann::json;

namespace
{

// Llama 3.1 8B on one GPU: 8.03e9 parameters, 16 bytes each.
json small()
{
    return json::parse(R"({
      "schema": "ringside.lesson/1", "id": "small", "title": "A small lesson", "about": "Two steps.",
      "minutes": 3, "concepts": ["model-state"],
      "steps": [
        {"heading": "Look", "text": "**{model}** has {metric:model.parameters as count} parameters.",
         "view": "memory",
         "set": {"model": "llama-3.1-8b", "cluster.gpus": 1, "parallel.tensor": 1, "parallel.pipeline": 1,
                 "parallel.sequence_parallel": false, "parallel.zero": 0, "training.global_batch": 1,
                 "training.gradient_dtype": "bf16", "training.sequence_length": 2048},
         "predict": {"question": "How many bytes?", "truth": "memory.states_bytes / model.parameters",
                     "unit": "bytes", "from": 2, "to": 24, "step": 1, "reveal": "You said {guess}: {truth}."}},
        {"heading": "Wider", "text": "Now in fp32.",
         "predict": {"question": "More?", "then": {"training.precision": "fp32", "training.gradient_dtype": "fp32"},
                     "choices": [{"text": "Yes", "when": "memory.states_bytes > before.memory.states_bytes * 1.01"},
                                 {"text": "No", "when": "memory.states_bytes <= before.memory.states_bytes * 1.01"}],
                     "reveal": "The same."}},
        {"heading": "Repair", "text": "Too large.", "free": ["model"], "set": {"training.precision": "bf16", "training.gradient_dtype": "bf16"},
         "task": {"goal": "Make it fit.", "condition": "memory.fits", "hint": "A smaller one.",
                  "solution": {"model": "llama-3.2-3b"}, "done": "{model} fits."}}
      ]})");
}

Lesson lesson_of(const json& document)
{
    const auto read = lesson_from_json(document, "memory/small.json");
    REQUIRE(read);
    return *read;
}

// "path: message", of reading or else of planning.
std::vector<std::string> faults_of(const json& document, std::string_view stem = "memory/small.json")
{
    const auto read = lesson_from_json(document, stem);
    const auto plan = read ? plan_lesson(*read, test::presets(), {}) : Result<LessonPlan>(read.issues());
    std::vector<std::string> lines;
    for (const Issue& issue : plan ? Issues{} : plan.issues())
    {
        lines.push_back(issue.path + ": " + issue.message);
    }
    return lines;
}

bool any_starts(const std::vector<std::string>& lines, std::string_view start)
{
    return std::any_of(lines.begin(), lines.end(),
                       [start](const std::string& line) { return line.starts_with(start); });
}

const Course& course()
{
    static const Course loaded = []
    {
        Issues issues;
        Course read = load_course(test::source_path("lessons"), issues);
        for (const Issue& issue : issues)
        {
            UNSCOPED_INFO(to_line(issue));
        }
        REQUIRE(issues.empty());
        return read;
    }();
    return loaded;
}

} // namespace

TEST_CASE("hand-worked: 2 + 2 + 4 + 4 + 4 bytes per parameter are the truth of a prediction")
{
    const auto plan = plan_lesson(lesson_of(small()), test::presets(), {});
    REQUIRE(plan);
    CHECK(plan->steps[0].truth == Catch::Approx(16).epsilon(1e-9));
    CHECK_FALSE(plan->steps[0].now);  // there is no "then", so no value before it
    CHECK(plan->steps[1].right == 1); // fp32 throughout is 4 + 4 + 4 + 4 as well
    CHECK(plan->steps[1].shown.scenario.training.precision == Precision::bf16);
    CHECK(plan->steps[1].after.scenario.training.precision == Precision::fp32);
    CHECK(plan->steps[1].view == "memory");
}

TEST_CASE("what a step sets, and what a prediction applies, holds in the steps that follow")
{
    json document = small();
    document["steps"][2].erase("set");
    const auto plan = plan_lesson(lesson_of(document), test::presets(), {});
    REQUIRE(plan);
    CHECK(plan->steps[2].shown.scenario.training.precision == Precision::fp32);
    CHECK(plan->steps[2].shown.scenario.training.global_batch == 1);
}

TEST_CASE("placeholders are filled with the engine's numbers in the reader's unit")
{
    const auto plan = plan_lesson(lesson_of(small()), test::presets(), {});
    REQUIRE(plan);
    const LessonScene& live = plan->steps[0].shown;
    CHECK(words_of(*plan, 0, 12.0, live, ByteUnit::decimal).text ==
          "**Llama 3.1 8B** has 8.03 B parameters.");
    CHECK(words_of(*plan, 0, 12.0, live, ByteUnit::decimal).reveal == "You said 12 bytes: 16 bytes.");
    const LessonMoment moment{live.scenario, live.values, live.values, "", "", ByteUnit::binary};
    CHECK(*fill("{metric:memory.weights_bytes}", moment, "") == "15.0 GiB"); // 16.06e9 / 2^30
    CHECK(*fill("{metric:1/8 as percent}, {metric:0.25 as seconds}", moment, "") == "12.5%, 250 ms");
    CHECK(*fill("{metric:cluster.gpus}", moment, "") == "1");
    CHECK_FALSE(fill("{metric:cluster.gpu}", moment, ""));
    CHECK_FALSE(fill("{metric:1 as stones}", moment, ""));
    CHECK_FALSE(fill("{nobody}", moment, ""));
    CHECK_FALSE(fill("{metric:1", moment, ""));
}

TEST_CASE("hand-worked: arithmetic over metrics, before and after, with the word that was meant")
{
    const LessonValues now{{"step.time_s", 3}, {"memory.fits", 1}};
    const LessonValues before{{"step.time_s", 2}, {"memory.fits", 0}};
    CHECK(*calculate("step.time_s / before.step.time_s", now, before, "") == 1.5);
    CHECK(*calculate("step.time_s < 4 && memory.fits", now, before, "") == 1);
    CHECK(*calculate("before.memory.fits == 1 || 2^3 == 9", now, before, "") == 0);
    const auto unknown = calculate("step.times_s + 1", now, before, "here");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.issues()[0].path == "here");
    CHECK(unknown.issues()[0].hint == "did you mean \"step.time_s\"?");
    CHECK_FALSE(calculate("1 / before.memory.fits", now, before, "")); // not finite
    CHECK_FALSE(calculate("1 +", now, before, ""));
    CHECK_FALSE(calculate("", now, before, ""));
}

TEST_CASE("every fault of a lesson is named by its path, all at once")
{
    json document = small();
    document.erase("about");
    document["minuts"] = 4;
    document["concepts"] = {"The bubble"};
    document["steps"][0]["headng"] = "x";
    document["steps"][0]["predict"]["to"] = 1;
    document["steps"][1]["text"] = std::string(300, 'a') + std::string(61 * 2, ' ');
    document["steps"][2]["task"].erase("hint");
    const auto faults = faults_of(document, "memory/other.json");
    for (const char* start : {"about: is missing", "minuts: unknown field", "concepts[0]: \"The bubble\"",
                              "steps[0].headng: unknown", "steps[0].predict.to: ",
                              "steps[2].task.hint: is missing", "id: \"small\" and the file"})
    {
        INFO(start << "\n" << fmt::format("{}", fmt::join(faults, "\n")));
        CHECK(any_starts(faults, start));
    }
}

TEST_CASE("a text of more than sixty words is refused, a placeholder counted as one")
{
    json document = small();
    std::string words;
    for (int i = 0; i < 59; ++i)
    {
        words += "word ";
    }
    document["steps"][0]["text"] = words + "{metric:model.parameters + 1 - 1 as count}";
    CHECK(any_starts(faults_of(document), "steps[0].text: has 61 words")); // "8.03 B" are two when filled
    document["steps"][0]["text"] = words + "{metric:model.parameters as whole}";
    CHECK(faults_of(document).empty());
    document["steps"][0]["text"] = words + "two more";
    CHECK(any_starts(faults_of(document), "steps[0].text: has 61 words"));
}

TEST_CASE("a lesson must open with a view, predict something, and end with something broken")
{
    json document = small();
    document["steps"][0].erase("view");
    CHECK(any_starts(faults_of(document), "steps[0].view: is missing"));
    document = small();
    document["steps"].erase(2);
    CHECK(any_starts(faults_of(document), "steps[1].task: the last step has no task"));
    document = small();
    document["steps"][0].erase("predict");
    document["steps"][1].erase("predict");
    CHECK(any_starts(faults_of(document), "steps: there is no prediction"));
    document = small();
    document["steps"][0]["hide"] = {"picture"};
    CHECK(faults_of(document).empty());
    document["steps"][2]["hide"] = {"picture"}; // covered all along
    CHECK(faults_of(document).empty());
}

TEST_CASE(
    "the engine finds a truth off its slider, choices of which not one is right, and a task without a task")
{
    json document = small();
    document["steps"][0]["predict"]["to"] = 15;
    CHECK(any_starts(faults_of(document), "steps[0].predict.truth: is 16.0 here, off the slider"));
    document = small();
    document["steps"][1]["predict"]["choices"][1]["when"] = "0";
    CHECK(any_starts(faults_of(document), "steps[1].predict.choices: 0 of them are right"));
    document["steps"][1]["predict"]["choices"][0]["when"] = "memory.total_bytes";
    document["steps"][1]["predict"]["choices"][1]["when"] = "1";
    CHECK(any_starts(faults_of(document), "steps[1].predict.choices: 2 of them are right"));
    document = small();
    document["steps"][2]["task"]["condition"] = "memory.fits == 0";
    CHECK(any_starts(faults_of(document), "steps[2].task.condition: holds at the start"));
    CHECK(any_starts(faults_of(document), "steps[2].task.solution: does not meet the condition"));
    document = small();
    document["steps"][2]["task"]["solution"] = json::object();
    CHECK(any_starts(faults_of(document), "steps[2].task.solution: changes nothing"));
    CHECK_FALSE(any_starts(faults_of(document), "steps[2].task.solution: changes what is not free"));
    document = small();
    document["steps"][2]["task"]["solution"]["training.optimizer"] = "sgd-momentum";
    CHECK(any_starts(faults_of(document), "steps[2].task.solution: changes what is not free"));
    document = small();
    document["steps"][2]["free"] = {"modle"};
    CHECK(any_starts(faults_of(document), "steps[2].free: there is no field"));
    document = small();
    document["steps"][1]["set"] = {{"parallel.tensor", 7}};
    CHECK(any_starts(faults_of(document), "steps[1].set: "));
    document = small();
    document["steps"][0]["scenario"] = "nowhere";
    CHECK(any_starts(faults_of(document), "steps[0].scenario: there is no scenario"));
}

TEST_CASE("a view nobody has is a fault where the views are known")
{
    constexpr std::array<std::string_view, 1> kViews{"pipelines"};
    const auto plan = plan_lesson(lesson_of(small()), test::presets(), kViews);
    REQUIRE_FALSE(plan);
    CHECK(plan.issues()[0].path == "steps[0].view");
}

TEST_CASE("nothing but JSON of a lesson is read as one")
{
    for (const char* text :
         {"null", "[]", "3", "\"x\"", "{}", R"({"schema": "ringside.lesson/1"})",
          R"({"schema": 3, "steps": 4})", R"({"steps": [1, null, {}]})",
          R"({"steps": [{"predict": 1, "task": [], "playback": "x", "free": {}, "set": 2}]})"})
    {
        INFO(text);
        CHECK_FALSE(lesson_from_json(json::parse(text), "memory/small.json"));
    }
}

TEST_CASE("a guess is kept beside the truth, also when one goes back and forth")
{
    const Lesson lesson = lesson_of(small());
    const auto go = [&](LessonState state, LessonMove move, double value = 0) {
        return apply(lesson, std::move(state), {move, value}, false);
    };
    LessonState s = begin(lesson);
    CHECK(is_pending(lesson, s));
    s = go(s, LessonMove::next);
    CHECK((s.step == 0 && s.nudged)); // the guess first
    s = go(s, LessonMove::lock_in);
    CHECK((!s.record().locked_in && s.nudged)); // there is none yet
    s = go(s, LessonMove::guess, 11.6);
    CHECK(s.record().guess == 11.6); // as it was said
    CHECK(on_slider(*lesson.steps[0].predict, 11.6) == 12);
    CHECK(on_slider(*lesson.steps[0].predict, 1000) == 24);
    CHECK_FALSE(go(s, LessonMove::guess, std::numeric_limits<double>::quiet_NaN()).record().guess);
    s = go(s, LessonMove::guess, 24);
    s = go(s, LessonMove::lock_in);
    CHECK((s.record().locked_in && !s.nudged));
    CHECK(go(s, LessonMove::guess, 3).record().guess == 24); // locked is locked
    s = go(go(s, LessonMove::next), LessonMove::back);
    CHECK((s.step == 0 && s.record().guess == 24 && s.record().locked_in));
    s = go(s, LessonMove::retry);
    CHECK((is_pending(lesson, s) && s.record().earlier == std::vector<double>{24}));
    s = go(go(s, LessonMove::guess, 16), LessonMove::lock_in);
    CHECK((s.record().guess == 16 && s.record().earlier == std::vector<double>{24}));
}

TEST_CASE("skipping shows the truth without a guess, or gives a task up")
{
    const Lesson lesson = lesson_of(small());
    const auto go = [&](LessonState state, LessonMove move, double value = 0, bool met = false) {
        return apply(lesson, std::move(state), {move, value}, met);
    };
    LessonState s = go(begin(lesson), LessonMove::skip);
    CHECK((s.record().locked_in && s.record().skipped && !s.record().guess));
    s = go(go(go(s, LessonMove::next), LessonMove::guess, 7), LessonMove::lock_in);
    CHECK(s.record().guess == 1); // the second of two choices
    s = go(s, LessonMove::next);
    CHECK(is_open(lesson, s));
    CHECK(go(s, LessonMove::next).nudged);
    CHECK(go(s, LessonMove::hint).record().hinted);
    CHECK_FALSE(go(s, LessonMove::look, 0, false).record().done);
    const LessonState met = go(s, LessonMove::look, 0, true);
    CHECK((met.record().done && !is_open(lesson, met)));
    CHECK_FALSE(go(met, LessonMove::retry).record().done);
    const LessonState given_up = go(s, LessonMove::skip);
    CHECK(go(given_up, LessonMove::next).finished);
    CHECK_FALSE(go(go(given_up, LessonMove::next), LessonMove::back).finished);
    CHECK(go(begin(lesson), LessonMove::back) == begin(lesson));
}

TEST_CASE("a user may change what is free, and what has to follow from it")
{
    const Scenario from = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8},
                                             "training": {"global_batch": 64}})");
    Scenario to = from;
    to.parallel.zero = 2;
    CHECK(may_change(from, to, {"parallel.zero"}, test::presets()));
    CHECK_FALSE(may_change(from, to, {"parallel.tensor"}, test::presets()));
    to.training.global_batch = 128;
    CHECK_FALSE(may_change(from, to, {"parallel.zero"}, test::presets()));
    CHECK(changed_paths(from, to, test::presets()) ==
          std::vector<std::string>{"parallel.zero", "training.global_batch"});
    to = from;
    to.model = test::presets().model("llama-3.2-3b")->model;
    to.parallel.tensor = 2; // a layout made to suit another model
    CHECK(may_change(from, to, {"model"}, test::presets()));
    CHECK_FALSE(may_change(from, from, {"model"}, test::presets()));
}

TEST_CASE("every lesson that ships is sound: scenarios, truths, tasks and words")
{
    REQUIRE(course().lessons.size() >= 12);
    const Issues issues = check_course(course(), test::presets(), {});
    for (const Issue& issue : issues)
    {
        UNSCOPED_INFO(to_line(issue));
    }
    CHECK(issues.empty());
}

TEST_CASE("every lesson that ships takes three to eight minutes, in six to ten steps")
{
    int number = 0;
    for (const Lesson& lesson : course().lessons)
    {
        INFO(lesson.id);
        CHECK(lesson.number == ++number);
        CHECK((lesson.minutes >= 3 && lesson.minutes <= 8));
        CHECK((lesson.steps.size() >= 6 && lesson.steps.size() <= 10));
        CHECK(std::count_if(lesson.steps.begin(), lesson.steps.end(),
                            [](const LessonStep& s) { return s.predict.has_value(); }) >= 2);
    }
}

TEST_CASE("no amount of bytes, time or rate is typed into a lesson's text")
{
    const std::regex placeholder(R"(\{[^}]*\})");
    const std::regex amount(R"(\d\s*(GB|GiB|MB|TB|ms|seconds?|s|GB/s)\b)");
    for (const Lesson& lesson : course().lessons)
    {
        for (const LessonStep& step : lesson.steps)
        {
            for (const std::string& text :
                 {step.text, step.predict ? step.predict->reveal : "", step.task ? step.task->done : ""})
            {
                INFO(lesson.id << ": " << text);
                CHECK_FALSE(std::regex_search(std::regex_replace(text, placeholder, "#"), amount));
            }
        }
    }
}

TEST_CASE(
    "two lessons of one id, an order that names no lesson, and a prerequisite that comes later, are faults")
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ringside-lessons-test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "memory");
    std::filesystem::create_directories(folder / "network");
    json other = small();
    other["prerequisites"] = {"small", "nobody"};
    std::ofstream(folder / "memory/small.json") << other.dump();
    std::ofstream(folder / "network/small.json") << small().dump();
    std::ofstream(folder / "network/broken.json") << "{";
    std::ofstream(folder / "course.json")
        << R"({"schema": "ringside.course/1", "lessons": ["broken", "smal", "small"]})";
    Issues issues;
    const Course read = load_course(folder, issues);
    std::filesystem::remove_all(folder);
    CHECK(read.lessons.size() == 2);
    std::vector<std::string> lines;
    for (const Issue& issue : issues)
    {
        lines.push_back(to_line(issue));
    }
    CHECK(any_starts(lines, "lessons/network/broken.json"));
    CHECK(any_starts(lines, "lessons/memory/small.json: prerequisites: \"small\""));
    CHECK(any_starts(lines, "lessons/memory/small.json: prerequisites: \"nobody\""));
    CHECK(any_starts(lines, "lessons/network/small.json: id: "));
    CHECK(any_starts(lines, "lessons/course.json: lessons[1]: there is no lesson \"smal\""));
}
