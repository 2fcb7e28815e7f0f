#include "ui/views/study/popups.h"

#include <fmt/format.h>

#include "ui/shell/scopes.h"
#include "ui/views/study/words.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array kIds{"study mock", "study interview", "study files",
                          "study plan", "study skills",    "study leeches"};

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

constexpr std::array<std::string_view, 5> kScores{"1 cannot", "2 vaguely", "3 can explain", "4 can derive",
                                                  "5 can teach"};

bool is_done(const StudyFrame& study, const PlanTask& task)
{
    const auto& done = study.progress->tasks;
    return std::any_of(done.begin(), done.end(), [&](const TaskDone& t) { return t.task == task.id; });
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

} // namespace

void StudyPopups::draw_mock(const Painter& p, Out& out)
{
    constexpr std::array<std::string_view, 4> kSays{"a warm-up: a handful of questions",
                                                    "what one question of an interview may take in all",
                                                    "an interview", "an interview and its follow-ups"};
    Rows rows;
    for (std::size_t i = 0; i < kMockMinutes.size(); ++i)
    {
        rows.add(std::to_string(kMockMinutes[i]), fmt::format("{} minutes", kMockMinutes[i]),
                 std::string(kSays[i]));
    }
    if (const auto chosen = rows.draw(p, id_of(Which::mock)))
    {
        out.push(StartMock{kMockMinutes[*chosen], ""});
    }
}

void StudyPopups::draw_interview(const Frame& frame, const Painter& p, Out& out)
{
    constexpr std::array kDays{1, 3, 7, 14, 21, 28, 60};
    const StudyDay today = frame.study->now.day();
    Rows rows;
    for (const int days : kDays)
    {
        rows.add(std::to_string(days), date_words(today + days),
                 days == 1 ? std::string("tomorrow") : fmt::format("in {} days", days));
    }
    const auto& set = frame.study->progress->interview;
    const StudyDay from = set.value_or(today);
    rows.add("earlier", "A day earlier", date_words(std::max(today, from - 1)));
    rows.add("later", "A day later", date_words(from + 1));
    rows.add("none", "No interview", "intervals grow as they come");
    if (const auto chosen = rows.draw(p, id_of(Which::interview)))
    {
        std::optional<StudyDay> day;
        if (*chosen < kDays.size())
        {
            day = today + kDays[*chosen];
        }
        else if (*chosen < kDays.size() + 2)
        {
            day = *chosen == kDays.size() ? std::max(today, from - 1) : from + 1;
            open(Which::interview); // once more, perhaps
        }
        out.push(ChangeProgress{SetInterview{day}});
    }
}

void StudyPopups::draw_files(const Frame&, const Painter& p, Out& out)
{
    Rows rows;
    rows.add("sheet", "Study sheet", "Markdown: weakest topics, what was missed, your notes");
    rows.add("anki", "Anki", "text file; importing it again updates the same notes");
    rows.add("log", "Review log", "CSV as FSRS optimisers read it");
    rows.add("history", "Whole history", "CSV with answers, hints and slips");
    rows.add("import", "Import", "a review log or an Anki text file, from the clipboard");
    constexpr std::array kWhat{StudyExport::sheet, StudyExport::anki, StudyExport::log, StudyExport::history};
    if (const auto chosen = rows.draw(p, id_of(Which::files)))
    {
        if (*chosen < kWhat.size())
        {
            out.push(ExportStudy{kWhat[*chosen]});
        }
        else
        {
            out.push(ImportStudy{});
        }
    }
}

// First which skill, then which score.
void StudyPopups::draw_skills(const Frame& frame, const Painter& p, Out& out)
{
    const StudyFrame& study = *frame.study;
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

void StudyPopups::draw_leeches(const Frame& frame, const Painter& p, Out& out)
{
    const auto& leeches = frame.study->leeches;
    Rows rows;
    for (const Leech& leech : leeches)
    {
        rows.add(leech.family, leech.family,
                 fmt::format("forgotten {} times; press to suspend it", leech.lapses));
    }
    if (const auto chosen = rows.draw(p, id_of(Which::leeches)))
    {
        out.push(ChangeProgress{SetSuspended{leeches[*chosen].family, true}});
    }
}

namespace
{

// A task with its box to tick; whether it was started.
bool draw_task(const Painter& p, const PlanTask& task, bool done, float width, bool& ticked)
{
    const Theme& t = p.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = p.px(44);
    const Rect words{at.x + left, at.y + p.px(30), width - left - p.px(12), 0};
    const float h = p.px(40) + p.paragraph(words, Type::small, with_alpha(t.text, 0), task.text);
    const Rect box{at.x + p.px(8), at.y + p.px(6), p.px(24), p.px(24)};
    const Rect body{at.x + left - p.px(8), at.y, width - left + p.px(8), h};
    ticked = press(p, box, ("###tick " + task.id).c_str(), 4).clicked;
    const Press pressed = press(p, body, ("###task " + task.id).c_str());
    if (pressed.hovered || pressed.focused)
    {
        p.fill(body, t.control, p.px(4));
    }
    p.outline(box, t.line, 1, p.px(4));
    if (done)
    {
        p.tick(box.x + p.px(5), box.middle(), t.ok);
    }
    p.text(words.x, at.y + p.px(18), Type::small_strong, t.text, kind_words(task));
    p.paragraph(words, Type::small, done ? t.muted : t.text, task.text);
    ImGui::SetCursorScreenPos({at.x, at.y + h});
    return pressed.clicked;
}

} // namespace

void StudyPopups::draw_plan(const Frame& frame, const Painter& window, Out& out)
{
    const StudyFrame& study = *frame.study;
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{window.px(12), window.px(12)});
    centre_next_popup();
    const PopupScope popup(id_of(Which::plan));
    if (!popup || study.mission.mission == nullptr)
    {
        return;
    }
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const float width = std::min(p.px(640), ImGui::GetIO().DisplaySize.x * 0.96F - p.px(48));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    p.text_within(at.x + p.px(8), at.y + p.px(14), width - p.px(16), Type::body_strong, p.theme.text,
                  fmt::format("Day {}: {}", study.mission.mission->day, study.mission.mission->title));
    ImGui::SetCursorScreenPos({at.x, at.y + p.px(36)});
    for (const PlanTask& task : study.mission.mission->tasks)
    {
        bool ticked = false;
        const bool done = is_done(study, task);
        if (draw_task(p, task, done, width, ticked))
        {
            start_task(task, out);
            ImGui::CloseCurrentPopup();
        }
        if (ticked)
        {
            out.push(ChangeProgress{SetTask{{task.id, study.now.ms}, !done}});
        }
    }
    ImGui::Dummy({width, 1});
}

void StudyPopups::draw(const Frame& frame, const Painter& p, Out& out)
{
    if (asked_)
    {
        ImGui::OpenPopup(id_of(*asked_));
        asked_.reset();
    }
    draw_mock(p, out);
    draw_interview(frame, p, out);
    draw_files(frame, p, out);
    draw_skills(frame, p, out);
    draw_leeches(frame, p, out);
    draw_plan(frame, p, out);
    if (!ImGui::IsPopupOpen(id_of(Which::skills)) && !asked_)
    {
        skill_.clear(); // closed on the way
    }
}

} // namespace ringside
