#include <fmt/format.h>

#include "core/base/counted.h"
#include "ui/views/study/study/parts.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

int topics_due(const StudyFrame& study)
{
    return static_cast<int>(std::count_if(study.heat.begin(), study.heat.end(),
                                          [](const HeatTopic& t) { return t.all.due > 0; }));
}

std::string sentence(const StudyFrame& study)
{
    if (study.families.empty())
    {
        return "There are **no questions** to study.";
    }
    if (study.weakest.empty())
    {
        return fmt::format("Nothing was asked yet: **{}**, the easy ones first.",
                           counted(study.fresh, "new question"));
    }
    std::vector<std::string_view> names;
    for (const std::size_t i : study.weakest)
    {
        names.push_back(study.heat[i].topic->name);
    }
    int seen = 0;
    int right = 0;
    for (const HeatTopic& topic : study.heat)
    {
        seen += topic.all.seen;
        right += topic.all.right;
    }
    return fmt::format("**{} of {}** seen were right when last asked; {} questions in all. Weakest: **{}**.",
                       right, counted(seen, "question"), study.families.size(), fmt::join(names, ", "));
}

} // namespace

std::string whole_percent(double share)
{
    return fmt::format("{}%", std::lround(share * 100));
}

std::string study_title(const StudyFrame& study)
{
    return study.has_interview() ? fmt::format("Study plan until {}", date_short(*study.progress->interview))
                                 : "Study plan";
}

Caption study_caption(const StudyFrame& study)
{
    const FsrsWeights& w = study.progress->weights;
    const double factor = std::pow(0.9, -1 / w[20]) - 1;
    return {sentence(study),
            fmt::format("recall R(t, S) = (1 + {:.3f} t / S)^\u2212{:.3f}, S days after which R = 90%",
                        factor, w[20]),
            "FSRS-6: recall R after t days; the stability S of a question is the days until R = 90%. A "
            "topic's is "
            "the mean over its questions seen so far. Open Spaced Repetition, py-fsrs 6 and fsrs-rs."};
}

std::vector<std::string> study_facts(const StudyFrame& study)
{
    std::vector<std::string> facts;
    if (study.has_interview())
    {
        const StudyDay left = *study.progress->interview - study.now.day();
        facts.push_back(left == 0 ? "interview today" : fmt::format("interview in {} d", left));
    }
    facts.push_back(fmt::format("{} due", counted(topics_due(study), "topic")));
    facts.push_back(counted(std::ssize(study.families), "question"));
    if (!study.leeches.empty())
    {
        facts.push_back(fmt::format("{} (L)", counted(std::ssize(study.leeches), "leech")));
    }
    if (!study.progress->reviews.empty())
    {
        facts.emplace_back(study.saved ? "progress saved" : "\u2717 progress not saved");
    }
    return facts;
}

std::string session_words(const StudyFrame& study)
{
    if (!is_running(*study.session))
    {
        return {};
    }
    if (const auto* drill = std::get_if<DrillSession>(study.session))
    {
        const auto answered = std::count_if(drill->items.begin(), drill->items.end(),
                                            [](const DrillItem& i) { return !!i.given; });
        return fmt::format("A drill is in progress: {} of {} answered.", answered, drill->items.size());
    }
    if (const auto* mock = std::get_if<MockSession>(study.session))
    {
        const auto answered = std::count_if(mock->items.begin(), mock->items.end(),
                                            [](const MockItem& i) { return i.answered(); });
        return fmt::format("A mock interview is in progress: {} of {} answered, {} left.", answered,
                           mock->items.size(), wait_words(mock->left_ms()));
    }
    return "A spoken answer is in progress.";
}

std::string_view session_view(const StudyFrame& study)
{
    std::string_view id = std::holds_alternative<DrillSession>(*study.session)  ? "drill"
                          : std::holds_alternative<MockSession>(*study.session) ? "mock"
                                                                                : "spoken";
    return find_view(id) == nullptr ? std::string_view() : id;
}

std::string mission_words(const StudyFrame& study)
{
    const std::string first = study.due > 0     ? counted(study.due, "due question") + " first"
                              : study.fresh > 0 ? "new questions first"
                                                : "nothing is due";
    if (study.mission.mission == nullptr)
    {
        return fmt::format("Today: {}.", first);
    }
    const Mission& m = *study.mission.mission;
    const std::string words =
        fmt::format("Day {} of the plan: {}, then \u201c{}\u201d with {} of {} done.", study.mission.day,
                    first, m.title, study.mission.done, counted(std::ssize(m.tasks), "task"));
    const int earlier = study.mission.earlier_open;
    return earlier == 0 ? words
                        : fmt::format("{} {} from before.", words,
                                      counted(earlier, "task") + (earlier == 1 ? " is open" : " are open"));
}

std::string kind_words(const PlanTask& task)
{
    constexpr std::array<std::string_view, 6> kWords{"drill",          "weakest", "spoken",
                                                     "mock interview", "look",    "on paper"};
    return fmt::format("{}, {} min", kWords[static_cast<std::size_t>(task.kind)], task.minutes);
}

} // namespace ringside
