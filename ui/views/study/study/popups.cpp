#include <fmt/format.h>

#include "ui/views/study/study/parts.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array kIds{"study mock",   "study interview", "study files",  "study plan",
                          "study skills", "study leeches",   "study backups"};

const char* id_of(StudyPopups::Which which)
{
    return kIds[static_cast<std::size_t>(which)];
}

// What choice_popup shows, with the strings it points to.
class Rows
{
public:
    void add(std::string id, std::string name, std::string says)
    {
        text_.push_back({std::move(id), std::move(name), std::move(says)});
    }
    std::size_t size() const { return text_.size(); }
    std::optional<std::size_t> draw(const Painter& painter, const char* id) const
    {
        std::vector<Choosable> items;
        for (const auto& [row, name, says] : text_)
        {
            items.push_back({row, name, says});
        }
        return choice_popup(painter, id, items);
    }

private:
    std::vector<std::array<std::string, 3>> text_;
};

constexpr std::size_t kMostImportsShown = 5;

constexpr std::array<std::string_view, 5> kScores{"1 cannot", "2 vaguely", "3 can explain", "4 can derive",
                                                  "5 can teach"};

bool is_done(const StudyFrame& study, const PlanTask& task)
{
    const auto& done = study.progress->tasks;
    return std::any_of(done.begin(), done.end(), [&](const TaskDone& t) { return t.task == task.id; });
}

} // namespace

const PlanTask* next_task(const StudyFrame& study)
{
    if (study.mission.mission == nullptr)
    {
        return nullptr;
    }
    const auto& tasks = study.mission.mission->tasks;
    const auto open = std::ranges::find_if(
        tasks, [&](const PlanTask& task)
        { return task.kind != TaskKind::view && task.kind != TaskKind::paper && !is_done(study, task); });
    return open == tasks.end() ? nullptr : &*open;
}

void start_task(const PlanTask& task, Out& out)
{
    switch (task.kind)
    {
    case TaskKind::mock:
        out.push(StartMock{task.minutes, task.id});
        break;
    case TaskKind::view:
    case TaskKind::paper:
        out.push(OpenView{task.view});
        break;
    case TaskKind::drill:
    case TaskKind::weak:
    case TaskKind::spoken:
        out.push(StartDrill{deck_of(task), task.id});
        break;
    }
}

std::string_view mock_words(std::size_t place)
{
    constexpr std::array<std::string_view, kMockMinutes.size()> kSays{"a warm-up of short questions",
                                                                      "one question in depth", "an interview",
                                                                      "an interview with follow-ups"};
    return kSays.at(place);
}

void StudyPopups::draw_mock(const Painter& p, Out& out)
{
    Rows rows;
    for (std::size_t i = 0; i < kMockMinutes.size(); ++i)
    {
        rows.add(std::to_string(kMockMinutes[i]), fmt::format("{} minutes", kMockMinutes[i]),
                 std::string(mock_words(i)));
    }
    if (const auto chosen = rows.draw(p, id_of(Which::mock)))
    {
        out.push(StartMock{kMockMinutes[*chosen], ""});
    }
}

void StudyPopups::draw_interview(const StudyFrame& study, const Painter& p, Out& out)
{
    constexpr std::array kDays{1, 3, 7, 14, 21, 28, 60};
    const StudyDay today = study.now.day();
    Rows rows;
    for (const int days : kDays)
    {
        rows.add(std::to_string(days), date_words(today + days),
                 days == 1 ? std::string("tomorrow") : fmt::format("in {} days", days));
    }
    const StudyDay from = study.progress->interview.value_or(today);
    const std::array<std::optional<StudyDay>, 3> moves{std::max(today, from - 1), from + 1, std::nullopt};
    rows.add("earlier", "A day earlier", date_words(*moves[0]));
    rows.add("later", "A day later", date_words(*moves[1]));
    rows.add("none", "No interview", "intervals grow as they come");
    const auto chosen = rows.draw(p, id_of(Which::interview));
    if (!chosen)
    {
        return;
    }
    const bool set = *chosen < kDays.size();
    const auto day = set ? today + kDays[*chosen] : moves.at(*chosen - kDays.size());
    if (!set && day)
    {
        open(Which::interview); // once more, perhaps
    }
    out.push(ChangeProgress{SetInterview{day}});
}

// What waits to be imported is asked about first.
void StudyPopups::draw_files(const StudyFrame& study, const Painter& p, Out& out)
{
    Rows rows;
    if (study.import)
    {
        rows.add("take", "Import " + study.import->name, study.import->says);
        rows.add("leave", "Leave them", "nothing is changed");
        if (const auto chosen = rows.draw(p, id_of(Which::files)))
        {
            out.push(AnswerImport{*chosen == 0});
        }
        return;
    }
    rows.add("sheet", "Study sheet", "Markdown: weakest topics, what was missed, your notes");
    rows.add("anki", "Anki", "text file; importing it again updates the same notes");
    rows.add("history", "Review history", "CSV with answers, hints and mistakes");
    rows.add("progress", "Everything", "a progress file, for another browser or computer to import");
    rows.add("import", "Import", "a review log, a progress file or an Anki text file, from the clipboard");
    const std::size_t backups = rows.size();
    if (!study.backups.empty())
    {
        rows.add("backups", "Go back to a backup", fmt::format("the newest is of {}", study.backups.front()));
    }
    const std::size_t fixed = rows.size();
    for (const PastImport& import : study.imports)
    {
        if (rows.size() < fixed + kMostImportsShown)
        {
            rows.add(fmt::format("remove {}", import.time_ms), "Remove " + import.name,
                     fmt::format("imported on {}", date_words(study.now.day_of(import.time_ms))));
        }
    }
    const auto chosen = rows.draw(p, id_of(Which::files));
    if (!chosen)
    {
        return;
    }
    constexpr std::array kWhat{StudyExport::sheet, StudyExport::anki, StudyExport::history,
                               StudyExport::progress};
    if (*chosen < kWhat.size())
    {
        out.push(ExportStudy{kWhat[*chosen]});
    }
    else if (*chosen < backups)
    {
        out.push(ImportStudy{});
        open(Which::files); // what it holds is asked about there
    }
    else if (*chosen < fixed)
    {
        open(Which::backups);
    }
    else
    {
        out.push(RemoveImport{study.imports[*chosen - fixed].time_ms});
    }
}

// First which skill, then which score.
void StudyPopups::draw_skills(const StudyFrame& study, const Painter& p, Out& out)
{
    Rows rows;
    for (std::size_t i = 0; !skill_.empty() && i < kScores.size(); ++i)
    {
        rows.add(std::to_string(i + 1), std::string(kScores[i]), "");
    }
    for (const Skill& skill : study.plan->skills)
    {
        const auto score = skill_score(*study.progress, skill.id);
        if (skill_.empty())
        {
            rows.add(skill.id,
                     score ? std::string(kScores[static_cast<std::size_t>(*score) - 1]) : "not judged",
                     skill.name);
        }
    }
    const auto chosen = rows.draw(p, id_of(Which::skills));
    if (!chosen)
    {
        return;
    }
    if (skill_.empty())
    {
        skill_ = study.plan->skills[*chosen].id;
    }
    else
    {
        out.push(ChangeProgress{SkillScore{skill_, static_cast<int>(*chosen) + 1, study.now.ms}});
        skill_.clear();
    }
    open(Which::skills);
}

void StudyPopups::draw_backups(const StudyFrame& study, const Painter& p, Out& out)
{
    Rows rows;
    for (const std::string& day : study.backups)
    {
        rows.add(day, day, "as it was before the first answer of that day");
    }
    if (const auto chosen = rows.draw(p, id_of(Which::backups)))
    {
        out.push(RestoreBackup{study.backups[*chosen]});
    }
}

void StudyPopups::draw_leeches(const StudyFrame& study, const Painter& p, Out& out)
{
    Rows rows;
    for (const Leech& leech : study.leeches)
    {
        rows.add(leech.family, leech.family,
                 fmt::format("forgotten {} times; press to suspend it", leech.lapses));
    }
    if (const auto chosen = rows.draw(p, id_of(Which::leeches)))
    {
        out.push(ChangeProgress{SetSuspended{study.leeches[*chosen].family, true}});
    }
}

namespace
{

// A task with its box to tick; whether it was started.
bool draw_task(Sheet& sheet, const PlanTask& task, bool done, bool& ticked)
{
    const Painter& p = sheet.p;
    const std::string words = fmt::format("**{}** {}", kind_words(task), task.text);
    ImGui::SetNextItemAllowOverlap();
    const DrawnCard card = sheet.card({.label = "###task " + task.id,
                                       .words = words,
                                       .ink = done ? p.theme.muted : p.theme.text,
                                       .right = p.px(12),
                                       .gap = 6});
    const Rect box{card.r.x + p.px(12), card.r.middle() - p.px(12), p.px(24), p.px(24)};
    ticked = press(p, box, ("###tick " + task.id).c_str(), 4).clicked;
    p.outline(box, p.theme.line, 1, p.px(4));
    if (done)
    {
        p.tick(box.x + p.px(5), box.middle(), p.theme.ok);
    }
    return card.pressed.clicked && !ticked;
}

} // namespace

void StudyPopups::draw_plan(const StudyFrame& study, const Painter& window, Out& out)
{
    PopupSheet sheet(window, id_of(Which::plan), 640);
    const Mission* mission = study.mission.mission;
    if (!sheet || mission == nullptr)
    {
        return;
    }
    sheet->heading(fmt::format("Day {}: {}", mission->day, mission->title));
    for (const PlanTask& task : mission->tasks)
    {
        bool ticked = false;
        const bool done = is_done(study, task);
        if (draw_task(*sheet, task, done, ticked))
        {
            start_task(task, out);
            ImGui::CloseCurrentPopup();
        }
        if (ticked)
        {
            out.push(ChangeProgress{SetTask{{task.id, study.now.ms}, !done}});
        }
    }
}

bool StudyPopups::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    if (const auto which = draw_study_panel(p, area, *frame.study))
    {
        open(*which);
        out.animating = true; // the picture was drawn before
    }
    return true;
}

void StudyPopups::draw(const Frame& frame, const Painter& p, Out& out)
{
    const StudyFrame& study = *frame.study;
    if (asked_)
    {
        ImGui::OpenPopup(id_of(*asked_));
        asked_.reset();
    }
    draw_mock(p, out);
    draw_interview(study, p, out);
    draw_files(study, p, out);
    draw_skills(study, p, out);
    draw_leeches(study, p, out);
    draw_backups(study, p, out);
    draw_plan(study, p, out);
    if (!ImGui::IsPopupOpen(id_of(Which::skills)) && !asked_)
    {
        skill_.clear(); // closed on the way
    }
}

} // namespace ringside
