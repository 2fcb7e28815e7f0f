// Counts that a lesson's words name are those of its scenarios: "eight GPUs", "four stages".
#include "tests/core/support.h"
#include "tests/source_path.h"

#include "core/study/lessons/lesson_course.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <regex>
#include <set>

using namespace ringside;

namespace
{

std::int64_t count_of(std::string word)
{
    constexpr std::array<std::string_view, 17> kWords{"",       "one",   "two",   "three", "four",   "five",
                                                      "six",    "seven", "eight", "nine",  "ten",    "eleven",
                                                      "twelve", "",      "",      "",      "sixteen"};
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = std::ranges::find(kWords, word);
    if (found != kWords.end())
    {
        return found - kWords.begin();
    }
    std::erase(word, ',');
    return std::stoll(word);
}

// What a scenario has so many of.
std::set<std::int64_t> counts(const Scenario& s, const std::string& noun)
{
    if (noun == "stages")
    {
        return {s.parallel.pipeline};
    }
    if (noun == "micro-batches")
    {
        return {micro_batches(s)};
    }
    return {s.cluster.gpus,     s.cluster.gpus_per_node, s.parallel.tensor,
            s.parallel.context, s.parallel.pipeline,     s.parallel.expert,
            data_parallel(s),   s.collective.ranks,      s.cluster.gpus / s.cluster.gpus_per_node};
}

struct Said
{
    std::string words; // "eight GPUs"
    std::string where;
};

// Counts that no step of their lesson has. They speak of another machine, or of no scenario at all.
const std::set<std::string>& of_others()
{
    static const std::set<std::string> all{"checkpoints 4: 16,384 GPUs",
                                           "dualpipe 3: two stages",
                                           "links 8: 72 GPUs",
                                           "tensor 3: two GPUs",
                                           "wide-experts 6: Two micro-batches",
                                           "wide-serving 1: 32 GPUs",
                                           "wide-serving 2: 144 GPUs",
                                           "wide-serving 4: 144 GPUs",
                                           "wide-serving 5: 144 GPUs",
                                           "wide-serving 7: 32 GPUs"};
    return all;
}

std::vector<Said> counts_of_others(const Lesson& lesson)
{
    static const std::regex kPlaceholder(R"(\{[^}]*\})");
    static const std::regex kCount(
        R"(\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|\d[\d,]*)\s+(GPUs|stages|micro-batches)\b)",
        std::regex::icase);
    const auto plan = plan_lesson(lesson, test::presets(), {});
    REQUIRE(plan);
    std::vector<Said> others;
    for (std::size_t i = 0; i < lesson.steps.size(); ++i)
    {
        const std::string text =
            std::regex_replace(lesson.steps[i].heading + ". " + lesson.steps[i].text, kPlaceholder, "#");
        for (std::sregex_iterator at(text.begin(), text.end(), kCount), end; at != end; ++at)
        {
            const std::int64_t count = count_of((*at)[1]);
            const bool had =
                std::ranges::any_of(plan->steps,
                                    [&](const StepPlan& step)
                                    {
                                        return counts(step.shown.scenario, (*at)[2]).contains(count) ||
                                               counts(step.after.scenario, (*at)[2]).contains(count);
                                    });
            if (!had)
            {
                others.push_back({at->str(), lesson.id + " " + std::to_string(i + 1)});
            }
        }
    }
    return others;
}

} // namespace

TEST_CASE("counts of GPUs, stages and micro-batches in a lesson's words are those of its scenarios")
{
    Issues issues;
    const Course course = load_course(test::source_path("lessons"), issues);
    REQUIRE(course.lessons.size() > 50);
    std::set<std::string> seen;
    for (const Lesson& lesson : course.lessons)
    {
        for (const Said& said : counts_of_others(lesson))
        {
            const std::string line = said.where + ": " + said.words;
            seen.insert(line);
            INFO(line);
            CHECK(of_others().contains(line));
        }
    }
    CHECK(seen == of_others());
}

TEST_CASE("every number that a lesson asks for is worked out from its scenario, none is typed")
{
    static const std::regex kName(R"([a-z_]+\.[a-z][a-z0-9_.]*)");
    static const std::regex kDigit(R"(\d)");
    Issues issues;
    const Course course = load_course(test::source_path("lessons"), issues);
    std::size_t asked = 0;
    for (const Lesson& lesson : course.lessons)
    {
        for (std::size_t i = 0; i < lesson.steps.size(); ++i)
        {
            if (!lesson.steps[i].predict)
            {
                continue;
            }
            const Prediction& p = *lesson.steps[i].predict;
            INFO(lesson.id << " " << i + 1 << ": " << p.question);
            ++asked;
            if (!p.is_choice())
            {
                CHECK(std::regex_search(p.truth, kName));
            }
            for (const LessonChoice& choice : p.choices)
            {
                CHECK((std::regex_search(choice.when, kName) || !std::regex_search(choice.text, kDigit)));
            }
        }
    }
    CHECK(asked > 300);
}
