#include "core/study/sessions/plan.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr auto kTopics = [](auto& task) -> auto&
{
    return task.filter.topics;
};
constexpr auto kQuestions = [](auto& task) -> auto&
{
    return task.filter.questions;
};

const JsonTable<PlanTask> kTaskTable{{
    {"id", &PlanTask::id, kNeeded},
    {"text", &PlanTask::text, kNeeded},
    {"kind", &PlanTask::kind, kNeeded},
    {"topics", kTopics, {.check = no_topic}},
    {"questions", kQuestions},
    {"view", &PlanTask::view},
    {"minutes", &PlanTask::minutes, {.least = 1, .most = 120}},
}};

const JsonTable<Mission> kMissionTable{{
    {"day", &Mission::day, {.needed = true, .least = 0, .most = 365}},
    {"title", &Mission::title, kNeeded},
    {"tasks", &Mission::tasks, kTaskTable, kNeeded},
}};

const JsonTable<ReadinessBand> kBandTable{{
    {"id", &ReadinessBand::id, kNeeded},
    {"name", &ReadinessBand::name, kNeeded},
    {"topics", &ReadinessBand::topics, {.needed = true, .check = no_topic}},
}};

const JsonTable<Skill> kSkillTable{{{"id", &Skill::id, kNeeded}, {"name", &Skill::name, kNeeded}}};

const JsonTable<StudyPlan> kPlanTable{{
    json_schema<StudyPlan>("ringside.plan/1"),
    {"source"},
    {"quick_eight", &StudyPlan::quick_eight},
    {"missions", &StudyPlan::missions, kMissionTable, kNeeded},
    {"bands", &StudyPlan::bands, kBandTable, kNeeded},
    {"skills", &StudyPlan::skills, kSkillTable, kNeeded},
}};

bool is_done(const Progress& progress, const PlanTask& task)
{
    return std::ranges::any_of(progress.tasks, [&](const TaskDone& done) { return done.task == task.id; });
}

int done_of(const Mission& mission, const Progress& progress)
{
    return static_cast<int>(
        std::ranges::count_if(mission.tasks, [&](const PlanTask& task) { return is_done(progress, task); }));
}

StudyDay start_of(const Progress& progress, const StudyTime& now)
{
    if (progress.plan_start)
    {
        return *progress.plan_start;
    }
    return progress.reviews.empty() ? now.day() : now.day_of(progress.reviews.front().time_ms);
}

bool is_known(const StudyState& study, const Card& card)
{
    return is_first_try(card) && is_settled(card, study.now) &&
           recall_at(card, study.now, study.progress.weights).value_or(0) >= kKnownRecall;
}

} // namespace

Result<StudyPlan> read_plan(const nlohmann::json& file)
{
    StudyPlan plan;
    Issues issues;
    kPlanTable.read({file, "", issues}, plan);
    std::ranges::stable_sort(plan.missions, [](const Mission& a, const Mission& b) { return a.day < b.day; });
    return issues.empty() ? Result<StudyPlan>(std::move(plan)) : Result<StudyPlan>(std::move(issues));
}

DeckRequest quick_eight(const StudyPlan& plan)
{
    DeckRequest request;
    request.kind = DeckKind::all;
    request.filter.questions = plan.quick_eight;
    request.most = static_cast<int>(plan.quick_eight.size());
    request.minutes = 60;
    return request;
}

DeckRequest deck_of(const PlanTask& task)
{
    DeckRequest request;
    request.kind = task.kind == TaskKind::weak ? DeckKind::weak : DeckKind::all;
    request.filter = task.filter;
    request.minutes = task.minutes;
    request.most_new = task.kind == TaskKind::weak ? 0 : request.most_new;
    return request;
}

MissionToday mission_today(const StudyPlan& plan, const Progress& progress, const StudyTime& now)
{
    MissionToday today;
    today.day = static_cast<int>(std::max<StudyDay>(0, now.day() - start_of(progress, now)));
    for (const Mission& mission : plan.missions)
    {
        if (mission.day > today.day)
        {
            today.next = &mission;
            break;
        }
        if (today.mission != nullptr)
        {
            today.earlier_open += static_cast<int>(today.mission->tasks.size()) - today.done;
        }
        today.mission = &mission;
        today.done = done_of(mission, progress);
    }
    return today;
}

std::vector<Gauge> readiness(const StudyPlan& plan, const StudyState& study)
{
    std::vector<Gauge> gauges;
    for (const ReadinessBand& band : plan.bands)
    {
        Gauge gauge{&band};
        for (const FamilyInfo& family : study.families)
        {
            if (!family.interview || std::ranges::find(band.topics, family.topic) == band.topics.end())
            {
                continue;
            }
            auto seen = cards_of(study.cards, family);
            std::erase_if(seen, [](const Card* card) { return card->phase == CardPhase::fresh; });
            const bool known = std::ranges::all_of(seen, [&](const Card* c) { return is_known(study, *c); });
            ++gauge.total;
            gauge.seen += seen.empty() ? 0 : 1;
            gauge.known += known && !seen.empty() ? 1 : 0; // every variant that was asked
        }
        gauge.pass = (7 * gauge.total + 9) / 10;
        gauges.push_back(gauge);
    }
    return gauges;
}

std::optional<int> skill_score(const Progress& progress, std::string_view skill)
{
    const auto found = std::find_if(progress.skills.rbegin(), progress.skills.rend(),
                                    [&](const SkillScore& s) { return s.skill == skill; });
    return found == progress.skills.rend() ? std::nullopt : std::optional(found->score);
}

} // namespace ringside
