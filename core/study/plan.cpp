#include "core/study/plan.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/study/entry.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;
using Need = EntryReader::Need;

constexpr std::array<std::string_view, 6> kTaskKinds{"drill", "weak", "spoken", "mock", "view", "paper"};

void read_kind(EntryReader& e, TaskKind& target)
{
    std::string kind;
    e.text("kind", kind);
    const auto* const found = std::find(kTaskKinds.begin(), kTaskKinds.end(), kind);
    if (found != kTaskKinds.end())
    {
        target = static_cast<TaskKind>(found - kTaskKinds.begin());
    }
    else if (!kind.empty())
    {
        e.fault("kind", fmt::format("\"{}\" is not known", kind),
                fmt::format("use one of {}", fmt::join(kTaskKinds, ", ")));
    }
}

void check_topics(EntryReader& e, const std::vector<std::string>& topics)
{
    for (const std::string& topic : topics)
    {
        if (find_topic(topic) == nullptr)
        {
            std::vector<std::string> known;
            for (const StudyTopic& t : study_topics())
            {
                known.emplace_back(t.id);
            }
            const std::string near = nearest_word(topic, known);
            e.fault("topics", fmt::format("there is no topic \"{}\"", topic),
                    near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
        }
    }
}

PlanTask read_task(const json& object, const std::string& path, Issues& issues)
{
    PlanTask task;
    EntryReader e(object, path, issues);
    e.text("id", task.id);
    e.text("text", task.text);
    read_kind(e, task.kind);
    e.texts("topics", task.filter.topics);
    e.texts("sources", task.filter.sources);
    e.text("view", task.view, Need::may);
    e.whole("minutes", task.minutes, 1, 120, Need::may);
    check_topics(e, task.filter.topics);
    e.finish();
    return task;
}

// The entries of a list, each with its path; a fault where there is no such list.
template <class Read>
void each(const json& file, const std::string& path, const char* name, Issues& issues, Read&& read)
{
    const auto found = file.is_object() ? file.find(name) : file.end();
    const std::string at = path.empty() ? name : path + "." + name;
    if (!file.is_object() || found == file.end() || !found->is_array())
    {
        issues.push_back({at, "is not a list", "use [...]"});
        return;
    }
    for (std::size_t i = 0; i < found->size(); ++i)
    {
        read((*found)[i], fmt::format("{}[{}]", at, i));
    }
}

Mission read_mission(const json& object, const std::string& path, Issues& issues)
{
    Mission mission;
    EntryReader e(object, path, issues);
    e.whole("day", mission.day, 0, 365);
    e.text("title", mission.title);
    e.member("tasks");
    e.finish();
    each(object, path, "tasks", issues,
         [&](const json& task, const std::string& at)
         { mission.tasks.push_back(read_task(task, at, issues)); });
    return mission;
}

ReadinessBand read_band(const json& object, const std::string& path, Issues& issues)
{
    ReadinessBand band;
    EntryReader e(object, path, issues);
    e.text("id", band.id);
    e.text("name", band.name);
    e.whole("first", band.first, 1, 1000);
    e.whole("last", band.last, band.first, 1000);
    e.finish();
    return band;
}

Skill read_skill(const json& object, const std::string& path, Issues& issues)
{
    Skill skill;
    EntryReader e(object, path, issues);
    e.text("id", skill.id);
    e.text("name", skill.name);
    e.finish();
    return skill;
}

void read_frame(const json& file, StudyPlan& plan, Issues& issues)
{
    EntryReader e(file, "", issues);
    std::string schema;
    std::string source;
    e.text("schema", schema);
    e.text("source", source);
    e.texts("quick_eight", plan.quick_eight);
    for (const char* name : {"missions", "bands", "skills"})
    {
        e.member(name);
    }
    if (!schema.empty() && schema != "ringside.plan/1")
    {
        e.fault("schema", fmt::format("\"{}\" is not known", schema), "use \"ringside.plan/1\"");
    }
    e.finish();
}

bool is_done(const Progress& progress, const PlanTask& task)
{
    return std::any_of(progress.tasks.begin(), progress.tasks.end(),
                       [&](const TaskDone& done) { return done.task == task.id; });
}

int done_of(const Mission& mission, const Progress& progress)
{
    return static_cast<int>(std::count_if(mission.tasks.begin(), mission.tasks.end(),
                                          [&](const PlanTask& task) { return is_done(progress, task); }));
}

StudyDay start_of(const Progress& progress, const StudyTime& now)
{
    if (progress.plan_start)
    {
        return *progress.plan_start;
    }
    return progress.reviews.empty() ? now.day() : now.day_of(progress.reviews.front().time_ms);
}

bool knows(const StudyState& study, const std::string& source)
{
    const auto known = [&](const FamilyInfo& family)
    {
        const bool has =
            std::find(family.sources.begin(), family.sources.end(), source) != family.sources.end();
        return has &&
               recall_at(card_of(study.cards, family.id), study.now, study.progress.weights).value_or(0) >=
                   kKnownRecall;
    };
    return std::any_of(study.families.begin(), study.families.end(), known);
}

} // namespace

Result<StudyPlan> read_plan(const json& file)
{
    StudyPlan plan;
    Issues issues;
    read_frame(file, plan, issues);
    each(file, "", "missions", issues,
         [&](const json& o, const std::string& at) { plan.missions.push_back(read_mission(o, at, issues)); });
    each(file, "", "bands", issues,
         [&](const json& o, const std::string& at) { plan.bands.push_back(read_band(o, at, issues)); });
    each(file, "", "skills", issues,
         [&](const json& o, const std::string& at) { plan.skills.push_back(read_skill(o, at, issues)); });
    std::stable_sort(plan.missions.begin(), plan.missions.end(),
                     [](const Mission& a, const Mission& b) { return a.day < b.day; });
    return issues.empty() ? Result<StudyPlan>(std::move(plan)) : Result<StudyPlan>(std::move(issues));
}

DeckWish quick_eight(const StudyPlan& plan)
{
    DeckWish wish;
    wish.kind = DeckKind::all;
    wish.filter.sources = plan.quick_eight;
    wish.most = static_cast<int>(plan.quick_eight.size());
    wish.minutes = 60;
    return wish;
}

DeckWish deck_of(const PlanTask& task)
{
    DeckWish wish;
    wish.kind = task.kind == TaskKind::weak ? DeckKind::weak : DeckKind::all;
    wish.filter = task.filter;
    wish.minutes = task.minutes;
    wish.most_new = task.kind == TaskKind::weak ? 0 : wish.most_new;
    return wish;
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
        Gauge gauge{&band, 0, band.last - band.first + 1, 0};
        gauge.pass = (7 * gauge.total + 9) / 10;
        for (int q = band.first; q <= band.last; ++q)
        {
            gauge.known += knows(study, fmt::format("000-Q{}", q)) ? 1 : 0;
        }
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
