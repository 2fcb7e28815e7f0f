// What the study views are given, and what they may ask for. Made by the app's controller; recomputed only
// when progress changes, a question falls due or the day turns.
//
// What is typed belongs to the view, what was answered to the session: a view keeps an unsaved answer by
// question, so that leaving and coming back lose nothing.
#pragma once

#include "core/study/grading/grading.h"
#include "core/study/sessions/plan.h"
#include "core/study/sessions/session.h"
#include "ui/shell/frame/errata_frame.h"
#include "ui/shell/frame/frame.h"

namespace ringside
{

inline constexpr int kForecastDays = 14;
inline constexpr std::size_t kWeakest = 3;

// What an import holds, before it is taken.
struct ImportFound
{
    std::string name; // "12 cards"
    std::string says; // what taking it does, and what was left out
};
struct PastImport
{
    std::int64_t time_ms = 0; // its identity
    std::string name;         // "12 cards"
};

struct StudyFrame
{
    std::span<const FamilyInfo> families; // personal cards among them
    const Progress* progress = nullptr;
    const Cards* cards = nullptr;
    const StudyPlan* plan = nullptr;
    const StudySession* session = nullptr; // monostate: none
    StudyTime now;
    std::string questions;               // the folder in which questions were looked for
    const ErrataFrame* errata = nullptr; // null: none were loaded
    bool saved = true;                   // what was done is on disk

    std::vector<HeatTopic> heat;      // of study_topics()
    std::vector<std::size_t> weakest; // in heat, kWeakest at most
    std::vector<int> forecast;        // kForecastDays, today first
    std::vector<Gauge> gauges;
    std::vector<Leech> leeches;
    MissionToday mission;
    int due = 0;   // questions
    int fresh = 0; // never seen

    // The session that is on.
    const Question* question = nullptr; // on show; null: none, or it could not be made
    const DeckCard* card = nullptr;     // that asks it
    const Verdict* verdict = nullptr;   // of its last answer, where it may be seen
    std::string fault;                  // why it could not be made
    std::string unread;                 // what could not be read of what was typed
    std::optional<EndCard> end;         // of a drill that is over
    std::string came_from;              // id of the view that "Quiz me" was pressed in; empty: none

    std::optional<ImportFound> import; // waits to be taken or left
    std::vector<PastImport> imports;   // that can be taken back, newest first
    std::vector<std::string> backups;  // days, "2026-11-28", newest first

    StudyState state() const { return {families, *progress, *cards, now}; }
    bool has_interview() const { return progress->interview && *progress->interview >= now.day(); }
};

struct StartDrill
{
    DeckRequest request;              // its seed is given by the model
    std::string task;                 // of the plan; empty: none
    std::vector<DeckCard> cards = {}; // asked instead of a deck, where there are any
};
struct StartMock
{
    int minutes = 12;
    std::string task;
};
struct StartSpoken
{
    std::string family;     // empty: one that fits the filter, what is due first
    std::size_t points = 0; // to tick; 0: those of its rubric
    double seconds = 60;
    std::string task = {};
    DeckFilter filter = {};
};
// One question that has its picture in this view. What runs is kept and goes on afterwards.
struct QuizView
{
    std::string view;
};
// An answer to the question on show, as typed; checked, then told to the session.
struct AnswerQuestion
{
    std::string text;
};
// An input of the session that is running.
struct StudyStep
{
    StudyInput input;
};
// Puts the session away; what was graded is kept.
struct EndStudy
{
};
struct ChangeProgress
{
    ProgressChange change;
};
enum class StudyExport : std::uint8_t
{
    history,  // every review, with all its details
    progress, // everything, as it is kept
    anki,
    sheet,
    scorecard // of the mock interview that is over
};
struct ExportStudy
{
    StudyExport what;
};
// A review log or an Anki text file; empty: what is on the clipboard. What it holds is shown first, and taken
// only by AnswerImport.
struct ImportStudy
{
    std::string text;
};
struct AnswerImport
{
    bool take;
};
struct RemoveImport
{
    std::int64_t time_ms; // of a PastImport
};
// Goes back to the backup of a day.
struct RestoreBackup
{
    std::string day;
};
struct StudyAction
    : std::variant<StartDrill, StartMock, StartSpoken, QuizView, AnswerQuestion, StudyStep, EndStudy,
                   ChangeProgress, ExportStudy, ImportStudy, AnswerImport, RemoveImport, RestoreBackup>
{
    using variant::variant;
};
inline Action to_action(StudyAction action)
{
    return std::make_shared<const StudyAction>(std::move(action));
}

} // namespace ringside
