// The fixed plan beside the scheduled reviews: missions on days 0, 3, 7, 14 and 21, readiness by bands of
// topics, eight skills to judge oneself by, the eight questions asked most. Data from assets/study.
#pragma once

#include "core/study/sessions/deck.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside
{

enum class TaskKind : std::uint8_t
{
    drill,  // a deck of its topics or sources
    weak,   // a deck of the weakest
    spoken, // an answer aloud, against the clock
    mock,   // a mock interview of `minutes`
    view,   // look at a view
    paper   // on paper; the view is for comparing afterwards
};
template <>
inline constexpr auto kNamesOf<TaskKind> = names<TaskKind>("drill", "weak", "spoken", "mock", "view",
                                                           "paper");

struct PlanTask
{
    std::string id;
    std::string text;
    TaskKind kind = TaskKind::drill;
    DeckFilter filter; // topics and names of the questions of the kinds that ask questions
    std::string view;  // id, for view and paper
    int minutes = 10;  // 1 to 120
};

struct Mission
{
    int day = 0; // of the plan, from 0
    std::string title;
    std::vector<PlanTask> tasks;
};

// Topics that one interview round asks about. Every topic is in one band.
struct ReadinessBand
{
    std::string id;
    std::string name;
    std::vector<std::string> topics;
};

struct Skill
{
    std::string id;
    std::string name;
};

struct StudyPlan
{
    std::vector<Mission> missions; // by day
    std::vector<ReadinessBand> bands;
    std::vector<Skill> skills;
    std::vector<std::string> quick_eight; // names of questions
};

// Every fault by its path.
Result<StudyPlan> read_plan(const nlohmann::json& file);

// The eight questions interviewers ask most, in their order.
DeckRequest quick_eight(const StudyPlan& plan);
// The deck of a task that asks questions.
DeckRequest deck_of(const PlanTask& task);

struct MissionToday
{
    const Mission* mission = nullptr; // the last one whose day has come; null without missions
    int day = 0;                      // of the plan, today
    int done = 0;                     // of the mission's tasks
    int earlier_open = 0;             // tasks of earlier missions not done yet
    const Mission* next = nullptr;    // after this one; null for the last
};
MissionToday mission_today(const StudyPlan& plan, const Progress& progress, const StudyTime& now);

// How much of a band's interview questions is known: right at the first try when last asked, first seen on an
// earlier day, and remembered with at least 0.9 today. The pass mark is 70% of them, rounded up.
struct Gauge
{
    const ReadinessBand* band = nullptr;
    int known = 0;
    int seen = 0; // at least once; includes those known
    int total = 0;
    int pass = 0;

    bool ready() const { return known >= pass; }
};
inline constexpr double kKnownRecall = 0.9;
std::vector<Gauge> readiness(const StudyPlan& plan, const StudyState& study);

// The newest score of a skill; nothing before the first.
std::optional<int> skill_score(const Progress& progress, std::string_view skill);

} // namespace ringside
